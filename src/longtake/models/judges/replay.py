"""A judge that says again what another one said: from the recording of a run, without a network."""

from __future__ import annotations

from pathlib import Path

from ...core.judge import Question, Verdict
from .parse import verdict as parsed
from .recording import Recorded, read_recording, recording_file, sha256

PREFIX = "replay:"
PARSED = ("openai", "transformers")
"""Kinds of judges whose replies our parser reads: it reads them again, as it would now."""
READ = frozenset({"answered", "unreadable", "wrong_schema", "wrong_id", "out_of_range"})
"""Ends that the parser finds in the reply alone. The others the server told, and they stay as recorded."""


class ReplayJudge:
    """Answers from a recording or an output folder that holds one; ``name`` names who was recorded.

    Raises:
        MissingError: nothing is there.
        InputError: it cannot be read, or is no recording.
    """

    sends_to: str | None = None

    def __init__(self, path: str | Path) -> None:
        self.path = recording_file(Path(path).expanduser())
        lines = read_recording(self.path)
        self._lines = {line.question: line for line in lines}
        names = dict.fromkeys(line.judge.removeprefix(PREFIX) for line in self._lines.values())
        self.name = f"{PREFIX}{','.join(names) or 'nothing'}"
        self.identity = f"{PREFIX}{sha256(''.join(line.model_dump_json() for line in lines))}"

    def ask(self, question: Question) -> Verdict:
        """The recorded verdict; ``not_recorded`` where there is none."""
        line = self._lines.get(question.key)
        if line is None:
            return Verdict(
                id=question.id,
                question=question.key,
                draw=question.draw,
                status="not_recorded",
                reason=f"{self.path} holds no answer to this very question: the film, the brief, the rubric "
                "or the version may be another",
                attempts=0,
                cached=True,
            )
        found = self._read_again(question, line)
        here = {
            "id": question.id,
            "question": question.key,
            "draw": question.draw,
            "attempts": line.attempts,
            "cached": True,
        }
        return found.model_copy(update=here)

    @staticmethod
    def _read_again(question: Question, line: Recorded) -> Verdict:
        if line.status in READ and line.judge.removeprefix(PREFIX).partition(":")[0] in PARSED:
            return parsed(question, line.raw, model=line.model, usage=line.usage, seconds=line.seconds)
        return Verdict(**line.model_dump(include=set(Verdict.model_fields)))
