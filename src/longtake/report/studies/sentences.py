"""One plain sentence on each evaluator of a study; what was not scored is said in one line."""

from __future__ import annotations

from collections.abc import Iterator

from longtake.core.interval import Interval
from longtake.core.meta import MetaDocument
from longtake.core.studies import (
    EvaluatorCorrelation,
    EvaluatorLocalisation,
    EvaluatorPairwise,
    EvaluatorSensitivity,
    FamilySensitivity,
    FilterResult,
    PairwiseFigures,
)

from ..words import count, one_line
from .who import judged, unheard, voters
from .words import MINUS, among, figure, number, percent

MOST_NAMED = 5
"""Aspects, damages or reasons that a sentence names."""
MOST_ALONE = 2
"""So many evaluators without a figure have a line each; more of them share one."""
VERDICTS = (
    ("sensitive", "sensitive to {}"),
    ("rises with damage", "rises with {}"),
    ("not shown", "not shown to fall with {}"),
    ("at the ceiling", "at the ceiling under {}"),
    ("constant", "the same under {}"),
    (None, "no verdict on {}"),
)
"""How the verdicts on several damages are said, the most telling first."""


def verdicts(document: MetaDocument) -> list[tuple[str, str]]:
    """Evaluator and a sentence on it, in the order of the document; baselines only where nothing else is."""
    said = [(n, _sensitivity(e, document)) for n, e in judged(document, EvaluatorSensitivity)]
    said += [(n, _pairwise(n, e, document)) for n, e in judged(document, EvaluatorPairwise)]
    said += [(n, _localisation(e)) for n, e in judged(document, EvaluatorLocalisation)]
    said += [(n, _correlation(e, document)) for n, e in judged(document, EvaluatorCorrelation)]
    said += [(voters(n), _filter(e)) for n, e in judged(document, FilterResult)]
    silent = unheard(document)
    if len(silent) > MOST_ALONE:
        names = ", ".join(one_line(name, 60) for name in silent)
        return [*said, (count(len(silent), "evaluator"), f"nothing can be said, none was scored: {names}.")]
    return [*said, *((name, f"nothing can be said: {_why(name, document)}.") for name in silent)]


def _why(name: str, document: MetaDocument) -> str:
    """Why an evaluator has no figure: by the table's own reasons, else by the study's."""
    return _reasons(name, document) or next(_study_reasons(name, document), "nothing was scored")


def _study_reasons(name: str, document: MetaDocument) -> Iterator[str]:
    found = document.evaluators[name]
    if isinstance(found, EvaluatorSensitivity):
        yield from (f.verdict_reason for f in found.families.values())
    elif isinstance(found, EvaluatorPairwise) and found.overall.accuracy.reason:
        yield found.overall.accuracy.reason
    elif isinstance(found, EvaluatorLocalisation) and found.overall.pointed.reason:
        yield found.overall.pointed.reason
    elif isinstance(found, EvaluatorCorrelation) and found.pooled.spearman.reason:
        yield found.pooled.spearman.reason


def _reasons(name: str, document: MetaDocument) -> str:
    """The reasons that the table gives for what was not scored, the most frequent ones."""
    given = document.table.unscored.get(name, [])
    said = "; ".join(
        one_line(u.reason, 160) + (f" ({u.rows:,} times)" if u.rows > 1 else "") for u in given[:MOST_NAMED]
    )
    more = len(given) - MOST_NAMED
    return f"{said}; and {count(more, 'more reason')}" if more > 0 else said


