"""What follows from a diagnosis: a written summary, a plan of repair, what became of an earlier version."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, FiniteFloat

from .measurement import Evidence, Status
from .model import Record, Seconds, Share

Action = Literal[
    "regenerate",
    "regenerate_character",
    "bridge",
    "retime",
    "recut",
    "relight",
    "regrade",
    "rerecord",
    "remix",
    "resync",
    "rewrite",
    "extend",
    "trim",
    "review",
]
"""What a workflow may do. ``review``: a person has to look first."""


class Repair(Record):
    """One thing to do, for one weak checkpoint: in which shots, and a directive that can be acted on.

    ``shots`` are indices of measured shots, ``planned`` of planned ones; both empty where it concerns the
    whole film. ``join`` is the pair of shots between which something has to be bridged.
    """

    checkpoint: str
    action: Action
    directive: str
    shots: list[int] = []
    planned: list[int] = []
    join: tuple[int, int] | None = None
    start: Seconds | None = None
    end: Seconds | None = None
    value: Share | None
    priority: FiniteFloat = Field(description="(1 - value) x weight x confidence, as bottlenecks are ordered")
    evidence: list[Evidence] = []


class Claim(Record):
    """A sentence and the checkpoints or report-level metrics that it rests on."""

    text: str
    checkpoints: list[str]


class Removed(Record):
    """A sentence that was taken out, and why."""

    text: str
    why: str


class Written(Record):
    """A summary in the judge's words. What names no result of the report is removed and listed."""

    status: Status
    reason: str | None = None
    claims: list[Claim] = []
    removed: list[Removed] = []
    model: str | None = None


class PointChange(Record):
    """One checkpoint, metric or score before and after."""

    id: str
    kind: Literal["checkpoint", "report_metric", "submetric", "dimension", "overall"]
    change: Literal["mended", "better", "same", "worse", "broken", "appeared", "vanished", "not_comparable"]
    old: Share | None
    new: Share | None
    reason: str | None = None
    gone: list[Evidence] = Field(
        [], description="evidence of the old version that the new one lacks, its clock"
    )
    came: list[Evidence] = Field([], description="evidence that the new version has in addition")


class Comparison(Record):
    """What a new version mended or broke. ``differs`` names fields of the two runs that are not alike."""

    old: str = Field(description="name and hash of the version it is held against")
    differs: list[str] = []
    changes: list[PointChange] = []


class Aggregation(Record):
    """Scores put together in another way; ``how`` says in words by what formulas."""

    id: str
    how: str
    dimensions: dict[str, Share | None]
    overall: Share | None
    reason: str | None = None
    weights: dict[str, Any] = {}
