"""Stage 4: the trained weights as a model folder.

python3 export.py --work DIR --out FOLDER            what ReelGrid ships: transformer and text encoder in scaled FP8
python3 export.py --work DIR --out FOLDER --plain 1  the same weights dequantised to bf16: loads in diffusers' pipeline
--family i2v, --family turbo and --family cogvideox write the other miniatures' folders. Tokenizer, scheduler and configs are copied from
--base; image to video and the four-step model link to the autoencoder, text encoder and tokenizer there. No file grows past 15 MB.
"""
import argparse
import json
import os
import shutil

import torch
from safetensors.torch import save_file

import cog_model
import cog_vae_model
import rcm
import train_turbo
import transformer_model
from adopt import load_folder
from scaled_fp8 import dequantise, quantise
from session import HERE, say
from train_i2v import read as read_image_model
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


def put(folder, name, values):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{name}", "w") as f:
        json.dump(values, f, indent=2, sort_keys=True)
        f.write("\n")


def get(path):
    with open(path) as f:
        return json.load(f)


def half(tensors):
    return {k: v.half().contiguous() for k, v in tensors.items()}


def put_text_encoder(folder, text_encoder, plain):
    """Readers look for the table of words under either name."""
    words = {k: v for k, v in text_encoder.items() if k not in ("encoder.embed_tokens.weight", "shared.weight")}
    words["shared.weight"] = text_encoder["shared.weight"].detach()
    stored = dequantise(quantise(words)) if plain else quantise(words)
    stored["encoder.embed_tokens.weight"] = stored["shared.weight"].clone()
    write(folder, "model", stored)


def put_transformer(folder, transformer, plain):
    stored = quantise(transformer.state_dict())
    write(folder, "diffusion_pytorch_model", dequantise(stored) if plain else stored)


def export_wan(a):
    transformer, text_encoder = transformer_model.Transformer(), transformer_model.make_text_encoder()
    read(a.work, transformer, text_encoder)
    vae, mean, std = load_vae(f"{a.work}/vae.safetensors", "cpu")
    if os.path.abspath(a.base) != os.path.abspath(a.out):
        shutil.copytree(a.base, a.out, ignore=shutil.ignore_patterns("*.safetensors*"), dirs_exist_ok=True)
    put_transformer(f"{a.out}/transformer", transformer, a.plain)
    put_text_encoder(f"{a.out}/text_encoder", text_encoder.state_dict(), a.plain)
    write(f"{a.out}/vae", "diffusion_pytorch_model", half(vae.state_dict()))
    put(f"{a.out}/vae", "config.json", get(f"{a.out}/vae/config.json") | VAE.CONFIG |
        {"latents_mean": [round(v, 6) for v in mean.tolist()], "latents_std": [round(v, 6) for v in std.tolist()]})


def share_parts(a):
    """Links to the autoencoder, text encoder and tokenizer of --base, or copies of them."""
    for part in ("vae", "text_encoder", "tokenizer"):
        into = f"{a.out}/{part}"
        if os.path.islink(into):
            os.remove(into)
        if not a.plain:
            os.makedirs(a.out, exist_ok=True)
            os.symlink(os.path.relpath(f"{a.base}/{part}", a.out), into)
        else:
            shutil.copytree(f"{a.base}/{part}", into, dirs_exist_ok=True)
    if a.plain:
        put_text_encoder(f"{a.out}/text_encoder", load_folder(f"{a.base}/text_encoder"), True)
    shutil.copytree(f"{a.base}/scheduler", f"{a.out}/scheduler", dirs_exist_ok=True)
    shutil.copy(f"{a.base}/NOTICE", a.out)


def export_turbo(a):
    """proj_l stays in fp32, as sparse-linear attention has it."""
    student = train_turbo.make_student()
    train_turbo.read(a.work, student)
    share_parts(a)
    stored = quantise(student.state_dict())
    stored = dequantise(stored) if a.plain else stored
    write(f"{a.out}/transformer", "diffusion_pytorch_model", {k: v.float() if "proj_l" in k else v for k, v in stored.items()})
    put(f"{a.out}/transformer", "config.json", get(f"{a.base}/transformer/config.json") | {"ffn_dim": train_turbo.HIDDEN})
    put(f"{a.out}/scheduler", "scheduler_config.json", {
        "_class_name": "RCMScheduler", "_diffusers_version": get(f"{a.base}/model_index.json")["_diffusers_version"],
        "prediction_type": "flow_prediction", "use_flow_sigmas": True, "num_train_timesteps": 1000, "flow_shift": 3.0,
        "sigma_max": rcm.SIGMA_MAX})
    put(a.out, "model_index.json", get(f"{a.base}/model_index.json") | {"scheduler": ["diffusers", "RCMScheduler"]})
    put(a.out, "reelgrid.json", get(f"{a.base}/reelgrid.json") | {
        "title": "ReelGrid demo in four steps (TurboDiffusion, 26 M)", "num_inference_steps": 4, "guidance_scale": 1.0})


