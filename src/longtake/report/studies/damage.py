"""The studies of sensitivity and localisation as tables."""

from __future__ import annotations

from collections.abc import Iterator

from longtake.core.meta import MetaDocument
from longtake.core.studies import EvaluatorLocalisation, EvaluatorSensitivity, LocalisationFigures

from .shown import BASELINE, Row, Shown
from .who import baseline, marked, shown
from .words import NOTHING, figure, number, of, percent, probability, r_squared, share_of


def sensitivity_tables(document: MetaDocument) -> Iterator[Shown]:
    """Slopes and verdicts, and the mean score at each strength."""
    rows, points = [], []
    for name, found in shown(document, EvaluatorSensitivity):
        kind = BASELINE if baseline(name, found) else ""
        for family, f in found.families.items():
            if not f.units:
                continue
            cells = (
                name,
                family,
                f.verdict or NOTHING,
                f.paper_verdict or NOTHING,
                figure(f.slope),
                of(f.slope),
                probability(f.p_holm),
                r_squared(f.r_squared) if len(f.strengths) > 2 else NOTHING,
                figure(f.difference),
                figure(f.fall_share, share=True),
                figure(f.spearman),
                percent(f.luck),
                percent(f.luck_walk),
                number(f.smallest_slope),
            )
            rows.append(Row(cells, kind))
            points += [
                Row((name, family, number(p.strength), figure(p.mean), of(p.mean)), kind) for p in f.points
            ]
    yield Shown(
        "Slopes and verdicts",
        (
            "evaluator",
            "damage",
            "verdict",
            "paper's rule",
            "slope",
            "n/asked",
            "p (Holm)",
            "R²",
            "change in all",
            "films that fall",
            "Spearman",
            "luck",
            "luck, nested",
            "found from",
        ),
        rows,
        words=4,
        note="Slope per unit of strength, within each film; n counts films. The verdict is by the slope's"
        " interval, of each damage by itself: of twenty damages without effect one would seem to have one."
        " p (Holm) is corrected for the damages of one evaluator. R² is of the line through three means or"
        " more.",
        more="The paper's rule asks for a falling line with R² of at least 0.6 on the means, which a score"
        " without any response passes by luck as often as the column luck says (nested: if the weaker damage"
        " is part of the stronger). Change in all: the mean score at the greatest strength less that at the"
        " smallest. Found from: the slope that this many films would show in 80 of 100 studies.",
        narrow=(0, 1, 2, 4, 5, 6, 7),
    )
    yield Shown(
        "Mean score at each strength",
        ("evaluator", "damage", "strength", "mean score", "n/asked"),
        points,
        words=2,
        note="Intervals are of the mean over films, which differ from each other more than the damage changes"
        " them; the verdict rests on the slope within each film.",
        detail=True,
    )


def localisation_tables(document: MetaDocument) -> Iterator[Shown]:
    """Where each evaluator points, over all pairs, by damage and by strength; the baseline below."""
    everyone = [(n, e, BASELINE if baseline(n, e) else "") for n, e in shown(document, EvaluatorLocalisation)]
    columns = (
        "changed spans pointed at",
        "by chance",
        "n/asked",
        "overlap",
        "overlap of the whole film",
        "false spans in 5 min of control",
        "n/asked",
        "found spans that touch a change",
        "more than by chance",
    )
    note = (
        "A changed span is pointed at if a found span overlaps it, however little and however long that one"
        " is. By chance: the share that spans as long as the found ones are expected to touch when put"
        " anywhere on the film. Overlap is intersection over union in time. False spans are those found on"
        " the control, which has no damage; with an evaluator that compares the two films and names spans in"
        " one of them alone they say nothing, since it names none there whenever it is right. n of changed"
        " spans counts spans, of false spans pairs. Under eight sources there is no interval, but for 0 false"
        " spans: that is an exact Poisson bound, by the minutes watched, as if they came one by one anywhere."
    )
    if any(e.controls for _, e, _ in everyone):
        note += (
            " Of controls, where nothing ought to suffer, all that is found in either film is a false span;"
            " none of their spans counts as changed."
        )
    yield Shown(
        "All pairs",
        ("evaluator", *columns),
        [Row((n, *_spans(e.overall)), kind) for n, e, kind in everyone],
        note=note,
        narrow=(0, 1, 2, 3, 4, 5, 6, 7),
    )
    yield Shown(
        "By damage",
        ("evaluator", "damage", *columns),
        [Row((n, marked(a, e), *_spans(f.figures)), kind) for n, e, kind in everyone
         for a, f in e.aspects.items() if f.figures.pointed.n or a in e.controls],
        words=2,
        narrow=(0, 1, 2, 3, 4, 5, 6, 7),
    )  # fmt: skip
    yield Shown(
        "By strength",
        ("evaluator", "damage", "strength", *columns),
        [
            Row((n, a, number(s.strength), *_spans(s.figures)), kind)
            for n, e, kind in everyone
            for a, f in e.aspects.items()
            for s in f.strengths
            if s.figures.pointed.n
        ],
        words=2,
        detail=True,
    )


def _spans(f: LocalisationFigures) -> tuple[str, ...]:
    return (
        figure(f.pointed, share=True),
        percent(f.chance.value),
        of(f.pointed),
        figure(f.overlap),
        number(f.overlap_whole.value),
        figure(f.false_per_five_minutes),
        of(f.false_per_five_minutes),
        share_of(f.hits),
        figure(f.above_chance, share=True),
    )
