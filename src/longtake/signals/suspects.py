"""Evidence for sudden changes: a few figures of every frame, and a close look where something may have cut.

The observer decides nothing. What counts as a boundary is worked out from its rows in ``boundaries``.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence

import cv2
import numpy as np

from .compare import (
    Features,
    Flow,
    detail_correlation,
    difference,
    histogram_shift,
    mean_difference,
    ssim,
    without_bars,
)
from .observer import Arrays
from .window import View, Window

SIDE = 3
"""Frames before and after a suspected cut that are looked at: a two-frame flash and one beyond."""
RISE, ABOVE = 1.4, 1.05
"""A sudden change stands this much above the mean, and above the greatest, of its four neighbours."""
PLAIN, FAINT, FAINT_RISE = 12.0, 6.0, 3.0
"""Differences (0..510) from which a change is looked at; a faint one stands out more. The gate is loose on
purpose: what it lets through is decided in ``boundaries``."""
GOES_BACK, STAYS = 0.35, 0.5
"""Shares of a difference that last past two frames: below the first it is a flash and needs no close look,
above the second it is none."""
UNLIKE, ALIKE = 0.1, 0.5
"""Correlation of detail below which nothing of the old picture is left, and above which it is the same place:
corners are looked for between the two, where it is not clear."""
RECOLOUR, RECOLOUR_RISE = 25.0, 8.0
"""From here on a change is looked at even if the drawing stays: colours may have changed."""
EVIDENCE_WIDTH = 256
ELSEWHERE = 510.0
"""Difference of two pictures of different shape: the greatest there is."""
NAN = float("nan")

EVIDENCE = (
    "score",  # difference from the frame before, 0..510
    "around",  # mean of the two differences before and the two after
    "highest",  # the greatest of those four
    "lasting_after",  # least difference between the frame before and those after: small for a flash
    "lasting_before",  # least difference between the frame after and those before
    "ssim",  # from here on NaN for a flash
    "hist_shift",
    "detail_followed",  # correlation of fine detail after following the optical flow
    "unexplained",  # difference that is left after following the flow, grey levels
    "shared",  # share of corners that are found again; NaN where detail alone tells
    "unexplained_before",  # as unexplained, one frame earlier
    "unexplained_after",  # and one frame later
    "flow_before",  # optical flow within the old shot, widths per frame
    "flow_after",  # and within the new one
)
CLOSE_LOOK = len(EVIDENCE) - EVIDENCE.index("ssim")


class CutObserver:
    """Keeps 20 bytes per frame and about 65 per suspected cut, join or given boundary."""

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
        asked = old.part != view.part or self._is_given(old, view)
        if not asked and score < FAINT:
            return
        around = [self._scores[SIDE + i] for i in (-2, -1, 1, 2)]
        if not asked and (score < max(around) or score < RISE * sum(around) / 4):
            return
        after = _lasting(old, (window[1], window[2]), score)
        before = _lasting(view, (window[-2], window[-3]), score)
        lasting = min(after, before) / max(score, 1e-6)
        seen = None
        if asked or (_stands_out(score, around) and lasting >= GOES_BACK):
            recoloured = asked or (score >= RECOLOUR and score >= RECOLOUR_RISE * sum(around) / 4)
            seen = self._look(window, old, view, even_if_alike=recoloured)
        if seen is None and score >= PLAIN and lasting < STAYS:
            seen = (NAN,) * CLOSE_LOOK
        if seen is not None:
            self._times.append(view.seconds)
            self._evidence.extend((score, sum(around) / 4, max(around), after, before, *seen))

    def _is_given(self, old: View, view: View) -> bool:
        """Whether a given boundary lies nearer to the start of this frame than to another's."""
        if not len(self._given):
            return False
        half = (view.seconds - old.seconds) / 2
        i = int(np.searchsorted(self._given, view.seconds - half))
        return i < len(self._given) and self._given[i] < view.seconds + half

    def _look(self, window: Window, old: View, new: View, *, even_if_alike: bool) -> tuple[float, ...] | None:
        """The costly part, at twice the scoring size; ``None`` where it is still the same place."""
        a, b = old.area(EVIDENCE_WIDTH), new.area(EVIDENCE_WIDTH)
        if a.y.shape != b.y.shape:
            unlike = (0.0, 255.0, NAN)
        else:
            a, b = without_bars(a, b)
            followed, _ = self._flow.follow(a.y, b.y)
            kept = detail_correlation(a.y, followed)
            if kept >= ALIKE and not even_if_alike:
                return None
            shared = self._features.shared(a.y, b.y) if UNLIKE <= kept < ALIKE else NAN
            unlike = (kept, mean_difference(a.y, followed), shared)
        left_before, flow_before = self._within(window[-2], old)
        left_after, flow_after = self._within(new, window[1])
        return (
            ssim(a.y, b.y),
            histogram_shift(a, b),
            *unlike,
            left_before,
            left_after,
            flow_before,
            flow_after,
        )

    def _within(self, first: View | None, second: View | None) -> tuple[float, float]:
        """What the flow leaves unexplained between two neighbours in one shot, and its speed."""
        if first is None or second is None or first.y.shape != second.y.shape:
            return NAN, NAN
        followed, speed = self._flow.follow(first.y, second.y)
        return mean_difference(first.y, followed), speed

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


def _stands_out(score: float, around: list[float]) -> bool:
    highest, mean = max(around), sum(around) / 4
    if score >= PLAIN and score >= ABOVE * highest:
        return True
    return score >= FAINT_RISE * mean and score >= FAINT_RISE / 2 * highest


def _step(a: View | None, b: View | None) -> float:
    if a is None or b is None:
        return 0.0
    return difference(a.planes, b.planes) if a.y.shape == b.y.shape else ELSEWHERE


def _lasting(one: View, others: tuple[View | None, ...], score: float) -> float:
    """The least difference of a frame from those beyond the suspected cut."""
    return min([score, *(_step(one, other) for other in others if other is not None)])
