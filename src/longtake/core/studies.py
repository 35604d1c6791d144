"""What studies of evaluators say: figures with interval and n, by evaluator. Plain data, no arrays."""

from __future__ import annotations

from typing import Literal

from pydantic import FiniteFloat

from .interval import Interval
from .model import Record, Share

Ties = Literal["half", "wrong", "exclude"]
"""How an answer of two equal scores counts: as half right, as wrong, or not at all."""


CUE = "cue."
WHOLE_FILM = "whole-film"
GUESSES = ("constant", "random", WHOLE_FILM)
"""Evaluators whose names begin or are so know nothing of damage; they stand as baselines."""


CONTROL_MARK = "(control)"
"""What stands after an aspect in which nothing ought to suffer."""


def is_baseline(name: str) -> bool:
    """Whether an evaluator of this name only guesses or reads a cue."""
    return name.startswith(CUE) or name in GUESSES


# Sensitivity: does the score fall with the strength of a damage?


class StrengthPoint(Record):
    """The mean score at one strength, over the videos that have every strength."""

    strength: FiniteFloat
    mean: Interval


SensitivityVerdict = Literal["sensitive", "not shown", "rises with damage", "at the ceiling", "constant"]


class FamilySensitivity(Record):
    """One evaluator under one family of damage. ``n`` of every interval counts units.

    ``unit`` is what is paired over the strengths: ``case`` where a case is scored at several strengths,
    else ``source`` (its scores at one strength are averaged). ``excluded`` units lack a score at one of
    ``strengths`` and count at none. ``slope`` and ``difference`` (greatest strength less smallest) are in
    units of the score, as it is; so are ``spearman`` (mean over units of the rank correlation with strength),
    ``r`` and ``r_squared`` (of the means over strengths). ``fall_share`` counts units that are worse at the
    greatest strength than at the smallest, in the score's own direction. ``luck`` is the chance that a score
    without any response passes the paper's rule if errors of strengths are independent, ``luck_walk`` if they
    add up with the dose. ``smallest_slope`` is the size this study would find in 80 of 100 repetitions.
    ``p`` tests the slope against 0 by Student's law, from the jackknife's standard error over sources;
    ``p_holm`` is corrected over the families of the evaluator. ``left_out`` names some of the excluded.
    ``control`` tells whether strength 0 is among ``strengths``: without it the smallest stands for it.
    """

    unit: Literal["case", "source"]
    units: int
    units_asked: int
    sources: int
    excluded: int
    strengths: list[FiniteFloat]
    higher_is_better: bool
    points: list[StrengthPoint]
    slope: Interval
    difference: Interval
    fall_share: Interval
    spearman: Interval
    r: FiniteFloat | None
    r_squared: FiniteFloat | None
    paper_verdict: Literal["sensitive", "insensitive"] | None
    paper_reason: str
    luck: Share | None
    luck_walk: Share | None
    verdict: SensitivityVerdict | None
    verdict_reason: str
    smallest_slope: FiniteFloat | None
    p: Share | None = None
    p_holm: Share | None = None
    left_out: list[str] = []
    control: bool = True


class EvaluatorSensitivity(Record):
    """One evaluator under every family of the table."""

    families: dict[str, FamilySensitivity]


class SensitivityResult(Record):
    """The sensitivity study: figures by evaluator and family."""

    evaluators: dict[str, EvaluatorSensitivity]
    notes: list[str] = []


# Pairwise: is the undamaged film preferred?


class DurationBin(Record):
    """Pairs of like duration: their number, mean duration in seconds, accuracy with the paper's interval."""

    pairs: int
    mean_duration: FiniteFloat
    accuracy: Interval


class RankTest(Record):
    """Spearman's rho between bin number and accuracy, its two-sided p, and p after Holm over the aspects."""

    bins: int
    n: int
    value: FiniteFloat | None
    p: Share | None
    p_holm: Share | None = None
    reason: str | None = None


