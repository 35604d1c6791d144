"""What many diagnoses say together: ``longtake cohort``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, FiniteFloat

from .documents import Dimension
from .interval import Interval
from .meta import Counted
from .model import Document, Record, Share

Kind = Literal["overall", "dimension", "submetric", "checkpoint", "report_metric"]
FAMILIES: tuple[tuple[Kind, ...], ...] = (
    ("checkpoint", "report_metric"),
    ("submetric",),
    ("overall", "dimension"),
)
"""Kinds of figure whose cells share one correction for many claims: they say the same thing three times, once
in detail and twice summed up, so that each level stands for itself."""


class Metric(Record):
    """Something that a diagnosis gives a value in [0, 1]. ``overall`` alone has no dimension."""

    id: str
    kind: Kind
    dimension: Dimension | None = None


class CohortCase(Record):
    """A film that went in, with what it is grouped by; ``reason`` is why it could not be read."""

    case: str
    source: str
    brief: str
    columns: dict[str, str] = Field({}, description="system, video_type, profile and the tags KEY=VALUE")
    reason: str | None = None


class Cell(Record):
    """One metric of one group.

    ``mean`` is over the group's films. ``deviation`` is that mean less the mean over the groups of their
    means, ``p`` tests it against 0 and ``p_holm`` is corrected for the cells of its family. ``finding`` is
    there where the interval leaves out 0 and the corrected p is below 1 less the level.
    """

    metric: str
    kind: Kind
    dimension: Dimension | None
    group: str
    mean: Interval
    n_not_applicable: int
    deviation: Interval | None = None
    p: Share | None = None
    p_holm: Share | None = None
    finding: Literal["above", "below"] | None = None


class GroupFigures(Record):
    """Every metric by the groups of one column. ``reason`` says why there are no deviations.

    ``briefs`` is how many briefs the films have, ``shared_briefs`` for how many every group has a film: over
    those the groups are compared pair by pair.
    """

    by: str
    groups: dict[str, int] = Field(description="films of each")
    briefs: int
    shared_briefs: int
    cells: list[Cell]
    reason: str | None = None


class Ranked(Record):
    """A metric over all films. ``n`` of the mean are the scored ones; what does not apply was not asked."""

    metric: str
    kind: Kind
    dimension: Dimension | None
    mean: Interval
    n_not_applicable: int


class ProfileRange(Record):
    """The overall score of one film over the profiles, without the factor of hard constraints and with it.

    ``spread`` is the highest less the lowest. It comes of weighing the same dimensions otherwise, so it is at
    most ``dimension_range``, the highest dimension less the lowest. ``n`` is how many profiles have a score.
    """

    case: str
    n: int
    low: Share | None = None
    low_profile: str | None = None
    high: Share | None = None
    high_profile: str | None = None
    spread: Share | None = None
    dimension_low: Dimension | None = None
    dimension_high: Dimension | None = None
    dimension_range: Share | None = None
    low_with_constraints: Share | None = None
    high_with_constraints: Share | None = None
    spread_with_constraints: Share | None = None
    reason: str | None = None


class ProfileFigures(Record):
    """How far the overall score depends on whose eyes look. ``cases`` are in order of their spread.

    ``sensitive`` is the share of films whose spread is above ``sensitive_from``.
    """

    profiles: list[str]
    cases: list[ProfileRange]
    spread: Interval
    spread_with_constraints: Interval
    dimension_range: Interval
    sensitive: Interval
    sensitive_from: FiniteFloat


class CohortDocument(Document):
    """``longtake cohort``."""

    schema_: Literal["longtake.cohort/1"] = Field("longtake.cohort/1", alias="schema")
    sources: list[str]
    cases: list[CohortCase]
    made_with: dict[str, Any] = Field(description="rubric, judge, signals: the same for all cases")
    profile: str = Field(description="through whose eyes the overall score is")
    groups: list[GroupFigures]
    ranking: list[Ranked]
    types: GroupFigures | None = None
    profiles: ProfileFigures
    counted: list[Counted] = Field([], description="what could not be used as it is")
    options: dict[str, Any] = {}
    notes: list[str] = []
    report: str | None = Field(None, description="path of the HTML page")
