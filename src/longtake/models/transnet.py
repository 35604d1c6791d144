"""TransNetV2: how likely each frame belongs to a transition between shots.

Souček, Lokoč: "TransNet V2: An effective deep network architecture for fast shot transition detection", 2020.
The weights are PyTorch's; :func:`convert` writes the network anew as ONNX, without PyTorch. The comparison of
colour histograms, which has no weights, is done here in NumPy and is the model's second input.
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
from .onnx import session

WINDOW = 20
"""Frames that the network looks at together. It was trained on 100, of which it judged the middle 50; on the
dissolves of set A (``benchmarks/accuracy.py``) 20 tell nearly the same, at a fifth of the cost."""
WIDTH, HEIGHT = 48, 27
"""Pixels of a frame."""
LOOKUP = 101
"""Neighbours, itself among them, that each frame is compared with."""
DILATIONS = (1, 2, 4, 8)
"""Frames between the taps of the four branches of a block."""
STAGES, BLOCKS = 3, 2
EPSILON = 1e-3
"""Of the normalisations."""
BINS = 512
"""Of a colour histogram: three bits of each colour."""

# The logits that the network gives in PyTorch 2.13 for known_film(), with the same weights.
KNOWN_CENTRE = (
    -5.285, -5.517, -4.246, -3.982, 1.621, -3.163, -3.363, -2.684, -2.905, -1.343,
    -0.440, 0.375, -1.175, -2.464, -2.612, -2.503, -4.226, -4.986, -6.376, -3.998,
)  # fmt: skip
KNOWN_ALL = (
    -3.368, -4.134, -3.476, -2.731, 1.286, -0.879, -0.882, -0.769, -0.813, 0.175,
    0.887, 1.184, 1.079, 1.763, 2.556, 1.411, -0.031, -1.719, -3.541, -3.213,
)  # fmt: skip


class TransNet:
    """TransNetV2 on windows of 20 frames.

    Raises:
        BackendError: the file is no model that can be run.
    """

    def __init__(self, path: Path, threads: int = 1) -> None:
        self._session = session(path, threads)

    def __call__(self, frames: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """How likely each frame is one of a transition.

        Args:
            frames: RGB, shape (20, 27, 48, 3).

        Returns:
            Two arrays of shape (20,), 0..1: that the frame is a transition's middle (for a cut: the last
            frame before it), and that it is any frame of a transition.
        """
        centre, all_of_it = self._session.run(
            ["centre", "all"], {"frames": frames[None], "colours": colours(frames)[None]}
        )
        return _sigmoid(centre[0]), _sigmoid(all_of_it[0])


def _sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(1 / (1 + np.exp(-logits)), np.float32)


def colours(frames: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Cosine of each two frames' colour histograms: shape (n, 27, 48, 3) -> (n, n), 0..1."""
    shifted = frames.reshape(len(frames), -1, 3).astype(np.int64) >> 5
    bins = (shifted[..., 0] << 6) + (shifted[..., 1] << 3) + shifted[..., 2]
    bins += np.arange(len(frames))[:, None] * BINS
    counts = np.bincount(bins.ravel(), minlength=len(frames) * BINS).reshape(len(frames), BINS)
    unit = counts / np.linalg.norm(counts, axis=1, keepdims=True)
    return np.asarray(unit @ unit.T, np.float32)


def convert(folder: Path, target: Path) -> None:
    """Write the ONNX model from ``folder/transnetv2.pth`` and compare what it gives with known outputs.

    The model takes ``frames`` (n, 20, 27, 48, 3), RGB bytes, and ``colours`` (n, 20, 20), as
    :func:`colours` gives them; it gives the logits ``centre`` and ``all``, (n, 20) each.

    Raises:
        BackendError: the weights cannot be read, or the result is not TransNetV2.
    """
    table = pth.read(folder / "transnetv2.pth")
    graph = Graph()
    try:
        _build(graph, table)
    except KeyError as error:
        raise BackendError(f"transnetv2.pth has no {error}") from error
    frames, pairs = ("n", WINDOW, HEIGHT, WIDTH, 3), ("n", WINDOW, WINDOW)
    graph.save(
        target,
        {"frames": (np.uint8, frames), "colours": (np.float32, pairs)},
        {"centre": ("n", WINDOW), "all": ("n", WINDOW)},
    )
    film = known_film()
    known = {"centre": np.array(KNOWN_CENTRE), "all": np.array(KNOWN_ALL)}
    check(target, {"frames": film[None], "colours": colours(film)[None]}, known)


