"""Asks the rules and says how sure the answers are. No profile is known here."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..core.documents import CheckpointResult, ReportMetric
from ..core.measurement import Measurement
from ..core.signal import Signals, TraceEntry
from .activation import activate, gate_attributes, missing_requirements
from .facts import Facts
from .rubric import Checkpoint, ReportMetricSpec, Rubric
from .rules import REPORT_RULES, RULES, Rule

NOT_ASKED = "not asked for"
NO_SECOND_OPINION = 0.9
"""E where no other source speaks to the checkpoint; 1 where one agrees, .6 where one contradicts."""
CONFIDENCE_RANGE = (0.05, 1.0)
JUDGED_BY_RULE = 0.55
"""Most confidence that a rule may have where a judge has authority: it stays flagged and violates nothing."""
LOW_CONFIDENCE = 0.6
HEARD = ("audio", "speech", "sound", "lipsync")
"""Signals of what is heard."""


@dataclass(frozen=True)
class Assessment:
    """What one phase found out."""

    checkpoints: tuple[CheckpointResult, ...]
    metrics: tuple[ReportMetric, ...]
    trace: tuple[TraceEntry, ...]


def assess(
    dimension: str,
    facts: Facts,
    rubric: Rubric,
    wanted: frozenset[str],
    rules: Mapping[str, Rule] = RULES,
    report_rules: Mapping[str, Rule] = REPORT_RULES,
) -> Assessment:
    """All checkpoints and report-level metrics of one dimension; those not ``wanted`` stay unscored.

    A rule that raises is a failed tool: its checkpoint is unscored and the trace says why.
    """
    trace: list[TraceEntry] = []
    points = [
        _checkpoint(point, facts, rules.get(point.id), point.id in wanted, trace)
        for point in rubric.checkpoints
        if point.dimension == dimension
    ]
    metrics = [
        _metric(spec, facts, report_rules.get(spec.id), spec.id in wanted, trace)
        for spec in rubric.report_metrics
        if spec.dimension == dimension
    ]
    return Assessment(tuple(points), tuple(metrics), tuple(trace))


def available(signals: Signals, rule: Rule, *, sound: bool = True) -> float:
    """A: the share of the signals a rule reads that is there, a fallback counting half.

    Of a film without ``sound`` the signals of the sound are not missing: there is nothing to hear.
    """
    needed = [signals[name].status for name in rule.needs if sound or name not in HEARD]
    return (needed.count("ok") + 0.5 * needed.count("fallback")) / len(needed) if needed else 1.0


def confidence(
    signals: Signals, rule: Rule, authority: str, *, sound: bool = True, tools: float | None = None
) -> float:
    """c = A x G x E, clipped: availability of signals, separation in the rule's controls, second opinions.

    ``tools`` in [0, 1] is how sure the models beneath were of this film: c falls with it.
    """
    low, high = CONFIDENCE_RANGE
    raw = available(signals, rule, sound=sound) * rule.separation * NO_SECOND_OPINION
    value = min(high, max(low, raw * (1.0 if tools is None else tools)))
    return round(min(value, JUDGED_BY_RULE) if authority == "judged" else value, 4)


def _ask(name: str, facts: Facts, rule: Rule, trace: list[TraceEntry]) -> Measurement:
    """The rule's answer; unscored where a signal that it must have is missing, or all, or the rule fails."""
    must = rule.must if available(facts.signals, rule) else rule.needs
    for signal in must:
        if signal not in facts.signals:
            found = facts.signals[signal]
            reason = f"needs {signal}: {found.status}, {found.reason or 'no reason given'}"
            return Measurement(name=name, status="unscored", reason=reason)
    started = time.perf_counter()
    try:
        answer = rule.function(facts)
    except Exception as error:  # noqa: BLE001 - a rule is a tool; its failure is recorded and costs one checkpoint
        reason = f"the rule failed: {type(error).__name__}: {error}"
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


HEARD_OR_SEEN = {
    "speech recognition": "speech",
    "speech recognition with word times": "speech",
    "speech activity": "speech",
    "music told from speech and noise": "sound",
    "speech and music levels told apart": "sound",
    "mouth landmarks": "faces",
    "faces that can be told apart": "faces",
    "shots grouped into scenes": "scenes",
}
"""What a full answer may take that a signal gives, and which."""


