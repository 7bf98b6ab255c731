"""Where to cut this model's similarities: python3 thresholds.py --corpus DIR --table table.npy --vocabulary vocabulary.txt [--shrink C]"""

import argparse
import json
from pathlib import Path

import numpy as np

from corpus import Pair, read_validation
from report import StaticModel
from tokenizer import read_vocabulary


def relevance(model: StaticModel, pairs: list[Pair]) -> str:
    """Texts that belong together against texts of other sources; every type of pair counts the same."""
    a, b = model.embed([p.a for p in pairs]), model.embed([p.b for p in pairs])
    own = (a * b).sum(1)
    source = np.array([p.source for p in pairs])
    every = a @ b.T
    strange = np.sort(every[source[:, None] != source[None, :]])
    near = np.sort(every[(source[:, None] == source[None, :]) & ~np.eye(len(pairs), dtype=bool)])
    size = {t: sum(p.type == t for p in pairs) for t in {p.type for p in pairs}}
    weight = np.array([1 / size[p.type] if size[p.type] >= 5 else 0 for p in pairs])
    lines = ["relevance: found = belonging pairs at or above; other = pairs of different sources; same = other pairs of one source"]
    for cut in np.arange(0.06, 0.31, 0.02):
        found = weight[own >= cut].sum() / weight.sum()
        lines.append(f"{cut:.2f} found {found:.3f} other {above(strange, cut):.4f} same {above(near, cut):.4f} found-other {found - above(strange, cut):.3f}")
    return "\n".join(lines)


def duplicate(model: StaticModel, triples: list[list[str]]) -> str:
    """The same said differently against something else about the same matter."""
    first, same, related = (model.embed(list(texts)) for texts in zip(*triples))
    alike, different = (first * same).sum(1), np.concatenate([(first * related).sum(1), (same * related).sum(1)])
    lines = [f"duplicate: same {quartiles(alike)}; related {quartiles(different)}"]
    for cut in np.arange(0.3, 0.81, 0.05):
        lines.append(f"{cut:.2f} same {np.mean(alike >= cut):.3f} related {np.mean(different >= cut):.3f}")
    return "\n".join(lines)


def above(sorted_values: np.ndarray, cut: float) -> float:
    return 1 - np.searchsorted(sorted_values, cut) / len(sorted_values)


def quartiles(values: np.ndarray) -> str:
    return "/".join(f"{value:.2f}" for value in np.percentile(values, [5, 25, 50, 75, 95]))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpus", type=Path, required=True)
    options.add_argument("--table", type=Path, required=True)
    options.add_argument("--vocabulary", type=Path, required=True)
    options.add_argument("--shrink", type=float, default=2.5)
    chosen = options.parse_args()
    model = StaticModel(np.load(chosen.table), read_vocabulary(chosen.vocabulary), chosen.shrink)
    print(relevance(model, read_validation(chosen.corpus)))
    print(duplicate(model, json.loads((Path(__file__).parent / "same-or-related.json").read_text())))


if __name__ == "__main__":
    main()
