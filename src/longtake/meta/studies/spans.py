"""Spans of time as arrays: which touch, how long they are, how far two sets of them overlap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Spans = NDArray[np.float64]
"""Spans as rows (start, end) in seconds, shape (k, 2), k may be 0."""


def checked(spans: Spans) -> Spans:
    """The spans, of shape (k, 2).

    Raises:
        ValueError: one ends before it starts, or is no pair of finite numbers.
    """
    if len(spans) and (spans.ndim != 2 or not np.isfinite(spans).all() or (spans[:, 1] < spans[:, 0]).any()):
        raise ValueError("a span ends before it starts, or is no pair of numbers")
    return spans.reshape(-1, 2)


def touching(changed: Spans, found: Spans, moment_s: float) -> NDArray[np.bool_]:
    """Which found span overlaps which changed one, (changed, found); see ``LocalisationOptions.moment_s``."""
    start, end = changed[:, :1], changed[:, 1:]
    near = np.where(end > start, 0.0, moment_s)
    # A found moment inside a span points at it, and so does a span that ends where a moment lies.
    inclusive = (near > 0) | (found[:, 1] == found[:, 0])
    before, after = found[:, 0] - (end + near), (start - near) - found[:, 1]
    return np.asarray(np.where(inclusive, (before <= 0) & (after <= 0), (before < 0) & (after < 0)))


def merged(spans: Spans) -> Spans:
    """The same time as spans in order that do not overlap."""
    if len(spans) < 2:  # most films: worth not sorting, a table may have 100,000 rows
        return spans.reshape(-1, 2)
    out: list[list[float]] = []
    for start, end in spans[np.argsort(spans[:, 0], kind="stable")].tolist():
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return np.array(out, np.float64).reshape(-1, 2)


def length(spans: Spans) -> float:
    """Seconds covered, overlaps once."""
    whole = merged(spans)
    return float((whole[:, 1] - whole[:, 0]).sum())


def intersection_over_union(first: Spans, second: Spans) -> float:
    """Seconds in both over seconds in either; NaN where neither covers any time."""
    either = length(np.concatenate([first.reshape(-1, 2), second.reshape(-1, 2)]))
    return (length(first) + length(second) - either) / either if either > 0 else float("nan")
