"""A value, or nothing with a reason; always with what it rests on."""

from __future__ import annotations

from typing import Literal

from pydantic import FiniteFloat, model_validator

from .model import Record, Seconds, Share

Status = Literal["scored", "not_applicable", "unscored"]


class Evidence(Record):
    """A span to go and look at, and what was seen there.

    ``about`` names the thing where others may tell of it too (``length``, ``planned shot 4``), so that one
    fact is told once.
    """

    start: Seconds
    end: Seconds
    what: str
    about: str | None = None


class Measurement(Record):
    """What an evaluator or a rule says. ``value`` is there exactly when ``status`` is ``scored``.

    ``low`` and ``high`` are the ends of its range, ``None`` where it has none; a value outside is an error.
    ``higher_is_better`` is ``None`` where neither end is better. ``confidence`` is how far the tools beneath
    are to be trusted on this film, where they say so.
    """

    name: str
    status: Status
    value: FiniteFloat | None = None
    low: FiniteFloat | None = 0.0
    high: FiniteFloat | None = 1.0
    higher_is_better: bool | None = True
    reason: str | None = None
    confidence: Share | None = None
    evidence: list[Evidence] = []
    facts: dict[str, FiniteFloat | int | str | bool | None] = {}

    @model_validator(mode="after")
    def _value_or_reason(self) -> Measurement:
        if (self.status == "scored") != (self.value is not None):
            raise ValueError("a value is given exactly when the status is 'scored'")
        if self.status != "scored" and not self.reason:
            raise ValueError("what is not scored needs a reason")
        if self.value is not None and not (
            (self.low is None or self.low <= self.value) and (self.high is None or self.value <= self.high)
        ):
            raise ValueError(f"{self.name} is {self.value}, outside of {self.low} to {self.high}")
        return self
