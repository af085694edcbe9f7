"""Scene specifications: which sprites, where and how they move, in front of what. Pure NumPy, seeded."""
import math
import random

import numpy as np

from captions import caption
from vocabulary import (ANIMALS, BACKGROUND_NAMES, CAMERAS, COLOURED, DETAILED, HARD_MOTION_WEIGHTS, HELD_OUT, MOTION_WEIGHTS,
                        MOTIONS, NAMES, OBJECTS, TINTED, colour_in)

WIDTH, HEIGHT, FRAMES = 256, 144, 33
OFFSCREEN = -999.0  # the x of a second sprite that a scene does not have
MAX_TOKENS = 48


def trajectory(motion, rng, slot, count, kind):
    """Centre x, y and size in pixels and rotation in radians, each [FRAMES], of sprite `slot` of `count`."""
    u, t = rng.uniform, np.linspace(0, 1, FRAMES)
    alone = count == 1
    size = u(66, 88) if alone else u(50, 62)
    x0 = (u(0.42, 0.58) if alone else (0.27, 0.73)[slot] + u(-0.03, 0.03)) * WIDTH
    y0 = (u(0.40, 0.56) if kind in ("fly", "swim") else u(0.50, 0.62)) * HEIGHT
    x, y, s, rotation = np.full(FRAMES, x0), np.full(FRAMES, y0), np.full(FRAMES, size), np.zeros(FRAMES)
    if motion in ("right", "left"):
        span = (u(0.50, 0.66) if alone else u(0.26, 0.34)) * WIDTH
        start = (WIDTH - span) / 2 + u(-0.04, 0.04) * WIDTH if alone else x0 - span / 2
        sign = 1 if motion == "right" else -1
        x = start + span / 2 + sign * span * (t - 0.5)
        if kind == "roll":
            rotation = sign * t * span / (size / 2)
        elif kind == "land":
            y = y0 - abs(np.sin(t * math.pi * 4)) * 4
        elif kind in ("fly", "swim", "sail"):
            y = y0 + np.sin(t * math.pi * 2 + u(0, 6.28)) * 4
    elif motion in ("up", "down"):
        low, high = u(0.72, 0.80) * HEIGHT, u(0.24, 0.32) * HEIGHT
        y = low + (high - low) * (t if motion == "up" else 1 - t)
    elif motion == "bounce":
        y = u(0.66, 0.72) * HEIGHT - u(0.28, 0.36) * HEIGHT * abs(np.sin(math.pi * (2 * t + rng.choice([0.0, 0.5]))))
    elif motion == "spin":
        rotation = rng.choice([-1, 1]) * u(0.65, 0.95) * 2 * math.pi * t + u(-0.2, 0.2)
    elif motion in ("grow", "shrink"):
        small, big = u(0.24, 0.30) * HEIGHT, u(0.80, 0.95) * HEIGHT * (1.0 if alone else 0.65)
        s = small * (big / small) ** (t if motion == "grow" else 1 - t)
        y = np.full(FRAMES, u(0.48, 0.54) * HEIGHT)
    elif motion == "circle":
        radius, phase, way = u(28, 36) if alone else u(22, 28), u(0, 6.28), rng.choice([-1, 1])
        x = x0 + 1.25 * radius * np.cos(phase + way * 2 * math.pi * t)
        y, s = 0.5 * HEIGHT + radius * np.sin(phase + way * 2 * math.pi * t), s * 0.85
    elif motion == "sway":
        swing = np.sin(3 * math.pi * t + u(0, 6.28))
        x, rotation = x0 + swing * 8, swing * u(0.35, 0.5)
    return x, y, s, rotation


def loosen(motion, rng, kind, path):
    """The same motion from a start that doesn't say which it is: people's pictures are not drawn for the motion they ask for."""
    u, t = rng.uniform, np.linspace(0, 1, FRAMES)
    x, y, s, rotation = path
    if motion in ("right", "left"):
        a = u(0.17, 0.64)
        b = u(a + 0.26, max(a + 0.28, 0.86))
        way, sign = a + (b - a) * t, 1 if motion == "right" else -1
        x = WIDTH * (way if sign > 0 else 1 - way)
        if kind == "roll":
            rotation = sign * t * (b - a) * WIDTH / (s / 2)
        return x, y, s, rotation
    x = x + u(-0.16, 0.16) * WIDTH
    if motion in ("up", "down"):
        a = u(0.42, 0.76)
        way = a + (u(0.16, a - 0.22) - a) * t
        y = HEIGHT * (way if motion == "up" else 1 - way)
    elif motion == "grow":
        a = u(0.24, 0.62)
        s = HEIGHT * a * (u(max(1.6 * a, 0.70), 1.04) / a) ** t
    elif motion == "shrink":
        s = HEIGHT * u(0.42, 0.95) * u(0.28, 0.50) ** t
    return x, y, s, rotation


def camera_path(name, rng):
    """Shift x, y in pixels and zoom of the background, [3, FRAMES]."""
    t = np.linspace(0, 1, FRAMES)
    path = np.zeros((3, FRAMES), np.float32)
    path[0], path[1], path[2] = rng.uniform(-6, 6), rng.uniform(-5, 5), 1.0
    if name.startswith("pan"):
        path[0] = (26 - 52 * t) * (1 if name == "pan left" else -1)
    elif name:
        path[2] = 1 + 0.22 * (t if name == "zoom in" else 1 - t)
    return path


