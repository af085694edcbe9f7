"""Stage 1: the autoencoder, diffusers' AutoencoderKLTemporalDecoder: pictures alone on the way in, a few frames together on the way out.

python3 temporal_vae.py --work DIR --seconds 250 [--init ../../demo-animatediff/vae/diffusion_pytorch_model.safetensors]
"""
import argparse
import math
import time

import quick
import torch
import torch.nn as nn
import torch.nn.functional as F
import world  # noqa: F401
from image_vae import begin_from, moments, split_parameters
from muon import Muon
from render import Renderer
from safetensors.torch import load_file
from scenes import load_sprites
from session import SPRITES, contact_sheet, fixed_scenes, follow, on, prepare, record, save, say, scene_stream, to_bytes
from train_vae import gradient_loss
from world import FRAMES, LATENT, at_speed, cut, shares

SHAPE = dict(in_channels=3, out_channels=3, down_block_types=("DownEncoderBlock2D",) * 4, block_out_channels=(64, 64, 96, 96),
             layers_per_block=1, latent_channels=4, sample_size=256, scaling_factor=0.18215)
TOGETHER = 7  # frames that are decoded together; a clip has two such pieces
SHORT, SHORT_UNTIL, FOLD_AT = 3, 0.5, 0.25  # first more pieces of fewer frames: more pictures a step; shares of the training


def make():
    from diffusers import AutoencoderKLTemporalDecoder
    return AutoencoderKLTemporalDecoder(**SHAPE)


