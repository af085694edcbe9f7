"""The trained parts as model folders in diffusers' layout.

python3 model_folders.py --form sd15|sd35 --work DIR --words TOKENIZER --out FOLDER
what ReelGrid ships: matrices and kernels in scaled FP8, the rest in fp16; --plain 1: the same weights as fp16, which diffusers' pipelines load
"""
import argparse
import json
import os
import shutil

import base
import clip_words
import image_vae
import text
import torch
from base import HERE, SHARED
from safetensors.torch import load_file, save_file
from scaled_fp8 import LARGEST, dequantise
from session import say
from train_image import SCHEDULE, make_motion, make_unet, read

DIFFUSERS = "0.40.0"
SMALLEST, LARGEST_FILE = 16384, 13_000_000
AS_THEY_ARE = ("embedding", "conv_in", "conv_out", "pos_embed", ".pe")


def stored(tensors, smallest=SMALLEST):
    """Matrices and kernels X.weight in F8_E4M3 beside X.scale_weight; the rest, and what touches latents or words, in fp16."""
    out = {"scaled_fp8": torch.empty(0, dtype=torch.float8_e4m3fn)}
    for name, tensor in tensors.items():
        w = tensor.detach().float().cpu()
        if not name.endswith(".weight") or w.dim() < 2 or w.numel() < smallest or any(k in name for k in AS_THEY_ARE):
            out[name] = w.half().contiguous()
            continue
        scale = (w.abs().max() / LARGEST).clamp_min(1e-12)
        out[name] = (w / scale).clamp(-LARGEST, LARGEST).to(torch.float8_e4m3fn).contiguous()
        out[name.removesuffix("weight") + "scale_weight"] = scale.reshape(())
    return out


def put(folder, name, values):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{name}", "w") as f:
        json.dump(values, f, indent=2, sort_keys=True)
        f.write("\n")


def put_weights(folder, stem, tensors, plain, always_half=False, smallest=SMALLEST):
    os.makedirs(folder, exist_ok=True)
    tensors = {k: v.half().contiguous() for k, v in tensors.items()} if always_half else stored(tensors, smallest)
    if plain and not always_half:
        tensors = dequantise(tensors, torch.float16)
    size = sum(t.numel() * t.element_size() for t in tensors.values())
    if size <= LARGEST_FILE or plain:
        save_file(tensors, f"{folder}/{stem}.safetensors", metadata={"format": "pt"})
        return
    raise SystemExit(f"{folder}: {size} bytes in one file, at most {LARGEST_FILE} wanted")


def put_model(a, part, model, tensors, always_half=False, smallest=SMALLEST):
    """The model's config, and its weights with every buffer that it keeps."""
    missing, unknown = model.load_state_dict(tensors, strict=False)
    assert not unknown, unknown[:3]
    kept = model.state_dict()
    assert all(k not in dict(model.named_parameters()) for k in missing), missing[:3]
    folder = f"{a.out}/{part}"
    if hasattr(model, "save_config"):
        model.save_config(folder)
        with open(f"{folder}/config.json") as f:
            config = json.load(f)
        config["_diffusers_version"] = DIFFUSERS
        config.pop("_name_or_path", None)
        put(folder, "config.json", config)
        put_weights(folder, "diffusion_pytorch_model", kept, a.plain, always_half, smallest)
    else:
        kept = {k if k.startswith("text_") else f"text_model.{k}": v for k, v in kept.items()}  # the published checkpoints' names
        put(folder, "config.json", {"architectures": [type(model).__name__], "dtype": "float16"} | model.config.to_diff_dict())
        put_weights(folder, "model", kept, a.plain, always_half)


def put_tokenizer(a, part, pad):
    words = clip_words.Words(a.words)
    with open(f"{a.words}/vocab.json") as f:
        vocabulary = json.load(f)
    clip_words.write(f"{a.out}/{part}", vocabulary, words.merges, pad)


def put_scheduler(a, scheduler):
    scheduler.save_config(f"{a.out}/scheduler")
    with open(f"{a.out}/scheduler/scheduler_config.json") as f:
        config = json.load(f)
    put(f"{a.out}/scheduler", "scheduler_config.json", config | {"_diffusers_version": DIFFUSERS})


def put_index(a, name, parts, defaults):
    put(a.out, "model_index.json", {"_class_name": name, "_diffusers_version": DIFFUSERS} | {k: list(v) for k, v in parts.items()})
    shutil.copy(f"{SHARED}/NOTICE", f"{a.out}/NOTICE")
    put(a.out, "reelgrid.json", defaults)


def defaults(a, title):
    return {"title": title, "width": base.WIDTH, "height": base.HEIGHT, "num_frames": base.FRAMES, "fps": 8, "num_inference_steps": 20,
            "guidance_scale": a.guidance, "negative_prompt": ""}


