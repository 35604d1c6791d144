"""Two ordered lists of spans put side by side, by dynamic programming over their boundaries.

The method is that of aligning sentences of translated texts by length (Gale and Church 1993): a path through
pairs of boundaries, each step taking some planned and some measured shots, the cheapest path wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Span = tuple[float, float]

TOLERANCE_S = 0.5
"""Planned and measured boundaries this close are the same one (the issue's figure)."""
GAP_COST = 0.7
"""Cost of leaving one shot without a partner. A pair of any lengths costs less than two gaps."""
GROUP_COST = 0.3
"""Cost of each boundary that only one side has; below a gap, above a mere difference in time."""
SHIFT_COST = 0.05
"""Most that a late or early start adds: it only decides between equally good pairings."""
BAND_S = 60.0
"""Boundaries further apart than this, beyond the difference of the totals, are never compared."""


@dataclass(frozen=True)
class Link:
    """Planned shots ``planned`` stand beside measured shots ``measured``; one of the two may be empty."""

    planned: range
    measured: range


def _saturating(difference: float) -> float:
    size = abs(difference)
    return size / (size + 2 * TOLERANCE_S)


def align(planned: Sequence[Span], measured: Sequence[Span], *, may_group: bool) -> list[Link]:
    """Links in order that together use every planned and every measured shot once.

    ``may_group`` allows several planned shots inside one measured shot (boundaries without a visible
    change). Several measured shots inside one planned shot are always allowed where their ends agree.
    """
    n, m = len(planned), len(measured)
    band = BAND_S
    if planned and measured:
        band += abs((planned[-1][1] - planned[0][0]) - (measured[-1][1] - measured[0][0]))
    steps = _Steps(planned, measured, may_group)
    best: dict[tuple[int, int], float] = {(0, 0): 0.0}
    came: dict[tuple[int, int], tuple[int, int]] = {}
    for i in range(n + 1):
        for j in range(m + 1):
            cost = best.get((i, j))
            if cost is None or not _within(planned, measured, i, j, band):
                continue
            for (di, dj), step in steps.from_cell(i, j):
                cell = (i + di, j + dj)
                if cost + step < best.get(cell, float("inf")) - 1e-12:
                    best[cell], came[cell] = cost + step, (i, j)
    path = [(n, m)]
    while path[-1] != (0, 0):
        path.append(came[path[-1]])
    path.reverse()
    return [Link(range(a, c), range(b, d)) for (a, b), (c, d) in pairwise(path)]


def _within(planned: Sequence[Span], measured: Sequence[Span], i: int, j: int, band: float) -> bool:
    """Whether a cell may be on the path. Cells at a border stay, so that a path always exists."""
    if i in (0, len(planned)) or j in (0, len(measured)):
        return True
    return abs(planned[i][0] - measured[j][0]) <= band


class _Steps:
    """The steps that may be taken from a pair of boundaries, with their costs."""

    def __init__(self, planned: Sequence[Span], measured: Sequence[Span], may_group: bool) -> None:
        self.planned = planned
        self.measured = measured
        self.may_group = may_group

    def from_cell(self, i: int, j: int) -> list[tuple[tuple[int, int], float]]:
        steps: list[tuple[tuple[int, int], float]] = []
        if i < len(self.planned):
            steps.append(((1, 0), GAP_COST))
        if j < len(self.measured):
            steps.append(((0, 1), GAP_COST))
        if i == len(self.planned) or j == len(self.measured):
            return steps
        want, have = self.planned[i], self.measured[j]
        shift = SHIFT_COST * _saturating(want[0] - have[0])
        difference = (want[1] - want[0]) - (have[1] - have[0])
        steps.append(((1, 1), _saturating(difference) + shift))
        if self.may_group:
            steps += [((k, 1), cost + shift) for k, cost in _groups(self.planned, i, have)]
        steps += [((1, k), cost + shift) for k, cost in _groups(self.measured, j, want)]
        return steps


def _groups(parts: Sequence[Span], at: int, whole: Span) -> list[tuple[int, float]]:
    """Numbers of parts from ``at`` on (two or more) that together last as long as the whole, with costs."""
    length = whole[1] - whole[0]
    total = 0.0
    found = []
    for k in range(1, len(parts) - at + 1):
        start, end = parts[at + k - 1]
        total += end - start
        if total > length + 2 * TOLERANCE_S:
            break
        if k > 1 and abs(total - length) <= 2 * TOLERANCE_S:
            found.append((k, _saturating(total - length) + GROUP_COST * (k - 1)))
    return found
