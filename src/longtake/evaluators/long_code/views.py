"""Which stretches of a film are described, and at which moments it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ...core.brief import Brief
from ..shared.showing import chosen, even
from ..shared.spans import LEAST_S, NEAR, Span

CAPTION_PICTURES = 4
"""Pictures beside the question what a shot shows (long-code.md, 3)."""
FILM_PICTURES = 24
"""Pictures of the film beside the question for its score: one for each of the 24 shots that the paper's
longest films have."""
REFERENCE_PICTURES = 4
"""Pictures of each reference beside it. A judgement."""
REFERENCES = 3
"""References in each round (the paper, 4.2)."""
MOST_SHOTS = 60
"""Stretches that are described: a film of more shots is described by runs of neighbouring shots. A judgement:
what a film may cost is known beforehand."""


def grouped(spans: Sequence[Span], most: int = MOST_SHOTS) -> list[tuple[int, int]]:
    """First and last shot of each stretch that is described: each shot, or runs of neighbours of equal
    number, at most ``most``."""
    count = len(spans)
    number = min(count, most)
    edges = [i * count // number for i in range(number + 1)]
    return [(a, b - 1) for a, b in pairwise(edges)]


def of_shot(span: Span, limit: int | None) -> list[float]:
    """When a stretch is shown to whoever describes it: the middles of equal parts."""
    return even(*span, CAPTION_PICTURES if limit is None else min(CAPTION_PICTURES, limit))


def shares(limit: int | None, references: bool) -> tuple[int, int]:
    """Pictures of the film and of each reference beside one question for a score, within the user's limit.

    Under a limit references get the part of it that they have without one, down to none.
    """
    if not references:
        return (FILM_PICTURES if limit is None else min(FILM_PICTURES, limit)), 0
    whole = FILM_PICTURES + REFERENCES * REFERENCE_PICTURES
    most = whole if limit is None else min(whole, limit)
    each = REFERENCE_PICTURES * most // whole
    return min(FILM_PICTURES, most - REFERENCES * each), each


def of_film(spans: Sequence[Span], whole: Span, most: int) -> list[float]:
    """When the film is shown for its score: the middle of each shot and, up to ``most``, moments between
    them, each in the middle of the longest stretch that is not shown; of more shots than that the middles of
    evenly chosen ones."""
    times = [whole[0], *sorted((a + b) / 2 for a, b in chosen(spans, most)), whole[1]]
    while len(times) < most + 2:
        _, at = max((b - a, -i) for i, (a, b) in enumerate(pairwise(times)))
        times.insert(1 - at, (times[-at] + times[1 - at]) / 2)
    return times[1:-1]


def most_described(brief: Brief, duration: float) -> int:
    """The most stretches that may be described of a film of this length, before its shots are known."""
    texts = [shot for shot in brief.shots if shot.text.strip()]
    timed = all(
        s.start is not None and s.end is not None and min(s.end, duration) - max(s.start, 0.0) >= LEAST_S
        for s in texts
    )
    lengths = [s.duration for s in brief.shots]
    known = [length for length in lengths if length is not None and length > 0]
    laid = len(known) == len(lengths) and abs(sum(known) - duration) <= NEAR * duration
    return min(MOST_SHOTS, len(texts)) if timed or laid else MOST_SHOTS
