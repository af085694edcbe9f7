"""Pictures that training never drew, each going on with three motion buckets from the same noise, as StableVideoDiffusionPipeline does it.

python3 render_svd.py --work DIR     clips_svd.npz for the judge, kept_svd.json, showcase_svd.jpg
"""
import argparse
import io
import time

import numpy as np
import quick
import svd_model
import temporal_vae
import torch
import world
from PIL import Image
from render import Renderer
from render_clips import rounded
from scenes import SceneSource, load_sprites
from session import SPRITES, contact_sheet, on, prepare, record, say, to_bytes
from speed_judge import view
from svd_model import SCHEDULER, told
from train_image import read
from train_svd import given_latents
from vocabulary import MOTIONS, NAMES
from world import FRAMES, LATENT, at_speed, cut

BUCKETS = [60, 128, 230]


def pictures(count, device):
    """First frames [n, 3, 128, 256] as a picture's file holds them, and their scenes."""
    source, rows = SceneSource(load_sprites(SPRITES)[1], 9031, pairs=0.0, held_out=True, loose=0.6), []
    while len(rows) < count:
        scene = source.scene()[1]
        rows += [scene] if scene["motion"] != MOTIONS.index("still") else []
    scenes = on(device, {k: torch.as_tensor(np.stack([np.asarray(r[k]) for r in rows])) for k in rows[0]})
    torch.manual_seed(31)
    moved, times = at_speed(scenes, torch.full((count,), 0.5, device=device))
    frames = cut(Renderer(load_sprites(SPRITES)[0], device, seed=31).render(moved, times[:, :1])[0])[:, :, 0]
    return ((frames + 1) * 127.5).round().clamp(0, 255) / 127.5 - 1, scenes


def pack(clips, path):
    """[n, buckets, 7, 64, 128, 3] uint8, kept as JPEG pictures of seven frames."""
    out = []
    for clip in clips.reshape(-1, *clips.shape[2:]):
        stream = io.BytesIO()
        Image.fromarray(clip.reshape(-1, clip.shape[2], 3)).save(stream, "jpeg", quality=93, subsampling=0)
        out.append(np.frombuffer(stream.getvalue(), np.uint8))
    np.savez(path, sizes=np.array([len(o) for o in out]), bytes=np.concatenate(out), shape=np.array(clips.shape))


def unpack(path):
    archive, at, out = np.load(path), 0, []
    for size in archive["sizes"]:
        out.append(np.array(Image.open(io.BytesIO(archive["bytes"][at:at + size].tobytes()))))
        at += size
    return torch.from_numpy(np.stack(out)).view(*archive["shape"].tolist()).permute(0, 1, 5, 2, 3, 4).float() / 127.5 - 1


class Svd:
    def __init__(self, a):
        self.a = a
        self.unet = rounded(a, read(a.work, "svd_unet"), svd_model.make_unet(), smallest=svd_model.SMALLEST)
        self.encoder = svd_model.make_encoder()
        self.encoder.load_state_dict(read(a.work, "svd_encoder"))
        self.encoder.to(a.device).requires_grad_(False).eval()
        self.vae = temporal_vae.load(f"{a.work}/vae_svd.safetensors", a.device)

    @torch.no_grad()
    def clips(self, shown, buckets, seed, least=1.0, most=3.0):
        """shown [n, 3, 128, 256], a motion bucket each; the same seed is the same noise."""
        from diffusers import EulerDiscreteScheduler
        a, n = self.a, len(shown)
        scheduler = EulerDiscreteScheduler(**SCHEDULER)
        scheduler.set_timesteps(a.steps)
        noise = torch.Generator().manual_seed(seed)
        x = (torch.randn(n, FRAMES, 4, *LATENT, generator=noise) * scheduler.init_noise_sigma).to(a.device)
        torch.manual_seed(seed)
        given = given_latents(self.vae, shown)
        guidance = torch.linspace(least, most, FRAMES, device=a.device).view(1, FRAMES, 1, 1, 1)
        with torch.autocast(a.device, torch.bfloat16):
            seen = svd_model.see(self.encoder, svd_model.clip_view(shown))
            seen, given, ids = torch.cat([seen * 0, seen]), torch.cat([given * 0, given]), told(torch.cat([buckets, buckets]))
            for k, time_ in enumerate(scheduler.timesteps):
                sigma = scheduler.sigmas[k].to(a.device).expand(2 * n)
                v = svd_model.velocity(self.unet, torch.cat([x, x]), sigma, given, seen, ids).float()
                scheduler.scale_model_input(x, time_)
                x = scheduler.step(v[:n] + guidance * (v[n:] - v[:n]), time_, x).prev_sample
        return temporal_vae.decode_scaled(self.vae, x, FRAMES)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True)
    p.add_argument("--pictures", type=int, default=100)
    p.add_argument("--batch", type=int, default=25)
    p.add_argument("--steps", type=int, default=20)
    p.add_argument("--precision", default="fp8", choices=["fp16", "fp8"])
    p.add_argument("--device", default="cuda")
    a = p.parse_args()
    prepare(a.device)
    quick.prepare(a.device)
    model, (shown, scenes) = Svd(a), pictures(a.pictures, a.device)
    start, seen, kept = time.time(), [], []
    for i in range(0, a.pictures, a.batch):
        part, row = shown[i:i + a.batch], []
        for b in BUCKETS:
            clips = model.clips(part, torch.full((len(part),), float(b), device=a.device), 1000 + i)
            kept += (10 * torch.log10(4 / (clips[:, :, 0] - part).pow(2).mean((1, 2, 3)))).tolist()
            row.append(to_bytes(view(clips)))
            if i == 0:
                rows = [list(c[::2]) for c in to_bytes(clips[:8])]
                names = [f"{NAMES[o]}, bucket {b}" for o in scenes["object"][:8].tolist()]
                contact_sheet(rows, names, f"{a.work}/showcase_svd_{b}.jpg")
        seen.append(np.stack(row, 1))
    pack(np.concatenate(seen), f"{a.work}/clips_svd.npz")
    record(a.work, "kept_svd.json", {"mean": round(float(np.mean(kept)), 2), "lowest": round(min(kept), 2),
                                     "below 28 dB": sum(k < 28 for k in kept), "all": [round(k, 1) for k in kept]})
    say(f"{len(kept)} clips in {time.time() - start:.0f} s; first frame {np.mean(kept):.2f} dB, lowest {min(kept):.2f}, "
        f"{sum(k < 28 for k in kept)} below 28")


if __name__ == "__main__":
    main()
