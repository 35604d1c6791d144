"""Results of other people's evaluators, brought into our tables: ``longtake import``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, FiniteFloat

from .model import Document, Record
from .scores import SCORE_COLUMNS

Source = Literal["vbench", "vbench-long", "videoscore2"]
COLUMNS = (*SCORE_COLUMNS, "there")
"""Columns of the table that is written: those of ``scores.csv``, and what the file calls the film."""


class ImportedRow(Record):
    """One value of one film. ``there`` is what the file calls the film, ``None`` for a film of the manifest
    that the file does not have."""

    case: str
    evaluator: str
    system: str | None = None
    brief: str | None = None
    score: FiniteFloat | None
    status: Literal["scored", "unscored"]
    reason: str | None = None
    profile: str | None = None
    tags: list[str] = []
    there: str | None = None


class ImportedEvaluator(Record):
    """One evaluator of the file, ``SOURCE:DIMENSION``. ``value`` is the mean over the scored rows, ``told``
    what the file says in the same unit; ``difference`` is ``told`` less the mean over all films of the file,
    and ``why`` says where one is known to come from."""

    unit: str
    low: FiniteFloat | None
    high: FiniteFloat | None
    n: int
    n_asked: int
    value: FiniteFloat | None
    told: FiniteFloat | None = None
    difference: FiniteFloat | None = None
    why: str | None = None
    clip_s: FiniteFloat | None = Field(None, description="seconds of the clips it was measured on")
    flags: list[str] = []


class LeftOut(Record):
    """Something in the file that was not taken, and why."""

    what: str
    why: str


class ImportDocument(Document):
    """``longtake import``."""

    schema_: Literal["longtake.import/1"] = Field("longtake.import/1", alias="schema")
    source: Source
    file: str
    file_hash: str = Field(description="SHA-256 of the file")
    manifest: str | None = None
    table: str | None = Field(None, description="path of the table that was written")
    evaluators: dict[str, ImportedEvaluator]
    rows: list[ImportedRow]
    left_out: list[LeftOut] = []
    notes: list[str] = []
