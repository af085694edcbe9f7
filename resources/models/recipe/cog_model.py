"""CogVideoX's diffusion transformer with the parameter names of diffusers' CogVideoXTransformer3DModel, its text encoder and
its noise schedule. Text and video are one sequence; prompts are padded to 226 tokens that nothing masks."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from transformer_model import TEXT_CONFIG, rotate

CONFIG = dict(num_attention_heads=6, attention_head_dim=64, in_channels=16, out_channels=16, time_embed_dim=128,
              text_embed_dim=256, num_layers=8, sample_width=32, sample_height=18, sample_frames=33, max_text_seq_length=226,
              spatial_interpolation_scale=1.0, use_rotary_positional_embeddings=True)
SCHEDULER = dict(beta_schedule="scaled_linear", prediction_type="v_prediction", timestep_spacing="trailing",
                 rescale_betas_zero_snr=True, snr_shift_scale=1.0, set_alpha_to_one=True, clip_sample=False)
KEYS = CONFIG["max_text_seq_length"]


def make_text_encoder():
    from transformers import T5Config, T5EncoderModel
    return T5EncoderModel(T5Config(**TEXT_CONFIG))


def encode_text(encoder, tokens):
    """tokens [B, n] -> embeddings [B, 226, 256]; the padding is text like any other."""
    return encoder(input_ids=F.pad(tokens, (0, KEYS - tokens.shape[1]))).last_hidden_state


def alphas():
    """√ᾱ of the 1000 timesteps: the last one is pure noise."""
    betas = torch.linspace(0.00085**0.5, 0.012**0.5, 1000, dtype=torch.float64) ** 2
    bar, shift = torch.cumprod(1 - betas, 0), SCHEDULER["snr_shift_scale"]
    root = (bar / (shift + (1 - shift) * bar)).sqrt()
    return (root - root[-1]) * root[0] / (root[0] - root[-1])


class Modulated(nn.Module):
    """A norm whose result is shifted and scaled, and a gate for what is made of it; by the timestep, text and video apart."""

    def __init__(self, time, dim):
        super().__init__()
        self.linear, self.norm = nn.Linear(time, 6 * dim), nn.LayerNorm(dim, 1e-5)

    def forward(self, y, emb, text):
        s, c, g, ts, tc, tg = self.linear(F.silu(emb)).float()[:, None].chunk(6, 2)
        n = F.layer_norm(y.float(), (y.shape[-1],), self.norm.weight, self.norm.bias, 1e-5)
        return (n * (1 + torch.where(text, tc, c)) + torch.where(text, ts, s)).to(y.dtype), torch.where(text, tg, g)


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_q, self.to_k, self.to_v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.to_out = nn.ModuleList([nn.Linear(dim, dim)])
        self.norm_q, self.norm_k = nn.LayerNorm(dim // heads, 1e-6), nn.LayerNorm(dim // heads, 1e-6)

    def forward(self, x, cos, sin):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)) for f in (self.to_q, self.to_k, self.to_v))
        q, k = (rotate(n(y.float()), cos, sin).to(v.dtype) for n, y in ((self.norm_q, q), (self.norm_k, k)))
        y = F.scaled_dot_product_attention(*(y.transpose(1, 2) for y in (q, k, v)))
        return self.to_out[0](y.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, dim):
        super().__init__()
        first = nn.Module()
        first.proj = nn.Linear(dim, 4 * dim)
        self.net = nn.ModuleList([first, nn.Identity(), nn.Linear(4 * dim, dim)])

    def forward(self, x):
        return self.net[2](F.gelu(self.net[0].proj(x), approximate="tanh"))


class Block(nn.Module):
    def __init__(self, dim, heads, time):
        super().__init__()
        self.norm1, self.attn1, self.norm2, self.ff = Modulated(time, dim), Attention(dim, heads), Modulated(time, dim), \
            FeedForward(dim)

    def forward(self, y, emb, text, cos, sin):
        n, gate = self.norm1(y, emb, text)
        y = (y.float() + gate * self.attn1(n, cos, sin).float()).to(y.dtype)
        n, gate = self.norm2(y, emb, text)
        return (y.float() + gate * self.ff(n).float()).to(y.dtype)


class CogTransformer(nn.Module):
    def __init__(self, layers=CONFIG["num_layers"]):
        super().__init__()
        heads, self.head_dim, time = CONFIG["num_attention_heads"], CONFIG["attention_head_dim"], CONFIG["time_embed_dim"]
        self.dim, self.channels = heads * self.head_dim, CONFIG["out_channels"]
        self.patch_embed = nn.Module()
        self.patch_embed.proj = nn.Conv2d(self.channels, self.dim, 2, 2)
        self.patch_embed.text_proj = nn.Linear(CONFIG["text_embed_dim"], self.dim)
        self.time_embedding = nn.Module()
        self.time_embedding.linear_1, self.time_embedding.linear_2 = nn.Linear(self.dim, time), nn.Linear(time, time)
        self.transformer_blocks = nn.ModuleList([Block(self.dim, heads, time) for _ in range(layers)])
        self.norm_final, self.norm_out = nn.LayerNorm(self.dim, 1e-5), nn.Module()
        self.norm_out.linear, self.norm_out.norm = nn.Linear(time, 2 * self.dim), nn.LayerNorm(self.dim, 1e-5)
        self.proj_out = nn.Linear(self.dim, 4 * self.channels)
        self.ropes = {}
        self.initialise()

    def initialise(self):
        for name, p in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(p)
            elif p.dim() >= 2:
                nn.init.xavier_uniform_(p.view(p.shape[0], -1))
        nn.init.zeros_(self.proj_out.weight)
        nn.init.zeros_(self.norm_out.linear.weight)
        nn.init.normal_(self.patch_embed.text_proj.weight, std=0.05)
        for block in self.transformer_blocks:
            for norm in (block.norm1, block.norm2):
                nn.init.zeros_(norm.linear.weight)
                norm.linear.bias.data.view(6, -1)[[2, 5]] = 0.3  # gates open a little, or nothing learns at first

    def rope(self, t, h, w, device):
        """Angles for each place in the sequence; none for the text."""
        key = (t, h, w, str(device))
        if key not in self.ropes:
            angles, side = [], self.head_dim // 8 * 3
            for n, dim, shape in ((t, self.head_dim // 4, (t, 1, 1, -1)), (h, side, (1, h, 1, -1)), (w, side, (1, 1, w, -1))):
                frequency = 1.0 / 10000.0 ** (torch.arange(0, dim, 2, dtype=torch.float64) / dim)
                angles.append(torch.outer(torch.arange(n, dtype=torch.float64), frequency).view(shape).expand(t, h, w, -1))
            angle = F.pad(torch.cat(angles, -1).reshape(t * h * w, -1), (0, 0, KEYS, 0))[None, :, None]
            self.ropes[key] = (angle.cos().float().to(device), angle.sin().float().to(device))
        return self.ropes[key]

    def forward(self, x, time, text):
        """x [B, C, T, h, w], time [B], text [B, 226, 256] -> v [B, C, T, h, w]"""
        b, c, t, h, w = x.shape
        h, w = h // 2, w // 2
        y = x.view(b, c, t, h, 2, w, 2).permute(0, 2, 3, 5, 1, 4, 6).reshape(b, t * h * w, c * 4)
        y = F.linear(y, self.patch_embed.proj.weight.flatten(1), self.patch_embed.proj.bias)
        y = torch.cat([self.patch_embed.text_proj(text).type_as(y), y], 1)
        half = self.dim // 2
        e = time.float()[:, None] * torch.exp(-math.log(10000) * torch.arange(half, device=x.device).float() / half)
        e = torch.cat([e.cos(), e.sin()], -1)
        e = self.time_embedding.linear_2(F.silu(self.time_embedding.linear_1(e)))
        cos, sin = self.rope(t, h, w, x.device)
        is_text = (torch.arange(y.shape[1], device=x.device) < KEYS)[None, :, None]
        for block in self.transformer_blocks:
            y = block(y, e, is_text, cos, sin)
        y = self.norm_final(y[:, KEYS:].float())
        shift, scale = self.norm_out.linear(F.silu(e)).float()[:, None].chunk(2, 2)
        y = self.proj_out(self.norm_out.norm(y) * (1 + scale) + shift)
        y = y.view(b, t, h, w, self.channels, 2, 2).permute(0, 4, 1, 2, 5, 3, 6)
        return y.reshape(b, self.channels, t, 2 * h, 2 * w)


@torch.no_grad()
def generate(transformer, text_encoder, vae, mean, std, prompts, frames=9, steps=20, guidance=5.0, seed=1, size=(18, 32)):
    """sampling.generate for CogVideoX: DDIM with trailing timesteps."""
    device, n, root = std.device, len(prompts), alphas().tolist()
    from sampling import tokenize
    x = torch.randn(n, frames, 16, *size, generator=torch.Generator().manual_seed(seed)).transpose(1, 2).to(device)
    times = [round(1000 - k * 1000 / steps) - 1 for k in range(steps)]
    with torch.autocast(device.type, torch.bfloat16):
        text = encode_text(text_encoder, tokenize(list(prompts) + [""] * n, device))
        for k, now in enumerate(times):
            v = transformer(torch.cat([x, x]), torch.full((2 * n,), now, device=device), text).float()
            v = v[n:] + guidance * (v[:n] - v[n:])
            then = now - 1000 // steps
            a, b = root[now], root[then] if then >= 0 else 1.0
            x0 = a * x - (1 - a * a) ** 0.5 * v
            r = ((1 - b * b) / (1 - a * a)) ** 0.5
            x = r * x + (b - a * r) * x0
        z = x * std.view(1, 16, 1, 1, 1)
        parts = [vae.decode(q.to(torch.bfloat16, memory_format=torch.channels_last_3d)).float() for q in z.split(4)]
    return torch.cat(parts).clamp(-1, 1)
