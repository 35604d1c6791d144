"""Tiny ONNX networks of two pictures, in the form of interpolators and flows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx


def saved(
    path: Path, nodes: list[object], channels: int, inputs: tuple[str, ...] = ("first", "second")
) -> Path:
    from onnx import TensorProto, helper, numpy_helper

    shape = ["n", 3, "height", "width"]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in inputs],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", channels, "height", "width"])],
        [
            numpy_helper.from_array(np.array(0.5, np.float32), "half"),
            numpy_helper.from_array(np.array([0], np.int64), "zero"),
            numpy_helper.from_array(np.array([2], np.int64), "two"),
            numpy_helper.from_array(np.array([1], np.int64), "one"),
        ],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def mean(path: Path) -> Path:
    """The mean of both pictures."""
    from onnx import helper

    nodes = [
        helper.make_node("Add", ["first", "second"], ["sum"]),
        helper.make_node("Mul", ["sum", "half"], ["out"]),
    ]
    return saved(path, nodes, 3)


def difference(path: Path) -> Path:
    """Red and green of the second picture less those of the first."""
    from onnx import helper

    nodes = [
        helper.make_node("Sub", ["second", "first"], ["all"]),
        helper.make_node("Slice", ["all", "zero", "two", "one"], ["out"]),
    ]
    return saved(path, nodes, 2)
