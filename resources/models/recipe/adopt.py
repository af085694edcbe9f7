"""Starts a transformer on a new autoencoder's latents from one that was trained on another's.

python3 adopt.py --vae DIR/vae.safetensors --model FOLDER --out DIR

Latents of both autoencoders are compared patch by patch (2×2×16 numbers) on rendered clips, and the rotation that best
turns one into the other is folded into the first and the last layer. A rotation leaves white noise white, so the noisier
half of the denoising is as good as before at once; training mends the rest.
"""
import argparse
import glob
import json
import os

import torch
from safetensors.torch import load_file

from render import Renderer
from scaled_fp8 import dequantise
from scenes import SceneSource, load_sprites
from session import SPRITES, save, say
from train_t2v import load_vae
from vae_model import VAE


def patches(z):
    b, c, t, h, w = z.shape
    return z.view(b, c, t, h // 2, 2, w // 2, 2).permute(0, 2, 3, 5, 1, 4, 6).reshape(-1, c * 4).double()


def load_folder(folder):
    tensors = {}
    for path in glob.glob(f"{folder}/*.safetensors"):
        tensors.update(load_file(path))
    return dequantise(tensors, torch.float32)


@torch.no_grad()
def main():
    p = argparse.ArgumentParser()
    p.add_argument("--vae", required=True)
    p.add_argument("--model", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--clips", type=int, default=18)
    a = p.parse_args()
    with open(f"{a.model}/vae/config.json") as f:
        config = json.load(f)
    before = VAE()
    before.load_state_dict(load_folder(f"{a.model}/vae"))
    before_mean, before_std = (torch.tensor(config[k]).view(1, 16, 1, 1, 1) for k in ("latents_mean", "latents_std"))
    now, mean, std = load_vae(a.vae, "cpu")
    mean, std = mean.view(1, 16, 1, 1, 1), std.view(1, 16, 1, 1, 1)
    sprites, variants = load_sprites(SPRITES)
    scenes, renderer, pairs = SceneSource(variants, 17), Renderer(sprites, "cpu", seed=3), ([], [])
    for _ in range(a.clips // 3):
        batch = {k: torch.as_tensor(v) for k, v in scenes.batch(3).items()}
        clips, _ = renderer.render(batch, torch.arange(17)[None].expand(3, 17))
        pairs[0].append(patches((now.encode(clips)[0] - mean) / std))
        pairs[1].append(patches((before.encode(clips)[0] - before_mean) / before_std))
    new, old = (torch.cat(x) for x in pairs)
    u, _, vh = torch.linalg.svd(old.T @ new)
    rotation = u @ vh  # old = rotation · new
    say(f"unexplained by the rotation: {float((old - new @ rotation.T).pow(2).sum() / old.pow(2).sum()):.2f}")
    tensors = load_folder(f"{a.model}/transformer")
    first = tensors["patch_embedding.weight"]
    tensors["patch_embedding.weight"] = (first.flatten(1).double() @ rotation).float().view(first.shape)
    order = torch.arange(64).view(16, 2, 2).permute(1, 2, 0).reshape(-1)  # proj_out counts (row, column, channel)
    for name in ("proj_out.weight", "proj_out.bias"):
        by_channel = torch.empty_like(tensors[name]).double()
        by_channel[order] = tensors[name].double()
        tensors[name] = (rotation.T @ by_channel)[order].float()
    os.makedirs(a.out, exist_ok=True)
    save(f"{a.out}/transformer_0.safetensors", tensors, torch.bfloat16)
    save(f"{a.out}/text_encoder_0.safetensors", load_folder(f"{a.model}/text_encoder"), torch.bfloat16)


if __name__ == "__main__":
    main()
