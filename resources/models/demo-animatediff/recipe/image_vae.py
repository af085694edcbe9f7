"""Stage 1: the image autoencoder, diffusers' AutoencoderKL.  python3 image_vae.py --work DIR --form sd15|sd35 --seconds 80

Single frames, errors around the sprites counting more. Afterwards each latent channel has mean 0
and one standard deviation, folded into the neighbouring layers: SD 1.5's form by its 1×1 convolutions, SD 3.5's, which has
none, halfway through the training; at the end only its scale once more.
"""
import argparse
import math
import time

import base
import torch
import torch.nn as nn
import torch.nn.functional as F
from base import LATENT, cut
from muon import Muon
from render import Renderer
from safetensors.torch import load_file
from scenes import load_sprites
from session import SPRITES, contact_sheet, fixed_scenes, follow, on, prepare, record, save, say, scene_stream, to_bytes
from train_vae import gradient_loss

SHAPE = dict(in_channels=3, out_channels=3, down_block_types=("DownEncoderBlock2D",) * 4,
             up_block_types=("UpDecoderBlock2D",) * 4, block_out_channels=(32, 64, 96, 96), layers_per_block=1,
             norm_num_groups=8, sample_size=256)
FORMS = {"sd15": dict(latent_channels=4, scaling_factor=0.18215),
         "sd35": dict(latent_channels=16, scaling_factor=1.5305, shift_factor=0.0609, use_quant_conv=False,
                      use_post_quant_conv=False)}


def make(form):
    from diffusers import AutoencoderKL
    return AutoencoderKL(**SHAPE, **FORMS[form])


def moments(vae, x):
    h = vae.encoder(x)
    mean, logvar = (h if vae.quant_conv is None else vae.quant_conv(h)).float().chunk(2, 1)
    return mean, logvar.clamp(-30, 20)


def decode(vae, z):
    return vae.decoder(z if vae.post_quant_conv is None else vae.post_quant_conv(z))


def encode_scaled(vae, x):
    """Pictures in -1..1 -> latents as the denoiser sees them."""
    with torch.autocast(x.device.type, torch.bfloat16):
        mean = moments(vae, x.contiguous(memory_format=torch.channels_last))[0]
    return (mean - (vae.config.shift_factor or 0)) * vae.config.scaling_factor


def decode_scaled(vae, z):
    with torch.autocast(z.device.type, torch.bfloat16):
        return decode(vae, z / vae.config.scaling_factor + (vae.config.shift_factor or 0)).float().clamp(-1, 1)


class Pictures:
    """Frames of rendered clips, each used once."""

    def __init__(self, device, workers, scenes, tiny):
        self.device, self.renderer, self.each = device, Renderer(load_sprites(SPRITES)[0], device, seed=1234), 2 if tiny else 4
        self.scenes, self.ready, self.at = scene_stream(scenes, 1, workers, pairs=0.3, held_out=True), None, 0

    def next(self, batch):
        if self.ready is None or self.at + batch > len(self.ready[0]):
            self.ready, self.at = self.render(), 0
        rows = slice(self.at, self.at + batch)
        self.at += batch
        return tuple(v[rows] for v in self.ready)

    def render(self):
        scenes = on(self.device, next(self.scenes))
        count = len(scenes["count"])
        times = torch.randint(0, 33, (count, self.each), device=self.device)
        clips, mask = self.renderer.render(scenes, times, chunk=64)
        order = torch.randperm(count * self.each, device=self.device)
        x = cut(clips).transpose(1, 2).flatten(0, 1)[order]
        return x.contiguous(memory_format=torch.channels_last), cut(mask).flatten(0, 1)[:, None][order]


def losses(y, x, mask):
    y, x = y.float(), x.float()
    weight = 1 + 7 * F.max_pool2d(mask, 5, 1, 2)
    weight = weight / weight.mean()
    d = y - x
    square = d * d
    gradient = gradient_loss(y[:, :, None], x[:, :, None], weight[:, :, None])
    loss = (d.abs() * weight).mean() + 4 * (square * weight).mean() + 0.5 * gradient
    return loss, torch.stack([square.mean(), (square * mask).sum() / (3 * mask.sum() + 1)]).detach()


