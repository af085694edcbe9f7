"""Scaled FP8 as checkpoints of video models use it: X.weight in F8_E4M3 beside X.scale_weight, an fp32 scalar, and an empty
tensor `scaled_fp8` that marks the file. The weight is X.weight × X.scale_weight."""
import torch

LARGEST = 448.0  # of float8_e4m3fn
SMALLEST_MATRIX = 65536  # smaller tensors, gains, biases and embeddings stay in bf16


def worth_it(name, tensor):
    table = "scale_shift_table" in name or "shared" in name or "embed_tokens" in name or "relative_attention_bias" in name
    return name.endswith(".weight") and tensor.dim() == 2 and tensor.numel() >= SMALLEST_MATRIX and not table


def quantise(tensors):
    out = {"scaled_fp8": torch.empty(0, dtype=torch.float8_e4m3fn)}
    for name, tensor in tensors.items():
        if not worth_it(name, tensor):
            out[name] = tensor.to(torch.bfloat16).contiguous()
            continue
        w = tensor.float()
        scale = (w.abs().max() / LARGEST).clamp_min(1e-12)
        out[name] = (w / scale).clamp(-LARGEST, LARGEST).to(torch.float8_e4m3fn).contiguous()
        out[name.removesuffix("weight") + "scale_weight"] = scale.reshape(()).float()
    return out


def dequantise(tensors, dtype=torch.bfloat16):
    """The plain checkpoint; its weights are what a reader of the scaled form must arrive at."""
    out = {}
    for name, tensor in tensors.items():
        if name == "scaled_fp8" or name.endswith("scale_weight"):
            continue
        if tensor.dtype == torch.float8_e4m3fn:
            tensor = tensor.float() * tensors[name.removesuffix("weight") + "scale_weight"]
        out[name] = tensor.to(dtype).contiguous()
    return out
