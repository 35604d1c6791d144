"""What several questions to a judge have in common: the form of the reply, and what is kept of a bad one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import FiniteFloat, create_model

from ...core.judge import Verdict
from ...core.measurement import Evidence
from ...core.model import Record
from .measured import Fact
from .spans import LEAST_S, Span

MOST_KEPT = 300
"""Signs of a reply that is no answer which a result tells; all of it is in the recording."""


class Spot(Record):
    """A span that a judge points at, in seconds of the film, and what is to be seen there."""

    start: FiniteFloat
    end: FiniteFloat
    what: str


def record(name: str, **fields: Any) -> type[Record]:
    """The reply to the question ``name``: its id and these fields, each a type with what bounds it."""
    given: dict[str, Any] = {"id": (Literal[name], ...), **{n: (kind, ...) for n, kind in fields.items()}}
    return create_model("Answer", __base__=Record, **given)


def evidence_of(spots: Sequence[Spot], film: Span) -> list[Evidence]:
    """Spans that a judge named, cut where the film begins and ends; what lies outside of it is left out."""
    found = []
    for spot in spots:
        start, end = max(spot.start, film[0]), min(spot.end, film[1])
        if spot.start <= spot.end and start <= end:
            found.append(Evidence(start=start, end=max(end, min(start + LEAST_S, film[1])), what=spot.what))
    return sorted(found, key=lambda one: (one.start, one.end))


def reply_of(verdict: Verdict) -> dict[str, Fact]:
    """The reply that is no answer, as a fact; nothing where there was none, or it was one."""
    if verdict.status == "answered" or not verdict.raw:
        return {}
    said = " ".join(verdict.raw.split())
    return {"reply": said if len(said) <= MOST_KEPT else f"{said[: MOST_KEPT - 1]}…"}
