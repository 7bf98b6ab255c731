"""The retrieval sets a model is measured on (never learned from), and how well it does."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DEV_SETS = ["locomo", "agent-rules", "swe-issue-fix", "cosqa", "scifact", "beam-100k", "toolemu-rules", "devbench", "cranfield"]
BLEND = [round(step / 10, 1) for step in range(11)]


@dataclass
class MeasuredSet:
    name: str
    documents: list[str]
    scopes: np.ndarray
    queries: list[str]
    query_scopes: list[str]
    relevant: list[dict[int, float]]
    """Per query: document → grade."""
    ideal: list[list[float]]


def read_measured(data: Path, name: str) -> MeasuredSet:
    documents = _jsonl(data / name / "corpus.jsonl")
    if name.startswith("beam"):
        documents = [d for d in documents if d.get("role") == "user"]
    grades: dict[str, dict[str, float]] = {}
    for line in (data / name / "qrels.tsv").read_text(encoding="utf8").splitlines():
        query, document, grade = line.split("\t")
        if float(grade) > 0:
            grades.setdefault(query, {})[document] = float(grade)
    position = {d["id"]: i for i, d in enumerate(documents)}
    queries = [q for q in _jsonl(data / name / "queries.jsonl") if q["id"] in grades]
    return MeasuredSet(
        name,
        [" ".join(filter(None, [d.get("title"), d["text"]])) for d in documents],
        np.array([str(d.get("scope")) for d in documents]),
        [q["text"] for q in queries],
        [str(q.get("scope")) for q in queries],
        [{position[d]: g for d, g in grades[q["id"]].items() if d in position} for q in queries],
        [sorted(grades[q["id"]].values(), reverse=True) for q in queries],
    )


def measure(part: MeasuredSet, documents: np.ndarray, queries: np.ndarray, lexical: "Bm25 | None" = None) -> np.ndarray:
    """Mean nDCG@10 for each blend of BM25 (min-max, zero is the minimum) and dot product (min-max); the last is vectors only."""
    total = np.zeros(len(BLEND))
    everything = np.arange(len(part.documents))
    members = {scope: np.nonzero(part.scopes == scope)[0] for scope in set(part.scopes)}
    for i, scope in enumerate(part.query_scopes):
        among = members.get(scope, everything[:0]) if len(members) > 1 else everything
        if len(among) == 0:
            continue
        similarity = documents[among] @ queries[i]
        similarity = (similarity - similarity.min()) / (np.ptp(similarity) + 1e-9)
        text = lexical.scores(i)[among] if lexical else np.zeros(len(among))
        text = text / (text.max() or 1)
        for j, weight in enumerate(BLEND):
            score = -(weight * similarity + (1 - weight) * text)
            best = np.argpartition(score, 10)[:10] if len(score) > 10 else np.arange(len(score))
            best = best[np.argsort(score[best], kind="stable")]
            total[j] += ndcg([part.relevant[i].get(int(among[d]), 0.0) for d in best], part.ideal[i])
    return total / len(part.queries)


def ndcg(found: list[float], ideal: list[float]) -> float:
    gain = lambda grades: sum(grade / math.log2(rank + 2) for rank, grade in enumerate(grades[:10]))
    return gain(found) / gain(ideal)


class Bm25:
    """Word-piece BM25 with statistics of each scope, for telling what vectors add."""

    def __init__(self, part: MeasuredSet, documents: list[list[int]], queries: list[list[int]], k1: float = 1.2, b: float = 0.75):
        self.part, self.queries, self.k1, self.b = part, queries, k1, b
        self.length = np.array([len(d) for d in documents], float)
        self.postings: dict[int, dict[int, int]] = {}
        for index, document in enumerate(documents):
            for piece in document:
                entry = self.postings.setdefault(piece, {})
                entry[index] = entry.get(index, 0) + 1
        self.members = {scope: part.scopes == scope for scope in set(part.scopes)}

    def scores(self, query: int) -> np.ndarray:
        inside = self.members.get(self.part.query_scopes[query], np.ones(len(self.length), bool))
        count, mean = inside.sum(), self.length[inside].mean()
        result = np.zeros(len(self.length))
        for piece in set(self.queries[query]):
            entry = self.postings.get(piece, {})
            index = np.fromiter(entry.keys(), np.int64, len(entry))
            tf = np.fromiter(entry.values(), float, len(entry))
            df = inside[index].sum()
            idf = math.log(1 + (count - df + 0.5) / (df + 0.5))
            result[index] += idf * tf * (self.k1 + 1) / (tf + self.k1 * (1 - self.b + self.b * self.length[index] / mean))
        return result


def _jsonl(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines() if line]
