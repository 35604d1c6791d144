"""Flow and interpolation by networks of the user's own: RAFT, AMT-S and others, exported as ONNX.

Both take two pictures, float32 (1, 3, height, width), red, green, blue, of any size; sides are padded to
multiples of ``MULTIPLE`` by repeating the edge, and the answer is cut back.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.ports import Kind, Middle
from ..errors import BackendError
from . import onnx

Picture = NDArray[np.uint8]
Plane = NDArray[np.float32]
MULTIPLE = 16
"""Sides that AMT-S pads to; RAFT needs multiples of 8."""
TRIAL = 128
"""Side of the pictures that a network is tried on when it is opened, px: RAFT takes no smaller ones."""


class _Pair:
    """A network of two pictures and one answer of the same size."""

    kind: Kind = "model"
    stands_for = ""

    def __init__(self, path: Path, threads: int, word: str, channels: int, top: float) -> None:
        self.name = f"{word}:{path.name}"
        self._session = onnx.session(path, threads, own=True)
        self._inputs = [one.name for one in self._session.get_inputs()]
        if len(self._inputs) != 2:
            raise BackendError(
                f"{self.name} takes {len(self._inputs)} inputs, not two pictures",
                hint="docs/how-to/own-models.md says how it is exported",
            )
        self._channels, self._top = channels, top
        blank = np.zeros((TRIAL, TRIAL, 3), np.uint8)
        self._run(blank, blank)

    def _run(self, first: Picture, second: Picture) -> Plane:
        """The last of its answers, shape (height, width, channels)."""
        height, width = first.shape[:2]
        given = {n: self._batch(p) for n, p in zip(self._inputs, (first, second), strict=True)}
        try:
            out = np.asarray(self._session.run(None, given)[-1], np.float32)
        except Exception as error:  # the library raises types of its own, which it does not export
            raise BackendError(f"{self.name} cannot be run: {error}") from error
        expected = (1, self._channels, *next(iter(given.values())).shape[2:])
        if out.shape != expected or not np.isfinite(out).all():
            raise BackendError(f"{self.name} gives {out.shape}, not {expected} of finite numbers")
        return np.ascontiguousarray(out[0, :, :height, :width].transpose(1, 2, 0))

    def _batch(self, picture: Picture) -> Plane:
        more = [(0, -side % MULTIPLE) for side in picture.shape[:2]]
        padded: Any = np.pad(picture[..., ::-1], (*more, (0, 0)), mode="edge")
        scaled = padded.transpose(2, 0, 1)[None].astype(np.float32) * np.float32(self._top / 255)
        return np.ascontiguousarray(scaled, np.float32)


class OnnxFlow(_Pair):
    """Implements :class:`..core.ports.Flow`: pictures 0 to 255, the last output (1, 2, height, width) in px,
    x then y, as RAFT has it."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` where the file is no such network."""
        super().__init__(path, threads, "raft", 2, 255.0)

    def flow(self, first: Picture, second: Picture) -> Plane:
        """See the port."""
        return self._run(first, second)


class OnnxInterpolator(_Pair):
    """Implements :class:`..core.ports.Interpolator`: pictures 0 to 1, the last output the picture half way,
    (1, 3, height, width), as AMT-S has it with its time fixed to one half."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` where the file is no such network."""
        super().__init__(path, threads, "amt", 3, 1.0)

    def middle(self, before: Picture, after: Picture) -> Middle:
        """See the port; it tells no flow."""
        shown = np.clip(self._run(before, after), 0, 1) * 255
        return Middle(np.ascontiguousarray(shown[..., ::-1], np.float32))
