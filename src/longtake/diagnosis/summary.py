"""The diagnosis in a few plain sentences, made only from what is in the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..core.documents import CheckpointResult, DiagnosisDocument, Finding
from .synthesis import COVERED_OVERALL

MOST_BOTTLENECKS = 3
MOST_NEEDS = 3
SHORT = {"char": "character", "bgm": "music"}
"""Short forms inside ids, spelt out."""


def summary_of(document: DiagnosisDocument) -> list[str]:
    """Sentences for people. Every checkpoint named is one of the document's, its id in words."""
    sentences = [_overall(document), *_weak(document), *_plan(document.findings), *_constraints(document)]
    return [*sentences, *_lacking(document.checkpoints), *_failed(document)]


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _words(name: str) -> str:
    """An id as a person would say it: ``bgm_transition_smoothness`` is music transition smoothness."""
    return " ".join(SHORT.get(part, part) for part in name.split("_"))


def _listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _overall(document: DiagnosisDocument) -> str:
    covered = document.coverage
    of = f"{covered.scored} of the {_count(covered.active, 'checkpoint')} that may apply"
    score = document.overall
    if score.value is not None:
        who = _words(document.profile.get("id", "neutral"))
        return f"Overall the film scores {score.value:.2f} (grade {score.grade}, profile {who}), from {of}."
    if score.covered_weight <= 0:
        return "There is no overall score: nothing of what counts could be measured."
    share, least = (f"{100 * x:.0f} %" for x in (score.covered_weight, COVERED_OVERALL))
    return (
        f"There is no overall score: only {share} of what counts could be measured ({of}), "
        f"and an overall needs {least}."
    )


def _weak(document: DiagnosisDocument) -> list[str]:
    by_id = {p.id: p for p in document.checkpoints}
    weak = [by_id[name] for name in document.bottlenecks[:MOST_BOTTLENECKS]]
    if not weak:
        return ["Nothing that was scored is weak."] if document.coverage.scored else []
    told = [f"{_words(p.id)} ({p.value:.2f}{_where(p)})" for p in weak]
    sentences = [f"Look first at {', then '.join(told)}."]
    if low := sum(p.low_confidence for p in document.checkpoints):
        sentences.append(f"{_count(low, 'score')} of low confidence should be checked by a person.")
    return sentences


def _where(point: CheckpointResult) -> str:
    return f"; at {point.evidence[0].start:.1f} s {point.evidence[0].what}" if point.evidence else ""


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
    said = {
        "violated": "The film breaks what the profile insists on",
        "unverified": "What the profile insists on could not be checked",
    }
    names = {k: [_words(c.id) for c in document.constraints if c.status == k] for k in said}
    return [f"{what}: {_listed(names[status])}." for status, what in said.items() if names[status]]


def _lacking(points: Sequence[CheckpointResult]) -> list[str]:
    needs = Counter(need for p in points if p.status == "unscored" for need in p.needs)
    if not needs:
        return []
    ranked = sorted(needs.items(), key=lambda x: (-x[1], x[0]))[:MOST_NEEDS]
    return [f"More could be scored with {_listed([f'{what} ({n})' for what, n in ranked])}."]


def _failed(document: DiagnosisDocument) -> list[str]:
    failed = [t for t in document.trace if t.status == "failed"]
    return [f"{_tool(t.tool)} failed: {t.reason}." for t in failed]


def _tool(name: str) -> str:
    """``rule.exposure_stability`` is the rule for exposure stability; a signal is called by its name."""
    kind, _, rest = name.rpartition(".")
    return f"The {kind} for {_words(rest)}" if kind else f"Measuring {_words(rest)}"
