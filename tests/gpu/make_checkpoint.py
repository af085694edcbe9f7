#!/usr/bin/env python3
"""make_checkpoint.py wan-1.3b|wan-14b|wan-5b|wan-vae FOLDER: a diffusers component of the official configuration with random
weights, so that the real loader and the real shapes are timed where no checkpoint can be downloaded."""
import json
import math
import pathlib
import sys

import torch
from safetensors.torch import save_file

WAN = dict(_class_name="WanTransformer3DModel", patch_size=[1, 2, 2], in_channels=16, out_channels=16, text_dim=4096,
           freq_dim=256, attention_head_dim=128, cross_attn_norm=True, qk_norm="rms_norm_across_heads", eps=1e-6,
           rope_max_seq_len=1024, image_dim=None, added_kv_proj_dim=None, pos_embed_seq_len=None)
CONFIGS = {
    "wan-1.3b": WAN | dict(num_attention_heads=12, num_layers=30, ffn_dim=8960),
    "wan-14b": WAN | dict(num_attention_heads=40, num_layers=40, ffn_dim=13824),
    "wan-5b": WAN | dict(num_attention_heads=24, num_layers=30, ffn_dim=14336, in_channels=48, out_channels=48),
    "wan-vae": {"_class_name": "AutoencoderKLWan"},
}
SHARD_BYTES = 5 << 30


def parameters(config):
    """Name and shape of every parameter: diffusers' own, on the meta device."""
    import diffusers

    with torch.device("meta"):
        model = getattr(diffusers, config["_class_name"]).from_config(config)
    return {name: tuple(value.shape) for name, value in model.state_dict().items()}, dict(model.config)


def main(kind, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    shapes, config = parameters(CONFIGS[kind])
    (folder / "config.json").write_text(json.dumps({"_class_name": CONFIGS[kind]["_class_name"]} | config, default=str))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    generator = torch.Generator(device).manual_seed(1)
    dtype = torch.float32 if kind == "wan-vae" else torch.bfloat16
    shards, sizes = [{}], [0]
    for name, shape in shapes.items():
        value = torch.randn(shape, device=device, generator=generator)
        if name.endswith("gamma") or "norm" in name and name.endswith("weight"):
            value = 1 + 0.02 * value
        elif len(shape) > 1:
            value /= math.sqrt(math.prod(shape[1:]))
        else:
            value *= 0.02
        value = value.to(dtype).cpu()
        if sizes[-1] + value.nbytes > SHARD_BYTES:
            shards.append({})
            sizes.append(0)
        shards[-1][name] = value
        sizes[-1] += value.nbytes
    stem = "diffusion_pytorch_model"
    if len(shards) == 1:
        save_file(shards[0], folder / f"{stem}.safetensors")
        return
    index = {}
    for number, shard in enumerate(shards, 1):
        file = f"{stem}-{number:05}-of-{len(shards):05}.safetensors"
        save_file(shard, folder / file)
        index |= dict.fromkeys(shard, file)
    (folder / f"{stem}.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": sum(sizes)}, "weight_map": index}))


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in CONFIGS:
        sys.exit(f"make_checkpoint.py: one of {', '.join(CONFIGS)} and a folder were needed")
    main(*sys.argv[1:])
