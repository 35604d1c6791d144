"""How the questions about one film ended, where several films share a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from threading import Lock

from ..core.judge import NO_REPLY, Asker, Question, Verdict

ASKED, ANSWERED, NOT_ANSWERED = "judge_asked", "judge_answered", "judge_not_answered"
"""Facts of a diagnosis: how many questions there were, how many have an answer, how the others ended."""
Told = float | int | str | bool | None


class Tallied:
    """Asks as another asker does, and counts how the questions end. Safe from several threads."""

    def __init__(self, asker: Asker) -> None:
        self.name = asker.name
        self._asker = asker
        self._ends: Counter[str] = Counter()
        self._why: dict[str, str] = {}
        self._lock = Lock()

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """As :meth:`Asker.ask`."""
        verdicts = self._asker.ask(questions)
        with self._lock:
            for verdict in verdicts:
                self._ends[verdict.status] += 1
                if verdict.status in NO_REPLY:
                    self._why.setdefault(verdict.status, verdict.reason or "no reason given")
        return verdicts

    def facts(self) -> dict[str, Told]:
        """The three facts; others ends as ``budget 12, refused 1``."""
        others = [f"{end} {n}" for end, n in sorted(self._ends.items()) if end != "answered"]
        return {
            ASKED: self._ends.total(),
            ANSWERED: self._ends["answered"],
            NOT_ANSWERED: ", ".join(others),
        }

    @property
    def cut_off(self) -> str | None:
        """What got no reply, and why, in words; ``None`` where everything did, whatever it says."""
        if not self._why:
            return None
        lacking = sum(self._ends[end] for end in self._why)
        several = [f"{self._ends[end]} {why}" for end, why in sorted(self._why.items())]
        told = "; ".join(several if len(several) > 1 else self._why.values())
        return f"{lacking} of {self._ends.total()} questions have no reply: {told}"


def ends_of(told: str) -> dict[str, int]:
    """``budget 12, refused 1`` as numbers."""
    pairs = (part.rsplit(" ", 1) for part in told.split(", ") if part)
    return {end: int(n) for end, n in pairs}
