"""config.json and manifest.json: what the service checks before it trusts a model folder."""

import hashlib
import json
from pathlib import Path

FILES = ["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model_quantized.onnx"]


def write_config(folder: Path, vocabulary_size: int, dimensions: int, max_tokens: int) -> None:
    config = {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "vocab_size": vocabulary_size,
        "hidden_size": dimensions,
        "max_position_embeddings": max_tokens,
        "pad_token_id": 0,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def write_manifest(folder: Path, id: str, dimensions: int, max_tokens: int, duplicate: float, relevance: float) -> None:
    manifest = {
        "id": id,
        "dimensions": dimensions,
        "pooling": "cls",
        "normalize": False,
        "maxTokens": max_tokens,
        "maxBatch": 32,
        "sha256": {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in FILES},
        "licence": "Apache-2.0",
        "thresholds": {"duplicate": duplicate, "relevance": relevance},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
