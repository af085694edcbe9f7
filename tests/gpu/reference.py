#!/usr/bin/env python3
"""reference.py transformer|cogvideox|animatediff|svd|svd-vae|sd35|vae FOLDER [eager|compiled|per-token …] [HEIGHTxWIDTHxFRAMES]: diffusers' times on the same
component folder, one JSON line a row like reelgrid_gpu_benchmark's. Without a size 480×832, 81 frames, in eighths; bf16
(the VAE in fp32 as PyTorch multiplies it by default, which rounds convolutions to TF32, and bf16). per-token: compiled,
with a timestep for every token, as diffusers calls TI2V-5B. cogvideox: a guided step of 480×720, 49 frames. animatediff: FOLDER is
UNET-FOLDER,MOTION-FOLDER; a guided step of 512×512, 16 frames, fp16; svd: of 576×1024, 14 frames, fp16; sd35: of 512×512, one frame,
bf16. svd-vae: 14 frames decoded 14 and 2 at once, fp16."""
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
def cogvideox(folder, modes):
    """480×720, 49 frames, both passes of a guided step as one batch, as CogVideoXPipeline runs them."""
    import types

    dtype = torch.float16 if "2b" in str(folder) else torch.bfloat16
    model = diffusers.CogVideoXTransformer3DModel.from_pretrained(folder, torch_dtype=dtype).to("cuda").eval()
    latents = torch.randn(2, 13, 16, 60, 90, device="cuda", dtype=dtype)
    text = torch.randn(2, 226, 4096, device="cuda", dtype=dtype)
    step = torch.tensor([700, 700], device="cuda")
    rotary = None
    if model.config.use_rotary_positional_embeddings:
        pipeline = types.SimpleNamespace(transformer=model, vae_scale_factor_spatial=8)
        rotary = diffusers.CogVideoXPipeline._prepare_rotary_positional_embeddings(pipeline, 480, 720, 13, "cuda")
    for mode in modes:
        run = torch.compile(model) if mode == "compiled" else model
        for backend in [SDPBackend.CUDNN_ATTENTION] + ([SDPBackend.FLASH_ATTENTION] if mode == "eager" else []):
            with sdpa_kernel(backend):
                torch.cuda.reset_peak_memory_stats()
                ms = median(lambda: run(latents, text, step, image_rotary_emb=rotary, return_dict=False))
            row(what=f"guided forward {mode}", attention=backend.name.split("_")[0].lower(), ms=round(ms, 1))


def guided(model, modes, call):
    """A guided step, both passes as one batch: call(model) is one."""
    for mode in modes:
        run = torch.compile(model) if mode == "compiled" else model
        for backend in [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION]:
            if mode == "compiled" and backend == SDPBackend.FLASH_ATTENTION:
                continue
            # What a backend can't take goes to flash attention.
            with sdpa_kernel([backend, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION], set_priority=True):
                torch.cuda.reset_peak_memory_stats()
                ms = median(lambda: call(run), 5, 3)
            row(what=f"guided forward {mode}", attention=backend.name.split("_")[0].lower(), ms=round(ms, 1))


def randn(*shape, dtype=torch.float16):
    return torch.randn(*shape, device="cuda", dtype=dtype)


@torch.inference_mode()
def animatediff(folders, modes):
    image, motion = folders.split(",")
    image = diffusers.UNet2DConditionModel.from_pretrained(image, torch_dtype=torch.float16)
    motion = diffusers.MotionAdapter.from_pretrained(motion, torch_dtype=torch.float16)
    model = diffusers.UNetMotionModel.from_unet2d(image, motion).to("cuda", torch.float16).eval()
    # As AnimateDiffPipeline has them: the text once a frame.
    latents, text = randn(2, 4, 16, 64, 64), randn(2, 77, 768).repeat_interleave(16, 0)
    step = torch.tensor(700, device="cuda")
    guided(model, modes, lambda run: run(latents, step, encoder_hidden_states=text, return_dict=False))


@torch.inference_mode()
def svd(folder, modes):
    model = diffusers.UNetSpatioTemporalConditionModel.from_pretrained(folder, torch_dtype=torch.float16).to("cuda").eval()
    latents, picture = randn(2, 14, 8, 72, 128), randn(2, 1, 1024)
    added, step = torch.tensor([[5, 127, 0.02]] * 2, device="cuda", dtype=torch.float16), torch.tensor(1.2, device="cuda")
    guided(model, modes, lambda run: run(latents, step, encoder_hidden_states=picture, added_time_ids=added, return_dict=False))


@torch.inference_mode()
def sd35(folder, modes):
    bf16 = torch.bfloat16
    model = diffusers.SD3Transformer2DModel.from_pretrained(folder, torch_dtype=bf16).to("cuda").eval()
    latents, text, pooled = randn(2, 16, 64, 64, dtype=bf16), randn(2, 333, 4096, dtype=bf16), randn(2, 2048, dtype=bf16)
    step = torch.tensor([700, 700], device="cuda")
    guided(model, modes, lambda run: run(latents, text, pooled, step, return_dict=False))


@torch.inference_mode()
def svd_vae(folder, modes):
    model = diffusers.AutoencoderKLTemporalDecoder.from_pretrained(folder, torch_dtype=torch.float16).to("cuda").eval()
    z = randn(14, 4, 72, 128)
    for chunk in (14, 2):
        torch.cuda.reset_peak_memory_stats()
        decode = lambda: [model.decode(some, num_frames=len(some), return_dict=False) for some in z.split(chunk)]
        row(what="svd decode", chunk=chunk, ms=round(median(decode, 2, 1), 1))


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
    {"transformer": transformer, "cogvideox": cogvideox, "animatediff": animatediff, "svd": svd, "svd-vae": svd_vae,
     "sd35": sd35, "vae": vae}[sys.argv[1]](sys.argv[2], sys.argv[3:] or ["eager"])
