"""SD 3.5's form in miniature: diffusers' SD3Transformer2DModel with dual attention in the first blocks, and a temporal module.

The temporal module is one attention over frames a block. It stands behind the block's spatial attention (and the dual one), before the
feed-forward: x = x + to_out(attention over frames of norm(x) + position), each place of the picture alone.
"""
import math

import base  # noqa: F401
import text
import torch
import torch.nn as nn
import torch.nn.functional as F
from base import FRAMES, LATENT

CONFIG = dict(sample_size=LATENT[1], patch_size=2, in_channels=16, out_channels=16, num_layers=8, attention_head_dim=64,
              num_attention_heads=3, joint_attention_dim=256, caption_projection_dim=192, pooled_projection_dim=256,
              pos_embed_max_size=24, dual_attention_layers=(0, 1, 2), qk_norm="rms_norm")
TEMPORAL = dict(num_layers=8, num_attention_heads=3, attention_head_dim=64, max_seq_length=32)
SHIFT = 3.0


def positions(length, width):
    """Sines and cosines in turn, as MotionAdapter's, [length, width]."""
    at = torch.arange(length)[:, None] * torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    return torch.stack([at.sin(), at.cos()], 2).flatten(1)


class TemporalAttention(nn.Module):
    def __init__(self, heads, head_dim, length):
        super().__init__()
        width = heads * head_dim
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.to_q, self.to_k, self.to_v = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.to_out = nn.ModuleList([nn.Linear(width, width)])
        nn.init.zeros_(self.to_out[0].weight)
        nn.init.zeros_(self.to_out[0].bias)
        self.register_buffer("pe", positions(length, width), persistent=False)

    def forward(self, x, frames):
        """x [B·frames, places, width]"""
        n, places, width = x.shape
        y = self.norm(x).view(-1, frames, places, width).transpose(1, 2).reshape(-1, frames, width)
        y = y + self.pe[:frames].to(y.dtype)
        q, k, v = (f(y).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.to_q, self.to_k, self.to_v))
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        y = self.to_out[0](y).view(-1, places, frames, width).transpose(1, 2).reshape(n, places, width)
        return x + y


class TemporalModule(nn.Module):
    def __init__(self, num_layers, num_attention_heads, attention_head_dim, max_seq_length):
        super().__init__()
        self.temporal_blocks = nn.ModuleList(
            [TemporalAttention(num_attention_heads, attention_head_dim, max_seq_length) for _ in range(num_layers)])


def run_block(block, x, context, temb, temporal, frames):
    """JointTransformerBlock.forward with the temporal module's part; temporal None: as it is."""
    if block.use_dual_attention:
        y, gate, shift, scale, gate_mlp, y2, gate2 = block.norm1(x, emb=temb)
    else:
        y, gate, shift, scale, gate_mlp = block.norm1(x, emb=temb)
    if block.context_pre_only:
        c = block.norm1_context(context, temb)
    else:
        c, c_gate, c_shift, c_scale, c_gate_mlp = block.norm1_context(context, emb=temb)
    y, c = block.attn(hidden_states=y, encoder_hidden_states=c)
    x = x + gate.unsqueeze(1) * y
    if block.use_dual_attention:
        x = x + gate2.unsqueeze(1) * block.attn2(hidden_states=y2)
    if temporal is not None:
        x = temporal(x, frames)
    x = x + gate_mlp.unsqueeze(1) * block.ff(block.norm2(x) * (1 + scale[:, None]) + shift[:, None])
    if block.context_pre_only:
        return None, x
    context = context + c_gate.unsqueeze(1) * c
    c = block.norm2_context(context) * (1 + c_scale[:, None]) + c_shift[:, None]
    return context + c_gate_mlp.unsqueeze(1) * block.ff_context(c), x


def velocity(transformer, temporal, x, time, states, pooled, frames=FRAMES, run_block=run_block):
    """SD3Transformer2DModel.forward over pictures [B·frames, 16, h, w] of clips; temporal None: over single pictures."""
    height, width = x.shape[-2:]
    y = transformer.pos_embed(x).contiguous()
    temb = transformer.time_text_embed(time, pooled)
    context = transformer.context_embedder(states)
    for i, block in enumerate(transformer.transformer_blocks):
        context, y = run_block(block, y, context, temb, temporal.temporal_blocks[i] if temporal is not None else None, frames)
    y = transformer.proj_out(transformer.norm_out(y, temb))
    y = y.reshape(len(x), height // 2, width // 2, 2, 2, 16)
    return torch.einsum("nhwpqc->nchpwq", y).reshape(len(x), 16, height, width)


def make_transformer():
    """Gates open a little, or nothing learns at first."""
    from diffusers import SD3Transformer2DModel
    model = SD3Transformer2DModel(**CONFIG)
    for name, p in model.named_parameters():
        if p.dim() == 2 and "transformer_blocks" in name:
            nn.init.xavier_uniform_(p)
    for block in model.transformer_blocks:
        for norm in (block.norm1, block.norm1_context):
            nn.init.zeros_(norm.linear.weight)
            nn.init.zeros_(norm.linear.bias)
            parts = norm.linear.bias.data.view(-1, 192)
            for gate in range(2, len(parts), 3):
                parts[gate] = 0.3
    nn.init.zeros_(model.norm_out.linear.weight)
    nn.init.zeros_(model.norm_out.linear.bias)
    nn.init.zeros_(model.proj_out.weight)
    nn.init.zeros_(model.proj_out.bias)
    return model


def make_temporal():
    return TemporalModule(**TEMPORAL)


def make_t5(folder):
    """The CogVideoX miniature's T5 encoder with its weights."""
    from adopt import load_folder
    from cog_model import make_text_encoder
    t5 = make_text_encoder()
    t5.load_state_dict(load_folder(folder))
    return t5.requires_grad_(False).eval()


def listen(clip_l, clip_g, t5_states, tokens, pieces):
    """What StableDiffusion3Pipeline.encode_prompt makes of a prompt: states [n, 154, 256] and the pooled vector [n, 256]."""
    l, pooled_l = text.hear(clip_l, tokens, pieces)
    g, pooled_g = text.hear(clip_g, tokens, pieces, g=True)
    both = torch.cat([l, g], -1)
    both = F.pad(both, (0, t5_states.shape[-1] - both.shape[-1]))
    return torch.cat([both, t5_states.to(both.dtype)], 1), torch.cat([pooled_l, pooled_g], -1)
