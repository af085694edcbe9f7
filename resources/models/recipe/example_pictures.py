"""Draws the pictures that image to video is tried with, at seeds that no training draws: python3 example_pictures.py ../../prompts

Writes pictures/NAME.png and demo-i2v.json: the words of demo.json and, for each picture, prompts that suit it.
"""
import json
import os
import sys

import numpy as np
import torch
from PIL import Image

from render import Renderer
from scenes import SceneSource, load_sprites
from session import SPRITES
from vocabulary import BACKGROUND_NAMES, NAMES

# name of the file, object, colour, background, prompts
PICTURES = [
    ("rocket-space", "rocket", None, "space", ["a rocket launching in space", "a rocket spinning in space"]),
    ("red-car-beach", "car", "red", "beach", ["a red car driving to the left on a beach", "a red car driving to the right on a beach"]),
    ("panda-forest", "panda", None, "forest", ["a panda growing bigger in a forest", "a panda swaying in a forest"]),
    ("ghost-night", "ghost", None, "night", ["a ghost moving in a circle in the night sky", "a ghost shrinking in the night sky"]),
    ("pizza-grass", "pizza", None, "grass", ["a pizza spinning in a park", "a pizza bouncing in a park"]),
    ("octopus-underwater", "octopus", None, "underwater", ["an octopus swaying underwater", "an octopus rising underwater"]),
]


def main():
    out = sys.argv[1]
    os.makedirs(f"{out}/pictures", exist_ok=True)
    sprites, variants = load_sprites(SPRITES)
    source, renderer, listed = SceneSource(variants, 77001, held_out=True), Renderer(sprites, "cpu", seed=77), []
    for name, thing, colour, background, prompts in PICTURES:
        o = NAMES.index(thing)
        sprite = next(s for s, c in variants[o] if c == colour)
        scene = source.stage(background, [(o, sprite, colour)], ["still"])[1]
        batch = {k: torch.as_tensor(np.asarray(v)[None]) for k, v in scene.items()}
        clip, _ = renderer.render(batch, torch.zeros(1, 1, dtype=torch.long))
        picture = ((clip[0, :, 0] + 1) * 127.5).round().clamp(0, 255).byte().permute(1, 2, 0).numpy()
        Image.fromarray(picture).save(f"{out}/pictures/{name}.png", optimize=True)
        listed.append({"file": f"pictures/{name}.png", "prompts": prompts})
        assert background in BACKGROUND_NAMES
    with open(f"{out}/demo.json") as f:
        words = json.load(f)["words"]
    guide = {"words": words, "suggestions": [p for row in listed for p in row["prompts"][:1]], "pictures": listed}
    with open(f"{out}/demo-i2v.json", "w") as f:
        json.dump(guide, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
