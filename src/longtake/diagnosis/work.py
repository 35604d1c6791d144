"""One diagnosis: what it works with, and its phases as plain calls for an engine to make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import Any

from ..core.brief import Brief
from ..core.documents import (
    Attribute,
    CheckpointResult,
    DiagnosisDocument,
    Dimension,
    ReportMetric,
    VideoEntry,
)
from ..core.judge import Material, Question, Questioning
from ..core.signal import Signals
from .assess import Assessment, assess, outline
from .compat import aggregated
from .content import with_content
from .diagnose import gather, synthesise
from .facts import Facts
from .interval import overall_interval
from .material import candidates_of
from .profiles import Profile
from .rubric import Rubric
from .written import written_summary

SPECIALISTS: tuple[Dimension, ...] = ("script", "visual", "audio", "stability")
"""Phase 1: independent of each other, so any order gives the same result."""
CROSS_MODAL: tuple[Dimension, ...] = ("cross_modal",)
"""Phase 2: looks across the senses, after the specialists."""


@dataclass
class Work:
    """A measured film, what it was meant to be, whose eyes look, and the judge that is asked, if any.

    ``wanted`` are ids of checkpoints and report-level metrics. ``compat`` names another way of putting scores
    together that is shown beside ours.
    """

    film: VideoEntry
    signals: Signals
    brief: Brief | None
    profile: Profile
    rubric: Rubric
    wanted: frozenset[str]
    questioning: Questioning | None = None
    compat: str | None = None
    run: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._attributes: dict[str, Attribute] | None = None

    @cached_property
    def _gathered(self) -> Facts:
        return gather(self.film, self.signals, self.brief)

    @property
    def facts(self) -> Facts:
        """What is known, with the content attributes that phase 0 found."""
        with self._lock:
            known = self._attributes
            return self._gathered if known is None else replace(self._gathered, attributes=known)

    def outline(self) -> list[Question]:
        """All that the judge may be asked, but for the summary; nothing without a judge."""
        if self.questioning is None:
            return []
        return outline(self._gathered, self.rubric, self.wanted, self.questioning)

    def preprocess(self) -> list[Attribute]:
        """Phase 0: content attributes from signals and, with a judge, from a quick look."""
        facts = self._gathered
        if self.questioning is not None:
            facts = with_content(facts, self.questioning)
        self._keep(facts.attributes)
        return list(facts.attributes.values())

    def recall(self, attributes: Sequence[Mapping[str, Any]]) -> None:
        """Take the attributes that phase 0 found, perhaps in another process."""
        if self._attributes is None:
            self._keep({a.id: a for a in map(Attribute.model_validate, attributes)})

    def _keep(self, attributes: Mapping[str, Attribute]) -> None:
        with self._lock:
            self._attributes = dict(attributes)

    def specialist(self, dimension: str) -> Assessment:
        """Phase 1: one dimension alone."""
        return self._assess(dimension, ())

    def cross_modal(self, dimension: str, found: Mapping[str, Assessment]) -> Assessment:
        """Phase 2: what phase 1 found is there for the judge to verify."""
        results: list[CheckpointResult | ReportMetric] = []
        for made in found.values():
            results += [*made.checkpoints, *made.metrics]
        suspects = [(r.id, r.evidence) for r in results if r.value is not None]
        return self._assess(dimension, candidates_of(suspects) if self.questioning is not None else ())

    def _assess(self, dimension: str, candidates: Sequence[Material]) -> Assessment:
        return assess(
            dimension,
            self.facts,
            self.rubric,
            self.wanted,
            questioning=self.questioning,
            candidates=candidates,
        )

    def synthesis(self, found: Mapping[str, Assessment]) -> DiagnosisDocument:
        """Phase 3: aggregate, weigh, and say it."""
        ordered = [found[d] for d in (*SPECIALISTS, *CROSS_MODAL)]
        document = synthesise(self.facts, self.rubric, self.profile, ordered, self.run)
        more: dict[str, Any] = {
            "overall_interval": overall_interval(document, self.rubric, self.profile),
            "compat": aggregated(document, self.compat) if self.compat else None,
        }
        document = document.model_copy(update=more)
        if self.questioning is not None:
            written = written_summary(document, self.questioning.asker)
            document = document.model_copy(update={"written": written})
        return document
