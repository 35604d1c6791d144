"""A judge for unit tests of the diagnosis: says what it is told, of frames that are made up."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from longtake.core.judge import Frame, Question, Verdict
from longtake.models.judges.parse import verdict

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
