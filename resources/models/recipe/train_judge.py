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
    def __init__(self, widths=(32, 64, 128, 256, 384), frames=9, rows=3, channels=3):
        """frames: how many it sees of a clip; rows: of the map of features, a thirty-second of the picture's height."""
        super().__init__()
        layers, i = [], channels
        for k, o in enumerate(widths):
            layers += [nn.Conv2d(i, o, 3, stride=2, padding=1), nn.GroupNorm(8, o), nn.SiLU()]
            layers += [nn.Conv2d(o, o, 3, padding=1), nn.GroupNorm(8, o), nn.SiLU()] if k else []
            i = o
        self.frames, o = nn.Sequential(*layers), widths[-1]
        self.pooled, self.squeezed = 2 * o, 512
        self.what = nn.ModuleDict({k: nn.Sequential(nn.LayerNorm(2 * o), nn.Linear(2 * o, o), nn.SiLU(), nn.Linear(o, HEADS[k]))
                                   for k in ("object", "background", "colour")})
        self.squeeze = nn.Conv2d(o, 48, 1)
        self.where = nn.Sequential(nn.LayerNorm(48 * frames * rows * 4), nn.Linear(48 * frames * rows * 4, 512), nn.SiLU(), nn.Dropout(0.1))
        self.moves = nn.ModuleDict({k: nn.Linear(512, HEADS[k]) for k in ("motion", "count")})

    def features(self, clips):
        """What the heads see: features of all places and frames together, and of each place and frame."""
        b, t = clips.shape[0], clips.shape[2]
        x = self.frames(clips.transpose(1, 2).flatten(0, 1).contiguous(memory_format=torch.channels_last))
        pooled = torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1).view(b, t, -1).mean(1)
        return pooled, self.where(self.squeeze(x).reshape(b, -1))

    def heads(self, pooled, y):
        return {k: head(pooled) for k, head in self.what.items()} | {k: head(y) for k, head in self.moves.items()}

    def forward(self, clips):
        """clips [B, 3, 9, 72, 128] -> logits of each head."""
        return self.heads(*self.features(clips))


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
    """Clips of the generator as a judge sees them, with their labels. times: frames that it sees; see: what it makes of a clip."""

    def __init__(self, device, scenes, seed, times=range(0, FRAMES, 4), see=view):
        self.device, self.scenes, self.times, self.see = device, scenes, torch.tensor(list(times), device=device), see
        self.renderer, self.colours = Renderer(load_sprites(SPRITES)[0], device, seed=seed), sprite_colours().to(device)

    def draw(self):
        """Scenes, the times to render of each, and further labels."""
        scenes = on(self.device, next(self.scenes))
        return scenes, self.times[None].expand(len(scenes["count"]), -1), {}

    def next(self):
        scenes, times, more = self.draw()
        clips, _ = self.renderer.render(scenes, times, chunk=64)
        return self.see(clips), {"object": scenes["object"], "background": scenes["background"], "motion": scenes["motion"],
                                 "count": scenes["count"] - 1, "colour": self.colours[scenes["sprites"][:, 0]]} | more


def judge_loss(out, labels):
    """With two different objects or motions in a clip the first one's label would be a guess: count alone is taught there."""
    one = labels["count"] == 0
    total = F.cross_entropy(out["count"], labels["count"]) + F.cross_entropy(out["background"], labels["background"])
    for k in ("object", "motion", "colour"):
        total = total + F.cross_entropy(out[k][one], labels[k][one])
    return total


def unseen(size, **options):
    """Scenes that no judge is trained on."""
    source = SceneSource(load_sprites(SPRITES)[1], 4321, held_out=True, **({"pairs": 0.2, "twins": 0.5} | options))
    while True:
        yield {k: torch.as_tensor(v) for k, v in source.batch(size).items()}


@torch.no_grad()
def accuracy(judge, examples, batches):
    right = {k: [] for k in HEADS}
    for _ in range(batches):
        x, labels = examples.next()
        out = judge(x)
        one = labels["count"] == 0
        for k in HEADS:
            hit = out[k].argmax(1) == labels[k]
            right[k] += (hit if k in ("count", "background") else hit[one]).tolist()
    return {k: round(100 * float(np.mean(v)), 2) for k, v in right.items()}


def fit(a, judge, examples, losses=judge_loss, rows=128):
    """Trains for a.seconds, `rows` clips a step; returns the number of steps."""
    adam = torch.optim.AdamW(judge.parameters(), lr=a.lr, betas=(0.9, 0.98), weight_decay=0.02, fused=a.device == "cuda")
    start, step = time.time(), 0
    while (progress := (time.time() - start) / a.seconds) < 1:
        x, labels = examples.next()
        for part in torch.arange(len(x), device=x.device).split(rows):
            with torch.autocast(a.device, torch.bfloat16):
                out = judge(disturb(x[part]))
            loss = losses({k: v.float() for k, v in out.items()}, {k: v[part] for k, v in labels.items()})
            loss.backward()
            nn.utils.clip_grad_norm_(judge.parameters(), 1.0, foreach=True)
            for g in adam.param_groups:
                g["lr"] = a.lr * min(1, (step + 1) / 100) * max(0.01, 1 - progress)
            adam.step()
            adam.zero_grad(set_to_none=True)
            step += 1
            if step % 100 == 0:
                say(f"judge step {step} progress {progress:.2f} loss {float(loss.detach()):.4f}")
    judge.eval()
    return step


def add_arguments(p, batch=128):
    p.add_argument("--work", required=True)
    p.add_argument("--seconds", type=float, default=100)
    p.add_argument("--batch", type=int, default=batch, help="clips that are rendered at once")
    p.add_argument("--lr", type=float, default=1.5e-3)
    p.add_argument("--workers", type=int, default=5)
    p.add_argument("--device", default="cuda")
    p.add_argument("--tiny", type=int, default=0)


def train(a, judge, name="judge", **seen):
    """Trains a judge of objects, backgrounds, motions, counts and colours; NAME.safetensors and NAME.json."""
    step = fit(a, judge, Examples(a.device, scene_stream(a.batch, 7, a.workers, pairs=0.25, twins=0.5, held_out=True, loose=0.25), 44, **seen))
    save(f"{a.work}/{name}.safetensors", judge.state_dict(), torch.float16)
    result = {"steps": step, **accuracy(judge, Examples(a.device, unseen(a.batch), 55, **seen), 2 if a.device == "cpu" else 16)}
    record(a.work, f"{name}.json", result)
    say("judge on the generator's own unseen clips:", result)


def main():
    p = argparse.ArgumentParser()
    add_arguments(p)
    a = p.parse_args()
    prepare(a.device)
    train(a, Judge().to(a.device))


if __name__ == "__main__":
    main()
