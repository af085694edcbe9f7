"""Stage 2: SD 1.5's form, a UNet and its text encoder on single frames; and stage 3, the motion module on the frozen image model.

python3 train_image.py --work DIR --words TOKENIZER --image_seconds 100 --motion_seconds 90
Waits for DIR/vae_sd15.safetensors of stage 1; until it is there the text encoder learns its words.

A still frame hardly shows which way things go, so a UNet that draws stills has no reason to hand on that part of the prompt
to the motion module, which sees the prompt through the UNet alone. Hence linear probes: while the image model trains, what
comes out of each attention block must tell the motion that the prompt names. They are thrown away afterwards.
"""
import argparse
import os
import time
import traceback

import base  # noqa: F401
import text
import torch
import torch.nn as nn
import torch.nn.functional as F
from base import FRAMES, LATENT
from captioned import LABELS, UNKNOWN, stream
from clip_words import Words
from image_vae import load
from latent_pool import LatentPool, even
from muon import Muon
from safetensors.torch import load_file
from scaled_fp8 import dequantise
from session import follow, prepare, record, save, say
from vocabulary import MOTIONS

CHANNELS, HEADS, GROUPS = (64, 128, 160), 2, 32
UNET = dict(sample_size=LATENT[1], in_channels=4, out_channels=4, down_block_types=("CrossAttnDownBlock2D",) * 3,
            up_block_types=("CrossAttnUpBlock2D",) * 3, block_out_channels=CHANNELS, layers_per_block=1,
            cross_attention_dim=192, attention_head_dim=HEADS, norm_num_groups=GROUPS)
MOTION = dict(block_out_channels=CHANNELS, motion_layers_per_block=1, motion_num_attention_heads=HEADS,
              motion_norm_num_groups=GROUPS, motion_max_seq_length=32, use_motion_mid_block=True)
SCHEDULE = dict(beta_start=0.00085, beta_end=0.012, beta_schedule="linear", prediction_type="v_prediction")
UNPROMPTED = 0.12


def make_unet():
    from diffusers import UNet2DConditionModel
    return UNet2DConditionModel(**UNET)


def make_motion():
    from diffusers import MotionAdapter
    adapter = MotionAdapter(**MOTION)
    for name, p in adapter.named_parameters():
        if "proj_out" in name:
            nn.init.zeros_(p)
    return adapter


def join(unet, adapter):
    from diffusers import UNetMotionModel
    return UNetMotionModel.from_unet2d(unet, adapter)


def roots(device):
    """√ᾱ of the 1000 timesteps."""
    betas = torch.linspace(SCHEDULE["beta_start"], SCHEDULE["beta_end"], 1000, dtype=torch.float64)
    return torch.cumprod(1 - betas, 0).sqrt().float().to(device)


def weigh(a):
    """min-SNR's weights at the low-noise end, where little is to be learned; 1 elsewhere."""
    return (12 * (1 - a * a) / (a * a)).clamp_max(1)


def weighted(square, cover, sprites):
    """Squared errors [n, C, h, w] and coverage [n, h, w] -> one mean an example; sprites count more."""
    weight = 1 + sprites * cover
    return (square.mean(1) * weight).sum((1, 2)) / weight.sum((1, 2))


class Probes(nn.Module):
    """What comes out of the attention blocks -> the prompt's motion, at every place alone; the last class is 'no prompt'."""

    def __init__(self, unet):
        super().__init__()
        self.heard = []
        blocks = [t for b in [*unet.down_blocks, unet.mid_block, *unet.up_blocks] for t in getattr(b, "attentions", [])]
        self.ask = nn.ModuleList([nn.Conv2d(t.config["in_channels"] if hasattr(t, "config") else t.in_channels,
                                            len(MOTIONS) + 1, 1) for t in blocks])
        for b in blocks:
            b.register_forward_hook(lambda _, __, out: self.heard.append(out[0] if isinstance(out, tuple) else out.sample))

    def loss(self, motion):
        total, heard = 0, self.heard
        self.heard = []
        for ask, x in zip(self.ask, heard):
            x = F.avg_pool2d(x.float(), 2) if x.shape[-1] > 8 else x.float()
            x = F.group_norm(x, 8)
            said = ask(x).flatten(2)
            total = total + F.cross_entropy(said, motion[:, None].expand(-1, said.shape[2]), ignore_index=UNKNOWN)
        return total / len(heard)


def unprompt(tokens, pieces, motion):
    empty = torch.full_like(tokens, pieces - 1)
    empty[:, 0] = pieces - 2
    drop = torch.rand(len(tokens), device=tokens.device) < UNPROMPTED
    return torch.where(drop[:, None], empty, tokens), torch.where(drop, len(MOTIONS), motion)