def _names(names: list[str]) -> str:
    """Aspects in words, so many that one can still read them."""
    named = ", ".join(one_line(a, 40).replace("_", " ") for a in names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


def _sensitivity(found: EvaluatorSensitivity, document: MetaDocument) -> str:
    if len(found.families) == 1:
        ((family, f),) = found.families.items()
        return _family(family, f)
    said = []
    for verdict, words in VERDICTS:
        names = [k for k, f in found.families.items() if f.verdict == verdict]
        if not names:
            continue
        text = words.format(f"{len(names)} of {count(len(found.families), 'damage')} ({_names(names)})")
        if verdict == "sensitive":
            least = 1 - float(document.options["level"])
            held = sum(f.verdict == verdict and f.p_holm is not None and f.p_holm < least
                       for f in found.families.values())  # fmt: skip
            share = "all" if held == len(names) else str(held or "none")
            text += f", {share} of them also after Holm's correction"
        if verdict is None:
            text += f": {found.families[names[0]].verdict_reason}"
        said.append(text)
    rule = sum(f.paper_verdict == "sensitive" for f in found.families.values())
    if any(f.paper_verdict for f in found.families.values()):
        said.append(f"by the paper's rule sensitive to {rule}")
    bare = [k for k, f in found.families.items() if not f.control]
    if bare:
        said.append(f"no control (strength 0) of {_names(bare)}: the smallest strength stands for it")
    return "; ".join(said) + "."


def _family(family: str, f: FamilySensitivity) -> str:
    slope = f", slope {figure(f.slope)} per unit of strength" if f.slope.value is not None else ""
    left = f"; {count(f.excluded, f.unit)} left out for want of a score" if f.excluded else ""
    bare = "" if f.control else f"; no control (strength 0): strength {min(f.strengths):g} stands for it"
    return (
        f"{one_line(family, 60)}: {f.verdict or 'no verdict'}{slope} over {count(f.units, f.unit)}"
        f" ({f.verdict_reason}); by the paper's rule {f.paper_verdict or 'no verdict'}"
        f" ({f.paper_reason.replace('R^2', 'R²').replace('-', MINUS)}){left}{bare}."
    )


def _pairwise(name: str, found: EvaluatorPairwise, document: MetaDocument) -> str:
    overall = found.overall
    damaged = {a: f for a, f in found.aspects.items() if a not in found.controls}
    if not damaged:
        return f"{overall.accuracy.reason}{_on_controls(found)}."
    low, high = overall.accuracy.low, overall.accuracy.high
    said: str
    if overall.finding is not None:
        said = overall.finding
    elif low is not None and high is not None and low <= 0.5 <= high:
        said = "is not told from chance"
    else:
        said = f"cannot be judged by chance ({overall.accuracy.reason})"
    said += f": right in {figure(overall.accuracy, share=True)} of {among(overall.accuracy, 'answer')}"
    if overall.filtered is not None and overall.filtered.after.value is not None:
        after = overall.filtered.after
        said += f"; on pairs that people kept {figure(after, share=True)} of {among(after, 'answer')}"
    below = [a for a, f in damaged.items() if f.finding == "prefers the damaged one"]
    chance = [a for a, f in damaged.items() if _holds(f.accuracy, 0.5)]
    if below:
        said += f"; prefers the damaged one in {_names(below)}"
    if chance and len(damaged) > 1:
        every = len(chance) == len(damaged)
        said += f"; not told from chance in {'every aspect' if every else _names(chance)}"
    if overall.consistency.value is not None and overall.consistency.value < 0.5:
        pairs = among(overall.consistency, "pair")
        said += f"; its two answers agree in only {percent(overall.consistency.value)} of {pairs}"
    if cued := [a for a, f in damaged.items() if _beaten(a, f, document)]:
        said += f"; a blind cue is right at least as often in {_names(cued)}"
    said += _on_controls(found)
    if (reasons := _reasons(name, document)) and overall.accuracy.n < overall.accuracy.n_asked:
        said += f"; unanswered: {reasons}"
    return said + "."


def _on_controls(found: EvaluatorPairwise) -> str:
    """What it prefers where nothing ought to suffer."""
    said = [
        f"{_names([a])} {figure(found.aspects[a].accuracy, share=True)}"
        for a in found.controls
        if found.aspects[a].accuracy.value is not None
    ]
    if not said:
        return ""
    more = f" and {len(said) - MOST_NAMED} more" if len(said) > MOST_NAMED else ""
    return (
        "; on controls, where nothing ought to suffer and 50 % or ties are wanted, it prefers the original in"
        f" {', '.join(said[:MOST_NAMED])}{more}"
    )


def _holds(interval: Interval, value: float) -> bool:
    return interval.low is not None and interval.high is not None and interval.low <= value <= interval.high


def best_cue(aspect: str, document: MetaDocument) -> tuple[str, Interval, int] | None:
    """The baseline that is right most often on an aspect, its accuracy, and of how many it is the best."""
    rivals = [
        (name, found.aspects[aspect].accuracy)
        for name, found in document.evaluators.items()
        if isinstance(found, EvaluatorPairwise) and found.baseline and aspect in found.aspects
    ]
    scored = [(name, i) for name, i in rivals if i.value is not None]
    if not scored:
        return None
    name, best = max(scored, key=lambda item: item[1].value or 0.0)
    return name, best, len(scored)


def _beaten(aspect: str, f: PairwiseFigures, document: MetaDocument) -> bool:
    """Whether a cue does as well where the evaluator does better than chance."""
    best = best_cue(aspect, document)
    right = f.finding == "prefers the intact one" and f.accuracy.value is not None
    return right and best is not None and (best[1].value or 0.0) >= (f.accuracy.value or 0.0)


def _localisation(found: EvaluatorLocalisation) -> str:
    f = found.overall
    false = f.false_per_five_minutes
    if not f.pointed.n_asked:
        return (
            f"it was asked about controls only, where nothing ought to suffer; {figure(false)} false spans"
            " in five minutes of them."
        )
    said = f"points at {figure(f.pointed, share=True)} of {among(f.pointed, 'changed span')}"
    if f.chance.value is not None:
        said += f", where spans as long put anywhere would touch {percent(f.chance.value)}"
        if _holds(f.above_chance, 0.0):
            said += ": not shown to point better than chance"
        elif f.above_chance.high is not None and f.above_chance.high < 0:
            said += ": worse than chance"
        elif f.above_chance.low is None:
            said += f" (no interval: {f.above_chance.reason})"
    if f.overlap.value is not None:
        whole = f.overlap_whole.value
        beside = "" if whole is None else f" (the whole film: {number(whole)})"
        said += f"; overlap {number(f.overlap.value)}{beside}"
    if false.value is None:
        return f"{said}; how often it points at nothing is unknown ({false.reason})."
    said += f"; {figure(false)} false spans in five minutes of the control"
    if f.pairs_both == 0 and f.pointed.value:
        those = (" of the damaged pairs", "none of them") if found.controls else ("", "no pair")
        said += f", which says nothing{those[0]} if it compares the two films: {those[1]} has spans in both"
    for a in found.controls:
        own = found.aspects[a].figures.false_per_five_minutes
        if own.value is not None:
            said += f"; {figure(own)} where nothing ought to suffer ({_names([a])})"
    return said + "."


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
    said += f": Spearman {figure(pooled)} pooled over {among(pooled, 'case')}"
    if len(found.systems) > 1:
        for over, c in (
            ("within systems", within),
            (f"between just these {len(found.systems)} systems", between),
        ):
            said += f", {figure(c)} {over}" if c.value is not None else f", nothing {over} ({c.reason})"
    agreement, pearson = document.agreement, found.pooled.pearson.value
    if agreement is not None and agreement.ceiling is not None and pearson is not None:
        reach = number(agreement.ceiling)
        said += f"; Pearson {number(pearson)}, where a perfect score is expected to reach {reach}"
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