def lacking(needs: Sequence[str], facts: Facts) -> list[str]:
    """Of what a full answer takes, what is not there: neither in the brief nor among the signals.

    Of a film without sound nothing that is heard is lacking: there is nothing to hear.
    """
    brief = facts.brief
    has = {
        "a brief": brief is not None,
        "a brief with shots": brief is not None and bool(brief.shots),
        "a brief with characters": brief is not None and bool(brief.characters),
        "a brief with lines": brief is not None
        and (bool(brief.lines) or any(s.dialogue or s.narration for s in brief.shots)),
        "a brief with an asked-for length": brief is not None and brief.planned_duration is not None,
        "a brief whose shots name their scenes": brief is not None and any(s.scene for s in brief.shots),
        "a brief whose shots name their characters": brief is not None
        and any(s.characters for s in brief.shots),
    }
    for need, signal in HEARD_OR_SEEN.items():
        has[need] = signal in facts.signals or (signal in HEARD and not facts.film.audio)
    return [need for need in needs if not has.get(need)]


def _checkpoint(
    point: Checkpoint, facts: Facts, rule: Rule | None, wanted: bool, trace: list[TraceEntry]
) -> CheckpointResult:
    gate = activate(point, gate_attributes(facts.film, facts.attributes, facts.signals))
    full = lacking(point.needs, facts)
    needs = [a.reason.removeprefix("needs ") for a in gate.unknown if a.reason]
    if not wanted:
        answer = Measurement(name=point.id, status="unscored", reason=NOT_ASKED)
        needs = []
    elif gate.status != "scored":
        answer = Measurement(name=point.id, status=gate.status, reason=gate.reason)
        needs += [] if gate.status == "not_applicable" or rule else full
    elif rule is None:
        needs = full
        answer = Measurement(name=point.id, status="unscored", reason=_needs(full))
    else:
        answer = _ask(point.id, facts, rule, trace)
        unsure = answer.status == "unscored" or (answer.status == "scored" and point.authority == "judged")
        needs = full if unsure else []
    scored = answer.value is not None and rule is not None
    sure = _sure(answer, facts, rule, point.authority)
    return CheckpointResult(
        id=point.id,
        submetric=point.submetric,
        dimension=point.dimension,
        question=point.question,
        weight=point.weight,
        status=answer.status,
        value=answer.value,
        reason=answer.reason,
        confidence=sure,
        authority=point.authority,
        method="rule" if scored else None,
        anchor=point.level(answer.value) if answer.value is not None else None,
        low_confidence=sure is not None and sure < LOW_CONFIDENCE,
        needs=list(dict.fromkeys(needs)),
        clean_range=rule.clean if scored and rule else None,
        facts=answer.facts,
        evidence=answer.evidence,
    )


def _sure(answer: Measurement, facts: Facts, rule: Rule | None, authority: str) -> float | None:
    if answer.value is None or rule is None:
        return None
    return confidence(facts.signals, rule, authority, sound=facts.film.audio, tools=answer.confidence)


def _needs(what: Sequence[str]) -> str:
    return f"needs {', '.join(what)}" if what else "has no rule yet"


def _metric(
    spec: ReportMetricSpec, facts: Facts, rule: Rule | None, wanted: bool, trace: list[TraceEntry]
) -> ReportMetric:
    if not wanted:
        answer = Measurement(name=spec.id, status="unscored", reason=NOT_ASKED)
    elif rule is None:
        answer = Measurement(name=spec.id, status="unscored", reason=_needs(lacking(spec.needs, facts)))
    else:
        answer = _ask(spec.id, facts, rule, trace)
    found: dict[str, object] = dict(answer.facts)
    if spec.id == "user_requirement_consistency" and wanted:
        gates = gate_attributes(facts.film, facts.attributes, facts.signals)
        if absent := missing_requirements(facts, gates):
            found["missing"] = absent
    sure = _sure(answer, facts, rule, "measured")
    return ReportMetric(
        id=spec.id,
        dimension=spec.dimension,
        status=answer.status,
        value=answer.value,
        reason=answer.reason,
        confidence=sure,
        evidence=answer.evidence,
        facts=found,
    )
