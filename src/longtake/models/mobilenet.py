"""MobileNetV2: an image embedding and the 1,000 classes of ImageNet.

Sandler et al.: "MobileNetV2: Inverted Residuals and Linear Bottlenecks", CVPR 2018. The weights are
PyTorch's; :func:`convert` writes the network anew as ONNX, without PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BackendError
from . import pth
from .graph import Graph, check, folded

SIDE = 224
"""Pixels of a side of the picture that the network takes."""
EMBEDDING, CLASSES = 1280, 1000
EPSILON = 1e-5
"""Of the normalisations."""
STRIDES = (1, 2, 1, 2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1)
"""Stride of each of the 17 inverted residual blocks."""

# First values that the network gives in PyTorch 2.13 for known_picture(), with the same weights.
KNOWN_EMBEDDING = (
    0.0140, 0.4669, 0.9257, 0.7030, 0.0779, 0.0084, 0.0608, 0.0000,
    0.1838, 0.0000, 0.6634, 0.0000, 0.0104, 0.0000, 0.4693, 0.2319,
)  # fmt: skip
KNOWN_LOGITS = (
    -2.3225, 2.5693, -5.3046, -6.6160, -1.9449, -2.1288, -2.6731, -0.2144,
    -1.5026, 0.6040, 2.2095, 1.3728, 1.8309, 1.4183, 0.5633, -1.5280,
)  # fmt: skip


def convert(folder: Path, target: Path) -> None:
    """Write the ONNX model from ``folder/mobilenet_v2.pth`` and compare what it gives with known outputs.

    The model takes ``image`` (n, 3, 224, 224): RGB in 0..1 less ImageNet's mean, over its deviation; it gives
    ``emb`` (n, 1280) and ``logits`` (n, 1000).

    Raises:
        BackendError: the weights cannot be read, or the result is not MobileNetV2.
    """
    table = pth.read(folder / "mobilenet_v2.pth")
    graph = Graph()
    try:
        _build(graph, table)
    except KeyError as error:
        raise BackendError(f"mobilenet_v2.pth has no {error}") from error
    shape = ("n", 3, SIDE, SIDE)
    graph.save(target, {"image": (np.float32, shape)}, {"emb": ("n", EMBEDDING), "logits": ("n", CLASSES)})
    known = {"emb": np.array(KNOWN_EMBEDDING), "logits": np.array(KNOWN_LOGITS)}
    check(target, {"image": known_picture()}, known)


def known_picture() -> NDArray[np.float32]:
    """The picture of the known outputs, shape (1, 3, 224, 224): two slanting waves, by whole numbers."""
    channel, row, column = np.ogrid[:3, :SIDE, :SIDE]
    wave = (row * (channel + 2) + column * 3) % 97 + (row * column // 64 + channel * 17) % 61
    return (wave.astype(np.float32) / np.float32(39) - np.float32(2))[None]


def _build(graph: Graph, table: Mapping[str, NDArray[Any]]) -> None:
    def convolve(x: str, conv: str, norm: str, *, stride: int = 1, bend: bool = True) -> str:
        weight = table[f"{conv}.weight"]
        out, per_group, side, _ = weight.shape
        weight, bias = folded(weight, table, norm, EPSILON)
        depthwise = per_group == 1 and side == 3
        x = graph.add(
            "Conv", x, weight, bias, strides=[stride] * 2, pads=[side // 2] * 4, group=out if depthwise else 1
        )
        return graph.add("Clip", x, np.float32(0), np.float32(6)) if bend else x

    x = convolve("image", "features.0.0", "features.0.1", stride=2)
    for number, stride in enumerate(STRIDES, start=1):
        block = f"features.{number}.conv"
        steps = 2 if f"{block}.1.0.weight" in table else 1
        before = x
        if steps == 2:
            x = convolve(x, f"{block}.0.0", f"{block}.0.1")
        x = convolve(x, f"{block}.{steps - 1}.0", f"{block}.{steps - 1}.1", stride=stride)
        x = convolve(x, f"{block}.{steps}", f"{block}.{steps + 1}", bend=False)
        first = table[f"{block}.0.0.weight"]
        if stride == 1 and steps == 2 and first.shape[1] == table[f"{block}.{steps}.weight"].shape[0]:
            x = graph.add("Add", before, x)
    x = convolve(x, "features.18.0", "features.18.1")
    x = graph.add("Flatten", graph.add("GlobalAveragePool", x), result="emb")
    graph.add("Gemm", x, table["classifier.1.weight"], table["classifier.1.bias"], result="logits", transB=1)
