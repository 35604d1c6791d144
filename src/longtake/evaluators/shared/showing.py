"""Which moments of a film a judge is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ...core.judge import Frame, Questioning
from .spans import Span

T = TypeVar("T")
RUN = 4
"""Pictures of one run."""
STEP_S = 0.5
"""Seconds between the pictures of a run: two a second, as Video-Bench samples (its released code)."""


def even(start: float, end: float, count: int) -> list[float]:
    """``count`` moments spread evenly over a span: the middles of as many equal parts."""
    return [start + (end - start) * (i + 0.5) / count for i in range(count)]


def runs(start: float, end: float, count: int) -> list[float]:
    """``count`` moments in runs of :data:`RUN` or a few more where they do not come out even,
    :data:`STEP_S` seconds apart, the runs spread evenly. Fewer than a run, or runs that do not fit side by
    side, are spread evenly."""
    number = count // RUN
    sizes = [count // number + (i < count % number) for i in range(number)]
    if not sizes or (end - start) / number < sizes[0] * STEP_S:
        return even(start, end, count)
    middles = even(start, end, number)
    first = [middle - (size - 1) / 2 * STEP_S for middle, size in zip(middles, sizes, strict=True)]
    return [at + i * STEP_S for at, size in zip(first, sizes, strict=True) for i in range(size)]


def middles(spans: Sequence[Span], count: int) -> list[float]:
    """``count`` moments by shots: of more shots than moments the middles of evenly chosen ones, of fewer
    several in each, spread evenly."""
    if len(spans) >= count:
        return [(a + b) / 2 for a, b in chosen(spans, count)]
    each = [count // len(spans) + (i < count % len(spans)) for i in range(len(spans))]
    return [t for (a, b), n in zip(spans, each, strict=True) for t in even(a, b, n)]


def chosen(items: Sequence[T], count: int) -> list[T]:
    """``count`` of these, spread evenly over their order; all where there are no more."""
    if len(items) <= count:
        return list(items)
    return [items[int((i + 0.5) * len(items) / count)] for i in range(count)]


def most(asked: Questioning, wanted: int, films: int = 1) -> int:
    """Pictures of each film beside one question: those wanted, within the user's limit for all of them."""
    return wanted if asked.limit is None else min(wanted, asked.limit // films)


def seen(asked: Questioning, times: Sequence[float]) -> tuple[Frame, ...]:
    """The pictures shown at these moments."""
    return tuple(asked.frames.at(times)) if times else ()
