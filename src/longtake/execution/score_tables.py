"""The document of a scoring run and the tables that studies read: pure functions of what was answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.case import Pair
from ..core.measurement import Evidence, Measurement
from ..core.scores import (
    CaseResult,
    EvaluatorSummary,
    PairResult,
    Scored,
    ScoredCase,
    ScoreDocument,
    ScoredPair,
)
from ..core.video import display_path
from ..evaluators.registry import BASELINES
from ..storage.tables import write_csv
from .score import Answers
from .score_plan import Asked, Item, Plan, SignalPlan

Row = dict[str, Any]
SHARE_OF_A = {"a": 1.0, "tie": 0.5, "b": 0.0}
COLUMNS = {
    "scores.csv": ("case", "evaluator", "system", "brief", "score", "status", "reason"),
    "pairwise.csv": (
        "pair",
        "evaluator",
        "source",
        "aspect",
        "order",
        "choice",
        "score_a",
        "score_b",
        "status",
        "reason",
        "duration",
        "share_changed",
        "kept",
    ),
    "localisation.csv": (
        "pair",
        "evaluator",
        "source",
        "aspect",
        "strength",
        "changed",
        "found",
        "control_found",
        "minutes",
        "status",
    ),
    "sensitivity.csv": ("case", "evaluator", "source", "family", "strength", "score", "status"),
}
"""Files that a run writes, with their columns. ``longtake meta`` reads them as they are."""


def document_of(plan: Plan, signals: SignalPlan, answers: Answers, notes: Sequence[str]) -> ScoreDocument:
    """Everything that was asked and answered, in the order of the plan."""
    results = [
        CaseResult(case=item.name, evaluator=one.name, measurements=answers.results[item.name, one.name])
        for item in plan.items
        for one in plan.evaluators
        if one.measures
    ]
    return ScoreDocument(
        results=results,
        preferences=answers.preferences,
        cases=[_case(item, answers) for item in plan.items],
        pairs=[
            ScoredPair(
                pair=p.pair.id,
                source=p.pair.source,
                aspect=p.pair.aspect,
                case_a=p.a.name,
                case_b=p.b.name,
            )
            for p in plan.pairs
        ],
        evaluators={one.name: _summary(one, signals, answers) for one in plan.evaluators},
        failures=answers.failures,
        notes=list(notes),
    )


def _case(item: Item, answers: Answers) -> ScoredCase:
    film, case = item.film, item.case
    return ScoredCase(
        case=item.name,
        video=display_path(case.video),
        hash=film.hash if film is not None else None,
        start=float(film.start) if film is not None and film.start is not None else None,
        end=float(film.end) if film is not None and film.end is not None else None,
        brief=_brief_of(item),
        system=case.system,
        profile=case.profile,
        tags=list(case.tags),
        reason=answers.unread.get(item.name),
    )


def _brief_of(item: Item) -> str | None:
    if item.case.brief is not None:
        return display_path(item.case.brief)
    return "prompt" if item.case.prompt is not None else None


def _summary(one: Asked, signals: SignalPlan, answers: Answers) -> EvaluatorSummary:
    score = preferences = None
    if one.measures:
        firsts = [found[0] for (_, who), found in answers.results.items() if who == one.name]
        values = [m.value for m in firsts if m.value is not None]
        asked = [m for m in firsts if m.status != "not_applicable"]
        score = Scored(
            name=one.card.quantities[0].name,
            n=len(values),
            n_asked=len(asked),
            n_not_applicable=len(firsts) - len(asked),
            value=sum(values) / len(values) if values else None,
        )
    given = [p for p in answers.preferences if p.evaluator == one.name]
    if given:
        shares = [SHARE_OF_A[p.choice] for p in given if p.choice is not None]
        preferences = Scored(
            name="share of a",
            n=len(shares),
            n_asked=len(given),
            value=sum(shares) / len(shares) if shares else None,
        )
    return EvaluatorSummary(
        version=one.card.version,
        proxy=one.card.proxy,
        score=score,
        preferences=preferences,
        signals=list(signals.state(one.card)),
    )


def write_tables(folder: Path, plan: Plan, document: ScoreDocument) -> None:
    """Write the tables of :data:`COLUMNS`; without pairs only the scores. Raises ``OutputError``."""
    tables: dict[str, list[Row]] = {"scores.csv": list(_scores(document))}
    if plan.pairs:
        pairs = {p.pair.id: p.pair for p in plan.pairs}
        first = {(r.case, r.evaluator): r.measurements[0] for r in document.results if r.measurements}
        sides = {p.pair: (p.case_a, p.case_b) for p in document.pairs}
        ordered = {p.evaluator for p in document.preferences if p.order == "ba"}
        tables["pairwise.csv"] = [
            _pairwise(p, pairs[p.pair], p.evaluator in ordered) for p in document.preferences
        ]
        tables["localisation.csv"] = list(_localisation(document, pairs, sides, first))
        tables["sensitivity.csv"] = list(_sensitivity(document, pairs, sides, first))
    for name, rows in tables.items():
        if rows or name == "scores.csv":
            write_csv(folder / name, rows, COLUMNS[name])
        else:
            (folder / name).unlink(missing_ok=True)


def _scores(document: ScoreDocument) -> Iterator[Row]:
    """Every measurement as it is; those after an evaluator's first are variants: ``diagnosis.visual``."""
    cases = {case.case: case for case in document.cases}
    for result in document.results:
        case = cases[result.case]
        for i, m in enumerate(result.measurements):
            yield {
                "case": result.case,
                "evaluator": f"{result.evaluator}.{m.name}" if i else result.evaluator,
                "system": case.system,
                "brief": case.brief,
                "score": m.value,
                "status": m.status,
                "reason": m.reason,
            }