class Descent:
    """Muon for matrices and kernels inside, AdamW for the rest; moving averages; a rate that falls from a share of the time on."""

    def __init__(self, a, inner, rest, models, averages, seconds, name, lr, hold=0.4):
        self.a, self.models, self.averages, self.seconds = a, models, averages, seconds
        self.name, self.lr, self.hold = name, lr, hold
        self.muon, self.everything = Muon(inner), inner + [p for p, _ in rest]
        parts = sorted({s for _, s in rest})
        self.adam = torch.optim.AdamW([{"params": [p for p, s in rest if s == part], "part": part} for part in parts],
                                      lr=a.lr_adam, betas=(0.9, 0.98), weight_decay=0.01, fused=a.device == "cuda")
        self.step, self.sums, self.seen, self.log = 0, [], 0, []
        self.start = self.last = None

    @property
    def progress(self):
        return 0.0 if self.start is None else (time.time() - self.start) / self.seconds

    def take(self, loss, extra, count):
        loss.backward()
        for p in self.everything:
            if p.grad is None:  # a step of stills doesn't touch the temporal module
                p.grad = torch.zeros_like(p)
        norm = nn.utils.clip_grad_norm_(self.everything, 1.0, foreach=True)
        progress = self.progress
        rate = min(1, (self.step + 1) / 100) * (1 if progress < self.hold else max(0.01, (1 - progress) / (1.001 - self.hold)))
        for g in self.adam.param_groups:
            g["lr"] = self.a.lr_adam * rate * g["part"]
        self.adam.step()
        self.muon.step(self.lr * rate)
        for p in self.everything:
            p.grad = None
        for average, model in zip(self.averages, self.models):
            follow(average, model, self.step, 0.998)
        self.step, self.seen = self.step + 1, self.seen + count
        if self.step == 3:  # what came before compiled
            if self.a.device == "cuda":
                torch.cuda.synchronize()
            self.start = self.last = time.time()
        self.sums.append(torch.stack([loss.detach(), extra.detach(), norm]))
        if self.step % 200 == 0 or self.step in (1, 10, 50):
            m, now = torch.stack(self.sums).mean(0).tolist(), time.time()
            self.log.append([self.step, round(m[0], 4)])
            pace = len(self.sums) * count / max(1e-3, now - self.last) if self.last else 0
            say(f"{self.name} step {self.step} progress {progress:.3f} loss {m[0]:.4f} probe {m[1]:.3f} norm {m[2]:.2f} {pace:.0f}/s")
            self.sums, self.last = [], now


def split(model):
    """(inner, rest): matrices and kernels of the blocks go to Muon."""
    inner = [p for n, p in model.named_parameters()
             if p.requires_grad and p.dim() >= 2 and ("blocks" in n or "mid_block" in n) and "time_emb_proj" not in n]
    ids = {id(p) for p in inner}
    return inner, [p for p in model.parameters() if p.requires_grad and id(p) not in ids]


def copy_of(make, model):
    average = make()
    average.load_state_dict(model.state_dict())
    return average.to(next(model.parameters()).device).requires_grad_(False).eval()


