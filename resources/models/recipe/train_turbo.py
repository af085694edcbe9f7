"""Stage 7: the text-to-video miniature in four steps, with dense and with sparse-linear attention.

python3 train_turbo.py --work DIR --model ../wan-demo --seconds 300

The student begins as the shipped model with its feed-forwards narrowed to HIDDEN channels. It learns by consistency: from a point
of the teacher's guided path it must land where it lands from the next point of that path. On the times that the four-step
sampler asks for, its sparse-linear attention learns to say what its dense attention says, and both to look at few blocks.
"""
import argparse

import torch
from safetensors.torch import load_file

from adopt import load_folder
from descent import Task, add_arguments, descend, fill
from ranks import Ranks
from rcm import KEYS, times, told
from scaled_fp8 import dequantise
from session import prepare, save, say
from sparse_linear import attend_sparsely, give_linear_branches, missed_by
from train_i2v import load_shared
from train_t2v import LatentPool, choose_attention, even, weighted
from train_vae import speed_up
from transformer_model import CONFIG, Transformer, encode_text

HIDDEN, GUIDANCE, PARTS = 1280, 2.5, (2, 2, 4, 5)  # PARTS: of the teacher's path between the sampler's times


def path():
    """The teacher's times from the first to 0, and which of them the sampler asks for."""
    out, asked = [], []
    for a, b, n in zip(times(), times()[1:], PARTS):
        asked.append(len(out))
        out += [a + (b - a) * k / n for k in range(n)]
    return out + [0.0], asked


def make_student(layers=CONFIG["num_layers"]):
    return give_linear_branches(Transformer(hidden=HIDDEN, layers=layers))


@torch.no_grad()
def narrow(student, teacher, see):
    """Copies the teacher; of each feed-forward the channels that move its output most, what the others say on average into the bias.
    see(): runs the teacher on an example."""
    squares, sums, counts = {}, {}, {}

    def watch(i):
        def hook(_, inputs):
            h = inputs[0].float().flatten(0, 1)
            squares[i], sums[i], counts[i] = (d.get(i, 0) + v for d, v in ((squares, (h * h).sum(0)), (sums, h.sum(0)), (counts, len(h))))
        return hook
    hooks = [b.ffn.net[2].register_forward_pre_hook(watch(i)) for i, b in enumerate(teacher.blocks)]
    see()
    for h in hooks:
        h.remove()
    tensors = dict(teacher.state_dict())
    for i, block in enumerate(teacher.blocks):
        out, name = block.ffn.net[2].weight, f"blocks.{i}.ffn.net."
        spread = squares[i] / counts[i] - (sums[i] / counts[i]) ** 2
        order = (spread * (out * out).sum(0)).argsort(descending=True)
        kept, lost = order[:HIDDEN].sort().values, order[HIDDEN:]
        tensors[name + "2.bias"] = tensors[name + "2.bias"] + out[:, lost] @ (sums[i] / counts[i])[lost]
        tensors[name + "2.weight"] = out[:, kept]
        tensors[name + "0.proj.weight"], tensors[name + "0.proj.bias"] = block.ffn.net[0].proj.weight[kept], block.ffn.net[0].proj.bias[kept]
    missing, unknown = student.load_state_dict(tensors, strict=False)
    assert not unknown and all("proj_l" in k for k in missing), (missing, unknown)