def split_parameters(vae):
    ends = ("conv_in", "conv_out", "quant_conv")
    inner = [p for n, p in vae.named_parameters() if p.dim() == 4 and p.numel() > 4096 and not any(e in n for e in ends)]
    ids = {id(p) for p in inner}
    return inner, [p for p in vae.parameters() if id(p) not in ids]


@torch.no_grad()
def statistics(vae, device, count):
    scenes = fixed_scenes(count, 5, device)
    x, _ = Renderer(load_sprites(SPRITES)[0], device, seed=78).render(scenes, torch.arange(0, 33, 8, device=device)[None].expand(count, 5))
    x = cut(x).transpose(1, 2).flatten(0, 1)
    with torch.autocast(device, torch.bfloat16):
        z = torch.cat([moments(vae, part)[0] for part in x.split(64)])
    return z.mean((0, 2, 3)), z.std((0, 2, 3))


@torch.no_grad()
def scale_latents(vae, mean, std, go_on=False):
    """Takes the mean of each channel's latents away and divides by std. Without 1×1 convolutions the first is right away from
    the border only: then the mean stays, unless training goes on and mends the border."""
    n = len(mean)
    if vae.quant_conv is not None:
        out, into = vae.quant_conv, vae.post_quant_conv
        into.bias += into.weight[:, :, 0, 0] @ mean
    else:
        out, into, mean = vae.encoder.conv_out, vae.decoder.conv_in, mean * go_on
        into.bias += into.weight.sum((2, 3)) @ mean
    into.weight *= std.view(1, n, 1, 1)
    out.weight[:n] /= std.view(n, 1, 1, 1)
    out.bias[:n] = (out.bias[:n] - mean) / std
    out.bias[n:] -= 2 * std.log()


def begin_from(vae, tensors):
    """Takes the weights of another form's autoencoder, but for the layers at the latents."""
    own = vae.state_dict()
    tensors = {k: v.float() for k, v in tensors.items() if k in own and v.shape == own[k].shape}
    vae.load_state_dict(tensors, strict=False)
    say("taken over:", len(tensors), "of", len(own), "tensors")


def train(a):
    vae, average = make(a.form).to(a.device), make(a.form).to(a.device)
    if a.init:
        begin_from(vae, load_file(a.init))
    average.load_state_dict(vae.state_dict())
    average.requires_grad_(False).eval()

    def step_losses(x, mask, noise):
        mean, logvar = moments(vae, x)
        z = mean + noise * (0.5 * logvar).exp()
        loss, parts = losses(decode(vae, z), x, mask)
        kl = 0.5 * (mean * mean + logvar.exp() - 1 - logvar).mean()
        return loss + a.kl * kl, parts, kl.detach()

    compiled = torch.compile(step_losses, dynamic=False) if a.device == "cuda" else step_losses
    inner, rest = split_parameters(vae)
    muon, adam = Muon(inner), torch.optim.AdamW(rest, lr=a.lr_adam, betas=(0.9, 0.98), weight_decay=1e-3)
    pictures = Pictures(a.device, a.workers, 4 if a.tiny else 96, a.tiny)
    channels, sums, step, folded = FORMS[a.form]["latent_channels"], [], 0, False
    batch = 2 if a.tiny else 64
    start = last = None
    while True:
        progress = 0 if start is None else (time.time() - start) / a.seconds
        if progress >= 1:
            break
        if progress > 0.5 and not folded:
            mean, std = statistics(average, a.device, 4 if a.tiny else 96)
            for v in (vae, average):
                scale_latents(v, mean, std, True)
            folded = True
        x, mask = pictures.next(batch)
        noise = torch.randn(batch, channels, *LATENT, device=a.device)
        with torch.autocast(a.device, torch.bfloat16):
            loss, parts, kl = compiled(x, mask, noise)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(vae.parameters(), 1.0, foreach=True)
        rate = min(1, (step + 1) / 100) * max(0.01, 0.5 * (1 + math.cos(math.pi * progress)))
        if start is None or not math.isfinite(float(norm)):  # the first steps compile: the clock starts after them
            say("step", step, "loss", float(loss.detach()), "norm", float(norm))
        if math.isfinite(float(norm)):
            for g in adam.param_groups:
                g["lr"] = a.lr_adam * rate
            adam.step()
            muon.step(a.lr * rate)
            follow(average, vae, step, 0.998)
        vae.zero_grad(set_to_none=True)
        step += 1
        if step == 8:
            start = last = time.time()
        sums.append(torch.cat([parts, kl[None]]))
        if step % 200 == 0 or step in (10, 50):
            m = torch.stack(sums).mean(0).tolist()
            say(f"vae step {step} progress {progress:.2f} psnr {10 * math.log10(4 / m[0]):.2f} sprite {10 * math.log10(4 / m[1]):.2f} "
                f"kl {m[2]:.3f} {len(sums) / max(1e-3, time.time() - last):.1f} steps/s")
            sums, last = [], time.time()
    mean, std = statistics(average, a.device, 4 if a.tiny else 96)
    scale_latents(average, mean, std * FORMS[a.form]["scaling_factor"])
    return average, {"steps": step, "mean left in the latents": [round(float(v), 3) for v in (mean / std).tolist()]}


