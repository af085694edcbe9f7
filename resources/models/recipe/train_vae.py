"""Stage 1: the video autoencoder.  python3 train_vae.py --work DIR --seconds 720 [--init vae.safetensors --progress 0.5]

First on 128×128 crops around the sprites over 17 frames, then in turn with whole frames. --family cogvideox trains
CogVideoX's instead of Wan's; under torchrun every GPU draws its own clips.
"""
import argparse
import math
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import load_file

import cog_vae_model
import vae_model
from cog_vae_model import CogVAE
from muon import Muon
from ranks import Ranks
from render import Renderer
from scenes import FRAMES, HEIGHT, WIDTH, load_sprites
from session import SPRITES, contact_sheet, fixed_scenes, follow, on, prepare, record, save, say, scene_stream, to_bytes
from vae_model import VAE, ResidualBlock
from vocabulary import BACKGROUND_NAMES, MOTIONS

CROP = 128
FAMILIES = {"wan": VAE, "cogvideox": CogVAE}


def check_fused_norm():
    """The fused kernel must agree with the plain one on fresh random data before it is trusted."""
    import fused_norm
    for channels, dims, lead in ((24, 5, 2), (96, 5, 2), (96, 4, 0)):
        x = torch.randn(2, channels, *(4, 18, 32)[5 - dims:], device="cuda")
        gamma = torch.rand((channels,) + (1,) * (dims - 2), device="cuda")
        for act in (True, False):
            got, want = [], []
            for out, function in ((got, fused_norm.norm), (want, vae_model.plain_norm)):
                a, g = x.clone().requires_grad_(), gamma.clone().requires_grad_()
                y = function(a, g, act, lead)
                (y * torch.sin(torch.arange(y.numel(), device="cuda").view(y.shape))).sum().backward()
                out += [y, a.grad, g.grad]
            errors = [float((p.detach() - q.detach()).norm() / q.detach().norm()) for p, q in zip(got, want)]
            assert max(errors) < 1e-4, (channels, act, errors)
    vae_model.Kernels.norm = staticmethod(fused_norm.norm)
    say("fused norm agrees")


