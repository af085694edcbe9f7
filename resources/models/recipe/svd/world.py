"""What this recipe shares with the others, and its clips: a picture of the demo world that goes on at a speed of its own.

14 frames of 256×128, 7 a second. A clip shows a share of a motion of the other miniatures' clips, from a moment of its own on. Its speed is how
many pixels the object's outline moves from frame to frame, whatever the motion, as a share of `SWIFT`: what can be seen in the clip alone. The
motion bucket that the model is told is 255 times the speed.
"""
import os
import sys

import torch

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path += [os.path.join(MODELS, "demo-animatediff", "recipe"), os.path.join(MODELS, "recipe")]

from base import HEIGHT, LATENT, WIDTH, cut  # noqa: E402, F401

FRAMES, FPS = 14, 7
SWIFT = 8.0  # pixels from frame to frame


def shares(count, device):
    """Even numbers between the least and the whole share of a motion that a clip shows."""
    u = (torch.randperm(count, device=device) + torch.rand(count, device=device)) / count
    return 0.12 + 0.88 * u


def bucket(speed):
    return (255 * speed).round()


def outline_steps(path):
    """Pixels that the first object's outline moves in each step: its centre, its turning and its growing. [B, steps]"""
    x, y, size, rotation = (path[:, 0, k] for k in range(4))
    arm = 0.35 * size[:, 1:]
    return torch.hypot(x.diff(dim=1), y.diff(dim=1)) + arm * rotation.diff(dim=1).abs() + 0.5 * size.diff(dim=1).abs()


def paced(scenes):
    """Clips of scenes whose objects move, at speeds as even as their motions allow: scenes, times and speeds [B] in 0..1."""
    whole = outline_steps(scenes["path"]).sum(1)
    u = 0.05 + 0.95 * torch.rand_like(whole)
    scenes, times = at_speed(scenes, (u * SWIFT * (FRAMES - 1) / whole.clamp_min(1)).clamp(0.04, 1))
    return scenes, times, (outline_steps(scenes["path"]).mean(1) / SWIFT).clamp_max(1)


def at_speed(scenes, speed, frames=FRAMES):
    """Scenes whose paths are cut to clips of `frames` that show the given shares [B] of a motion; times to render them at."""
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
