"""A study as tables of text, once, for the terminal and for the page alike."""

from __future__ import annotations

from collections.abc import Iterator

from longtake.core.meta import MetaDocument
from longtake.core.studies import (
    Coefficients,
    CorrelationDifference,
    EvaluatorCorrelation,
    EvaluatorLocalisation,
    EvaluatorSensitivity,
    FilterResult,
    LocalisationFigures,
)

from .pairwise import pairwise_tables
from .shown import Row, Shown
from .words import NOTHING, figure, number, of, percent


def tables(document: MetaDocument) -> list[Shown]:
    """All tables of a study, the ones to read first in front; empty ones are left out."""
    found = {
        "sensitivity": _sensitivity,
        "pairwise": pairwise_tables,
        "localisation": _localisation,
        "correlation": _correlation,
        "filter": _filter,
    }[document.study](document)
    return [table for table in (*found, _counted(document)) if table.rows]


def _sensitivity(document: MetaDocument) -> Iterator[Shown]:
    rows, points = [], []
    for name, found in document.evaluators.items():
        if not isinstance(found, EvaluatorSensitivity):
            continue
        for family, f in found.families.items():
            rows.append(
                Row(
                    (
                        name,
                        family,
                        f.verdict or NOTHING,
                        f.paper_verdict or NOTHING,
                        figure(f.slope),
                        figure(f.difference),
                        figure(f.fall_share, share=True),
                        figure(f.spearman),
                        number(f.r_squared),
                        percent(f.luck),
                        percent(f.luck_walk),
                        number(f.smallest_slope),
                        of(f.slope),
                    )
                )
            )
            points += [Row((name, family, number(p.strength), figure(p.mean), of(p.mean))) for p in f.points]
    yield Shown(
        "Slopes and verdicts",
        (
            "evaluator",
            "damage",
            "verdict",
            "paper's rule",
            "slope",
            "most − least",
            "videos that fall",
            "Spearman",
            "R²",
            "luck",
            "nested",
            "found from",
            "n/asked",
        ),
        rows,
        words=4,
        note="Slope per unit of strength. The verdict we act on is the slope's interval; the paper's rule"
        " asks for a falling line with R² of at least 0.6 on the means, which a score without any response"
        " passes by luck as often as the column luck says (nested: if the weaker damage is part of the"
        " stronger). Found from: the slope that this many videos would show in 80 of 100 studies.",
        narrow=(0, 1, 2, 4, 6, 8, 12),
    )
    yield Shown(
        "Mean score at each strength",
        ("evaluator", "damage", "strength", "mean score", "n/asked"),
        points,
        words=2,
        detail=True,
    )


def _localisation(document: MetaDocument) -> Iterator[Shown]:
    everyone = [(n, e) for n, e in document.evaluators.items() if isinstance(e, EvaluatorLocalisation)]
    columns = (
        "changed spans pointed at",
        "n/asked",
        "found spans that touch one",
        "overlap",
        "false spans in 5 min of control",
        "n/asked",
    )
    note = (
        "False spans are those found on the control, which has no damage. Overlap is intersection over union"
        " in time. n of changed spans counts spans, of all else pairs."
    )
    yield Shown(
        "All pairs",
        ("evaluator", *columns),
        [Row((n, *_spans(e.overall))) for n, e in everyone],
        note=note,
        narrow=(0, 1, 2, 5, 6),
    )
    yield Shown(
        "By damage",
        ("evaluator", "damage", *columns),
        [Row((n, a, *_spans(f.figures))) for n, e in everyone for a, f in e.aspects.items()],
        words=2,
        narrow=(0, 1, 2, 3, 6, 7),
    )
    yield Shown(
        "By strength",
        ("evaluator", "damage", "strength", *columns),
        [
            Row((n, a, number(s.strength), *_spans(s.figures)))
            for n, e in everyone
            for a, f in e.aspects.items()
            for s in f.strengths
        ],
        words=2,
        detail=True,
    )


def _spans(f: LocalisationFigures) -> tuple[str, ...]:
    return (
        figure(f.pointed, share=True),
        of(f.pointed),
        figure(f.hits, share=True),
        figure(f.overlap),
        figure(f.false_per_five_minutes),
        of(f.false_per_five_minutes),
    )


def _correlation(document: MetaDocument) -> Iterator[Shown]:
    everyone = [(n, e) for n, e in document.evaluators.items() if isinstance(e, EvaluatorCorrelation)]
    columns = ("Spearman", "Pearson", "Kendall", "n/asked")
    yield Shown(
        "Within systems, between them, and pooled",
        ("evaluator", "over", *columns),
        [
            Row((name, over, *_three(c)))
            for name, e in everyone
            for over, c in (("pooled", e.pooled), ("within", e.within), ("between", e.between))
        ],
        words=2,
        note="Within is the plain mean over systems, between compares the means of systems; pooled mixes"
        " which system with which film. Intervals are drawn over briefs. n counts cases, between systems it"
        " counts systems.",
    )
    agreement = document.agreement
    if agreement is not None:
        kinds = (
            ("Krippendorff's alpha, nominal", agreement.nominal),
            ("Krippendorff's alpha, ordinal", agreement.ordinal),
            ("Krippendorff's alpha, interval", agreement.interval),
            ("reliability of one rating", agreement.single),
            ("reliability of the mean rating", agreement.mean),
        )
        yield Shown(
            "How far raters agree",
            ("figure", "value", "n/asked"),
            [Row((name, figure(x), of(x))) for name, x in kinds],
            note=f"{agreement.ratings:,} ratings of {agreement.cases:,} cases by {agreement.raters:,} raters;"
            f" reliability by {agreement.method}. The best Pearson correlation with the mean rating that a"
            f" perfect score is expected to reach: {number(agreement.ceiling)}.",
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
    rows = []
    everyone = [(n, e) for n, e in document.evaluators.items() if isinstance(e, FilterResult)]
    for name, e in everyone:
        for aspect, r in [*e.aspects.items(), ("all", e.overall)]:
            percents = NOTHING if r.percent is None else f"{r.percent:.1f} %"
            counts = (r.initial, r.out_c, r.out_a_not_more, r.without_votes, r.kept)
            rows.append(Row((name, aspect, *(f"{n:,}" for n in counts), percents)))
    yield Shown(
        "Pairs that are kept",
        ("votes of", "aspect", "pairs", "out: a C", "out: A ≤ B", "no votes", "kept", "%"),
        rows,
        words=2,
        note="A pair is kept if nobody says C (the damage failed) and more say A (all chosen clips visibly"
        " damaged) than B (some of them).",
    )
    yield Shown(
        "How far the voters agree",
        ("votes of", "Krippendorff's alpha", "n/asked"),
        [Row((name, figure(e.agreement), of(e.agreement))) for name, e in everyone],
    )


def _counted(document: MetaDocument) -> Shown:
    facts = document.table
    return Shown(
        "What could not be used as it is",
        ("what", "how often", "for example"),
        [Row((c.what, f"{c.rows:,}", ", ".join(c.examples))) for c in facts.counted],
        note=f"{facts.used:,} of the table's {facts.rows:,} rows went into the study.",
    )
