"""Unpacks a model folder into a work folder, so that stage 2 goes on from shipped weights.

python3 unpack.py --model ../wan-demo --out DIR

CogVideoX's folder, which has one scaling factor in place of each channel's mean and deviation, makes a start for stage 6.
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
    channels = config["latent_channels"] if "latent_channels" in config else config["z_dim"]
    scale = 1 / config.get("scaling_factor", 1)
    latents = {"latents_mean": torch.tensor(config.get("latents_mean", [0.0] * channels)),
               "latents_std": torch.tensor(config.get("latents_std", [scale] * channels))}
    save(f"{a.out}/vae.safetensors", load_folder(f"{a.model}/vae") | latents, torch.float16)
    for part in ("transformer", "text_encoder"):
        save(f"{a.out}/{part}_0.safetensors", load_folder(f"{a.model}/{part}"), torch.bfloat16)


if __name__ == "__main__":
    main()
