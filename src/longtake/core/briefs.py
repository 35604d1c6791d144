"""The document of ``longtake briefs``: which briefs there are, and what is wrong with some."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, FiniteFloat

from .model import Document, Record

Level = Literal["error", "warning"]


class BriefFacts(Record):
    """A brief in a line. ``shots`` counts planned shots; ``duration`` is the asked-for length in seconds."""

    id: str
    title: str | None = None
    video_type: str | None = None
    language: str | None = None
    duration: FiniteFloat | None = None
    shots: int = 0


class BriefProblem(Record):
    """Something to mend in a brief: where in it, what is wrong, and what to do.

    ``brief`` is the brief's id or the name of its file, empty for a whole set; ``place`` is a path inside it,
    such as ``shots[3].dialogue``. An error contradicts something; a warning is what is missing or unlikely.
    """

    brief: str
    place: str
    level: Level
    message: str
    hint: str


class BriefsDocument(Document):
    """``longtake briefs list`` and ``longtake briefs validate``.

    ``grounded`` counts, for each checkpoint of the rubric, the briefs that give it something to judge by; it
    is empty where that was not asked.
    """

    schema_: Literal["longtake.briefs/1"] = Field("longtake.briefs/1", alias="schema")
    briefs: list[BriefFacts] = []
    problems: list[BriefProblem] = []
    grounded: dict[str, int] = {}
