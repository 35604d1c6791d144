"""Asks the rules and a judge, and says who decides and how sure the answers are. No profile is known here."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..core.documents import CheckpointResult, ReportMetric
from ..core.judge import Question, Questioning
from ..core.judgement import Asked, Judgement
from ..core.measurement import Measurement, Status
from ..core.model import Record
from ..core.signal import TraceEntry
from ..errors import one_line
from .activation import Activation, activate, gate_attributes, missing_requirements
from .asking import Noting, judged, leveled_questions
from .confidence import LOW_CONFIDENCE, available, of_draws, of_rule
from .content import content_question
from .facts import Facts
from .lacking import lacking, needs_told
from .material import Suspects, heard_by
from .opinions import Decision, Opinion, decide
from .rubric import Ask, Checkpoint, ReportMetricSpec, Rubric
from .rules import REPORT_RULES, RULES, Rule
from .wished import FIDELITY, WISHES, fidelity, shot_questions, wish_question, with_wishes

NOT_ASKED = "not asked for"


class Assessment(Record):
    """What one phase found out, and how the judge was asked."""

    checkpoints: tuple[CheckpointResult, ...]
    metrics: tuple[ReportMetric, ...]
    trace: tuple[TraceEntry, ...]
    asked: Asked = Asked()


@dataclass(frozen=True)
class _Heard:
    """What the rules and the judge said, by checkpoint or metric; and why the judge was not asked."""

    rules: dict[str, Measurement] = field(default_factory=dict)
    judge: dict[str, Judgement] = field(default_factory=dict)
    unasked: dict[str, list[str]] = field(default_factory=dict)


def assess(
    dimension: str,
    facts: Facts,
    rubric: Rubric,
    wanted: frozenset[str],
    rules: Mapping[str, Rule] = RULES,
    report_rules: Mapping[str, Rule] = REPORT_RULES,
    *,
    questioning: Questioning | None = None,
    suspects: Suspects = (),
) -> Assessment:
    """All checkpoints and report-level metrics of one dimension; those not ``wanted`` stay unscored.

    With ``questioning`` a judge is asked about each active one; ``suspects`` are findings of others, by what
    found them, that it has to verify: it is told of them and shown their places.
    A rule that raises is a failed tool: its checkpoint is unscored and the trace says why.
    """
    trace: list[TraceEntry] = []
    points = [p for p in rubric.checkpoints if p.dimension == dimension]
    specs = [m for m in rubric.report_metrics if m.dimension == dimension]
    gates = {p.id: _gate(p, facts, p.id in wanted) for p in points}
    active: list[Checkpoint | ReportMetricSpec] = [p for p in points if gates[p.id].status == "scored"]
    active += [m for m in specs if m.id in wanted]
    heard = _Heard()
    for about in active:
        rule = rules.get(about.id) if isinstance(about, Checkpoint) else report_rules.get(about.id)
        if rule is not None:
            heard.rules[about.id] = _ask(about.id, facts, rule, trace)
    judge, noting = questioning is not None, None
    if questioning is not None:
        noting = Noting(questioning.asker)
        _hear(active, facts, heard, replace(questioning, asker=noting), suspects)
    return Assessment(
        checkpoints=tuple(_checkpoint(p, facts, gates[p.id], rules.get(p.id), heard, judge) for p in points),
        metrics=tuple(_metric(m, facts, report_rules.get(m.id), m.id in wanted, heard, judge) for m in specs),
        trace=tuple(trace),
        asked=noting.asked if noting is not None else Asked(),
    )


def _gate(point: Checkpoint, facts: Facts, wanted: bool) -> Activation:
    if not wanted:
        return Activation("unscored", NOT_ASKED)
    return activate(point, gate_attributes(facts.film, facts.attributes, facts.signals))


def _ask(name: str, facts: Facts, rule: Rule, trace: list[TraceEntry]) -> Measurement:
    """The rule's answer; unscored where a signal that it must have is missing, or all, or the rule fails."""
    must = rule.must if available(facts.signals, rule.needs) else rule.needs
    for signal in must:
        if signal not in facts.signals:
            found = facts.signals[signal]
            reason = f"needs {signal}: {found.status}, {found.reason or 'no reason given'}"
            return Measurement(name=name, status="unscored", reason=reason)
    started = time.perf_counter()
    try:
        answer = rule.function(facts)
    except Exception as error:  # noqa: BLE001 - a rule is a tool; its failure is recorded and costs one checkpoint
        reason = one_line(f"the rule failed: {type(error).__name__}: {error}")
        answer = Measurement(name=name, status="unscored", reason=reason)
        failed = True
    else:
        failed = False
    trace.append(
        TraceEntry(
            tool=f"rule.{name}",
            status="failed" if failed else "ok",
            reason=answer.reason if failed else None,
            seconds=round(time.perf_counter() - started, 4),
        )
    )
    return answer


