"""Starts the CogVideoX miniature from the Wan one.  python3 adopt_cogvideox.py --vae DIR/vae.safetensors --model FOLDER --out DIR

Taken over: the text encoder (T5 keeps the first layer's position biases alone); of each block the feed-forward, the values
and the output of self-attention, queries and keys with each head of 128 split into two of 64 whose rotary frequencies are the
nearest; of the time's modulations what 128 features of CogVideoX's time embedding can express; the first layer through the
rotation that best turns the one autoencoder's latents into the other's. Cross-attention has no counterpart. The last layer is
the least-squares answer to v-prediction on a few noisy clips.
"""
import argparse
import json
import math
import os

import sentencepiece
import torch
import torch.nn.functional as F

import cog_model
from adopt import load_folder, patches
from cog_model import CogTransformer, make_text_encoder
from render import Renderer
from scenes import SceneSource, load_sprites
from session import SPRITES, TOKENIZER, say
from train_t2v import load_vae, write
from transformer_model import Transformer
from vae_model import VAE


def channels_of(head_half):
    """Which of a Wan head's 128 channels half a head takes for queries and keys: pairs with the nearest frequencies."""
    out, start = [], 0
    for wan, cog in ((22, 8), (21, 12), (21, 12)):
        for i in range(cog):
            pair = start + min(wan - 1, int(wan * (i + 0.5 * head_half) / cog + 0.5))
            out += [2 * pair, 2 * pair + 1]
        start += wan
    return torch.tensor(out)


def adopt_attention(ours, theirs):
    for into, source, norm, norm_source in ((ours.to_q, theirs.to_q, ours.norm_q, theirs.norm_q),
                                            (ours.to_k, theirs.to_k, ours.norm_k, theirs.norm_k)):
        gain = norm_source.weight
        rows = torch.cat([128 * h + channels_of(half) for h in range(3) for half in range(2)])
        into.weight.copy_((source.weight * gain[:, None])[rows])
        into.bias.copy_((source.bias * gain)[rows])
        norm.weight.fill_(2**0.25 * float(gain.pow(2).mean().sqrt()))
    for into, source in ((ours.to_v, theirs.to_v), (ours.to_out[0], theirs.to_out[0])):
        into.load_state_dict(source.state_dict())


