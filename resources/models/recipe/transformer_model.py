"""Wan 2.1's diffusion transformer with the parameter names of diffusers' WanTransformer3DModel, and its text encoder.

Prompts are padded with zero embeddings to 512 keys that are all alike. Training keeps MAX_TOKENS of them and gives each
of the padded ones the weight of several through a bias on its logit: the same attention, a tenth of the keys.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from sparse_linear import sparse_linear_attention

CONFIG = dict(patch_size=(1, 2, 2), num_attention_heads=3, attention_head_dim=128, in_channels=16, out_channels=16,
              text_dim=256, freq_dim=256, ffn_dim=1536, num_layers=8, cross_attn_norm=True,
              qk_norm="rms_norm_across_heads", eps=1e-6, rope_max_seq_len=1024)
TEXT_CONFIG = dict(vocab_size=1536, d_model=256, d_kv=64, d_ff=640, num_layers=4, num_heads=4, dropout_rate=0.0,
                   feed_forward_proj="gated-gelu", pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
                   relative_attention_num_buckets=32, relative_attention_max_distance=128)


# What image-to-video models have beside these: 4 channels of mask and 16 of latents of the given frame, and CLIP's view of it.
IMAGE = dict(in_channels=36, image_dim=192, added_kv_proj_dim=384)
CLIP_CONFIG = dict(hidden_size=192, intermediate_size=768, num_hidden_layers=3, num_attention_heads=3, image_size=112,
                   patch_size=14, hidden_act="gelu", projection_dim=192)
CLIP_MEAN, CLIP_STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)


def make_image_encoder():
    from transformers import CLIPVisionConfig, CLIPVisionModel
    return CLIPVisionModel(CLIPVisionConfig(**CLIP_CONFIG))


def clip_view(pictures):
    """Pictures [B, 3, H, W] in -1..1 as CLIPImageProcessor hands them to the encoder: the shorter side 112, the middle cut."""
    side = CLIP_CONFIG["image_size"]
    h, w = pictures.shape[2:]
    size = (side, side * w // h) if h <= w else (side * h // w, side)
    x = F.interpolate(pictures.float(), size=size, mode="bicubic", antialias=True, align_corners=False)
    top, left = (size[0] - side) // 2, (size[1] - side) // 2
    x = ((x[..., top:top + side, left:left + side] + 1) * 127.5).clamp(0, 255).round()
    return x.byte()


def see(encoder, view):
    """What the transformer gets of a picture: CLIP's hidden states before the last layer, [B, 65, 192]."""
    mean, std = (torch.tensor(v, device=view.device).view(1, 3, 1, 1) for v in (CLIP_MEAN, CLIP_STD))
    return encoder(pixel_values=(view.float() / 255 - mean) / std, output_hidden_states=True).hidden_states[-2]


def make_text_encoder():
    from transformers import UMT5Config, UMT5EncoderModel
    return UMT5EncoderModel(UMT5Config(**TEXT_CONFIG))


def encode_text(encoder, tokens, keys):
    """tokens [B, n], keys [B, 1]: length that the prompt stands for. Returns embeddings and logit biases [B, 1, 1, n]."""
    real = tokens != 0
    count = real.sum(1, keepdim=True).float()
    embeddings = encoder(input_ids=tokens, attention_mask=real.long()).last_hidden_state * real[..., None]
    bias = torch.where(real, torch.zeros_like(count), torch.log((keys - count) / (tokens.shape[1] - count)))
    return embeddings, bias[:, None, None, :].to(torch.bfloat16)


class LayerNorm(nn.Module):
    def __init__(self, dim, affine):
        super().__init__()
        self.dim = dim
        self.weight = nn.Parameter(torch.ones(dim)) if affine else None
        self.bias = nn.Parameter(torch.zeros(dim)) if affine else None

    def forward(self, x):
        return F.layer_norm(x.float(), (self.dim,), self.weight, self.bias, 1e-6)


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        y = x.float()
        return (y * torch.rsqrt((y * y).mean(-1, keepdim=True) + 1e-6) * self.weight).to(x.dtype)


