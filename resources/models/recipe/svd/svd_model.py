"""Stable Video Diffusion's form in miniature: diffusers' UNetSpatioTemporalConditionModel and CLIP's vision encoder, and what they
are given: the picture's latents beside the noisy ones, CLIP's view of it, frame rate, motion bucket and the noise put on the picture.
"""
import math

import quick
import torch
import torch.nn as nn
import torch.nn.functional as F
import world  # noqa: F401
from transformer_model import CLIP_MEAN, CLIP_STD
from world import FPS, FRAMES, LATENT

WIDTH, SIDE, NOISE_AUG = 128, 224, 0.02  # of CLIP's vectors; of its pictures, as StableVideoDiffusionPipeline resizes them
SMALLEST = 4096  # numbers of a matrix or kernel that is stored in FP8
UNET = dict(sample_size=LATENT[1], in_channels=8, out_channels=4, down_block_types=("CrossAttnDownBlockSpatioTemporal",) * 3,
            up_block_types=("CrossAttnUpBlockSpatioTemporal",) * 3, block_out_channels=(64, 96, 128), layers_per_block=1,
            cross_attention_dim=WIDTH, transformer_layers_per_block=1, num_attention_heads=(2, 3, 4), num_frames=FRAMES,
            addition_time_embed_dim=64, projection_class_embeddings_input_dim=192)
CLIP = dict(hidden_size=WIDTH, intermediate_size=3 * WIDTH, num_hidden_layers=3, num_attention_heads=4, image_size=SIDE, patch_size=28,
            hidden_act="gelu", projection_dim=WIDTH)
SCHEDULER = dict(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", prediction_type="v_prediction", sigma_min=0.002,
                 sigma_max=160.0, steps_offset=1, timestep_spacing="leading", timestep_type="continuous", use_karras_sigmas=True)


def make_unet():
    from diffusers import UNetSpatioTemporalConditionModel
    unet = UNetSpatioTemporalConditionModel(**UNET)
    quick.quicken_convolutions(unet)
    unet.conv_in.weight.data[:, 4:] *= 0.18  # the picture's latents aren't scaled
    nn.init.zeros_(unet.conv_out.weight)
    nn.init.zeros_(unet.conv_out.bias)
    return unet


def make_encoder():
    from transformers import CLIPVisionConfig, CLIPVisionModelWithProjection
    return CLIPVisionModelWithProjection(CLIPVisionConfig(**CLIP))


def clip_view(pictures):
    """Pictures [B, 3, H, W] in -1..1 as the pipeline resizes them for CLIP, uint8 [B, 3, 224, 224]."""
    from diffusers.pipelines.stable_video_diffusion.pipeline_stable_video_diffusion import _resize_with_antialiasing
    return ((_resize_with_antialiasing(pictures.float(), (SIDE, SIDE)) + 1) * 127.5).clamp(0, 255).round().byte()


def see(encoder, view):
    """CLIPVisionModelWithProjection's image_embeds without its wrapping, which can't be compiled: [B, 1, WIDTH]"""
    mean, std = (torch.tensor(v, device=view.device).view(1, 3, 1, 1) for v in (CLIP_MEAN, CLIP_STD))
    model = encoder.vision_model
    x = model.embeddings.patch_embedding((view.float() / 255 - mean) / std).flatten(2).transpose(1, 2)
    x = torch.cat([model.embeddings.class_embedding.expand(len(x), 1, -1).type_as(x), x], 1) + model.embeddings.position_embedding.weight
    x = model.pre_layrnorm(x)
    for layer in model.encoder.layers:
        a, y = layer.self_attn, layer.layer_norm1(x)
        q, k, v = (f(y).unflatten(-1, (CLIP["num_attention_heads"], -1)).transpose(1, 2) for f in (a.q_proj, a.k_proj, a.v_proj))
        x = x + a.out_proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        x = x + layer.mlp.fc2(F.gelu(layer.mlp.fc1(layer.layer_norm2(x))))
    return encoder.visual_projection(model.post_layernorm(x[:, 0]))[:, None]


def told(bucket):
    """[B] -> what the UNet is told beside the noise: frames a second less one, motion bucket, noise on the picture."""
    return torch.stack([torch.full_like(bucket, FPS - 1), bucket, torch.full_like(bucket, NOISE_AUG)], 1)


def sigmas(u):
    """Even numbers in 0..1 -> noise levels, log-normal around 2.5."""
    return (0.9 + 1.6 * math.sqrt(2) * torch.erfinv((2 * u - 1).clamp(-0.9999, 0.9999))).exp().clamp(0.002, 200)


def velocity(unet, x, sigma, given, seen, ids):
    """x [B, T, 4, h, w], noisy by sigma [B]; given [B, 4, h, w]: the picture's latents -> the model's v."""
    at = sigma.view(-1, 1, 1, 1, 1)
    both = torch.cat([x / (at * at + 1).sqrt(), given[:, None].expand(-1, x.shape[1], -1, -1, -1)], 2)
    return unet(both, 0.25 * sigma.log(), seen, ids, return_dict=False)[0]


def wanted(x0, noise, sigma):
    """The v that leads from x0 + sigma · noise back to x0 by EulerDiscreteScheduler's formula."""
    at = sigma.view(-1, 1, 1, 1, 1)
    return (noise - at * x0) / (at * at + 1).sqrt()
