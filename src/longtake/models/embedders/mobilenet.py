"""MobileNetV2: the embedder of pictures that runs offline."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...core.embedding import Shape
from ...core.ports import Kind
from ...errors import BackendError
from .. import onnx
from ..preparing import Preparation, prepared
from .base import ByFrames, NoTexts

NAME = "mobilenet-v2"
NAMES = "imagenet-names"
CLASSES = 1000
BATCH = 16
"""Pictures that go through the network at once."""


class MobileNet(ByFrames, NoTexts):
    """MobileNetV2 trained on ImageNet: 1280 numbers per picture, and probabilities of 1,000 classes.

    Sandler et al., CVPR 2018. It knows things, animals and some places; no people, actions or styles.
    """

    name = NAME
    kind: Kind = "proxy"
    stands_for = "DINO or CLIP"
    licence = "BSD-3-Clause"
    shape = Shape(1280, 224)

    def __init__(self, files: Mapping[str, Path], names: Mapping[str, Path], threads: int = 1) -> None:
        """``files`` hold ``mobilenet_v2.onnx``, ``names`` hold ``names.json``.

        Raises:
            BackendError: a file is not what it must be.
        """
        self._session = onnx.session(files["mobilenet_v2.onnx"], threads)
        self._input = self._session.get_inputs()[0].name
        self.classes = _class_names(names["names.json"])

    def pictures(self, pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Vectors, shape (n, 1280), none below 0. Unrelated pictures have cosines of .2 to .5."""
        return self.look(pictures)[0]

    def look(self, pictures: Sequence[NDArray[np.uint8]]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Vectors, shape (n, 1280), and class probabilities, shape (n, 1000), rows adding up to 1."""
        found = [self._run(pictures[i : i + BATCH]) for i in range(0, len(pictures), BATCH)]
        if not found:
            return np.zeros((0, self.shape.dimension), np.float32), np.zeros((0, CLASSES), np.float32)
        vectors, logits = (np.concatenate(parts) for parts in zip(*found, strict=True))
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return vectors, odds / odds.sum(axis=1, keepdims=True)

    def _run(self, pictures: Sequence[NDArray[np.uint8]]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        batch = prepared(pictures, Preparation())
        try:
            vectors, logits = self._session.run(["emb", "logits"], {self._input: batch})
        except Exception as error:  # the library raises types of its own, which it does not export
            raise BackendError(f"{self.name} cannot be run: {error}") from error
        return vectors, logits


def _class_names(path: Path) -> list[str]:
    try:
        names = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BackendError(f"{path.name} cannot be read: {error}") from error
    if not isinstance(names, list) or len(names) != CLASSES:
        raise BackendError(f"{path.name} does not hold {CLASSES} names")
    return [str(name) for name in names]
