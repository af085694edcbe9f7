"""Stage 3: what the judge sees in clips of 200 prompts.  
python3 evaluate.py generate --work DIR [--diffusers FOLDER] [--precision fp8], then python3 evaluate.py judge ...
--family i2v gives each prompt a picture that the generator drew, `--pictures own` as the prompt's own clip would start,
`still` of the object at rest in the middle; --family cogvideox renders with the CogVideoX miniature.

Prompts are single objects in every background and motion; 40 of them ask for pairs of object and background that training
never showed together. Writes evaluation_NAME.json and contact sheets.
"""
import argparse
import glob
import io
import json
import random
import time

import numpy as np
import torch
from PIL import Image
from safetensors.torch import load_file

import cog_model
import cog_vae_model
import train_i2v
import transformer_model
from render import Renderer
from sampling import generate
from scaled_fp8 import dequantise, quantise
from scenes import FRAMES, SceneSource, load_sprites
from session import SPRITES, contact_sheet, on, prepare, record, say, to_bytes
from train_judge import COLOURS, HEADS, Judge, view
from train_t2v import choose_attention, load_vae, read
from vocabulary import (ANIMALS, BACKGROUND_NAMES, BACKGROUNDS, COLOURED, DIRECTIONS, HELD_OUT, HUES, MOTION_PHRASES, MOTIONS,
                        NAMES, OBJECTS, ONLY_COLOURS, TINTED, VERBS, colour_in)
from adopt import load_folder
from captions import with_article
from cog_vae_model import CogVAE
from vae_model import VAE

SHOWCASE = ["a rocket launching in space", "the earth spinning in outer space", "a watermelon falling on a beach",
            "a smiley face growing bigger in the desert", "a red heart growing bigger in a blue sky",
            "a red car driving to the right on a beach", "a cat jumping up and down on green grass",
            "a robot standing still in the snow", "a panda growing bigger in a forest", "a yellow star spinning in space",
            "a shark swimming to the left underwater", "a purple butterfly flying to the right over a city at night",
            "a unicorn running to the right in a meadow", "an octopus swaying underwater",
            "a dog moving to the left in outer space", "a pizza spinning over the ocean",
            "a snowman swaying in the snow", "a dragon flying to the left at sunset",
            "a penguin walking to the right on a beach", "a train driving to the left in the desert",
            "a green ball bouncing in a park", "a ghost moving in a circle in the night sky",
            "a blue balloon rising in a blue sky with clouds", "a ufo going away in a starry night"]


