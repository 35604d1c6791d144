"""The pairwise study as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longtake.core.meta import MetaDocument
from longtake.core.studies import EvaluatorPairwise, PairwiseDifference, PairwiseFigures

from .sentences import best_cue
from .shown import BASELINE, Row, Shown
from .who import marked, shown
from .words import NOTHING, figure, number, of, percent, probability, share_of


def pairwise_tables(document: MetaDocument) -> Iterator[Shown]:
    """Tables of the pairwise study."""
    everyone = shown(document, EvaluatorPairwise)
    yield Shown(
        "All pairs, baselines below",
        (
            "evaluator",
            "accuracy",
            "n/asked",
            "ties",
            "both orders right",
            "consistency",
            "first chosen",
            "p",
        ),
        [
            Row(
                (
                    name,
                    figure(e.overall.accuracy, share=True),
                    of(e.overall.accuracy),
                    percent(e.overall.ties.value),
                    share_of(e.overall.strict),
                    share_of(e.overall.consistency),
                    share_of(e.overall.first_choice),
                    probability(e.overall.p),
                ),
                BASELINE if e.baseline else "",
            )
            for name, e in everyone
        ],
        narrow=(0, 1, 2, 4, 5, 6, 7),
        note="Chance is 50 %. Intervals are drawn over source films. n counts answers. Both orders right and"
        " consistency are of pairs answered in both orders, first chosen is of answers. p is of signs over"
        " sources, against one half.",
    )
    aspects = list(dict.fromkeys(a for _, e in everyone for a in e.aspects))
    controls = (
        " (control): nothing ought to suffer there, so 50 % or ties are wanted; all pairs are without it."
        if any(e.controls for _, e in everyone)
        else ""
    )
    yield Shown(
        "By aspect",
        ("aspect", "evaluator", "best baseline", "accuracy", "n/asked", "pairs", "p (Holm)"),
        [
            Row((marked(aspect, e), name, *_aspect(e.aspects[aspect], aspect, document)))
            for aspect in aspects
            for name, e in everyone
            if aspect in e.aspects and not e.baseline
        ],
        words=3,
        narrow=(0, 1, 2, 3, 4, 6),
        note="Where the best baseline is near 100 %, accuracy alone proves nothing: a blind cue gives the"
        " answer away. It is the best of several, picked afterwards: of few pairs one of them is often right"
        " by luck. p is corrected for the aspects of one evaluator." + controls,
    )
    yield Shown(
        "Baselines by aspect",
        ("aspect", "baseline", "accuracy", "n/asked"),
        [
            Row(
                (marked(a, e), name, figure(e.aspects[a].accuracy, share=True), of(e.aspects[a].accuracy)),
                BASELINE,
            )
            for a in aspects
            for name, e in everyone
            if e.baseline and a in e.aspects
        ],
        words=2,
        detail=True,
    )
    yield _filtered(everyone)
    yield _other_intervals(everyone)
    yield from _duration(everyone)
    yield Shown(
        "Differences on the same pairs",
        (
            "first",
            "second",
            "aspect",
            "accuracy of first less second",
            "n/asked",
            "better : worse",
            "p (Holm)",
        ),
        [
            Row(
                (
                    d.first,
                    d.second,
                    d.aspect or "all",
                    figure(d.difference, share=True),
                    of(d.difference),
                    f"{d.first_better} : {d.second_better}",
                    probability(d.p_holm),
                )
            )
            for d in document.differences
            if isinstance(d, PairwiseDifference)
        ],
        words=3,
        note="Better and worse count sources. p is corrected for all comparisons made.",
        detail=True,
    )


def _aspect(f: PairwiseFigures, aspect: str, document: MetaDocument) -> tuple[str, ...]:
    cue = best_cue(aspect, document)
    return (
        NOTHING if cue is None else f"{cue[0]} {share_of(cue[1])}, best of {cue[2]}",
        figure(f.accuracy, share=True),
        of(f.accuracy),
        f"{f.pairs_scored:,}/{f.pairs:,}",
        probability(f.p_holm),
    )


def _parts(e: EvaluatorPairwise) -> list[tuple[str, PairwiseFigures]]:
    return [("all", e.overall), *((marked(a, e), f) for a, f in e.aspects.items())]


def _other_intervals(everyone: Sequence[tuple[str, EvaluatorPairwise]]) -> Shown:
    return Shown(
        "Other intervals of the same accuracy",
        (
            "evaluator",
            "aspect",
            "over sources",
            "paper's formula",
            "Wilson",
            "both orders right",
            "consistency",
        ),
        [
            Row(
                (
                    name,
                    aspect,
                    *(
                        figure(x, share=True)
                        for x in (f.accuracy, f.paper, f.wilson, f.strict, f.consistency)
                    ),
                )
            )
            for name, e in everyone
            if not e.baseline
            for aspect, f in _parts(e)
        ],
        words=2,
        note="The paper's formula takes every answer for independent, which two answers to one pair are not.",
        detail=True,
    )


def _duration(everyone: Sequence[tuple[str, EvaluatorPairwise]]) -> Iterator[Shown]:
    parts = [
        (name, aspect, f.duration)
        for name, e in everyone
        if not e.baseline
        for aspect, f in _parts(e)
        if f.duration is not None
    ]
    few = dict.fromkeys(d.rank.reason for _, _, d in parts if d.rank.reason)
    yield Shown(
        "Accuracy and duration",
        ("evaluator", "aspect", "slope on log duration", "p (Holm)", "share held", "rho", "bins", "p (Holm)"),
        [
            Row(
                (
                    name,
                    aspect,
                    figure(d.slope.slope),
                    probability(d.slope.p_holm),
                    "yes" if d.slope.controlled_for_share else "no",
                    number(d.rank.value),
                    f"{d.rank.bins}",
                    probability(d.rank.p_holm),
                )
            )
            for name, aspect, d in parts
        ],
        words=2,
        note="Share held: the share of the film that was changed stands beside duration, since five damaged"
        " clips are less of a longer film. rho is the paper's, between the number of a bin and its accuracy."
        + (f" None of some: {', '.join(few)}." if few else ""),
        detail=True,
    )
    why = dict.fromkeys(d.bins_reason for _, _, d in parts if d.bins_reason)
    yield Shown(
        "Accuracy by duration",
        ("evaluator", "aspect", "mean duration (s)", "accuracy", "pairs"),
        [
            Row((name, aspect, number(b.mean_duration), figure(b.accuracy, share=True), f"{b.pairs:,}"))
            for name, aspect, d in parts
            for b in d.bins
        ],
        words=2,
        note="Bins hold as many pairs each." if not why else f"Some have no bins: {', '.join(why)}.",
        detail=True,
    )


def _filtered(everyone: Sequence[tuple[str, EvaluatorPairwise]]) -> Shown:
    return Shown(
        "Before and after the human filter",
        ("evaluator", "aspect", "all pairs", "n/asked", "pairs that people kept", "n/asked"),
        [
            Row(
                (
                    name,
                    aspect,
                    figure(f.filtered.before, share=True),
                    of(f.filtered.before),
                    figure(f.filtered.after, share=True),
                    of(f.filtered.after),
                )
            )
            for name, e in everyone
            if not e.baseline
            for aspect, f in _parts(e)
            if f.filtered is not None
        ],
        words=2,
        note="People's votes on the pairs: those kept are pairs whose damage they see.",
        narrow=(0, 1, 2, 3, 4, 5),
    )
