"""A study as tables of text, once, for the terminal and for the page alike."""

from __future__ import annotations

from collections.abc import Iterator

from longtake.core.meta import MetaDocument
from longtake.core.studies import (
    Coefficients,
    CorrelationDifference,
    EvaluatorCorrelation,
    FilterResult,
)

from .damage import localisation_tables, sensitivity_tables
from .pairwise import pairwise_tables
from .shown import BASELINE, Row, Shown
from .who import baseline, shown, voters
from .words import NOTHING, VOTES, figure, number, of, taken


def tables(document: MetaDocument) -> list[Shown]:
    """All tables of a study, the ones to read first in front; empty ones are left out."""
    found = {
        "sensitivity": sensitivity_tables,
        "pairwise": pairwise_tables,
        "localisation": localisation_tables,
        "correlation": _correlation,
        "filter": _filter,
    }[document.study](document)
    return [table for table in (*found, _counted(document), _unscored(document)) if table.rows]


def _correlation(document: MetaDocument) -> Iterator[Shown]:
    everyone = shown(document, EvaluatorCorrelation)
    columns = ("Spearman", "Pearson", "Kendall", "n/asked")
    yield Shown(
        "Within systems, between them, and pooled",
        ("evaluator", "over", *columns),
        [
            Row((name, over, *_three(c)), BASELINE if baseline(name, e) else "")
            for name, e in everyone
            for over, c in (("pooled", e.pooled), ("within", e.within), ("between", e.between))
        ],
        words=2,
        note="Within is the plain mean over systems, between compares the means of systems; pooled mixes"
        " which system with which film. Intervals are drawn over briefs: those between systems are of just"
        " these systems, and say nothing of others. n counts cases, between systems it counts systems.",
    )
    agreement = document.agreement
    if agreement is not None:
        kinds = (
            ("Krippendorff's alpha, nominal", agreement.nominal),
            ("Krippendorff's alpha, ordinal", agreement.ordinal),
            ("Krippendorff's alpha, interval", agreement.interval),
            ("reliability of one rating", agreement.single),
            ("reliability of the mean rating", agreement.mean),
            ("the same, each rater's own level apart", agreement.consistent_mean),
        )
        order = ", in this order" if "ICC(3,k)" in agreement.method else "; a rater's level is not known"
        yield Shown(
            "How far raters agree",
            ("figure", "value", "n/asked"),
            [Row((name, figure(x), of(x))) for name, x in kinds],
            note=f"{agreement.ratings:,} ratings of {agreement.cases:,} cases by {agreement.raters:,} raters;"
            f" reliability by {agreement.method}{order}. Alpha is 1 where all agree and 0 where they"
            " agree as often as chance has it; Krippendorff asks for .800, and from .667 on draws tentative"
            " conclusions. The best Pearson correlation with the mean rating that a perfect score is expected"
            f" to reach, the root of the last row: {number(agreement.ceiling)}.",
        )
    yield Shown(
        "Each system",
        ("evaluator", "system", *columns),
        [Row((name, system, *_three(c))) for name, e in everyone for system, c in e.systems.items()],
        words=2,
        detail=True,
    )
    yield Shown(
        "Differences on the same cases",
        ("first", "second", "over", "Spearman of first less second", "Pearson", "Kendall", "n/asked"),
        [
            Row((d.first, d.second, over, *_three(c)))
            for d in document.differences
            if isinstance(d, CorrelationDifference)
            for over, c in (("pooled", d.pooled), ("within", d.within))
        ],
        words=3,
        detail=True,
    )


def _three(c: Coefficients) -> tuple[str, ...]:
    return (figure(c.spearman), figure(c.pearson), figure(c.kendall), of(c.spearman))


def _filter(document: MetaDocument) -> Iterator[Shown]:
    everyone = [(voters(name), e) for name, e in shown(document, FilterResult)]
    several = len(everyone) > 1
    rows = []
    for name, e in everyone:
        for aspect, r in [*e.aspects.items(), ("all", e.overall)]:
            percents = NOTHING if r.percent is None else f"{r.percent:.1f} %"
            counts = (r.initial, r.out_c, r.out_a_not_more, r.without_votes, r.kept)
            who = (name,) if several else ()
            rows.append(Row((*who, aspect, *(f"{n:,}" for n in counts), percents)))
    heads = ("aspect", "pairs", "out: somebody says C", "out: A not more than B", "no votes", "kept", "%")
    yield Shown(
        "Pairs that are kept",
        ("votes of", *heads) if several else heads,
        rows,
        words=2 if several else 1,
        note=f"A pair is kept if nobody says C and more say A than B. {VOTES}",
    )
    yield Shown(
        "How far the voters agree",
        ("votes of", "Krippendorff's alpha", "n/asked"),
        [Row((name, figure(e.agreement), of(e.agreement))) for name, e in everyone],
        note="Alpha is 1 where all agree and 0 where they agree as often as chance has it. n counts pairs"
        " with two votes or more.",
    )


def _counted(document: MetaDocument) -> Shown:
    facts = document.table
    return Shown(
        "What could not be used as it is",
        ("what", "how often", "for example"),
        [Row((c.what, f"{c.rows:,}", ", ".join(c.examples))) for c in facts.counted],
        note=f"{taken(facts)}.",
    )


def _unscored(document: MetaDocument) -> Shown:
    return Shown(
        "Why rows were not scored",
        ("evaluator", "reason", "rows"),
        [
            Row((name, one.reason, f"{one.rows:,}"))
            for name, reasons in document.table.unscored.items()
            for one in reasons
        ],
        words=2,
        note="As the table gives it.",
        detail=True,
    )
