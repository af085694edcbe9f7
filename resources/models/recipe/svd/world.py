"""What this recipe shares with the others, and its clips: a picture of the demo world that goes on at a speed of its own.

14 frames of 256×128, 7 a second. At speed 1 a motion takes place as in the other miniatures' clips; at speed v a clip shows the
share v of it, from a moment of its own on. The motion bucket that the model is told is 255 v.
"""
import os
import sys

import torch

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path += [os.path.join(MODELS, "demo-animatediff", "recipe"), os.path.join(MODELS, "recipe")]

from base import HEIGHT, LATENT, WIDTH, cut  # noqa: E402, F401

FRAMES, FPS = 14, 7
SLOWEST, FASTEST = 0.12, 1.0


def speeds(count, device):
    """Even numbers between the slowest and the fastest speed."""
    u = (torch.randperm(count, device=device) + torch.rand(count, device=device)) / count
    return SLOWEST + (FASTEST - SLOWEST) * u


def bucket(speed):
    return (255 * speed).round()


def at_speed(scenes, speed, frames=FRAMES):
    """Scenes whose paths are cut to clips of `frames` at the given speeds [B]; times to render them at."""
    last = scenes["path"].shape[-1] - 1
    device = speed.device
    begin = torch.rand(len(speed), device=device) * (1 - speed)
    t = last * (begin[:, None] + speed[:, None] * torch.linspace(0, 1, frames, device=device))
    low = t.floor().clamp(0, last - 1).long()
    out = dict(scenes)
    for name in ("path", "camera"):
        v = scenes[name]
        rows = low.view(len(t), *[1] * (v.dim() - 2), frames).expand(*v.shape[:-1], frames)
        share = (t - low).view(rows.shape[0], *[1] * (v.dim() - 2), frames)
        out[name] = torch.lerp(v.gather(-1, rows), v.gather(-1, rows + 1), share)
    return out, torch.arange(frames, device=device)[None].expand(len(t), frames)
