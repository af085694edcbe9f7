"""Prompts to clips with the trained parts, as diffusers' pipelines do it, and clips as the judge sees them.

python3 render_clips.py --form sd15|sd35 --work DIR --words TOKENIZER [--t5 FOLDER] --guidance 3 5 [--precision fp8]
"""
import argparse
import io
import time

import base
import numpy as np
import text
import torch
import torch.nn.functional as F
from base import FRAMES, LATENT
from clip_words import Words
from evaluate import SHOWCASE, make_prompts
from image_vae import decode_scaled, load
from PIL import Image
from scaled_fp8 import dequantise
from session import contact_sheet, prepare, say, to_bytes
from train_image import SCHEDULE, join, make_motion, make_unet, read

STILL = "still"  # the image model alone, frames of one prompt with a seed each


def view(clips):
    """Clips [n, 3, 16, 128, 256] as the judge sees them: every second frame, half the size."""
    return F.avg_pool3d(clips[:, :, ::2], (1, 2, 2))


def pack(frames, path):
    """[n, 8, 64, 128, 3] uint8, kept as JPEG pictures of eight frames."""
    out = []
    for clip in frames:
        stream = io.BytesIO()
        Image.fromarray(clip.reshape(-1, clip.shape[2], 3)).save(stream, "jpeg", quality=93, subsampling=0)
        out.append(np.frombuffer(stream.getvalue(), np.uint8))
    np.savez(path, sizes=np.array([len(o) for o in out]), bytes=np.concatenate(out), shape=np.array(frames.shape[1:]))


def unpack(path):
    archive, at, out = np.load(path), 0, []
    for size in archive["sizes"]:
        picture = np.array(Image.open(io.BytesIO(archive["bytes"][at:at + size].tobytes())))
        out.append(picture.reshape(archive["shape"]))
        at += size
    return torch.from_numpy(np.stack(out)).permute(0, 4, 1, 2, 3).float() / 127.5 - 1


def rounded(a, tensors, model, **options):
    """Puts the tensors into the model, rounded as they are shipped."""
    if a.precision == "fp8":
        from model_folders import stored
        tensors = {k: v.float() for k, v in dequantise(stored(tensors, **options)).items()}
    missing, unknown = model.load_state_dict(tensors, strict=False)
    assert not unknown, unknown[:3]
    assert all(k.endswith("pe") or "pos_embed" in k for k in missing), missing[:3]
    return model.to(a.device).requires_grad_(False).eval()


class AnimateDiff:
    """DDIM with the scheduler's own config; still: without the motion module."""

    def __init__(self, a):
        self.a, self.words = a, Words(a.words)
        self.pieces = self.words.end + 1
        self.encoder = rounded(a, read(a.work, "text_encoder"), text.make("sd15", self.pieces))
        self.unet = rounded(a, read(a.work, "unet"), make_unet().cpu())
        self.moving = join(self.unet.cpu(), make_motion())
        motion = read(a.work, "motion")
        assert {k for k in dict(self.moving.named_parameters()) if "motion_modules" in k} == set(motion)
        if a.precision == "fp8":
            from model_folders import stored
            motion = {k: v.float() for k, v in dequantise(stored(motion)).items()}
        self.moving.load_state_dict(motion, strict=False)
        self.moving.to(a.device).requires_grad_(False).eval()
        self.unet.to(a.device)
        self.vae = load(f"{a.work}/vae_sd15.safetensors", "sd15", a.device)

    @torch.no_grad()
    def clips(self, prompts, guidance, seed, still=False):
        from diffusers import DDIMScheduler
        a, n = self.a, len(prompts)
        scheduler = DDIMScheduler(clip_sample=False, steps_offset=1, timestep_spacing=a.spacing, **SCHEDULE)
        scheduler.set_timesteps(a.steps)
        x = torch.randn(n, 4, FRAMES, *LATENT, generator=torch.Generator().manual_seed(seed)).to(a.device)
        with torch.autocast(a.device, torch.bfloat16):
            tokens = torch.tensor([self.words(p) for p in list(prompts) + [""] * n], device=a.device)
            states = text.hear(self.encoder, tokens, self.pieces)[0].repeat_interleave(FRAMES, 0)
            for time_ in scheduler.timesteps.tolist():
                both = torch.cat([x, x])
                at = torch.full((2 * n,), time_, device=a.device)
                if still:
                    v = self.unet(both.transpose(1, 2).flatten(0, 1), at.repeat_interleave(FRAMES), states, return_dict=False)[0]
                    v = v.unflatten(0, (2 * n, FRAMES)).transpose(1, 2).float()
                else:
                    v = self.moving(both, at, states, return_dict=False)[0].float()
                x = scheduler.step(v[n:] + guidance * (v[:n] - v[n:]), time_, x).prev_sample
        frames = x.transpose(1, 2).flatten(0, 1)
        y = torch.cat([decode_scaled(self.vae, part) for part in frames.split(256)])
        return y.unflatten(0, (n, FRAMES)).transpose(1, 2)


