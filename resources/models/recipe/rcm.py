"""rCM's sampler as TurboDiffusion has it: few steps, no guidance, fresh noise between them."""
import math

import torch

from sampling import tokenize
from transformer_model import encode_text

SIGMA_MAX, MIDDLE = 80.0, (1.5, 1.4, 1.0)
KEYS = 512.0


def times(steps=4, sigma_max=SIGMA_MAX):
    """Flow times from noise to 0 of the angles atan(sigma_max), 1.5, 1.4, 1.0: 0.98765, 0.93378, 0.85290, 0.60898, 0."""
    angles = [math.atan(sigma_max), *MIDDLE[:steps - 1], 0.0]
    return [math.sin(x) / (math.sin(x) + math.cos(x)) for x in angles]


def told(time):
    """What the model is told of a time: 1000 t, rounded to bf16."""
    return (1000 * time).bfloat16().float()


@torch.no_grad()
def generate(transformer, text_encoder, vae, mean, std, prompts, frames=9, steps=4, seed=1, size=(18, 32)):
    """Clips [n, 3, 4 * frames - 3, 8 * h, 8 * w] in -1..1; the same seed is the same noise at every step."""
    device, n, at = mean.device, len(prompts), times(steps)
    noise = torch.Generator().manual_seed(seed)
    draw = lambda: torch.randn(n, 16, frames, *size, generator=noise).to(device)
    x = draw() * at[0]
    with torch.autocast(device.type, torch.bfloat16):
        text, bias = encode_text(text_encoder, tokenize(list(prompts), device), torch.full((n, 1), KEYS, device=device))
        for now, then in zip(at, at[1:]):
            v = transformer(x, told(torch.full((n,), now, device=device)), text, bias).float()
            x = (1 - then) * (x - now * v) + (then * draw() if then else 0)
        z = x * std.view(1, 16, 1, 1, 1) + mean.view(1, 16, 1, 1, 1)
        parts = [vae.decode(q.to(torch.bfloat16, memory_format=torch.channels_last_3d)).float() for q in z.split(4)]
    return torch.cat(parts).clamp(-1, 1)
