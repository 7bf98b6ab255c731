"""Trains and packs the static model: python3 train.py --corpus DIR --out DIR [--measure DIR] [--seed N]"""

import argparse
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("NUMBA_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from dataset import Dataset, build_dataset
from graph import export
from manifest import write_config, write_manifest
from measured import DEV_SETS, read_measured
from report import measure_table
from static_model import Settings, train
from tokenizer import read_vocabulary, write_tokenizer
from vocabulary import build_vocabulary

MAX_TOKENS = 512


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpus", type=Path, required=True, help="pairs.jsonl.xz.part-*, text-*.txt.gz")
    options.add_argument("--out", type=Path, required=True, help="work and result; a run that broke off goes on from here")
    options.add_argument("--measure", type=Path, help="retrieval sets: kept out of the training text, and measured on at the end")
    options.add_argument("--id", default="kneeboard/static-20k-512")
    options.add_argument("--vocabulary", type=int, default=20_000)
    options.add_argument("--dimensions", type=int, default=Settings.dimensions)
    options.add_argument("--steps", type=int, default=Settings.steps)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--shrink", type=float, default=2.5)
    options.add_argument("--duplicate", type=float, default=0.45)
    options.add_argument("--relevance", type=float, default=0.12)
    chosen = options.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    measured = [read_measured(chosen.measure, name) for name in DEV_SETS] if chosen.measure else []

    if not (chosen.out / "words.json").exists():
        build_dataset(chosen.corpus, measured, chosen.seed, log).save(chosen.out)
    dataset = Dataset.load(chosen.out)
    log(f"{len(dataset.a)} pairs")

    vocabulary_file = chosen.out / f"vocabulary-{chosen.vocabulary}.txt"
    if not vocabulary_file.exists():
        weighted, counts = dataset.counts()
        vocabulary_file.write_text("\n".join(build_vocabulary(dataset.words, weighted, counts, chosen.vocabulary)) + "\n")
    vocabulary = read_vocabulary(vocabulary_file)
    a, b = dataset.spell(vocabulary)
    log(f"{len(vocabulary)} pieces, {len(a.ids) + len(b.ids)} tokens")

    settings = Settings(dimensions=chosen.dimensions, steps=chosen.steps, seed=chosen.seed)
    name = f"{chosen.vocabulary}-{chosen.dimensions}-{chosen.steps}-{chosen.seed}"
    table_file = chosen.out / f"table-{name}.npy"
    if not table_file.exists():
        np.save(table_file, train(dataset, a, b, len(vocabulary), settings, chosen.out / f"checkpoint-{name}.npz", log))
    table = np.load(table_file)

    model = chosen.out / chosen.id
    export(table, chosen.shrink, model / "onnx/model_quantized.onnx")
    write_tokenizer(vocabulary, MAX_TOKENS, model)
    write_config(model, len(vocabulary), chosen.dimensions, MAX_TOKENS)
    write_manifest(model, chosen.id, chosen.dimensions, MAX_TOKENS, chosen.duplicate, chosen.relevance)
    log(f"packed {model}")
    if measured:
        print(measure_table(table, vocabulary, measured, chosen.shrink))


def log(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