class Slope(Record):
    """Logistic slope of a right answer on log duration (natural logarithm, seconds), log odds per unit.

    Resampled slopes are one Newton step from the fit to all answers. ``p`` is by the normal law, from the
    jackknife's standard error over sources.

    ``controlled_for_share`` tells whether the share of the film that was changed stands beside it.
    """

    slope: Interval
    p: Share | None
    p_holm: Share | None = None
    controlled_for_share: bool


class DurationFigures(Record):
    """Accuracy against duration: few bins for the figure, many for the rank test, and the slope.

    ``bins_reason`` says why there are no bins, as where the pairs have fewer durations than bins.
    """

    bins: list[DurationBin]
    bins_reason: str | None = None
    rank: RankTest
    slope: Slope


class BeforeAfter(Record):
    """Accuracy over all pairs and over those that people kept, of the same evaluator."""

    before: Interval
    after: Interval


class PairwiseFigures(Record):
    """One evaluator on the pairs of one aspect, or of all.

    ``accuracy`` has the bootstrap over sources; ``paper`` and ``wilson`` are the same value with other
    intervals, ``n`` of all three counts answers. ``strict`` (both orders right) and ``consistency`` (both
    name the same film) count pairs answered in both orders; ``first_choice`` counts answers to ordered
    questions. ``p`` tests accuracy against one half by signs over sources, ``p_holm`` over the aspects.
    """

    pairs: int
    pairs_scored: int
    sources: int
    accuracy: Interval
    paper: Interval
    wilson: Interval
    ties: Interval
    strict: Interval
    consistency: Interval
    first_choice: Interval
    p: Share | None
    p_holm: Share | None = None
    finding: Literal["prefers the intact one", "prefers the damaged one"] | None
    duration: DurationFigures | None = None
    filtered: BeforeAfter | None = None


class EvaluatorPairwise(Record):
    """One evaluator: all pairs, and each aspect. ``baseline`` marks what only guesses or reads a cue.

    ``controls`` names the aspects in which nothing ought to suffer: a half, or ties, are wanted there, and
    ``overall`` is without them.
    """

    baseline: bool
    overall: PairwiseFigures
    aspects: dict[str, PairwiseFigures]
    controls: list[str] = []


class PairwiseDifference(Record):
    """Accuracy of ``first`` less that of ``second`` on the pairs both answered.

    ``aspect`` is ``None`` over all pairs. ``first_better`` and ``second_better`` count sources. ``p`` is the
    exact sign test over sources (McNemar's where a source has one pair); Holm's correction is over all
    evaluators and aspects, and apart from those over all evaluators where ``aspect`` is ``None``.
    """

    first: str
    second: str
    aspect: str | None
    difference: Interval
    first_better: int
    second_better: int
    p: Share | None
    p_holm: Share | None = None


class PairwiseResult(Record):
    """The pairwise study: figures by evaluator and aspect, and differences between evaluators.

    ``filtered`` tells whether people's votes on the pairs were given.
    """

    ties: Ties
    filtered: bool
    evaluators: dict[str, EvaluatorPairwise]
    differences: list[PairwiseDifference]
    notes: list[str] = []


# Localisation: does it point at what was changed?


class LocalisationFigures(Record):
    """Where an evaluator pointed. ``n`` of ``pointed`` and ``hits`` counts spans, else pairs.

    ``pointed`` is the share of changed spans that a found span overlaps, ``overlap`` the mean over pairs of
    intersection over union in time (pairs whose changes last no time are left out), ``hits`` the share of
    found spans that touch a change. ``false_per_minute`` counts spans found on the control,
    ``false_per_five_minutes`` is five times that, ``false_share`` the share of the control that they cover.

    ``chance`` is the share of changed spans that spans as long as the found ones are expected to overlap
    when they are put anywhere on the film, and ``above_chance`` what ``pointed`` has more than that, on the
    pairs whose length is known. ``overlap_whole`` is what the whole film would have for ``overlap`` on the
    same pairs. ``pairs_both`` counts pairs in whose films, damaged and control, spans were
    found in both: an evaluator that compares them may name spans in one alone, and then finds none on the
    control whenever it is right.
    """

    pairs: int
    pairs_both: int
    sources: int
    control_minutes: FiniteFloat
    pointed: Interval
    chance: Interval
    above_chance: Interval
    overlap: Interval
    overlap_whole: Interval
    hits: Interval
    false_per_minute: Interval
    false_per_five_minutes: Interval
    false_share: Interval


