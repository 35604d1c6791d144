"""How the figures of studies are said: values with intervals, and one plain sentence for each evaluator."""

from __future__ import annotations

from collections.abc import Mapping

from longtake.core.interval import Interval
from longtake.core.meta import MetaDocument, Study
from longtake.core.studies import (
    EvaluatorCorrelation,
    EvaluatorLocalisation,
    EvaluatorPairwise,
    EvaluatorSensitivity,
    FilterResult,
    PairwiseFigures,
)

from ..words import count, one_line

NOTHING = "–"
MINUS = "−"
MOST_NAMED = 5
"""Aspects that a sentence names."""
TITLES: Mapping[Study, str] = {
    "sensitivity": "Sensitivity to damage",
    "pairwise": "Pairwise accuracy",
    "localisation": "Localisation of damage",
    "correlation": "Correlation with people",
    "filter": "Human filter of pairs",
}
QUESTIONS: Mapping[Study, str] = {
    "sensitivity": "Does the score fall with the strength of a damage?",
    "pairwise": "Is the undamaged film of a pair preferred?",
    "localisation": "Does it point at what was changed, and at nothing on the control?",
    "correlation": "Does the score go along with people's ratings?",
    "filter": "Which pairs do people keep?",
}


def number(value: float | None, digits: int = 3) -> str:
    """A number with a true minus sign and about ``digits`` digits that count; a dash for nothing."""
    if value is None:
        return NOTHING
    size = abs(value)
    if value == 0:
        text = "0"
    elif size >= 0.01 and round(size, digits) < 1:
        text = f"{value:.{digits}f}"
    elif 0.1 < size < 10_000:
        text = f"{value:.{max(0, digits - len(str(round(size))))}f}"
    else:
        text = f"{value:.{digits - 1}g}"
    return text.replace("-", MINUS)


def percent(value: float | None) -> str:
    """A share in per cent with one decimal; a dash for nothing."""
    return NOTHING if value is None else f"{value * 100:.1f} %".replace("-", MINUS)


def figure(interval: Interval, *, share: bool = False) -> str:
    """``71.2 % (66.0 to 76.1)``; no brackets where it has no interval, a dash where it is nothing."""
    if interval.value is None:
        return NOTHING
    said = percent(interval.value) if share else number(interval.value)
    if interval.low is None or interval.high is None:
        return said
    low, high = (
        (f"{x * 100:.1f}".replace("-", MINUS) if share else number(x)) for x in (interval.low, interval.high)
    )
    return f"{said} ({low} to {high})"


def of(interval: Interval) -> str:
    """``92/100``: the number that was answered, of the number asked."""
    return f"{interval.n:,}/{interval.n_asked:,}"


def probability(p: float | None) -> str:
    """A p value; what is tiny is said to be below a bound."""
    return NOTHING if p is None else "< .0001" if p < 0.0001 else f"{p:.4f}".lstrip("0") if p < 1 else "1"


def verdicts(document: MetaDocument) -> list[tuple[str, str]]:
    """Evaluator and a sentence on it, in the order of the document; several of sensitivity, by family."""
    said = []
    for name, found in document.evaluators.items():
        if isinstance(found, EvaluatorSensitivity):
            said += [(name, text) for text in _sensitivity(found)]
        elif isinstance(found, EvaluatorPairwise):
            if not found.baseline:
                said.append((name, _pairwise(found, document)))
        elif isinstance(found, EvaluatorLocalisation):
            said.append((name, _localisation(found)))
        elif isinstance(found, EvaluatorCorrelation):
            said.append((name, _correlation(found, document)))
        else:
            said.append((name, _filter(found)))
    return said


def _sensitivity(found: EvaluatorSensitivity) -> list[str]:
    said = []
    for family, f in found.families.items():
        verdict = f.verdict or "no verdict"
        paper = f.paper_verdict or "no verdict"
        slope = f", slope {figure(f.slope)} per unit of strength" if f.slope.value is not None else ""
        left = f"; {count(f.excluded, f.unit)} left out for want of a score" if f.excluded else ""
        said.append(
            f"{one_line(family, 60)}: {verdict}{slope} over {count(f.units, f.unit)} ({f.verdict_reason})"
            f"; by the paper's rule {paper} ({f.paper_reason.replace('R^2', 'R²')}){left}."
        )
    return said


