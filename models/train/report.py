"""What a table of piece vectors is worth on the measured sets."""

import numpy as np

from graph import pooled, quantize
from measured import BLEND, Bm25, MeasuredSet, measure
from tokenizer import encode


class StaticModel:
    """The exported graph in numpy, int8 rows included."""

    def __init__(self, table: np.ndarray, vocabulary: dict[str, int], shrink: float, max_tokens: int = 512):
        weights, scale = quantize(table)
        self.table, self.vocabulary, self.shrink, self.max_tokens = weights * scale, vocabulary, shrink, max_tokens

    def encode(self, texts: list[str]) -> list[list[int]]:
        return [encode(text, self.vocabulary)[: self.max_tokens] for text in texts]

    def sums(self, texts: list[list[int]]) -> np.ndarray:
        result = np.zeros((len(texts), self.table.shape[1]), np.float32)
        for i, ids in enumerate(texts):
            if ids:
                pieces, counts = np.unique(ids, return_counts=True)
                result[i] = (1 + np.log(counts)).astype(np.float32) @ self.table[pieces]
        return result

    def embed(self, texts: list[str]) -> np.ndarray:
        return pooled(self.sums(self.encode(texts)), self.shrink)


def measure_table(table: np.ndarray, vocabulary: dict[str, int], sets: list[MeasuredSet], shrink: float) -> str:
    """One line a set: BM25 alone, vectors alone, and both with the weight that is best on the other sets."""
    model = StaticModel(table, vocabulary, shrink)
    curves = {}
    for part in sets:
        documents, queries = model.encode(part.documents), model.encode(part.queries)
        lexical = Bm25(part, documents, queries)
        curves[part.name] = measure(part, pooled(model.sums(documents), shrink), pooled(model.sums(queries), shrink), lexical)
    lines = ["set             BM25  vector  fused  (weight of the vector)"]
    summary = []
    for name, curve in curves.items():
        weight = int(np.mean([other for key, other in curves.items() if key != name], 0).argmax())
        summary.append((curve[0], curve[-1], curve[weight]))
        lines.append(f"{name:15} {curve[0]:.4f} {curve[-1]:.4f} {curve[weight]:.4f} ({BLEND[weight]})")
    lines.append(f"{'mean':15} " + " ".join(f"{value:.4f}" for value in np.mean(summary, 0)))
    return "\n".join(lines)
