"""Stage 2: transformer and text encoder together.  python3 train_t2v.py --work DIR --seconds 1000 [--init DIR --progress 0.5]

Flow matching on latents of clips that are drawn and encoded while training runs. Short clips come first: single frames
teach what things look like at a ninth of the cost, 9 frames then how they move, 33 frames the rest.
"""
import argparse
import os
import time

import torch
import torch.nn.functional as F
from safetensors.torch import load_file

from descent import Task, add_arguments, descend, fill
from ranks import Ranks
from render import Renderer
from sampling import generate
from scaled_fp8 import dequantise
from scenes import FRAMES, load_sprites
from session import SPRITES, contact_sheet, on, prepare, save, say, scene_stream, to_bytes
from train_vae import FAMILIES, speed_up
from transformer_model import Transformer, encode_text, make_text_encoder

PREVIEWS = ["a red car driving to the right on a beach", "a cat bouncing on green grass", "a yellow star spinning in space",
            "a dog moving to the left in outer space", "a robot jumping up and down in the desert",
            "a pizza spinning over the ocean", "a shark swimming to the left underwater", "a panda growing bigger in a forest",
            "a purple butterfly flying to the right over a city at night", "an elephant falling in a blue sky"]


def load_vae(path, device, family="wan"):
    tensors = {k: v.float() for k, v in load_file(path).items()}
    mean, std = tensors.pop("latents_mean").to(device), tensors.pop("latents_std").to(device)
    vae = FAMILIES[family]().to(device)
    vae.load_state_dict(tensors)
    return vae.requires_grad_(False).eval(), mean, std


class LatentPool:
    """Normalised latents, sprite coverage and captions of the last `capacity` clips, replaced oldest first."""

    def __init__(self, vae, mean, std, capacity, device, workers, tiny, seed, **options):
        self.vae, self.capacity, self.device = vae, capacity, device
        self.mean, self.std = mean.view(1, 16, 1, 1, 1), std.view(1, 16, 1, 1, 1)
        self.renderer = Renderer(load_sprites(SPRITES)[0], device, seed=99 + seed)
        self.batch = 2 if tiny else 32
        self.scenes = scene_stream(self.batch, 2 + 10 * seed, workers, tokens=True, pairs=0.1, hard=True, **options)
        self.filled = self.at = self.total = 0
        shape = (9, 18, 32)
        self.latents = torch.empty(capacity, 16, *shape, device=device, dtype=torch.bfloat16)
        self.cover = torch.empty(capacity, *shape, device=device, dtype=torch.bfloat16)
        self.tokens = torch.zeros(capacity, 4, 48, device=device, dtype=torch.long)
        self.times = torch.arange(FRAMES, device=device)[None].expand(self.batch, FRAMES)

    def encode(self, clips):
        with torch.autocast(self.device, torch.bfloat16):
            z = torch.cat([self.vae.encode(c.to(torch.bfloat16, memory_format=torch.channels_last_3d))[0]
                           for c in clips.split(16)])
        return (z - self.mean) / self.std

    def keep(self, rows, clips):
        """What a subclass keeps of the clips beside their latents."""

    @torch.no_grad()
    def add(self):
        scenes = on(self.device, next(self.scenes))
        clips, mask = self.renderer.render(scenes, self.times)
        z = self.encode(clips)
        if not bool(z.isfinite().all()):
            say("latents not finite: left out, and no more trying of convolution algorithms")
            torch.backends.cudnn.benchmark = False
            return
        cover = F.avg_pool2d(mask, 8)
        cover = torch.cat([cover[:, :1], cover[:, 1:].unflatten(1, (8, 4)).mean(2)], 1)
        if self.at + self.batch > self.capacity:
            self.at = 0
        rows = slice(self.at, self.at + self.batch)
        self.latents[rows], self.cover[rows], self.tokens[rows] = z, cover, scenes["tokens"]
        self.keep(rows, clips)
        self.at += self.batch
        self.filled, self.total = max(self.filled, self.at), self.total + self.batch

    def state(self):
        rows = slice(self.filled)
        return {"at": self.at, "total": self.total, "rows": [x[rows].cpu() for x in (self.latents, self.cover, self.tokens)]}

    def restore(self, state):
        self.at, self.total, self.filled = state["at"], state["total"], len(state["rows"][0])
        for x, rows in zip((self.latents, self.cover, self.tokens), state["rows"]):
            x[:self.filled] = rows.to(self.device)

    def draw(self, count, frames, unprompted=0.12):
        """Latents, coverage, tokens (a share of them the empty prompt's) and the rows of the pool."""
        rows = torch.randint(0, self.filled, (count,), device=self.device)
        tokens = self.tokens[rows, torch.randint(0, 4, (count,), device=self.device)]
        empty = torch.zeros_like(tokens)
        empty[:, 0] = 1
        tokens = torch.where((torch.rand(count, device=self.device) < unprompted)[:, None], empty, tokens)
        return self.latents[rows, :, :frames].float(), self.cover[rows, :frames].float(), tokens, rows


def even(count, device):
    """Numbers in 0..1, one in each of `count` equal parts."""
    return (torch.randperm(count, device=device) + torch.rand(count, device=device)) / count


