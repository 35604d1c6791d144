"""Tiny ONNX encoders with random weights, and a tokenizer of four words: their sums are simple."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx

SIDE, WIDTH, LENGTH = 8, 5, 6
MEAN, STD = [0.5, 0.4, 0.3], [0.2, 0.25, 0.3]
WORDS = ["[PAD]", "[UNK]", "red", "blue", "sea", "night"]
DRAW = np.random.default_rng(11)
OF_PICTURES = DRAW.normal(size=(3, WIDTH)).astype(np.float32)
OF_WORDS = DRAW.normal(size=(len(WORDS), WIDTH)).astype(np.float32)


def save(
    path: Path,
    nodes: list[object],
    inputs: list[object],
    output: str,
    width: int = WIDTH,
    **weights: np.ndarray,
) -> Path:
    from onnx import TensorProto, helper, numpy_helper

    graph = helper.make_graph(
        nodes,
        path.stem,
        inputs,
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["n", width])],
        [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def image_encoder(path: Path) -> Path:
    """Mean of the picture's channels, through one matrix."""
    from onnx import TensorProto, helper

    nodes = [
        helper.make_node("ReduceMean", ["pixels"], ["mean"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["mean", "matrix"], ["vector"]),
    ]
    pixels = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["n", 3, SIDE, SIDE])
    save(path, nodes, [pixels], "vector", matrix=OF_PICTURES)
    path.with_suffix(".json").write_text(json.dumps({"size": SIDE, "mean": MEAN, "std": STD}), "utf-8")
    return path


def clip_encoder(path: Path, frames: int) -> Path:
    """The same of each frame, times its number from 1, added up."""
    from onnx import TensorProto, helper

    nodes = [
        helper.make_node("ReduceMean", ["pixels"], ["means"], axes=[3, 4], keepdims=0),
        helper.make_node("MatMul", ["means", "matrix"], ["vectors"]),
        helper.make_node("Mul", ["vectors", "numbers"], ["weighted"]),
        helper.make_node("ReduceSum", ["weighted", "one"], ["vector"], keepdims=0),
    ]
    pixels = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["n", frames, 3, SIDE, SIDE])
    numbers = np.arange(1, frames + 1, dtype=np.float32)[None, :, None]
    save(path, nodes, [pixels], "vector", matrix=OF_PICTURES, numbers=numbers, one=np.array([1], np.int64))
    settings = {"size": SIDE, "mean": MEAN, "std": STD, "frames": frames}
    path.with_suffix(".json").write_text(json.dumps(settings), "utf-8")
    return path


def text_encoder(path: Path, width: int = WIDTH) -> Path:
    """Sum of the words' vectors where the mask is 1."""
    from onnx import TensorProto, helper

    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["words"], axis=0),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["wide"]),
        helper.make_node("Mul", ["words", "wide"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "one"], ["vector"], keepdims=0),
    ]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["n", LENGTH])
        for name in ("input_ids", "attention_mask")
    ]
    one, last = np.array([1], np.int64), np.array([2], np.int64)
    save(path, nodes, inputs, "vector", width, table=OF_WORDS[:, :width], one=one, last=last)
    path.with_suffix(".json").write_text(json.dumps({"length": LENGTH, "pad": 0}), "utf-8")
    return path


def tokenizer(path: Path) -> Path:
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokens = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokens.pre_tokenizer = pre_tokenizers.Whitespace()
    tokens.save(str(path))
    return path
