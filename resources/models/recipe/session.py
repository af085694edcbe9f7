"""What every training stage shares: the log, streams of scenes, moving averages of weights and checkpoints."""
import json
import os
import time

import numpy as np
import torch
from PIL import Image, ImageDraw
from safetensors.torch import save_file

from scenes import SceneSource, load_sprites

HERE = os.path.dirname(os.path.abspath(__file__))
SPRITES = os.path.join(HERE, "sprites.npz")
TOKENIZER = os.environ.get("RECIPE_TOKENIZER", os.path.join(HERE, "..", "wan-demo", "tokenizer", "spiece.model"))
STARTED = time.time()


def say(*words):
    print(f"[{time.time() - STARTED:6.1f}]", *words, flush=True)


def prepare(device, seed=0):
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = True
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(seed)
    if device == "cuda":
        torch._dynamo.config.cache_size_limit = 64
        torch._dynamo.config.automatic_dynamic_shapes = False
        say(torch.__version__, torch.cuda.get_device_name())


class _Scenes(torch.utils.data.IterableDataset):
    def __init__(self, batch, seed, tokens, options):
        self.batch, self.seed, self.tokens, self.options = batch, seed, tokens, options

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        torch.set_num_threads(1)
        encode = None
        if self.tokens:
            import sentencepiece
            encode = sentencepiece.SentencePieceProcessor(model_file=TOKENIZER).encode
        source = SceneSource(load_sprites(SPRITES)[1], self.seed * 1000 + (worker.id if worker else 0), **self.options)
        while True:
            yield {k: torch.as_tensor(v) for k, v in source.batch(self.batch, encode).items()}


def scene_stream(batch, seed, workers=6, tokens=False, **options):
    return iter(torch.utils.data.DataLoader(_Scenes(batch, seed, tokens, options), batch_size=None, num_workers=workers,
                                            prefetch_factor=4 if workers else None))


def on(device, batch):
    return {k: v.to(device, non_blocking=True) for k, v in batch.items()}


def fixed_scenes(count, seed, device, **options):
    """The same scenes for every run with this seed: backgrounds in turn, so that each is seen equally often."""
    batch = SceneSource(load_sprites(SPRITES)[1], seed, **options).batch(count)
    batch["background"] = np.arange(count) % 12
    return on(device, {k: torch.as_tensor(v) for k, v in batch.items()})


@torch.no_grad()
def follow(average, model, step, decay):
    """Moves the moving average of the weights towards the model; faster at the start."""
    keep = min(decay, (1 + step) / (10 + step))
    torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 1 - keep)


def save(path, tensors, dtype):
    """Writes a checkpoint so that a kill leaves the earlier one."""
    tensors = {k: v.detach().to(dtype if v.dim() > 0 else v.dtype).cpu().clone().contiguous() for k, v in tensors.items()}
    save_file(tensors, path + ".part", metadata={"format": "pt"})
    os.replace(path + ".part", path)


def record(folder, name, values):
    with open(os.path.join(folder, name), "w") as f:
        json.dump(values, f, indent=1)


def to_bytes(clips):
    """[B, 3, T, H, W] in -1..1 -> uint8 [B, T, H, W, 3]."""
    return ((clips.float().clamp(-1, 1) + 1) * 127.5).round().byte().permute(0, 2, 3, 4, 1).cpu().numpy()


def contact_sheet(rows, labels, path, width=160):
    """rows: lists of frames, uint8 [H, W, 3], one row a clip."""
    height = width * rows[0][0].shape[0] // rows[0][0].shape[1]
    sheet = Image.new("RGB", (max(len(r) for r in rows) * width, len(rows) * (height + 13)), (16, 16, 16))
    draw = ImageDraw.Draw(sheet)
    for i, row in enumerate(rows):
        draw.text((3, i * (height + 13)), labels[i], fill=(255, 255, 255))
        for j, frame in enumerate(row):
            sheet.paste(Image.fromarray(frame).resize((width, height), Image.LANCZOS), (j * width, i * (height + 13) + 12))
    sheet.save(path)
