"""Stage 5: image to video, from the text-to-video model.  python3 train_i2v.py --work DIR --model ../wan-demo --seconds 400

Wan 2.1's layout: beside the noisy latents 4 channels that say which frames are given and 16 of the latents of a clip that is
the given frame and then grey, and in every cross-attention a second one over CLIP's view of the picture. Text encoder and
autoencoder stay as they are. Most scenes start anywhere, so that the picture doesn't give the motion away.
"""
import argparse

import torch
from safetensors.torch import load_file

from adopt import load_folder
from descent import Task, add_arguments, descend, fill
from ranks import Ranks
from scaled_fp8 import dequantise
from session import prepare, save, say
from train_t2v import LatentPool, choose_attention, even, weighted
from train_vae import speed_up
from transformer_model import (CLIP_CONFIG, IMAGE, Transformer, clip_view, encode_text, make_image_encoder, make_text_encoder,
                               see)
from vae_model import VAE


def load_shared(folder, device):
    """The parts that image to video shares with the model that it comes from: autoencoder, its statistics, text encoder."""
    import json
    vae, text_encoder = VAE().to(device), make_text_encoder().to(device)
    vae.load_state_dict(load_folder(f"{folder}/vae"))
    text_encoder.load_state_dict(load_folder(f"{folder}/text_encoder"))
    with open(f"{folder}/vae/config.json") as f:
        config = json.load(f)
    mean, std = (torch.tensor(config[k], device=device) for k in ("latents_mean", "latents_std"))
    return vae.requires_grad_(False).eval(), mean, std, text_encoder.requires_grad_(False).eval()


def mask_channels(count, frames, h, w, device):
    """[count, 4, frames, h, w]: 1 where the first frame is given. A latent frame stands for four."""
    mask = torch.zeros(count, 4, frames, h, w, device=device)
    mask[:, :, 0] = 1
    return mask


class GivenPool(LatentPool):
    """Beside the latents, those of the first frame followed by grey, and what CLIP sees of it."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        side = CLIP_CONFIG["image_size"]
        self.given = torch.empty_like(self.latents)
        self.views = torch.empty(self.capacity, 3, side, side, dtype=torch.uint8, device=self.device)

    def given_latents(self, clips):
        grey = torch.zeros_like(clips)
        grey[:, :, 0] = clips[:, :, 0]
        return self.encode(grey)

    def keep(self, rows, clips):
        self.given[rows], self.views[rows] = self.given_latents(clips), clip_view(clips[:, :, 0])


class ImageToVideo(Task):
    name = "i2v"

    def __init__(self, a, text_encoder, pool):
        layers = 2 if a.tiny else 8
        models, averages = ([Transformer(layers=layers, in_channels=IMAGE["in_channels"], image_dim=IMAGE["image_dim"]).to(a.device),
                             make_image_encoder().to(a.device)] for _ in range(2))
        if a.init:
            read(a.init, *models)
        else:
            tensors = load_folder(f"{a.model}/transformer")
            models[0].start_from({k: v for k, v in tensors.items() if not k.startswith("blocks.") or int(k.split(".")[1]) < layers})
        super().__init__(models, averages, pool)
        self.a, self.text_encoder = a, text_encoder
        self.odds = torch.tensor([0.1, 0.1, 0.8], device=a.device)
        self.lengths = torch.tensor([64.0, 226.0, 512.0], device=a.device)

    def blocks(self):
        return self.models[0].blocks

    def loss(self, progress, step):
        count, device = self.a.clips, self.a.device
        x0, cover, tokens, rows = self.pool.draw(count, 9)
        u = even(count, device)
        s = 3 * u / (1 + 2 * u)
        noise, sigma = torch.randn_like(x0), s.view(count, 1, 1, 1, 1)
        given = self.pool.given[rows].float()
        with torch.autocast(device, torch.bfloat16):
            keys = self.lengths[torch.multinomial(self.odds, count, True)][:, None]
            with torch.no_grad():
                text, bias = encode_text(self.text_encoder, tokens, keys)
            picture = see(self.models[1], self.pool.views[rows])
            x = torch.cat([(1 - sigma) * x0 + sigma * noise, mask_channels(count, *given.shape[2:], device), given], 1)
            v = self.models[0](x, s * 1000, text, bias, picture)
        return weighted((v.float() - (noise - x0)) ** 2, cover), count

    def write(self):
        write(self.a.work, *self.averages)


def write(folder, transformer, image_encoder):
    save(f"{folder}/i2v_transformer.safetensors", transformer.state_dict(), torch.bfloat16)
    save(f"{folder}/i2v_image_encoder.safetensors", image_encoder.state_dict(), torch.float16)


def read(folder, transformer, image_encoder):
    transformer.load_state_dict({k: v.float() for k, v in dequantise(load_file(f"{folder}/i2v_transformer.safetensors")).items()})
    image_encoder.load_state_dict({k: v.float() for k, v in load_file(f"{folder}/i2v_image_encoder.safetensors").items()})


def main():
    p = argparse.ArgumentParser()
    add_arguments(p)
    p.add_argument("--model", required=True, help="the text-to-video model's folder")
    p.set_defaults(progress=0.3, clips=96, encode_share=0.25, save_every=60, previews=0)
    a = p.parse_args()
    ranks = Ranks(a.device)
    prepare(a.device, a.seed)
    *vae, text_encoder = load_shared(a.model, a.device)
    if a.device == "cuda":
        speed_up(vae[0])
        choose_attention()
    pool = GivenPool(*vae, 64 if a.tiny else 65536, a.device, a.workers, a.tiny, a.seed + 100 * ranks.rank, loose=0.7)
    fill(pool, a.fill)
    task = ImageToVideo(a, text_encoder, pool)
    say("parameters", sum(p.numel() for p in task.models[0].parameters()), sum(p.numel() for p in task.models[1].parameters()))
    torch.manual_seed(a.seed + 100 * ranks.rank)
    descend(a, ranks, task)
    ranks.finish()


if __name__ == "__main__":
    main()
