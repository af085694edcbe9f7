"""Draws sprites.npz from the emoji font (Debian: fonts-noto-color-emoji 2.042, python3-pil built with raqm or basic layout).

python3 make_sprites.py /usr/share/fonts/truetype/noto/NotoColorEmoji.ttf sprites.npz
96×96 pixels, premultiplied alpha, 3 pixels of margin; coloured variants by turning the hue of the picture's main colour.
"""
import colorsys
import sys

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from vocabulary import COLOURED, HUES, OBJECTS, ONLY_COLOURS


def emoji(font, code_point):
    image = Image.new("RGBA", (180, 180), (0, 0, 0, 0))
    ImageDraw.Draw(image).text((20, 20), chr(code_point), font=font, embedded_color=True)
    return image


def ball(hue):
    """A shaded ball with a highlight: the one object that is not an emoji."""
    y, x = np.mgrid[0:128, 0:128]
    u, v = (x - 63.5) / 60, (y - 63.5) / 60
    r2 = u * u + v * v
    light = np.clip(-0.45 * u - 0.6 * v + 0.66 * np.sqrt(np.clip(1 - r2, 0, 1)), 0, 1)
    colour = np.array(colorsys.hsv_to_rgb(hue, 0.88, 0.95)) * (0.35 + 0.7 * light[..., None]) + light[..., None] ** 18 * 0.55
    alpha = np.clip((1 - np.sqrt(r2)) * 60, 0, 1)
    return Image.fromarray((np.clip(np.dstack([colour, alpha]), 0, 1) * 255).astype(np.uint8), "RGBA")


def fit(image):
    """Cropped to what is drawn, centred in a square, resized with premultiplied alpha: [96, 96, 4] in 0..1."""
    rows, cols = np.where(np.array(image)[..., 3] > 8)
    image = image.crop((cols.min(), rows.min(), cols.max() + 1, rows.max() + 1))
    side = max(image.size)
    square = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    square.paste(image, ((side - image.size[0]) // 2, (side - image.size[1]) // 2))
    p = np.array(square).astype(np.float32) / 255
    p[..., :3] *= p[..., 3:]
    channels = [np.array(Image.fromarray(p[..., i]).resize((90, 90), Image.LANCZOS)) for i in range(4)]
    out = np.zeros((96, 96, 4), np.float32)
    out[3:93, 3:93] = np.dstack(channels)
    return np.clip(out, 0, 1)


def recolour(sprite, source, target):
    """Turns pixels near the source hue to the target hue; grey ones and other hues stay."""
    alpha = sprite[..., 3:]
    rgb = sprite[..., :3] / np.maximum(alpha, 1e-3)
    out = rgb.copy()
    for i, j in zip(*np.where(alpha[..., 0] >= 0.02)):
        h, s, v = colorsys.rgb_to_hsv(*np.clip(rgb[i, j], 0, 1))
        away = (h - HUES[source] + 0.5) % 1 - 0.5
        if s < 0.18 or abs(away) > 0.16:
            continue
        if target == "yellow":
            v = min(1, v * 1.12)
        if source == "yellow" and target != "orange":
            v *= 0.92
        if target == "pink":
            s, v = s * 0.6, min(1, v * 1.1 + 0.05)
        elif source == "pink":
            s = min(1, s * 1.25)
        out[i, j] = colorsys.hsv_to_rgb((HUES[target] + away * 0.6) % 1, s, v)
    return np.dstack([out * alpha, alpha])


def main():
    font = ImageFont.truetype(sys.argv[1], 109)
    sprites, objects, colours = [], [], []
    for index, (name, code_point, *_) in enumerate(OBJECTS):
        natural = COLOURED.get(name)
        base = fit(ball(HUES[natural]) if code_point < 0 else emoji(font, code_point))
        variants = {natural: base}
        for colour in ONLY_COLOURS.get(name, list(HUES)) if natural else []:
            if colour != natural:
                variants[colour] = fit(ball(HUES[colour])) if code_point < 0 else recolour(base, natural, colour)
        for colour, sprite in variants.items():
            sprites.append(sprite)
            objects.append(index)
            colours.append(colour or "")
    np.savez_compressed(sys.argv[2], spr=(np.stack(sprites) * 255 + 0.5).astype(np.uint8), obj=np.array(objects),
                        col=np.array(colours))


if __name__ == "__main__":
    main()