class ImageModel:
    def __init__(self, a, pieces):
        self.a, self.pieces, self.root = a, pieces, roots(a.device)
        self.unet, self.encoder = make_unet().to(a.device), text.make("sd15", pieces).to(a.device)
        self.probes = Probes(self.unet).to(a.device)
        if a.device == "cuda":
            self.unet.to(memory_format=torch.channels_last)

    def losses(self, x0, cover, states, motion, time_, noise):
        a = self.root[time_].view(-1, 1, 1, 1)
        s = (1 - a * a).sqrt()
        with torch.autocast(self.a.device, torch.bfloat16):
            said = self.unet(a * x0 + s * noise, time_, states, return_dict=False)[0]
        probe = self.probes.loss(motion)
        square = (said.float() - (a * noise - s * x0)) ** 2
        loss = (weighted(square, cover, self.a.sprites) * weigh(a.flatten())).mean()
        return loss, probe

    def compile(self):
        """Compiles on noise, before there is an autoencoder."""
        count, c = self.a.images, UNET["in_channels"]
        self.compiled = torch.compile(self.losses, dynamic=False) if self.a.device == "cuda" else self.losses
        inputs = self.fake(count, c)
        try:
            loss, probe = self.compiled(*inputs)
            (loss + probe).backward()
        except Exception:
            traceback.print_exc()
            say("not compiled")
            self.compiled, self.probes.heard = self.losses, []
        for m in (self.unet, self.encoder, self.probes):
            m.zero_grad(set_to_none=True)
        say("image step ready")

    def fake(self, count, c):
        device = self.a.device
        return (torch.randn(count, c, *LATENT, device=device), torch.zeros(count, *LATENT, device=device),
                torch.randn(count, 77, 192, device=device).bfloat16().requires_grad_(),
                torch.zeros(count, dtype=torch.long, device=device), torch.full((count,), 500, device=device), torch.randn(count, c, *LATENT, device=device))

    def train(self, pool):
        a = self.a
        self.averages = [copy_of(make_unet, self.unet), copy_of(lambda: text.make("sd15", self.pieces), self.encoder)]
        inner, rest = split(self.unet)
        rest = [(p, 1.0) for p in rest] + [(p, 0.3) for p in self.encoder.parameters()] + [(p, 1.0) for p in self.probes.parameters()]
        go = Descent(a, inner, rest, [self.unet, self.encoder], self.averages, a.image_seconds, "image", a.lr)
        encoding = 0
        while (progress := go.progress) < 1:
            if go.start and encoding < a.encode_share * (time.time() - go.start) and progress < 0.9:
                begin = time.time()
                pool.add()
                torch.cuda.synchronize() if a.device == "cuda" else None
                encoding += time.time() - begin
            x0, cover, tokens, labels = pool.draw_frames(a.images)
            tokens, motion = unprompt(tokens, self.pieces, labels[:, LABELS.index("motion")])
            time_ = (1000 * even(a.images, a.device)).long().clamp(0, 999)
            with torch.autocast(a.device, torch.bfloat16):
                states, _ = text.hear(self.encoder, tokens, self.pieces)
            loss, probe = self.compiled(x0, cover, states.bfloat16(), motion, time_, torch.randn_like(x0))
            go.take(loss + a.probe * probe, probe, a.images)
        say("image model:", go.step, "steps,", go.seen, "frames seen, pool", pool.total)
        return {"steps": go.step, "frames_seen": go.seen, "clips_drawn": pool.total, "seconds": a.image_seconds, "loss": go.log}


class MotionStage:
    def __init__(self, a, pieces):
        """The motion module starts without effect."""
        self.a, self.pieces, self.root = a, pieces, roots(a.device)
        self.model = join(make_unet(), make_motion()).to(a.device)
        if a.device == "cuda":
            self.model.to(memory_format=torch.channels_last)
        self.moving = [(n, p) for n, p in self.model.named_parameters() if "motion_modules" in n]
        self.model.requires_grad_(False)
        for _, p in self.moving:
            p.requires_grad_(True)

    def losses(self, x0, cover, states, time_, noise):
        b = len(x0)
        a = self.root[time_].view(b, 1, 1, 1, 1)
        s = (1 - a * a).sqrt()
        x = (a * x0 + s * noise).transpose(1, 2)
        with torch.autocast(self.a.device, torch.bfloat16):
            said = self.model(x, time_, states.repeat_interleave(FRAMES, 0, output_size=b * FRAMES), return_dict=False)[0]
        square = (said.float().transpose(1, 2) - (a * noise - s * x0)) ** 2
        each = weighted(square.flatten(0, 1), cover.flatten(0, 1), self.a.sprites).view(b, FRAMES).mean(1)
        return (each * weigh(a.flatten())).mean()

    def compile(self):
        self.compiled = torch.compile(self.losses, dynamic=False) if self.a.device == "cuda" else self.losses
        n, device = self.a.clips, self.a.device
        inputs = (torch.randn(n, FRAMES, 4, *LATENT, device=device), torch.zeros(n, FRAMES, *LATENT, device=device),
                  torch.randn(n, 77, 192, device=device).bfloat16(), torch.full((n,), 500, device=device),
                  torch.randn(n, FRAMES, 4, *LATENT, device=device))
        try:
            self.compiled(*inputs).backward()
        except Exception:
            traceback.print_exc()
            say("not compiled")
            self.compiled = self.losses
        self.model.zero_grad(set_to_none=True)
        say("motion step ready")

    def train(self, pool, unet, encoder):
        """unet, encoder: the image model, which stays as it is."""
        a, self.encoder = self.a, encoder
        missing, unknown = self.model.load_state_dict(unet.state_dict(), strict=False)
        assert not unknown and all("motion_modules" in k for k in missing)
        holder, average = nn.ParameterList([p for _, p in self.moving]), nn.ParameterList(
            [p.detach().clone() for _, p in self.moving]).requires_grad_(False)
        inner = [p for n, p in self.moving if p.dim() == 2]
        rest = [(p, 1.0) for n, p in self.moving if p.dim() != 2]
        go = Descent(a, inner, rest, [holder], [average], a.motion_seconds, "motion", a.lr_motion)
        encoding = 0
        while (progress := go.progress) < 1:
            if go.start and encoding < 0.5 * a.encode_share * (time.time() - go.start) and progress < 0.9:
                begin = time.time()
                pool.add()
                torch.cuda.synchronize() if a.device == "cuda" else None
                encoding += time.time() - begin
            x0, cover, tokens, _ = pool.draw_clips(a.clips)
            tokens, _ = unprompt(tokens, self.pieces, tokens[:, 0])
            time_ = (1000 * even(a.clips, a.device) ** 0.8).long().clamp(0, 999)
            with torch.no_grad(), torch.autocast(a.device, torch.bfloat16):
                states, _ = text.hear(self.encoder, tokens, self.pieces)
            loss = self.compiled(x0, cover, states.bfloat16(), time_, torch.randn_like(x0))
            go.take(loss, torch.zeros_like(loss), a.clips)
        for (_, p), q in zip(self.moving, average):
            p.data.copy_(q.data)
        say("motion module:", go.step, "steps,", go.seen, "clips seen, pool", pool.total)
        return {"steps": go.step, "clips_seen": go.seen, "clips_drawn": pool.total, "seconds": a.motion_seconds, "loss": go.log}

    def tensors(self):
        """With MotionAdapter's names."""
        return {n: p for n, p in self.moving}


