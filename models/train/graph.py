"""The static model as an ONNX graph of the shape transformers.js expects: input_ids, attention_mask → last_hidden_state [B, 1, D]."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def quantize(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int8 rows, each with its own scale."""
    scale = np.abs(table).max(1, keepdims=True) / 127 + 1e-9
    return np.round(table / scale).astype(np.int8), scale.astype(np.float32)


def pooled(rows: np.ndarray, shrink: float) -> np.ndarray:
    """What the graph does after pooling: lengths below `shrink` count for less, so that a short text does not win on one word."""
    return rows / np.sqrt((rows * rows).sum(-1, keepdims=True) + shrink * shrink + 1e-9)


def export(table: np.ndarray, shrink: float, path: Path) -> None:
    nodes, constants = [], []

    def constant(name: str, value) -> str:
        constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(op: str, inputs: list[str], output: str, **attributes) -> str:
        nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    weights, scale = quantize(table)
    one, axis1, axis2 = constant("one", np.float32(1)), constant("axis1", np.array([1])), constant("axis2", np.array([2]))
    gathered = node("Cast", [node("Gather", [constant("table", weights), "input_ids"], "row_int8")], "row", to=TensorProto.FLOAT)
    rows = node("Mul", [gathered, node("Gather", [constant("scale", scale), "input_ids"], "row_scale")], "rows")

    # How often each token occurs in its text, padding left out: compare each with each, then weigh by (1 + ln n) / n.
    mask = node("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    same = node("Equal", [node("Unsqueeze", ["input_ids", axis2], "column"), node("Unsqueeze", ["input_ids", axis1], "line")], "same_bool")
    same = node("Mul", [node("Cast", [same], "same", to=TensorProto.FLOAT), node("Unsqueeze", [mask, axis1], "mask_line")], "same_masked")
    count = node("Max", [node("ReduceSum", [same, axis2], "occurrences", keepdims=0), one], "count")
    weight = node("Div", [node("Add", [node("Log", [count], "log_count"), one], "log_tf"), count], "weight_unmasked")
    weight = node("Unsqueeze", [node("Mul", [weight, mask], "weight"), axis1], "weight_line")
    total = node("MatMul", [weight, rows], "sum")

    square = node("ReduceSumSquare", [total], "square", axes=[2], keepdims=1)
    length = node("Sqrt", [node("Add", [square, constant("shrink", np.float32(shrink * shrink + 1e-9))], "square_shrunk")], "length")
    node("Div", [total, length], "last_hidden_state")

    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", 1, table.shape[1]])
    # Opset 13 and IR 7 are what onnxruntime 1.14 and newer both read.
    model = helper.make_model(helper.make_graph(nodes, "static", inputs, [output], constants), opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 7
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path))
