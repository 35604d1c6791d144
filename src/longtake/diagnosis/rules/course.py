"""Whether something changes along a film, told from what its shots happen to show.

Shots of one film show different things, so that its late part always differs from its early one. A change
counts where it happens inside shots, or across so many of them that chance can be ruled out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..facts import Facts
from .rule import WHOLE_FILM_S, Numbers, column, shot_spans, trend

LEAST_ROWS = 4
"""Rows (one a second) that a shot or film needs before its course can be told."""
TRAVEL = 0.5
"""Picture widths that the camera, or whatever fills most of the picture, moves within a shot, from which the
shot shows something else at its end: half the picture is new. Such a shot's change of light or colour may be
its content's, so it is not measured; one that hardly changes all the same still counts as steady. Chosen for
that reason: the two clean clips that were misjudged before (half B) move by 0.9 and 1.4."""
FEW_SHOTS = 3
"""Up to so many shots must all change one way, each beyond twice its own scatter; more of them are tested."""
AGREEMENT = 3.0
"""Mean change of shots over its standard error, from which they agree that the film changes. Chance alone
gets there in 3 % of films of four shots, in under 1 % of those of nine or more (Student's t, one side)."""
LEAST_SHOTS = 8
"""Shots wanted on each side, early and late, before shots are compared with shots."""
RANK_Z = 2.6
"""Standard errors by which late shots must rank beyond early ones (Mann and Whitney's U, normal
approximation): chance gets there in 0.5 % of films on one side."""
RANKED = (0.65, 0.9)
"""Chance that a late part is worse than an early one: no loss below the first, all from the second."""
EARLY, LATE = (0.0, 0.5), (0.65, 1.0)
"""Shares of the film's length that are compared: the first half, and the last seven twentieths."""
TOO_FEW = (
    "too few shots, or too unlike, to tell a change from what they show; it needs one shot of "
    f"{WHOLE_FILM_S:.0f} s or several of {LEAST_ROWS} s whose camera stays, or some {LEAST_SHOTS * 3} shots"
)
"""The reason where neither way can speak."""
Span = tuple[float, float]


@dataclass(frozen=True)
class Course:
    """A signed change along the film in the measure's units, 0 where none stands out, and where it lies."""

    change: float
    spans: tuple[Span, ...]
    shots: int


def courses(
    facts: Facts, values: Numbers, bounds: tuple[float, float], alone: Callable[[Numbers], float]
) -> list[Course]:
    """What can be said of ``values`` (one per row of ``picture``): inside shots, across shots, both, neither.

    ``bounds`` are the changes that get the best and the worst value. Where even the worst could not be told
    from chance, no change is claimed to be absent. ``alone`` gives the signed change of a film of one shot,
    from its rows.
    """
    both = inside_shots(facts, values, bounds, alone), across_shots(facts, values, bounds)
    return [course for course in both if course]


def inside_shots(
    facts: Facts, values: Numbers, bounds: tuple[float, float], alone: Callable[[Numbers], float]
) -> Course | None:
    """The sum of what shots change by, if they agree; ``None`` where that cannot be told.

    Shots with :data:`LEAST_ROWS` rows whose camera does not travel are looked at; together they must last as
    long as a film that has a course. A single one with a travelling camera is, if it hardly changes.
    """
    rows = {s: r for s, r in _rows_by_shot(facts, values).items() if len(r) >= LEAST_ROWS}
    if len(rows) > 1:
        rows = {s: r for s, r in rows.items() if not travels(facts, *s)}
    if sum(end - start for start, end in rows) < WHOLE_FILM_S:
        return None
    spans, n = tuple(rows), len(rows)
    if n == 1:
        change = alone(next(iter(rows.values())))
        moved = abs(change) > bounds[0] and travels(facts, *spans[0])
        return None if moved or np.isnan(change) else Course(change, spans, 1)
    trends = np.array([trend(r) for r in rows.values()])
    changes, scatters = trends[:, 0], trends[:, 2]
    if _agree(changes, scatters):
        return Course(float(changes.sum()), spans, n)
    told = _agree(changes - changes.mean() + bounds[1] / n, scatters)
    return Course(0.0, spans, n) if told else None


def across_shots(facts: Facts, values: Numbers, bounds: tuple[float, float]) -> Course | None:
    """How far the shots of the late part lie beyond those of the early part; ``None`` if not to be told."""
    medians = {s: float(np.median(r)) for s, r in _rows_by_shot(facts, values).items()}
    sides = []
    for first, last in (EARLY, LATE):
        edges = [facts.start + share * facts.film.duration for share in (first, last)]
        sides.append({s: m for s, m in medians.items() if edges[0] <= (s[0] + s[1]) / 2 <= edges[1]})
    if min(len(side) for side in sides) < LEAST_SHOTS:
        return None
    early, late = (np.array(list(side.values())) for side in sides)
    spans, n = tuple(sides[1]), len(early) + len(late)
    if _behind(early, late):
        change, chance = beyond(early, late)
        return Course(change * ranked(chance), spans, n)
    told = _behind(early - np.median(early), late - np.median(late) + bounds[1])
    return Course(0.0, spans, n) if told else None


def beyond(early: Numbers, late: Numbers) -> tuple[float, float]:
    """Change of the median, and the chance that a late value lies above an early one; ties count half."""
    above = late[:, None] - early[None, :]
    chance = float(((above > 0) + 0.5 * (above == 0)).mean())
    return float(np.median(late) - np.median(early)), chance


def ranked(chance: float) -> float:
    """How much a change counts, 0 to 1, by the chance that late lies beyond early on either side."""
    return float(np.clip((max(chance, 1 - chance) - RANKED[0]) / (RANKED[1] - RANKED[0]), 0, 1))


def travels(facts: Facts, start: float, end: float) -> bool:
    """Whether what the camera sees at the end of a shot is mostly another thing than at its start."""
    times, speed = column(facts, "motion", "time"), column(facts, "motion", "camera_speed")
    inside = speed[(times >= start) & (times < end) & np.isfinite(speed)]
    return bool(len(inside)) and float(np.median(inside)) * (end - start) >= TRAVEL


def _rows_by_shot(facts: Facts, values: Numbers) -> dict[Span, Numbers]:
    """Known rows of every shot that has any."""
    times = column(facts, "picture", "time")
    found = {s: values[(times >= s[0]) & (times < s[1]) & np.isfinite(values)] for s in shot_spans(facts)}
    return {s: rows for s, rows in found.items() if len(rows)}


def _agree(changes: Numbers, scatters: Numbers) -> bool:
    """Whether shots change one way, by more than their scatter if they are few, than chance if many."""
    n = len(changes)
    if n <= FEW_SHOTS:
        one_way = abs(np.sign(changes).sum()) == n
        return bool(one_way and (np.abs(changes) > 2 * scatters).all())
    error = changes.std(ddof=1) / np.sqrt(n)
    return bool(changes.any() and abs(changes.mean()) >= AGREEMENT * error)


def _behind(early: Numbers, late: Numbers) -> bool:
    """Whether late values rank beyond early ones on one side by more than chance, and their median too."""
    change, chance = beyond(early, late)
    n, m = len(early), len(late)
    z = (chance - 0.5) * n * m / np.sqrt(n * m * (n + m + 1) / 12)
    return bool(abs(z) >= RANK_Z and z * change > 0)
