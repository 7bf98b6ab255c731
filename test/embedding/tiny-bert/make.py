"""Makes the model beside it: a BERT tokenizer over twelve pieces, and a network that only looks each piece up."""

import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

here = Path(__file__).parent
special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
pieces = special + ["north", "east", "up", "##ward", "[", "]", "sep"]
rows = np.zeros((len(pieces), 3), np.float32)
for piece, row in {"[CLS]": (1, 1, 1), "[SEP]": (-1, -1, -1), "north": (4, 0, 0), "east": (0, 4, 0), "up": (0, 0, 4), "##ward": (0, 0, 2), "sep": (2, 2, 0)}.items():
    rows[pieces.index(piece)] = row

integers = lambda name: helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", 3])
gather = helper.make_node("Gather", ["rows", "input_ids"], ["last_hidden_state"])
graph = helper.make_graph([gather], "tiny", [integers("input_ids"), integers("attention_mask"), integers("token_type_ids")], [output], [numpy_helper.from_array(rows, "rows")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
model.ir_version = 7
(here / "onnx").mkdir(exist_ok=True)
onnx.save(model, str(here / "onnx/model_quantized.onnx"))

frame = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]
files = {
    "config.json": {"model_type": "bert", "vocab_size": len(pieces)},
    "tokenizer_config.json": {"tokenizer_class": "BertTokenizer", "model_max_length": 6, "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"},
    "tokenizer.json": {
        "added_tokens": [{"id": i, "content": t, "special": True, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False} for i, t in enumerate(special)],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing", "single": frame, "pair": frame, "special_tokens": {}},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": {p: i for i, p in enumerate(pieces)}},
    },
}
for name, content in files.items():
    (here / name).write_text(json.dumps(content, indent=1) + "\n")
sha256 = {name: hashlib.sha256((here / name).read_bytes()).hexdigest() for name in [*files, "onnx/model_quantized.onnx"]}
manifest = {"id": "test/tiny-bert", "dimensions": 3, "pooling": "mean", "normalize": True, "maxTokens": 6, "maxBatch": 4, "sha256": sha256, "licence": "Apache-2.0", "thresholds": {"duplicate": 0.9, "relevance": 0.5}}
(here / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
