"""Which moments of a film a judge is shown for a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from ..core.judge import MOST_PICTURES
from ..core.measurement import Evidence
from .facts import Facts
from .rubric import View

PER_SHOT = 4
"""Pictures of one planned shot whose action is looked for."""
SIDE_S = 0.15
"""Seconds from a join at which its two sides are shown: clear of the blended frames of a plain cut."""
BURST_S = 0.2
"""Seconds between the pictures of a short run."""
BURST = 3
INSIDE = (0.5, 0.1, 0.9)
"""Shares of a span at which it is looked at, in the order of their worth."""
ROUND = 3

Span = tuple[float, float]
T = TypeVar("T")


def times_for(
    view: View, facts: Facts, suspects: Sequence[Evidence], most: int = MOST_PICTURES
) -> list[float]:
    """Seconds of the film's clock, in order: spans that tools point at (up to half of all), and the view.

    Empty for the view ``none``.
    """
    if view == "none" or most < 1:
        return []
    pointed = _inside([(e.start, e.end) for e in suspects], max(1, most // 2)) if suspects else []
    room = most - len(pointed)
    rest = VIEWS[view](facts, room) if room > 0 else []
    return clipped(facts, [*pointed, *_spread(rest, room)])


def of_shots(facts: Facts, most: int) -> list[float]:
    """The middle of each shot; of more shots than pictures evenly spread ones, of fewer several each."""
    spans = _shots(facts)
    if len(spans) >= most:
        return [_at(span, 0.5) for span in _spread(spans, most)]
    each = max(1, most // len(spans))
    shares = [(i + 0.5) / each for i in range(each)]
    return [_at(span, share) for span in spans for share in shares]


def of_span(facts: Facts, span: Span, most: int) -> list[float]:
    """Evenly spread moments of one span, no more than :data:`PER_SHOT`."""
    most = min(most, PER_SHOT)
    return clipped(facts, [_at(span, (i + 0.5) / most) for i in range(most)])


def clipped(facts: Facts, times: Sequence[float]) -> list[float]:
    """Times inside what was looked at, in order, each once."""
    last = max(facts.start, facts.end - 1e-3)
    return sorted({round(min(max(t, facts.start), last), ROUND) for t in times})


def _joins(facts: Facts, most: int) -> list[float]:
    cuts = [start for start, _ in _shots(facts)[1:]]
    if not cuts:
        return of_shots(facts, most)
    return [t for cut in _spread(cuts, max(1, most // 2)) for t in (cut - SIDE_S, cut + SIDE_S)]


def _people(facts: Facts, most: int) -> list[float]:
    """Where each face is seen best, whoever is longest in view first; without faces the shots."""
    faces = facts.signals["faces"]
    best = np.asarray(faces.columns.get("time", ()), np.float64)
    if not faces.usable or not np.isfinite(best).any():
        return of_shots(facts, most)
    start, end = (np.asarray(faces.columns[n], np.float64) for n in ("start", "end"))
    order = np.argsort(-(end - start), kind="stable")
    longest = [float(best[i]) for i in order if np.isfinite(best[i])]
    return longest[:most]


def _moments(facts: Facts, most: int) -> list[float]:
    places = _spread(_shots(facts), max(1, most // BURST))
    middle = (BURST - 1) / 2
    return [_at(span, 0.5) + (i - middle) * BURST_S for span in places for i in range(BURST)]


def _course(facts: Facts, most: int) -> list[float]:
    return [_at((facts.start, facts.end), (i + 0.5) / most) for i in range(most)]


def _ends(facts: Facts, most: int) -> list[float]:
    half = max(1, most // 2)
    length = facts.end - facts.start
    tail = min(length, 2.0 * half)
    return [
        *(facts.start + tail * i / half for i in range(half)),
        *(facts.end - tail * i / half for i in range(half)),
    ]


VIEWS: dict[View, Callable[[Facts, int], list[float]]] = {
    "shots": of_shots,
    "joins": _joins,
    "people": _people,
    "moments": _moments,
    "course": _course,
    "ends": _ends,
}


def _shots(facts: Facts) -> list[Span]:
    shots = facts.signals["shots"]
    starts, ends = (np.asarray(shots.columns.get(n, ()), np.float64) for n in ("start", "end"))
    return [(float(a), float(b)) for a, b in zip(starts, ends, strict=True)] or [(facts.start, facts.end)]


def _inside(spans: Sequence[Span], most: int) -> list[float]:
    chosen = _spread(list(dict.fromkeys(spans)), most)
    return [_at(span, share) for share in INSIDE for span in chosen][:most]


def _spread(items: Sequence[T], most: int) -> list[T]:
    """At most so many of them, evenly spread."""
    if len(items) <= most:
        return list(items)
    at = np.linspace(0, len(items) - 1, most).round().astype(int)
    return [items[i] for i in at]


def _at(span: Span, share: float) -> float:
    return span[0] + share * (span[1] - span[0])
