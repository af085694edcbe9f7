"""Stage 2: transformer and text encoder together.  python3 train_t2v.py --work DIR --seconds 1000 [--init DIR --progress 0.5]

Flow matching on latents of clips that are drawn and encoded while training runs. Short clips come first: single frames
teach what things look like at a ninth of the cost, 9 frames then how they move, 33 frames the rest.
"""
import argparse
import os
import time
import traceback

import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import load_file

from muon import Muon
from render import Renderer
from sampling import generate
from scaled_fp8 import dequantise
from scenes import FRAMES, load_sprites
from session import SPRITES, contact_sheet, follow, on, prepare, record, save, say, scene_stream, to_bytes
from train_vae import speed_up
from transformer_model import Transformer, encode_text, make_text_encoder
from vae_model import VAE

PREVIEWS = ["a red car driving to the right on a beach", "a cat bouncing on green grass", "a yellow star spinning in space",
            "a dog moving to the left in outer space", "a robot jumping up and down in the desert",
            "a pizza spinning over the ocean", "a shark swimming to the left underwater", "a panda growing bigger in a forest",
            "a purple butterfly flying to the right over a city at night", "an elephant falling in a blue sky"]


def load_vae(path, device):
    tensors = {k: v.float() for k, v in load_file(path).items()}
    mean, std = tensors.pop("latents_mean").to(device), tensors.pop("latents_std").to(device)
    vae = VAE().to(device)
    vae.load_state_dict(tensors)
    return vae.requires_grad_(False).eval(), mean, std


class LatentPool:
    """Normalised latents, sprite coverage and captions of the last `capacity` clips, replaced oldest first."""

    def __init__(self, vae, mean, std, capacity, device, workers, tiny, seed):
        self.vae, self.capacity, self.device = vae, capacity, device
        self.mean, self.std = mean.view(1, 16, 1, 1, 1), std.view(1, 16, 1, 1, 1)
        self.renderer = Renderer(load_sprites(SPRITES)[0], device, seed=99 + seed)
        self.batch = 4 if tiny else 32
        self.scenes = scene_stream(self.batch, 2 + 10 * seed, workers, tokens=True, pairs=0.1, hard=True)
        self.filled = self.at = self.total = 0
        shape = (9, 18, 32)
        self.latents = torch.empty(capacity, 16, *shape, device=device, dtype=torch.bfloat16)
        self.cover = torch.empty(capacity, *shape, device=device, dtype=torch.bfloat16)
        self.tokens = torch.zeros(capacity, 4, 48, device=device, dtype=torch.long)
        self.times = torch.arange(FRAMES, device=device)[None].expand(self.batch, FRAMES)

    @torch.no_grad()
    def add(self):
        scenes = on(self.device, next(self.scenes))
        clips, mask = self.renderer.render(scenes, self.times)
        with torch.autocast(self.device, torch.bfloat16):
            z = torch.cat([self.vae.encode(c.to(torch.bfloat16, memory_format=torch.channels_last_3d))[0]
                           for c in clips.split(16)])
        if not bool(z.isfinite().all()):
            say("latents not finite: left out, and no more trying of convolution algorithms")
            torch.backends.cudnn.benchmark = False
            return
        cover = F.avg_pool2d(mask, 8)
        cover = torch.cat([cover[:, :1], cover[:, 1:].unflatten(1, (8, 4)).mean(2)], 1)
        if self.at + self.batch > self.capacity:
            self.at = 0
        rows = slice(self.at, self.at + self.batch)
        self.latents[rows], self.cover[rows], self.tokens[rows] = (z - self.mean) / self.std, cover, scenes["tokens"]
        self.at += self.batch
        self.filled, self.total = max(self.filled, self.at), self.total + self.batch

    def state(self):
        rows = slice(self.filled)
        return {"at": self.at, "total": self.total, "rows": [x[rows].cpu() for x in (self.latents, self.cover, self.tokens)]}

    def restore(self, state):
        self.at, self.total, self.filled = state["at"], state["total"], len(state["rows"][0])
        for x, rows in zip((self.latents, self.cover, self.tokens), state["rows"]):
            x[:self.filled] = rows.to(self.device)

    def draw(self, count, frames):
        rows = torch.randint(0, self.filled, (count,), device=self.device)
        tokens = self.tokens[rows, torch.randint(0, 4, (count,), device=self.device)]
        return self.latents[rows, :, :frames].float(), self.cover[rows, :frames].float(), tokens


def plan(progress, step, size, warm):
    """(latent frames, clips) of a step; every tenth step of the long phase is a short one, so that nothing is forgotten.
    A run that starts from trained weights sees whole clips only."""
    if warm:
        return 9, size
    if progress < 0.06:
        return 1, size * 9
    if progress < 0.26 or step % 10 == 9:
        return 3, size * 3
    return 9, size