def outline(facts: Facts, rubric: Rubric, wanted: frozenset[str], questioning: Questioning) -> list[Question]:
    """All that may be asked, for an estimate: gates that are not known are taken for open."""
    shut = {p.id for p in rubric.checkpoints if _gate(p, facts, True).status == "not_applicable"}
    every: list[Checkpoint | ReportMetricSpec] = [*rubric.checkpoints, *rubric.report_metrics]
    askable = [
        a for a in every if a.id in wanted - shut and a.ask is not None and not _unaskable(a.ask, facts)
    ]
    plain = [a for a in askable if a.id not in (FIDELITY, WISHES)]
    questions = leveled_questions(plain, facts, {}, questioning, ())
    shots = [a for a in askable if a.id == FIDELITY]
    questions += [q for a in shots for q in shot_questions(a, facts, questioning).questions]
    wishes = [wish_question(a, facts, questioning) for a in askable if a.id == WISHES]
    once = [content_question(facts, questioning), *(q for q in wishes if q is not None)]
    return [*once, *questioning.drawn(questions)]


def _hear(
    active: Sequence[Checkpoint | ReportMetricSpec],
    facts: Facts,
    heard: _Heard,
    questioning: Questioning,
    suspects: Suspects,
) -> None:
    """Ask the judge about all of these for which there is what the question needs."""
    asked = []
    for about in active:
        if about.ask is None:
            continue
        if gone := _unaskable(about.ask, facts):
            heard.unasked[about.id] = gone
        elif about.id == FIDELITY:
            heard.judge[about.id] = fidelity(about, facts, questioning)
        elif about.id == WISHES:
            if about.id in heard.rules:
                heard.rules[about.id] = with_wishes(about, facts, heard.rules[about.id], questioning)
        else:
            asked.append(about)
    questions = leveled_questions(asked, facts, heard.rules, questioning, suspects)
    for about, question, verdicts in zip(asked, questions, questioning.of_all(questions), strict=True):
        heard.judge[about.id] = judged(about, facts, question, verdicts)


def _unaskable(ask: Ask, facts: Facts) -> list[str]:
    """What a question cannot do without and does not have: a part of the brief, or all it has to hear."""
    gone = lacking(ask.must, facts)
    if not gone and not _availability(ask, facts):
        signals = [facts.signals[name] for name in heard_by(ask)]
        gone = [f"{s.name}: {s.status}, {s.reason or 'no reason given'}" for s in signals]
    return gone


def _availability(ask: Ask, facts: Facts) -> float:
    """Share of what a question needs: the pictures, if it is shown any, and the signals that hear for it."""
    return available(
        facts.signals, heard_by(ask), sound=facts.film.audio, beside=0 if ask.frames == "none" else 1
    )


def _opinions(
    about: Checkpoint | ReportMetricSpec, facts: Facts, rule: Rule | None, heard: _Heard
) -> list[Opinion]:
    """What the rule and the judge say of it, each where it has a value."""
    found = []
    answer, said = heard.rules.get(about.id), heard.judge.get(about.id)
    if rule is not None and answer is not None and answer.value is not None:
        parts = of_rule(facts.signals, rule, sound=facts.film.audio, tools=answer.confidence)
        found.append(Opinion("rule", answer.value, answer.evidence, parts))
    if said is not None and said.value is not None:
        values = [d.value for d in said.draws if d.value is not None]
        parts = of_draws(values, _availability(about.ask or Ask(), facts))
        found.append(Opinion("judge", said.value, said.evidence, parts))
    return found


