"""Does an evaluator point at what was changed, and at nothing on the control?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.interval import Interval
from ...core.studies import (
    AspectLocalisation,
    EvaluatorLocalisation,
    LocalisationFigures,
    LocalisationResult,
    StrengthLocalisation,
    is_baseline,
)
from .blind import Spans, film_seconds, touched_by_chance, with_whole_film
from .figures import Floats, Plan, Ratios, equal_lengths, figures, numbered


@dataclass(frozen=True)
class LocalisationTable:
    """One row per evaluator and pair. All columns have the same length.

    ``changed`` are the spans changed (an empty span where something is missing) and ``found`` those pointed
    at, on the damaged film's clock; ``control_found`` those pointed at on the control, ``minutes`` the
    control's length, NaN where not stated. ``found`` and ``control_found`` are ``None`` where nothing was
    scored, which is not the same as nothing found. ``strength`` is NaN where not stated. ``source`` is the
    pair where not stated. ``control`` marks pairs in which nothing ought to suffer; the films of such a pair
    count as equally long, and those of an aspect are all such, or none is.
    """

    evaluator: NDArray[np.str_]
    pair: NDArray[np.str_]
    source: NDArray[np.str_]
    aspect: NDArray[np.str_]
    strength: NDArray[np.float64]
    changed: Sequence[Spans]
    found: Sequence[Spans | None]
    control_found: Sequence[Spans | None]
    minutes: NDArray[np.float64]
    control: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class LocalisationOptions:
    """``moment_s``: an empty changed span counts as pointed at by a span that comes as near as this."""

    moment_s: float = 0.5
    level: float = 0.95
    draws: int = 10_000
    seed: int = 0


FIVE = 5.0
"""Minutes over which false spans are told too."""


FIGURES = (
    "pointed",
    "chance",
    "above_chance",
    "overlap",
    "overlap_whole",
    "hits",
    "false_per_minute",
    "false_per_five_minutes",
    "false_share",
)
"""The figures of ``LocalisationFigures`` in the order of their columns."""


def localisation(table: LocalisationTable, options: LocalisationOptions | None = None) -> LocalisationResult:
    """The study: what share of the changed spans is pointed at, and how much is pointed at on the control.

    A changed span counts as pointed at if a found span overlaps it, however far beyond that one goes: read
    it beside ``overlap``, in which a span over the whole film counts little, and ``chance``. The baseline
    ``whole-film``, which points at all of every film, always stands beside. Sources stay together. Where
    nothing ought to suffer there is nothing to point at: what is found in either film is a false span.

    Raises:
        ValueError: columns differ in length, one evaluator has a pair twice, a span ends before it starts,
            or the length of a control that was searched is not a positive number.
    """
    options = options or LocalisationOptions()
    equal_lengths(**vars(table))
    unharmed = np.zeros(len(table.pair), bool) if table.control is None else table.control
    searched = np.array(
        [c is not None or (u and f is not None)
         for c, u, f in zip(table.control_found, unharmed, table.found, strict=True)], bool
    )  # fmt: skip
    if not ((np.isfinite(table.minutes) & (table.minutes > 0)) | (np.isnan(table.minutes) & ~searched)).all():
        raise ValueError("the length of a control is not a positive number of minutes")
    table, notes = with_whole_film(table)
    names, who = numbered(table.evaluator)
    labels, label = numbered(np.char.add(np.char.add(table.aspect, "\0"), table.pair))
    if len(np.unique(who * len(labels) + label)) < len(who):
        raise ValueError("one evaluator has a pair twice")
    seen = _Seen.of(table, options.moment_s)
    out = {}
    for e, name in enumerate(names):
        rows = np.flatnonzero(who == e)
        aspects = {}
        for aspect in np.unique(table.aspect[rows]).tolist():
            of = rows[table.aspect[rows] == aspect]
            levels = np.unique(table.strength[of])
            aspects[str(aspect)] = AspectLocalisation(
                figures=_figures(seen, table, of, aspect, options),
                strengths=[
                    StrengthLocalisation(
                        strength=float(level),
                        figures=_figures(
                            seen, table, of[table.strength[of] == level], f"{aspect} {level:g}", options
                        ),
                    )
                    for level in levels[np.isfinite(levels)]
                ],
            )
        out[name] = EvaluatorLocalisation(
            baseline=is_baseline(name),
            overall=_figures(seen, table, rows, "all aspects", options),
            aspects=aspects,
            controls=[a for a in aspects if seen.unharmed[rows[table.aspect[rows] == a]].all()],
        )
    if pairs := len(np.unique(label[seen.unharmed])):
        notes.append(
            f"{pairs} of {len(labels)} pairs are controls, where nothing ought to suffer: what is found"
            " there, in either film, is a false span"
        )
    return LocalisationResult(evaluators=out, notes=notes)


@dataclass(frozen=True)
class _Seen:
    """Counts by row (rows,); NaN where the row has no spans to count.

    ``minutes`` are those in which ``false`` spans were looked for, ``unharmed`` marks controls.
    """

    minutes: Floats
    unharmed: NDArray[np.bool_]
    changed: Floats
    pointed: Floats
    overlap: Floats
    found: Floats
    hits: Floats
    chance: Floats
    whole: Floats
    false: Floats
    false_minutes: Floats

    @classmethod
    def of(cls, table: LocalisationTable, moment_s: float) -> _Seen:
        columns = np.full((9, len(table.pair)), np.nan)
        minutes = table.minutes.copy()
        unharmed = np.zeros(len(table.pair), bool) if table.control is None else table.control
        for i, (changed, found, control) in enumerate(
            zip(table.changed, table.found, table.control_found, strict=True)
        ):
            if unharmed[i]:
                films = [_checked(f) for f in (found, control) if f is not None]
                columns[0, i] = 0
                if films:
                    columns[7:, i] = sum(map(len, films)), sum(min(length(f) / 60, minutes[i]) for f in films)
                    minutes[i] *= len(films)
                continue
            columns[0, i] = len(_checked(changed))
            if found is not None:
                seconds = film_seconds(table.minutes[i], changed, found)
                touch = touching(changed, _checked(found), moment_s)
                columns[1:7, i] = (
                    touch.any(axis=1).sum(),
                    intersection_over_union(changed, found) if length(changed) else np.nan,
                    len(found),
                    touch.any(axis=0).sum(),
                    touched_by_chance(changed, merged(found), seconds, moment_s),
                    length(changed) / seconds if length(changed) else np.nan,
                )
            if control is not None:
                columns[7:, i] = len(_checked(control)), length(control) / 60
        return cls(minutes, unharmed, *columns)


def _checked(spans: Spans) -> Spans:
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


def _figures(
    seen: _Seen, table: LocalisationTable, rows: NDArray[np.int64], item: str, options: LocalisationOptions
) -> LocalisationFigures:
    plan = Plan(options.level, options.draws, options.seed)
    sources, cluster = np.unique(table.source[rows], return_inverse=True)
    ratios = Ratios(np.asarray(cluster, np.int64), len(sources))
    n, asked = [], []
    told, control = ~np.isnan(seen.found[rows]), ~np.isnan(seen.false[rows])
    minutes, damaged = seen.minutes[rows], ~seen.unharmed[rows]
    changed = seen.changed[rows]
    timed = told & ~np.isnan(seen.chance[rows])
    of_timed = (int(changed[timed].sum()), int(changed.sum()))
    whole = told & ~np.isnan(seen.whole[rows])
    measured = told & ~np.isnan(seen.overlap[rows])
    for top, bottom, used, count in (
        (seen.pointed, changed, told, (int(changed[told].sum()), int(changed.sum()))),
        (seen.chance, changed, timed, of_timed),
        (seen.pointed - seen.chance, changed, timed, of_timed),
        (seen.overlap, np.ones(len(rows)), measured, (int(measured.sum()), int(damaged.sum()))),
        (seen.whole, np.ones(len(rows)), whole, (int(whole.sum()), int(damaged.sum()))),
        (seen.hits, seen.found[rows], told, 2 * (int(np.nansum(seen.found[rows])),)),
        (seen.false, minutes, control, (int(control.sum()), len(rows))),
        (seen.false * FIVE, minutes, control, (int(control.sum()), len(rows))),
        (seen.false_minutes, minutes, control, (int(control.sum()), len(rows))),
    ):
        ratios.add(np.where(used, top[rows], 0.0), np.where(used, bottom, 0.0))
        n.append(count[0])
        asked.append(count[1])
    contributing = (ratios.sums()[1] > 0).sum(axis=0)
    found = plan.resample(ratios.statistic(), len(sources), item)
    shares = np.array([True, True, False, True, True, True, False, False, True])
    got = figures(found, plan, np.array(n), np.array(asked), shares=shares, used=contributing)
    watched = float(minutes[control].sum())
    if told.any() and not timed.any():
        why = {"reason": "the length of the films is not known"}
        got[1:3] = [interval.model_copy(update=why) for interval in got[1:3]]
    if not damaged.any():
        got[:6] = [i.model_copy(update={"reason": "nothing ought to suffer on controls"}) for i in got[:6]]
    for k, per in ((6, 1.0), (7, FIVE)):
        got[k] = _none_seen(got[k], watched / per)
    both = (seen.found[rows] > 0) & (seen.false[rows] > 0)
    return LocalisationFigures(
        pairs=len(rows),
        pairs_both=int(both.sum()),
        sources=len(sources),
        control_minutes=watched,
        **dict(zip(FIGURES, got, strict=True)),
    )


def _none_seen(rate: Interval, units: float) -> Interval:
    """A rate of 0 is known to the exact Poisson bound of ``units`` watched, where resampling has no width."""
    if rate.value != 0 or units <= 0:
        return rate
    high = -math.log(0.5 - rate.level / 2) / units
    return rate.model_copy(
        update={"low": 0.0, "high": high, "method": "exact Poisson bound, none seen", "reason": None}
    )
