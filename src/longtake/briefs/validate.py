"""What is wrong with briefs: one, several, or the suite as a whole. Every problem says what to do.

In the suite a warning of :mod:`longtake.briefs.rules` is an error: nothing may be missing there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..core.brief import Brief
from ..core.briefs import BriefFacts, BriefProblem, BriefsDocument
from .grounding import grounded, grounding_table
from .likeness import ALIKE, alike_pairs
from .rules import RULES

SUITE_SIZE = 80
SUITE_TYPES = {
    "narrative": 26,
    "commercial": 10,
    "educational": 10,
    "sci-fi": 9,
    "cinematic": 9,
    "action": 8,
    "daily-life": 8,
}
"""Briefs of each category: DirectorBench has 80 in seven, narrative most; the other numbers are ours."""
LEAST_LANGUAGES = 6
"""Languages that the suite has at least; the issue says "several"."""
LEAST_GROUNDED = 20
"""Briefs that must give every checkpoint something to judge by (issue)."""


def facts_of(brief: Brief, name: str) -> BriefFacts:
    """A brief in a line; ``name`` stands for a missing id."""
    return BriefFacts(
        id=brief.id or name,
        title=brief.title,
        video_type=brief.video_type,
        language=brief.language,
        duration=brief.planned_duration,
        shots=len(brief.shots),
    )


def check_brief(brief: Brief, name: str | None = None) -> list[BriefProblem]:
    """The problems of one brief, in the order of its parts. ``name`` is used where it has no id."""
    shown = name or brief.id or "brief"
    return [
        BriefProblem(brief=shown, place=place, level=level, message=message, hint=hint)
        for rule in RULES
        for place, level, message, hint in rule(brief)
    ]


def check_set(briefs: Sequence[tuple[str, Brief]]) -> list[BriefProblem]:
    """What is wrong between several briefs (name, brief): ids that stand twice, briefs nearly alike."""
    problems = []
    ids = Counter(brief.id for _, brief in briefs if brief.id)
    for id_ in (i for i, n in ids.items() if n > 1):
        names = ", ".join(name for name, brief in briefs if brief.id == id_)
        problems.append(
            _whole(f"{names}: the id {id_!r} stands {ids[id_]} times", "give each brief its own id")
        )
    for first, second, likeness in alike_pairs([brief for _, brief in briefs]):
        message = (
            f"{briefs[first][0]} and {briefs[second][0]} are nearly alike ({likeness:.2f}, limit {ALIKE})"
        )
        problems.append(_whole(message, "tell another story in one of them, or leave it out"))
    return problems


def check_suite(briefs: Sequence[tuple[str, Brief]]) -> BriefsDocument:
    """The suite: every brief, all pairs, numbers per category, and what the checkpoints are grounded in.

    Warnings count as errors here, for nothing may be missing.
    """
    found = [p for name, brief in briefs for p in check_brief(brief, name)]
    problems = [p.model_copy(update={"level": "error"}) for p in found] + check_set(briefs)
    for name, brief in briefs:
        if brief.id != name:
            problems.append(
                BriefProblem(
                    brief=name, place="id", level="error", message=f"is {brief.id!r}", hint=f"write {name}"
                )
            )
        extra = [*brief.extra, *(k for s in brief.shots for k in s.extra), *brief.sound.extra]
        for key in sorted(set(extra)):
            hint = "use a key of longtake.brief/1 (longtake schema brief)"
            problems.append(
                BriefProblem(brief=name, place=key, level="error", message="is no key of a brief", hint=hint)
            )
    types = Counter(brief.video_type for _, brief in briefs)
    if len(briefs) != SUITE_SIZE:
        problems.append(_whole(f"there are {len(briefs)} briefs, not {SUITE_SIZE}", "add or remove briefs"))
    for kind in sorted({*types, *SUITE_TYPES}, key=str):
        if types[kind] != SUITE_TYPES.get(str(kind), 0):
            message = f"{types[kind]} briefs are {kind}, {SUITE_TYPES.get(str(kind), 0)} should be"
            problems.append(_whole(message, "correct video_type, or the number of briefs"))
    tongues = {brief.language for _, brief in briefs}
    if len(tongues) < LEAST_LANGUAGES:
        problems.append(
            _whole(f"{len(tongues)} languages, {LEAST_LANGUAGES} should be", "write some in other languages")
        )
    counts = grounded([brief for _, brief in briefs])
    for checkpoint, count in counts.items():
        if count < LEAST_GROUNDED:
            why = grounding_table()[checkpoint].what
            message = f"{checkpoint} is grounded in {count} briefs, fewer than {LEAST_GROUNDED}"
            problems.append(_whole(message, f"it needs {why}"))
    return BriefsDocument(
        briefs=[facts_of(brief, name) for name, brief in briefs], problems=problems, grounded=counts
    )


def _whole(message: str, hint: str) -> BriefProblem:
    return BriefProblem(brief="", place="", level="error", message=message, hint=hint)
