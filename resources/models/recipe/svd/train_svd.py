"""Stage 2: UNet and vision encoder.  python3 train_svd.py --work DIR --seconds 400; waits for DIR/vae_svd.safetensors of stage 1."""
import argparse
import lzma
import os
import time
import traceback

import quick
import svd_model
import temporal_vae
import torch
import torch.nn.functional as F
import world  # noqa: F401
from image_vae import moments
from latent_pool import even
from render import Renderer
from scenes import load_sprites
from session import SPRITES, on, prepare, record, say, scene_stream
from svd_model import NOISE_AUG, SIDE, told
from train_image import Descent, copy_of, split, weighted, write
from vocabulary import MOTIONS
from world import FRAMES, LATENT, bucket, cut, paced

UNPROMPTED = 0.12


def moving(scenes):
    """The rows whose objects move: at a standstill no speed is to be seen."""
    still = MOTIONS.index("still")
    rows = (scenes["motion"] != still).nonzero()[:, 0]
    return {k: v[rows] for k, v in scenes.items()}


class Pool:
    """Latents of the clips drawn last, of their first pictures, CLIP's views and motion buckets."""

    def __init__(self, a, vae):
        self.a, self.vae, n = a, vae, a.capacity
        self.renderer = Renderer(load_sprites(SPRITES)[0], a.device, seed=99 + a.seed)
        self.scenes = scene_stream(4 if a.tiny else 48, 2 + 20 * a.seed, a.workers, pairs=0.05, hard=True, loose=0.6, held_out=True)
        bf16 = dict(device=a.device, dtype=torch.bfloat16)
        self.rows = {"latents": torch.empty(n, FRAMES, 4, *LATENT, **bf16), "cover": torch.empty(n, FRAMES, *LATENT, **bf16),
                     "given": torch.empty(n, 4, *LATENT, **bf16), "bucket": torch.empty(n, device=a.device),
                     "views": torch.empty(n, 3, SIDE, SIDE, device=a.device, dtype=torch.uint8)}
        self.filled = self.at = self.total = 0

    @torch.no_grad()
    def add(self):
        device = self.a.device
        scenes = moving(on(device, next(self.scenes)))
        count = len(scenes["count"])
        scenes, times, speed = paced(scenes)
        clips, mask = self.renderer.render(scenes, times, chunk=48)
        frames = cut(clips).transpose(1, 2)
        first = ((frames[:, 0] + 1) * 127.5).round().clamp(0, 255) / 127.5 - 1
        latents = torch.cat([temporal_vae.encode_scaled(self.vae, p) for p in frames.flatten(0, 1).split(224)])
        piece = {"latents": latents.unflatten(0, (count, FRAMES)),
                 "cover": F.avg_pool2d(cut(mask), 8), "given": given_latents(self.vae, first), "bucket": bucket(speed),
                 "views": svd_model.clip_view(first)}
        if self.at + count > self.a.capacity:
            self.at = 0
        for k, v in piece.items():
            self.rows[k][self.at:self.at + count] = v
        self.at, self.total = self.at + count, self.total + count
        self.filled = max(self.filled, self.at)

    def draw(self, count):
        rows = torch.randint(0, self.filled, (count,), device=self.a.device)
        return {k: v[rows] if k == "views" else v[rows].float() for k, v in self.rows.items()}


def given_latents(vae, pictures):
    """Of pictures with a little noise, neither sampled nor scaled, as the pipeline has them."""
    with torch.autocast(pictures.device.type, torch.bfloat16):
        return moments(vae, pictures + NOISE_AUG * torch.randn_like(pictures))[0]


