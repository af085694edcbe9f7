"""Draws batches of scenes on the GPU: a procedural background, moved by the camera, under one or two sprites."""
import math

import torch
import torch.nn.functional as F

from scenes import HEIGHT, OFFSCREEN, WIDTH
from vocabulary import BACKGROUND_NAMES

CANVAS_W, CANVAS_H = 320, 180  # the background is larger than the frame, so that the camera can move over it


def mix(a, b, t):
    return a + (b - a) * t


def smoothstep(e0, e1, x):
    t = ((x - e0) / (e1 - e0)).clamp(0, 1)
    return t * t * (3 - 2 * t)


class Backgrounds:
    """One method a background: n canvases [n, 3, CANVAS_H, CANVAS_W] in 0..1, each different."""

    def __init__(self, device, seed):
        self.device = device
        self.generator = torch.Generator(device=device).manual_seed(seed)
        self.y = torch.linspace(0, 1, CANVAS_H, device=device).view(1, 1, CANVAS_H, 1)
        self.x = torch.linspace(0, 1, CANVAS_W, device=device).view(1, 1, 1, CANVAS_W)
        k = torch.tensor([0.2, 0.75, 1.0, 0.75, 0.2], device=device)
        self.dot = (k[:, None] * k[None]).view(1, 1, 5, 5)

    def draw(self, name, n):
        canvas = getattr(self, name)(n).expand(n, 3, CANVAS_H, CANVAS_W)
        return (canvas * self.uniform(n, 0.94, 1.06) + self.uniform(n, -0.02, 0.02)).clamp(0, 1)

    # -- ingredients
    def rand(self, *shape):
        return torch.rand(*shape, device=self.device, generator=self.generator)

    def uniform(self, n, a, b):
        return a + (b - a) * self.rand(n, 1, 1, 1)

    def colour(self, r, g, b):
        return torch.tensor((r, g, b), device=self.device).view(1, 3, 1, 1)

    def noise(self, n, rows, cols, mode="bicubic"):
        corners = {} if mode == "nearest" else {"align_corners": False}
        return F.interpolate(self.rand(n, 1, rows, cols), size=(CANVAS_H, CANVAS_W), mode=mode, **corners)

    def fractal(self, n, rows, cols, octaves=4):
        total, weight = 0, 0
        for i in range(octaves):
            k = 0.55**i
            total, weight = total + k * self.noise(n, rows * 2**i, cols * 2**i), weight + k
        return total / weight

    def stars(self, n, above):
        seeds = (self.rand(n, 1, CANVAS_H, CANVAS_W) > above).float() * (0.5 + 0.5 * self.rand(n, 1, CANVAS_H, CANVAS_W))
        return F.conv2d(seeds, self.dot, padding=2).clamp(0, 1)

    # -- backgrounds
    def sky(self, n):
        base = mix(self.colour(0.22, 0.52, 0.93), self.colour(0.66, 0.85, 1.0), self.y)
        cloud = self.colour(0.97, 0.98, 1.0) - 0.12 * smoothstep(0.6, 0.8, self.fractal(n, 4, 6, 2))
        return mix(base, cloud, smoothstep(0.50, 0.64, self.fractal(n, 3, 4)))

    def beach(self, n):
        c, y, u = self.colour, self.y, self.uniform
        horizon, shore = u(n, 0.30, 0.36), u(n, 0.54, 0.60) + 0.02 * torch.sin(self.x * u(n, 8, 14) + u(n, 0, 6))
        sky = mix(c(0.42, 0.74, 0.98), c(0.80, 0.93, 1.0), y / 0.35)
        sea = mix(c(0.05, 0.50, 0.72), c(0.25, 0.80, 0.82), (y - horizon) / 0.25) + 0.10 * (self.noise(n, 40, 10) - 0.5)
        sand = c(0.95, 0.85, 0.62) + 0.10 * (self.fractal(n, 8, 12, 3) - 0.5) - 0.10 * (y - 0.6)
        out = mix(mix(sky, sea, smoothstep(-0.004, 0.004, y - horizon)), sand, smoothstep(-0.006, 0.006, y - shore))
        return mix(out, c(1.0, 1.0, 1.0), 0.9 * torch.exp(-(((y - shore) / 0.012) ** 2)))

    def forest(self, n):
        c, y, u = self.colour, self.y, self.uniform
        out = mix(c(0.05, 0.22, 0.08), c(0.28, 0.55, 0.18), smoothstep(0.3, 0.75, self.fractal(n, 6, 10))) * (1.05 - 0.25 * y)
        for i in range(7):
            d = (self.x - (i + 0.5) / 7 - u(n, -0.05, 0.05)) / u(n, 0.010, 0.022)
            bark = c(0.36, 0.23, 0.12) * (1 - 0.45 * (d + 0.2).clamp(-1, 1).abs() + 0.2 * (self.noise(n, 30, 60) - 0.5))
            out = mix(out, bark, smoothstep(1.1, 0.9, d.abs()))
        floor = c(0.16, 0.34, 0.10) + 0.12 * (self.fractal(n, 12, 24, 2) - 0.5)
        out = mix(out, floor, smoothstep(0.80, 0.84, y + 0.04 * (self.noise(n, 1, 6) - 0.5)))
        leaves = mix(c(0.07, 0.32, 0.10), c(0.30, 0.62, 0.20), smoothstep(0.35, 0.7, self.fractal(n, 7, 12, 3)))
        return mix(out, leaves, smoothstep(0.27, 0.23, y + 0.12 * (self.noise(n, 2, 9) - 0.5)))

    def desert(self, n):
        c, x, y, u = self.colour, self.x, self.y, self.uniform
        out = mix(c(0.40, 0.70, 0.95), c(0.98, 0.90, 0.74), y / 0.5)
        for top, sand in ((0.44, (0.95, 0.77, 0.47)), (0.58, (0.90, 0.66, 0.36)), (0.74, (0.84, 0.56, 0.28))):
            h = top + 0.05 * torch.sin(x * u(n, 4, 9) + u(n, 0, 6.28)) + 0.02 * torch.sin(x * 17 + u(n, 0, 6))
            light = 0.10 * torch.cos(x * u(n, 5, 9) + u(n, 0, 6)) * torch.exp(-(y - h).abs() * 6)
            out = mix(out, c(*sand) + light + 0.03 * torch.sin((y - h) * 160 + 4 * x), smoothstep(-0.004, 0.004, y - h))
        return out

    def night(self, n):
        out = mix(self.colour(0.02, 0.04, 0.16), self.colour(0.14, 0.18, 0.42), self.y) + self.stars(n, 0.9986)
        hills = 0.86 - 0.10 * self.noise(n, 1, 7)
        return mix(out, self.colour(0.02, 0.05, 0.06), smoothstep(-0.006, 0.006, self.y - hills))

    def space(self, n):
        c = self.colour
        purple, blue = (smoothstep(a, b, self.fractal(n, 3, 4)) for a, b in ((0.42, 0.75), (0.45, 0.8)))
        return c(0.03, 0.01, 0.06) + c(0.45, 0.12, 0.55) * purple + c(0.05, 0.18, 0.5) * blue + self.stars(n, 0.9980)

    def ocean(self, n):
        c, x, y = self.colour, self.x, self.y
        horizon = self.uniform(n, 0.26, 0.32)
        sky, d = mix(c(0.55, 0.80, 0.97), c(0.88, 0.95, 1.0), y / 0.3), (y - horizon).clamp_min(0)
        wave = torch.sin((d + 0.03) ** 0.5 * 70 + 3 * self.noise(n, 6, 8) + 2 * torch.sin(x * 9))
        glitter = 0.22 * smoothstep(0.72, 0.9, self.noise(n, 45, 26)) * (0.3 + d)
        sea = mix(c(0.12, 0.48, 0.76), c(0.02, 0.20, 0.46), d / 0.7) + 0.06 * wave * (0.4 + d) + glitter
        return mix(sky, sea, smoothstep(-0.004, 0.004, y - horizon))

    def snow(self, n):
        c, y = self.colour, self.y
        out = mix(c(0.60, 0.77, 0.93), c(0.90, 0.95, 1.0), y / 0.5)
        ridge = 0.48 - 0.30 * self.noise(n, 1, 6, "bilinear") - 0.03 * self.noise(n, 1, 30, "bilinear")
        rock = mix(c(0.93, 0.96, 1.0), c(0.50, 0.62, 0.78), ((y - ridge) / 0.22).clamp(0, 1))
        out = mix(out, rock, smoothstep(-0.005, 0.005, y - ridge))
        field = c(0.95, 0.97, 1.0) - 0.10 * self.fractal(n, 4, 6, 3) - 0.06 * (y - 0.5)
        out = mix(out, field, smoothstep(-0.006, 0.006, y - 0.50 - 0.05 * self.noise(n, 1, 5)))
        return mix(out, c(1.0, 1.0, 1.0), 0.9 * self.stars(n, 0.9988))

    def sunset(self, n):
        c, x, y = self.colour, self.x, self.y
        out = mix(c(0.32, 0.14, 0.44), c(0.96, 0.42, 0.22), y / 0.45)
        out = mix(out, c(1.0, 0.78, 0.35), ((y - 0.4) / 0.28).clamp(0, 1))
        out = mix(out, c(0.95, 0.45, 0.45), 0.6 * smoothstep(0.55, 0.75, self.fractal(n, 9, 3, 3)) * (1 - y))
        sun = self.uniform(n, 0.3, 0.7)
        r = (((x - sun) * CANVAS_W / CANVAS_H) ** 2 + (y - 0.66) ** 2) ** 0.5
        out = mix(out, c(1.0, 0.95, 0.66), smoothstep(0.135, 0.12, r)) + 0.25 * torch.exp(-r * 5) * c(1.0, 0.6, 0.2)
        path = 0.35 + 0.45 * torch.sin(y * 190 + 5 * self.noise(n, 4, 6)).clamp_min(0)
        sea = mix(c(0.62, 0.25, 0.28), c(0.20, 0.08, 0.24), (y - 0.68) / 0.3)
        sea = sea + c(0.9, 0.5, 0.2) * torch.exp(-(((x - sun) / 0.09) ** 2)) * path
        return mix(out, sea, smoothstep(-0.004, 0.004, y - 0.69))

    def city(self, n):
        c, y = self.colour, self.y
        out = mix(c(0.03, 0.04, 0.14), c(0.30, 0.16, 0.36), y)
        lamps = (self.rand(n, 1, 18, 32) > 0.5).float() * (0.6 + 0.4 * self.rand(n, 1, 18, 32))
        lit = F.interpolate(lamps, size=(CANVAS_H, CANVAS_W), mode="nearest")
        row = torch.arange(CANVAS_H, device=self.device).view(1, 1, -1, 1) % 10
        col = torch.arange(CANVAS_W, device=self.device).view(1, 1, 1, -1) % 10
        window = ((row > 1) & (row < 8) & (col > 1) & (col < 7)).float() * lit
        for low, high, grey, houses, light in ((0.25, 0.60, 0.16, 16, 0.5), (0.45, 0.80, 0.08, 8, 0.95)):
            roof = self.noise(n, 1, houses, "nearest") * (high - low) + low
            wall = c(grey * 0.8, grey, grey * 1.7) * (0.7 + 0.6 * self.noise(n, 1, houses, "nearest"))
            out = mix(out, wall + c(1.0, 0.82, 0.40) * window * light, smoothstep(-0.003, 0.003, y - roof))
        return mix(out, c(0.07, 0.07, 0.11), smoothstep(0.90, 0.91, y))

    def grass(self, n):
        c, x, y, u = self.colour, self.x, self.y, self.uniform
        hill = 0.40 + 0.05 * torch.sin(x * u(n, 3, 7) + u(n, 0, 6.28))
        sky = mix(c(0.36, 0.68, 0.97), c(0.80, 0.93, 1.0), y / 0.42)
        sky = mix(sky, c(1.0, 1.0, 1.0), smoothstep(0.56, 0.70, self.fractal(n, 4, 5, 3)) * 0.9)
        blades = 0.22 * (self.noise(n, 30, 90) - 0.5) * (0.3 + y) + 0.12 * (self.fractal(n, 4, 6, 2) - 0.5)
        field = mix(c(0.46, 0.76, 0.22), c(0.18, 0.52, 0.12), (y - 0.4) / 0.6) + blades
        return mix(sky, field, smoothstep(-0.006, 0.006, y - hill))

    def underwater(self, n):
        c, x, y = self.colour, self.x, self.y
        slant = (x + 0.35 * y) * 22 + self.uniform(n, 0, 20)
        ray = (torch.sin(slant) * torch.sin(slant * 0.37 + 1)).clamp_min(0)
        out = mix(c(0.10, 0.66, 0.78), c(0.01, 0.17, 0.38), y)
        out = out + 0.22 * ray * (1 - y) * c(0.7, 1.0, 1.0) * (0.5 + self.noise(n, 1, 14))
        floor = c(0.50, 0.56, 0.42) + 0.12 * (self.fractal(n, 8, 16, 2) - 0.5)
        out = mix(out, floor, smoothstep(-0.01, 0.01, y - 0.86 - 0.05 * self.noise(n, 1, 5)))
        seeds = self.stars(n, 0.9996)
        bubbles = F.conv2d(seeds, torch.ones(1, 1, 3, 3, device=self.device), padding=1).clamp(0, 1)
        return mix(out, c(0.75, 0.95, 1.0), 0.55 * bubbles)


