"""Trains the tokenizer: SentencePiece unigram, 1536 pieces, on captions and on common English words.

The shipped spiece.model comes from an earlier wording of the captions and is kept, so that token ids stay what they were;
run this only to change the vocabulary.  python3 tokenizer.py --words WORDLIST --out FOLDER
"""
import argparse
import random
import tempfile

import sentencepiece

from captions import caption
from scenes import SceneSource, load_sprites
from session import SPRITES
from vocabulary import OBJECTS

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:!?'\"()-/&"


def corpus(words, rng):
    source = SceneSource(load_sprites(SPRITES)[1], 7, pairs=0.1, held_out=True)
    for _ in range(30000):
        yield caption(source.scene()[0], rng)
    names = [n for o in OBJECTS for n in [o[0], *o[4]]]
    for _ in range(12):
        rng.shuffle(words)
        yield from (" ".join(words[i:i + 6]) for i in range(0, len(words), 6))
        for word in words + names:
            yield word
            yield word[0].upper() + word[1:]
    for _ in range(40):
        yield LETTERS
        yield " ".join(LETTERS)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--words", required=True, help="a text file of common words, so that unseen prompts fall into few pieces")
    p.add_argument("--out", required=True)
    a = p.parse_args()
    with open(a.words) as f:
        words = sorted(set(f.read().split()))
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
        f.writelines(line + "\n" for line in corpus(words, random.Random(3)))
        f.flush()
        sentencepiece.SentencePieceTrainer.train(
            input=f.name, model_prefix=f"{a.out}/spiece", vocab_size=1536, model_type="unigram",
            normalization_rule_name="identity", pad_id=0, eos_id=1, unk_id=2, bos_id=-1, pad_piece="<pad>",
            eos_piece="</s>", unk_piece="<unk>", character_coverage=1.0, hard_vocab_limit=False,
            max_sentencepiece_length=16, minloglevel=2)


if __name__ == "__main__":
    main()
