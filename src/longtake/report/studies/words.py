"""How the figures of studies are said: values, intervals, numbers of what they rest on."""

from __future__ import annotations

import math
from collections.abc import Mapping

from longtake.core.interval import Interval
from longtake.core.meta import Study, TableFacts

from ..words import count

NOTHING = "–"
MINUS = "−"
ROUNDING = 1e-12
"""What is as small as this is what computing left of a 0."""
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

OPTIONS: Mapping[str, str] = {
    "moment_s": "seconds by which a span may miss the place where something was removed",
    "draws": "bootstrap draws",
    "level": "level of intervals",
    "best": "best end of the range",
    "ties": "answers of two equal scores count as",
    "differences": "evaluators compared with each other",
    "same_raters": "a rater's name stands for the same person everywhere",
}
"""What options are called on the page, where their name says too little."""
VOTES = "A: all chosen clips are visibly damaged. B: some of them are. C: the damage failed."


def taken(facts: TableFacts) -> str:
    """How much of a table went into a study: rows, and those of them that say something."""
    valued = "" if facts.valued is None else f", {facts.valued:,} of them with a value"
    return f"{facts.used:,} of {count(facts.rows, 'row')} read{valued}"


def number(value: float | None, digits: int = 3) -> str:
    """A number with a true minus sign and about ``digits`` digits that count; a dash for nothing."""
    if value is None:
        return NOTHING
    size = abs(value)
    if size < ROUNDING:
        text = "0"
    elif size >= 0.01 and round(size, digits) < 1:
        text = f"{value:.{digits}f}"
    elif 0.1 < size < 10_000:
        text = f"{value:.{max(0, digits - len(str(round(size))))}f}"
    else:
        text = f"{value:.{digits - 1}g}"
    return text.replace("-", MINUS)


def r_squared(value: float | None) -> str:
    """R² with three digits, cut and not rounded: what is under a bound is not said to reach it."""
    return NOTHING if value is None else f"{math.floor(value * 1000) / 1000:.3f}"


def percent(value: float | None) -> str:
    """A share in per cent with one decimal; a dash for nothing."""
    return NOTHING if value is None else f"{tenths(value)} %"


def tenths(value: float) -> str:
    """A share in per cent without the sign: one decimal, a true minus sign, no minus before 0."""
    text = f"{value * 100:.1f}"
    return "0.0" if text == "-0.0" else text.replace("-", MINUS)


def figure(interval: Interval, *, share: bool = False) -> str:
    """``71.2 % (66.0 to 76.1)``; no brackets where it has no interval, a dash where it is nothing."""
    if interval.value is None:
        return NOTHING
    said = percent(interval.value) if share else number(interval.value)
    if interval.low is None or interval.high is None:
        return said
    low, high = (tenths(x) if share else number(x) for x in (interval.low, interval.high))
    return f"{said} ({low} to {high})"


def of(interval: Interval) -> str:
    """``92/100``: the number that was answered, of the number asked."""
    return f"{interval.n:,}/{interval.n_asked:,}"


def share_of(interval: Interval) -> str:
    """``71.4 % of 7``: a share without its interval, of the number it rests on."""
    return NOTHING if interval.value is None else f"{percent(interval.value)} of {interval.n:,}"


def among(interval: Interval, one: str) -> str:
    """``7 answers (8 asked)``: what a figure rests on, in a sentence."""
    asked = "" if interval.n == interval.n_asked else f" ({interval.n_asked:,} asked)"
    return count(interval.n, one) + asked


def probability(p: float | None) -> str:
    """A p value; what is tiny is said to be below a bound."""
    if p is None:
        return NOTHING
    text = f"{p:.4f}"
    return "< .0001" if p < 0.0001 else "1" if text == "1.0000" else text.lstrip("0")