def rotate(x, cos, sin):
    a, b = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(3).to(x.dtype)


class Attention(nn.Module):
    def __init__(self, dim, heads, picture=False):
        super().__init__()
        self.heads, self.sparse, self.missed = heads, False, None
        self.to_q, self.to_k, self.to_v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.to_out = nn.ModuleList([nn.Linear(dim, dim)])
        self.norm_q, self.norm_k = RMSNorm(dim), RMSNorm(dim)
        if picture:
            self.add_k_proj, self.add_v_proj, self.norm_added_k = nn.Linear(dim, dim), nn.Linear(dim, dim), RMSNorm(dim)

    def forward(self, x, context=None, rope=None, bias=None, picture=None):
        source = x if context is None else context
        q, k, v = (y.unflatten(-1, (self.heads, -1)) for y in
                   (self.norm_q(self.to_q(x)), self.norm_k(self.to_k(source)), self.to_v(source)))
        if rope is not None:
            q, k = rotate(q, *rope), rotate(k, *rope)
        q, k, v = (y.to(v.dtype).transpose(1, 2) for y in (q, k, v))
        if self.sparse:
            y, self.missed = sparse_linear_attention(q, k, v, self.proj_l)
        else:
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        if picture is not None:
            k, v = (p.unflatten(-1, (self.heads, -1)).to(v.dtype).transpose(1, 2) for p in
                    (self.norm_added_k(self.add_k_proj(picture)), self.add_v_proj(picture)))
            y = y + F.scaled_dot_product_attention(q, k, v)
        return self.to_out[0](y.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, dim, hidden, out=None, approximate="tanh"):
        super().__init__()
        first, self.approximate = nn.Module(), approximate
        first.proj = nn.Linear(dim, hidden)
        self.net = nn.ModuleList([first, nn.Identity(), nn.Linear(hidden, out or dim)])

    def forward(self, x):
        return self.net[2](F.gelu(self.net[0].proj(x), approximate=self.approximate))


class Block(nn.Module):
    def __init__(self, dim, hidden, heads, picture):
        super().__init__()
        self.norm1, self.attn1 = LayerNorm(dim, False), Attention(dim, heads)
        self.norm2, self.attn2 = LayerNorm(dim, True), Attention(dim, heads, picture)
        self.norm3, self.ffn = LayerNorm(dim, False), FeedForward(dim, hidden)
        self.scale_shift_table = nn.Parameter(torch.zeros(1, 6, dim))

    def forward(self, x, context, time, cos, sin, bias, picture=None):
        s1, c1, g1, s2, c2, g2 = (self.scale_shift_table + time.float()).chunk(6, 1)
        x = (x.float() + self.attn1((self.norm1(x) * (1 + c1) + s1).type_as(x), rope=(cos, sin)) * g1).type_as(x)
        x = x + self.attn2(self.norm2(x).type_as(x), context, bias=bias, picture=picture).type_as(x)
        return (x.float() + self.ffn((self.norm3(x) * (1 + c2) + s2).type_as(x)).float() * g2).type_as(x)