class Turbo(Task):
    name = "turbo"

    def __init__(self, a, text_encoder, pool):
        layers = 2 if a.tiny else CONFIG["num_layers"]
        self.a, self.pool, self.text_encoder = a, pool, text_encoder
        self.teacher = Transformer(layers=layers).to(a.device).requires_grad_(False).eval()
        self.teacher.load_state_dict({k: v for k, v in load_folder(f"{a.model}/transformer").items()
                                      if not k.startswith("blocks.") or int(k.split(".")[1]) < layers})
        self.path, self.asked = (torch.tensor(v, device=a.device) for v in path())
        empty = torch.zeros(1, 48, dtype=torch.long, device=a.device)
        empty[:, 0] = 1
        with torch.no_grad(), torch.autocast(a.device, torch.bfloat16):
            self.empty = encode_text(text_encoder, empty, torch.full((1, 1), KEYS, device=a.device))
        models, averages = ([make_student(layers).to(a.device)] for _ in range(2))
        if a.init:
            read(a.init, models[0])
        else:
            narrow(models[0], self.teacher, self.see)
        super().__init__(models, averages, pool)
        if a.device == "cuda":
            for block in self.teacher.blocks:
                block.compile(dynamic=False)

    def blocks(self):
        return self.models[0].blocks

    def example(self, count):
        """Noisy latents at times of the path (the sampler's in the first half), prompts' states, coverage, the times' numbers."""
        device, half = self.a.device, count // 2
        x0, cover, tokens, _ = self.pool.draw(count, 9, 0.02)
        with torch.no_grad(), torch.autocast(device, torch.bfloat16):
            text, bias = encode_text(self.text_encoder, tokens, torch.full((count, 1), KEYS, device=device))
        asked = self.asked[(len(self.asked) * even(half, device)).long()]
        step = torch.cat([asked, ((len(self.path) - 1) * even(count - half, device)).long()])
        t = self.path[step].view(count, 1, 1, 1, 1)
        blind = ((step == 0) & (torch.rand(count, device=device) < 0.7)).view(count, 1, 1, 1, 1)  # the sampler begins with noise alone
        return torch.where(blind, 0, (1 - t) * x0) + t * torch.randn_like(x0), text, bias, cover, step

    @torch.no_grad()
    def see(self):
        for _ in range(1 if self.a.tiny else 6):
            x, text, bias, _, step = self.example(2 if self.a.tiny else 32)
            with torch.autocast(self.a.device, torch.bfloat16):
                self.teacher(x, told(self.path[step]), text, bias)

    def guided(self, x, at, text, bias):
        n, (empty, empty_bias) = len(x), self.empty
        both = self.teacher(torch.cat([x, x]), torch.cat([at, at]) * 1000, torch.cat([text, empty.expand(n, -1, -1)]),
                            torch.cat([bias, empty_bias.expand(n, -1, -1, -1)])).float()
        return both[n:] + GUIDANCE * (both[:n] - both[n:])

    def loss(self, progress, step):
        student, count = self.models[0], self.a.clips
        x, text, bias, cover, at = self.example(count)
        now, then = self.path[at], self.path[at + 1]
        wide = lambda v: v.view(-1, 1, 1, 1, 1)
        with torch.autocast(self.a.device, torch.bfloat16):
            with torch.no_grad():
                v = self.guided(x, now, text, bias)
                # The last point of the path is the clip itself; the student is asked there all the same, which costs less than choosing.
                onward = student(x - wide(now - then) * v, told(then), text, bias).float()
                target = (wide(now - then) * v + wide(then) * onward) / wide(now)
            said = student(x, told(now), text, bias).float()
            half = count // 2
            attend_sparsely(student, True)
            sparse = student(x[:half], told(now[:half]), text[:half], bias[:half]).float()
            missed = missed_by(student)
            attend_sparsely(student, False)
        apart, consistency = weighted((sparse - said[:half]) ** 2, cover[:half]), weighted((said - target) ** 2, cover)
        if step % 100 == 0:
            say("consistency {:.4f} sparse beside dense {:.4f} missed {:.3f}".format(*(float(v.detach()) for v in (consistency, apart, missed))))
        return consistency + self.a.sparse * apart + self.a.missed * missed, count

    def write(self):
        write(self.a.work, self.averages[0])


def write(folder, student):
    save(f"{folder}/turbo_transformer.safetensors", student.state_dict(), torch.bfloat16)


def read(folder, student):
    student.load_state_dict(dequantise(load_file(f"{folder}/turbo_transformer.safetensors"), torch.float32))


def main():
    p = argparse.ArgumentParser()
    add_arguments(p)
    p.add_argument("--model", required=True, help="the text-to-video model's folder")
    p.add_argument("--sparse", type=float, default=1.0, help="weight of sparse-linear attention's distance from dense")
    p.add_argument("--missed", type=float, default=0.05, help="weight of what dense attention sees outside the chosen blocks")
    p.set_defaults(clips=48, lr=1e-3, lr_adam=5e-4, encode_share=0.1, save_every=60, fill=12)
    a = p.parse_args()
    ranks = Ranks(a.device)
    prepare(a.device, a.seed)
    torch._dynamo.config.suppress_errors = True  # what can't be compiled runs as it is
    if a.tiny:
        a.clips = 2
    *vae, text_encoder = load_shared(a.model, a.device)
    if a.device == "cuda":
        speed_up(vae[0])
        choose_attention()
    pool = LatentPool(*vae, 64 if a.tiny else 32768, a.device, a.workers, a.tiny, a.seed + 100 * ranks.rank)
    fill(pool, a.fill)
    task = Turbo(a, text_encoder, pool)
    say("parameters", sum(p.numel() for p in task.models[0].parameters()))
    torch.manual_seed(a.seed + 100 * ranks.rank)
    descend(a, ranks, task)
    ranks.finish()


if __name__ == "__main__":
    main()