def _pairwise(found: EvaluatorPairwise, document: MetaDocument) -> str:
    overall = found.overall
    if overall.accuracy.value is None:
        return f"nothing can be said: {overall.accuracy.reason}."
    low, high = overall.accuracy.low, overall.accuracy.high
    said: str
    if overall.finding is not None:
        said = overall.finding
    elif low is not None and high is not None and low <= 0.5 <= high:
        said = "is not told from chance"
    else:
        said = f"cannot be judged by chance ({overall.accuracy.reason})"
    said += f": right in {figure(overall.accuracy, share=True)} of {of(overall.accuracy)} answers"
    below = [a for a, f in found.aspects.items() if f.finding == "prefers the damaged one"]
    chance = [a for a, f in found.aspects.items() if _at_chance(f)]
    if below:
        said += f"; prefers the damaged one in {_names(below)}"
    if chance and len(found.aspects) > 1:
        every = len(chance) == len(found.aspects)
        said += f"; not told from chance in {'every aspect' if every else _names(chance)}"
    if overall.consistency.value is not None and overall.consistency.value < 0.5:
        said += f"; its two answers to a pair agree in only {percent(overall.consistency.value)}"
    if cued := [a for a, f in found.aspects.items() if _beaten(a, f, document)]:
        said += f"; a blind cue is right at least as often in {_names(cued)}"
    return said + "."


def _names(aspects: list[str]) -> str:
    """Aspects in words, so many that one can still read them."""
    named = ", ".join(one_line(a, 40).replace("_", " ") for a in aspects[:MOST_NAMED])
    more = len(aspects) - MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


def _at_chance(f: PairwiseFigures) -> bool:
    low, high = f.accuracy.low, f.accuracy.high
    return low is not None and high is not None and low <= 0.5 <= high


def best_cue(aspect: str | None, document: MetaDocument) -> tuple[str, float] | None:
    """The baseline that is right most often on an aspect (``None``: over all), and how often."""
    best: tuple[str, float] | None = None
    for name, found in document.evaluators.items():
        if isinstance(found, EvaluatorPairwise) and found.baseline:
            figures = found.overall if aspect is None else found.aspects.get(aspect)
            value = None if figures is None else figures.accuracy.value
            if value is not None and (best is None or value > best[1]):
                best = name, value
    return best


def _beaten(aspect: str, f: PairwiseFigures, document: MetaDocument) -> bool:
    """Whether a cue does as well where the evaluator does better than chance."""
    best = best_cue(aspect, document)
    right = f.finding == "prefers the intact one"
    return right and best is not None and f.accuracy.value is not None and best[1] >= f.accuracy.value


def _localisation(found: EvaluatorLocalisation) -> str:
    f = found.overall
    if f.pointed.value is None:
        return f"nothing can be said: {f.pointed.reason}."
    said = f"points at {figure(f.pointed, share=True)} of {of(f.pointed)} changed spans"
    if f.false_per_five_minutes.value is None:
        return f"{said}; how often it points at nothing is unknown ({f.false_per_five_minutes.reason})."
    return f"{said}, and at {figure(f.false_per_five_minutes)} false spans in five minutes of the control."


def _correlation(found: EvaluatorCorrelation, document: MetaDocument) -> str:
    pooled, within, between = (c.spearman for c in (found.pooled, found.within, found.between))
    if pooled.value is None:
        return f"nothing can be said: {pooled.reason}."
    if pooled.low is None or pooled.high is None:
        said = f"may go along with people or not ({pooled.reason})"
    elif pooled.low > 0:
        said = "goes along with people"
    else:
        said = "goes against people" if pooled.high < 0 else "is not shown to go along with people"
    said += f": Spearman {figure(pooled)} pooled over {of(pooled)} cases"
    if len(found.systems) > 1:
        for over, c in (("within systems", within), (f"between {len(found.systems)} systems", between)):
            said += f", {figure(c)} {over}" if c.value is not None else f", nothing {over} ({c.reason})"
    agreement = document.agreement
    if agreement is not None and agreement.ceiling is not None and found.pooled.pearson.value is not None:
        said += (
            f"; Pearson {number(found.pooled.pearson.value)}, where a perfect score is expected to reach"
            f" {number(agreement.ceiling)}"
        )
    return said + "."


def _filter(found: FilterResult) -> str:
    f = found.overall
    kept = "no pair could be judged" if f.percent is None else f"{f.kept:,} of {f.initial:,} pairs are kept"
    said = f"{kept}{'' if f.percent is None else f' ({f.percent:.1f} %)'}, by {count(found.votes, 'vote')}"
    said += f" of {count(found.raters, 'rater')}"
    if found.unknown:
        names = ", ".join(one_line(name, 40) for name in found.unknown_ids)
        said += f"; {count(found.unknown, 'vote')} on unknown pairs ({names}) left out"
    return said + "."
