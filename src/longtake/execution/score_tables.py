"""The document of a scoring run and the tables that studies read: pure functions of what was answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..core.case import Pair
from ..core.evaluator import CUT_OFF
from ..core.measurement import Evidence, Measurement
from ..core.scores import (
    SCORE_COLUMNS,
    CaseResult,
    PairResult,
    ScoredCase,
    ScoreDocument,
    ScoredPair,
    by_name,
)
from ..core.video import display_path
from ..evaluators.registry import BASELINES
from ..storage.tables import write_csv
from .score import Answers
from .score_plan import Asked, Item, Plan, SignalPlan
from .score_summary import roles_of, stood_in, summaries

Row = dict[str, Any]
COLUMNS = {
    "scores.csv": SCORE_COLUMNS,
    "details.csv": (
        "case",
        "evaluator",
        "detail",
        "kind",
        "dimension",
        "score",
        "status",
        "reason",
        "confidence",
        "system",
        "profile",
        "tags",
        "brief",
        "brief_id",
        "video_type",
        "cut_off",
    ),
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
        "control",
        "concerned",
        "cut_off",
        "model",
        "proxy",
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
        "control",
        "status",
        "reason",
        "concerned",
        "cut_off",
        "model",
        "proxy",
    ),
    "sensitivity.csv": (
        "case",
        "evaluator",
        "source",
        "family",
        "strength",
        "score",
        "status",
        "reason",
        "concerned",
        "cut_off",
        "model",
        "proxy",
    ),
}
"""Files that a run writes, with their columns. ``longtake meta`` reads them as they are."""


def document_of(plan: Plan, signals: SignalPlan, answers: Answers, notes: Sequence[str]) -> ScoreDocument:
    """Everything that was asked and answered, in the order of the plan."""
    results = [
        _result(item, one, answers.results[item.name, one.name])
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
        evaluators=summaries(plan, signals, results, answers.preferences),
        failures=answers.failures,
        notes=list(notes),
    )


def _result(item: Item, one: Asked, found: Sequence[Measurement]) -> CaseResult:
    count = len(one.card.quantities)
    return CaseResult(
        case=item.name, evaluator=one.name, measurements=list(found[:count]), details=list(found[count:])
    )


def _case(item: Item, answers: Answers) -> ScoredCase:
    film, case, brief = item.film, item.case, item.brief
    return ScoredCase(
        case=item.name,
        video=display_path(case.video),
        hash=film.hash if film is not None else None,
        start=float(film.start) if film is not None and film.start is not None else None,
        end=float(film.end) if film is not None and film.end is not None else None,
        brief=case.brief_name,
        brief_id=brief.id if brief is not None else None,
        brief_hash=brief.hash if brief is not None else None,
        video_type=brief.video_type if brief is not None else None,
        system=case.system,
        profile=case.profile,
        tags=list(case.tags),
        reason=answers.unread.get(item.name),
    )


def write_tables(
    folder: Path, plan: Plan, document: ScoreDocument, words: Callable[[str | None], str]
) -> None:
    """Write the tables of :data:`COLUMNS`; without pairs only the scores. ``words`` says reasons to people.

    Raises:
        OutputError: a file cannot be written.
    """
    tables = {"scores.csv": list(_scores(document)), "details.csv": list(_details(document))}
    if plan.pairs:
        paired = _Paired(plan, document)
        tables |= {
            "pairwise.csv": list(paired.pairwise()),
            "localisation.csv": list(paired.localisation()),
            "sensitivity.csv": list(paired.sensitivity()),
        }
    made_by = _MadeBy(plan, document)
    for name, rows in tables.items():
        for row in rows:
            row["reason"] = words(row["reason"]) or None
            row |= made_by(row)
        if rows or name == "scores.csv":
            write_csv(folder / name, rows, COLUMNS[name])
        else:
            (folder / name).unlink(missing_ok=True)


def _scores(document: ScoreDocument) -> Iterator[Row]:
    """Every measurement as it is."""
    cases = {case.case: _known(case) for case in document.cases}
    for (case, evaluator), m in by_name(document.results).items():
        yield {**cases[case], "evaluator": evaluator, **_said(m)}


def _details(document: ScoreDocument) -> Iterator[Row]:
    """What stands beside the scores: of the diagnosis every checkpoint and sub-metric."""
    cases = {case.case: _known(case) for case in document.cases}
    for result in document.results:
        for m in result.details:
            yield {
                **cases[result.case],
                "evaluator": result.evaluator,
                "detail": m.name,
                "kind": m.facts.get("kind"),
                "dimension": m.facts.get("dimension"),
                "confidence": m.confidence,
                **_said(m),
                "cut_off": result.measurements[0].facts.get(CUT_OFF),
            }


class _MadeBy:
    """Models that a row rests on, by role, and whether what ran stands in for something else: of a single
    film what its measurement rests on, of a pair what the quantity does in this run."""

    def __init__(self, plan: Plan, document: ScoreDocument) -> None:
        self._document = document
        self._places = {n: (one.card, i) for one in plan.evaluators for i, n in enumerate(one.names)}
        self._measured = by_name(document.results)

    def __call__(self, row: Row) -> Row:
        """The columns ``model`` and ``proxy``."""
        name = row["evaluator"]
        summary, (card, index) = self._document.evaluators[name], self._places[name]
        models = summary.models
        if (m := self._measured.get((row.get("case", ""), name))) is not None:
            rests = roles_of(m, card, index)
            models = [used for used in models if used.role in rests]
        labels = [f"{used.role}={used.label}" for used in models if used.label is not None]
        proxy = bool(card.proxy) or any(stood_in(models))
        return {"model": "; ".join(labels) or None, "proxy": "yes" if proxy else None}


def _known(case: ScoredCase) -> Row:
    return {
        "case": case.case,
        "system": case.system,
        "profile": case.profile,
        "tags": ",".join(case.tags) or None,
        "brief": case.brief,
        "brief_id": case.brief_id,
        "video_type": case.video_type,
    }


def _said(m: Measurement) -> Row:
    return {"score": m.value, "status": m.status, "reason": m.reason, "cut_off": m.facts.get(CUT_OFF)}


class _Paired:
    """The tables of a run over pairs."""

    def __init__(self, plan: Plan, document: ScoreDocument) -> None:
        self._document = document
        self._pairs = {p.pair.id: p for p in plan.pairs}
        self._judged = {n: one.card.judged(i) for one in plan.evaluators for i, n in enumerate(one.names)}
        self._measured = by_name(document.results)

    def _concerned(self, evaluator: str, pair: Pair) -> str | None:
        """``yes`` where something that it judges ought to suffer, ``spared`` where all of it ought not to."""
        judged = self._judged[evaluator]
        if judged & set(pair.suffer):
            return "yes"
        return "spared" if judged and judged <= set(pair.spared) else None

    def pairwise(self) -> Iterator[Row]:
        """Answers; their order only where an evaluator was asked in both, so may mind it."""
        ordered = {p.evaluator for p in self._document.preferences if p.order == "ba"}
        for found in self._document.preferences:
            pair = self._pairs[found.pair].pair
            yield {
                "pair": found.pair,
                "evaluator": found.evaluator,
                "source": pair.source,
                "aspect": pair.aspect,
                "order": found.order if found.evaluator in ordered else None,
                "choice": found.choice,
                "score_a": found.score_a,
                "score_b": found.score_b,
                "status": found.status,
                "reason": found.reason,
                "cut_off": found.facts.get(CUT_OFF),
                "duration": pair.duration,
                "share_changed": pair.share_changed,
                "kept": pair.kept,
                "control": pair.control,
                "concerned": self._concerned(found.evaluator, pair),
            }

    def localisation(self) -> Iterator[Row]:
        """Spans pointed at in both films. Whoever was asked in both orders has the spans of both answers."""
        given: dict[tuple[str, str], list[PairResult]] = {}
        for found in self._document.preferences:
            if found.evaluator not in BASELINES:
                given.setdefault((found.pair, found.evaluator), []).append(found)
        for (name, evaluator), answers in given.items():
            pair, a = self._pairs[name].pair, self._pairs[name].a.name
            if pair.changed is None:
                continue
            length = self._measured[a, "cue.duration"].value
            scored = all(answer.status == "scored" for answer in answers)
            yield {
                "pair": name,
                "evaluator": evaluator,
                "source": pair.source,
                "aspect": pair.aspect,
                "strength": pair.strength,
                "changed": [[s.start, s.end] for s in pair.changed],
                "found": _spans(e for x in answers for e in x.evidence) if scored else None,
                "control_found": _spans(e for x in answers for e in x.evidence_a) if scored else None,
                "minutes": length / 60 if length is not None else None,
                "control": pair.control,
                "status": "scored" if scored else "unscored",
                "reason": next((x.reason for x in answers if x.status != "scored"), None),
                "cut_off": next((x.facts[CUT_OFF] for x in answers if x.facts.get(CUT_OFF)), None),
                "concerned": self._concerned(evaluator, pair),
            }

    def sensitivity(self) -> Iterator[Row]:
        """Scores by strength, turned so that higher is better. The undamaged film of a pair is strength 0."""
        for evaluator in self._judged:
            seen = set()
            for both in self._pairs.values():
                pair = both.pair
                if pair.strength is None:
                    continue
                for item, strength in ((both.a, 0.0), (both.b, pair.strength)):
                    m = self._measured.get((item.name, evaluator))
                    key = (item.name, pair.source, pair.aspect, strength)
                    if m is None or m.higher_is_better is None or key in seen:
                        continue
                    seen.add(key)
                    yield {
                        "case": item.name,
                        "evaluator": evaluator,
                        "source": pair.source,
                        "family": pair.aspect,
                        "strength": strength,
                        "score": None if m.value is None else m.value if m.higher_is_better else -m.value,
                        "status": m.status,
                        "reason": m.reason,
                        "cut_off": m.facts.get(CUT_OFF),
                        "concerned": self._concerned(evaluator, pair),
                    }


def _spans(evidence: Iterator[Evidence]) -> list[list[float]]:
    return [list(span) for span in sorted({(e.start, e.end) for e in evidence})]
