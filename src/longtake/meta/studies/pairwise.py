"""Does an evaluator prefer the undamaged film of a pair?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.studies import EvaluatorPairwise, PairwiseDifference, PairwiseFigures, PairwiseResult
from ...stats.paired import holm
from .answers import AB, BA, NO_ORDER, TIE, UNANSWERED, A, Answers, B, PairwiseOptions, PairwiseTable
from .pairwise_group import Group, no_figures

__all__ = [
    "AB",
    "BA",
    "NO_ORDER",
    "TIE",
    "UNANSWERED",
    "A",
    "B",
    "PairwiseOptions",
    "PairwiseTable",
    "choices_of",
    "pairwise",
]


def choices_of(
    score_a: NDArray[np.float64], score_b: NDArray[np.float64], higher_is_better: bool = True
) -> NDArray[np.float64]:
    """The column ``choice`` from two scores: the better wins, equal ones tie, NaN on either side is NaN."""
    choice = (np.sign(score_a - score_b) * (1 if higher_is_better else -1) + 1) / 2
    return np.asarray(choice, np.float64)


def pairwise(table: PairwiseTable, options: PairwiseOptions | None = None) -> PairwiseResult:
    """The study: accuracy by evaluator and aspect, against duration, and differences between evaluators.

    An evaluator that was asked in an order is expected to be asked in both: an order without a row counts as
    unanswered. The baselines ``constant`` (ties everywhere) and ``random`` (keyed by pair) always stand
    beside, unless the table has evaluators of these names. Aspects of controls have figures of their own, and
    are in none over all pairs: to prefer the original of a mere copy is not to be right.

    Raises:
        ValueError: columns differ in length, one evaluator has a question twice, or rows of one pair
            contradict each other.
    """
    options = options or PairwiseOptions()
    answers = Answers.of(table, options.seed)
    groups: dict[str | None, NDArray[np.int64]] = {None: np.flatnonzero(~answers.control)}
    groups |= {a: np.flatnonzero(answers.aspect == k) for k, a in enumerate(answers.aspects)}
    found = {name: Group(answers, rows, name, options) for name, rows in groups.items() if len(rows)}
    controls = {a for a, rows in groups.items() if a is not None and answers.control[rows].all()}
    overall = found[None].figures if None in found else {}
    evaluators = {}
    for e, name in enumerate(answers.evaluators):
        aspects = {a: g.figures[e] for a, g in found.items() if a is not None and e in g.figures}
        evaluators[name] = EvaluatorPairwise(
            baseline=name in answers.baselines or name in options.baselines,
            overall=overall.get(e) or no_figures("it was asked about controls only", options.level),
            aspects=_corrected(aspects),
            controls=[a for a in aspects if a in controls],
        )
    over_all = _holm(found[None].differences if None in found else [])
    by_aspect = _holm([d for a, g in found.items() if a is not None for d in g.differences])
    return PairwiseResult(
        ties=options.ties,
        filtered=answers.kept is not None,
        evaluators=evaluators,
        differences=over_all + by_aspect,
        notes=answers.notes,
    )


def _holm(differences: list[PairwiseDifference]) -> list[PairwiseDifference]:
    stepped = holm([d.p for d in differences])
    return [d.model_copy(update={"p_holm": p}) for d, p in zip(differences, stepped, strict=True)]


def _corrected(aspects: dict[str, PairwiseFigures]) -> dict[str, PairwiseFigures]:
    """The same with Holm's correction over the aspects: accuracy, rank test and slope each for itself."""
    plain = holm([f.p for f in aspects.values()])
    ranks = holm([f.duration.rank.p if f.duration else None for f in aspects.values()])
    lines = holm([f.duration.slope.p if f.duration else None for f in aspects.values()])
    out = {}
    for (name, figures), p, rank, line in zip(aspects.items(), plain, ranks, lines, strict=True):
        duration = figures.duration
        if duration:
            duration = duration.model_copy(
                update={
                    "rank": duration.rank.model_copy(update={"p_holm": rank}),
                    "slope": duration.slope.model_copy(update={"p_holm": line}),
                }
            )
        out[name] = figures.model_copy(update={"p_holm": p, "duration": duration})
    return out
