"""What hangs on to the one decode pass: observers of frames and of sound."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .window import Window

Arrays = dict[str, NDArray[np.generic]]


class FrameObserver(Protocol):
    """Watches every frame once, in order, with a bounded view of its neighbours.

    What it keeps per frame must be a function of the window alone: a film cut into chunks and measured by
    several workers must give the same rows as one worker. Runs, thresholds and anything that looks further
    than the window are worked out from the rows when all chunks are there.
    """

    name: str
    lookback: int
    """Frames before the current one that :meth:`see` reads."""
    lookahead: int
    """Frames after the current one that :meth:`see` reads."""

    def see(self, window: Window) -> None:
        """Take in the frame ``window[0]``; ``window[-1]`` is the one before, ``None`` at the film's ends."""

    def flush(self) -> Arrays:
        """Rows since the last flush: equally long arrays per table, named ``table.column``."""


class SoundObserver(Protocol):
    """Watches decoded sound, in order, from the start to the end of the film."""

    name: str

    def hear(self, samples: NDArray[np.float32], rate: int, time: float) -> None:
        """``samples``: shape (channels, n), in [-1, 1]; ``time``: that of the first one, in seconds."""

    def flush(self) -> Arrays:
        """Rows since the last flush."""


class SampleObserver(Protocol):
    """Looks at the kept frames of a chunk after the pass, in order: the pictures of the signal ``frames``."""

    name: str

    def look(self, picture: NDArray[np.uint8], time: float) -> None:
        """``picture``: BGR, shape (height, width, 3), as shown; ``time``: seconds on the film's clock."""

    def flush(self) -> Arrays:
        """Rows since the last flush: equally long arrays per table, named ``table.column``."""


Merged = Mapping[str, NDArray[np.generic]]
"""All chunks' rows, joined in time order; times and frame numbers are the film's."""
