"""The four-step student's clips of the judge's prompts, with dense and with sparse-linear attention from the same noise.

python3 render_turbo.py --work DIR --model ../wan-demo     clips_turbo-dense_…npz, clips_turbo-sla_…npz, turbo_distance.json
then evaluate.py judge --work DIR --name turbo-sla --precision fp8 --guidance 1 --steps 4
"""
import argparse
import time

import numpy as np
import torch

import rcm
from evaluate import SHOWCASE, make_prompts, pack, round_weights
from scenes import FRAMES
from session import contact_sheet, prepare, record, say, to_bytes
from sparse_linear import attend_sparsely
from train_i2v import load_shared
from train_judge import view
from train_t2v import choose_attention
from train_turbo import make_student, read


def decibels(a, b):
    """PSNR of each clip [n, 3, T, H, W] in -1..1, over all its frames."""
    return (10 * torch.log10(4 / (a - b).pow(2).mean((1, 2, 3, 4)).clamp_min(1e-10))).tolist()


@torch.no_grad()
def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True)
    p.add_argument("--model", required=True)
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--batch", type=int, default=50)
    p.add_argument("--steps", type=int, default=4)
    p.add_argument("--frames", type=int, default=9, help="latent frames")
    p.add_argument("--showcase", type=int, default=24)
    p.add_argument("--device", default="cuda")
    a = p.parse_args()
    a.precision = "fp8"
    prepare(a.device)
    if a.device == "cuda":
        choose_attention()
    *vae, text_encoder = load_shared(a.model, a.device)
    student = make_student().to(a.device)
    read(a.work, student)
    round_weights(a, student)
    rows, start, seen, apart = make_prompts()[::a.every], time.time(), {"dense": [], "sla": []}, []
    for i in range(0, len(rows), a.batch):
        both = []
        for name in seen:
            attend_sparsely(student, name == "sla")
            clips = rcm.generate(student, text_encoder, *vae, [r[0] for r in rows[i:i + a.batch]], a.frames, a.steps, 1000 + i)
            both.append(clips)
            if clips.shape[2] != FRAMES:
                clips = clips[:, :, torch.linspace(0, clips.shape[2] - 1, 9).long()]
            seen[name].append(to_bytes(view(clips)))
        apart += decibels(*both)
    for name, clips in seen.items():
        pack(np.concatenate(clips), f"{a.work}/clips_turbo-{name}_fp8_g1_s{a.steps}.npz")
    record(a.work, "turbo_distance.json", {"sla beside dense, dB": round(float(np.mean(apart)), 2), "lowest": round(min(apart), 2),
                                           "below 30 dB": sum(d < 30 for d in apart), "all": [round(d, 1) for d in apart]})
    say(f"{2 * len(rows)} clips in {time.time() - start:.0f} s; sla beside dense {np.mean(apart):.2f} dB, lowest {min(apart):.2f}, "
        f"{sum(d < 30 for d in apart)} below 30")
    for name in seen if a.showcase else ():
        attend_sparsely(student, name == "sla")
        shown = to_bytes(rcm.generate(student, text_encoder, *vae, SHOWCASE[:a.showcase], a.frames, a.steps, 42))
        contact_sheet([list(c[::4]) for c in shown], SHOWCASE, f"{a.work}/showcase_turbo-{name}.jpg")


if __name__ == "__main__":
    main()