def decode(vae, z, frames):
    """Latents [n · frames, 4, h, w] of pieces of clips -> pictures"""
    return vae.decoder(z, num_frames=frames, image_only_indicator=z.new_zeros(len(z) // frames, frames))


def encode_scaled(vae, x):
    with torch.autocast(x.device.type, torch.bfloat16):
        return moments(vae, x.contiguous(memory_format=torch.channels_last))[0] * SHAPE["scaling_factor"]


def decode_scaled(vae, z, frames):
    """Latents [n, frames, 4, h, w] -> clips [n, 3, frames, H, W] in -1..1"""
    n = len(z)
    with torch.autocast(z.device.type, torch.bfloat16):
        parts = [decode(vae, part.flatten(0, 1) / SHAPE["scaling_factor"], part.shape[1]) for part in z.split(TOGETHER, 1)]
    return torch.cat([p.float().unflatten(0, (n, -1)) for p in parts], 1).transpose(1, 2).clamp(-1, 1)


class Pieces:
    """Pieces of rendered clips, each used once."""

    def __init__(self, a):
        self.device, self.renderer = a.device, Renderer(load_sprites(SPRITES)[0], a.device, seed=1234)
        self.scenes = scene_stream(4 if a.tiny else 96, 11, a.workers, pairs=0.3, held_out=True, loose=0.5)
        self.ready, self.at, self.frames = None, 0, 0

    def next(self, count, frames):
        if self.ready is None or self.frames != frames or self.at + count > len(self.ready[0]):
            scenes = on(self.device, next(self.scenes))
            rows = len(scenes["count"])
            # no more than a piece of a clip: slower by as much
            scenes, times = at_speed(scenes, shares(rows, self.device) * frames / FRAMES, frames)
            clips, mask = self.renderer.render(scenes, times, chunk=64)
            self.ready, self.at, self.frames = (cut(clips).transpose(1, 2), cut(mask)), 0, frames
        rows = slice(self.at, self.at + count)
        self.at += count
        clips, mask = (v[rows].flatten(0, 1) for v in self.ready)
        return clips.contiguous(memory_format=torch.channels_last), mask[:, None]


def losses(y, x, mask, frames):
    y, x = y.float(), x.float()
    weight = 1 + 7 * F.max_pool2d(mask, 5, 1, 2)
    weight = weight / weight.mean()
    d = y - x
    square = d * d
    gradient = gradient_loss(y[:, :, None], x[:, :, None], weight[:, :, None])
    between = d.unflatten(0, (-1, frames)).diff(dim=1).abs()
    steady = (between * weight.unflatten(0, (-1, frames))[:, 1:]).mean()
    loss = (d.abs() * weight).mean() + 8 * (square * weight).mean() + 0.5 * gradient + 0.3 * steady
    return loss, torch.stack([square.mean(), (square * mask).sum() / (3 * mask.sum() + 1)]).detach()


@torch.no_grad()
def statistics(vae, device, count):
    x, _ = Renderer(load_sprites(SPRITES)[0], device, seed=78).render(
        fixed_scenes(count, 5, device), torch.arange(0, 33, 8, device=device)[None].expand(count, 5))
    with torch.autocast(device, torch.bfloat16):
        z = torch.cat([moments(vae, part)[0] for part in cut(x).transpose(1, 2).flatten(0, 1).split(64)])
    return z.mean((0, 2, 3)), z.std((0, 2, 3))


@torch.no_grad()
def scale_latents(vae, mean, std):
    """Mean 0 and one standard deviation for each channel. The decoder has no 1×1 convolution in front: what its border sees of the
    mean is mended by the training that goes on."""
    out, into, n = vae.quant_conv, vae.decoder.conv_in, len(mean)
    into.bias += into.weight.sum((2, 3)) @ mean
    into.weight *= std.view(1, n, 1, 1)
    out.weight[:n] /= std.view(n, 1, 1, 1)
    out.bias[:n] = (out.bias[:n] - mean) / std
    out.bias[n:] -= 2 * std.log()


def rate_at(step, progress):
    """Full for the first half of the time, then down to a hundredth."""
    return min(1, (step + 1) / 100) * (1 if progress < 0.5 else max(0.01, 0.5 * (1 + math.cos(math.pi * (2 * progress - 1)))))


def train(a):
    quick.prepare(a.device)
    vae, average = make().to(a.device), make().to(a.device)
    if a.init:
        begin_from(vae, load_file(a.init))
    average.load_state_dict(vae.state_dict())
    average.requires_grad_(False).eval()
    for v in (vae, average):
        quick.quicken_autoencoder(v)
    inner, rest = split_parameters(vae)
    muon, adam = Muon(inner), torch.optim.AdamW(rest, lr=a.lr_adam, betas=(0.9, 0.98), weight_decay=1e-3)
    pieces, sums, step, folded, start, last, saved = Pieces(a), [], 0, False, None, time.time(), time.time()
    while True:
        progress = 0 if start is None else (time.time() - start) / a.seconds
        if progress >= 1 or (a.until and time.time() > a.until):
            break
        if progress > FOLD_AT and not folded:
            found = statistics(average, a.device, 4 if a.tiny else 96)
            for v in (vae, average):
                scale_latents(v, *found)
            folded = True
        frames = SHORT if progress < SHORT_UNTIL else TOGETHER
        batch = 1 if a.tiny else a.frames // frames
        x, mask = pieces.next(batch, frames)
        with torch.autocast(a.device, torch.bfloat16, a.device == "cuda"):  # on a CPU its backward pass crashes
            mean, logvar = moments(vae, x)
            loss, parts = losses(decode(vae, mean + torch.randn_like(mean) * (0.5 * logvar).exp(), frames), x, mask, frames)
            kl = 0.5 * (mean * mean + logvar.exp() - 1 - logvar).mean()
        (loss + a.kl * kl).backward()
        used = [p for p in vae.parameters() if p.grad is not None]
        norm = nn.utils.clip_grad_norm_(used, 1.0, foreach=True)
        for p in used:  # a step whose gradient isn't finite changes nothing; asking the GPU would stop it
            p.grad = torch.where(norm.isfinite(), p.grad, 0)
        rate = rate_at(step, progress)
        for g in adam.param_groups:
            g["lr"] = a.lr_adam * rate
        adam.step()
        muon.step(a.lr * rate)
        follow(average, vae, step, 0.998 if progress < 0.9 else 0.995)
        vae.zero_grad(set_to_none=True)
        step += 1
        if step == 4:  # the first steps choose kernels: the clock starts after them
            torch.cuda.synchronize() if a.device == "cuda" else None
            start = last = time.time()
            a.seconds = max(1.0, a.until - start) if a.until else a.seconds
        sums.append(torch.cat([parts, kl.detach()[None]]))
        if step % 100 == 0 or step in (10, 50):
            m = torch.stack(sums).nanmean(0).tolist()
            say(f"vae step {step} progress {progress:.2f} psnr {10 * math.log10(4 / m[0]):.2f} sprite {10 * math.log10(4 / m[1]):.2f} "
                f"kl {m[2]:.3f} norm {float(norm):.2f} {len(sums) / max(1e-3, time.time() - last):.1f} steps/s of {batch} × {frames}")
            sums, last = [], time.time()
        if time.time() - saved > 40:
            write(a, average)
            saved = time.time()
    average, left = finished(average, a)
    return average, {"steps": step, "mean left in the latents": left}


def finished(vae, a):
    """A copy whose latents have the size that the scaling factor says, and the mean that is left in them."""
    mean, std = statistics(vae, a.device, 4 if a.tiny else 96)
    out = make().to(a.device)
    out.load_state_dict(vae.state_dict())
    scale_latents(out, torch.zeros_like(mean), std * SHAPE["scaling_factor"])
    return quick.quicken_autoencoder(out).requires_grad_(False).eval(), [round(v, 3) for v in (mean / std).tolist()]


def write(a, vae):
    save(f"{a.work}/vae_svd.part", finished(vae, a)[0].state_dict(), torch.float16)


@torch.no_grad()
def evaluate(vae, a, count):
    """Whole clips that training never drew."""
    scenes = fixed_scenes(count, 999999, a.device, pairs=0.15, held_out=True)
    scenes, times = at_speed(scenes, torch.linspace(0.2, 1, count, device=a.device))
    x, mask = Renderer(load_sprites(SPRITES)[0], a.device, seed=77).render(scenes, times)
    x, mask, y = cut(x), cut(mask)[:, None], []
    for part in x.split(4):
        z = encode_scaled(vae, part.transpose(1, 2).flatten(0, 1)).unflatten(0, (-1, FRAMES))
        y.append(decode_scaled(vae, z, FRAMES))
    y = torch.cat(y)
    e = (y - x.clamp(-1, 1)) ** 2
    db = lambda v: 10 * torch.log10(4 / v)
    first, clip = db(e[:, :, 0].mean((1, 2, 3))), db(e.mean((1, 2, 3, 4)))
    sprite = db((e * mask).sum((1, 2, 3, 4)) / (3 * mask.sum((1, 2, 3, 4))))
    rows = [f for a_, b_ in zip(to_bytes(x[:12]), to_bytes(y[:12])) for f in (list(a_[::3]), list(b_[::3]))]
    contact_sheet(rows, ["original, reconstruction below"] * len(rows), f"{a.work}/vae_sheet_svd.jpg", 256)
    return {"clips": count, "psnr": round(float(clip.mean()), 2), "psnr_lowest": round(float(clip.min()), 2),
            "psnr_first_frame": round(float(first.mean()), 2), "psnr_sprites": round(float(sprite.mean()), 2)}


def load(path, device):
    vae = make()
    vae.load_state_dict({k: v.float() for k, v in load_file(path).items()})
    return quick.quicken_autoencoder(vae.to(device).requires_grad_(False).eval())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True)
    p.add_argument("--seconds", type=float, default=250)
    p.add_argument("--until", type=float, default=0, help="the Unix time to end at whatever --seconds says")
    p.add_argument("--init", default="", help="an image autoencoder to begin from where shapes agree")
    p.add_argument("--frames", type=int, default=57, help="of a step, in pieces of 3 and later of 7")
    p.add_argument("--lr", type=float, default=8e-3)
    p.add_argument("--lr_adam", type=float, default=1.5e-3)
    p.add_argument("--kl", type=float, default=2e-4)
    p.add_argument("--workers", type=int, default=3)
    p.add_argument("--device", default="cuda")
    p.add_argument("--tiny", type=int, default=0)
    a = p.parse_args()
    prepare(a.device)
    vae, log = train(a)
    save(f"{a.work}/vae_svd.safetensors", vae.state_dict(), torch.float16)
    result = log | evaluate(vae, a, 4 if a.tiny else 48)
    record(a.work, "vae_svd.json", result)
    say("vae:", result)


if __name__ == "__main__":
    main()
