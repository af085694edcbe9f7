"""Prompts to clips with the training models: the same schedule and solver as the pipeline (flow shift 3, UniPC, guidance)."""
import sentencepiece
import torch

from scenes import MAX_TOKENS
from session import TOKENIZER
from transformer_model import encode_text

SHIFT = 3.0


def tokenize(prompts, device):
    processor = sentencepiece.SentencePieceProcessor(model_file=TOKENIZER)
    tokens = torch.zeros(len(prompts), MAX_TOKENS, dtype=torch.long)
    for i, prompt in enumerate(prompts):
        ids = processor.encode(prompt)[: MAX_TOKENS - 1] + [1]
        tokens[i, : len(ids)] = torch.tensor(ids)
    return tokens.to(device)


class Multistep:
    """DPM-Solver++(2M) on the flow schedule x = (1 - s) x0 + s noise; UniPC's predictor of order two is the same step."""

    def __init__(self, steps):
        s = torch.linspace(1, 0, steps + 1, dtype=torch.float64)
        self.sigmas = (SHIFT * s / (1 + (SHIFT - 1) * s)).tolist()
        self.before = None

    def step(self, k, x, velocity):
        now, then = self.sigmas[k], self.sigmas[k + 1]
        x0 = x - now * velocity
        if then == 0:
            return x0
        logsnr = lambda s: torch.log(torch.tensor((1 - s) / s)).item() if s < 1 else -20.0
        h, d = logsnr(then) - logsnr(now), x0
        if self.before is not None and k > 1:
            d = x0 + (x0 - self.before) * h / (2 * (logsnr(now) - logsnr(self.sigmas[k - 1])))
        self.before = x0
        return then / now * x - (1 - then) * (torch.exp(torch.tensor(-h)).item() - 1) * d


@torch.no_grad()
def generate(transformer, text_encoder, vae, mean, std, prompts, frames=9, steps=20, guidance=5.0, seed=1, size=(18, 32),
             given=None):
    """Clips [n, 3, 4 * frames - 3, 8 * h, 8 * w] in -1..1 for n prompts; `frames` counts latent frames.
    given: for image-to-video, the further channels [n, 20, frames, h, w] and what CLIP sees [n, 65, 192]."""
    device, n = mean.device, len(prompts)
    x = torch.randn(n, 16, frames, *size, generator=torch.Generator().manual_seed(seed)).to(device)
    solver = Multistep(steps)
    with torch.autocast(device.type, torch.bfloat16):
        keys = torch.full((2 * n, 1), 512.0, device=device)
        text, bias = encode_text(text_encoder, tokenize(list(prompts) + [""] * n, device), keys)
        for k in range(steps):
            time = torch.full((2 * n,), solver.sigmas[k] * 1000, device=device)
            if given is None:
                v = transformer(torch.cat([x, x]), time, text, bias).float()
            else:
                seen = torch.cat([x, given[0]], 1)
                v = transformer(torch.cat([seen, seen]), time, text, bias, torch.cat([given[1], given[1]])).float()
            x = solver.step(k, x, v[n:] + guidance * (v[:n] - v[n:]))
        z = x * std.view(1, 16, 1, 1, 1) + mean.view(1, 16, 1, 1, 1)
        parts = [vae.decode(q.to(torch.bfloat16, memory_format=torch.channels_last_3d)).float() for q in z.split(4)]
    return torch.cat(parts).clamp(-1, 1)
