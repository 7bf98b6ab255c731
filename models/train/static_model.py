"""Trains one vector for each word piece, so that texts that belong together point the same way.

A text is the sum of its pieces' vectors, a piece that occurs n times counting 1 + ln n. In-batch InfoNCE both ways
(van den Oord et al. 2018) over dot products of unit vectors; Adam on the rows a batch touches.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit

from dataset import Dataset, Texts
from tokenizer import SPECIAL


@dataclass(frozen=True)
class Settings:
    dimensions: int = 512
    steps: int = 1600
    batch: int = 1024
    temperature: float = 0.05
    learning_rate: float = 0.003
    warm_up: int = 50
    final_rate: float = 0.02
    """Share of the learning rate left at the end."""
    few_types: float = 0.5
    """Share of batches drawn from four types only: harder negatives."""
    type_power: float = 0.75
    seed: int = 0


# Easy and plentiful types, held back so that they do not make up most of what is learned.
TYPE_WEIGHT = {"commit": 0.6, "heading": 0.6, "ict_commit": 0.6, "commit_para": 0.6, "doc_code": 0.7, "name_doc": 0.7, "task_command": 0.7}
HELD_BACK = 2048


def train(dataset: Dataset, a: Texts, b: Texts, vocabulary_size: int, settings: Settings, checkpoint: Path, log=print) -> np.ndarray:
    random = np.random.default_rng(settings.seed)
    table = initial_table(a, b, vocabulary_size, settings)
    first, second = np.zeros_like(table), np.zeros_like(table)
    sampler = Sampler(dataset, settings, random)
    fingerprints = _fingerprints(a), _fingerprints(b)
    step = 0
    if checkpoint.exists():
        saved = np.load(checkpoint, allow_pickle=True)
        table, first, second, step = saved["table"], saved["first"], saved["second"], int(saved["step"])
        random.bit_generator.state = saved["random"].item()
        log(f"going on from step {step}")

    for step in range(step + 1, settings.steps + 1):
        rows = sampler.batch()
        texts_a, texts_b = gather(a, rows), gather(b, rows)
        weight_a, weight_b = log_counts(*texts_a, vocabulary_size), log_counts(*texts_b, vocabulary_size)
        vectors_a, length_a = embed(table, *texts_a, weight_a)
        vectors_b, length_b = embed(table, *texts_b, weight_b)
        logits = (vectors_a @ vectors_b.T) / np.float32(settings.temperature)
        loss, accuracy = info_nce(logits, fingerprints[0][rows], fingerprints[1][rows])
        logits *= np.float32(1 / (2 * len(rows) * settings.temperature))
        gradient = np.concatenate([_through_length(logits @ vectors_b, vectors_a, length_a), _through_length(logits.T @ vectors_a, vectors_b, length_b)])
        progress = (step - 1) / settings.steps
        rate = settings.learning_rate * min(1, step / settings.warm_up) * max(settings.final_rate, 1 - progress)
        pieces = np.concatenate([texts_a[0], texts_b[0]])
        text_of = np.repeat(np.arange(2 * len(rows)), np.concatenate([np.diff(texts_a[1]), np.diff(texts_b[1])]))
        order = np.argsort(pieces, kind="stable")
        adam(table, first, second, pieces, order, text_of, np.concatenate([weight_a, weight_b]), gradient, np.float32(rate), step)
        if step % 200 == 0 or step == settings.steps:
            held_loss, held_accuracy = held_back(table, a, b, sampler.held, fingerprints, vocabulary_size, settings)
            log(f"step {step}: loss {loss:.3f}, accuracy {accuracy:.3f}; held back: loss {held_loss:.3f}, accuracy {held_accuracy:.3f}")
            np.savez(checkpoint, table=table, first=first, second=second, step=step, random=np.array(random.bit_generator.state, dtype=object))
    return table


def initial_table(a: Texts, b: Texts, vocabulary_size: int, settings: Settings) -> np.ndarray:
    """Random directions, as long as the piece is rare. Special pieces stay zero: they say nothing."""
    counts = np.bincount(a.ids, minlength=vocabulary_size) + np.bincount(b.ids, minlength=vocabulary_size)
    rarity = np.log(1 + 2 * len(a) / (counts + 20))
    rarity /= rarity[counts > 0].mean()
    rarity[: len(SPECIAL)] = 0
    directions = np.random.default_rng(settings.seed + 100).standard_normal((vocabulary_size, settings.dimensions), np.float32)
    return (directions / np.sqrt(settings.dimensions) * rarity[:, None]).astype(np.float32)


class Sampler:
    """Draws types by size^power, then unused pairs of the type; a type that is used up starts again, shuffled."""

    def __init__(self, dataset: Dataset, settings: Settings, random: np.random.Generator):
        self.random, self.settings = random, settings
        size = np.bincount(dataset.type_of, minlength=len(dataset.types)).astype(float)
        share = size**settings.type_power * np.array([TYPE_WEIGHT.get(t, 1.0) for t in dataset.types])
        self.share = share / share.sum()
        self.held = np.random.default_rng(99).permutation(len(dataset.a))[:HELD_BACK]
        free = np.setdiff1d(random.permutation(len(dataset.a)), self.held)
        self.pools = [random.permutation(free[dataset.type_of[free] == t]) for t in range(len(dataset.types))]
        self.used = [0] * len(self.pools)

    def batch(self) -> np.ndarray:
        size, random = self.settings.batch, self.random
        if random.random() < self.settings.few_types:
            chosen = [(t, size // 4) for t in random.choice(len(self.share), 4, p=self.share)]
        else:
            chosen = list(enumerate(np.bincount(random.choice(len(self.share), size, p=self.share), minlength=len(self.share))))
        return np.concatenate([self._take(t, count) for t, count in chosen if count])

    def _take(self, type: int, count: int) -> np.ndarray:
        pool = self.pools[type]
        count = min(count, len(pool))
        if self.used[type] + count > len(pool):
            self.random.shuffle(pool)
            self.used[type] = 0
        self.used[type] += count
        return pool[self.used[type] - count : self.used[type]]


def held_back(table, a, b, rows, fingerprints, vocabulary_size, settings) -> tuple[float, float]:
    vectors = []
    for texts in (gather(a, rows), gather(b, rows)):
        vectors.append(embed(table, *texts, log_counts(*texts, vocabulary_size))[0])
    return info_nce(vectors[0] @ vectors[1].T / np.float32(settings.temperature), fingerprints[0][rows], fingerprints[1][rows])


def gather(texts: Texts, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    parts = [texts.ids[texts.offsets[r] : texts.offsets[r + 1]] for r in rows]
    return np.concatenate(parts), np.concatenate([[0], np.cumsum([len(p) for p in parts])]).astype(np.int64)


def _through_length(gradient: np.ndarray, unit: np.ndarray, length: np.ndarray) -> np.ndarray:
    """The gradient before the vector was scaled to unit length."""
    return ((gradient - unit * (gradient * unit).sum(1, keepdims=True)) / length[:, None]).astype(np.float32)


@njit(cache=True)
def log_counts(pieces, offsets, vocabulary_size):
    """Weight of each occurrence, so that n of them together count 1 + ln n."""
    count = np.zeros(vocabulary_size, np.int32)
    weight = np.ones(len(pieces), np.float32)
    for text in range(len(offsets) - 1):
        for k in range(offsets[text], offsets[text + 1]):
            count[pieces[k]] += 1
        for k in range(offsets[text], offsets[text + 1]):
            n = count[pieces[k]]
            if n > 1:
                weight[k] = (1 + np.log(n)) / n
        for k in range(offsets[text], offsets[text + 1]):
            count[pieces[k]] = 0
    return weight


@njit(cache=True, fastmath=True)
def embed(table, pieces, offsets, weight):
    """Unit vectors and the lengths they had."""
    dimensions = table.shape[1]
    vectors = np.zeros((len(offsets) - 1, dimensions), np.float32)
    lengths = np.empty(len(offsets) - 1, np.float32)
    for text in range(len(offsets) - 1):
        vector = vectors[text]
        for k in range(offsets[text], offsets[text + 1]):
            row = table[pieces[k]]
            w = weight[k]
            for d in range(dimensions):
                vector[d] += w * row[d]
        square = np.float32(0)
        for d in range(dimensions):
            square += vector[d] * vector[d]
        length = np.sqrt(square) + np.float32(1e-6)
        lengths[text] = length
        for d in range(dimensions):
            vector[d] /= length
    return vectors, lengths


@njit(cache=True, fastmath=True)
def info_nce(logits, a, b):
    """Mean loss of both directions and share of first places; `logits` becomes the gradient. Copies of a pair are no negatives."""
    n = logits.shape[0]
    own = np.empty(n, np.float32)
    rows, columns = np.zeros(n, np.float32), np.zeros(n, np.float32)
    top = np.float32(-1e30)
    for i in range(n):
        own[i] = logits[i, i]
        for j in range(n):
            if i != j and (a[i] == a[j] or b[i] == b[j]):
                logits[i, j] = -1e4
            top = max(top, logits[i, j])
    first = 0
    for i in range(n):
        best = True
        for j in range(n):
            if j != i and logits[i, j] >= own[i]:
                best = False
            e = np.exp(logits[i, j] - top)
            logits[i, j] = e
            rows[i] += e
            columns[j] += e
        first += best
    loss = 0.0
    for i in range(n):
        loss += np.log(rows[i] + 1e-30) + np.log(columns[i] + 1e-30) - 2 * (own[i] - top)
        for j in range(n):
            logits[i, j] *= 1 / rows[i] + 1 / columns[j]
        logits[i, i] -= 2
    return loss / 2 / n, first / n


@njit(cache=True, fastmath=True)
def adam(table, first, second, pieces, order, text_of, weight, gradient, rate, step):
    """One step on the rows that occur, summing over a piece's occurrences; `order` brings equal pieces together."""
    dimensions = table.shape[1]
    beta1, beta2 = np.float32(0.9), np.float32(0.999)
    unbias1, unbias2 = np.float32(1 / (1 - 0.9**step)), np.float32(1 / (1 - 0.999**step))
    total = np.empty(dimensions, np.float32)
    at = 0
    while at < len(order):
        piece = pieces[order[at]]
        total[:] = 0
        while at < len(order) and pieces[order[at]] == piece:
            row = gradient[text_of[order[at]]]
            w = weight[order[at]]
            for d in range(dimensions):
                total[d] += w * row[d]
            at += 1
        m, v, x = first[piece], second[piece], table[piece]
        for d in range(dimensions):
            m[d] = beta1 * m[d] + (1 - beta1) * total[d]
            v[d] = beta2 * v[d] + (1 - beta2) * total[d] * total[d]
            x[d] -= rate * (m[d] * unbias1) / (np.sqrt(v[d] * unbias2) + np.float32(1e-8))


@njit(cache=True)
def _hash(ids, offsets):
    result = np.empty(len(offsets) - 1, np.int64)
    for text in range(len(offsets) - 1):
        h = np.int64(1469598103)
        for k in range(offsets[text], offsets[text + 1]):
            h = (h * 1000003) ^ ids[k]
        result[text] = h
    return result


def _fingerprints(texts: Texts) -> np.ndarray:
    return _hash(texts.ids, texts.offsets)
