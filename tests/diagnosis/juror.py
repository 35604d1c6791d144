"""A judge for unit tests of the diagnosis: says what it is told, of frames that are made up."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from by_hand import RUBRIC

from longtake.core.brief import Act, Brief, Character, PlannedShot
from longtake.core.judge import Frame, Question, Verdict
from longtake.diagnosis.diagnose import wanted_ids
from longtake.diagnosis.questions import content_questions
from longtake.models.judges.parse import verdict

EVERY = wanted_ids(RUBRIC, None)
BRIEF = Brief(
    title="A door",
    duration=20,
    instruction="Anna comes home.",
    acts=[Act(name="setup", text="She comes home.")],
    characters=[Character(name="Anna", description="red coat")],
    consistency=["the coat stays red"],
    shots=[
        PlannedShot(index=0, start=0, end=10, text="Anna opens a blue door"),
        PlannedShot(index=1, start=10, end=20, text="Anna sits down"),
    ],
)

Says = Callable[[Question], dict[str, Any] | str | Verdict]


def level(question: Question, value: int | None, **more: Any) -> dict[str, Any]:
    """A whole answer with this level."""
    name = question.schema["properties"]["id"]["const"]
    return {"id": name, "value": value, "reason": "as seen", "spans": [], **more}


@dataclass
class Juror:
    """Answers by ``says``: a dict or text is its reply, a verdict stands. Keeps what it was asked."""

    says: Says
    name: str = "juror"
    asked: list[Question] = field(default_factory=list)

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        self.asked += questions
        return [self._verdict(q) for q in questions]

    def _verdict(self, question: Question) -> Verdict:
        said = self.says(question)
        if isinstance(said, Verdict):
            return said
        raw = said if isinstance(said, str) else json.dumps(said)
        return verdict(question, raw, model="juror-1")

    def of(self, name: str) -> Question:
        """The first question about this."""
        return next(q for q in self.asked if q.id == name)


class Shown:
    """One small picture for every moment."""

    def at(self, times: Sequence[float]) -> list[Frame]:
        return [Frame(t, f"jpeg at {t}".encode(), 64, 36) for t in sorted(set(times))]


def unanswered(question: Question, status: Any = "failed", reason: str = "the server is away") -> Verdict:
    return Verdict(id=question.id, question=question.key, draw=question.draw, status=status, reason=reason)


def bounds(question: Question) -> dict[str, int]:
    return question.schema["properties"]["value"]["anyOf"][0]


def best(question: Question) -> dict[str, Any]:
    return level(question, bounds(question)["maximum"])


def leveled(question: Question) -> bool:
    return "value" in question.schema["properties"]


def answered(question: Question) -> dict[str, Any]:
    """A whole answer to any question: levels at their best, nothing told of content and wishes."""
    if question.id == "content_profile":
        return {"id": "content_profile", **dict.fromkeys(content_questions())}
    if question.id == "written_summary":
        return {"id": "written_summary", "sentences": [{"text": "All is well.", "checkpoints": []}]}
    if question.id.endswith(".wishes"):
        return {"id": "user_requirement_consistency.wishes", "wishes": []}
    return best(question)
