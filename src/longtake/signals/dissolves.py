"""Evidence for slow changes: does a stretch of frames lie on the straight line between its two ends?

In a dissolve every frame is a mixture of two pictures, so that seen as vectors the frames between lie on
the line from the first to the last, in even steps. Camera and object motion leave that line.
"""

from __future__ import annotations

from array import array
from fractions import Fraction

import cv2
import numpy as np
from numpy.typing import NDArray

from .observer import Arrays
from .window import Window

LENGTHS = (8, 12, 16, 22, 30, 40, 48)
"""Lengths in frames that are tried."""
REACH = LENGTHS[-1] + 2
STEPS_PER_S = 6
"""How often a stretch is looked at, on a grid of film time: wherever a run began."""
CHANGE = 7.0
"""Mean grey-level change over a stretch below which nothing is looked at."""
LUMA, CHROMA = (32, 18), (16, 9)
"""Sizes (width, height) of the small planes that are kept of a frame."""
MOVED = 6
"""Grey levels by which a place counts as changed."""
OFF_LINE, UNEVEN = 0.4, 0.2
"""What is kept for the decision; ``boundaries`` is stricter."""

COLUMNS = ("start", "end", "off_line", "uneven", "alike", "change", "wide")


class DissolveObserver:
    """Keeps 56 bytes for every stretch that looks like a mixture of its ends."""

    name = "dissolves"
    lookback = 1
    lookahead = 0
    memory = REACH

    def __init__(self) -> None:
        self._small: list[NDArray[np.float32]] = []
        self._times: list[Fraction] = []
        self._rows = array("d")

    def see(self, window: Window) -> None:
        view, old = window[0], window[-1]
        assert view is not None
        parts = (
            cv2.resize(view.y, LUMA, interpolation=cv2.INTER_AREA),
            cv2.resize(view.u, CHROMA, interpolation=cv2.INTER_LINEAR),
            cv2.resize(view.v, CHROMA, interpolation=cv2.INTER_LINEAR),
        )
        self._small.append(np.concatenate([p.ravel() for p in parts]))
        self._times.append(view.time)
        if len(self._small) > REACH:
            del self._small[0], self._times[0]
        if old is None or len(self._small) < REACH:
            return
        if view.time * STEPS_PER_S // 1 != old.time * STEPS_PER_S // 1:
            self._try_lengths()

    def _try_lengths(self) -> None:
        middle = REACH // 2
        short = [
            cv2.norm(self._small[middle - d // 2], self._small[middle + d // 2], cv2.NORM_L1)
            for d in (12, 48)
        ]
        if max(short) < CHANGE * self._small[0].size:
            return
        stack = np.stack(self._small).astype(np.float32)
        best: tuple[float, ...] | None = None
        for length in LENGTHS:
            first, last = middle - length // 2 - 1, middle + length - length // 2
            line = stack[last] - stack[first]
            change = float(np.abs(line).mean())
            power = float(line @ line)
            if change < CHANGE or power < 1:
                continue
            inner = stack[first + 1 : last] - stack[first]
            along = inner @ line / power
            steps = np.arange(1, len(inner) + 1, dtype=np.float32) / (len(inner) + 1)
            off_line = float(
                np.sqrt(np.maximum((inner * inner).sum(1) - along * along * power, 0).mean() / power)
            )
            uneven = float(np.sqrt(((along - steps) ** 2).mean()))
            if off_line > OFF_LINE or uneven > UNEVEN:
                continue
            row = (
                float(self._times[first + 1]),
                float(self._times[last]),
                off_line,
                uneven,
                _alike(stack[first], stack[last]),
                change,
                float((np.abs(line[: LUMA[0] * LUMA[1]]) > MOVED).mean()),
            )
            if best is None or _strength(row) > _strength(best):
                best = row
        if best is not None:
            self._rows.extend(best)

    def flush(self) -> Arrays:
        table = np.array(self._rows, np.float64).reshape(-1, len(COLUMNS))
        self._rows = array("d")
        return {f"dissolves.{n}": table[:, i].copy() for i, n in enumerate(COLUMNS)}


def _strength(row: tuple[float, ...]) -> float:
    """Much change in few steps off the line: a part of a dissolve lies on the line too, but changes less."""
    return row[5] * (1 - 2 * (row[2] + row[3]))


def _alike(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """Correlation of two small pictures' luma, -1..1; 0 where one is flat."""
    luma = LUMA[0] * LUMA[1]
    x, y = a[:luma] - a[:luma].mean(), b[:luma] - b[:luma].mean()
    power = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / power if power > luma else 0.0
