"""Endless batches of scenes with captions in tokens and labels, drawn by worker processes."""
import os

import base  # noqa: F401
import numpy as np
import torch
from captions import caption
from clip_words import Words
from scenes import SceneSource, load_sprites
from session import SPRITES, TOKENIZER
from vocabulary import BACKGROUND_NAMES, CAMERAS, HUES, MOTIONS

COLOURS = [None] + list(HUES)
VIEWS = [""] + list(CAMERAS)
CAPTIONS, T5_LENGTH, UNKNOWN = 4, 77, -100
LABELS = ("object", "colour", "background", "motion", "camera", "count")


class Captioned(torch.utils.data.IterableDataset):
    """words: a tokenizer's folder; t5: SentencePiece's ids as well; pictures: the arrays that the renderer needs as well."""

    def __init__(self, batch, seed, words, t5, pictures, options):
        self.batch, self.seed, self.words, self.t5, self.pictures, self.options = batch, seed, words, t5, pictures, options

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        torch.set_num_threads(1)
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        words, pieces = Words(self.words), None
        if self.t5:
            import sentencepiece
            pieces = sentencepiece.SentencePieceProcessor(model_file=TOKENIZER).encode
        source = SceneSource(load_sprites(SPRITES)[1], self.seed * 1000 + (worker.id if worker else 0), **self.options)
        while True:
            yield self.draw(source, words, pieces)

    def draw(self, source, words, pieces):
        rows = [source.scene() for _ in range(self.batch)]
        out = {k: torch.as_tensor(np.stack([np.asarray(r[1][k]) for r in rows])) for k in rows[0][1]} if self.pictures else {}
        texts = [[caption(w, source.rng) for _ in range(CAPTIONS)] for w, _ in rows]
        out["tokens"] = torch.tensor([[words(t) for t in ts] for ts in texts], dtype=torch.int16)
        if pieces:
            out["t5"] = torch.tensor([[pad(pieces(t)) for t in ts] for ts in texts], dtype=torch.int16)
        out["labels"] = torch.tensor([labels(w) for w, _ in rows])
        return out


def pad(ids):
    ids = ids[:T5_LENGTH - 1] + [1]
    return ids + [0] * (T5_LENGTH - len(ids))


def labels(words):
    """What a caption says, in the order of LABELS; UNKNOWN where two objects differ."""
    things, motions = words["objects"], set(words["motions"])
    one = len(things) == 1
    return [things[0][0] if one else UNKNOWN, COLOURS.index(things[0][1]) if one else UNKNOWN,
            BACKGROUND_NAMES.index(words["background"]), MOTIONS.index(words["motions"][0]) if len(motions) == 1 else UNKNOWN,
            VIEWS.index(words["camera"]), len(things) - 1]


def stream(batch, seed, words, workers, t5=False, pictures=True, **options):
    return iter(torch.utils.data.DataLoader(Captioned(batch, seed, words, t5, pictures, options), batch_size=None,
                                            num_workers=workers, prefetch_factor=4 if workers else None))