class Renderer:
    def __init__(self, sprites, device, seed=1234):
        self.device, self.backgrounds = device, Backgrounds(device, seed)
        full = torch.as_tensor(sprites).permute(0, 3, 1, 2).float().to(device) / 255
        self.levels = [full, F.avg_pool2d(full, 2), F.avg_pool2d(full, 4)]  # 96, 48 and 24 pixels
        k = torch.exp(-torch.arange(-5, 6, device=device).float() ** 2 / 8)
        k = k / k.sum()
        alpha = F.pad(self.levels[1][:, 3:], (8, 8, 8, 8))  # 64 pixels: 4/3 of the sprite, room for a soft shadow
        self.shadow = F.conv2d(F.conv2d(alpha, k.view(1, 1, 1, -1), padding=(0, 5)), k.view(1, 1, -1, 1), padding=(5, 0))
        self.row = torch.arange(HEIGHT, device=device).view(1, HEIGHT, 1) + 0.5
        self.col = torch.arange(WIDTH, device=device).view(1, 1, WIDTH) + 0.5

    @torch.no_grad()
    def render(self, scenes, times, chunk=16):
        """scenes: SceneSource.batch as tensors on the device; times: frame numbers [B, T].
        Returns clips [B, 3, T, HEIGHT, WIDTH] in -1..1 and the sprites' coverage [B, T, HEIGHT, WIDTH]."""
        count, steps = times.shape
        canvas = torch.zeros(count, 3, CANVAS_H, CANVAS_W, device=self.device)
        background = scenes["background"].tolist()
        for k, name in enumerate(BACKGROUND_NAMES):
            rows = [i for i, b in enumerate(background) if b == k]
            if rows:
                canvas[rows] = self.backgrounds.draw(name, len(rows))
        camera = torch.gather(scenes["camera"], 2, times[:, None].expand(count, 3, steps))
        path = torch.gather(scenes["path"], 3, times[:, None, None].expand(count, 2, 5, steps))
        parts = [self._frames(canvas[i:i + chunk], camera[i:i + chunk], path[i:i + chunk], scenes["sprites"][i:i + chunk])
                 for i in range(0, count, chunk)]
        return torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts])

    def _frames(self, canvas, camera, path, sprites):
        b, _, steps = camera.shape
        n = b * steps
        px, py, zoom = (camera[:, k].reshape(n, 1, 1) for k in range(3))
        grid = torch.stack([((self.col - WIDTH / 2) / zoom + px).expand(n, HEIGHT, WIDTH) / (CANVAS_W / 2),
                            ((self.row - HEIGHT / 2) / zoom + py).expand(n, HEIGHT, WIDTH) / (CANVAS_H / 2)], -1)
        canvas = canvas[:, None].expand(b, steps, 3, CANVAS_H, CANVAS_W).reshape(n, 3, CANVAS_H, CANVAS_W)
        image = F.grid_sample(canvas, grid, padding_mode="border", align_corners=False)
        mask = torch.zeros(n, 1, HEIGHT, WIDTH, device=self.device)
        for j in (1, 0):
            x, y, size, rotation, flip = (path[:, j, k].reshape(n, 1, 1) for k in range(5))
            if float(x.max()) <= OFFSCREEN:
                continue
            which = sprites[:, j, None].expand(b, steps).reshape(n)
            shadow = F.grid_sample(self.shadow[which], self._grid(x + 4, y + 6, size * 4 / 3, rotation, flip),
                                   align_corners=False)
            grid = self._grid(x, y, size, rotation, flip)
            level = torch.log2(96 / size.clamp_min(1)).clamp(0, 2).view(n, 1, 1, 1)
            weights = [(1 - level).clamp(0, 1), 1 - (level - 1).abs(), (level - 1).clamp(0, 1)]
            sprite = sum(w * F.grid_sample(texture[which], grid, align_corners=False)
                         for w, texture in zip(weights, self.levels))
            image = image * (1 - 0.30 * shadow)
            image = image * (1 - sprite[:, 3:]) + sprite[:, :3]
            mask = torch.maximum(mask, sprite[:, 3:])
        clips = (image * 2 - 1).view(b, steps, 3, HEIGHT, WIDTH).permute(0, 2, 1, 3, 4)
        return clips, mask.view(b, steps, HEIGHT, WIDTH)

    def _grid(self, x, y, size, rotation, flip):
        """Where each pixel lies on a sprite of that centre, size and rotation, in grid_sample's -1..1."""
        cos, sin = torch.cos(rotation), torch.sin(rotation)
        dx, dy = self.col - x, self.row - y
        return torch.stack([(cos * dx + sin * dy) * flip * 2 / size, (cos * dy - sin * dx) * 2 / size], -1)
