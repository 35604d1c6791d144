"""Finds people and things in a picture with YOLOv3-tiny: small, fast and weak; what it misses may be there.

Weights and configuration by the authors of Darknet, run by OpenCV. 80 kinds of things (COCO).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..errors import BackendError

BYTES, LAYERS, LABELS = 35_434_956, 2, 80
"""What the files of this network must hold: bytes of weights, layers that give boxes, kinds of things."""
SIDE = 416
"""The network's square input, px; 608 found less."""
GREY = 127
"""What fills the square above and below a wide picture."""
LEAST = 0.25
"""Score below which nothing is returned."""
SAME = 0.45
"""Overlap (intersection over union) from which the weaker of two boxes of one kind is left out."""

_ANCHORS = (b"mask = 0,1,2", b"mask = 1,2,3")
"""The box sizes of the finer layer. The configuration names the three smallest, with which that layer's boxes
come out at half the size of the thing, inside those of the coarser layer; with the next three they fit. Seen
on bottles, cars, people and a wine glass of the test media."""


@dataclass(frozen=True)
class Found:
    """A thing: its kind, a score in [0, 1], and its box as shares of the picture (left, top, width, height).

    The score is objectness times the probability of the kind: an order of sureness, no probability.
    """

    label: str
    score: float
    box: tuple[float, float, float, float]


class ObjectFinder:
    """YOLOv3-tiny over its three files."""

    def __init__(self, weights: Path, config: Path, names: Path) -> None:
        """Opens the network. Raises ``BackendError`` where its files cannot be used."""
        hint = "fetch it again: longtake models pull"
        if weights.stat().st_size != BYTES:
            # OpenCV takes a file that is cut off without a word.
            raise BackendError(f"{weights.name} cannot be run: it is not of {BYTES} bytes", hint=hint)
        layers = np.frombuffer(config.read_bytes().replace(*_ANCHORS), np.uint8)
        try:
            self._net = cv2.dnn.readNetFromDarknet(layers, np.fromfile(weights, np.uint8))
        except cv2.error as error:
            raise BackendError(f"{config.name} cannot be run: {error.err}", hint=hint) from error
        self._net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)
        self.labels = [line.strip() for line in names.read_text("utf-8").splitlines() if line.strip()]
        self._outputs = self._net.getUnconnectedOutLayersNames()
        if len(self._outputs) != LAYERS or len(self.labels) != LABELS:
            broken = names.name if len(self._outputs) == LAYERS else config.name
            raise BackendError(f"{broken} cannot be run: it is not whole", hint=hint)

    def find(self, picture: NDArray[np.uint8], least: float = LEAST) -> list[Found]:
        """Things in ``picture`` (BGR), the surest first, with scores of at least ``least``."""
        height, width = picture.shape[:2]
        scale = SIDE / max(height, width)
        inner = (max(round(width * scale), 1), max(round(height * scale), 1))
        left, top = (SIDE - inner[0]) // 2, (SIDE - inner[1]) // 2
        square = np.full((SIDE, SIDE, 3), GREY, np.uint8)
        square[top : top + inner[1], left : left + inner[0]] = cv2.resize(picture, inner)
        self._net.setInput(cv2.dnn.blobFromImage(square, 1 / 255, swapRB=True))
        rows = np.vstack(self._net.forward(self._outputs))
        labels = rows[:, 5:].argmax(1)
        scores = rows[np.arange(len(rows)), 5 + labels]
        kept = scores >= least
        rows, labels, scores = rows[kept], labels[kept], scores[kept]
        # Of the square to px of the picture within it.
        size = rows[:, 2:4] * SIDE
        corner = rows[:, :2] * SIDE - size / 2 - [left, top]
        boxes = np.hstack([corner, size]) / [*inner, *inner]
        return [
            Found(self.labels[labels[i]], float(scores[i]), _inside(boxes[i]))
            for i in _strongest(boxes, labels, scores)
        ]


def _strongest(boxes: NDArray[Any], labels: NDArray[Any], scores: NDArray[Any]) -> list[int]:
    """Non-maximum suppression within each kind."""
    chosen: list[int] = []
    for i in np.argsort(-scores, kind="stable"):
        if all(labels[i] != labels[j] or overlap(boxes[i], boxes[j]) < SAME for j in chosen):
            chosen.append(int(i))
    return chosen


def overlap(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Intersection over union of two boxes (left, top, width, height)."""
    low = np.maximum(a[:2], b[:2])
    high = np.minimum(a[:2] + a[2:], b[:2] + b[2:])
    common = float(np.prod(np.clip(high - low, 0, None)))
    union = float(np.prod(a[2:]) + np.prod(b[2:])) - common
    return common / union if union > 0 else 0.0


def _inside(box: NDArray[Any]) -> tuple[float, float, float, float]:
    """The part of a box that lies in the picture."""
    low = np.clip(box[:2], 0, 1)
    high = np.clip(box[:2] + box[2:], 0, 1)
    x, y, width, height = (float(v) for v in (*low, *(high - low)))
    return x, y, width, height