def adopt_times(ours, theirs):
    """Least squares for the modulations over all timesteps, on the features that our time embedding starts with."""
    root = cog_model.alphas().float()
    noise = (1 - root * root).clamp_min(0).sqrt()
    sigma = noise / (root + noise)  # the flow's time of the same ratio of signal and noise

    def wave(t, dim):
        e = t[:, None] * torch.exp(-math.log(10000) * torch.arange(dim // 2).float() / (dim // 2))
        return torch.cat([e.cos(), e.sin()], -1)
    condition, embedding = theirs.condition_embedder, ours.time_embedding
    embedding.linear_1.bias.normal_(std=0.5)
    embedding.linear_2.bias.normal_(std=0.5)
    e = condition.time_embedder.linear_2(F.silu(condition.time_embedder.linear_1(wave(sigma * 1000, 256))))
    six = condition.time_proj(F.silu(e)).unflatten(1, (6, -1))
    mine = embedding.linear_2(F.silu(embedding.linear_1(wave(torch.arange(1000.0), 384))))
    features = torch.cat([F.silu(mine), torch.ones(1000, 1)], 1).double()
    solve = torch.linalg.solve(features.T @ features + 1e-2 * torch.eye(features.shape[1]).double(), features.T)

    def fit(linear, wanted, rows):
        answer = (solve @ wanted.double()).T.float()
        linear.weight[rows], linear.bias[rows] = answer[:, :-1], answer[:, -1]
        return float((features.float() @ answer.T - wanted).pow(2).mean().sqrt() / wanted.std())
    dim, errors = ours.dim, []
    for block, source in zip(ours.transformer_blocks, theirs.blocks):
        table = source.scale_shift_table + six
        for norm, part in ((block.norm1, table[:, :3]), (block.norm2, table[:, 3:])):
            errors.append(fit(norm.linear, part.flatten(1), slice(0, 3 * dim)))
            norm.linear.bias[5 * dim:] = 0.3
    errors.append(fit(ours.norm_out.linear, (theirs.scale_shift_table + e[:, None]).flatten(1), slice(0, 2 * dim)))
    say(f"modulations: relative errors up to {max(errors):.3f}")


def fit_last_layer(ours, text_encoder, latents, tokens, draws):
    """Solves for proj_out: what the layer before it makes of noisy latents, against their v."""
    device, root, seen = latents.device, cog_model.alphas().float(), {}
    hook = ours.proj_out.register_forward_hook(lambda module, inputs, output: seen.update(x=inputs[0]))
    width = ours.proj_out.in_features + 1
    gram, answer, count, square = (torch.zeros(s, device=device, dtype=torch.float64) for s in ((width, width), (width, 64), (), ()))
    for _ in range(draws):
        for z, ids in zip(latents.split(3), tokens.split(3)):
            time = torch.randint(0, 1000, (len(z),))
            a = root[time].view(-1, 1, 1, 1, 1).to(device)
            s, noise = (1 - a * a).clamp_min(0).sqrt(), torch.randn(z.shape).to(device)
            ours(a * z + s * noise, time.to(device), cog_model.encode_text(text_encoder, ids))
            x, y = seen["x"].flatten(0, 1).double(), patches(a * noise - s * z)
            x = torch.cat([x, torch.ones_like(x[:, :1])], 1)
            gram, answer, count, square = gram + x.T @ x, answer + x.T @ y, count + len(x), square + y.pow(2).sum()
    hook.remove()
    solved = torch.linalg.solve(gram + 1e-4 * gram.diagonal().mean() * torch.eye(width, device=device), answer)
    ours.proj_out.weight.copy_(solved[:-1].T)
    ours.proj_out.bias.copy_(solved[-1])
    left = square - 2 * (solved * answer).sum() + (solved * (gram @ solved)).sum()
    say(f"loss with the last layer solved: {float(left / square):.3f} of what nothing at all would give")


@torch.no_grad()
def main():
    p = argparse.ArgumentParser()
    p.add_argument("--vae", required=True)
    p.add_argument("--model", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--clips", type=int, default=18)
    p.add_argument("--frames", type=int, default=17)
    p.add_argument("--draws", type=int, default=12, help="of noise for each clip")
    p.add_argument("--device", default="cuda")
    a = p.parse_args()
    torch.manual_seed(0)
    with open(f"{a.model}/vae/config.json") as f:
        config = json.load(f)
    before = VAE().to(a.device)
    before.load_state_dict(load_folder(f"{a.model}/vae"))
    mean, std = (torch.tensor(config[k], device=a.device).view(1, 16, 1, 1, 1) for k in ("latents_mean", "latents_std"))
    now, _, now_std = load_vae(a.vae, a.device, "cogvideox")
    sprites, variants = load_sprites(SPRITES)
    scenes, renderer, pairs = SceneSource(variants, 17), Renderer(sprites, a.device, seed=3), ([], [])
    encode, latents, tokens = sentencepiece.SentencePieceProcessor(model_file=TOKENIZER).encode, [], []
    for _ in range(a.clips // 3):
        batch = {k: torch.as_tensor(v).to(a.device) for k, v in scenes.batch(3, encode).items()}
        clips, _ = renderer.render(batch, torch.arange(a.frames, device=a.device)[None].expand(3, a.frames))
        latents.append(now.encode(clips)[0] / now_std.view(1, 16, 1, 1, 1))
        tokens.append(batch["tokens"][:, 0])
        pairs[0].append(patches(latents[-1]).cpu())
        pairs[1].append(patches((before.encode(clips)[0] - mean) / std).cpu())
    new, old = (torch.cat(x) for x in pairs)
    u, _, vh = torch.linalg.svd(old.T @ new)
    rotation = u @ vh  # old = rotation · new
    say(f"unexplained by the rotation: {float((old - new @ rotation.T).pow(2).sum() / old.pow(2).sum()):.2f}")
    theirs, ours = Transformer(), CogTransformer()
    theirs.load_state_dict(load_folder(f"{a.model}/transformer"))
    first = theirs.patch_embedding.weight.flatten(1).double() @ rotation
    ours.patch_embed.proj.weight.copy_(first.float().view(ours.patch_embed.proj.weight.shape))
    ours.patch_embed.proj.bias.copy_(theirs.patch_embedding.bias)
    for block, source in zip(ours.transformer_blocks, theirs.blocks):
        adopt_attention(block.attn1, source.attn1)
        for k in (0, 2):
            into, part = (f.net[k].proj if k == 0 else f.net[k] for f in (block.ff, source.ffn))
            into.load_state_dict(part.state_dict())
    adopt_times(ours, theirs)
    words, text_encoder = load_folder(f"{a.model}/text_encoder"), make_text_encoder()
    known = text_encoder.state_dict()
    words = {k: v for k, v in words.items() if k in known}
    missing, unknown = text_encoder.load_state_dict(words | {"encoder.embed_tokens.weight": words["shared.weight"]}, strict=False)
    assert not unknown, unknown
    say("text encoder lacks", missing)
    text_encoder.shared.weight[0] = 0  # the padding, which Wan's prompts never see: keys and values of nothing to begin with
    fit_last_layer(ours.to(a.device), text_encoder.to(a.device), torch.cat(latents), torch.cat(tokens), a.draws)
    os.makedirs(a.out, exist_ok=True)
    write(a.out, ours, text_encoder)


if __name__ == "__main__":
    main()
