"""Evidence for sudden changes: a few figures of every frame, and a close look where something may have cut.

The observer decides nothing. What counts as a boundary is worked out from its rows in ``boundaries``.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence

import cv2
import numpy as np

from ..media.planes import Planes
from .compare import Features, Flow, detail_correlation, difference, histogram_shift, ssim
from .observer import Arrays
from .window import View, Window

SIDE = 3
"""Frames before and after a suspected cut that are looked at: a two-frame flash and one beyond."""
FLOOR = 2.5
"""Differences (0..510) below this are never looked at."""
RISE = 1.4
"""A suspected cut stands this much above the mean of its four neighbours. Loose: the evidence decides."""
EVIDENCE_WIDTH = 256
ELSEWHERE = 510.0
"""Difference of two pictures of different shape: the greatest there is."""
NAN = float("nan")

EVIDENCE = (
    "score",  # difference from the frame before, 0..510
    "around",  # mean of the two differences before and the two after
    "highest",  # the greatest of those four
    "ssim",
    "hist_shift",
    "detail",  # correlation of fine detail
    "detail_followed",  # the same after following the optical flow
    "unexplained",  # difference that is left after following the flow, grey levels
    "unexplained_before",  # the same one frame earlier
    "unexplained_after",  # and one frame later
    "shared",  # share of corners that are found again
    "lasting_after",  # least difference between the frame before and those after: small for a flash
    "lasting_before",  # least difference between the frame after and those before
    "flow_before",  # optical flow within the old shot, widths per frame
    "flow_after",  # and within the new one
)


class CutObserver:
    """Keeps 20 bytes per frame and about 70 per suspected cut, join or given boundary."""

    name = "suspects"
    lookback = SIDE
    lookahead = SIDE

    def __init__(self, given: Sequence[float] = ()) -> None:
        self._given = np.sort(np.asarray(given, np.float64))
        self._scores: deque[float] = deque(maxlen=2 * SIDE + 1)
        self._flow = Flow()
        self._features = Features()
        self._clear()

    def _clear(self) -> None:
        self._frames = array("f")
        self._times = array("d")
        self._evidence = array("f")

    def see(self, window: Window) -> None:
        view, old = window[0], window[-1]
        assert view is not None
        if not self._scores:
            self._scores.extend([0.0] * SIDE)
            self._scores.extend(_step(window[i - 1], window[i]) for i in range(SIDE))
        self._scores.append(_step(window[SIDE - 1], window[SIDE]))
        score = self._scores[SIDE]
        mean, spread = cv2.meanStdDev(view.y)
        self._frames.extend((score, mean[0, 0], spread[0, 0], cv2.mean(view.u)[0], cv2.mean(view.v)[0]))
        if old is None:
            return
        around = [self._scores[SIDE + i] for i in (-2, -1, 1, 2)]
        sudden = score >= FLOOR and score >= RISE * sum(around) / 4 and score >= max(around)
        if sudden or old.part != view.part or self._is_given(old, view):
            self._times.append(float(view.time))
            self._evidence.extend(self._look(window, old, view, score, around))

    def _is_given(self, old: View, view: View) -> bool:
        """Whether a given boundary lies nearer to the start of this frame than to another's."""
        if not len(self._given):
            return False
        half = float(view.time - old.time) / 2
        i = int(np.searchsorted(self._given, float(view.time) - half))
        return i < len(self._given) and self._given[i] < float(view.time) + half

    def _look(
        self, window: Window, old: View, new: View, score: float, around: list[float]
    ) -> tuple[float, ...]:
        a, b = old.area(EVIDENCE_WIDTH), new.area(EVIDENCE_WIDTH)
        same = a.y.shape == b.y.shape
        followed = self._flow.follow(a.y, b.y) if same else b.y
        earlier, later = window[-2], window[1]
        left_before, flow_before = self._within(earlier, a, back=True)
        left_after, flow_after = self._within(later, b, back=False)
        return (
            score,
            sum(around) / 4,
            max(around),
            ssim(a.y, b.y),
            histogram_shift(a, b),
            detail_correlation(a.y, b.y) if same else 0.0,
            detail_correlation(a.y, followed) if same else 0.0,
            cv2.norm(a.y, followed, cv2.NORM_L1) / a.y.size if same else 255.0,
            left_before,
            left_after,
            self._features.shared(a.y, b.y),
            _lasting(old, (window[1], window[2]), score),
            _lasting(new, (window[-2], window[-3]), score),
            flow_before,
            flow_after,
        )

    def _within(self, view: View | None, side: Planes, *, back: bool) -> tuple[float, float]:
        """What the flow leaves unexplained, and its speed, between a frame and its neighbour in one shot."""
        if view is None:
            return NAN, NAN
        other = view.area(EVIDENCE_WIDTH)
        if other.y.shape != side.y.shape:
            return NAN, NAN
        first, second = (other.y, side.y) if back else (side.y, other.y)
        followed = self._flow.follow(first, second)
        return cv2.norm(first, followed, cv2.NORM_L1) / first.size, self._flow.speed(first, second)

    def flush(self) -> Arrays:
        frames = np.array(self._frames, np.float32).reshape(-1, 5)
        evidence = np.array(self._evidence, np.float32).reshape(-1, len(EVIDENCE))
        rows: Arrays = {
            f"shots.{n}": frames[:, i].copy() for i, n in enumerate(("score", "luma", "spread", "u", "v"))
        }
        rows["suspects.time"] = np.array(self._times, np.float64)
        rows |= {f"suspects.{n}": evidence[:, i].copy() for i, n in enumerate(EVIDENCE)}
        self._clear()
        return rows


def _step(a: View | None, b: View | None) -> float:
    if a is None or b is None:
        return 0.0
    return difference(a.planes, b.planes) if a.y.shape == b.y.shape else ELSEWHERE


def _lasting(one: View, others: tuple[View | None, ...], score: float) -> float:
    """The least difference of a frame from those beyond the suspected cut."""
    return min([score, *(_step(one, other) for other in others if other is not None)])
