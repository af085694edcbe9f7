"""Unpacks a model folder into a work folder, so that stage 2 goes on from shipped weights.

python3 unpack.py --model ../wan-demo --out DIR
"""
import argparse
import json
import os

import torch

from adopt import load_folder
from session import save


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", required=True)
    p.add_argument("--out", required=True)
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    with open(f"{a.model}/vae/config.json") as f:
        config = json.load(f)
    latents = {k: torch.tensor(config[k]) for k in ("latents_mean", "latents_std")}
    save(f"{a.out}/vae.safetensors", load_folder(f"{a.model}/vae") | latents, torch.float16)
    for part in ("transformer", "text_encoder"):
        save(f"{a.out}/{part}_0.safetensors", load_folder(f"{a.model}/{part}"), torch.bfloat16)


if __name__ == "__main__":
    main()
