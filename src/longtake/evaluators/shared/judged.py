"""Questions to a judge and what came of them, as measurements tell it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path

from ...core.evaluator import CUT_OFF
from ...core.judge import NO_REPLY, Verdict, VerdictStatus
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


ENDS: Mapping[VerdictStatus, str] = {
    "refused": "refused",
    "cut_off": "cut off in the middle of the reply",
    "unreadable": "answered in no form that can be read",
    "wrong_schema": "answered in another form than asked for",
    "wrong_id": "answered under another question's name",
    "out_of_range": "answered out of range",
    "wrong_model": "answered by another model",
    "too_long": "too long for the model",
    "failed": "without a reply",
    "budget": "not asked",
    "not_recorded": "not in the recording",
}
"""How a question without an answer ended, in words."""


def why_not(verdicts: Sequence[Verdict], ends: Collection[VerdictStatus] = tuple(ENDS)) -> str:
    """Why questions have no answer, in words: how many of all ended how, of those that ended in ``ends``; of
    a single question how it ended."""
    lost = [v for v in verdicts if v.status in ends]
    counted = Counter(ENDS[v.status] for v in lost)
    reasons = [v.reason.removeprefix(f"{ENDS[v.status]}: ") for v in lost if v.reason]
    of = iter([f" of {len(verdicts)} questions"])
    said = ", ".join(f"{count}{next(of, '')} {end}" for end, count in counted.items())
    told = said if len(verdicts) > 1 else "".join(counted)
    return f"{told}: {reasons[0]}" if reasons and reasons[0] not in counted else told


def facts_of(verdicts: Sequence[Verdict]) -> dict[str, Fact]:
    """Facts of a measurement that rests on these verdicts: how many were asked and answered, by whom, and
    :data:`CUT_OFF` where no reply came, so that the next run asks again."""
    asked = Asked.of(verdicts)
    found: dict[str, Fact] = {**asked.facts, "models": ", ".join(asked.models)}
    if any(v.status in NO_REPLY for v in verdicts):
        found[CUT_OFF] = why_not(verdicts, NO_REPLY)
    return found
