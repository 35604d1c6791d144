"""One look at all frames of a film: how each differs from the one before, and which shots show nothing new.

It is kept and shared by the dimensions that need it; one picture is held at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ...core.tools import Tools
from ...signals.picture import BLACK_MEAN, BLACK_SPREAD
from ..shared.occlusion import SHORT_SIDE
from ..shared.standing import STILL, blocks_of
from .shots import Shot, named

Numbers = NDArray[np.float64]
VERSION = 1


@dataclass(frozen=True)
class Look:
    """One row per frame: its ``shot`` (index) and ``time``; ``change`` is the mean absolute difference in
    levels over pixels and channels to the frame before in the shot, NaN for the first; ``away`` the largest
    block's difference to the shot's first frame; ``luma`` and ``spread`` are mean and deviation of light."""

    shot: Numbers
    time: Numbers
    change: Numbers
    away: Numbers
    luma: Numbers
    spread: Numbers

    def black(self, shot: Shot) -> bool:
        """Whether no frame of it shows anything, nor could any be read."""
        own = self.shot == shot.index
        return bool(np.all((self.luma[own] <= BLACK_MEAN) & (self.spread[own] <= BLACK_SPREAD)))

    def frozen(self, shot: Shot) -> bool:
        """Whether no block of any frame is away from its first frame by more than encoding does."""
        own = self.shot == shot.index
        return bool(own.any() and np.all(self.away[own] <= STILL))

    def steps(
        self, shot: Shot, start: float | None = None, end: float | None = None
    ) -> tuple[Numbers, Numbers]:
        """Times of the frames of a shot that have one before them, and their change; between ``start`` and
        ``end`` where these are given."""
        own = (self.shot == shot.index) & np.isfinite(self.change)
        if start is not None and end is not None:
            own &= (self.time >= start) & (self.time < end)
        return self.time[own], self.change[own]


def look(tools: Tools, shots: Sequence[Shot]) -> Look:
    """What is seen of these shots. Raises ``InputError`` where the film can no longer be read."""
    found = tools.kept("vbench-look", VERSION, lambda: _look(tools, shots), shots=named(shots))
    table = np.asarray(found["rows"], np.float64)
    return Look(*table.T)


def _look(tools: Tools, shots: Sequence[Shot]) -> dict[str, Any]:
    rows: list[tuple[float, ...]] = []
    for shot in shots:
        before, first = None, None
        for time, picture in tools.footage.between(shot.start, shot.end, SHORT_SIDE):
            grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
            mean, spread = cv2.meanStdDev(grey)
            blocks = blocks_of(grey)
            change = away = float("nan")
            if before is not None and before.shape == picture.shape:
                change = cv2.norm(picture, before, cv2.NORM_L1) / picture.size
            first = blocks if first is None or first.shape != blocks.shape else first
            away = float(np.abs(blocks - first).max())
            rows.append((shot.index, time, change, away, float(mean[0, 0]), float(spread[0, 0])))
            before = picture
    return {"rows": np.array(rows, np.float64).reshape(-1, 6)}
