"""How far a cloud of tracked points is from keeping its shape: no pictures, only points.

Re-derived from the project page of DynamicEval (arXiv 2510.07441): distances of each point to its neighbours,
an exponential moving average of them, and the deviation from it. All constants are ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Truths = NDArray[np.bool_]

NEIGHBOURS = 8
"""Nearest neighbours of each point, fixed in the first frame."""
AVERAGE_S = 0.4
"""Time constant of the moving average; until it has passed the average has not settled, nothing counts."""
PERCENTILE = 95.0
"""Of the frames' deviations: that of the shot."""
SPREAD = 0.05
"""Deviation, in median pair distances, that brings the score to 1/e."""
FEWEST = 8
"""With fewer points seen a frame is skipped."""
SKIPPED = 0.5
"""With a larger share of frames skipped nothing is said."""
TRACKS_LOST, TOO_SHORT = "tracks_lost", "too_short"


@dataclass(frozen=True)
class Shape:
    """What became of one cloud of points.

    ``times`` (s) and ``deviation`` have one entry per frame, in median pair distances, NaN where the frame is
    skipped. ``value`` is that of the shot, ``None`` where ``reason`` says why there is none. ``lost`` is the
    share of points that are not seen in the last frame, ``skipped`` that of frames, ``seconds`` how long
    enough points were seen, ``speed`` the median speed of the points in px per second.
    """

    times: Numbers
    deviation: Numbers
    value: float | None
    reason: str
    lost: float
    skipped: float
    seconds: float
    speed: float

    @property
    def settled(self) -> Truths:
        """Frames that count: not skipped, and after the average has settled."""
        late = self.times - self.times[:1] >= AVERAGE_S - 1e-9 if len(self.times) else np.zeros(0, bool)
        return np.asarray(np.isfinite(self.deviation) & late)

    @property
    def worst(self) -> tuple[float, float] | None:
        """Where (s) the deviation is largest: from the frame before to the one after."""
        counted = np.flatnonzero(self.settled)
        if not len(counted):
            return None
        at = int(counted[np.argmax(self.deviation[counted])])
        return float(self.times[max(0, at - 1)]), float(self.times[min(at + 1, len(self.times) - 1)])


def score_of(deviation: float) -> float:
    """The score of a shot's deviation, in (0, 1], higher is better."""
    return exp(-deviation / SPREAD)


def shape_of(frames: Iterable[tuple[float, Any, Any]]) -> Shape:
    """The deviation of points from the shape that they had.

    Args:
        frames: (time in s, points (n, 2) in px, which are seen (n,)) of each frame in order; in the first one
            all are seen. One frame is held at a time.
    """
    times: list[float] = []
    deviation: list[float] = []
    speeds: list[float] = []
    cloud: _Cloud | None = None
    seen = np.zeros(0, bool)
    for time, points, visible in frames:
        now, seen = np.asarray(points, np.float64).reshape(-1, 2), np.asarray(visible, bool).ravel()
        if cloud is None:
            cloud = _Cloud(now, time)
        times.append(time)
        step, speed = cloud.step(time, now, seen)
        deviation.append(step)
        speeds.append(speed)
    return _judged(np.array(times), np.array(deviation), np.array(speeds), seen)


def _judged(times: Numbers, deviation: Numbers, speeds: Numbers, seen: Truths) -> Shape:
    count = len(times)
    usable = np.isfinite(deviation)
    skipped = 1 - float(usable.mean()) if count else 1.0
    lost = 1 - float(seen.mean()) if len(seen) else 1.0
    length = float(times[-1] - times[0]) * count / (count - 1) if count > 1 else 0.0
    speed = float(np.nanmedian(speeds)) if np.isfinite(speeds).any() else float("nan")
    found = Shape(times, deviation, None, "", lost, skipped, length * (1 - skipped), speed)
    value, reason = None, ""
    if skipped > SKIPPED:
        reason = TRACKS_LOST
    elif not found.settled.any():
        reason = TOO_SHORT
    else:
        value = float(np.percentile(deviation[found.settled], PERCENTILE))
    return replace(found, value=value, reason=reason)


class _Cloud:
    """Points with their neighbours and the moving average of the distances to them."""

    def __init__(self, points: Numbers, time: float) -> None:
        apart = np.linalg.norm(points[:, None] - points[None], axis=2)
        self._upper = np.triu_indices(len(points), 1)
        self._first = apart[self._upper]
        np.fill_diagonal(apart, np.inf)
        k = min(NEIGHBOURS, max(0, len(points) - 1))
        self._near = np.argsort(apart, axis=1, kind="stable")[:, :k]
        self._average = np.full((len(points), k), np.nan)
        self._last = np.full((len(points), k), time)
        self._before: tuple[float, Numbers, Truths] | None = None

    def step(self, time: float, points: Numbers, seen: Truths) -> tuple[float, float]:
        """The deviation of this frame, NaN where it is skipped, and the speed of its points (px/s)."""
        speed = self._speed(time, points, seen)
        if seen.sum() < FEWEST:
            return float("nan"), speed
        scale = self._scale(points, seen)
        if not scale > 0:
            return float("nan"), speed
        distance = np.linalg.norm(points[:, None] - points[self._near], axis=2) / scale
        both = seen[:, None] & seen[self._near]
        new = both & np.isnan(self._average)
        self._average[new] = distance[new]
        kept = np.exp(-(time - self._last) / AVERAGE_S)
        moved = kept * self._average + (1 - kept) * distance
        self._average[both], self._last[both] = moved[both], time
        off = np.where(both, np.abs(distance - self._average), 0.0)
        neighbours = both.sum(axis=1)
        counted = neighbours > 0
        each = off.sum(axis=1)[counted] / neighbours[counted]
        return (float(np.median(each)) if len(each) else float("nan")), speed

    def _scale(self, points: Numbers, seen: Truths) -> float:
        """The median distance of all pairs, as far as it can be told from those that are seen.

        The pairs that are left when points are lost are shorter or longer ones; by as much as they were so in
        the first frame, so that losing points alone deforms nothing.
        """
        a, b = self._upper
        pairs = seen[a] & seen[b]
        now = float(np.median(np.linalg.norm(points[a[pairs]] - points[b[pairs]], axis=1)))
        then = float(np.median(self._first[pairs]))
        return now * float(np.median(self._first)) / then if then > 0 else 0.0

    def _speed(self, time: float, points: Numbers, seen: Truths) -> float:
        before, self._before = self._before, (time, points, seen)
        if before is None or time <= before[0]:
            return float("nan")
        both = seen & before[2]
        if not both.any():
            return float("nan")
        return float(np.median(np.linalg.norm(points - before[1], axis=1)[both])) / (time - before[0])