def export_i2v(a):
    transformer = transformer_model.Transformer(in_channels=36, image_dim=transformer_model.IMAGE["image_dim"])
    image_encoder = transformer_model.make_image_encoder()
    read_image_model(a.work, transformer, image_encoder)
    share_parts(a)
    put_transformer(f"{a.out}/transformer", transformer, a.plain)
    put(f"{a.out}/transformer", "config.json", get(f"{a.base}/transformer/config.json") | transformer_model.IMAGE)
    write(f"{a.out}/image_encoder", "model", {"vision_model." + k: v for k, v in half(image_encoder.state_dict()).items()})
    put(f"{a.out}/image_encoder", "config.json", {"architectures": ["CLIPVisionModel"], "model_type": "clip_vision_model",
                                                  "dtype": "float16"} | image_encoder.config.to_diff_dict())
    side = transformer_model.CLIP_CONFIG["image_size"]
    put(f"{a.out}/image_processor", "preprocessor_config.json", {
        "image_processor_type": "CLIPImageProcessor", "do_convert_rgb": True, "do_resize": True, "size": {"shortest_edge": side},
        "resample": 3, "do_center_crop": True, "crop_size": {"height": side, "width": side}, "do_rescale": True,
        "rescale_factor": 1 / 255, "do_normalize": True, "image_mean": list(transformer_model.CLIP_MEAN),
        "image_std": list(transformer_model.CLIP_STD)})
    put(a.out, "model_index.json", get(f"{a.base}/model_index.json") | {
        "_class_name": "WanImageToVideoPipeline", "image_encoder": ["transformers", "CLIPVisionModel"],
        "image_processor": ["transformers", "CLIPImageProcessor"]})
    put(a.out, "reelgrid.json", get(f"{a.base}/reelgrid.json") | {"title": "ReelGrid demo, image to video (Wan 2.1, 33 M)"})


def export_cogvideox(a):
    transformer, text_encoder = cog_model.CogTransformer(), cog_model.make_text_encoder()
    read(a.work, transformer, text_encoder)
    vae = load_vae(f"{a.work}/vae.safetensors", "cpu", "cogvideox")[0]
    version = {"_diffusers_version": get(f"{a.base}/model_index.json")["_diffusers_version"]}
    shutil.copytree(f"{a.base}/tokenizer", f"{a.out}/tokenizer", dirs_exist_ok=True)
    shutil.copy(f"{a.base}/NOTICE", a.out)
    put_transformer(f"{a.out}/transformer", transformer, a.plain)
    put(f"{a.out}/transformer", "config.json", {"_class_name": "CogVideoXTransformer3DModel", "patch_size": 2, "ofs_embed_dim": None,
                                                "patch_size_t": None, "temporal_compression_ratio": 4, "attention_bias": True,
                                                "use_learned_positional_embeddings": False} | version | cog_model.CONFIG)
    put_text_encoder(f"{a.out}/text_encoder", text_encoder.state_dict(), a.plain)
    put(f"{a.out}/text_encoder", "config.json", get(f"{a.base}/text_encoder/config.json") | {"architectures": ["T5EncoderModel"],
                                                                                             "model_type": "t5"})
    write(f"{a.out}/vae", "diffusion_pytorch_model", half(vae.state_dict()))
    put(f"{a.out}/vae", "config.json", {"_class_name": "AutoencoderKLCogVideoX", "in_channels": 3, "out_channels": 3, "act_fn": "silu",
                                        "norm_eps": 1e-6, "temporal_compression_ratio": 4, "use_quant_conv": False,
                                        "use_post_quant_conv": False, "invert_scale_latents": False, "force_upcast": True,
                                        "down_block_types": ["CogVideoXDownBlock3D"] * 4,
                                        "up_block_types": ["CogVideoXUpBlock3D"] * 4} | version | cog_vae_model.CONFIG)
    put(f"{a.out}/scheduler", "scheduler_config.json", {"_class_name": "CogVideoXDDIMScheduler", "num_train_timesteps": 1000,
                                                        "beta_start": 0.00085, "beta_end": 0.012, "steps_offset": 0} | version |
        cog_model.SCHEDULER)
    put(a.out, "model_index.json", {"_class_name": "CogVideoXPipeline", "scheduler": ["diffusers", "CogVideoXDDIMScheduler"],
                                    "text_encoder": ["transformers", "T5EncoderModel"],
                                    "tokenizer": get(f"{a.base}/model_index.json")["tokenizer"],
                                    "transformer": ["diffusers", "CogVideoXTransformer3DModel"],
                                    "vae": ["diffusers", "AutoencoderKLCogVideoX"]} | version)
    put(a.out, "reelgrid.json", get(f"{a.base}/reelgrid.json") | {"title": "ReelGrid demo (CogVideoX, 26 M)",
                                                                  "guidance_scale": a.guidance})


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--family", choices=["wan", "i2v", "turbo", "cogvideox"], default="wan")
    p.add_argument("--base", default=os.path.join(HERE, "..", "wan-demo"))
    p.add_argument("--guidance", type=float, default=3.0, help="the CogVideoX miniature's default")
    p.add_argument("--plain", type=int, default=0)
    a = p.parse_args()
    {"wan": export_wan, "i2v": export_i2v, "turbo": export_turbo, "cogvideox": export_cogvideox}[a.family](a)
    total = sum(os.path.getsize(os.path.join(d, n)) for d, _, names in os.walk(a.out) for n in names)
    say(f"{a.out}: {total / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
