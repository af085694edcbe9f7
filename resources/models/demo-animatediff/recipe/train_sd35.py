"""Stage 4: SD 3.5's form, in three processes beside each other that share DIR.

python3 train_sd35.py --part feed  --work DIR --words TOKENIZER --t5 FOLDER     draws clips, encodes them and their captions
python3 train_sd35.py --part words --work DIR --words TOKENIZER                 CLIP's encoders learn their words
python3 train_sd35.py --part train --work DIR --words TOKENIZER --t5 FOLDER     trains and, with --guidance, renders the evaluation's clips
python3 train_sd35.py --part warm  …                                            optional: fills the compiler's cache for the second half

First single frames, then clips with the temporal module, everything learning; every sixth step of the second half is one of
single frames without the module, so that stills stay good. The T5 encoder is the CogVideoX miniature's and stays as it is.
Wants DIR/vae_sd35.safetensors of stage 1. --init DIR2 goes on from earlier weights.
"""
import os
import time
import traceback

import base  # noqa: F401
import sd35_model
import text
import torch
from base import FRAMES, LATENT
from captioned import T5_LENGTH, stream
from clip_words import Words
from image_vae import load
from latent_pool import LatentPool, even
from sd35_model import CONFIG, SHIFT, listen, make_t5, make_temporal, make_transformer, velocity
from session import prepare, record, say
from train_image import Descent, arguments, copy_of, read, share_time, split, weighted, write

UNPROMPTED, WITHOUT_T5 = 0.12, 0.15
STEMS = ("transformer", "clip_l", "clip_g", "temporal")
HEARD = 2  # captions of a clip whose T5 states are kept


@torch.no_grad()
def hear_t5(t5, ids, device):
    with torch.autocast(device, torch.bfloat16):
        return t5(input_ids=ids).last_hidden_state.bfloat16()