def export_sd15(a):
    from diffusers import DDIMScheduler
    pieces = clip_words.Words(a.words).end + 1
    put_tokenizer(a, "tokenizer", clip_words.END)
    put_model(a, "text_encoder", text.make("sd15", pieces), read(a.work, "text_encoder"))
    put_model(a, "unet", make_unet(), read(a.work, "unet"))
    put_model(a, "motion_adapter", make_motion(), read(a.work, "motion"))
    put_model(a, "vae", image_vae.make("sd15"), {k: v.float() for k, v in load_file(f"{a.work}/vae_sd15.safetensors").items()}, True)
    put_scheduler(a, DDIMScheduler(clip_sample=False, steps_offset=1, timestep_spacing=a.spacing, **SCHEDULE))
    put_index(a, "AnimateDiffPipeline", {
        "unet": ("diffusers", "UNet2DConditionModel"), "motion_adapter": ("diffusers", "MotionAdapter"),
        "vae": ("diffusers", "AutoencoderKL"), "text_encoder": ("transformers", "CLIPTextModel"),
        "tokenizer": ("transformers", "CLIPTokenizer"), "scheduler": ("diffusers", "DDIMScheduler"),
        "feature_extractor": (None, None), "image_encoder": (None, None)}, defaults(a, "ReelGrid demo (AnimateDiff, 14 M)"))


def export_sd35(a):
    from diffusers import FlowMatchEulerDiscreteScheduler
    from sd35_model import SHIFT, TEMPORAL, make_temporal, make_transformer
    pieces = clip_words.Words(a.words).end + 1
    put_tokenizer(a, "tokenizer", clip_words.END)
    put_tokenizer(a, "tokenizer_2", "!")
    for part, name in (("text_encoder", "clip_l"), ("text_encoder_2", "clip_g")):
        put_model(a, part, text.make(name, pieces), read(a.work, name))
    put_model(a, "transformer", make_transformer(), read(a.work, "transformer"))
    temporal = make_temporal()
    temporal.load_state_dict(read(a.work, "temporal"))
    put_weights(f"{a.out}/temporal_module", "diffusion_pytorch_model", temporal.state_dict(), a.plain)
    put(f"{a.out}/temporal_module", "config.json", {"_class_name": "SD3TemporalModule"} | TEMPORAL)
    put_model(a, "vae", image_vae.make("sd35"), {k: v.float() for k, v in load_file(f"{a.work}/vae_sd35.safetensors").items()}, True)
    put_scheduler(a, FlowMatchEulerDiscreteScheduler(shift=SHIFT))
    for part, origin in (("text_encoder_3", "text_encoder"), ("tokenizer_3", "tokenizer")):
        target, into = f"{a.t5}/{origin}", f"{a.out}/{part}"
        if os.path.islink(into):
            os.remove(into)
        if not a.plain:
            os.symlink(os.path.relpath(target, a.out), into)
            continue
        shutil.copytree(target, into, dirs_exist_ok=True)
        if part == "text_encoder_3":
            from adopt import load_folder
            save_file({k: v.half() for k, v in load_folder(target).items()}, f"{into}/model.safetensors", metadata={"format": "pt"})
    put_index(a, "StableDiffusion3Pipeline", {
        "transformer": ("diffusers", "SD3Transformer2DModel"), "vae": ("diffusers", "AutoencoderKL"),
        **({} if a.plain else {"temporal_module": ("reelgrid", "SD3TemporalModule")}),  # diffusers knows none
        "scheduler": ("diffusers", "FlowMatchEulerDiscreteScheduler"),
        "text_encoder": ("transformers", "CLIPTextModelWithProjection"), "tokenizer": ("transformers", "CLIPTokenizer"),
        "text_encoder_2": ("transformers", "CLIPTextModelWithProjection"), "tokenizer_2": ("transformers", "CLIPTokenizer"),
        "text_encoder_3": ("transformers", "T5EncoderModel"), "tokenizer_3": ("transformers", "TokenizersBackend"),
        "image_encoder": (None, None), "feature_extractor": (None, None)},
        defaults(a, "ReelGrid demo (SD 3.5, 14 M)") | {"max_sequence_length": 77})


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--form", choices=["sd15", "sd35"], required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--words", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--t5", default=os.path.join(HERE, "..", "..", "cogvideox-demo"), help="the model folder with the T5 encoder")
    p.add_argument("--guidance", type=float, default=3.0)
    p.add_argument("--spacing", default="trailing")
    p.add_argument("--plain", type=int, default=0)
    a = p.parse_args()
    {"sd15": export_sd15, "sd35": export_sd35}[a.form](a)
    total = sum(os.path.getsize(os.path.join(d, n)) for d, _, names in os.walk(a.out) for n in names)
    say(f"{a.out}: {total / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
