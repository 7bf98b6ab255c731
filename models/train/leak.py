"""Keeps the texts we measure on out of the texts we learn from."""

import numpy as np

WINDOW = 8


class LeakFilter:
    """Refuses a text that shares eight words in a row with any measured text."""

    def __init__(self, measured: list[list[int]]):
        hashes = [_windows(np.asarray(words, np.uint64)) for words in measured]
        self.known = set(np.concatenate(hashes).tolist()) if hashes else set()

    def leaks(self, words: list[int]) -> bool:
        return len(words) >= WINDOW and not self.known.isdisjoint(_windows(np.asarray(words, np.uint64)).tolist())


def _windows(words: np.ndarray) -> np.ndarray:
    """A 64-bit hash of every window of eight word ids."""
    count = len(words) - WINDOW + 1
    result = np.zeros(max(count, 0), np.uint64)
    if count > 0:
        with np.errstate(over="ignore"):
            for offset in range(WINDOW):
                result = result * np.uint64(0x100000001B3) + words[offset : offset + count] * np.uint64(0x9E3779B97F4A7C15)
                result ^= result >> np.uint64(29)
    return result
