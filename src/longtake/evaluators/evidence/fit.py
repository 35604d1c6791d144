"""How much better one film fits the captions than the other, on the brief's clock."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.brief import Brief
from .likeness import Numbers, Span

WEIGHTS = np.array([2.0, 3.0, 5.0, 2.0, 4.0])
"""Of the signs: log-odds that two clips stand in the right order rather than swapped, fitted (logistic, no
intercept, then rounded) on the films of half A of benchmarks/slvmeval_pairs.py."""
INSIDE_S = 0.05
"""A frame counts for a planned shot if it lies this far inside."""


@dataclass(frozen=True)
class Slot:
    """A planned shot with a text and times: ``text`` counts among those with a text."""

    text: int
    start: float
    end: float


def slots(brief: Brief, texts: Sequence[int]) -> list[Slot]:
    """Where the brief wants what, seconds; texts without times follow from durations if all have these."""
    planned = [brief.shots[i] for i in texts]
    if all(s.start is not None and s.end is not None for s in planned):
        return [Slot(i, float(s.start or 0), float(s.end or 0)) for i, s in enumerate(planned)]
    lengths = [s.duration for s in brief.shots]
    if not all(lengths):
        return []
    ends = np.cumsum([float(x or 0) for x in lengths])
    return [Slot(i, float(ends[t] - (lengths[t] or 0)), float(ends[t])) for i, t in enumerate(texts)]


def centred(tables: Sequence[Numbers]) -> list[Numbers]:
    """Tables (signs, frames, captions) less each caption's mean over all frames and each frame's mean over
    the captions, weighted and added up: (frames, captions) each, 0 where there was no answer."""
    whole = np.concatenate(tables, axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # means of nothing
        whole = whole - np.nanmean(whole, axis=1, keepdims=True)
        whole = whole - np.nanmean(whole, axis=2, keepdims=True)
    added = np.tensordot(WEIGHTS, np.nan_to_num(whole), axes=1)
    return np.split(added, np.cumsum([t.shape[1] for t in tables])[:-1])


def by_slot(
    time: Numbers, table: Numbers, places: Sequence[Slot], spans: Sequence[Span] | None
) -> NDArray[np.float64]:
    """What each slot's frames say for its own caption, those in ``spans``: the mean, NaN without any."""
    found = np.full(len(places), np.nan)
    for i, slot in enumerate(places):
        rows = (time >= slot.start + INSIDE_S) & (time < slot.end - INSIDE_S)
        if spans is not None:
            rows &= np.array([any(a - INSIDE_S <= t < b for a, b in spans) for t in time], bool)
        if rows.any():
            found[i] = table[rows, slot.text].mean()
    return found


def shared(slot: Slot, spans: Sequence[Span]) -> float:
    """Share of a slot that lies in the spans."""
    inside = sum(max(0.0, min(b, slot.end) - max(a, slot.start)) for a, b in spans)
    return min(1.0, inside / max(slot.end - slot.start, 1e-6))
