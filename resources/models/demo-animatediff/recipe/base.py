"""Finds what this recipe shares with the other demo models': the toy world, its renderer, the judge, Muon, the log."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.environ.get("DEMO_RECIPE", os.path.join(HERE, "..", "..", "recipe"))
sys.path.append(SHARED)

FRAMES = 16  # of a clip, 8 a second: every second one of the toy world's 33
TIMES = list(range(0, 2 * FRAMES, 2))
WIDTH, HEIGHT, MARGIN = 256, 128, 8  # the toy world is 144 high: 8 rows go at the top and at the bottom
LATENT = (HEIGHT // 8, WIDTH // 8)


def cut(pictures):
    """Pictures or masks [..., 144, 256] of the toy world -> [..., 128, 256]."""
    return pictures[..., MARGIN:MARGIN + HEIGHT, :]