def weighted(square, cover, sprites=4):
    """The mean of squared errors [B, C, T, h, w]; what shows a sprite counts `sprites` times more."""
    weight = 1 + sprites * cover
    return (square.mean(1) * weight).sum() / weight.sum()


def plan(progress, step, size, warm):
    """(latent frames, clips) of a step; every tenth step of the long phase is a short one, so that nothing is forgotten.
    A run that starts from trained weights sees whole clips only."""
    if warm:
        return 9, size
    if progress < 0.06:
        return 1, size * 9
    if progress < 0.26 or step % 10 == 9:
        return 3, size * 3
    return 9, size


def choose_attention():
    """Puts the fastest attention kernel of this GPU first."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    times = {}
    q = torch.randn(112, 3, 1296, 128, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
        try:
            with sdpa_kernel(backend), torch.enable_grad():
                for k in range(6):
                    if k == 3:
                        torch.cuda.synchronize()
                        start = time.time()
                    y = F.scaled_dot_product_attention(q, q, q)
                    y.backward(y)
                torch.cuda.synchronize()
            times[backend] = (time.time() - start) / 3
        except RuntimeError as error:
            say("no", backend, str(error)[:80])
    say("attention:", {b.name: f"{t * 1e3:.2f} ms" for b, t in times.items()})
    order = sorted(times, key=times.get) + [SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    torch._C._set_sdp_priority_order([int(b) for b in order])


def write(folder, transformer, text_encoder):
    for name, model in (("transformer", transformer), ("text_encoder", text_encoder)):
        tensors = list(model.state_dict().items())
        size, parts = sum(v.numel() for _, v in tensors), [{}]
        for k, v in tensors:
            if sum(t.numel() for t in parts[-1].values()) + v.numel() > 7e6:  # bf16: parts of at most 14 MB
                parts.append({})
            parts[-1][k] = v
        for i, part in enumerate(parts):
            save(f"{folder}/{name}_{i}.safetensors", part, torch.bfloat16)


def read(folder, transformer, text_encoder):
    import glob
    for name, model in (("transformer", transformer), ("text_encoder", text_encoder)):
        tensors = {}
        for path in sorted(glob.glob(f"{folder}/{name}_*.safetensors")):
            tensors.update(load_file(path))
        model.load_state_dict({k: v.float() for k, v in dequantise(tensors).items()})


class TextToVideo(Task):
    name = "t2v"

    def __init__(self, a, vae, pool):
        layers = 2 if a.tiny else 8
        models, averages = ([Transformer(layers=layers).to(a.device), make_text_encoder().to(a.device)] for _ in range(2))
        if a.init:
            read(a.init, *models)
        super().__init__(models, averages, pool)
        self.a, self.vae = a, vae
        self.lengths, self.odds = (torch.tensor(v, device=a.device) for v in ([64.0, 226.0, 512.0], [0.1, 0.1, 0.8]))
        models[1].train()

    def blocks(self):
        return self.models[0].blocks

    def loss(self, progress, step):
        frames, count = plan(progress, step, self.a.clips, bool(self.a.init))
        x0, cover, tokens, _ = self.pool.draw(count, frames)
        u = even(count, self.a.device)
        s = 3 * u / (1 + 2 * u)
        noise, sigma = torch.randn_like(x0), s.view(count, 1, 1, 1, 1)
        with torch.autocast(self.a.device, torch.bfloat16):
            keys = self.lengths[torch.multinomial(self.odds, count, True)][:, None]
            text, bias = encode_text(self.models[1], tokens, keys)
            v = self.models[0]((1 - sigma) * x0 + sigma * noise, s * 1000, text, bias)
        return weighted((v.float() - (noise - x0)) ** 2, cover), count

    def write(self):
        write(self.a.work, *self.averages)

    def preview(self):
        preview(self.a, self.averages, *self.vae, 9, 12)


def preview(a, averages, vae, mean, std, frames, steps):
    clips = to_bytes(generate(*averages, vae, mean, std, PREVIEWS[:2] if a.tiny else PREVIEWS, frames=frames, steps=steps))
    contact_sheet([list(c[::4]) for c in clips], PREVIEWS, f"{a.work}/preview.png")


def main():
    p = argparse.ArgumentParser()
    add_arguments(p)
    a = p.parse_args()
    ranks = Ranks(a.device)
    prepare(a.device, a.seed)
    vae = load_vae(f"{a.work}/vae.safetensors", a.device)
    if a.device == "cuda":
        speed_up(vae[0])
        choose_attention()
    pool = LatentPool(*vae, 64 if a.tiny else 98304, a.device, a.workers, a.tiny, a.seed + 100 * ranks.rank)
    kept = torch.load(a.state, map_location="cpu", mmap=True) if os.path.exists(a.state) else None
    if kept:
        pool.restore(kept["pool"])
    fill(pool, 0 if kept else a.fill)
    task = TextToVideo(a, vae, pool)
    torch.manual_seed(a.seed + 100 * ranks.rank)
    descend(a, ranks, task, kept)
    if ranks.first:
        preview(a, task.averages, *vae, 2 if a.tiny else 9, 2 if a.tiny else 20)
    ranks.finish()


if __name__ == "__main__":
    main()
