#!/usr/bin/env python3
"""Fits the linear map from a VAE's latents to colours that the live preview uses.

    fit_latent_colors.py --reelgrid-cli build/release/bin/reelgrid-cli --model demo --clips FOLDER -o wan-demo.json

Renders the prompts below with the model, unless FOLDER has the clips already, and solves least squares for
rgb = weights^T latent + bias: one equation a latent, its colour being the mean of the pixels and frames that the
latent stands for (8x8 pixels; the first latent frame one frame, every later one four). Prompts of HELD_OUT are
not fitted: the figures of the JSON are theirs. Needs numpy, safetensors and ffmpeg.
"""
import argparse
import json
import pathlib
import subprocess

import numpy as np
from safetensors.numpy import load_file

FITTED = [
    "a red heart growing bigger in a blue sky",
    "a penguin walking to the right on a beach",
    "a watermelon falling on a beach",
    "a rocket launching in space",
    "a ghost moving in a circle in the night sky",
    "a red car driving to the right on a beach",
    "a green ball bouncing in a park",
    "a unicorn running to the right in a meadow",
    "a yellow car driving to the left in a city",
    "a purple ball falling in a forest",
    "a white cat jumping in a desert",
    "an orange fish moving to the left in the sea",
]
HELD_OUT = [
    "a blue ball rolling to the right in a desert",
    "a pink heart bouncing in the night sky",
    "a green car driving to the right in a meadow",
    "a dog running to the left in a park",
]
STEPS, FRAMES = 10, 17


def render(cli, model, prompt, clip):
    if not clip.exists():
        subprocess.run([cli, "render", "--model", model, "--prompt", prompt, "--num-inference-steps", str(STEPS),
                        "--num-frames", str(FRAMES), "--output", str(clip)], check=True)


def frames_of(clip, width, height):
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", str(clip), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                         check=True, capture_output=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3).astype(np.float64) / 255


def pairs_of(clip):
    """Latents [N, C] and the colours [N, 3] that they stand for."""
    folder = clip.with_suffix(".files")
    latents = load_file(folder / "latents.safetensors")["latents"][0].astype(np.float64)  # C, T, H, W
    manifest = json.loads((folder / "manifest.json").read_text())
    settings = manifest["settings"]
    frames = frames_of(clip, settings["width"], settings["height"])
    channels, times, rows, columns = latents.shape
    block_y, block_x = settings["height"] // rows, settings["width"] // columns
    colors = []
    for t in range(times):
        mine = frames[:1] if t == 0 else frames[4 * t - 3:4 * t + 1]
        blocks = mine.reshape(len(mine), rows, block_y, columns, block_x, 3)
        colors.append(blocks.mean(axis=(0, 2, 4)))
    return latents.reshape(channels, -1).T, np.stack(colors).reshape(-1, 3), manifest["model"]["hashes"]["vae"]


def gather(args, prompts, name):
    latents, colors, hashes = [], [], set()
    for i, prompt in enumerate(prompts):
        clip = args.clips / f"{name}{i:02}.mp4"
        render(args.reelgrid_cli, args.model, prompt, clip)
        x, y, vae = pairs_of(clip)
        latents.append(x), colors.append(y), hashes.add(vae)
    assert len(hashes) == 1, "clips of several VAEs"
    return np.concatenate(latents), np.concatenate(colors), hashes.pop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reelgrid-cli", required=True)
    parser.add_argument("--model", default="demo")
    parser.add_argument("--clips", type=pathlib.Path, required=True)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    args = parser.parse_args()
    args.clips.mkdir(parents=True, exist_ok=True)
    latents, colors, vae = gather(args, FITTED, "fitted")
    design = np.hstack([latents, np.ones((len(latents), 1))])
    solution, *_ = np.linalg.lstsq(design, colors, rcond=None)
    held, wanted, other = gather(args, HELD_OUT, "held")
    assert other == vae
    got = np.clip(np.hstack([held, np.ones((len(held), 1))]) @ solution, 0, 1)
    error = got - wanted
    spread = ((wanted - wanted.mean(axis=0)) ** 2).sum()
    figures = {"latents_fitted": len(latents), "latents_held_out": len(held),
               "held_out_rmse": round(float(np.sqrt((error ** 2).mean())), 4),
               "held_out_r2": round(float(1 - (error ** 2).sum() / spread), 4)}
    document = {"vae_sha256": vae, "weights": np.round(solution[:-1], 6).tolist(),
                "bias": np.round(solution[-1], 6).tolist(), "figures": figures}
    text = json.dumps(document).replace('"weights": [', '"weights": [\n  ').replace("], [", "],\n  [")
    args.output.write_text(text.replace('"bias"', '\n"bias"').replace('"figures"', '\n"figures"') + "\n")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