def choose_attention():
    """Puts the fastest attention kernel of this GPU first."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    times = {}
    q = torch.randn(112, 3, 1296, 128, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
        try:
            with sdpa_kernel(backend), torch.enable_grad():
                for k in range(6):
                    if k == 3:
                        torch.cuda.synchronize()
                        start = time.time()
                    y = F.scaled_dot_product_attention(q, q, q)
                    y.backward(y)
                torch.cuda.synchronize()
            times[backend] = (time.time() - start) / 3
        except RuntimeError as error:
            say("no", backend, str(error)[:80])
    say("attention:", {b.name: f"{t * 1e3:.2f} ms" for b, t in times.items()})
    order = sorted(times, key=times.get) + [SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    torch._C._set_sdp_priority_order([int(b) for b in order])


def write(folder, transformer, text_encoder):
    for name, model in (("transformer", transformer), ("text_encoder", text_encoder)):
        tensors = list(model.state_dict().items())
        size, parts = sum(v.numel() for _, v in tensors), [{}]
        for k, v in tensors:
            if sum(t.numel() for t in parts[-1].values()) + v.numel() > 7e6:  # bf16: parts of at most 14 MB
                parts.append({})
            parts[-1][k] = v
        for i, part in enumerate(parts):
            save(f"{folder}/{name}_{i}.safetensors", part, torch.bfloat16)


def read(folder, transformer, text_encoder):
    import glob
    for name, model in (("transformer", transformer), ("text_encoder", text_encoder)):
        tensors = {}
        for path in sorted(glob.glob(f"{folder}/{name}_*.safetensors")):
            tensors.update(load_file(path))
        model.load_state_dict({k: v.float() for k, v in dequantise(tensors).items()})


def train(a, vae, mean, std):
    device = a.device
    pool = LatentPool(vae, mean, std, 64 if a.tiny else 98304, device, a.workers, a.tiny, a.seed)
    kept = torch.load(a.state, map_location="cpu", mmap=True) if os.path.exists(a.state) else None
    if kept:
        pool.restore(kept["pool"])
    start = time.time()
    while pool.filled < 8 or not kept and time.time() - start < a.fill:
        pool.add()
    say(f"pool {pool.total} clips, {pool.total / (time.time() - start):.0f} clips/s")
    models = [Transformer(layers=2 if a.tiny else 8).to(device), make_text_encoder().to(device)]
    averages = [Transformer(layers=2 if a.tiny else 8).to(device), make_text_encoder().to(device)]
    if a.init:
        read(a.init, *models)
    for average, model in zip(averages, models):
        average.load_state_dict(model.state_dict())
        average.requires_grad_(False).eval()
    if kept:
        for model, tensors in zip(models + averages, kept["models"]):
            model.load_state_dict(tensors)
    transformer, text_encoder = models
    text_encoder.train()
    if device == "cuda":
        choose_attention()
        for block in transformer.blocks:
            block.compile(dynamic=False)
    inner = [p for n, p in transformer.named_parameters() if "blocks." in n and p.dim() == 2]
    ids = {id(p) for p in inner}
    rest, words = [p for p in transformer.parameters() if id(p) not in ids], list(text_encoder.parameters())
    muon = Muon(inner)
    adam = torch.optim.AdamW([{"params": rest, "part": 1.0}, {"params": words, "part": 0.6}], lr=a.lr_adam, betas=(0.9, 0.98),
                             weight_decay=0.01, fused=device == "cuda")
    if kept:
        adam.load_state_dict(kept["adam"])
        for buffer, values in zip(muon.state(), kept["muon"]):
            buffer.copy_(values)
    lengths, odds = torch.tensor([64.0, 226.0, 512.0], device=device), torch.tensor([0.1, 0.1, 0.8], device=device)
    empty = torch.zeros(48, device=device, dtype=torch.long)
    empty[0] = 1
    first, seen = (kept["step"], kept["seen"]) if kept else (0, 0)
    log, sums, step, seen_before, encoding = [], [], first, seen, 0.0
    start = last_say = last_save = time.time()
    seconds = a.until - start if a.until else a.seconds
    while True:
        now = time.time()
        progress = a.progress + (a.progress_to - a.progress) * (now - start) / seconds
        if progress >= a.progress_to:
            break
        if encoding < a.encode_share * (now - start) and progress < 0.93:
            if device == "cuda":
                torch.cuda.synchronize()
            begin = time.time()
            pool.add()
            if device == "cuda":
                torch.cuda.synchronize()
            encoding += time.time() - begin
        frames, count = plan(progress, step, a.clips, bool(a.init))
        x0, cover, tokens = pool.draw(count, frames)
        tokens = torch.where((torch.rand(count, device=device) < 0.12)[:, None], empty[None], tokens)
        u = (torch.randperm(count, device=device) + torch.rand(count, device=device)) / count
        s = 3 * u / (1 + 2 * u)
        noise, sigma = torch.randn_like(x0), s.view(count, 1, 1, 1, 1)
        with torch.autocast(device, torch.bfloat16):
            text, bias = encode_text(text_encoder, tokens, lengths[torch.multinomial(odds, count, True)][:, None])
            v = transformer((1 - sigma) * x0 + sigma * noise, s * 1000, text, bias)
        weight = 1 + 4 * cover
        loss = (((v.float() - (noise - x0)) ** 2).mean(1) * weight).sum() / weight.sum()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(rest + words + inner, 1.0, foreach=True)
        rate = min(1, (step + 1) / 200) * (1 if progress < 0.5 else max(0.02, (1 - progress) / 0.5))
        for g in adam.param_groups:
            g["lr"] = a.lr_adam * rate * g["part"]
        adam.step()
        muon.step(a.lr * rate)
        for p in rest + words + inner:
            p.grad = None
        for average, model in zip(averages, models):
            follow(average, model, step, 0.9985)
        step, seen = step + 1, seen + count
        sums.append(torch.stack([loss.detach(), norm]))
        if step % 200 == 0 or step - first in (1, 10, 50):
            m, t = torch.stack(sums).mean(0).tolist(), time.time()
            log.append([step, frames, round(m[0], 4)])
            say(f"t2v step {step} frames {frames} progress {progress:.3f} loss {m[0]:.4f} norm {m[1]:.2f} "
                f"{(seen - seen_before) / (t - last_say):.0f} clips/s seen {seen // 1000}k pool {pool.total} encoding {encoding:.0f} s")
            sums, last_say, seen_before = [], t, seen
        if time.time() - last_save > a.save_every:
            last_save = time.time()
            write(a.work, *averages)
            if progress > 0.4:
                try:
                    preview(a, averages, vae, mean, std, 9, 12)
                except Exception:
                    traceback.print_exc()
    write(a.work, *averages)
    record(a.work, "t2v.json", {"steps": step, "clips_seen": seen, "clips_drawn": pool.total, "seconds": time.time() - start,
                                "loss": log})
    say("t2v done", step, "steps", seen, "clips seen", pool.total, "drawn")
    if a.state and a.progress_to < 1:
        torch.save({"step": step, "seen": seen, "models": [m.state_dict() for m in models + averages],
                    "adam": adam.state_dict(), "muon": muon.state(), "pool": pool.state()}, a.state + ".part")
        os.replace(a.state + ".part", a.state)
        say("state kept")
    return averages


def preview(a, averages, vae, mean, std, frames, steps):
    clips = to_bytes(generate(*averages, vae, mean, std, PREVIEWS[:2] if a.tiny else PREVIEWS, frames=frames, steps=steps))
    contact_sheet([list(c[::4]) for c in clips], PREVIEWS, f"{a.work}/preview.png")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True, help="holds vae.safetensors; everything is written here")
    p.add_argument("--seconds", type=float, default=1000)
    p.add_argument("--until", type=float, default=0, help="the Unix time to end at, in place of --seconds")
    p.add_argument("--fill", type=float, default=40, help="seconds to draw clips before the first step")
    p.add_argument("--encode_share", type=float, default=0.16, help="share of the time that goes to drawing new clips")
    p.add_argument("--init", default="")
    p.add_argument("--progress", type=float, default=0.0)
    p.add_argument("--progress_to", type=float, default=1.0, help="less than 1 where another run goes on")
    p.add_argument("--state", default="", help="all that a run goes on from, drawn clips too: read if there, written at the end")
    p.add_argument("--seed", type=int, default=0, help="of scenes and noise: another one for every run that goes on")
    p.add_argument("--clips", type=int, default=112)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--lr_adam", type=float, default=1e-3)
    p.add_argument("--save_every", type=float, default=150)
    p.add_argument("--workers", type=int, default=6)
    p.add_argument("--device", default="cuda")
    p.add_argument("--tiny", type=int, default=0)
    a = p.parse_args()
    prepare(a.device, a.seed)
    vae, mean, std = load_vae(f"{a.work}/vae.safetensors", a.device)
    if a.device == "cuda":
        speed_up(vae)
    averages = train(a, vae, mean, std)
    preview(a, averages, vae, mean, std, 2 if a.tiny else 9, 2 if a.tiny else 20)


if __name__ == "__main__":
    main()
