"""Questions to a judge and what came of them, as measurements tell it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ...core.evaluator import CUT_OFF
from ...core.judge import NO_REPLY, Verdict
from ...core.judgement import Asked
from .measured import Fact

NO_JUDGE = "it asks a judge, and the run has none (--judge)"


@cache
def prompt(file: str, name: str) -> str:
    """The text ``prompts/NAME.txt`` beside an evaluator's module (``__file__``)."""
    return (Path(file).parent / "prompts" / f"{name}.txt").read_text(encoding="utf-8").strip()


def hash_of(*texts: str) -> str:
    """16 hexadecimal digits that stand for these prompts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def why_not(verdicts: Sequence[Verdict]) -> str:
    """Why questions have no answer, in words."""
    ends = Counter(v.status.replace("_", " ") for v in verdicts if v.status != "answered")
    reasons = list(dict.fromkeys(v.reason for v in verdicts if v.status != "answered" and v.reason))
    counted = ", ".join(f"{count} {end}" for end, count in ends.items())
    return f"{counted} of {len(verdicts)} questions{f': {reasons[0]}' if reasons else ''}"


def facts_of(verdicts: Sequence[Verdict]) -> dict[str, Fact]:
    """Facts of a measurement that rests on these verdicts: how many were asked and answered, by whom, and
    :data:`CUT_OFF` where no reply came, so that the next run asks again."""
    asked = Asked.of(verdicts)
    found: dict[str, Fact] = {**asked.facts, "models": ", ".join(asked.models)}
    if lost := [v for v in verdicts if v.status in NO_REPLY]:
        found[CUT_OFF] = why_not(lost)
    return found
