"""What embedders have in common, whatever stands behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import BackendError
from ..vectors import cosines, unit

Picture = NDArray[np.uint8]
Vectors = NDArray[np.float32]


class _Named(Protocol):
    @property
    def name(self) -> str: ...


class _Pictures(Protocol):
    def pictures(self, pictures: Sequence[Picture]) -> Vectors: ...


class _Pair(_Pictures, Protocol):
    def texts(self, texts: Sequence[str]) -> Vectors: ...


class ByFrames:
    """Clips for a model of single pictures: the mean of the frames' unit vectors."""

    def clips(self: _Pictures, clips: Sequence[Sequence[Picture]]) -> Vectors:
        """Vectors of clips of any lengths, shape (n, dimension). Raises ``BackendError``."""
        frames = unit(self.pictures([picture for clip in clips for picture in clip]))
        found = np.zeros((len(clips), frames.shape[1]), np.float32)
        at = 0
        for i, clip in enumerate(clips):
            found[i] = frames[at : at + len(clip)].mean(axis=0)
            at += len(clip)
        return found


class Comparing:
    """An embedder of pictures and texts as a :class:`...core.ports.TextPicture`."""

    def similarity(self: _Pair, pictures: Sequence[Picture], texts: Sequence[str]) -> Vectors:
        """Cosines, shape (n_pictures, n_texts). A text is cut off where the model stops reading."""
        return cosines(self.pictures(pictures), self.texts(texts))


class NoTexts:
    """An embedder of pictures alone."""

    def texts(self: _Named, texts: Sequence[str]) -> Any:
        """Raises ``BackendError``."""
        raise BackendError(f"{self.name} reads no texts")

    def tokens(self: _Named, texts: Sequence[str]) -> list[int]:
        """Raises ``BackendError``."""
        raise BackendError(f"{self.name} reads no texts")