class Sd35:
    """FlowMatchEulerDiscreteScheduler, shift 3; still: without the temporal module."""

    def __init__(self, a):
        from sd35_model import make_t5, make_temporal, make_transformer
        self.a, self.words = a, Words(a.words)
        self.pieces = self.words.end + 1
        self.clip_l, self.clip_g = (rounded(a, read(a.work, k), text.make(k, self.pieces)) for k in ("clip_l", "clip_g"))
        self.transformer = rounded(a, read(a.work, "transformer"), make_transformer())
        self.temporal = rounded(a, read(a.work, "temporal"), make_temporal())
        self.t5 = make_t5(a.t5).to(a.device)
        self.vae = load(f"{a.work}/vae_sd35.safetensors", "sd35", a.device)

    @torch.no_grad()
    def clips(self, prompts, guidance, seed, still=False):
        import sentencepiece
        from captioned import pad
        from diffusers import FlowMatchEulerDiscreteScheduler
        from sd35_model import SHIFT, listen, velocity
        from session import TOKENIZER
        a, n = self.a, len(prompts)
        scheduler = FlowMatchEulerDiscreteScheduler(shift=SHIFT)
        scheduler.set_timesteps(a.steps)
        x = torch.randn(n * FRAMES, 16, *LATENT, generator=torch.Generator().manual_seed(seed)).to(a.device)
        words = list(prompts) + [""] * n
        pieces = sentencepiece.SentencePieceProcessor(model_file=TOKENIZER).encode
        with torch.autocast(a.device, torch.bfloat16):
            t5 = self.t5(input_ids=torch.tensor([pad(pieces(p)) for p in words], device=a.device)).last_hidden_state
            t5 = t5 * (0 if a.without_t5 else 1)
            tokens = torch.tensor([self.words(p) for p in words], device=a.device)
            states, pooled = listen(self.clip_l, self.clip_g, t5, tokens, self.pieces)
            states, pooled = (v.repeat_interleave(FRAMES, 0) for v in (states, pooled))
            for time_ in scheduler.timesteps:
                at = time_.to(a.device).expand(2 * n * FRAMES)
                v = velocity(self.transformer, None if still else self.temporal, torch.cat([x, x]), at, states, pooled).float()
                half = n * FRAMES
                x = scheduler.step(v[half:] + guidance * (v[:half] - v[half:]), time_, x).prev_sample
        y = torch.cat([decode_scaled(self.vae, part) for part in x.split(256)])
        return y.unflatten(0, (n, FRAMES)).transpose(1, 2)


FORMS = {"sd15": AnimateDiff, "sd35": Sd35}


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--form", choices=list(FORMS), required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--words", required=True)
    p.add_argument("--t5", default="")
    p.add_argument("--without_t5", type=int, default=0)
    p.add_argument("--guidance", type=float, nargs="+", default=[3.0])
    p.add_argument("--steps", type=int, default=20)
    p.add_argument("--spacing", default="trailing")
    p.add_argument("--every", type=int, default=1, help="every nth of the 200 prompts")
    p.add_argument("--batch", type=int, default=25)
    p.add_argument("--precision", default="fp16", choices=["fp16", "fp8"])
    p.add_argument("--showcase", type=int, default=24)
    p.add_argument("--until", type=float, default=0, help="the Unix time after which no further guidance is begun")
    p.add_argument("--device", default="cuda")
    return p.parse_args()


def render_all(a):
    model, rows = FORMS[a.form](a), make_prompts()[::a.every]
    for guidance in a.guidance:
        if a.until and time.time() > a.until:
            say("no time for guidance", guidance)
            break
        start, seen = time.time(), []
        for i in range(0, len(rows), a.batch):
            seen.append(to_bytes(view(model.clips([r[0] for r in rows[i:i + a.batch]], guidance, 1000 + i))))
        pack(np.concatenate(seen), f"{a.work}/clips_{a.form}_{a.precision}_g{guidance:g}.npz")
        say(f"guidance {guidance:g}: {len(rows)} clips in {time.time() - start:.0f} s")
    shown = SHOWCASE[:a.showcase]
    for kind in ("moving", STILL) if shown else ():
        clips = torch.cat([model.clips(shown[i:i + 8], a.guidance[0], 42, kind == STILL) for i in range(0, len(shown), 8)])
        contact_sheet([list(c[::2]) for c in to_bytes(clips)], shown, f"{a.work}/showcase_{a.form}_{kind}.jpg")


def main():
    a = arguments()
    prepare(a.device)
    render_all(a)


if __name__ == "__main__":
    main()