@torch.no_grad()
def evaluate(vae, a, count):
    scenes = fixed_scenes(count, 999999, a.device, pairs=0.15, held_out=True)
    x, mask = Renderer(load_sprites(SPRITES)[0], a.device, seed=77).render(scenes, torch.tensor([[4, 20]], device=a.device).expand(count, 2))
    x, mask = cut(x).transpose(1, 2).flatten(0, 1), cut(mask).flatten(0, 1)[:, None]
    y = torch.cat([decode_scaled(vae, encode_scaled(vae, part)) for part in x.split(32)])
    e = (y - x.clamp(-1, 1)) ** 2
    db = 10 * torch.log10(4 / e.mean((1, 2, 3)))
    sprite = 10 * torch.log10(4 * 3 * mask.sum((1, 2, 3)) / (e * mask).sum((1, 2, 3)).clamp_min(1e-9))
    pairs = to_bytes(torch.stack([x[:24:2], y[:24:2]], 2))
    contact_sheet([list(p) for p in pairs], ["original, reconstruction"] * len(pairs), f"{a.work}/vae_sheet_{a.form}.jpg", 256)
    return {"frames": 2 * count, "psnr": round(float(db.mean()), 2), "psnr_lowest": round(float(db.min()), 2),
            "psnr_sprites": round(float(sprite.mean()), 2)}


def load(path, form, device):
    vae = make(form)
    vae.load_state_dict({k: v.float() for k, v in load_file(path).items()})
    return vae.to(device).requires_grad_(False).eval()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True)
    p.add_argument("--form", choices=list(FORMS), default="sd15")
    p.add_argument("--seconds", type=float, default=80)
    p.add_argument("--init", default="", help="another form's autoencoder to begin from")
    p.add_argument("--lr", type=float, default=8e-3)
    p.add_argument("--lr_adam", type=float, default=1.5e-3)
    p.add_argument("--kl", type=float, default=2e-4)
    p.add_argument("--workers", type=int, default=4)
    p.add_argument("--device", default="cuda")
    p.add_argument("--tiny", type=int, default=0)
    a = p.parse_args()
    prepare(a.device)
    vae, log = train(a)
    result = log | evaluate(vae, a, 12 if a.tiny else 48)
    record(a.work, f"vae_{a.form}.json", result)
    save(f"{a.work}/vae_{a.form}.safetensors", vae.state_dict(), torch.float16)
    say("vae:", result)


if __name__ == "__main__":
    main()
