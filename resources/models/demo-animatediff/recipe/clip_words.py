"""CLIP's tokenizer with a small vocabulary: byte-pair encoding with `</w>`, 512 bytes, merges, two marks.

python3 clip_words.py --out FOLDER --pad '<|endoftext|>'   writes vocab.json, merges.txt and the configs
"""
import argparse
import json
import os
import random

import base  # noqa: F401  (puts the shared recipe on the path)
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

START, END = "<|startoftext|>", "<|endoftext|>"
LENGTH = 77
PIECES = 1536
WORDS = (r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+")


def bytes_in_order():
    """The characters that stand for the 256 bytes, in the order of CLIP's vocabulary."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in plain]
    return [chr(b) for b in plain] + [chr(256 + i) for i in range(len(rest))]


def make(vocabulary, merges):
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, end_of_word_suffix="</w>", unk_token=END))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(WORDS), behavior="removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    return tokenizer


def train(lines):
    """(vocabulary, merges) as CLIP orders them: bytes, bytes that end a word, merged pieces, the two marks."""
    trained = make(None, None)
    trained.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=PIECES - 2, initial_alphabet=bytes_in_order(), end_of_word_suffix="</w>", show_progress=False))
    merges = [tuple(m) if not isinstance(m, str) else tuple(m.split(" ")) for m in json.loads(trained.to_str())["model"]["merges"]]
    single = bytes_in_order()
    pieces = single + [c + "</w>" for c in single]
    merges = merges[:PIECES - 2 - len(pieces)]
    pieces += [a + b for a, b in merges]
    pieces = list(dict.fromkeys(pieces)) + [START, END]
    return {piece: i for i, piece in enumerate(pieces)}, merges


def corpus():
    from captions import caption
    from scenes import SceneSource, load_sprites
    from session import SPRITES
    from vocabulary import OBJECTS
    rng = random.Random(3)
    source = SceneSource(load_sprites(SPRITES)[1], 7, pairs=0.1, held_out=True)
    for _ in range(20000):
        yield caption(source.scene()[0], rng)
    for _ in range(40):
        yield from (n for o in OBJECTS for n in [o[0], *o[4]])


class Words:
    """Prompts as CLIP's tokenizer hands them out: start, pieces, end, padding, 77 in all."""

    def __init__(self, folder):
        with open(f"{folder}/vocab.json") as f:
            vocabulary = json.load(f)
        with open(f"{folder}/merges.txt") as f:
            merges = [tuple(line.rstrip("\n").split(" ")) for line in f if not line.startswith("#version") and line.strip()]
        self.tokenizer, self.merges = make(vocabulary, merges), merges
        self.start, self.end = vocabulary[START], vocabulary[END]

    def __call__(self, text, pad=None):
        ids = [self.start, *self.tokenizer.encode(text).ids[:LENGTH - 2], self.end]
        return ids + [self.end if pad is None else pad] * (LENGTH - len(ids))


def write(folder, vocabulary, merges, pad=END):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/vocab.json", "w") as f:
        json.dump(vocabulary, f, ensure_ascii=False)
    with open(f"{folder}/merges.txt", "w") as f:
        f.write("#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in merges))
    marks = {"bos_token": START, "eos_token": END, "unk_token": END, "pad_token": pad}
    for name, values in (("special_tokens_map.json", marks),
                         ("tokenizer_config.json", {"tokenizer_class": "CLIPTokenizer", "model_max_length": LENGTH,
                                                    "do_lower_case": True, "add_prefix_space": False, **marks})):
        with open(f"{folder}/{name}", "w") as f:
            json.dump(values, f, indent=2, sort_keys=True)
            f.write("\n")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--out", required=True)
    p.add_argument("--pad", default=END)
    a = p.parse_args()
    write(a.out, *train(corpus()), a.pad)
    words = Words(a.out)
    print(words.end + 1, "pieces;", words("a red car driving to the right on a beach")[:14])


if __name__ == "__main__":
    main()
