"""What a film was meant to be."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, FiniteFloat

from .model import Document, Record
from .wording import silent

SUITE = "suite:"
"""What a built-in brief's id has before it where a brief is named beside paths."""


def _worded(text: str) -> str:
    return "" if silent(text) else text


Said = Annotated[str, AfterValidator(_worded)]
"""A text of a brief; one of blanks and signs without width is empty."""


class Note(Record):
    """Something a reader wants its user to know: where in the source, and what."""

    path: str
    message: str
    level: Literal["info", "warning"] = "info"


class PlannedShot(Record):
    """A shot as planned. Times are seconds on the film's clock; what the source did not say is ``None``."""

    index: int = Field(ge=0)
    id: str | None = None
    text: Said = ""
    start: FiniteFloat | None = None
    end: FiniteFloat | None = None
    duration: FiniteFloat | None = None
    scene: str | None = None
    camera: str | None = None
    lighting: str | None = None
    characters: list[str] = []
    dialogue: str | None = None
    narration: str | None = None
    extra: dict[str, Any] = {}


class Line(Record):
    """Words that are said or shown at a time, as in subtitles. Seconds on the film's clock."""

    start: FiniteFloat
    end: FiniteFloat
    text: str = ""
    speaker: str | None = None
    id: str | None = None
    extra: dict[str, Any] = {}


class Act(Record):
    """A part of the story: setup, conflict, resolution or any other."""

    name: str
    text: str


class Character(Record):
    """Somebody or something that has to stay recognisable."""

    name: str
    description: str = ""


class SoundWishes(Record):
    """What the brief asks of the sound. ``None`` means that it does not say."""

    dialogue: bool | None = None
    narration: bool | None = None
    music: str | None = None
    sound_effects: list[str] = []
    lip_sync: bool | None = None
    tone: str | None = None
    languages: list[str] = []
    extra: dict[str, Any] = {}


class Brief(Document):
    """One schema for a plain prompt, shot lists, captions, scripts and timelines.

    ``source`` names the shape it was read from, ``notes`` say what was taken with a repair and what was
    not understood, with the path inside the source; unknown keys are kept in ``extra``.
    """

    schema_: Literal["longtake.brief/1"] = Field("longtake.brief/1", alias="schema")
    source: str = "text"
    id: str | None = None
    title: str | None = None
    instruction: Said | None = None
    language: str | None = None
    video_type: str | None = None
    duration: FiniteFloat | None = Field(None, gt=0, description="asked-for length in seconds")
    shots: list[PlannedShot] = []
    lines: list[Line] = Field([], description="what is said, with its times; no planned shots")
    acts: list[Act] = []
    characters: list[Character] = []
    consistency: list[str] = []
    camera: list[str] = []
    sound: SoundWishes = SoundWishes()
    notes: list[Note] = []
    extra: dict[str, Any] = {}

    @property
    def hash(self) -> str:
        """SHA-256 of what it says, the same from whichever shape and file it was read."""
        said = self.model_dump(mode="json", exclude={"longtake", "source", "notes"})
        return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    @property
    def planned_duration(self) -> float | None:
        """The asked-for length, else the end of the last planned shot, else the sum of planned durations."""
        if self.duration is not None:
            return self.duration
        ends = [s.end for s in self.shots if s.end is not None]
        if ends:
            return max(ends)
        lengths = [s.duration for s in self.shots]
        return sum(x for x in lengths if x is not None) if lengths and None not in lengths else None
