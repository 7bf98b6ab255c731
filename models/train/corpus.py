"""Reads the training text: `pairs.jsonl.xz.part-*` (texts that belong together) and `text-*.txt.gz` (a paragraph a line)."""

import gzip
import json
import lzma
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

# Written with another vendor's model; its terms are not ours to judge, so it is left out.
EXCLUDED_SOURCES = frozenset({"teknium1/GPTeacher"})

_sentence_end = re.compile(r"(?<=[.!?])\s+")


class Pair(NamedTuple):
    a: str
    b: str
    type: str
    source: str


def read_pairs(corpus: Path) -> Iterator[Pair]:
    for line in _lines_of_parts(sorted(corpus.glob("pairs.jsonl.xz.part-*"))):
        record = json.loads(line)
        if record["s"] not in EXCLUDED_SOURCES:
            yield Pair(record["a"], record["b"], record["t"], record["s"])


def read_validation(corpus: Path) -> list[Pair]:
    with gzip.open(corpus / "valid.jsonl.gz", "rt", encoding="utf8") as lines:
        return [Pair(r["a"], r["b"], r["t"], r["s"]) for r in map(json.loads, lines)]


def read_paragraphs(corpus: Path) -> Iterator[str]:
    for path in sorted(corpus.glob("text-*.txt.gz")):
        with gzip.open(path, "rt", encoding="utf8") as lines:
            yield from (line.strip() for line in lines)


def sentence_pairs(paragraphs: Iterable[str], seed: int, share: float = 0.5) -> Iterator[Pair]:
    """A sentence and its neighbours without it (inverse cloze), from some of the paragraphs."""
    chance = random.Random(seed)
    for paragraph in paragraphs:
        if len(paragraph) < 120 or chance.random() > share:
            continue
        sentences = [s for s in _sentence_end.split(paragraph[:3000]) if len(s) > 15]
        for start in range(0, len(sentences) - 1, 3):
            window = sentences[start : start + 4]
            chosen = window.pop(chance.randrange(len(window)))
            yield Pair(chosen, " ".join(window), "span", "text")


def _lines_of_parts(parts: list[Path]) -> Iterator[bytes]:
    """The parts are one xz stream, cut anywhere."""
    decompressor = lzma.LZMADecompressor()
    rest = b""
    for part in parts:
        with part.open("rb") as file:
            while chunk := file.read(1 << 20):
                *lines, rest = (rest + decompressor.decompress(chunk)).split(b"\n")
                yield from lines
    if rest:
        yield rest