def make_prompts(count=200, held_out=40, seed=20):
    """[(prompt, labels)]: fixed by the seed; motions and backgrounds in turn, objects drawn at random."""
    rng, rows = random.Random(seed), []
    hidden = sorted(HELD_OUT)
    for i in range(count):
        motion = MOTIONS[i % len(MOTIONS)]
        if i < held_out:
            name, background = hidden[i % len(hidden)]
        else:
            background = BACKGROUND_NAMES[(i // len(MOTIONS) + i) % len(BACKGROUND_NAMES)]
            name = rng.choice([n for n in NAMES if (n, background) not in HELD_OUT])
        index = NAMES.index(name)
        colour = rng.choice(ONLY_COLOURS.get(name, list(HUES))) if name in COLOURED else None
        text = f"{with_article((colour + ' ' if colour else '') + name)} {verb_for(index, motion, rng)} {rng.choice(BACKGROUNDS[background])}"
        rows.append((text, {"object": index, "background": BACKGROUND_NAMES.index(background), "motion": MOTIONS.index(motion),
                            "count": 0, "colour": COLOURS.index(colour), "held_out": i < held_out}))
    return rows


def verb_for(index, motion, rng):
    return rng.choice(VERBS[OBJECTS[index][2]]) + " " + rng.choice(DIRECTIONS[motion]) if motion in DIRECTIONS \
        else rng.choice(MOTION_PHRASES[motion])


def make_clashes(seed=21):
    """As make_prompts: each coloured object in each of its colours, before a background whose words name another colour. The
    studio's first prompt is the first."""
    rng, rows, motions, places = random.Random(seed), [], 0, list(TINTED)
    first = ("heart", "red")
    cast = sorted(((n, c) for n in COLOURED for c in ONLY_COLOURS.get(n, list(HUES))), key=lambda pair: pair != first)
    for name, colour in cast:
        index, phrases = NAMES.index(name), []
        while not phrases or (name, background) in HELD_OUT:
            background, motion = places[rng.randrange(len(places))], MOTIONS[motions % len(MOTIONS)]
            phrases = [p for p in TINTED[background] if colour_in(p) != colour]
        text = f"{with_article(colour + ' ' + name)} {verb_for(index, motion, rng)} {rng.choice(phrases)}"
        if (name, colour) == first:
            text, background, motion = "a red heart growing bigger in a blue sky", "sky", "grow"
        motions += 1
        rows.append((text, {"object": index, "background": BACKGROUND_NAMES.index(background), "motion": MOTIONS.index(motion),
                            "count": 0, "colour": COLOURS.index(colour), "held_out": False}))
    return rows


def pack(frames, path):
    """Clips as the judge sees them, [n, 9, 72, 128, 3] uint8, kept as JPEG pictures of nine frames."""
    out = []
    for clip in frames:
        stream = io.BytesIO()
        Image.fromarray(clip.reshape(-1, clip.shape[2], 3)).save(stream, "jpeg", quality=93, subsampling=0)
        out.append(np.frombuffer(stream.getvalue(), np.uint8))
    np.savez(path, sizes=np.array([len(o) for o in out]), bytes=np.concatenate(out))


def unpack(path):
    archive, at, out = np.load(path), 0, []
    for size in archive["sizes"]:
        picture = np.array(Image.open(io.BytesIO(archive["bytes"][at:at + size].tobytes())))
        out.append(picture.reshape(9, 72, 128, 3))
        at += size
    return torch.from_numpy(np.stack(out)).permute(0, 4, 1, 2, 3).float() / 127.5 - 1


def load_models(a):
    """The models of a work folder, or of a folder in diffusers' layout; with --precision fp8 as they are shipped."""
    transformer, text_encoder = transformer_model.Transformer().to(a.device), transformer_model.make_text_encoder().to(a.device)
    if not a.diffusers:
        read(a.work, transformer, text_encoder)
        vae = load_vae(f"{a.work}/vae.safetensors", a.device)
    else:
        for part, model in (("transformer", transformer), ("text_encoder", text_encoder)):
            tensors = {}
            for path in glob.glob(f"{a.diffusers}/{part}/*.safetensors"):
                tensors.update(load_file(path))
            model.load_state_dict({k: v.float() for k, v in dequantise(tensors).items()})
        config = json.load(open(f"{a.diffusers}/vae/config.json"))
        vae = VAE().to(a.device)
        vae.load_state_dict({k: v.float() for k, v in load_file(f"{a.diffusers}/vae/diffusion_pytorch_model.safetensors").items()})
        vae = vae.eval(), *(torch.tensor(config[k], device=a.device) for k in ("latents_mean", "latents_std"))
    return *round_weights(a, transformer, text_encoder), *vae


class Pictures:
    """The first frames that image to video starts from: of clips with the prompts' labels, drawn with seeds of their own."""

    def __init__(self, a, models, rows, kind, seed=31):
        source = SceneSource(load_sprites(SPRITES)[1], 9000 + seed, held_out=True)
        scenes = []
        for _, l in rows:
            sprite, colour = next((s, c) for s, c in source.variants[l["object"]] if not l["colour"] or c == COLOURS[l["colour"]])
            motion = MOTIONS[l["motion"]] if kind == "own" else "still"
            scenes.append(source.stage(BACKGROUND_NAMES[l["background"]], [(l["object"], sprite, colour)], [motion])[1])
        batch = on(a.device, {k: torch.as_tensor(np.stack([np.asarray(s[k]) for s in scenes])) for k in scenes[0]})
        renderer = Renderer(load_sprites(SPRITES)[0], a.device, seed=seed)
        self.frames = renderer.render(batch, torch.zeros(len(rows), 1, dtype=torch.long, device=a.device))[0]
        self.frames = ((self.frames + 1) * 127.5).round().clamp(0, 255) / 127.5 - 1  # as a picture's file holds them
        self.vae, self.mean, self.std, self.image_encoder, self.latent_frames = *models[2:5], models[5], a.frames

    def given(self, rows):
        frames = self.frames[rows]
        clips = torch.zeros(len(frames), 3, 4 * self.latent_frames - 3, *frames.shape[3:], device=frames.device)
        clips[:, :, 0] = frames[:, :, 0]
        with torch.autocast(frames.device.type, torch.bfloat16):
            z = torch.cat([self.vae.encode(c.to(torch.bfloat16, memory_format=torch.channels_last_3d))[0] for c in clips.split(4)])
            view = train_i2v.see(self.image_encoder, transformer_model.clip_view(frames[:, :, 0]))
        z = (z - self.mean.view(1, 16, 1, 1, 1)) / self.std.view(1, 16, 1, 1, 1)
        return torch.cat([train_i2v.mask_channels(len(z), *z.shape[2:], z.device), z], 1), view

    def kept(self, clips, rows):
        """PSNR of each clip's first frame against its picture."""
        error = (clips[:, :, 0] - self.frames[rows][:, :, 0]).pow(2).mean((1, 2, 3))
        return (10 * torch.log10(4 / error)).tolist()


def load_image_model(a):
    """Transformer, text encoder, autoencoder with its statistics and image encoder of image to video."""
    *vae, text_encoder = train_i2v.load_shared(a.model, a.device)
    transformer = transformer_model.Transformer(in_channels=36, image_dim=transformer_model.IMAGE["image_dim"]).to(a.device)
    image_encoder = transformer_model.make_image_encoder().to(a.device)
    train_i2v.read(a.work, transformer, image_encoder)
    round_weights(a, transformer)
    return transformer, text_encoder, *vae, image_encoder.requires_grad_(False).eval()


def load_cogvideox(a):
    """Transformer, text encoder and autoencoder with its scale, of a work folder or of one in diffusers' layout."""
    transformer, text_encoder = cog_model.CogTransformer().to(a.device), cog_model.make_text_encoder().to(a.device)
    if a.diffusers:
        vae = CogVAE().to(a.device)
        vae.load_state_dict(load_folder(f"{a.diffusers}/vae"))
        mean, std = torch.zeros(16, device=a.device), torch.full((16,), 1 / cog_vae_model.CONFIG["scaling_factor"], device=a.device)
        vae = vae.eval(), mean, std
        for part, model in (("transformer", transformer), ("text_encoder", text_encoder)):
            model.load_state_dict(load_folder(f"{a.diffusers}/{part}"))
    else:
        read(a.work, transformer, text_encoder)
        vae = load_vae(f"{a.work}/vae.safetensors", a.device, "cogvideox")
    return *round_weights(a, transformer, text_encoder), *vae


def round_weights(a, *models):
    for model in models:
        if a.precision == "fp8":
            tensors = dequantise(quantise({k: v.cpu() for k, v in model.state_dict().items()}))
            model.load_state_dict({k: v.float() for k, v in tensors.items()})
        model.requires_grad_(False).eval()
    return models


def name_of(head, label):
    return {"object": NAMES, "background": BACKGROUND_NAMES, "motion": MOTIONS, "count": ["one", "two"],
            "colour": COLOURS}[head][label]


def generate_clips(a, rows):
    if a.device == "cuda":
        choose_attention()
    models = {"wan": load_models, "i2v": load_image_model, "cogvideox": load_cogvideox}[a.family](a)
    render = cog_model.generate if a.family == "cogvideox" else generate
    pictures = Pictures(a, models, rows, a.pictures) if a.family == "i2v" else None
    for guidance in a.guidance:
        start, seen, kept = time.time(), [], []
        for i in range(0, len(rows), a.batch):
            part = slice(i, i + a.batch)
            given = {"given": pictures.given(part)} if pictures else {}
            clips = render(*models[:5], [r[0] for r in rows[part]], a.frames, a.steps, guidance, seed=1000 + i, **given)
            kept += pictures.kept(clips, part) if pictures else []
            if clips.shape[2] != FRAMES:  # a trial run: nine frames all the same
                clips = clips[:, :, torch.linspace(0, clips.shape[2] - 1, 9).long()]
            seen.append(to_bytes(view(clips)))
            if a.device == "cpu":
                pack(np.concatenate(seen), f"{a.work}/clips_{a.title(guidance)}.npz")
                say(i, "of", len(rows))
        pack(np.concatenate(seen), f"{a.work}/clips_{a.title(guidance)}.npz")
        say(a.title(guidance), f"{len(rows)} clips in {time.time() - start:.0f} s")
        if kept:
            record(a.work, f"kept_{a.title(guidance)}.json", {"mean": round(float(np.mean(kept)), 2), "lowest": round(min(kept), 2),
                                                             "below 28 dB": sum(k < 28 for k in kept), "all": [round(k, 1) for k in kept]})
            say("first frame kept:", round(float(np.mean(kept)), 2), "dB, lowest", round(min(kept), 2), sum(k < 28 for k in kept),
                "below 28")
    if a.showcase and not pictures:
        shown = to_bytes(render(*models, SHOWCASE[:a.showcase], a.frames, a.steps, a.guidance[0], seed=42))
        contact_sheet([list(c[::4]) for c in shown], SHOWCASE, f"{a.work}/showcase_{a.name}_{a.precision}.png")


def heard(judge, clips, device="cpu", rows=25):
    """What the judge says of each clip, by head."""
    said = {k: [] for k in HEADS}
    for chunk in clips.split(rows):
        for k, v in judge(chunk.to(device)).items():
            said[k] += v.argmax(1).tolist()
    return said


def shares(said, rows):
    """Per cent right: of all prompts, of pairs held out, of animals, by motion, by colour and by object; and every miss."""
    rate = lambda head, keep: round(100 * float(np.mean([said[head][i] == l[head] for i, (_, l) in enumerate(rows) if keep(l)] or [0])), 1)
    result = {"prompts": len(rows)}
    for group, keep in (("all", lambda l: True), ("held out", lambda l: l["held_out"]),
                        ("animals", lambda l: NAMES[l["object"]] in ANIMALS)):
        result[group] = {k: rate(k, keep) for k in HEADS}
    three = ("object", "motion", "colour")
    result["by motion"] = {m: {k: rate(k, lambda l, m=m: MOTIONS[l["motion"]] == m) for k in three} for m in MOTIONS}
    result["by colour"] = {str(c): {k: rate(k, lambda l, c=c: COLOURS[l["colour"]] == c) for k in three} for c in COLOURS}
    seen = {l["object"] for _, l in rows}
    result["by object"] = {NAMES[o]: {k: rate(k, lambda l, o=o: l["object"] == o) for k in three} for o in sorted(seen)}
    misses = [(i, {k: name_of(k, said[k][i]) for k in HEADS if said[k][i] != l[k]}) for i, (_, l) in enumerate(rows)]
    return result, [{"prompt": rows[i][0], "judge saw": wrong, "held out": rows[i][1]["held_out"]} for i, wrong in misses if wrong]


def sheets(clips, rows, path, step=1):
    """Every `step`th frame of all clips, 50 clips a picture: PATH_0.jpg, PATH_50.jpg …"""
    pictures = ((clips + 1) * 127.5).round().byte().permute(0, 2, 3, 4, 1).numpy()
    for k in range(0, len(rows), 50):
        contact_sheet([list(p[::step]) for p in pictures[k:k + 50]], [f"{k + j} {t[0]}" for j, t in enumerate(rows[k:k + 50])],
                      f"{path}_{k}.jpg", 128)


def judge_clips(a, rows):
    judge = Judge().to(a.device)
    judge.load_state_dict({k: v.float() for k, v in load_file(f"{a.work}/judge.safetensors").items()})
    judge.eval()
    for guidance in a.guidance:
        clips = unpack(f"{a.work}/clips_{a.title(guidance)}.npz")
        part = rows[:len(clips)]
        result, misses = shares(heard(judge, clips, a.device), part)
        result |= {"steps": a.steps, "guidance": guidance}
        if a.family == "i2v":
            with open(f"{a.work}/kept_{a.title(guidance)}.json") as f:
                result["first frame, dB"] = {k: v for k, v in json.load(f).items() if k != "all"}
        record(a.work, f"evaluation_{a.title(guidance)}.json", result | {"misses": misses})
        say(a.title(guidance), result, len(misses), "prompts with a miss")
        sheets(clips, part, f"{a.work}/all_{a.title(guidance)}", 2)


@torch.no_grad()
def main():
    p = argparse.ArgumentParser()
    p.add_argument("what", choices=["generate", "judge"])
    p.add_argument("--work", required=True, help="clips and results go here; holds judge.safetensors and the models")
    p.add_argument("--diffusers", default="", help="take the models from a folder in diffusers' layout instead")
    p.add_argument("--family", default="wan", choices=["wan", "i2v", "cogvideox"])
    p.add_argument("--pictures", default="own", choices=["own", "still"])
    p.add_argument("--model", default="", help="for image to video, the folder of the model that it shares parts with")
    p.add_argument("--precision", default="bf16", choices=["bf16", "fp8"])
    p.add_argument("--name", default="new")
    p.add_argument("--prompts", default="all", choices=["all", "clash"], help="the 200, or those that name two colours")
    p.add_argument("--every", type=int, default=1, help="every nth of the prompts")
    p.add_argument("--steps", type=int, default=20)
    p.add_argument("--guidance", type=float, nargs="+", default=[2.5])
    p.add_argument("--batch", type=int, default=50)
    p.add_argument("--frames", type=int, default=9, help="latent frames")
    p.add_argument("--showcase", type=int, default=24)
    p.add_argument("--device", default="cuda")
    a = p.parse_args()
    a.title = lambda guidance: f"{a.name}_{a.precision}_g{guidance:g}_s{a.steps}"
    prepare(a.device)
    rows = make_clashes() if a.prompts == "clash" else make_prompts()
    {"generate": generate_clips, "judge": judge_clips}[a.what](a, rows[::a.every])


if __name__ == "__main__":
    main()
