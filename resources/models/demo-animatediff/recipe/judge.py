"""The judge for clips of 16 frames, and what it sees in the miniatures' clips.

python3 judge.py train --work DIR --seconds 125            judge.safetensors: it sees every fourth of the toy world's 33 frames
python3 judge.py look --work DIR --clips clips_….npz …     evaluation_….json and contact sheets

Clips of the models of 33 frames (evaluate.py's) are cut to what this judge sees.
"""
import argparse
import json

import base  # noqa: F401
import numpy as np
import torch
import torch.nn.functional as F
from base import FRAMES, HEIGHT, MARGIN, TIMES, cut
from evaluate import heard, make_prompts, shares, sheets, unpack
from render_clips import unpack as unpack_16
from safetensors.torch import load_file
from session import prepare, record, say
from train_judge import Judge, add_arguments, train

SEEN = FRAMES // 2


def make_judge():
    return Judge(frames=SEEN, rows=2)


def see(clips):
    return F.avg_pool3d(cut(clips), (1, 2, 2))


def clips_of(path):
    """[n, 3, 8, 64, 128]"""
    if "shape" in np.load(path):
        return unpack_16(path)
    return unpack(path)[:, :, :SEEN, MARGIN // 2:(MARGIN + HEIGHT) // 2]


@torch.no_grad()
def look(a):
    judge = make_judge()
    judge.load_state_dict({k: v.float() for k, v in load_file(f"{a.work}/judge.safetensors").items()})
    judge.eval()
    for name in a.clips:
        clips, rows = clips_of(f"{a.work}/{name}"), make_prompts()[::a.every]
        rows = rows[:len(clips)]
        result, misses = shares(heard(judge, clips), rows)
        stem = name.removesuffix(".npz").removeprefix("clips_")
        record(a.work, f"evaluation_{stem}.json", result | {"misses": misses})
        say(stem, json.dumps(result["all"]), json.dumps({m: list(v.values()) for m, v in result["by motion"].items()}),
            len(misses), "prompts with a miss")
        sheets(clips, rows, f"{a.work}/all_{stem}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("what", choices=["train", "look"])
    p.add_argument("--clips", nargs="*", default=[])
    p.add_argument("--every", type=int, default=1)
    add_arguments(p, batch=256)
    a = p.parse_args()
    if a.tiny:
        a.batch = 4
    prepare(a.device if a.what == "train" else "cpu")
    if a.what == "train":
        train(a, make_judge().to(a.device), times=TIMES[::2], see=see)
    else:
        look(a)


if __name__ == "__main__":
    main()
