"""Chooses the word pieces: mostly whole words, the rest the parts that spell the other words best."""

from collections import Counter

import numpy as np

from tokenizer import SPECIAL, pieces

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
MAX_PIECE = 24


def build_vocabulary(words: list[str], weighted: np.ndarray, counts: np.ndarray, size: int, word_share: float = 0.8) -> list[str]:
    """`weighted` ranks the whole words (types of text balanced), `counts` are plain occurrences."""
    base = SPECIAL + list(LETTERS) + ["##" + letter for letter in LETTERS]
    order = np.argsort(-np.where(counts < 3, 0, weighted), kind="stable")
    whole: list[str] = []
    for index in order:
        if len(whole) == int(size * word_share) - len(base):
            break
        word = words[index]
        if counts[index] >= 3 and 1 < len(word) <= MAX_PIECE and not (word.isdigit() and len(word) > 4):
            whole.append(word)
    taken = set(base) | set(whole)
    others = [(words[i], float(np.sqrt(counts[i]))) for i in order if counts[i] >= 2 and words[i] not in taken][:250_000]
    return base + whole + _parts(others, taken, size - len(taken))


def _parts(words: list[tuple[str, float]], taken: set[str], wanted: int) -> list[str]:
    """Starts from the parts that save most pieces, then keeps those that greedy spelling really uses."""
    saved: Counter[str] = Counter()
    for word, weight in words:
        for start in range(min(len(word), MAX_PIECE)):
            for end in range(start + 2, min(len(word), start + 8) + 1):
                if end - start < len(word):
                    saved[("##" if start else "") + word[start:end]] += weight * (end - start - 1)
    chosen = [part for part, _ in saved.most_common(wanted * 4) if part not in taken]
    for keep in (wanted * 2, int(wanted * 1.3), wanted):
        inventory = list(taken) + chosen
        ids = {piece: index for index, piece in enumerate(inventory)}
        used: Counter[str] = Counter()
        for word, weight in words:
            for index in pieces(word, ids):
                used[inventory[index]] += weight
        chosen = sorted(chosen, key=lambda part: -used[part])[:keep]
    return chosen