class Embedding(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.linear_1, self.linear_2 = nn.Linear(i, o), nn.Linear(o, o)


class ImageEmbedder(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.norm1, self.ff, self.norm2 = nn.LayerNorm(i), FeedForward(i, i, o, "none"), nn.LayerNorm(o)

    def forward(self, x):
        return self.norm2(self.ff(self.norm1(x.float())).float())


class Transformer(nn.Module):
    def __init__(self, heads=3, head_dim=128, layers=8, hidden=1536, text=256, freq=256, channels=16, in_channels=16,
                 image_dim=None):
        super().__init__()
        dim = heads * head_dim
        self.head_dim, self.channels, self.freq = head_dim, channels, freq
        self.patch_embedding = nn.Conv3d(in_channels, dim, (1, 2, 2), (1, 2, 2))
        condition = self.condition_embedder = nn.Module()
        condition.time_embedder, condition.time_proj = Embedding(freq, dim), nn.Linear(dim, 6 * dim)
        condition.text_embedder = Embedding(text, dim)
        if image_dim:
            condition.image_embedder = ImageEmbedder(image_dim, dim)
        self.blocks = nn.ModuleList([Block(dim, hidden, heads, bool(image_dim)) for _ in range(layers)])
        self.norm_out, self.proj_out = LayerNorm(dim, False), nn.Linear(dim, channels * 4)
        self.scale_shift_table = nn.Parameter(torch.zeros(1, 2, dim))
        self.ropes = {}
        self.initialise()

    def initialise(self):
        for name, p in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(p)
            elif p.dim() >= 2 and "scale_shift" not in name:
                if "blocks" in name or "patch" in name:
                    nn.init.xavier_uniform_(p.view(p.shape[0], -1))
                else:
                    nn.init.normal_(p, std=0.05 if "text" in name else 0.02)
        nn.init.zeros_(self.condition_embedder.time_proj.weight)
        nn.init.zeros_(self.proj_out.weight)
        for block in self.blocks:
            block.scale_shift_table.data[:, [2, 5]] = 0.3  # gates open a little, or nothing learns at first
            block.attn2.to_out[0].weight.data.mul_(0.3)

    def start_from(self, tensors):
        """Takes the weights of a model without a picture; what that has not stays without effect at first."""
        first, theirs = self.patch_embedding.weight, tensors.pop("patch_embedding.weight")
        first.data.zero_()
        first.data[:, :theirs.shape[1]] = theirs
        for block in self.blocks:
            nn.init.zeros_(block.attn2.add_v_proj.weight)
        missing, unknown = self.load_state_dict(tensors, strict=False)
        assert not unknown and all("add" in n or "image_embedder" in n or n == "patch_embedding.weight" for n in missing), missing

    def rope(self, t, h, w, device):
        key = (t, h, w, str(device))
        if key not in self.ropes:
            side = 2 * (self.head_dim // 6)
            angles = []
            for n, dim, shape in ((t, self.head_dim - 2 * side, (t, 1, 1, -1)), (h, side, (1, h, 1, -1)), (w, side, (1, 1, w, -1))):
                frequency = 1.0 / 10000.0 ** (torch.arange(0, dim, 2, dtype=torch.float64) / dim)
                angles.append(torch.outer(torch.arange(n, dtype=torch.float64), frequency).view(shape).expand(t, h, w, -1))
            angle = torch.cat(angles, -1).reshape(1, t * h * w, 1, -1)
            self.ropes[key] = (angle.cos().float().to(device), angle.sin().float().to(device))
        return self.ropes[key]

    def forward(self, x, time, text, bias=None, picture=None):
        """picture: CLIP's hidden states, for models that take a picture; x then has 36 channels."""
        b, c, t, h, w = x.shape
        h, w, condition = h // 2, w // 2, self.condition_embedder
        y = x.view(b, c, t, h, 2, w, 2).permute(0, 2, 3, 5, 1, 4, 6).reshape(b, t * h * w, c * 4)
        y = F.linear(y, self.patch_embedding.weight.flatten(1), self.patch_embedding.bias)
        half = self.freq // 2
        e = time.float()[:, None] * torch.exp(-math.log(10000) * torch.arange(half, device=x.device).float() / half)
        e = torch.cat([e.cos(), e.sin()], -1)
        e = condition.time_embedder.linear_2(F.silu(condition.time_embedder.linear_1(e)))
        six = condition.time_proj(F.silu(e)).unflatten(1, (6, -1))
        text = condition.text_embedder.linear_2(F.gelu(condition.text_embedder.linear_1(text), approximate="tanh"))
        if picture is not None:
            picture = condition.image_embedder(picture).type_as(text)
        cos, sin = self.rope(t, h, w, x.device)
        for block in self.blocks:
            y = block(y, text, six, cos, sin, bias, picture)
        shift, scale = (self.scale_shift_table + e.float().unsqueeze(1)).chunk(2, 1)
        y = self.proj_out((self.norm_out(y) * (1 + scale) + shift).type_as(y))
        y = y.view(b, t, h, w, 2, 2, self.channels).permute(0, 6, 1, 2, 4, 3, 5)
        return y.reshape(b, self.channels, t, 2 * h, 2 * w)
