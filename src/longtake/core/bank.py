"""A bank of films that people have scored, beside which a judge scores another one (Long-CODE's set B)."""

from __future__ import annotations

import base64
import binascii
from typing import Literal

from pydantic import Field, FiniteFloat, field_validator

from .model import Document, Record, Seconds

LOWEST, HIGHEST = 1.0, 5.0
"""Ends of the scale on which people score."""
JPEG = b"\xff\xd8\xff"


class ReferencePicture(Record):
    """The picture in the middle of a shot, small: a JPEG in base64."""

    time: Seconds
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    jpeg: str

    @field_validator("jpeg")
    @classmethod
    def _picture(cls, value: str) -> str:
        try:
            begins = base64.b64decode(value, validate=True)[:3]
        except binascii.Error:
            raise ValueError("is no base64") from None
        if begins != JPEG:
            raise ValueError("is no JPEG")
        return value

    @property
    def bytes(self) -> bytes:
        """The JPEG."""
        return base64.b64decode(self.jpeg)


class Reference(Record):
    """A film of the bank. ``film`` and ``brief`` are the hashes by which it is recognised, so that it is
    never shown beside itself or beside a film of the same brief; ``score`` is people's mean, ``summary`` what
    ``judge`` made of it."""

    case: str
    film: str
    brief: str
    score: FiniteFloat = Field(ge=LOWEST, le=HIGHEST)
    n_ratings: int = Field(1, ge=1)
    summary: str = Field(min_length=1)
    judge: str | None = None
    pictures: list[ReferencePicture] = Field(min_length=1)


class Bank(Document):
    """``longtake bank``: the references, in the order of their cases' names."""

    schema_: Literal["longtake.bank/1"] = Field("longtake.bank/1", alias="schema")
    prompts: str = Field("", description="hash of the prompts with which the summaries were written")
    references: list[Reference] = Field(min_length=1)


class LeftOutOfBank(Record):
    """A rated case that is not in the bank, and why."""

    case: str
    reason: str


class BankedDocument(Document):
    """What ``longtake bank --json`` prints: where the bank is and who is in it."""

    schema_: Literal["longtake.banked/1"] = Field("longtake.banked/1", alias="schema")
    out: str
    sha256: str
    cases: dict[str, FiniteFloat] = Field(description="people's mean score of each case")
    thirds: list[int] = Field(description="cases in each third of the range of scores, lowest first")
    left_out: list[LeftOutOfBank] = []
    bytes: int
