#!/usr/bin/env python3
"""reference.py transformer|vae FOLDER [eager|compiled|per-token …] [HEIGHTxWIDTHxFRAMES]: diffusers' times on the same
component folder, one JSON line a row like reelgrid_gpu_benchmark's. Without a size 480×832, 81 frames, in eighths; bf16
(the VAE in fp32 as PyTorch multiplies it by default, which rounds convolutions to TF32, and bf16). per-token: compiled,
with a timestep for every token, as diffusers calls TI2V-5B."""
import json
import sys

import diffusers
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

diffusers.logging.set_verbosity_error()


def median(work, repetitions=3, warm_up=2):
    for _ in range(warm_up):
        work()
    times = []
    for _ in range(repetitions):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def row(**values):
    values["peak_GiB"] = round(torch.cuda.max_memory_allocated() / 2**30, 2)
    print(json.dumps({"who": f"diffusers {diffusers.__version__}"} | values), flush=True)
    torch.cuda.reset_peak_memory_stats()


@torch.inference_mode()
def transformer(folder, modes):
    model = diffusers.WanTransformer3DModel.from_pretrained(folder, torch_dtype=torch.bfloat16).to("cuda").eval()
    sizes = [mode for mode in modes if "x" in mode]
    height, width, frames = map(int, (sizes or ["480x832x81"])[0].split("x"))
    grid = (frames - 1) // 4 + 1, height // 8, width // 8
    latents = torch.randn(1, model.config.in_channels, *grid, device="cuda", dtype=torch.bfloat16)
    text = torch.randn(1, 512, model.config.text_dim, device="cuda", dtype=torch.bfloat16)
    for mode in modes:
        if mode in sizes:
            continue
        tokens = grid[0] * grid[1] * grid[2] // 4
        step = torch.full((1, tokens) if mode == "per-token" else (1,), 700, device="cuda")
        run = model if mode == "eager" else torch.compile(model)
        backends = [SDPBackend.CUDNN_ATTENTION] + ([SDPBackend.FLASH_ATTENTION] if mode == "eager" else [])
        for backend in backends:
            with sdpa_kernel(backend):
                torch.cuda.reset_peak_memory_stats()
                ms = median(lambda: run(latents, step, text, return_dict=False))
            row(what=f"forward {mode}", attention=backend.name.split("_")[0].lower(), ms=round(ms, 1))


@torch.inference_mode()
def vae(folder, modes):
    for dtype in (torch.float32, torch.bfloat16):
        model = diffusers.AutoencoderKLWan.from_pretrained(folder, torch_dtype=dtype).to("cuda").eval()
        z = torch.randn(1, 16, 21, 60, 104, device="cuda", dtype=dtype)
        clip = torch.rand(1, 3, 81, 480, 832, device="cuda", dtype=dtype) * 2 - 1
        torch.cuda.reset_peak_memory_stats()
        name = "fp32 (tf32 convolutions)" if dtype == torch.float32 else "bf16"
        row(what="decode", dtype=name, ms=round(median(lambda: model.decode(z, return_dict=False), 2, 1), 1))
        row(what="encode", dtype=name, ms=round(median(lambda: model.encode(clip, return_dict=False), 2, 1), 1))
        if dtype == torch.float32 and "ieee" in modes:
            torch.backends.cudnn.conv.fp32_precision = "ieee"
            row(what="decode", dtype="fp32 (ieee)", ms=round(median(lambda: model.decode(z, return_dict=False), 1, 1), 1))
            torch.backends.cudnn.conv.fp32_precision = "tf32"
        del model


if __name__ == "__main__":
    {"transformer": transformer, "vae": vae}[sys.argv[1]](sys.argv[2], sys.argv[3:] or ["eager"])
