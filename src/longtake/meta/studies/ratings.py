"""Single ratings: do raters agree, and what is their mean worth?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.interval import Interval, missing
from ...core.studies import Agreement
from ...stats.agreement import Scale, alpha_of, reliability_of
from .figures import Floats, Plan, equal_lengths, figures, numbered


@dataclass(frozen=True)
class Ratings:
    """One row per single rating: of ``case``, by ``rater``, ``value``.

    ``same_raters`` says that a name stands for the same person at every case; else raters are anonymous and
    reliability is that of a one-way design.
    """

    case: NDArray[np.str_]
    rater: NDArray[np.str_]
    value: NDArray[np.float64]
    same_raters: bool = True


def agreement(ratings: Ratings, level: float = 0.95, draws: int = 10_000, seed: int = 0) -> Agreement:
    """Agreement and reliability, with intervals over cases. Missing ratings (NaN) do not count.

    Raises:
        ValueError: columns differ in length, or one rater rates a case twice.
    """
    equal_lengths(case=ratings.case, rater=ratings.rater, value=ratings.value)
    known = ~np.isnan(ratings.value)
    cases, case = numbered(ratings.case[known])
    raters, rater = numbered(ratings.rater[known])
    if len(np.unique(case * max(1, len(raters)) + rater)) < len(case):
        raise ValueError("one rater rates a case twice")
    if not ratings.same_raters:
        rater = _place_in_case(case)
    matrix = np.full((len(cases), int(rater.max(initial=0)) + 1), np.nan)
    matrix[case, rater] = ratings.value[known]
    plan = Plan(level, draws, seed, over="cases")
    several = int(((~np.isnan(matrix)).sum(axis=1) > 1).sum())
    single, mean, consistent, method = _reliability(matrix, several, ratings.same_raters, plan)
    return Agreement(
        cases=len(cases),
        raters=len(raters),
        ratings=len(case),
        nominal=_alpha(matrix, "nominal", several, plan),
        ordinal=_alpha(matrix, "ordinal", several, plan),
        interval=_alpha(matrix, "interval", several, plan),
        single=single,
        mean=mean,
        consistent_mean=consistent,
        ceiling=None if consistent.value is None else float(np.sqrt(max(0.0, consistent.value))),
        method=method,
    )


def _place_in_case(case: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of each rating among those of its case."""
    order = np.argsort(case, kind="stable")
    ordered = case[order]
    start = np.searchsorted(ordered, ordered)
    out = np.empty(len(case), np.int64)
    out[order] = np.arange(len(case)) - start
    return out


def _alpha(matrix: Floats, scale: Scale, several: int, plan: Plan) -> Interval:
    n = len(matrix)
    if not several:
        return missing("no case has two ratings", n_asked=n, level=plan.level)
    try:
        statistic = alpha_of(matrix, scale)
    except ValueError as error:
        return missing(str(error), n_asked=n, level=plan.level)
    found = plan.resample(lambda weights: statistic(weights)[:, None], n, "ratings")
    return figures(found, plan, np.array([several]), np.array([n]))[0]


def _reliability(
    matrix: Floats, several: int, same: bool, plan: Plan
) -> tuple[Interval, Interval, Interval, str]:
    n = len(matrix)
    if not several:
        nothing = missing("no case has two ratings", n_asked=n, level=plan.level)
        return nothing, nothing, nothing, "none"
    statistic, method = reliability_of(matrix, same)
    found = plan.resample(statistic, n, "ratings")
    single, mean, consistent = figures(found, plan, np.full(3, n), np.full(3, n))
    return single, mean, consistent, method