def check_fused_affine():
    """As above, for the norms of CogVideoX: where the kernels fail or disagree, the plain ones go on."""
    try:
        import fused_affine
        for c, t, h, hz, lead, act in ((16, 5, 64, 8, 2, True), (80, 3, 16, 16, 0, False), (32, 5, 72, 0, 2, True)):
            averages = cog_vae_model.pieces(t, (t - 1) // 2).cuda()
            inputs = [torch.randn(2, c, t, h, 2 * h, device="cuda"), torch.rand(c, device="cuda") + 0.5,
                      torch.randn(c, device="cuda")]
            inputs += [torch.rand(2, c, t, hz, 2 * hz, device="cuda") if hz else None for _ in range(2)]
            got, want = [], []
            for out, function in ((got, fused_affine.affine), (want, cog_vae_model.plain_affine)):
                x, *leaves = [None if v is None else v.clone().requires_grad_() for v in inputs]
                y = function(x, averages, *leaves, act, lead)
                (y * torch.sin(torch.arange(y.numel(), device="cuda").view(y.shape))).sum().backward()
                out += [y] + [v.grad for v in (x, *leaves) if v is not None]
            errors = [float((p.detach() - q.detach()).norm() / q.detach().norm()) for p, q in zip(got, want)]
            assert max(errors) < 1e-4, (c, errors)
    except Exception as error:
        say("the fused affine is left out:", str(error)[:300])
        return
    cog_vae_model.Kernels.affine = staticmethod(fused_affine.affine)
    say("fused affine agrees")


def speed_up(vae):
    check_fused_affine() if isinstance(vae, CogVAE) else check_fused_norm()
    for m in vae.modules():
        if isinstance(m, nn.Conv3d):
            m.to(memory_format=torch.channels_last_3d)
        elif isinstance(m, nn.Conv2d):
            m.to(memory_format=torch.channels_last)


class Clips:
    """Rendered clips, cut to what a step needs and used up in steps of `batch`."""

    def __init__(self, device, workers, rank=0, batch=48):
        self.device, self.renderer = device, Renderer(load_sprites(SPRITES)[0], device, seed=1234 + rank)
        self.scenes = scene_stream(batch, 1 + 50 * rank, workers, pairs=0.5, held_out=True)
        self.ready = {}

    def next(self, frames, crop, batch):
        clips, mask, at = self.ready.get((frames, crop), (None, None, 0))
        if clips is None or at + batch > clips.shape[0]:
            clips, mask = self.render(frames, crop)
            at = 0
        self.ready[(frames, crop)] = (clips, mask, at + batch)
        return clips[at:at + batch], mask[at:at + batch]

    def render(self, frames, crop):
        scenes = on(self.device, next(self.scenes))
        if frames == FRAMES:
            scenes = {k: v[:24] for k, v in scenes.items()}
        count = scenes["background"].shape[0]
        start = torch.randint(0, FRAMES - frames + 1, (count, 1))
        times = (start + torch.arange(frames)).to(self.device)
        clips, mask = self.renderer.render(scenes, times)
        clips, mask = clips.bfloat16(), mask.bfloat16()[:, None]
        if crop < WIDTH:
            middle = scenes["path"][:, 0, :2, :].gather(2, times[:, None, frames // 2, None].expand(count, 2, 1))[..., 0].cpu()
            corner = middle - crop / 2 + torch.randint(-36, 37, (count, 2))
            x, y = corner[:, 0].clamp(0, WIDTH - crop).int().tolist(), corner[:, 1].clamp(0, HEIGHT - crop).int().tolist()
            clips = torch.stack([c[..., j:j + crop, i:i + crop] for c, i, j in zip(clips, x, y)])
            mask = torch.stack([m[..., j:j + crop, i:i + crop] for m, i, j in zip(mask, x, y)])
        return clips.contiguous(memory_format=torch.channels_last_3d), mask


def gradient_loss(a, b, w):
    """L1 between the gradients, at three scales: edges carry a picture that small errors in L2 would blur."""
    total = 0
    for scale in range(3):
        d = a - b
        total = total + ((d[..., 1:, :] - d[..., :-1, :]).abs() * w[..., 1:, :]).mean()
        total = total + ((d[..., 1:] - d[..., :-1]).abs() * w[..., 1:]).mean()
        if scale < 2:
            a, b, w = (F.avg_pool3d(q, (1, 2, 2)) for q in (a, b, w))
    return total


def reconstruction_loss(y, x, mask):
    y, x, mask = y.float(), x.float(), mask.float()
    b, _, t, h, w = mask.shape
    near = F.max_pool2d(mask.view(b * t, 1, h, w), 5, 1, 2).view(b, 1, t, h, w)
    weight = 1 + 7 * near
    weight = weight / weight.mean()
    d = y - x
    square = d * d
    l1, l2 = (d.abs() * weight).mean(), (square * weight).mean()
    gradient = gradient_loss(y, x, weight)
    temporal = ((d[:, :, 1:] - d[:, :, :-1]).abs() * weight[:, :, 1:]).mean()
    sprite = (square * mask).sum() / (3 * mask.sum() + 1)
    return l1 + 4 * l2 + 0.5 * gradient + 0.3 * temporal, torch.stack([square.mean(), sprite, gradient]).detach()


def split_parameters(vae):
    """Kernels between feature maps go to Muon; what touches pixels or latents, gains and biases to AdamW."""
    ends = ("conv_in", "conv_out", "quant_conv", "conv_y", "conv_b")
    trained = [(n, p) for n, p in vae.named_parameters() if p.requires_grad]
    inner = [p for n, p in trained if p.dim() >= 4 and p.numel() > 4096 and not any(e in n for e in ends)]
    ids = {id(p) for p in inner}
    return inner, [p for _, p in trained if id(p) not in ids]


def plan(progress, step, tiny, whole=True):
    """(frames, crop, clips) of a step."""
    if tiny:
        return (9, 32, 2) if progress < 0.6 or step % 2 else (9, WIDTH, 1)
    return (17, WIDTH, 4) if whole and progress > 0.62 and step % 2 else (17, CROP, 8)


def train(a, ranks):
    vae, average = (FAMILIES[a.family]().to(a.device) for _ in range(2))
    average.requires_grad_(False)
    for m in vae.modules():
        if isinstance(m, ResidualBlock):
            m.conv2.weight.data.mul_(0.5)
    if a.init:
        vae.load_state_dict({k: v.float() for k, v in load_file(a.init).items() if not k.startswith("latents_")})
    loss_function = reconstruction_loss
    if a.device == "cuda":
        speed_up(vae)
        if a.family == "wan" and a.seconds > 300:  # compiling takes 20 s
            loss_function = torch.compile(reconstruction_loss, dynamic=False)
    if a.decoder:
        vae.encoder.requires_grad_(False)
    ranks.share(vae.parameters())
    average.load_state_dict(vae.state_dict())
    torch.manual_seed(1 + ranks.rank)
    inner, rest = split_parameters(vae)
    muon, adam = Muon(inner), torch.optim.AdamW(rest, lr=a.lr_adam, betas=(0.9, 0.98), weight_decay=1e-3)
    clips, sums, step, failed = Clips(a.device, a.workers, ranks.rank, 12 if a.tiny else 48), [], 0, 0
    folded, progress = a.decoder or a.progress >= 0.5, a.progress
    start = last_save = last_say = time.time()
    while True:
        if step % 10 == 0:
            progress = ranks.agree(a.progress + (1 - a.progress) * (time.time() - start) / a.seconds, a.device)
        if progress >= 1:
            break
        if a.family == "cogvideox" and progress >= 0.5 and not folded:
            fold(a, ranks, vae, average)
            folded = True
        frames, crop, batch = plan(progress, step, a.tiny, failed < 20)
        x, mask = clips.next(frames, crop, batch)
        with torch.autocast(a.device, torch.bfloat16):
            with torch.set_grad_enabled(not a.decoder):
                mean, logvar = vae.encode(x)
            z = mean + torch.randn_like(mean) * (0.5 * logvar).exp()
            if a.decoder:  # what a transformer gives is a little off, too
                z = z + a.blur * mean.std() * torch.rand(len(z), 1, 1, 1, 1, device=z.device) * torch.randn_like(z)
            y = vae.decode(z.bfloat16())
        kl = 0.5 * (mean * mean + logvar.exp() - 1 - logvar).mean()
        loss, parts = loss_function(y, x, mask)
        (loss + a.kl * kl).backward()
        ranks.average_gradients(inner + rest)
        norm = nn.utils.clip_grad_norm_(inner + rest, 1.0)
        if not math.isfinite(float(norm)):
            say("step", step, "left out: gradient not finite", frames, crop)
            vae.zero_grad(set_to_none=True)
            step, failed = step + 1, failed + 1
            continue
        rate = min(1, (step + 1) / 150) * max(0.01, 0.5 * (1 + math.cos(math.pi * progress)))
        for g in adam.param_groups:
            g["lr"] = a.lr_adam * rate
        adam.step()
        muon.step(a.lr * rate)
        vae.zero_grad(set_to_none=True)
        follow(average, vae, step, 0.998)
        step += 1
        sums.append(torch.cat([parts, torch.stack([kl.detach(), norm])]))
        if (step % 200 == 0 or step in (1, 10, 50)) and ranks.first:
            m = torch.stack(sums).mean(0).tolist()
            db = [10 * math.log10(4 / max(v, 1e-9)) for v in m[:2]]
            pace = len(sums) / (time.time() - last_say)
            sums, last_say = [], time.time()
            say(f"vae step {step} {frames}x{crop} progress {progress:.3f} psnr {db[0]:.2f} sprite {db[1]:.2f} "
                f"gradient {m[2]:.4f} kl {m[3]:.3f} norm {m[4]:.2f} {pace:.1f} steps/s")
        if time.time() - last_save > a.save_every and ranks.first:
            last_save = time.time()
            save(f"{a.work}/vae_partial.safetensors", average.state_dict(), torch.float16)
    say("vae done", step, "steps")
    return average.eval(), {"steps": step, "seconds": time.time() - start}


def fold(a, ranks, *vaes):
    """Gives the latents mean 0 and one standard deviation, for families that have a single scaling factor."""
    statistics = latent_statistics(vaes[-1], a.device, 8 if a.tiny else 64, 9 if a.tiny else FRAMES)
    ranks.share(statistics)
    for vae in vaes:
        vae.fold(*statistics)
    say("latents folded: mean", [round(v, 2) for v in statistics[0].tolist()], "std", [round(v, 2) for v in statistics[1].tolist()])


@torch.no_grad()
def evaluate(vae, device, count=48, frames=FRAMES):
    """PSNR on clips that training never drew: whole, inside sprites, and inside the sprites that move."""
    scenes = fixed_scenes(count, 999999, device, pairs=0.15, held_out=True)
    renderer, clip_db, sprite_db, pictures = Renderer(load_sprites(SPRITES)[0], device, seed=77), [], [], []
    for i in range(0, count, 4):
        part = {k: v[i:i + 4] for k, v in scenes.items()}
        x, mask = renderer.render(part, torch.arange(frames, device=device)[None].expand(4, frames))
        with torch.autocast(device, torch.bfloat16):
            y = vae.decode(vae.encode(x.to(torch.bfloat16, memory_format=torch.channels_last_3d))[0].bfloat16())
        e, m = (y.float().clamp(-1, 1) - x.clamp(-1, 1)) ** 2, mask[:, None]
        clip_db += (10 * torch.log10(4 / e.mean((1, 2, 3, 4)))).tolist()
        sprite_db += (10 * torch.log10(4 * 3 * m.sum((1, 2, 3, 4)) / (e * m).sum((1, 2, 3, 4)))).tolist()
        if i < 12:
            original, copy = to_bytes(x), to_bytes(y)
            pictures += [list(original[j, ::8]) + list(copy[j, ::8]) for j in range(4)]
    moving = [d for d, m in zip(sprite_db, scenes["motion"].tolist()) if MOTIONS[m] != "still"]
    mean = lambda v: round(sum(v) / len(v), 2)
    return {"clips": count, "psnr": mean(clip_db), "psnr_lowest": round(min(clip_db), 2), "psnr_sprites": mean(sprite_db),
            "psnr_moving_sprites": mean(moving),
            "psnr_by_background": {n: mean(clip_db[k::12]) for k, n in enumerate(BACKGROUND_NAMES)},
            "sprites_by_motion": {n: mean([d for d, m in zip(sprite_db, scenes["motion"].tolist()) if m == k])
                                  for k, n in enumerate(MOTIONS) if k in scenes["motion"].tolist()}}, pictures


@torch.no_grad()
def latent_statistics(vae, device, count=256, frames=FRAMES):
    """Mean and standard deviation of each latent channel over clips like those the transformer will see."""
    renderer, scenes, z = Renderer(load_sprites(SPRITES)[0], device, seed=78), fixed_scenes(count, 5, device), []
    for i in range(0, count, 8):
        part = {k: v[i:i + 8] for k, v in scenes.items()}
        x, _ = renderer.render(part, torch.arange(frames, device=device)[None].expand(len(part["count"]), frames))
        with torch.autocast(device, torch.bfloat16):
            z.append(vae.encode(x.to(torch.bfloat16, memory_format=torch.channels_last_3d))[0])
    z = torch.cat(z)
    return z.mean((0, 2, 3, 4)), z.std((0, 2, 3, 4))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True)
    p.add_argument("--family", choices=list(FAMILIES), default="wan")
    p.add_argument("--seconds", type=float, default=720)
    p.add_argument("--save_every", type=float, default=100)
    p.add_argument("--init", default="")
    p.add_argument("--progress", type=float, default=0.0, help="where in the schedule to start")
    p.add_argument("--lr", type=float, default=8e-3)
    p.add_argument("--lr_adam", type=float, default=1.5e-3)
    p.add_argument("--kl", type=float, default=4e-4)
    p.add_argument("--decoder", type=int, default=0, help="1: the decoder alone, of CogVideoX's; latents stay what they are")
    p.add_argument("--blur", type=float, default=0.1, help="noise on the latents then, at most this share of their deviation")
    p.add_argument("--workers", type=int, default=6)
    p.add_argument("--device", default="cuda")
    p.add_argument("--tiny", type=int, default=0, help="a run of seconds on a CPU, to try the code")
    a = p.parse_args()
    ranks = Ranks(a.device)
    prepare(a.device)
    vae, log = train(a, ranks)
    ranks.finish()
    if not ranks.first:
        return
    frames = 9 if a.tiny else FRAMES
    mean, std = latent_statistics(vae, a.device, 8 if a.tiny else 256, frames)
    if not bool(std.isfinite().all()):
        say("latents not finite: once more with the plain convolution algorithms")
        torch.backends.cudnn.benchmark = False
        mean, std = latent_statistics(vae, a.device, 256, frames)
    if a.family == "cogvideox" and a.decoder:
        mean, std = torch.zeros_like(mean), torch.ones_like(std) / cog_vae_model.CONFIG["scaling_factor"]
    elif a.family == "cogvideox":
        vae.fold(torch.zeros_like(mean), std)
        log["mean left in the latents"] = [round(v, 3) for v in (mean / std).tolist()]
        mean, std = torch.zeros_like(mean), torch.ones_like(std) / cog_vae_model.CONFIG["scaling_factor"]
    save(f"{a.work}/vae.safetensors", {**vae.state_dict(), "latents_mean": mean, "latents_std": std}, torch.float16)
    result, pictures = evaluate(vae, a.device, 12 if a.tiny else 48, frames)
    contact_sheet(pictures, ["original, then reconstruction"] * len(pictures), f"{a.work}/vae_sheet.png")
    record(a.work, "vae.json", {**log, **result})
    say("held out:", {k: v for k, v in result.items()})


if __name__ == "__main__":
    main()
