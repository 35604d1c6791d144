"""Left and right: what the captions say of them, and where things were found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.brief import Brief
from ...core.signal import Signals
from .likeness import LEAST_SCORE, split, words

REACH = 8
"""Words from a thing to its left or right, at most."""
PARTS = frozenset({"its", "his", "her", "their"})
"""Between a thing and a side, these say that a part of it is there."""
TOWARDS = frozenset({"to", "toward", "towards"})
SIDES = {"left": -1.0, "right": 1.0}


@dataclass(frozen=True)
class Claim:
    """That a thing is (or, with ``moves``, goes) to one side: -1 for left, 1 for right, in planned shot
    ``text``."""

    text: int
    kind: str
    side: float
    moves: bool


def claims(brief: Brief, texts: Sequence[int]) -> list[Claim]:
    """What the captions say of left and right about kinds of things that can be found."""
    return [c for i in texts for c in _claims(i, split(brief.shots[i].text))]


def _claims(text: int, said: Sequence[str]) -> Iterator[Claim]:
    lists = words()
    kinds = {form: kind for kind, forms in lists.things.items() for form in forms}
    places = [i for i, w in enumerate(said) if w in SIDES]
    for at in places:
        side = SIDES[said[at]]
        before = said[max(0, at - REACH) : at]
        if "from" in before[-2:]:
            side = -side
        elif lists.looks & set(before):
            continue
        turned = bool((TOWARDS | {"from"}) & set(before[-2:]))
        goes = bool(lists.goes & set(before[-1:])) or (turned and bool(lists.goes & set(before)))
        found = _nearest(said, at, kinds, places)
        if found is not None:
            yield Claim(text, found, side, goes)


def _nearest(said: Sequence[str], at: int, kinds: dict[str, str], places: Sequence[int]) -> str | None:
    """The thing before a side's word, if one is near and no other side came in between."""
    last = max((p for p in places if p < at), default=-1)
    for i in range(at - 1, max(last, at - REACH - 1), -1):
        if said[i] in PARTS:
            return None
        if said[i] in kinds:
            return kinds[said[i]]
    return None


def agreement(signals: Signals, found: Claim, start: float, end: float) -> float | None:
    """How far what was found from ``start`` to ``end`` (s) agrees with a claim, -1 to 1; ``None`` if nothing.

    A place is the mean over frames of where the middles of the boxes are, weighted by their scores; a way is
    from the first to the last frames in which the thing was found.
    """
    objects = signals["objects"]
    if not objects.usable:
        return None
    time, score, x, width = (
        np.asarray(objects.columns[c], np.float64) for c in ("time", "confidence", "x", "width")
    )
    rows = (np.asarray(objects.columns["label"]) == found.kind) & (time >= start) & (time < end)
    rows &= score >= LEAST_SCORE
    if not rows.any():
        return None
    middle = 2 * (x[rows] + width[rows] / 2) - 1
    at = time[rows]
    if not found.moves:
        by_frame = [np.average(middle[at == t], weights=score[rows][at == t]) for t in np.unique(at)]
        return float(np.clip(found.side * np.mean(by_frame), -1, 1))
    early, late = at <= at.min() + 1e-6, at >= at.max() - 1e-6
    if at.max() - at.min() < 0.5:
        return None
    way = np.average(middle[late], weights=score[rows][late]) - np.average(
        middle[early], weights=score[rows][early]
    )
    return float(np.clip(found.side * way, -1, 1))
