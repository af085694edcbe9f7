#!/usr/bin/env python3
"""make_checkpoint.py COMPONENT FOLDER: a component in diffusers' or transformers' layout of an official configuration with
random weights, so that the real loader and the real shapes are timed where no checkpoint can be downloaded. make_pipeline.py
puts several together."""
import json
import math
import pathlib
import sys

import torch
from safetensors.torch import save_file

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
WAN = dict(_class_name="WanTransformer3DModel", patch_size=[1, 2, 2], in_channels=16, out_channels=16, text_dim=4096,
           freq_dim=256, attention_head_dim=128, cross_attn_norm=True, qk_norm="rms_norm_across_heads", eps=1e-6,
           rope_max_seq_len=1024, image_dim=None, added_kv_proj_dim=None, pos_embed_seq_len=None)
COGVIDEOX = dict(_class_name="CogVideoXTransformer3DModel")  # whose defaults are 2b's
CONFIGS = {
    "animatediff-motion": {"_class_name": "MotionAdapter"},  # whose defaults are v2's
    "animatediff-unet": dict(_class_name="UNet2DConditionModel", sample_size=64, cross_attention_dim=768, attention_head_dim=8),
    "cogvideox-2b": COGVIDEOX,
    "cogvideox-5b": COGVIDEOX | dict(num_attention_heads=48, num_layers=42, use_rotary_positional_embeddings=True),
    "cogvideox-2b-vae": {"_class_name": "AutoencoderKLCogVideoX"},
    "cogvideox-5b-vae": {"_class_name": "AutoencoderKLCogVideoX", "scaling_factor": 0.7},
    "sd35-large": dict(_class_name="SD3Transformer2DModel", sample_size=128, num_layers=38, num_attention_heads=38,
                       caption_projection_dim=2432, pooled_projection_dim=2048, pos_embed_max_size=192, qk_norm="rms_norm"),
    "sd35-medium": dict(_class_name="SD3Transformer2DModel", sample_size=128, num_layers=24, num_attention_heads=24,
                        caption_projection_dim=1536, pooled_projection_dim=2048, pos_embed_max_size=384, qk_norm="rms_norm",
                        dual_attention_layers=list(range(13))),
    "svd-unet": {"_class_name": "UNetSpatioTemporalConditionModel"},  # whose defaults are XT's
    "svd-vae": dict(_class_name="AutoencoderKLTemporalDecoder", block_out_channels=[128, 256, 512, 512], layers_per_block=2,
                    down_block_types=["DownEncoderBlock2D"] * 4),
    "wan-1.3b": WAN | dict(num_attention_heads=12, num_layers=30, ffn_dim=8960),
    "wan-14b": WAN | dict(num_attention_heads=40, num_layers=40, ffn_dim=13824),
    "wan-5b": WAN | dict(num_attention_heads=24, num_layers=30, ffn_dim=14336, in_channels=48, out_channels=48),
    "wan-vae": {"_class_name": "AutoencoderKLWan"},
    "wan22-vae": {"_class_name": "AutoencoderKLWan"}
                 | json.loads((FIXTURES / "vae/wan22_parameters.json").read_text())["config"],
    "t5-xxl": {"_class_name": "T5EncoderModel"} | json.loads((FIXTURES / "text/t5-xxl-config.json").read_text()),
    "umt5-xxl": {"_class_name": "UMT5EncoderModel"} | json.loads((FIXTURES / "text/umt5-xxl-config.json").read_text()),
}
SHARD_BYTES = 5 << 30


def parameters(config):
    """Name and shape of every parameter, and the whole configuration: the reference's own, on the meta device."""
    name = config["_class_name"]
    with torch.device("meta"):
        if "T5" in name:
            import transformers

            made_of = transformers.AutoConfig.for_model(**{k: v for k, v in config.items() if k != "_class_name"})
            model = getattr(transformers, name)(made_of)
            shapes = {key: tuple(value.shape) for key, value in model.state_dict().items()}
            return {key: shape for key, shape in shapes.items() if key != "encoder.embed_tokens.weight"}, made_of.to_dict()
        import diffusers

        model = getattr(diffusers, name).from_config(config)
    return {key: tuple(value.shape) for key, value in model.state_dict().items()}, dict(model.config)


def random_value(name, shape, device, generator):
    value = torch.randn(shape, device=device, generator=generator)
    if name.endswith("gamma") or "norm" in name and name.endswith("weight") and len(shape) == 1:
        return 1 + 0.02 * value
    if "embed_tokens" in name or name == "shared.weight":
        return value
    return value / math.sqrt(math.prod(shape[1:])) if len(shape) > 1 else 0.02 * value


def write(kind, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    shapes, config = parameters(CONFIGS[kind])
    (folder / "config.json").write_text(json.dumps({"_class_name": CONFIGS[kind]["_class_name"]} | config, default=str))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    generator = torch.Generator(device).manual_seed(1)
    dtype = torch.float32 if kind.endswith("vae") else torch.bfloat16
    shards, sizes = [{}], [0]
    for name, shape in shapes.items():
        value = random_value(name, shape, device, generator).to(dtype).cpu()
        if sizes[-1] + value.nbytes > SHARD_BYTES:
            shards.append({})
            sizes.append(0)
        shards[-1][name] = value
        sizes[-1] += value.nbytes
    stem = "model" if "T5" in CONFIGS[kind]["_class_name"] else "diffusion_pytorch_model"
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
    write(*sys.argv[1:])