def _checkpoint(
    point: Checkpoint, facts: Facts, gate: Activation, rule: Rule | None, heard: _Heard, judge: bool
) -> CheckpointResult:
    answer, said = heard.rules.get(point.id), heard.judge.get(point.id)
    decision = None
    if answer is None or answer.status != "not_applicable" or point.authority == "judged":
        decision = decide(point.authority, _opinions(point, facts, rule, heard))
    full = lacking(point.needs, facts, judge=judge)
    unasked = heard.unasked.get(point.id)
    status, reason = _outcome(point.authority, gate, decision, answer, said, unasked, full)
    needs = [a.reason.removeprefix("needs ") for a in gate.unknown if a.reason]
    if gate.status == "scored":
        stands_in = decision is not None and decision.stands_in
        needs = full if status == "unscored" or stands_in else []
    elif gate.unknown and rule is None:
        needs += full
    value = decision.opinion.value if decision else None
    evidence = decision.opinion.evidence if decision else answer.evidence if answer else []
    by_rule = decision is not None and decision.opinion.method == "rule"
    return CheckpointResult(
        id=point.id,
        submetric=point.submetric,
        dimension=point.dimension,
        question=point.question,
        weight=point.weight,
        status=status,
        value=value,
        reason=reason,
        confidence=decision.confidence if decision else None,
        authority=point.authority,
        method=decision.opinion.method if decision else None,
        other=decision.other if decision else None,
        judgement=said,
        confidence_from=decision.parts if decision else None,
        anchor=point.level(value) if value is not None else None,
        low_confidence=decision is not None and decision.confidence < LOW_CONFIDENCE,
        needs=list(dict.fromkeys(needs)),
        clean_range=rule.clean if by_rule and rule else None,
        facts=answer.facts if answer else {},
        evidence=list(evidence),
    )


def _outcome(
    authority: str,
    gate: Activation,
    decision: Decision | None,
    answer: Measurement | None,
    said: Judgement | None,
    unasked: Sequence[str] | None,
    full: Sequence[str],
) -> tuple[Status, str | None]:
    """Status, and the reason: of a judge's answer its own words, of a missing one why it is missing."""
    if gate.status != "scored":
        return gate.status, gate.reason
    if decision is not None:
        judged_so = decision.opinion.method == "judge" and said is not None
        return "scored", said.says if judged_so and said is not None else None
    if answer is not None and answer.status == "not_applicable":
        return "not_applicable", answer.reason
    reasons = {
        "rule": answer.reason if answer is not None else None,
        "judge": said.reason if said is not None else needs_told(unasked) if unasked else None,
    }
    first, second = ("judge", "rule") if authority == "judged" else ("rule", "judge")
    return "unscored", reasons[first] or reasons[second] or needs_told(full)


def _metric(
    spec: ReportMetricSpec, facts: Facts, rule: Rule | None, wanted: bool, heard: _Heard, judge: bool
) -> ReportMetric:
    answer, said = heard.rules.get(spec.id), heard.judge.get(spec.id)
    decision = decide("measured" if rule else "judged", _opinions(spec, facts, rule, heard))
    gate = Activation("scored") if wanted else Activation("unscored", NOT_ASKED)
    full = lacking(spec.needs, facts, judge=judge)
    status, reason = _outcome("judged", gate, decision, answer, said, heard.unasked.get(spec.id), full)
    found: dict[str, object] = dict(answer.facts) if answer else {}
    if spec.id == WISHES and wanted:
        gates = gate_attributes(facts.film, facts.attributes, facts.signals)
        if absent := missing_requirements(facts, gates):
            found["missing"] = absent
    return ReportMetric(
        id=spec.id,
        dimension=spec.dimension,
        status=status,
        value=decision.opinion.value if decision else None,
        reason=reason,
        confidence=decision.confidence if decision else None,
        method=decision.opinion.method if decision else None,
        judgement=said,
        confidence_from=decision.parts if decision else None,
        evidence=list(decision.opinion.evidence if decision else answer.evidence if answer else ()),
        facts=found,
    )
