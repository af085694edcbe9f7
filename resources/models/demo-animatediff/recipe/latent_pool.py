"""Latents, sprites' coverage, captions and labels of the last `capacity` clips of 16 frames, replaced oldest first."""
import time

import base
import torch
import torch.nn.functional as F
from base import FRAMES, LATENT, TIMES, cut
from captioned import CAPTIONS, LABELS, stream
from image_vae import encode_scaled
from render import Renderer
from scenes import load_sprites
from session import SPRITES, on, say


class LatentPool:
    def __init__(self, vae, words, device, workers, capacity, t5=False, tiny=0, seed=2):
        self.vae, self.device, self.capacity = vae, device, capacity
        self.batch = 2 if tiny else 48
        self.renderer = Renderer(load_sprites(SPRITES)[0], device, seed=99 + seed)
        self.scenes = stream(self.batch, seed, words, workers, t5, pairs=0.1, hard=True)
        self.filled = self.at = self.total = 0
        self.latents = torch.empty(capacity, FRAMES, vae.config.latent_channels, *LATENT, device=device, dtype=torch.bfloat16)
        self.cover = torch.empty(capacity, FRAMES, *LATENT, device=device, dtype=torch.bfloat16)
        self.tokens = torch.zeros(capacity, CAPTIONS, 77, device=device, dtype=torch.int16)
        self.t5 = torch.zeros(capacity, CAPTIONS, 77, device=device, dtype=torch.int16) if t5 else None
        self.labels = torch.zeros(capacity, len(LABELS), device=device, dtype=torch.long)
        self.times = torch.tensor(TIMES, device=device)[None].expand(self.batch, FRAMES)

    @torch.no_grad()
    def add(self):
        scenes = on(self.device, next(self.scenes))
        clips, mask = self.renderer.render(scenes, self.times, chunk=48)
        frames = cut(clips).transpose(1, 2).flatten(0, 1)
        z = torch.cat([encode_scaled(self.vae, part) for part in frames.split(256)])
        if not bool(z.isfinite().all()):
            say("latents not finite: left out")
            return
        if self.at + self.batch > self.capacity:
            self.at = 0
        rows = slice(self.at, self.at + self.batch)
        self.latents[rows] = z.view(self.batch, FRAMES, *z.shape[1:])
        self.cover[rows] = F.avg_pool2d(cut(mask), 8)
        self.tokens[rows], self.labels[rows] = scenes["tokens"], scenes["labels"]
        if self.t5 is not None:
            self.t5[rows] = scenes["t5"]
        self.at += self.batch
        self.filled, self.total = max(self.filled, self.at), self.total + self.batch

    def fill(self, seconds):
        start = time.time()
        while self.filled < self.batch or time.time() - start < seconds:
            self.add()
        say(f"pool {self.total} clips, {self.total / max(time.time() - start, 1e-3):.0f} clips/s")

    def pick(self, count):
        rows = torch.randint(0, self.filled, (count,), device=self.device)
        return rows, torch.randint(0, CAPTIONS, (count,), device=self.device)

    def draw_frames(self, count):
        """Latents [n, C, h, w], coverage [n, h, w] of single frames, tokens [n, 77] and labels."""
        rows, which = self.pick(count)
        time_ = torch.randint(0, FRAMES, (count,), device=self.device)
        return self.latents[rows, time_].float(), self.cover[rows, time_].float(), self.texts(rows, which), self.labels[rows]

    def draw_clips(self, count):
        """The same with all frames: [n, 16, C, h, w] and [n, 16, h, w]."""
        rows, which = self.pick(count)
        return self.latents[rows].float(), self.cover[rows].float(), self.texts(rows, which), self.labels[rows]

    def texts(self, rows, which):
        tokens = self.tokens[rows, which].long()
        return tokens if self.t5 is None else (tokens, self.t5[rows, which].long())


def even(count, device):
    """Numbers in 0..1, one in each of `count` equal parts."""
    return (torch.randperm(count, device=device) + torch.rand(count, device=device)) / count
