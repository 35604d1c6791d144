"""The diagnosis in a few plain sentences, made only from what is in the document.

A profile changes in which order things are told and how plainly (``data/summary.yaml``), never what is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from ..core.documents import CheckpointResult, DiagnosisDocument, Finding
from ..core.shares import floored, two_digits
from .synthesis import COVERED_OVERALL, GRADES

MOST_BOTTLENECKS = 3
MOST_NEEDS = 3
SHORT = {"char": "character", "bgm": "music"}
"""Short forms inside ids, spelt out."""


@cache
def _data() -> dict[str, Any]:
    text = (files(__package__) / "data" / "summary.yaml").read_text("utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    return data


def summary_of(document: DiagnosisDocument) -> list[str]:
    """Sentences for people. Every checkpoint named is one of the document's, its id in words.

    What the profile insists on and what it weighs most come first; its expertise sets the wording.
    """
    level = _data()["levels"].get(document.profile.get("expertise"), "plain")
    wording: dict[str, str] = _data()["wording"][level]
    violated, unverified = _constraints(document)
    told = [_overall(document), *_weighs(document, wording), *violated, *_weak(document, wording)]
    told += [*_plan(document.findings), *unverified]
    return [*told, *_lacking(document.checkpoints), *_failed(document)]


def _weights(document: DiagnosisDocument) -> dict[str, float]:
    """What the profile weighs; nothing where all weighs the same, and nothing is to be stressed."""
    weights: Mapping[str, float] = document.profile.get("weights") or {}
    return dict(weights) if len(set(weights.values())) > 1 else {}


def _weighs(document: DiagnosisDocument, wording: Mapping[str, str]) -> list[str]:
    """What counts most; nothing where several weigh the same."""
    weights = _weights(document)
    most = max(weights, key=lambda d: weights[d], default="")
    if not most or list(weights.values()).count(weights[most]) > 1:
        return []
    return [wording["weighs"].format(most=_data()["dimensions"].get(most, most), weight=weights[most])]


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def spelt_out(name: str) -> str:
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
        who = spelt_out(document.profile.get("id", "neutral"))
        value = two_digits(score.value, [least for least, _ in GRADES])
        return f"Overall the film scores {value} (grade {score.grade}, profile {who}), from {of}."
    if score.covered_weight <= 0:
        return "There is no overall score: nothing of what counts could be measured."
    share, least = (f"{100 * floored(x):.0f} %" for x in (score.covered_weight, COVERED_OVERALL))
    return (
        f"There is no overall score: only {share} of what counts could be measured ({of}), "
        f"and an overall needs {least}."
    )


def _weak(document: DiagnosisDocument, wording: Mapping[str, str]) -> list[str]:
    by_id = {p.id: p for p in document.checkpoints}
    weights = _weights(document)
    weak = [by_id[name] for name in document.bottlenecks[:MOST_BOTTLENECKS]]
    weak.sort(key=lambda p: -weights.get(p.dimension, 0.0))
    if not weak:
        return ["Nothing that was scored is weak."] if document.coverage.scored else []
    told = [
        wording["item"].format(
            name=spelt_out(p.id), question=p.question, value=f"{p.value:.2f}", where=_where(p, wording)
        )
        for p in weak
    ]
    sentences = [wording["weak"].format(items=wording["between"].join(told))]
    if low := sum(p.low_confidence for p in document.checkpoints):
        sentences.append(wording["low"].format(count=_count(low, "score")))
    return sentences


def _where(point: CheckpointResult, wording: Mapping[str, str]) -> str:
    if not point.evidence:
        return ""
    return wording["where"].format(start=point.evidence[0].start, what=point.evidence[0].what)


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


def _constraints(document: DiagnosisDocument) -> tuple[list[str], list[str]]:
    """What the profile insists on and the film breaks, and what of it could not be checked."""
    said = {
        "violated": "The film breaks what the profile insists on",
        "unverified": "What the profile insists on could not be checked",
    }
    names = {k: [spelt_out(c.id) for c in document.constraints if c.status == k] for k in said}
    violated, unverified = (
        [f"{what}: {_listed(names[status])}."] if names[status] else [] for status, what in said.items()
    )
    return violated, unverified


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
    return f"The {kind} for {spelt_out(rest)}" if kind else f"Measuring {spelt_out(rest)}"
