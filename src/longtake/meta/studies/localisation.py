"""Does an evaluator point at what was changed, and at nothing on the control?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
from ...stats.bootstrap import Resampled
from .blind import film_seconds, touched_by_chance, with_whole_film
from .figures import Floats, Plan, Ratios, beside, equal_lengths, figures, numbered
from .spans import Spans, checked, intersection_over_union, length, merged, touching


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


AT_ONCE = 32
"""Evaluators whose figures are drawn together, so that the draws of many do not fill the memory."""
_Key = tuple[str, str | None, float | None]
"""Evaluator, aspect (``None``: all) and strength (``None``: all)."""
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
    groups: dict[_Key, NDArray[np.int64]] = {}
    for e, name in enumerate(names):
        rows = groups[name, None, None] = np.flatnonzero(who == e)
        for part in map(str, np.unique(table.aspect[rows])):
            of = groups[name, part, None] = rows[table.aspect[rows] == part]
            levels = np.unique(table.strength[of])
            groups |= {
                (name, part, float(x)): of[table.strength[of] == x] for x in levels[np.isfinite(levels)]
            }
    found = _figures(seen, table, groups, Plan(options.level, options.draws, options.seed))
    out: dict[str, EvaluatorLocalisation] = {}
    for key, figured in found.items():
        name, aspect, level = key
        if aspect is None:
            out[name] = EvaluatorLocalisation(baseline=is_baseline(name), overall=figured, aspects={})
        elif level is None:
            out[name].aspects[aspect] = AspectLocalisation(figures=figured, strengths=[])
            out[name].controls.extend([aspect] if seen.unharmed[groups[key]].all() else [])
        else:
            at = StrengthLocalisation(strength=level, figures=figured)
            out[name].aspects[aspect].strengths.append(at)
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
                films = [checked(f) for f in (found, control) if f is not None]
                columns[0, i] = 0
                if films:
                    columns[7:, i] = sum(map(len, films)), sum(min(length(f) / 60, minutes[i]) for f in films)
                    minutes[i] *= len(films)
                continue
            columns[0, i] = len(checked(changed))
            if found is not None:
                seconds = film_seconds(table.minutes[i], changed, found)
                touch = touching(changed, checked(found), moment_s)
                columns[1:7, i] = (
                    touch.any(axis=1).sum(),
                    intersection_over_union(changed, found) if length(changed) else np.nan,
                    len(found),
                    touch.any(axis=0).sum(),
                    touched_by_chance(changed, merged(found), seconds, moment_s),
                    length(changed) / seconds if length(changed) else np.nan,
                )
            if control is not None:
                columns[7:, i] = len(checked(control)), length(control) / 60
        return cls(minutes, unharmed, *columns)


def _figures(
    seen: _Seen, table: LocalisationTable, groups: Mapping[_Key, NDArray[np.int64]], plan: Plan
) -> dict[_Key, LocalisationFigures]:
    """The figures of each group of rows, in their order.

    Evaluators on the same aspect and strength with as many sources have the same samples, drawn once for
    ``AT_ONCE`` of them.
    """
    together: dict[tuple[str, int], list[tuple[_Key, _Part]]] = {}
    for key, rows in groups.items():
        part, (_, aspect, level) = _Part(seen, table, rows), key
        item = "all aspects" if aspect is None else aspect if level is None else f"{aspect} {level:g}"
        together.setdefault((item, part.sources), []).append((key, part))
    out = {}
    for (item, sources), members in together.items():
        for first in range(0, len(members), AT_ONCE):
            some = members[first : first + AT_ONCE]
            joint = beside([part.statistic for _, part in some])
            found = plan.resample(joint, sources, item)
            for k, (key, part) in enumerate(some):
                out[key] = part.figures(found.columns(k * len(FIGURES), (k + 1) * len(FIGURES)), plan)
    return {key: out[key] for key in groups}


class _Part:
    """Some rows of one evaluator: what is resampled of them, and the figures that become of it."""

    def __init__(self, seen: _Seen, table: LocalisationTable, rows: NDArray[np.int64]) -> None:
        names, cluster = np.unique(table.source[rows], return_inverse=True)
        self.sources = len(names)
        self._pairs = len(rows)
        ratios = Ratios(np.asarray(cluster, np.int64), self.sources)
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
        self.statistic = ratios.statistic()
        self._n, self._asked = np.array(n), np.array(asked)
        self._used = (ratios.sums()[1] > 0).sum(axis=0)
        self._watched = float(minutes[control].sum())
        self._both = int(((seen.found[rows] > 0) & (seen.false[rows] > 0)).sum())
        self._unknown_length = bool(told.any() and not timed.any())
        self._controls_only = not damaged.any()

    def figures(self, found: Resampled, plan: Plan) -> LocalisationFigures:
        """The figures of its columns resampled."""
        shares = np.array([True, True, False, True, True, True, False, False, True])
        got = figures(found, plan, self._n, self._asked, shares=shares, used=self._used)
        if self._unknown_length:
            why = {"reason": "the length of the films is not known"}
            got[1:3] = [interval.model_copy(update=why) for interval in got[1:3]]
        if self._controls_only:
            why = {"reason": "nothing ought to suffer on controls"}
            got[:6] = [interval.model_copy(update=why) for interval in got[:6]]
        for k, per in ((6, 1.0), (7, FIVE)):
            got[k] = _none_seen(got[k], self._watched / per)
        return LocalisationFigures(
            pairs=self._pairs,
            pairs_both=self._both,
            sources=self.sources,
            control_minutes=self._watched,
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
