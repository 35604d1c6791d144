"""Replies that are kept: in the cache, so that nothing is asked twice, and in the recording of a run."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

from pydantic import ValidationError

from ..core.judge import Judge, Question, Verdict, VerdictStatus
from ..errors import OutputError
from ..models.judges.recording import Recorded, read_recording, recorded, regular, sha256
from ..storage.cache import Cache

KIND = "judge"
"""Kind of these entries in the cache."""
KEPT: frozenset[VerdictStatus] = frozenset(
    {"answered", "refused", "cut_off", "unreadable", "wrong_schema", "wrong_id", "out_of_range"}
)
"""Ends of a question that are the judge's own. The others say how a server was set up or a run went: asked
again, it may be otherwise."""


class Replies:
    """Verdicts of one judge by question: in memory, and in the cache where there is one."""

    def __init__(self, judge: Judge, cache: Cache | None) -> None:
        self._identity = judge.identity
        self._cache = cache
        self._memory: dict[str, Verdict] = {}

    def get(self, question: Question) -> Verdict | None:
        """The verdict kept for a question, as one that was not asked for now; a damaged one is none."""
        kept = self._memory.get(question.key) or self._stored(question)
        if kept is None:
            return None
        self._memory[question.key] = kept
        here = {"id": question.id, "question": question.key, "draw": question.draw, "cached": True}
        return kept.model_copy(update=here)

    def put(self, question: Question, verdict: Verdict) -> None:
        """Keep a verdict, if it is of the kind that is kept. Raises ``OutputError``."""
        if verdict.status not in KEPT:
            return
        self._memory[question.key] = verdict
        if self._cache is not None:
            self._cache.put_text(KIND, self._key(question), verdict.model_dump_json())

    def _stored(self, question: Question) -> Verdict | None:
        if self._cache is None or (text := self._cache.get_text(KIND, self._key(question))) is None:
            return None
        try:
            return Verdict.model_validate_json(text)
        except ValidationError:  # of another version
            return None

    def _key(self, question: Question) -> str:
        digest = hashlib.sha256(f"{self._identity}\0{question.key}".encode()).hexdigest()
        return f"{digest[:2]}/{digest[2:]}"


class Recording:
    """The file in which a run's verdicts stand, one line each. The last line about a question counts.

    Lines are only ever appended, each in one write; what a killed process left of a line is cut off when the
    file is opened next. A verdict that stands there already is not written again. Safe from several threads.
    """

    def __init__(self, path: Path, judge: Judge) -> None:
        self.path = path
        self._name, self._identity = judge.name, judge.identity
        self._lock = threading.Lock()
        self._file: int | None = None
        self._said: dict[str, tuple[str, ...]] = {}

    def open(self) -> None:
        """Open the file.

        Raises:
            InputError: a file of that name is no recording.
            OutputError: it cannot be written.
        """
        if not self.path.is_dir():
            regular(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            before = self.path.read_bytes()
            whole = before.rfind(b"\n") + 1
            if whole or not before.startswith(b"{"):  # else it is the first line, begun and not ended
                self._said = {one.question: _gist(one) for one in read_recording(self.path)}
            if whole < len(before):
                os.truncate(self._file, whole)
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def add(self, question: Question, verdict: Verdict) -> None:
        """Write a verdict down. Raises ``OutputError``."""
        line = recorded(self._name, self._identity, question, verdict)
        with self._lock:
            if self._file is None or self._said.get(question.key) == _gist(line):
                return
            try:
                self._write(self._file, line.model_dump_json().encode() + b"\n")
            except OSError as error:
                raise _unwritable(self.path, error) from error
            self._said[question.key] = _gist(line)

    def _write(self, file: int, line: bytes) -> None:
        before = os.fstat(file).st_size
        written = os.write(file, line)
        if written != len(line):  # the disk is full
            os.truncate(file, before)
            raise OSError(None, "it takes no more")

    def close(self) -> None:
        """Close the file; what comes later is not written."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
            self._file = None


def _gist(line: Recorded) -> tuple[str, ...]:
    """What of a line must differ for it to be news."""
    return (line.identity, line.status, line.reason or "", sha256(line.raw))


def _unwritable(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"cannot write the judge's recording {path}: {error.strerror or error}",
        hint="free some space, or choose another folder with --out",
    )
