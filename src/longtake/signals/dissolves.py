"""Evidence for slow changes: does a stretch of frames lie on the straight line between its two ends?

In a dissolve every frame is a mixture of two pictures, so that seen as vectors the frames between lie on
the line from the first to the last, in even steps. Camera and object motion leave that line.
"""

from __future__ import annotations

from array import array

import cv2
import numpy as np
from numpy.typing import NDArray

from .observer import Arrays
from .window import Window

LENGTHS = (8, 12, 16, 22, 30, 40, 48)
"""Lengths in frames that are tried, all about one middle."""
REACH = LENGTHS[-1] + 3
MIDDLE = REACH // 2
STRETCHES = tuple((MIDDLE - n // 2 - 1, MIDDLE + n // 2 + 1) for n in LENGTHS)
"""The last frame before and the first after each length, counted from the oldest that is kept."""
STEPS_PER_S = 5
"""How often a stretch is looked at, on a grid of film time: wherever a run began."""
CHANGE = 7.0
"""Mean grey-level change over a stretch below which nothing is looked at."""
LUMA, CHROMA = (32, 18), (16, 9)
"""Sizes (width, height) of the small planes that are kept of a frame."""
PIXELS, CHROMA_PIXELS = LUMA[0] * LUMA[1], CHROMA[0] * CHROMA[1]
SIZE = PIXELS + 2 * CHROMA_PIXELS
MOVED = 6
"""Grey levels by which a place counts as changed."""
HALF_WAY = 0.3
"""How far the middle frame may be from half way, as a share of the whole change, to be looked at further."""
MISFIT = 0.3
"""Largest sum of both misfits that is kept; ``boundaries`` is stricter."""

COLUMNS = ("start", "end", "off_line", "uneven", "alike", "change", "wide")


class DissolveObserver:
    """Keeps 56 bytes for every stretch that looks like a mixture of its ends."""

    name = "dissolves"
    lookback = 1
    lookahead = 0
    memory = REACH

    def __init__(self) -> None:
        self._ring = np.zeros((REACH, SIZE), np.uint8)
        self._times = [0.0] * REACH
        self._count = 0
        self._rows = array("d")

    def see(self, window: Window) -> None:
        view, old = window[0], window[-1]
        assert view is not None
        at = self._count % REACH
        place = self._ring[at]
        place[:PIXELS] = cv2.resize(view.y, LUMA, interpolation=cv2.INTER_AREA).ravel()
        for plane, begin in ((view.u, PIXELS), (view.v, PIXELS + CHROMA_PIXELS)):
            small = cv2.resize(plane, CHROMA, interpolation=cv2.INTER_NEAREST)
            place[begin : begin + CHROMA_PIXELS] = small.ravel()
        self._times[at] = view.seconds
        self._count += 1
        if old is None or self._count < REACH:
            return
        if int(view.seconds * STEPS_PER_S) != int(old.seconds * STEPS_PER_S):
            self._try_lengths()

    def _try_lengths(self) -> None:
        ring, begin = self._ring, self._count
        middle = ring[(begin + MIDDLE) % REACH]
        best: tuple[float, ...] | None = None
        for first, last in STRETCHES:
            a, b = ring[(begin + first) % REACH], ring[(begin + last) % REACH]
            if cv2.norm(a, b, cv2.NORM_L1) < CHANGE * SIZE:
                continue
            half_way = cv2.addWeighted(a, 0.5, b, 0.5, 0)
            if cv2.norm(middle, half_way) > HALF_WAY * cv2.norm(a, b):
                continue
            row = self._fit(first, last)
            if row is not None and (best is None or _strength(row) > _strength(best)):
                best = row
        if best is not None:
            self._rows.extend(best)

    def _at(self, place: int) -> int:
        return (self._count + place) % REACH

    def _fit(self, first: int, last: int) -> tuple[float, ...] | None:
        """One row, if the frames between lie near the line and in even steps."""
        stack = self._ring[[self._at(i) for i in range(first, last + 1)]].astype(np.float32)
        line = stack[-1] - stack[0]
        power = float(line @ line)
        inner = stack[1:-1] - stack[0]
        along = inner @ line / power
        steps = np.arange(1, len(inner) + 1, dtype=np.float32) / (len(inner) + 1)
        beside = np.maximum(np.einsum("ij,ij->i", inner, inner) - along * along * power, 0)
        off_line = float(np.sqrt(beside.mean() / power))
        uneven = float(np.sqrt(((along - steps) ** 2).mean()))
        if off_line + uneven > MISFIT:
            return None
        return (
            self._times[self._at(first + 1)],
            self._times[self._at(last)],
            off_line,
            uneven,
            _alike(stack[0], stack[-1]),
            float(np.abs(line).mean()),
            float((np.abs(line[:PIXELS]) > MOVED).mean()),
        )

    def flush(self) -> Arrays:
        table = np.array(self._rows, np.float64).reshape(-1, len(COLUMNS))
        self._rows = array("d")
        return {f"dissolves.{n}": table[:, i].copy() for i, n in enumerate(COLUMNS)}


def _strength(row: tuple[float, ...]) -> float:
    """Much change in few steps off the line: a part of a dissolve lies on the line too, but changes less."""
    return row[5] * (1 - 2 * (row[2] + row[3]))


def _alike(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """Correlation of two small pictures' luma, -1..1; 0 where one is flat."""
    x, y = a[:PIXELS] - a[:PIXELS].mean(), b[:PIXELS] - b[:PIXELS].mean()
    power = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / power if power > PIXELS else 0.0
