"""What a perturbation changed: the record that every damaged copy comes with."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, FiniteFloat

from .model import Document, Record, Seconds, Share

Level = Literal["weak", "medium", "strong"]


class Span(Record):
    """From ``start`` to ``end`` in seconds, half open."""

    start: Seconds
    end: Seconds


class Change(Record):
    """One changed span: where it was in the source, where it is in the output, what was done to it.

    ``source`` is ``None`` for what was added, ``output`` for what was removed. ``aspects`` name the
    checkpoints and aspects that ought to suffer.
    """

    source: Span | None
    output: Span | None
    what: str
    aspects: list[str]


class ChangeRecord(Document):
    """``longtake perturb``: which copy, which control, and exactly what differs between them."""

    schema_: Literal["longtake.perturb/1"] = Field("longtake.perturb/1", alias="schema")
    source: str = Field(description="hash of the source film")
    output: str
    control: str | None
    operator: str
    strength: FiniteFloat
    level: Level | None
    seed: int
    mode: Literal["partial", "full"] = "full"
    why_full: str | None = Field(None, description="why both copies were encoded whole")
    sound: Literal["none", "copied", "cut", "encoded"] = Field(
        "encoded", description="what became of the sound, in both copies alike"
    )
    changed: list[Change]
    encoded: list[Span]
    share_changed: Share = Field(0.0, description="share of the source's length that was changed")
    brief: str | None = Field(None, description="path of the brief to judge the output by, if it is another")
    spared: list[str] = Field([], description="checkpoints and aspects that ought not to suffer")
    proxies: list[str] = Field([], description="what stood in for a model")
    facts: dict[str, FiniteFloat | int | str | bool | None] = {}
    given: str | None = Field(
        None, description="digest of what the operator was given: brief, clips, pool, other film, models"
    )
    duration_in: Seconds
    duration_out: Seconds
