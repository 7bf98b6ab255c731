"""Corpus to arrays: word ids first (any vocabulary can be laid over them), then piece ids."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from corpus import Pair, read_pairs, read_paragraphs, sentence_pairs
from leak import LeakFilter
from measured import MeasuredSet
from tokenizer import pieces, words

MAX_WORDS_A, MAX_WORDS_B = 48, 110


@dataclass
class Texts:
    """Many lists of ids end to end; text i is ids[offsets[i]:offsets[i + 1]]."""

    ids: np.ndarray
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @staticmethod
    def of(lists: list) -> "Texts":
        offsets = np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int64)
        return Texts(np.concatenate(lists).astype(np.int32), offsets)


@dataclass
class Dataset:
    words: list[str]
    a: Texts
    b: Texts
    types: list[str]
    type_of: np.ndarray

    def save(self, folder: Path) -> None:
        np.savez(folder / "words.npz", a=self.a.ids, ao=self.a.offsets, b=self.b.ids, bo=self.b.offsets, t=self.type_of)
        (folder / "words.json").write_text(json.dumps([self.words, self.types]))

    @staticmethod
    def load(folder: Path) -> "Dataset":
        words, types = json.loads((folder / "words.json").read_text())
        z = np.load(folder / "words.npz")
        return Dataset(words, Texts(z["a"], z["ao"]), Texts(z["b"], z["bo"]), types, z["t"])

    def counts(self) -> tuple[np.ndarray, np.ndarray]:
        """How often each word occurs: with the types of text balanced by the root of their size, and plainly."""
        size = np.bincount(self.type_of, minlength=len(self.types)) + 1.0
        weighted, plain = np.zeros(len(self.words)), np.zeros(len(self.words), np.int64)
        for texts in (self.a, self.b):
            of_word = np.repeat(self.type_of, np.diff(texts.offsets))
            weighted += np.bincount(texts.ids, weights=1 / np.sqrt(size[of_word]), minlength=len(self.words))
            plain += np.bincount(texts.ids, minlength=len(self.words))
        return weighted, plain

    def spell(self, vocabulary: dict[str, int]) -> tuple[Texts, Texts]:
        spelt = Texts.of([np.asarray(pieces(word, vocabulary), np.int32) for word in self.words])
        return _expand(self.a, spelt), _expand(self.b, spelt)


def build_dataset(corpus: Path, measured: list[MeasuredSet], seed: int, log=print) -> Dataset:
    ids: dict[str, int] = {}

    def encode(text: str, limit: int | None) -> list[int]:
        return [ids.setdefault(word, len(ids)) for word in words(text)[:limit]]

    leak = LeakFilter([encode(text, 256) for part in measured for text in part.documents + part.queries])
    log(f"{len(leak.known)} windows of measured text")
    a, b, kinds, types = [], [], [], {}
    seen: set[int] = set()
    leaked = 0

    def add(pair: Pair) -> None:
        nonlocal leaked
        x, y = encode(pair.a, MAX_WORDS_A), encode(pair.b, MAX_WORDS_B)
        if not x or not y or x == y or len(x) + len(y) < 4:
            return
        key = hash((tuple(x), tuple(y)))
        if key in seen:
            return
        seen.add(key)
        if leak.leaks(x) or leak.leaks(y):
            leaked += 1
            return
        a.append(np.asarray(x, np.int32))
        b.append(np.asarray(y, np.int32))
        kinds.append(types.setdefault(pair.type, len(types)))

    for pair in read_pairs(corpus):
        add(pair)
    log(f"{len(a)} pairs, {leaked} left out as leaks")
    for pair in sentence_pairs(read_paragraphs(corpus), seed):
        add(pair)
    log(f"{len(a)} pairs with sentences, {leaked} left out as leaks, {len(ids)} words")
    return Dataset(list(ids), Texts.of(a), Texts.of(b), list(types), np.asarray(kinds, np.int16))


def _expand(texts: Texts, spelt: Texts) -> Texts:
    start = spelt.offsets[texts.ids]
    length = spelt.offsets[texts.ids + 1] - start
    ends = np.concatenate([[0], np.cumsum(length)])
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], length)
    return Texts(spelt.ids[np.repeat(start, length) + within], ends[texts.offsets])
