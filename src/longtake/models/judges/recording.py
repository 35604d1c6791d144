"""What a judge said in one run, a line of JSON for each question: enough to give the same verdicts again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pydantic import FiniteFloat, ValidationError

from ...core.judge import Question, Verdict
from ...core.model import Record
from ...errors import InputError, MissingError

RECORDING = "judge.jsonl"
"""Its name in an output folder."""


class RecordedFrame(Record):
    """A picture that was sent, without the picture: seconds on the film's clock, hash of the JPEG, pixels."""

    time: FiniteFloat
    hash: str
    width: int
    height: int


class Recorded(Verdict):
    """One question and its verdict. ``judge`` is its name, ``identity`` the hash of its identity; of the
    words there are hashes and the labels of the materials."""

    judge: str
    identity: str
    prompt_hash: str
    schema_hash: str
    temperature: FiniteFloat
    most_tokens: int
    frames: list[RecordedFrame] = []
    materials: list[str] = []


def recorded(judge: str, identity: str, question: Question, verdict: Verdict) -> Recorded:
    """The line for a verdict."""
    return Recorded(
        **verdict.model_dump(),
        judge=judge,
        identity=sha256(identity),
        prompt_hash=sha256(question.prompt),
        schema_hash=sha256(json.dumps(question.schema, sort_keys=True)),
        temperature=question.temperature,
        most_tokens=question.most_tokens,
        frames=[
            RecordedFrame(time=f.time, hash=f.hash, width=f.width, height=f.height) for f in question.frames
        ],
        materials=[m.label for m in question.materials],
    )


def sha256(text: str) -> str:
    """Hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def recording_file(path: Path) -> Path:
    """The recording that ``path`` names: itself, or the one in that output folder.

    Raises:
        MissingError: nothing is there.
        InputError: a folder without a recording, or what is neither a file nor a folder.
    """
    if not path.exists():
        raise MissingError(
            f"{path} is not there", hint=f"give a recording or a folder with {RECORDING} in it"
        )
    if path.is_dir():
        if not (path / RECORDING).is_file():
            hint = "give a folder that longtake wrote with --judge"
            raise InputError(f"{path} holds no recording of a judge (no {RECORDING} in it)", hint=hint)
        return path / RECORDING
    regular(path)
    return path


def regular(path: Path) -> None:
    """Raises ``InputError`` for a pipe, a device or the like: reading one may never end."""
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is no regular file", hint="a recording is read as a whole, more than once")


def read_recording(path: Path) -> list[Recorded]:
    """All lines of a recording, in order. A last line without its end is what a killed run left: it is none.

    Raises:
        InputError: it cannot be read, or is no recording.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    found = []
    for number, line in enumerate(text.split(b"\n")[:-1], 1):
        try:
            found.append(Recorded.model_validate_json(line))
        except ValidationError as error:
            wrong = error.errors()[0]
            where = ".".join(["line " + str(number), *map(str, wrong["loc"])])
            raise InputError(
                f"{path} is no recording of a judge: {where}: {wrong['msg']}",
                hint=f"give the {RECORDING} of an output folder",
            ) from error
    if text and not found:
        raise InputError(f"{path} is no recording of a judge: it has no whole line")
    return found
