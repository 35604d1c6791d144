"""Which pairs do people keep? Nobody says C (the damage failed), and more say A than B."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.interval import Interval, missing
from ...core.studies import FilterResult, Retention
from ...stats.agreement import alpha_of
from .figures import Floats, Plan, equal_lengths, figures, numbered

VOTES = {"A": 0.0, "B": 1.0, "C": 2.0}
"""All chosen clips visibly damaged, some, the damage failed; the numbers are names."""


@dataclass(frozen=True)
class VoteTable:
    """One row per vote, all columns text; ``vote`` is A, B or C as in VOTES."""

    pair: NDArray[np.str_]
    aspect: NDArray[np.str_]
    rater: NDArray[np.str_]
    vote: NDArray[np.str_]


@dataclass(frozen=True)
class FilterOptions:
    """``candidates`` are the pairs that were to be judged, with their aspect; ``None``: those with votes."""

    candidates: Mapping[str, str] | None = None
    level: float = 0.95
    draws: int = 10_000
    seed: int = 0


NAMED = 20
"""Unknown ids that are named."""


def human_filter(table: VoteTable, options: FilterOptions | None = None) -> FilterResult:
    """Keep a pair if nobody says C and count(A) > count(B); anything else is out, by its first reason.

    Votes on pairs that are no candidates are counted and not used. Agreement is Krippendorff's nominal alpha
    over the pairs voted on.

    Raises:
        ValueError: columns differ in length, a vote is no A, B or C, one rater votes twice on a pair, or
            votes put a pair in two aspects.
    """
    options = options or FilterOptions()
    equal_lengths(**vars(table))
    bad = ~np.isin(table.vote, list(VOTES))
    if bad.any():
        raise ValueError(f"a vote is {str(table.vote[bad][0])!r}, not A, B or C")
    candidates = options.candidates
    if candidates is None:
        candidates = dict(zip(table.pair.tolist(), table.aspect.tolist(), strict=True))
    names = sorted(candidates)
    known = np.array([p in candidates for p in table.pair.tolist()], bool)
    for pair, aspect in zip(table.pair[known].tolist(), table.aspect[known].tolist(), strict=True):
        if aspect != candidates[pair]:
            raise ValueError(f"pair {pair} is of the aspects {candidates[pair]} and {aspect}")
    place = {p: i for i, p in enumerate(names)}
    pair = np.array([place[p] for p in table.pair[known].tolist()], np.int64)
    raters, rater = numbered(table.rater[known])
    if len(np.unique(pair * max(1, len(raters)) + rater)) < len(pair):
        raise ValueError("one rater votes twice on a pair")
    votes = np.full((len(names), max(1, len(raters))), np.nan)
    votes[pair, rater] = [VOTES[v] for v in table.vote[known].tolist()]
    a, b, c = ((votes == k).sum(axis=1) for k in range(len(VOTES)))
    silent = a + b + c == 0
    failed = c > 0
    weak = ~silent & ~failed & (a <= b)
    kept = ~silent & ~failed & (a > b)
    of = np.array([candidates[p] for p in names], dtype=np.str_)

    def retention(rows: NDArray[np.bool_]) -> Retention:
        initial, left = int(rows.sum()), int((rows & kept).sum())
        return Retention(
            initial=initial,
            out_c=int((rows & failed).sum()),
            out_a_not_more=int((rows & weak).sum()),
            without_votes=int((rows & silent).sum()),
            kept=left,
            percent=100 * left / initial if initial else None,
        )

    unknown = sorted(set(table.pair[~known].tolist()))
    return FilterResult(
        kept=[p for p, keep in zip(names, kept, strict=True) if keep],
        aspects={str(x): retention(of == x) for x in np.unique(of)},
        overall=retention(np.ones(len(names), bool)),
        votes=int(known.sum()),
        raters=len(raters),
        unknown=int((~known).sum()),
        unknown_ids=unknown[:NAMED],
        agreement=_agreement(votes[~silent], options),
    )


def _agreement(votes: Floats, options: FilterOptions) -> Interval:
    n, shared = len(votes), int(((~np.isnan(votes)).sum(axis=1) > 1).sum())
    if not shared:
        return missing("no pair has two votes", n_asked=n, level=options.level, method="Krippendorff's alpha")
    plan = Plan(options.level, options.draws, options.seed, over="pairs")
    statistic = alpha_of(votes, "nominal")
    found = plan.resample(lambda weights: statistic(weights)[:, None], n, "votes")
    return figures(found, plan, np.array([shared]), np.array([n]))[0]
