"""The diagnosis and each of its rules as evaluators, for studies and for ``longtake score``.

They give what ``longtake diagnose`` gives for the same film, brief and signals: a rule's gate is asked as
well, so a checkpoint that does not apply is ``not_applicable`` here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from ..core.documents import CheckpointResult, DiagnosisDocument, ReportMetric, Score
from ..core.evaluator import CUT_OFF, FAILED, Card, MeasuredCase
from ..core.judgement import JudgeFacts
from ..core.measurement import Evidence, Measurement
from ..core.signal import Signals
from ..errors import LongtakeError
from ..evaluators.cards import own_card
from .assess import assess
from .attributes import READS
from .details import details_of, made_with
from .diagnose import DIMENSIONS, gather, wanted_ids
from .graph import run
from .profiles import load_profile
from .rubric import Checkpoint, ReportMetricSpec, load_rubric
from .rules import REPORT_RULES, RULES
from .work import Work

ASKED = {"user_requirement_consistency": ("has_background_music", "has_dialogue", "has_narration")}
"""Attributes that a rule looks at beside the gates of its checkpoint."""
MOST_EVIDENCE = 200
"""Findings that are listed beside a score."""
Told = float | int | str | bool | None


class DiagnosisEvaluator:
    """The overall score and the five dimensions, through the eyes of the case's profile (else neutral).

    After them, as details, everything that they are made of: see :func:`details_of`. They are details and
    not quantities, because each quantity is one more evaluator in every study and table of pairs.

    Evidence of the overall score are the findings that are a warning or a problem, of a dimension those of
    them that its checkpoints and report-level metrics made.
    """

    def __init__(self) -> None:
        self.card = own_card("diagnosis", __file__)

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        profile = load_profile(case.case.profile or "neutral")
        rubric = load_rubric()
        wanted = wanted_ids(rubric, None)
        asked = case.questioning
        work = Work(case.film, case.signals, case.brief, profile, rubric, wanted, asked, writes=False)
        document = run(work)
        if asked is not None:
            known = JudgeFacts(name=asked.asker.name, draws=asked.draws, temperature=asked.temperature)
            document = document.model_copy(update={"judge": known})
        scores = [("overall", document.overall), *((d, document.dimensions[d]) for d in DIMENSIONS)]
        failed = ", ".join(t.tool for t in document.trace if t.status == "failed" and t.tool[:5] == "rule.")
        bad: dict[str, Told] = {FAILED: failed} if failed else {}
        if (cut_off := work.asked.cut_off) is not None:
            bad[CUT_OFF] = cut_off
        measured = [_of_score(name, score, _found(document, name), bad) for name, score in scores]
        facts = {**measured[0].facts, **made_with(document)}
        if asked is not None:
            facts |= work.asked.facts
        measured[0] = measured[0].model_copy(update={"facts": facts})
        return [*measured, *details_of(document)]


def _found(document: DiagnosisDocument, name: str) -> list[Evidence]:
    results: list[CheckpointResult | ReportMetric] = [*document.checkpoints, *document.report_metrics]
    own = {result.id for result in results if result.dimension == name}
    findings = [f for f in document.findings if name == "overall" or f.checkpoint in own]
    told = [f for f in findings if f.severity != "info"]
    return [Evidence(start=f.start, end=f.end, what=f.what, about=f.checkpoint) for f in told[:MOST_EVIDENCE]]


def _of_score(name: str, score: Score, evidence: list[Evidence], bad: dict[str, Told]) -> Measurement:
    facts: dict[str, Told] = {
        "n_scored": score.n_scored,
        "n_active": score.n_active,
        "covered_weight": score.covered_weight,
    }
    return Measurement(
        name=name,
        status=score.status,
        value=score.value,
        reason=score.reason if score.status == "scored" or score.reason else "nothing of it was scored",
        confidence=score.confidence,
        evidence=evidence,
        facts={**facts, **bad},
    )


class RuleEvaluator:
    """One rule of the diagnosis, with the gate of its checkpoint."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.card: Card = own_card(f"rule.{name}", __file__)

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        rubric = load_rubric()
        items: list[Checkpoint | ReportMetricSpec] = [*rubric.checkpoints, *rubric.report_metrics]
        dimension = next(item.dimension for item in items if item.id == self.name)
        # The gates of other rules look at more; what this card does not name is not there for them either.
        own = {n: s for n in self.card.needs if (s := case.signals.by_name.get(n)) is not None}
        facts = gather(case.film, Signals(own, case.signals.trace), case.brief)
        found = assess(dimension, facts, rubric, frozenset({self.name}))
        if failed := [t.reason for t in found.trace if t.status == "failed"]:
            raise LongtakeError(failed[0] or "the rule failed")
        results: list[CheckpointResult | ReportMetric] = [*found.checkpoints, *found.metrics]
        point = next(result for result in results if result.id == self.name)
        return [
            Measurement(
                name=self.name,
                status=point.status,
                value=point.value,
                reason=point.reason,
                confidence=point.confidence,
                evidence=point.evidence,
                facts=point.facts,
            )
        ]


def needs_of(name: str) -> tuple[str, ...]:
    """Signals that a rule and the gate of its checkpoint read."""
    rule = RULES.get(name) or REPORT_RULES[name]
    gates = [*ASKED.get(name, ())]
    gates += [
        gate
        for point in load_rubric().checkpoints
        if point.id == name
        for gate in (*point.gates, *point.our_gates, *(a for g in point.alternatives.values() for a in g))
    ]
    return tuple(dict.fromkeys([*rule.needs, *(signal for gate in gates for signal in READS.get(gate, ()))]))


diagnosis = DiagnosisEvaluator()
rules = SimpleNamespace(**{name: RuleEvaluator(name) for name in (*RULES, *REPORT_RULES)})
"""One evaluator for each rule, by the id of its checkpoint or report-level metric."""
