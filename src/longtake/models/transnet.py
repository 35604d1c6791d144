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

WINDOW = 100
"""Frames that the network looks at together."""
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
    -3.463, -5.223, -6.492, -7.361, -7.464, -6.680, -7.104, -6.935, -8.837, -8.606,
    -10.054, -10.117, -10.016, -9.976, -8.629, -8.559, -8.308, -8.306, -7.317, -6.432,
    -6.939, -6.887, -6.567, -8.179, -9.375, -8.476, -8.029, -7.289, -6.864, 1.985,
    -2.686, -4.815, -3.884, -5.608, -5.542, -6.134, -6.865, -6.024, -5.493, -5.381,
    -6.629, -7.245, -7.964, -8.467, -8.432, -8.886, -9.470, -9.912, -9.306, -9.014,
    -8.489, -8.042, -7.497, -7.220, -6.792, -7.205, -7.491, -7.962, -8.186, -7.720,
    -6.582, -5.825, -5.468, -5.512, -5.508, -4.303, 0.667, 2.995, -2.808, -5.059,
    -5.055, -4.661, -5.032, -5.931, -6.155, -7.792, -8.993, -7.373, -8.146, -8.670,
    -8.098, -9.654, -9.789, -8.817, -9.932, -11.917, -11.754, -12.027, -12.260, -10.728,
    -13.718, -14.274, -12.532, -13.870, -12.596, -13.474, -12.534, -12.999, -12.023, -4.296,
)  # fmt: skip
KNOWN_ALL = (
    -2.591, -3.198, -2.969, -3.577, -2.591, -3.585, -3.983, -3.868, -3.132, -3.846,
    -5.248, -5.285, -4.673, -4.843, -4.538, -4.687, -5.318, -6.092, -6.046, -5.445,
    -6.437, -5.902, -5.057, -5.572, -6.001, -5.833, -5.554, -4.904, -4.841, 1.282,
    -1.725, -2.132, -2.239, -3.205, -3.250, -3.960, -4.592, -3.613, -3.680, -3.992,
    -4.623, -4.794, -5.078, -5.715, -6.011, -6.284, -7.081, -7.318, -6.518, -6.153,
    -5.641, -5.068, -4.287, -3.662, -3.195, -3.349, -3.567, -3.453, -2.259, -0.431,
    1.884, 3.492, 4.282, 4.782, 5.011, 5.167, 4.541, 4.088, 4.219, 3.915,
    3.607, 3.882, 3.977, 3.757, 3.252, 1.539, -0.536, -0.770, -2.123, -2.916,
    -2.661, -3.068, -3.921, -4.072, -5.029, -6.802, -6.705, -7.575, -9.086, -7.968,
    -10.004, -10.047, -10.151, -11.241, -10.308, -10.803, -9.974, -10.228, -9.739, -5.790,
)  # fmt: skip


class TransNet:
    """TransNetV2 on windows of 100 frames.

    Raises:
        BackendError: the file is no model that can be run.
    """

    def __init__(self, path: Path, threads: int = 1) -> None:
        self._session = session(path, threads)

    def __call__(self, frames: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """How likely each frame is one of a transition.

        Args:
            frames: RGB, shape (100, 27, 48, 3).

        Returns:
            Two arrays of shape (100,), 0..1: that the frame is a transition's middle (for a cut: the last
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

    The model takes ``frames`` (n, 100, 27, 48, 3), RGB bytes, and ``colours`` (n, 100, 100), as
    :func:`colours` gives them; it gives the logits ``centre`` and ``all``, (n, 100) each.

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
    """The film of the known outputs, shape (100, 27, 48, 3), by whole numbers: three moving patterns with
    a cut after frame 29 and a dissolve over frames 60 to 75."""
    time, row, column, colour = np.ogrid[:WINDOW, :HEIGHT, :WIDTH, :3]
    first = (row * 9 + column * 5 + time * 2 + colour * 40) % 200
    second = (row * column // 3 + time * 3 + (2 - colour) * 55) % 230
    third = ((column - row) * 6 + time + colour * 90) % 180 + 60
    share = np.clip(time - 59, 0, 16)
    late = (second * (16 - share) + third * share) // 16
    return np.where(time < 30, first, late).astype(np.uint8)


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
    """Of (n, 100, 100) the 101 values about the diagonal of each row, 0 beyond the window."""
    side = LOOKUP // 2
    wide = graph.add("Pad", pairs, np.array([0, 0, side, 0, 0, side]))
    flat = graph.add("Reshape", wide, np.array([0, -1]))
    rows, places = np.ogrid[:WINDOW, :LOOKUP]
    return graph.add("Gather", flat, rows * (WINDOW + 2 * side) + rows + places, axis=1)
