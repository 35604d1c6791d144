"""The diagnosis in a few plain sentences, made only from what is in the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..core.documents import CheckpointResult, DiagnosisDocument, Finding

MOST_BOTTLENECKS = 3
MOST_NEEDS = 3


def summary_of(document: DiagnosisDocument) -> list[str]:
    """Sentences for people. Every checkpoint named is one of the document's, with its value."""
    sentences = [_overall(document), *_weak(document), *_plan(document.findings), *_constraints(document)]
    return [*sentences, *_lacking(document.checkpoints), *_failed(document)]


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _overall(document: DiagnosisDocument) -> str:
    covered = document.coverage
    of = f"{covered.scored} of the {_count(covered.active, 'checkpoint')} that may apply were scored"
    score = document.overall
    if score.value is None:
        return f"There is no overall score ({score.reason}): {of}."
    who = document.profile.get("id", "neutral")
    return f"Overall {score.value:.2f} (grade {score.grade}) for the profile {who}: {of}."


def _weak(document: DiagnosisDocument) -> list[str]:
    by_id = {p.id: p for p in document.checkpoints}
    weak = [by_id[name] for name in document.bottlenecks[:MOST_BOTTLENECKS]]
    if not weak:
        return ["Nothing that was scored is weak."] if document.coverage.scored else []
    told = [f"{p.id} ({p.value:.2f}{_where(p)})" for p in weak]
    sentences = [f"Look first at {', then '.join(told)}."]
    if low := sum(p.low_confidence for p in document.checkpoints):
        sentences.append(f"{_count(low, 'score')} of low confidence should be looked at by a person.")
    return sentences


def _where(point: CheckpointResult) -> str:
    return f", at {point.evidence[0].start:.1f} s: {point.evidence[0].what}" if point.evidence else ""


def _plan(findings: Sequence[Finding]) -> list[str]:
    kinds = Counter(f.kind for f in findings)
    sentences = [f.what[0].upper() + f.what[1:] + "." for f in findings if f.kind.startswith("film_")]
    parts = [
        f"{_count(kinds[kind], 'planned shot')} {what}"
        for kind, what in (("missing_planned_shot", "not found"), ("shifted_shot", "not at the planned time"))
        if kinds[kind]
    ]
    if kinds["unmatched_shot"]:
        parts.append(f"{_count(kinds['unmatched_shot'], 'shot')} that the brief does not plan")
    return [*sentences, *([f"Plan against film: {'; '.join(parts)}."] if parts else [])]


def _constraints(document: DiagnosisDocument) -> list[str]:
    sentences = []
    for status, word in (("violated", "violated"), ("unverified", "could not be checked")):
        names = [c.id for c in document.constraints if c.status == status]
        if names:
            sentences.append(f"Hard constraints {word}: {', '.join(names)}.")
    return sentences


def _lacking(points: Sequence[CheckpointResult]) -> list[str]:
    needs = Counter(need for p in points if p.status == "unscored" for need in p.needs)
    if not needs:
        return []
    ranked = sorted(needs.items(), key=lambda x: (-x[1], x[0]))[:MOST_NEEDS]
    return [f"More could be scored with {', '.join(f'{what} ({n})' for what, n in ranked)}."]


def _failed(document: DiagnosisDocument) -> list[str]:
    failed = [t for t in document.trace if t.status == "failed"]
    return [f"{t.tool} failed: {t.reason}." for t in failed]