def known_film() -> NDArray[np.uint8]:
    """The film of the known outputs, shape (20, 27, 48, 3), by whole numbers: three moving patterns with
    a cut after frame 4 and a dissolve over frames 9 to 16."""
    time, row, column, colour = np.ogrid[:WINDOW, :HEIGHT, :WIDTH, :3]
    first = (row * 9 + column * 5 + time * 2 + colour * 40) % 200
    second = (row * column // 3 + time * 3 + (2 - colour) * 55) % 230
    third = ((column - row) * 6 + time + colour * 90) % 180 + 60
    share = np.clip((time - 8) * 2, 0, 16)
    late = (second * (16 - share) + third * share) // 16
    return np.where(time < 5, first, late).astype(np.uint8)


def _build(graph: Graph, table: Mapping[str, NDArray[Any]]) -> None:
    x = graph.add("Transpose", graph.cast("frames"), perm=[0, 4, 1, 2, 3])
    x = graph.add("Mul", x, np.float32(1 / 255))
    means = []
    for stage in range(STAGES):
        shortcut = ""
        for block in range(BLOCKS):
            x = _block(graph, table, x, f"SDDCNN.{stage}.DDCNN.{block}")
            if block < BLOCKS - 1:
                x = graph.add("Relu", x)
            shortcut = shortcut or x
        x = graph.add("Add", graph.add("Relu", x), shortcut)
        x = graph.add("AveragePool", x, kernel_shape=[1, 2, 2], strides=[1, 2, 2])
        means.append(graph.add("ReduceMean", x, axes=[3, 4], keepdims=0))
    flat = graph.add("Transpose", x, perm=[0, 2, 3, 4, 1])
    flat = graph.add("Reshape", flat, np.array([0, WINDOW, -1]))
    features = graph.add("Transpose", graph.add("Concat", *means, axis=1), perm=[0, 2, 1])
    features = _linear(graph, table, features, "frame_sim_layer.projection")
    length = graph.add("ReduceL2", features, axes=[2], keepdims=1)
    features = graph.add("Div", features, graph.add("Max", length, np.float32(1e-12)))
    pairs = graph.add("MatMul", features, graph.add("Transpose", features, perm=[0, 2, 1]))
    alike = graph.add("Relu", _linear(graph, table, _band(graph, pairs), "frame_sim_layer.fc"))
    tints = graph.add("Relu", _linear(graph, table, _band(graph, "colours"), "color_hist_layer.fc"))
    x = graph.add("Concat", tints, alike, flat, axis=2)
    x = graph.add("Relu", _linear(graph, table, x, "fc1"))
    for head, name in (("cls_layer1", "centre"), ("cls_layer2", "all")):
        graph.add("Squeeze", _linear(graph, table, x, head), np.array([2]), result=name)


def _block(graph: Graph, table: Mapping[str, NDArray[Any]], x: str, name: str) -> str:
    """Four branches side by side: a convolution in space, then one in time; the normalisation of them all."""
    branches = []
    for number, dilation in enumerate(DILATIONS):
        layers = f"{name}.Conv3D_{dilation}.layers"
        space, time = table[f"{layers}.0.weight"], table[f"{layers}.1.weight"]
        part = slice(number * len(time), (number + 1) * len(time))
        time, bias = folded(time, table, f"{name}.bn", EPSILON, part)
        y = graph.add("Conv", x, space, pads=[0, 1, 1, 0, 1, 1])
        reach = [dilation, 0, 0] * 2
        branches.append(graph.add("Conv", y, time, bias, pads=reach, dilations=[dilation, 1, 1]))
    return graph.add("Concat", *branches, axis=1)


def _linear(graph: Graph, table: Mapping[str, NDArray[Any]], x: str, name: str) -> str:
    x = graph.add("MatMul", x, table[f"{name}.weight"].T)
    return graph.add("Add", x, table[f"{name}.bias"])


def _band(graph: Graph, pairs: str) -> str:
    """Of (n, 20, 20) the 101 values about the diagonal of each row, 0 beyond the window."""
    side = LOOKUP // 2
    wide = graph.add("Pad", pairs, np.array([0, 0, side, 0, 0, side]))
    flat = graph.add("Reshape", wide, np.array([0, -1]))
    rows, places = np.ogrid[:WINDOW, :LOOKUP]
    return graph.add("Gather", flat, rows * (WINDOW + 2 * side) + rows + places, axis=1)
