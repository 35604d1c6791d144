"""What speaks for one film and against the other, span by span. Each term is positive for the first film."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.brief import Brief
from ...core.signal import Signals
from . import likeness, sides
from .compare import LOOKS, Compared, Seconds, Span
from .fit import Slot, by_slot, centred, shared, slots

Numbers = NDArray[np.float64]
STILL = 0.004
"""Picture widths per second up to which nothing moves ..."""
MOVES = 0.012
"""... and from which something does."""
STILL_WEIGHT = 1.0
"""For each second in which one film stands still and the other does not."""
LOOK_WEIGHTS = {"contrast": 1.0, "resolution": 1.0, "noise": 0.7}
"""For each second, times the logarithm of the ratio: what was there and is less is worse. Sharp edges are
left out, as drawings have more of them; fine grain (``noise``) is what blur and brushes take away first."""
GRAIN_LEAST, GRAIN_MOST = 0.1, 1.5
"""Grey levels: grain below the first cannot be told from none, and above the second it is no merit."""
LOOK_MOST = 1.5
"""At most so much for a second."""
SIDE_WEIGHT = 6.0
"""For a claim about left or right that one film meets wholly and the other wholly misses."""
SIDE_LEAST = 0.1
"""Agreement that differs by less is the same."""
CUT_RATE, CUT_LEAST = 1.0, 3
"""Boundaries a second, and in all, beyond those of the other film from which they speak against a film. Fewer
are left alone: editors cut where they like, and a film in another order is cut elsewhere."""
CUT_MOST = 10.0
CUT_S = 0.3
"""Boundaries nearer than this are one."""


@dataclass(frozen=True)
class Side:
    """One of the two films, with what is needed of it."""

    signals: Signals
    seconds: Seconds
    brief: Brief | None

    @property
    def texts(self) -> list[int]:
        """Planned shots with a text and a time."""
        return likeness.captions(self.brief) if self.brief is not None else []

    @property
    def slots(self) -> list[Slot]:
        """Where the brief wants them."""
        return slots(self.brief, self.texts) if self.brief is not None and self.texts else []


def fit(a: Side, b: Side, spans: Sequence[Span], differ: Sequence[Span]) -> Numbers | None:
    """The captions that are due fit better, per span. ``None`` without captions and times.

    Of two briefs each goes with its own film; what both plan alike, and both films show alike, is left out
    (``differ`` are spans in which they do not).
    """
    if not a.slots or not b.slots or a.brief is None or b.brief is None:
        return None
    (time_a, table_a), (time_b, table_b) = (_signs(s) for s in (a, b))
    if a.brief == b.brief:
        fit_a, fit_b = centred([table_a, table_b])
    else:
        (fit_a,), (fit_b,) = centred([table_a]), centred([table_b])
    if a.brief != b.brief:
        both = [
            by_slot(time, table, _own(side, other, differ), None)
            for side, other, time, table in ((a, b, time_a, fit_a), (b, a, time_b, fit_b))
        ]
        means = [float(np.mean(np.nan_to_num(values))) if len(values) else 0.0 for values in both]
        return np.array([(means[0] - means[1]) * min(map(len, both))])
    found = []
    for span in spans:
        first, second = (
            by_slot(time, table, a.slots, [span]) for time, table in ((time_a, fit_a), (time_b, fit_b))
        )
        # Where only one film has pictures, they count by how well they fit: that they are there is no merit.
        share = np.array([shared(slot, [span]) for slot in a.slots])
        found.append(float(((np.nan_to_num(first) - np.nan_to_num(second)) * share).sum()))
    return np.array(found)


def _own(side: Side, other: Side, differ: Sequence[Span]) -> list[Slot]:
    """Slots of a film that the other brief does not have too, or in which the films differ."""
    assert side.brief is not None
    assert other.brief is not None
    planned = {(s.start, s.end, other.brief.shots[other.texts[s.text]].text) for s in other.slots}
    return [
        s
        for s in side.slots
        if shared(s, differ) > 0 or (s.start, s.end, side.brief.shots[side.texts[s.text]].text) not in planned
    ]


def _signs(side: Side) -> tuple[Numbers, Numbers]:
    assert side.brief is not None
    return likeness.signs(side.signals, side.brief, side.texts)


def still(a: Seconds, b: Seconds, compared: Compared) -> Numbers:
    """Something moves where the other film stands still. Per second of ``compared``."""
    first, second = a.speed[compared.first], b.speed[compared.second]
    found = ((second <= STILL) & (first >= MOVES)).astype(float) - ((first <= STILL) & (second >= MOVES))
    return np.asarray(STILL_WEIGHT * found)


def look(a: Seconds, b: Seconds, compared: Compared) -> Numbers:
    """More contrast, finer detail and grain of the same thing. Per second of ``compared``."""
    total = np.zeros(len(compared.cells))
    for name, weight in LOOK_WEIGHTS.items():
        at = LOOKS.index(name)
        first, second = a.looks[compared.first, at], b.looks[compared.second, at]
        if name == "noise":
            first, second = (np.minimum(values, GRAIN_MOST) + GRAIN_LEAST for values in (first, second))
        with np.errstate(invalid="ignore", divide="ignore"):
            total += weight * np.nan_to_num(np.log(np.maximum(first, 1e-3) / np.maximum(second, 1e-3)))
    return np.asarray(np.clip(total, -LOOK_MOST, LOOK_MOST))


def same_cuts(a: Seconds, b: Seconds, span: Span) -> bool:
    """Whether both films have their boundaries of shots inside a span at the same times."""
    start, end = span
    first, second = (s.cuts[(s.cuts > start + CUT_S) & (s.cuts < end - CUT_S)] for s in (a, b))
    return len(first) == len(second) and bool((np.abs(first - second) < CUT_S).all())


def side(a: Side, b: Side, spans: Sequence[Span]) -> Numbers | None:
    """What was found stands, or goes, where the captions say: left or right. Per span."""
    if a.brief is None or not a.slots or a.brief != b.brief:
        return None
    found = np.zeros(len(spans))
    for claim in sides.claims(a.brief, a.texts):
        slot = a.slots[a.texts.index(claim.text)]
        both = [sides.agreement(s.signals, claim, slot.start, slot.end) for s in (a, b)]
        if None in both or abs(both[0] - both[1]) < SIDE_LEAST:  # type: ignore[operator]
            continue
        for i, span in enumerate(spans):
            found[i] += SIDE_WEIGHT * (both[0] - both[1]) / 2 * shared(slot, [span])  # type: ignore[operator]
    return found


def cuts(a: Seconds, b: Seconds, spans: Sequence[Span]) -> Numbers:
    """Far fewer boundaries of shots. Per span."""
    found = np.zeros(len(spans))
    for i, (start, end) in enumerate(spans):
        first, second = (np.count_nonzero((s.cuts > start) & (s.cuts < end)) for s in (a, b))
        more = second - first
        if abs(more) >= max(CUT_LEAST, CUT_RATE * (end - start)):
            found[i] = np.clip(more, -CUT_MOST, CUT_MOST)
    return found