def _pairwise(found: PairResult, pair: Pair, ordered: bool) -> Row:
    """An answer; its order only where the evaluator was asked in both, so may mind it."""
    return {
        "pair": found.pair,
        "evaluator": found.evaluator,
        "source": pair.source,
        "aspect": pair.aspect,
        "order": found.order if ordered else None,
        "choice": found.choice,
        "score_a": found.score_a,
        "score_b": found.score_b,
        "status": found.status,
        "reason": found.reason,
        "duration": pair.duration,
        "share_changed": pair.share_changed,
        "kept": pair.kept,
    }


def _localisation(
    document: ScoreDocument,
    pairs: Mapping[str, Pair],
    sides: Mapping[str, tuple[str, str]],
    first: Mapping[tuple[str, str], Measurement],
) -> Iterator[Row]:
    """Spans pointed at in both films. Whoever was asked in both orders has the spans of both answers."""
    spans: dict[tuple[str, str], list[PairResult]] = {}
    for found in document.preferences:
        if found.evaluator not in BASELINES:
            spans.setdefault((found.pair, found.evaluator), []).append(found)
    for (name, evaluator), answers in spans.items():
        pair, length = pairs[name], first[sides[name][0], "cue.duration"].value
        if pair.changed is None:
            continue
        scored = all(a.status == "scored" for a in answers)
        yield {
            "pair": name,
            "evaluator": evaluator,
            "source": pair.source,
            "aspect": pair.aspect,
            "strength": pair.strength,
            "changed": [[s.start, s.end] for s in pair.changed],
            "found": _spans(e for a in answers for e in a.evidence) if scored else None,
            "control_found": _spans(e for a in answers for e in a.evidence_a) if scored else None,
            "minutes": length / 60 if length is not None else None,
            "status": "scored" if scored else "unscored",
        }


def _spans(evidence: Iterator[Evidence]) -> list[list[float]]:
    return [list(span) for span in sorted({(e.start, e.end) for e in evidence})]


def _sensitivity(
    document: ScoreDocument,
    pairs: Mapping[str, Pair],
    sides: Mapping[str, tuple[str, str]],
    first: Mapping[tuple[str, str], Measurement],
) -> Iterator[Row]:
    """Scores by strength, turned so that higher is better. The undamaged film of each pair is strength 0."""
    for evaluator in document.evaluators:
        seen = set()
        for name, pair in pairs.items():
            if pair.strength is None:
                continue
            for case, strength in zip(sides[name], (0.0, pair.strength), strict=True):
                m = first.get((case, evaluator))
                key = (case, pair.source, pair.aspect, strength)
                if m is None or m.higher_is_better is None or key in seen:
                    continue
                seen.add(key)
                yield {
                    "case": case,
                    "evaluator": evaluator,
                    "source": pair.source,
                    "family": pair.aspect,
                    "strength": strength,
                    "score": None if m.value is None else m.value if m.higher_is_better else -m.value,
                    "status": m.status,
                }