class Svd:
    def __init__(self, a):
        self.a = a
        self.makers = [svd_model.make_unet, svd_model.make_encoder]
        self.models = [m().to(a.device) for m in self.makers]
        self.unet, self.encoder = self.models
        if a.init:
            from train_image import read
            for model, stem in zip(self.models, ("svd_unet", "svd_encoder")):
                model.load_state_dict(read(a.init, stem))

    def losses(self, x0, cover, given, views, buckets, sigma, noise, kept):
        with torch.autocast(self.a.device, torch.bfloat16):
            seen = svd_model.see(self.encoder, views) * kept.view(-1, 1, 1)
            at = sigma.view(-1, 1, 1, 1, 1)
            said = svd_model.velocity(self.unet, x0 + at * noise, sigma, given * kept.view(-1, 1, 1, 1), seen, told(buckets))
        square = (said.float() - svd_model.wanted(x0, noise, sigma)) ** 2
        return weighted(square.flatten(0, 1), cover.flatten(0, 1), self.a.sprites).mean()

    def draw(self, pool):
        a, b = self.a, pool.draw(self.a.clips)
        kept = (torch.rand(a.clips, device=a.device) >= UNPROMPTED).float()
        return (b["latents"], b["cover"], b["given"], b["views"], b["bucket"], svd_model.sigmas(even(a.clips, a.device)),
                torch.randn_like(b["latents"]), kept)

    def compile(self):
        n, device = self.a.clips, self.a.device
        kept = f"{self.a.compiled}/compiled.xz" if self.a.compiled else ""
        if kept and os.path.exists(kept):
            try:
                with lzma.open(kept) as f:
                    torch.compiler.load_cache_artifacts(f.read())
            except Exception as problem:
                say("what was compiled before is left out:", repr(problem)[:300])
        self.compiled = torch.compile(self.losses, dynamic=False) if device == "cuda" else self.losses
        fake = (torch.randn(n, FRAMES, 4, *LATENT, device=device), torch.zeros(n, FRAMES, *LATENT, device=device),
                torch.randn(n, 4, *LATENT, device=device), torch.zeros(n, 3, SIDE, SIDE, device=device, dtype=torch.uint8),
                torch.full((n,), 99.0, device=device), torch.ones(n, device=device), torch.randn(n, FRAMES, 4, *LATENT, device=device),
                torch.ones(n, device=device))
        try:
            self.compiled(*fake).backward()
        except Exception:
            traceback.print_exc()
            say("not compiled")
            self.compiled = self.losses
        for m in self.models:
            m.zero_grad(set_to_none=True)
        say("step ready")
        if device == "cuda" and kept and not os.path.exists(kept):
            try:
                with lzma.open(kept + ".part", "wb", preset=3) as f:
                    f.write(torch.compiler.save_cache_artifacts()[0])
                os.replace(kept + ".part", kept)
                say(f"what was compiled is kept: {os.path.getsize(kept) / 1e6:.1f} MB")
            except Exception as problem:
                say("what was compiled isn't kept:", repr(problem)[:300])

    def train(self, pool, seconds):
        a = self.a
        self.averages = [copy_of(make, m) for make, m in zip(self.makers, self.models)]
        inner, rest = split(self.unet)
        go = Descent(a, inner, [(p, 1.0) for p in rest] + [(p, 0.5) for p in self.encoder.parameters()], self.models, self.averages, seconds,
                     "svd", a.lr, hold=a.hold)
        encoding, saved = 0, time.time()
        while (progress := go.progress) < 1:
            if go.start and encoding < a.encode_share * (time.time() - go.start) and progress < 0.93:
                begin = time.time()
                pool.add()
                torch.cuda.synchronize() if a.device == "cuda" else None
                encoding += time.time() - begin
            loss = self.compiled(*self.draw(pool))
            go.take(loss, torch.zeros_like(loss), a.clips)
            if time.time() - saved > 60:
                saved = time.time()
                self.write()
        self.write()
        say("svd", go.step, "steps,", go.seen, "clips seen, pool", pool.total)
        return {"steps": go.step, "clips_seen": go.seen, "clips_drawn": pool.total, "seconds": seconds, "loss": go.log}

    def write(self):
        for average, stem in zip(self.averages, ("svd_unet", "svd_encoder")):
            write(self.a.work, stem, average.state_dict())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True)
    p.add_argument("--seconds", type=float, default=300)
    p.add_argument("--until", type=float, default=0, help="the Unix time to end at, in place of --seconds")
    p.add_argument("--init", default="")
    p.add_argument("--hold", type=float, default=0.35, help="the share of the time at the full rate; 1 where another run goes on from --init")
    p.add_argument("--compiled", default="", help="a folder that keeps the compiled step for another run")
    p.add_argument("--fill", type=float, default=12)
    p.add_argument("--encode_share", type=float, default=0.12)
    p.add_argument("--clips", type=int, default=32)
    p.add_argument("--capacity", type=int, default=12288)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--lr_adam", type=float, default=1e-3)
    p.add_argument("--sprites", type=float, default=4)
    p.add_argument("--seed", type=int, default=0, help="another one for every run that goes on")
    p.add_argument("--workers", type=int, default=5)
    p.add_argument("--device", default="cuda")
    p.add_argument("--tiny", type=int, default=0)
    a = p.parse_args()
    if a.tiny:
        a.clips, a.capacity = 2, 16
    prepare(a.device, a.seed)
    quick.prepare(a.device)
    model, path = Svd(a), f"{a.work}/vae_svd.safetensors"
    say("UNet", sum(p.numel() for p in model.unet.parameters()), "vision encoder", sum(p.numel() for p in model.encoder.parameters()))
    model.compile()
    while not os.path.exists(path):
        if a.until and time.time() > a.until:
            raise SystemExit("no autoencoder came in time")
        time.sleep(0.2)
    pool, start = Pool(a, temporal_vae.load(path, a.device)), time.time()
    while pool.filled < 2 or time.time() - start < a.fill:
        pool.add()
    say(f"pool {pool.total} clips, {pool.total / max(time.time() - start, 1e-3):.0f} clips/s")
    log = model.train(pool, max(1.0, a.until - time.time() - 2) if a.until else a.seconds)
    record(a.work, "train_svd.json", log)


if __name__ == "__main__":
    main()
