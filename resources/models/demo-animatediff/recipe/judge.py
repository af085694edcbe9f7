"""The judge for clips of 16 frames, and what it sees in the miniatures' clips.

python3 judge.py train --work DIR --seconds 125            judge.safetensors: it sees every fourth of the toy world's 33 frames
python3 judge.py look --work DIR --clips clips_….npz …     evaluation_….json and contact sheets
"""
import argparse
import json
import time

import base
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from base import FRAMES, TIMES, cut
from evaluate import make_prompts, name_of
from render import Renderer
from safetensors.torch import load_file
from scenes import SceneSource, load_sprites
from session import SPRITES, contact_sheet, on, prepare, record, save, say, scene_stream
from train_judge import HEADS, Judge, disturb, judge_loss, sprite_colours
from vocabulary import ANIMALS, MOTIONS, NAMES

SEEN = FRAMES // 2


def make_judge():
    return Judge(frames=SEEN, rows=2)


class Examples:
    def __init__(self, device, scenes, seed):
        self.device, self.scenes = device, scenes
        self.renderer, self.colours = Renderer(load_sprites(SPRITES)[0], device, seed=seed), sprite_colours().to(device)

    def next(self):
        scenes = on(self.device, next(self.scenes))
        times = torch.tensor(TIMES[::2], device=self.device)[None].expand(len(scenes["count"]), SEEN)
        clips, _ = self.renderer.render(scenes, times, chunk=128)
        return F.avg_pool3d(cut(clips), (1, 2, 2)), {
            "object": scenes["object"], "background": scenes["background"], "motion": scenes["motion"],
            "count": scenes["count"] - 1, "colour": self.colours[scenes["sprites"][:, 0]]}


@torch.no_grad()
def accuracy(judge, device, batches, size):
    source = SceneSource(load_sprites(SPRITES)[1], 4321, held_out=True, pairs=0.2, twins=0.5)

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


def train(a):
    judge = make_judge().to(a.device)
    adam = torch.optim.AdamW(judge.parameters(), lr=a.lr, betas=(0.9, 0.98), weight_decay=0.02, fused=a.device == "cuda")
    examples = Examples(a.device, scene_stream(a.batch, 7, a.workers, pairs=0.25, twins=0.5, held_out=True, loose=0.25), 44)

    def losses(x, labels):
        with torch.autocast(a.device, torch.bfloat16):
            out = judge(disturb(x))
        return judge_loss({k: v.float() for k, v in out.items()}, labels)

    start, step = time.time(), 0
    while (progress := (time.time() - start) / a.seconds) < 1:
        x, labels = examples.next()
        for rows in torch.arange(a.batch, device=a.device).chunk(max(1, a.batch // 128)):
            loss = losses(x[rows], {k: v[rows] for k, v in labels.items()})
            loss.backward()
            nn.utils.clip_grad_norm_(judge.parameters(), 1.0, foreach=True)
            for g in adam.param_groups:
                g["lr"] = a.lr * min(1, (step + 1) / 100) * max(0.01, 1 - progress)
            adam.step()
            adam.zero_grad(set_to_none=True)
            step += 1
            if step % 200 == 0:
                say(f"judge step {step} progress {progress:.2f} loss {float(loss.detach()):.4f}")
    judge.eval()
    save(f"{a.work}/judge.safetensors", judge.state_dict(), torch.float16)
    result = {"steps": step, "clips": step * min(a.batch, 128), **accuracy(judge, a.device, 1 if a.tiny else 16, 4 if a.tiny else 128)}
    record(a.work, "judge.json", result)
    say("judge on the generator's own unseen clips:", result)


@torch.no_grad()
def look(a):
    from render_clips import unpack
    judge = make_judge()
    judge.load_state_dict({k: v.float() for k, v in load_file(f"{a.work}/judge.safetensors").items()})
    judge.eval()
    for name in a.clips:
        clips, rows = unpack(f"{a.work}/{name}"), make_prompts()[::a.every]
        rows, said = rows[:len(clips)], {k: [] for k in HEADS}
        for chunk in clips.split(20):
            for k, v in judge(chunk).items():
                said[k] += v.argmax(1).tolist()
        rate = lambda head, keep: round(100 * float(np.mean([said[head][i] == l[head] for i, (_, l) in enumerate(rows) if keep(l)]
                                                            or [0])), 1)
        result = {"prompts": len(rows)}
        for group, keep in (("all", lambda l: True), ("held out", lambda l: l["held_out"]),
                            ("animals", lambda l: NAMES[l["object"]] in ANIMALS)):
            result[group] = {k: rate(k, keep) for k in HEADS}
        result["by motion"] = {m: {k: rate(k, lambda l, m=m: MOTIONS[l["motion"]] == m) for k in ("object", "motion")} for m in MOTIONS}
        misses = [(i, {k: name_of(k, said[k][i]) for k in HEADS if said[k][i] != l[k]}) for i, (_, l) in enumerate(rows)]
        misses = [(i, wrong) for i, wrong in misses if wrong]
        stem = name.removesuffix(".npz").removeprefix("clips_")
        record(a.work, f"evaluation_{stem}.json",
               result | {"misses": [{"prompt": rows[i][0], "judge saw": w, "held out": rows[i][1]["held_out"]} for i, w in misses]})
        say(stem, json.dumps(result["all"]), json.dumps({m: list(v.values()) for m, v in result["by motion"].items()}),
            len(misses), "prompts with a miss")
        pictures = ((clips + 1) * 127.5).round().byte().permute(0, 2, 3, 4, 1).numpy()
        for k in range(0, len(rows), 50):
            contact_sheet([list(p) for p in pictures[k:k + 50]], [f"{k + j} {t[0]}" for j, t in enumerate(rows[k:k + 50])],
                          f"{a.work}/all_{stem}_{k}.jpg", 128)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("what", choices=["train", "look"])
    p.add_argument("--work", required=True)
    p.add_argument("--clips", nargs="*", default=[])
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--seconds", type=float, default=130)
    p.add_argument("--batch", type=int, default=256)
    p.add_argument("--lr", type=float, default=1.5e-3)
    p.add_argument("--workers", type=int, default=4)
    p.add_argument("--device", default="cuda")
    p.add_argument("--tiny", type=int, default=0)
    a = p.parse_args()
    if a.tiny:
        a.batch = 4
    prepare(a.device if a.what == "train" else "cpu")
    {"train": train, "look": look}[a.what](a)


if __name__ == "__main__":
    main()