def write(work, stem, tensors, most=7.5e6):
    """fp16, in files of at most 15 MB."""
    parts, size = [{}], 0
    for k, v in tensors.items():
        if size + v.numel() > most:
            parts, size = parts + [{}], 0
        parts[-1][k] = v
        size += v.numel()
    for i, part in enumerate(parts):
        save(f"{work}/{stem}_{i}.safetensors", part, torch.float16)


def read(work, stem):
    tensors, i = {}, 0
    while os.path.exists(f"{work}/{stem}_{i}.safetensors"):
        tensors |= load_file(f"{work}/{stem}_{i}.safetensors")
        i += 1
    return dequantise(tensors, torch.float32)


def arguments(*more):
    p = argparse.ArgumentParser()
    for name, options in more:
        p.add_argument(name, **options)
    p.add_argument("--work", required=True)
    p.add_argument("--words", required=True, help="the tokenizer's folder")
    p.add_argument("--image_seconds", type=float, default=190)
    p.add_argument("--motion_seconds", type=float, default=180)
    p.add_argument("--until", type=float, default=0, help="the Unix time to end at, in place of the seconds of both parts")
    p.add_argument("--first_share", type=float, default=0.53, help="with --until: what the first part gets of the time")
    p.add_argument("--clip_seconds", type=float, default=230)
    p.add_argument("--fill", type=float, default=22)
    p.add_argument("--encode_share", type=float, default=0.08)
    p.add_argument("--images", type=int, default=640)
    p.add_argument("--clips", type=int, default=48)
    p.add_argument("--capacity", type=int, default=49152)
    p.add_argument("--lr", type=float, default=2.5e-3)
    p.add_argument("--lr_motion", type=float, default=3e-3)
    p.add_argument("--lr_adam", type=float, default=1e-3)
    p.add_argument("--sprites", type=float, default=4)
    p.add_argument("--probe", type=float, default=0.1)
    p.add_argument("--workers", type=int, default=5)
    p.add_argument("--device", default="cuda")
    p.add_argument("--tiny", type=int, default=0)
    a = p.parse_args()
    if a.tiny:
        a.images, a.clips, a.capacity = 4, 1, 16  # a trial on a CPU
    return a


def share_time(a):
    if a.until:
        left = a.until - time.time()
        a.image_seconds = a.first_share * left
        a.motion_seconds = a.clip_seconds = (1 - a.first_share) * left
        say(f"{left:.0f} s are left")


def main():
    a = arguments()
    prepare(a.device)
    pieces = Words(a.words).end + 1
    path = f"{a.work}/vae_sd15.safetensors"
    model = ImageModel(a, pieces)
    say("UNet", sum(p.numel() for p in model.unet.parameters()), "text encoder", sum(p.numel() for p in model.encoder.parameters()))
    stage = MotionStage(a, pieces)
    model.compile()
    stage.compile()
    captions = stream(8 if a.tiny else 512, 400, a.words, a.workers, pictures=False, pairs=0.1, hard=True)
    text.learn_words({"sd15": model.encoder}, captions, a.device, pieces, lambda: os.path.exists(path), least=4 if a.tiny else 400)
    del captions
    while not os.path.exists(path):
        time.sleep(0.2)
    pool = LatentPool(load(path, "sd15", a.device), a.words, a.device, a.workers, a.capacity, tiny=a.tiny)
    pool.fill(a.fill)
    share_time(a)
    log = {"image": model.train(pool)}
    write(a.work, "unet", model.averages[0].state_dict())
    write(a.work, "text_encoder", model.averages[1].state_dict())
    record(a.work, "train.json", log)
    log["motion"] = stage.train(pool, *model.averages)
    write(a.work, "motion", stage.tensors())
    record(a.work, "train.json", log)


if __name__ == "__main__":
    main()
