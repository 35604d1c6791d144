"""What can be seen and heard in a film, as the documents tell it: faces, words, text, scenes."""

from __future__ import annotations

from typing import Any

from pydantic import Field, FiniteFloat

from .model import Record, Seconds, Share
from .signal import ToolStatus


class Appearance(Record):
    """One face followed inside one shot. The box is where it was seen best, in shares of the picture."""

    track: int = Field(description="row of the signal faces")
    shot: int | None
    start: Seconds
    end: Seconds
    time: Seconds | None = Field(None, description="when it was seen best")
    x: FiniteFloat | None = None
    y: FiniteFloat | None = None
    width: FiniteFloat | None = None
    height: FiniteFloat | None = None
    score: Share | None = Field(None, description="how sure the detector was that this is a face")
    sure: Share | None = Field(None, description="how sure it is that this is the same person")


class CastMember(Record):
    """Appearances of one face. ``person`` is a number, never a name; ``None`` where nobody was told apart."""

    person: int | None
    seconds: FiniteFloat = Field(description="time in view, appearances that overlap counted once")
    sure: Share | None = Field(None, description="mean of the appearances, by their length")
    appearances: list[Appearance]


class Word(Record):
    """One word that was heard."""

    text: str
    start: Seconds
    end: Seconds
    confidence: Share | None = None


class Utterance(Record):
    """A stretch of the transcript with its words; without text where a voice was not understood, and why."""

    start: Seconds
    end: Seconds
    text: str
    confidence: Share | None = None
    words: list[Word] = []
    reason: str | None = None


class ScreenText(Record):
    """Text in the picture and how long it stands. The box is in shares of the picture."""

    text: str
    start: Seconds
    end: Seconds
    sure: bool | None = Field(None, description="whether it is more than a guess")
    confidence: Share | None = Field(None, description="the reader's score, no probability")
    stability: Share | None = Field(None, description="likeness of its readings, look to look")
    x: FiniteFloat | None = None
    y: FiniteFloat | None = None
    width: FiniteFloat | None = None
    height: FiniteFloat | None = None


class Span(Record):
    """A stretch of time; ``value`` is how likely or how sure, where that was measured."""

    start: Seconds
    end: Seconds
    value: FiniteFloat | None = None


class LipSync(Record):
    """A stretch in which a mouth is seen while somebody speaks; ``lag`` is told only where it is sure."""

    start: Seconds
    end: Seconds
    person: int | None
    lag: FiniteFloat | None = Field(None, description="seconds by which the sound is late; negative: early")
    margin: FiniteFloat | None = Field(None, description="how far the match is above that of other sound")
    sure: bool = False


class SeenThing(Record):
    """A kind of thing, and at how many looks it was found."""

    label: str
    looks: int
    first: Seconds
    last: Seconds
    confidence: Share | None = Field(None, description="highest score of its detections, no probability")


class ShotLikeness(Record):
    """How alike shots are, every pair once; ``null`` where a pair was not compared.

    Row ``i`` compares ``shots[i]`` with ``shots[0]`` to ``shots[i-1]``.
    """

    shots: list[int]
    likeness: list[list[FiniteFloat | None]]
    same_scene: list[list[Share | None]] = []
    left_out: int = Field(0, description="shots that are not among them, to keep the table small")


class Basis(Record):
    """What a list of the diagnosis rests on, or why it is empty; ``note`` says how far to trust it."""

    status: ToolStatus
    reason: str | None = None
    model: str | None = None
    note: str | None = None
    facts: dict[str, Any] = {}
