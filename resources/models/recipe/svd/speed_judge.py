"""The judge of speed: the other miniatures' judge for seven frames at half size, each seen with its change to the next, with a head for the speed.

python3 speed_judge.py train --work DIR --seconds 80     speed_judge.safetensors, from the generator's own clips alone
python3 speed_judge.py look --work DIR                   what it sees in DIR/clips_svd.npz: evaluation_svd.json and contact sheets
"""
import argparse
import json

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import world  # noqa: F401
from safetensors.torch import load_file
from session import contact_sheet, on, prepare, record, save, say, scene_stream
from train_judge import Examples, Judge, add_arguments, fit, judge_loss, unseen
from train_svd import moving
from vocabulary import MOTIONS, NAMES
from world import FRAMES, bucket, cut, paced

SEEN, BINS = FRAMES // 2, 16


class SpeedJudge(Judge):
    def __init__(self):
        super().__init__(frames=SEEN, rows=2, channels=6)
        seen = self.squeezed + self.pooled
        self.speed = nn.Sequential(nn.LayerNorm(seen), nn.Linear(seen, 256), nn.SiLU(), nn.Linear(256, BINS))

    def forward(self, clips):
        change = clips.diff(dim=2)
        pooled, y = self.features(torch.cat([clips, torch.cat([change, change[:, :, -1:]], 2)], 1))
        return self.heads(pooled, y) | {"speed": self.speed(torch.cat([pooled, y], 1))}


def view(clips):
    """Clips [n, 3, 14, 128, 256] -> every second frame, half the size."""
    return F.avg_pool3d(clips[:, :, ::2], (1, 2, 2))


def speed_of(logits):
    middle = torch.linspace(0.5, BINS - 0.5, BINS, device=logits.device) / BINS
    return (logits.float().softmax(-1) * middle).sum(-1)


class SpeedExamples(Examples):
    def draw(self):
        scenes = moving(on(self.device, next(self.scenes)))
        scenes, times, speed = paced(scenes)
        return scenes, times[:, ::2], {"speed": speed, "bins": (speed * BINS).long().clamp(0, BINS - 1)}


def examples(a, scenes, seed):
    return SpeedExamples(a.device, scenes, seed, see=lambda clips: F.avg_pool3d(cut(clips), (1, 2, 2)))


def losses(out, labels):
    one = labels["count"] == 0
    return judge_loss(out, labels) + 2 * F.cross_entropy(out["speed"][one], labels["bins"][one], label_smoothing=0.1)


@torch.no_grad()
def accuracy(judge, drawn, batches):
    right, away, order = [], [], []
    for _ in range(batches):
        x, labels = drawn.next()
        out = judge(x)
        speed, half = speed_of(out["speed"]), len(x) // 2
        right += (out["motion"].argmax(1) == labels["motion"]).tolist()
        away += (speed - labels["speed"]).abs().tolist()
        apart = labels["speed"][:half] - labels["speed"][half:2 * half]
        order += ((speed[:half] - speed[half:2 * half]) * apart > 0)[apart.abs() > 0.2].tolist()
    return {"motion": round(100 * float(np.mean(right)), 2), "speed's mean error": round(float(np.mean(away)), 3),
            "of two clips whose speeds differ by more than 0.2, the faster one": round(100 * float(np.mean(order)), 2)}


def train(a):
    judge = SpeedJudge().to(a.device)
    step = fit(a, judge, examples(a, scene_stream(a.batch, 7, a.workers, pairs=0.1, held_out=True, loose=0.5), 44), losses)
    save(f"{a.work}/speed_judge.safetensors", judge.state_dict(), torch.float16)
    result = {"steps": step, **accuracy(judge, examples(a, unseen(a.batch, pairs=0.0, loose=0.5), 55), 1 if a.device == "cpu" else 16)}
    record(a.work, "speed_judge.json", result)
    say("judge on the generator's own unseen clips:", result)


@torch.no_grad()
def look(a):
    from render_svd import BUCKETS, pictures, unpack
    judge = SpeedJudge()
    judge.load_state_dict({k: v.float() for k, v in load_file(f"{a.work}/speed_judge.safetensors").items()})
    judge.eval()
    clips = unpack(f"{a.work}/clips_svd.npz")  # [pictures, buckets, 3, 7, 64, 128]
    with open(f"{a.work}/kept_svd.json") as f:
        kept = json.load(f)
    scenes = pictures(len(clips), "cpu")[1]
    out = [judge(c.flatten(0, 1)) for c in clips.split(10)]
    speed = torch.cat([speed_of(o["speed"]) for o in out]).view(len(clips), -1)
    objects = torch.cat([o["object"].argmax(1) for o in out]).view(len(clips), -1)
    pairs = [(i, j) for i in range(len(BUCKETS)) for j in range(i + 1, len(BUCKETS))]
    change = (clips[:, :, :, 1:] - clips[:, :, :, :-1]).abs().mean((2, 3, 4, 5))
    rate = lambda hits: round(100 * float(hits.float().mean()), 1)
    result = {"pictures": len(clips), "buckets": BUCKETS,
              "faster for the larger bucket": rate(torch.stack([speed[:, j] > speed[:, i] for i, j in pairs])),
              "by pair": {f"{BUCKETS[i]} and {BUCKETS[j]}": rate(speed[:, j] > speed[:, i]) for i, j in pairs},
              "all three in order": rate((speed[:, 0] < speed[:, 1]) & (speed[:, 1] < speed[:, 2])),
              "bucket as the judge sees it": [round(v) for v in bucket(speed.mean(0)).tolist()],
              "more change between frames for the larger bucket": rate(torch.stack([change[:, j] > change[:, i] for i, j in pairs])),
              "object still the picture's": rate(objects == scenes["object"][:, None]),
              "first frame, dB": {k: v for k, v in kept.items() if k != "all"}}
    record(a.work, "evaluation_svd.json", result | {"speeds": [[round(v, 2) for v in row] for row in speed.tolist()]})
    say(json.dumps(result))
    shown = ((clips + 1) * 127.5).round().byte().permute(0, 1, 3, 4, 5, 2).numpy()
    names = [f"{k} {NAMES[o]} " for k, o in enumerate(scenes["object"].tolist())]
    for k in range(0, len(clips), 16):
        rows = [(list(c), n + f"bucket {b}") for row, n in zip(shown[k:k + 16], names[k:k + 16]) for c, b in zip(row, BUCKETS)]
        contact_sheet([r[0] for r in rows], [r[1] for r in rows], f"{a.work}/all_svd_{k}.jpg", 128)
    say("motions of the pictures' own clips", [MOTIONS[m] for m in scenes["motion"][:8].tolist()])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("what", choices=["train", "look"])
    add_arguments(p, batch=256)
    a = p.parse_args()
    prepare(a.device if a.what == "train" else "cpu")
    {"train": train, "look": look}[a.what](a)


if __name__ == "__main__":
    main()
