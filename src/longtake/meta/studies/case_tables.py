"""Tables of scores of single films, as the studies of sensitivity and correlation want them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.table import Table
from .correlation import CorrelationTable, Ratings
from .rows import Reading
from .sensitivity import SensitivityTable

Facts = Mapping[str, Mapping[str, Any]]
ONE_SYSTEM = "all"
"""The system of every case where a table names none."""


def sensitivity_table(
    table: Table, cases: Facts | None = None, joined: Sequence[str] = ()
) -> tuple[SensitivityTable, Reading]:
    """Columns ``case, source, family, strength, score``; ``evaluator`` and ``status`` where there.

    A row of strength 0 without a family is the control of every family of its source. Without ``source``,
    each case is one of its own.

    Raises:
        InputError: a column lacks, a cell cannot be what its column says, or rows contradict each other.
    """
    reading = Reading(table, ("case", "family", "strength", "score"), ("source",), "case", cases, joined)
    score, strength = reading.scores("score"), reading.numbers("strength")
    case, family, evaluator = reading.texts("case"), reading.maybe_texts("family"), reading.evaluators()
    unscored = reading.unscored(score)
    source = _source(reading, case)
    for row in reading.rows:
        if strength[row] < 0:
            reading.fail(
                f"strength is {strength[row]:g}, below 0", row, hint="0 is the control, more is more damage"
            )
        if family[row] is None and strength[row] != 0:
            reading.fail("family is empty", row, hint="only controls (strength 0) may stand for all families")
    reading.once(
        {r: (evaluator[r], case[r], family[r], strength[r]) for r in reading.rows},
        {r: (score[r], r in unscored, source[r]) for r in reading.rows},
        "the score of one case at one strength",
    )
    reading.agree({r: (case[r], family[r], strength[r]) for r in reading.rows}, {"source": source}, "case")
    families: dict[tuple[str, str], dict[str, None]] = {}
    for row in reading.rows:
        name = family[row]
        if name is not None:
            families.setdefault((evaluator[row], source[row]), {})[name] = None
    out: list[tuple[int, str]] = []
    for row in reading.rows:
        own = family[row]
        shared = families.get((evaluator[row], source[row]), {})
        if own is None and not shared:
            reading.count("control_alone", "controls without a damaged film of their source, left out",
                          table.where(row))  # fmt: skip
        out += [(row, name) for name in ([own] if own is not None else shared)]
    return (
        SensitivityTable(
            evaluator=np.array([evaluator[r] for r, _ in out], dtype=np.str_),
            case=np.array([case[r] for r, _ in out], dtype=np.str_),
            source=np.array([source[r] for r, _ in out], dtype=np.str_),
            family=np.array([name for _, name in out], dtype=np.str_),
            strength=np.array([strength[r] for r, _ in out], dtype=np.float64),
            score=np.array([math.nan if r in unscored else score[r] for r, _ in out], dtype=np.float64),
        ),
        reading,
    )


def _source(reading: Reading, own: Mapping[int, str]) -> dict[int, str]:
    """The source of each row; what names none is a source of its own."""
    if not reading.has("source"):
        reading.notes.append(
            f"the table names no source: every {reading.key} counts as independent of the others"
        )
    given = reading.maybe_texts("source")
    return {r: given[r] or own[r] for r in reading.rows}


def correlation_table(
    table: Table,
    cases: Facts | None = None,
    joined: Sequence[str] = (),
    ratings: Ratings | None = None,
) -> tuple[CorrelationTable, Reading]:
    """Columns ``case, brief, system, score, human``; ``evaluator`` and ``status`` where there.

    ``human`` may be left out where ``ratings`` give the single ratings, whose mean it then is. Without
    ``brief`` every case is independent of the others; without ``system`` all are of one.

    Raises:
        InputError: a column lacks, a cell cannot be what its column says, or rows contradict each other.
    """
    means = _means(ratings) if ratings is not None else {}
    needs = ("case", "score") if ratings is not None else ("case", "score", "human")
    may = ("brief", "system", *(("human",) if ratings is not None else ()))
    reading = Reading(table, needs, may, "case", cases, joined)
    score, case, evaluator = reading.scores("score"), reading.texts("case"), reading.evaluators()
    human = reading.scores("human")
    unscored = reading.unscored(score)
    brief, system = reading.maybe_texts("brief"), reading.maybe_texts("system")
    if not reading.has("brief"):
        reading.notes.append("the table names no brief: every case counts as independent of the others")
    if not reading.has("system"):
        reading.notes.append("the table names no system: nothing can be said of systems")
    reading.once(
        {r: (evaluator[r], case[r]) for r in reading.rows},
        {r: (score[r], r in unscored, human[r], brief[r], system[r]) for r in reading.rows},
        "the score of one case",
    )
    reading.agree(case, {"human": human, "brief": brief, "system": system}, "case")
    rows = reading.rows
    if not reading.has("human"):
        human = {r: means.get(case[r], math.nan) for r in rows}
        for row in rows:
            if case[row] not in means:
                reading.count("no_rating", "cases without a rating; they count as not scored", case[row])
    return (
        CorrelationTable(
            evaluator=np.array([evaluator[r] for r in rows], dtype=np.str_),
            case=np.array([case[r] for r in rows], dtype=np.str_),
            brief=np.array([brief[r] or case[r] for r in rows], dtype=np.str_),
            system=np.array([system[r] or ONE_SYSTEM for r in rows], dtype=np.str_),
            score=np.array([math.nan if r in unscored else score[r] for r in rows], dtype=np.float64),
            human=np.array([human[r] for r in rows], dtype=np.float64),
        ),
        reading,
    )


def ratings_table(table: Table, same_raters: bool = True) -> tuple[Ratings, Reading]:
    """Columns ``case, rater, rating``: one row per single rating.

    Raises:
        InputError: a column lacks, a cell cannot be what its column says, or a rater contradicts itself.
    """
    reading = Reading(table, ("case", "rater", "rating"), key="case")
    case, rater, rating = reading.texts("case"), reading.texts("rater"), reading.scores("rating")
    reading.once({r: (case[r], rater[r]) for r in reading.rows}, rating, "the rating of one rater")
    reading.keep("no_rating", "rows without a rating, left out", lambda r: not math.isnan(rating[r]))
    rows = reading.rows
    return (
        Ratings(
            case=np.array([case[r] for r in rows], dtype=np.str_),
            rater=np.array([rater[r] for r in rows], dtype=np.str_),
            value=np.array([rating[r] for r in rows], dtype=np.float64),
            same_raters=same_raters,
        ),
        reading,
    )


def _means(ratings: Ratings) -> dict[str, float]:
    """The mean rating of each case."""
    values: dict[str, list[float]] = {}
    for case, value in zip(ratings.case.tolist(), ratings.value.tolist(), strict=True):
        values.setdefault(case, []).append(value)
    return {case: math.fsum(given) / len(given) for case, given in values.items()}