class SceneSource:
    """An endless stream of scenes. pairs: share of scenes with two objects; twins: share of those with one object twice.
    hard: more of what a video model finds hard, that is detailed pictures, rare colours, spinning and standing still.
    loose: share of scenes of one object that start anywhere (`loosen`). clash: share of scenes of one coloured object whose captions
    name its colour and the background's, another one."""

    def __init__(self, variants, seed, pairs=0.1, twins=0.0, held_out=False, hard=False, loose=0.0, clash=0.0):
        self.variants, self.rng, self.clash = variants, random.Random(seed), clash
        self.pairs, self.twins, self.held_out, self.loose = pairs, twins, held_out, loose
        much = set(COLOURED) | (DETAILED if hard else set())
        self.weights = [2.0 if n in much else 1.5 if n in ANIMALS else 1.0 for n in NAMES]
        self.motion_weights = HARD_MOTION_WEIGHTS if hard else MOTION_WEIGHTS
        self.usual_colour = 0.2 if hard else 0.35

    def pick_sprite(self):
        rng = self.rng
        o = rng.choices(range(len(OBJECTS)), self.weights)[0]
        choices = self.variants[o]
        sprite, colour = choices[0] if len(choices) == 1 or rng.random() < self.usual_colour else rng.choice(choices)
        return o, sprite, colour

    def pick_cast(self):
        rng = self.rng
        while True:
            background = rng.choice(BACKGROUND_NAMES)
            cast = [self.pick_sprite()]
            if rng.random() < self.pairs:
                cast.append(cast[0] if rng.random() < self.twins else self.pick_sprite())
                if self.twins == 0 and cast[0][0] == cast[1][0]:
                    continue
            if self.held_out or not any((NAMES[o], background) in HELD_OUT for o, _, _ in cast):
                return background, cast

    def pick_clash(self):
        """A coloured object of any of its colours before a background that has a phrase of another colour."""
        rng = self.rng
        while True:
            o = NAMES.index(rng.choice(list(COLOURED)))
            sprite, colour = rng.choice(self.variants[o])
            background = rng.choice(list(TINTED))
            if any(colour_in(phrase) != colour for phrase in TINTED[background]) and \
                    (self.held_out or (NAMES[o], background) not in HELD_OUT):
                return background, [(o, sprite, colour)]

    def scene(self):
        rng = self.rng
        clash = self.clash > 0 and rng.random() < self.clash
        background, cast = self.pick_clash() if clash else self.pick_cast()
        motions = [rng.choices(MOTIONS, self.motion_weights)[0]] * len(cast)
        if len(cast) == 2 and rng.random() < 0.35:
            motions[1] = rng.choice(MOTIONS)
        camera = rng.choice(list(CAMERAS)) if rng.random() < 0.10 else ""
        return self.stage(background, cast, motions, camera, clash)

    def stage(self, background, cast, motions, camera="", clash=False):
        """The words and the arrays of one scene."""
        rng = self.rng
        path, sprites = np.zeros((2, 5, FRAMES), np.float32), np.zeros(2, np.int64)
        path[1, 0], path[1, 2], path[1, 4] = OFFSCREEN, 10, 1
        for j, (o, sprite, _) in enumerate(cast):
            x, y, s, rotation = trajectory(motions[j], rng, j, len(cast), OBJECTS[o][2])
            flip = -1.0 if motions[j] == "right" and OBJECTS[o][3] < 0 else 1.0
            if self.loose and len(cast) == 1 and rng.random() < self.loose:
                x, y, s, rotation = loosen(motions[j], rng, OBJECTS[o][2], (x, y, s, rotation))
                flip = rng.choice([-1.0, 1.0]) if OBJECTS[o][3] else flip
            path[j] = np.stack([x, y, s, rotation, np.full(FRAMES, flip)])
            sprites[j] = sprite
        words = {"objects": [(o, c) for o, _, c in cast], "motions": motions, "background": background, "camera": camera,
                 "clash": clash}
        return words, {"background": BACKGROUND_NAMES.index(background), "sprites": sprites, "path": path,
                       "camera": camera_path(camera, rng), "object": cast[0][0], "motion": MOTIONS.index(motions[0]),
                       "count": len(cast)}

    def batch(self, size, encode=None, captions=4):
        """Arrays for the renderer; with a tokenizer's `encode`, token ids [size, captions, MAX_TOKENS] as well."""
        rows = [self.scene() for _ in range(size)]
        out = {k: np.stack([np.asarray(r[1][k]) for r in rows]) for k in rows[0][1]}
        if encode:
            out["tokens"] = np.zeros((size, captions, MAX_TOKENS), np.int64)
            for i, (words, _) in enumerate(rows):
                for j in range(captions):
                    ids = encode(caption(words, self.rng))[: MAX_TOKENS - 1] + [1]
                    out["tokens"][i, j, : len(ids)] = ids
        return out


def load_sprites(path):
    """Sprites [n, 96, 96, 4] (uint8, premultiplied) and {object: [(sprite, colour or None)]}."""
    archive = np.load(path)
    variants = {}
    for i, (o, c) in enumerate(zip(archive["obj"], archive["col"])):
        variants.setdefault(int(o), []).append((i, str(c) or None))
    return archive["spr"], variants
