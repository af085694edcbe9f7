"""Stage 4: the trained weights as a model folder.

python3 export.py --work DIR --out FOLDER            what ReelGrid ships: transformer and text encoder in scaled FP8
python3 export.py --work DIR --out FOLDER --plain 1  the same weights dequantised to bf16: loads in diffusers' WanPipeline
Tokenizer, scheduler and configs are copied from --base; no file grows past 15 MB.
"""
import argparse
import json
import os
import shutil

import torch
from safetensors.torch import load_file, save_file

import transformer_model
from scaled_fp8 import dequantise, quantise
from session import HERE, say
from train_t2v import load_vae, read
from vae_model import VAE

LARGEST_FILE = 13_000_000


def write(folder, stem, tensors):
    """One file, or shards and their index as diffusers and transformers write them."""
    os.makedirs(folder, exist_ok=True)
    for old in os.listdir(folder):
        if ".safetensors" in old:
            os.remove(os.path.join(folder, old))
    shards, size = [{}], 0
    for name, tensor in tensors.items():
        bytes_ = tensor.numel() * tensor.element_size()
        if size + bytes_ > LARGEST_FILE:
            shards.append({})
            size = 0
        shards[-1][name] = tensor
        size += bytes_
    if len(shards) == 1:
        save_file(shards[0], f"{folder}/{stem}.safetensors", metadata={"format": "pt"})
        return
    index = {"metadata": {"total_size": sum(t.numel() * t.element_size() for t in tensors.values())}, "weight_map": {}}
    for i, shard in enumerate(shards):
        name = f"{stem}-{i + 1:05d}-of-{len(shards):05d}.safetensors"
        save_file(shard, f"{folder}/{name}", metadata={"format": "pt"})
        index["weight_map"] |= {k: name for k in shard}
    with open(f"{folder}/{stem}.safetensors.index.json", "w") as f:
        json.dump(index, f, indent=1, sort_keys=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--base", default=os.path.join(HERE, "..", "wan-demo"))
    p.add_argument("--plain", type=int, default=0)
    a = p.parse_args()
    transformer, text_encoder = transformer_model.Transformer(), transformer_model.make_text_encoder()
    read(a.work, transformer, text_encoder)
    vae, mean, std = load_vae(f"{a.work}/vae.safetensors", "cpu")
    if os.path.abspath(a.base) != os.path.abspath(a.out):
        shutil.copytree(a.base, a.out, ignore=shutil.ignore_patterns("*.safetensors*"), dirs_exist_ok=True)
    words = {k: v for k, v in text_encoder.state_dict().items() if k not in ("encoder.embed_tokens.weight", "shared.weight")}
    words["shared.weight"] = text_encoder.shared.weight.detach()
    for folder, stem, tensors in (("transformer", "diffusion_pytorch_model", transformer.state_dict()),
                                  ("text_encoder", "model", words)):
        stored = quantise(tensors)
        if a.plain:
            stored = dequantise(stored)
        if folder == "text_encoder":  # readers look for it under either name
            stored["encoder.embed_tokens.weight"] = stored["shared.weight"].clone()
        write(f"{a.out}/{folder}", stem, stored)
    write(f"{a.out}/vae", "diffusion_pytorch_model", {k: v.half().contiguous() for k, v in vae.state_dict().items()})
    with open(f"{a.out}/vae/config.json") as f:
        config = json.load(f)
    config |= VAE.CONFIG | {"latents_mean": [round(v, 6) for v in mean.tolist()], "latents_std": [round(v, 6) for v in std.tolist()]}
    with open(f"{a.out}/vae/config.json", "w") as f:
        json.dump(config, f, indent=2, sort_keys=True)
        f.write("\n")
    total = sum(os.path.getsize(os.path.join(d, n)) for d, _, names in os.walk(a.out) for n in names)
    say(f"{a.out}: {total / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