def feed(a):
    """Writes pieces of the pool, first as fast as it can, then one every a.pause seconds."""
    folder = f"{a.work}/feed"
    os.makedirs(folder, exist_ok=True)
    pool = LatentPool(load(f"{a.work}/vae_sd35.safetensors", "sd35", a.device), a.words, a.device, a.workers,
                      4 if a.tiny else 192, t5=True, tiny=a.tiny)
    t5, count = make_t5(a.t5).to(a.device), 0
    while time.time() < a.until:
        for _ in range(pool.capacity // pool.batch):
            pool.add()
        ids = pool.t5[:, :HEARD].flatten(0, 1).long()
        piece = {"latents": pool.latents, "cover": pool.cover, "tokens": pool.tokens[:, :HEARD],
                 "t5": hear_t5(t5, ids, a.device).view(-1, HEARD, *([T5_LENGTH, CONFIG["joint_attention_dim"]]))}
        torch.save({k: v.cpu() for k, v in piece.items()}, f"{folder}/part")
        os.replace(f"{folder}/part", f"{folder}/{count:05d}.pt")
        count += 1
        if count % 10 == 0:
            say("fed", count * pool.capacity)
        if count * pool.capacity >= a.rush:
            time.sleep(a.pause)


class FedPool:
    """What feed writes, on the training's device."""

    def __init__(self, a):
        self.a, self.filled, self.at, self.total, self.next = a, 0, 0, 0, 0
        n, device = a.capacity, a.device
        self.rows = {"latents": torch.empty(n, FRAMES, 16, *LATENT, device=device, dtype=torch.bfloat16),
                     "cover": torch.empty(n, FRAMES, *LATENT, device=device, dtype=torch.bfloat16),
                     "tokens": torch.zeros(n, HEARD, 77, device=device, dtype=torch.int16),
                     "t5": torch.zeros(n, HEARD, T5_LENGTH, CONFIG["joint_attention_dim"], device=device, dtype=torch.bfloat16)}

    def poll(self, most=1):
        for _ in range(most):
            path = f"{self.a.work}/feed/{self.next:05d}.pt"
            if not os.path.exists(path):
                return
            piece = torch.load(path)
            count = len(piece["tokens"])
            if self.at + count > self.a.capacity:
                self.at = 0
            for k, v in piece.items():
                self.rows[k][self.at:self.at + count] = v.to(self.a.device, non_blocking=True)
            os.remove(path)
            self.at, self.next, self.total = self.at + count, self.next + 1, self.total + count
            self.filled = max(self.filled, self.at)

    def draw(self, count, frame):
        """Latents [n, 16, C, h, w] and coverage, or of one frame a clip; tokens and T5's states of one caption a clip."""
        rows = torch.randint(0, self.filled, (count,), device=self.a.device)
        which = torch.randint(0, HEARD, (count,), device=self.a.device)
        x, cover = self.rows["latents"], self.rows["cover"]
        if frame:
            t = torch.randint(0, FRAMES, (count,), device=self.a.device)
            x, cover = x[rows, t], cover[rows, t]
        else:
            x, cover = x[rows].flatten(0, 1), cover[rows].flatten(0, 1)
        return x.float(), cover.float(), self.rows["tokens"][rows, which].long(), self.rows["t5"][rows, which]


class Sd35:
    def __init__(self, a, pieces):
        self.a, self.pieces, device = a, pieces, a.device
        self.makers = [make_transformer, lambda: text.make("clip_l", pieces), lambda: text.make("clip_g", pieces), make_temporal]
        self.models = [m().to(device) for m in self.makers]
        self.transformer, self.clip_l, self.clip_g, self.temporal = self.models
        self.run_block = sd35_model.run_block
        if a.init:
            for stem, model in zip(STEMS, self.models):
                missing, unknown = model.load_state_dict(read(a.init, stem), strict=False)
                assert not unknown and all("pos_embed" in k for k in missing), missing

    def losses(self, x0, cover, states, pooled, s, noise, clips):
        """x0 [n, C, h, w] of single frames, or of the frames of clips one after the other; s: one number a prompt."""
        n, each = len(x0), len(x0) // len(states)
        sigma = s.repeat_interleave(each, 0, output_size=n)
        with torch.autocast(self.a.device, torch.bfloat16):
            states, pooled = (v.repeat_interleave(each, 0, output_size=n) for v in (states, pooled))
            at = sigma.view(n, 1, 1, 1)
            said = velocity(self.transformer, self.temporal if clips else None, (1 - at) * x0 + at * noise, sigma * 1000,
                            states, pooled, each, self.run_block)
        return weighted((said.float() - (noise - x0)) ** 2, cover, self.a.sprites).mean()

    def draw(self, pool, clips):
        a = self.a
        count = a.clips if clips else a.images
        x0, cover, tokens, t5_states = pool.draw(count, not clips)
        drop = torch.rand(count, device=a.device) < UNPROMPTED
        empty = torch.full_like(tokens, self.pieces - 1)
        empty[:, 0] = self.pieces - 2
        tokens = torch.where(drop[:, None], empty, tokens)
        t5_states = torch.where(drop[:, None, None], self.silence, t5_states)
        t5_states = t5_states * (torch.rand(count, device=a.device) >= WITHOUT_T5)[:, None, None]
        u = even(count, a.device)
        with torch.autocast(a.device, torch.bfloat16):
            states, pooled = listen(self.clip_l, self.clip_g, t5_states, tokens, self.pieces)
        return x0, cover, states.bfloat16(), pooled.bfloat16(), SHIFT * u / (1 + (SHIFT - 1) * u), torch.randn_like(x0)

    def listen_to_nothing(self):
        ids = torch.zeros(1, T5_LENGTH, dtype=torch.long, device=self.a.device)
        ids[:, 0] = 1
        self.silence = hear_t5(make_t5(self.a.t5).to(self.a.device), ids, self.a.device)

    def compile(self, clips):
        """The blocks alone, of which there are three kinds: quicker than the whole."""
        a, device, width = self.a, self.a.device, CONFIG["joint_attention_dim"]
        if device != "cuda":
            return
        if self.run_block is sd35_model.run_block:
            self.run_block = torch.compile(sd35_model.run_block, dynamic=False)
        n = a.clips if clips else a.images
        inputs = (torch.randn(a.images, 16, *LATENT, device=device), torch.zeros(a.images, *LATENT, device=device),
                  torch.randn(n, 154, width, device=device).bfloat16().requires_grad_(),
                  torch.randn(n, width, device=device).bfloat16().requires_grad_(),
                  torch.full((n,), 0.5, device=device), torch.randn(a.images, 16, *LATENT, device=device), clips)
        try:
            self.losses(*inputs).backward()
        except Exception:
            traceback.print_exc()
            say("not compiled")
            self.run_block = sd35_model.run_block
        for m in self.models:
            m.zero_grad(set_to_none=True)
        say("step ready", "clips" if clips else "images")

    def train(self, pool, seconds, name, with_clips, averages, hold):
        a, models = self.a, self.models if with_clips else self.models[:3]
        inner, rest = split(self.transformer)
        if with_clips:
            i, r = split(self.temporal)
            inner, rest = inner + i, rest + r
        rest = [(p, 1.0) for p in rest] + [(p, 0.3) for m in (self.clip_l, self.clip_g) for p in m.parameters()]
        go = Descent(a, inner, rest, models, averages[:len(models)], seconds, name, a.lr, hold)
        while go.progress < 1:
            if go.step % 8 == 0:
                pool.poll()
            clips = with_clips and go.step % 6 != 5
            loss = self.losses(*self.draw(pool, clips), clips)
            go.take(loss, torch.zeros_like(loss), a.clips if clips else a.images)
        say(name, go.step, "steps,", go.seen, "examples seen, pool", pool.total)
        return {"steps": go.step, "examples_seen": go.seen, "clips_drawn": pool.total, "seconds": seconds, "loss": go.log}


def learn_words(a, pieces):
    names = ("clip_l", "clip_g")
    encoders = {k: text.make(k, pieces).to(a.device) for k in names}
    captions = stream(8 if a.tiny else 512, 400, a.words, a.workers, pictures=False, pairs=0.1, hard=True)
    text.learn_words(encoders, captions, a.device, pieces, lambda: time.time() > a.until, least=4 if a.tiny else 300)
    for k in names:
        write(a.work, k, encoders[k].state_dict())
    open(f"{a.work}/words_done", "w").close()


def train(a, pieces):
    a.images = a.clips * FRAMES  # both halves' batches have as many frames
    model = Sd35(a, pieces)
    say("transformer, CLIP-L, CLIP-G, temporal module:", [sum(p.numel() for p in m.parameters()) for m in model.models])
    if a.part == "warm":
        return model.compile(True)
    model.listen_to_nothing()
    model.compile(False)
    while not a.init and not os.path.exists(f"{a.work}/words_done"):
        time.sleep(0.2)
    if not a.init:
        for stem, encoder in zip(STEMS[1:3], model.models[1:3]):
            encoder.load_state_dict(read(a.work, stem))
    pool = FedPool(a)
    while pool.filled < (2 if a.tiny else 1500):
        pool.poll()
        time.sleep(0.02)
    pool.poll(100)
    say("pool", pool.total)
    share_time(a)
    averages = [copy_of(make, m) for make, m in zip(model.makers, model.models)]
    log = {}
    if a.image_seconds:
        log["image"] = model.train(pool, a.image_seconds, "image", False, averages, 1.0)
    before = time.time()
    model.compile(True)
    log["clips"] = model.train(pool, max(1, a.clip_seconds - (time.time() - before)), "clips", True, averages, 0.35)
    for stem, average in zip(STEMS, averages):
        write(a.work, stem, dict(average.named_parameters()))
    record(a.work, "train_sd35.json", log)


def render(a):
    """Sooner than by starting render_clips.py."""
    import render_clips
    a.form, a.spacing, a.precision, a.without_t5, a.batch, a.until = "sd35", "", "fp8", 0, 25, a.render_until
    render_clips.render_all(a)


def main():
    a = arguments(("--part", dict(choices=["feed", "words", "train", "warm"], default="train")), ("--t5", dict(default="")),
                  ("--init", dict(default="")), ("--rush", dict(type=int, default=12000)), ("--pause", dict(type=float, default=4)),
                  ("--guidance", dict(type=float, nargs="*", default=[])), ("--render_until", dict(type=float, default=0)),
                  ("--showcase", dict(type=int, default=0)), ("--steps", dict(type=int, default=20)),
                  ("--every", dict(type=int, default=1)))
    prepare(a.device)
    pieces = Words(a.words).end + 1
    if a.part == "feed":
        feed(a)
    elif a.part == "words":
        learn_words(a, pieces)
    else:
        train(a, pieces)
        if a.part == "train" and a.guidance:
            render(a)


if __name__ == "__main__":
    main()
