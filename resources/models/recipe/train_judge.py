"""The judge: a small network that says what a clip shows. Trained on the generator's own clips alone, never on the model's.

It sees nine of the 33 frames at half size and names the object, the background, the motion, the colour and whether there
are one or two objects (two of a kind included, so that doubled objects are seen).
python3 train_judge.py --work DIR --seconds 66
"""
import argparse
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from render import Renderer
from scenes import FRAMES, SceneSource, load_sprites
from session import SPRITES, on, prepare, record, save, say, scene_stream
from vocabulary import BACKGROUND_NAMES, HUES, MOTIONS, OBJECTS

COLOURS = [None] + list(HUES)
HEADS = {"object": len(OBJECTS), "background": len(BACKGROUND_NAMES), "motion": len(MOTIONS), "count": 2, "colour": len(COLOURS)}


def sprite_colours():
    """[sprites] the class of each sprite's colour, 0 for objects that come in one colour alone."""
    _, variants = load_sprites(SPRITES)
    pairs = sorted(v for vs in variants.values() for v in vs)
    return torch.tensor([COLOURS.index(colour) for _, colour in pairs])


class Judge(nn.Module):
    def __init__(self, widths=(32, 64, 128, 256, 384), frames=9, rows=3):
        """frames: how many it sees of a clip; rows: of the map of features, a thirty-second of the picture's height."""
        super().__init__()
        layers, i = [], 3
        for k, o in enumerate(widths):
            layers += [nn.Conv2d(i, o, 3, stride=2, padding=1), nn.GroupNorm(8, o), nn.SiLU()]
            layers += [nn.Conv2d(o, o, 3, padding=1), nn.GroupNorm(8, o), nn.SiLU()] if k else []
            i = o
        self.frames, o = nn.Sequential(*layers), widths[-1]
        self.what = nn.ModuleDict({k: nn.Sequential(nn.LayerNorm(2 * o), nn.Linear(2 * o, o), nn.SiLU(), nn.Linear(o, HEADS[k]))
                                   for k in ("object", "background", "colour")})
        self.squeeze = nn.Conv2d(o, 48, 1)
        self.where = nn.Sequential(nn.LayerNorm(48 * frames * rows * 4), nn.Linear(48 * frames * rows * 4, 512), nn.SiLU(), nn.Dropout(0.1))
        self.moves = nn.ModuleDict({k: nn.Linear(512, HEADS[k]) for k in ("motion", "count")})

    def forward(self, clips):
        """clips [B, 3, 9, 72, 128] -> logits of each head."""
        b, t = clips.shape[0], clips.shape[2]
        x = self.frames(clips.transpose(1, 2).flatten(0, 1).contiguous(memory_format=torch.channels_last))
        pooled = torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1).view(b, t, -1).mean(1)
        out = {k: head(pooled) for k, head in self.what.items()}
        y = self.where(self.squeeze(x).reshape(b, -1))
        return out | {k: head(y) for k, head in self.moves.items()}


def view(clips):
    """Whole clips [B, 3, 33, 144, 256] or their every fourth frame -> what the judge sees."""
    clips = clips[:, :, ::4] if clips.shape[2] == FRAMES else clips
    return F.avg_pool3d(clips, (1, 2, 2))


def disturb(x):
    """Soft focus, grain and tint, so that the judge does not lean on crispness that a video model's clips lack."""
    b = x.shape[0]
    soft = F.avg_pool3d(F.pad(x, (1, 1, 1, 1, 0, 0), mode="replicate"), (1, 3, 3), stride=1)
    amount = torch.rand(b, 1, 1, 1, 1, device=x.device)
    x = x + (soft - x) * amount * (torch.rand_like(amount) < 0.6)
    x = x * (0.92 + 0.16 * torch.rand(b, 3, 1, 1, 1, device=x.device)) + 0.06 * torch.randn(b, 3, 1, 1, 1, device=x.device)
    return x + 0.06 * torch.rand_like(amount) * torch.randn_like(x)


class Examples:
    def __init__(self, device, scenes, seed):
        self.device, self.scenes = device, scenes
        self.renderer, self.colours = Renderer(load_sprites(SPRITES)[0], device, seed=seed), sprite_colours().to(device)

    def next(self):
        scenes = on(self.device, next(self.scenes))
        times = torch.arange(0, FRAMES, 4, device=self.device)[None].expand(len(scenes["count"]), 9)
        clips, _ = self.renderer.render(scenes, times, chunk=64)
        return view(clips), {"object": scenes["object"], "background": scenes["background"], "motion": scenes["motion"],
                             "count": scenes["count"] - 1, "colour": self.colours[scenes["sprites"][:, 0]]}


def judge_loss(out, labels):
    """With two different objects or motions in a clip the first one's label would be a guess: count alone is taught there."""
    one = labels["count"] == 0
    total = F.cross_entropy(out["count"], labels["count"]) + F.cross_entropy(out["background"], labels["background"])
    for k in ("object", "motion", "colour"):
        total = total + F.cross_entropy(out[k][one], labels[k][one])
    return total


@torch.no_grad()
def accuracy(judge, device, batches, size):
    _, variants = load_sprites(SPRITES)
    source = SceneSource(variants, 4321, held_out=True, pairs=0.2, twins=0.5)

    def scenes():
        while True:
            yield {k: torch.as_tensor(v) for k, v in source.batch(size).items()}
    examples, right = Examples(device, scenes(), 55), {k: [] for k in HEADS}
    for _ in range(batches):
        x, labels = examples.next()
        out = judge(x)
        one = labels["count"] == 0
        for k in HEADS:
            hit = out[k].argmax(1) == labels[k]
            right[k] += (hit if k in ("count", "background") else hit[one]).tolist()
    return {k: round(100 * float(np.mean(v)), 2) for k, v in right.items()}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True)
    p.add_argument("--seconds", type=float, default=100)
    p.add_argument("--batch", type=int, default=128)
    p.add_argument("--lr", type=float, default=1.5e-3)
    p.add_argument("--workers", type=int, default=5)
    p.add_argument("--device", default="cuda")
    a = p.parse_args()
    prepare(a.device)
    judge = Judge().to(a.device)
    optimiser = torch.optim.AdamW(judge.parameters(), lr=a.lr, betas=(0.9, 0.98), weight_decay=0.02)
    examples = Examples(a.device, scene_stream(a.batch, 7, a.workers, pairs=0.25, twins=0.5, held_out=True, loose=0.25), 44)
    start, step = time.time(), 0
    while (progress := (time.time() - start) / a.seconds) < 1:
        x, labels = examples.next()
        with torch.autocast(a.device, torch.bfloat16):
            loss = judge_loss({k: v.float() for k, v in judge(disturb(x)).items()}, labels)
        loss.backward()
        nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
        for g in optimiser.param_groups:
            g["lr"] = a.lr * min(1, (step + 1) / 100) * max(0.01, 1 - progress)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        step += 1
        if step % 100 == 0:
            say(f"judge step {step} progress {progress:.2f} loss {float(loss):.4f}")
    judge.eval()
    save(f"{a.work}/judge.safetensors", judge.state_dict(), torch.float16)
    result = {"steps": step, "clips": step * a.batch, **accuracy(judge, a.device, 2 if a.device == "cpu" else 16, a.batch)}
    record(a.work, "judge.json", result)
    say("judge on the generator's own unseen clips:", result)


if __name__ == "__main__":
    main()
