"""Stage 6: the CogVideoX miniature's transformer and text encoder.  python3 train_cogvideox.py --work DIR --seconds 500

DIR/vae.safetensors is what train_vae.py --family cogvideox wrote. v-prediction on CogVideoX's schedule with zero terminal SNR.
"""
import argparse

import torch

import cog_model
from cog_model import CogTransformer, encode_text, make_text_encoder
from descent import Task, add_arguments, descend, fill
from ranks import Ranks
from session import contact_sheet, prepare, say, to_bytes
from train_t2v import PREVIEWS, LatentPool, choose_attention, even, load_vae, read, weighted, write
from train_vae import speed_up


def plan(progress, step, size, whole):
    """(latent frames, clips) of a step: as in stage 2, but that short clips save less, since the text stays as long."""
    if whole:
        return 9, size
    if progress < 0.05:
        return 1, size * 4
    if progress < 0.20 or step % 10 == 9:
        return 3, size * 2
    return 9, size


class CogVideoX(Task):
    name = "cogvideox"

    def __init__(self, a, vae, pool):
        layers = 2 if a.tiny and not a.init else cog_model.CONFIG["num_layers"]
        models, averages = ([CogTransformer(layers).to(a.device), make_text_encoder().to(a.device)] for _ in range(2))
        if a.init:
            read(a.init, *models)
        super().__init__(models, averages, pool)
        self.a, self.vae, self.root = a, vae, cog_model.alphas().float().to(a.device)
        models[1].train()

    def blocks(self):
        return self.models[0].transformer_blocks

    def loss(self, progress, step):
        frames, count = plan(progress, step, self.a.clips, bool(self.a.init) or self.a.whole)
        x0, cover, tokens, _ = self.pool.draw(count, frames)
        time = (1000 * even(count, self.a.device) ** 0.9).long().clamp(0, 999)
        noise, a = torch.randn_like(x0), self.root[time].view(count, 1, 1, 1, 1)
        s = (1 - a * a).clamp_min(0).sqrt()
        with torch.autocast(self.a.device, torch.bfloat16):
            text = encode_text(self.models[1], tokens)
            v = self.models[0](a * x0 + s * noise, time, text)
        return weighted((v.float() - (a * noise - s * x0)) ** 2, cover, self.a.sprites), count

    def write(self):
        write(self.a.work, *self.averages)

    def preview(self):
        few = self.a.tiny
        clips = to_bytes(cog_model.generate(*self.averages, *self.vae, PREVIEWS[:2] if few else PREVIEWS, frames=3 if few else 9,
                                            steps=2 if few else 20))
        contact_sheet([list(c[::4]) for c in clips], PREVIEWS, f"{self.a.work}/preview_cogvideox.jpg")


def main():
    p = argparse.ArgumentParser()
    add_arguments(p)
    p.add_argument("--whole", type=int, default=0, help="1: whole clips from the first step on")
    p.add_argument("--sprites", type=float, default=4, help="how much more an error in a sprite counts")
    p.add_argument("--clash", type=float, default=0, help="share of clips whose captions name two colours, object's and background's")
    p.add_argument("--pool", type=int, default=98304, help="clips that are kept; 16 thousand take 3 GB of the GPU's memory")
    p.set_defaults(save_every=60, encode_share=0.12)
    a = p.parse_args()
    ranks = Ranks(a.device)
    prepare(a.device, a.seed)
    vae = load_vae(f"{a.work}/vae.safetensors", a.device, "cogvideox")
    if a.device == "cuda":
        speed_up(vae[0])
        choose_attention()
    pool = LatentPool(*vae, 64 if a.tiny else a.pool, a.device, a.workers, a.tiny, a.seed + 100 * ranks.rank, clash=a.clash)
    fill(pool, a.fill)
    task = CogVideoX(a, vae, pool)
    say("parameters", sum(p.numel() for p in task.models[0].parameters()), sum(p.numel() for p in task.models[1].parameters()))
    torch.manual_seed(a.seed + 100 * ranks.rank)
    descend(a, ranks, task)
    if ranks.first:
        task.preview()
    ranks.finish()


if __name__ == "__main__":
    main()
