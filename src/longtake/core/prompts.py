"""Personalised prompts: what a film is to be, said in the words of one profile."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .documents import Dimension
from .judge import VerdictStatus
from .model import Document, Record


class Rejection(Record):
    """One of the nine criteria that a prompt failed, and why this prompt did. ``by``: who found it."""

    number: int = Field(ge=1, le=9)
    id: str
    reason: str
    by: Literal["rule", "judge"] = "rule"


class PromptAttempt(Record):
    """A prompt that was written, and all that was held against it.

    ``prompt`` is ``None`` where the judge gave no answer; ``status`` and ``reason`` say how it ended.
    """

    draw: int = Field(0, description="index of the draw: each new one is another random choice of the judge")
    status: VerdictStatus = "answered"
    reason: str | None = None
    prompt: str | None
    rejections: list[Rejection] = []
    unasked: list[int] = Field([], description="criteria on which the judge was asked and gave no answer")


class PromptFact(Record):
    """Something the brief says that every prompt for it has to say too."""

    id: str
    dimension: Dimension
    text: str
    found: bool


class LeftOutFact(Record):
    """Something the brief says for which no prompt of its language has room; the same for all profiles."""

    id: str
    dimension: Dimension
    text: str


class PromptBrief(Record):
    """The brief for which a prompt was written."""

    id: str | None
    title: str | None
    source: str


class PromptWriter(Record):
    """Who wrote: ``longtake`` (its rules), or a judge with the ids its server reported."""

    name: str
    models: list[str] = []


class PromptDocument(Document):
    """``longtake prompt``: one brief, one profile. Without ``prompt`` every attempt was rejected."""

    schema_: Literal["longtake.prompt/1"] = Field("longtake.prompt/1", alias="schema")
    brief: PromptBrief
    profile: dict[str, Any]
    language: str = Field(description="ISO 639-1")
    writer: PromptWriter
    status: Literal["ok", "failed"]
    prompt: str | None
    characters: int | None = Field(description="of the prompt, as Unicode characters")
    limit: int = Field(description="most characters in this language")
    facts: list[PromptFact]
    left_out: list[LeftOutFact] = []
    shortened: list[Dimension] = Field([], description="dimensions told in fewer words than the brief's")
    notes: list[str] = Field([], description="where the brief and a demand of the profile are at odds")
    attempts: list[PromptAttempt]


class PromptsDocument(Document):
    """``longtake prompt --all-profiles``. ``same_facts`` tells whether the prompts that were not rejected say
    the same of the brief; ``None`` for fewer than two of them."""

    schema_: Literal["longtake.prompts/1"] = Field("longtake.prompts/1", alias="schema")
    prompts: list[PromptDocument]
    same_facts: bool | None
