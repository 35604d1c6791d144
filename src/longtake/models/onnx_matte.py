"""The foreground by a network of the user's own in the shape that rembg uses (U2-Net and its kin)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from ..core.ports import Kind
from ..errors import BackendError
from . import onnx
from .matting import Matte, Picture

SIDE = 320
"""The network's square input where the file does not state a size, px."""
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of red, green and blue in 0..1, after the picture was divided by its brightest value."""
FLAT = 1e-3
"""Where the output differs by less than this over the picture, nothing stands out."""


class OnnxMatte:
    """One input (1, 3, side, side); the first output (1, 1, side, side) is stretched to 0..1.

    It knows the foreground and no words: what a phrase names it cannot find.
    """

    kind: Kind = "model"
    stands_for = ""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` where the file is no such network."""
        self.name = f"rembg:{path.name}"
        self._session = onnx.session(path, threads, own=True)
        inputs = self._session.get_inputs()[0]
        self._input, side = inputs.name, inputs.shape[-1]
        self._side = side if isinstance(side, int) else SIDE
        self.mask(np.zeros((32, 32, 3), np.uint8), None)

    def mask(self, picture: Picture, phrase: str | None) -> Matte:
        """The foreground. Raises ``BackendError`` for a phrase."""
        if phrase is not None:
            raise self._wordless()
        square = cv2.resize(picture, (self._side,) * 2, interpolation=cv2.INTER_AREA)[..., ::-1]
        batch = (square / max(float(square.max()), 1e-6) - MEAN) / STD
        batch = np.ascontiguousarray(batch.transpose(2, 0, 1)[None], np.float32)
        try:
            out = np.asarray(self._session.run(None, {self._input: batch})[0], np.float32)
        except Exception as error:  # the library raises types of its own, which it does not export
            raise BackendError(f"{self.name} cannot be run: {error}") from error
        if out.ndim != 4 or out.shape[:2] != (1, 1) or not np.isfinite(out).all():
            raise BackendError(f"{self.name} gives {out.shape}, not one map of finite numbers")
        low, high = float(out.min()), float(out.max())
        if high - low < FLAT:
            return np.zeros(picture.shape[:2], np.float32)
        large = cv2.resize((out[0, 0] - low) / (high - low), picture.shape[1::-1])
        return np.clip(large, 0, 1).astype(np.float32)

    def instances(self, picture: Picture, phrase: str) -> Sequence[Matte]:
        """Raises ``BackendError``."""
        raise self._wordless()

    def _wordless(self) -> BackendError:
        return BackendError(
            f"{self.name} knows no words", hint="take a masker that does: dino:FOLDER, or none"
        )