class StrengthLocalisation(Record):
    """The same at one strength of the damage."""

    strength: FiniteFloat
    figures: LocalisationFigures


class AspectLocalisation(Record):
    """One aspect: over all strengths, and by strength where strengths are given."""

    figures: LocalisationFigures
    strengths: list[StrengthLocalisation]


class EvaluatorLocalisation(Record):
    """One evaluator: all pairs, and each aspect. ``baseline`` marks what points blindly.

    ``controls`` names the aspects in which nothing ought to suffer: what is found there, in either film, is a
    false span, in ``overall`` too.
    """

    baseline: bool = False
    overall: LocalisationFigures
    aspects: dict[str, AspectLocalisation]
    controls: list[str] = []


class LocalisationResult(Record):
    """The localisation study."""

    evaluators: dict[str, EvaluatorLocalisation]
    notes: list[str] = []


# Correlation with people


class Coefficients(Record):
    """Three correlations of score and human rating; ``n`` counts cases (systems, between systems)."""

    spearman: Interval
    pearson: Interval
    kendall: Interval


class EvaluatorCorrelation(Record):
    """One evaluator against people.

    ``pooled`` takes all cases together, ``within`` is the plain mean of ``systems`` (each system alone),
    ``between`` compares the systems' means: with few systems it takes few values, and its interval is over
    briefs, of just these systems. ``n_asked`` of a system counts the cases of that system.
    """

    pooled: Coefficients
    within: Coefficients
    between: Coefficients
    systems: dict[str, Coefficients]


class CorrelationDifference(Record):
    """Correlation of ``first`` less that of ``second`` on the cases both scored."""

    first: str
    second: str
    pooled: Coefficients
    within: Coefficients


class Agreement(Record):
    """How far raters agree: Krippendorff's alpha at three scales and what their mean is worth.

    ``single`` is the reliability of one rating, ``mean`` that of the mean rating, by ``method``.
    ``consistent_mean`` is the latter where a rater's own level does not matter (ICC(3,k); the same as
    ``mean`` where raters are not the same at every case). ``ceiling`` is its square root: the Pearson
    correlation expected of a perfect score with the mean rating.
    """

    cases: int
    raters: int
    ratings: int
    nominal: Interval
    ordinal: Interval
    interval: Interval
    single: Interval
    mean: Interval
    consistent_mean: Interval
    ceiling: FiniteFloat | None
    method: str


class CorrelationResult(Record):
    """The correlation study; ``agreement`` where single ratings were given."""

    evaluators: dict[str, EvaluatorCorrelation]
    differences: list[CorrelationDifference]
    agreement: Agreement | None = None
    notes: list[str] = []


# Human filter


class Retention(Record):
    """What the filter left of one aspect. ``without_votes`` are pairs nobody judged; they are not kept."""

    initial: int
    out_c: int
    out_a_not_more: int
    without_votes: int
    kept: int
    percent: FiniteFloat | None


class FilterResult(Record):
    """The human filter: the pairs kept, the retention table, and how far the voters agree.

    ``unknown`` counts votes on pairs that are not among the candidates; ``unknown_ids`` names some.
    """

    kept: list[str]
    aspects: dict[str, Retention]
    overall: Retention
    votes: int
    raters: int
    unknown: int
    unknown_ids: list[str]
    agreement: Interval
