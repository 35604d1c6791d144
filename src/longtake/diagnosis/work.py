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
from ..core.judge import Question, Questioning
from ..core.judgement import Asked
from ..core.signal import Signals
from .asking import Noting
from .assess import Assessment, assess, outline
from .compat import aggregated
from .content import with_content
from .diagnose import gather, synthesise
from .facts import Facts
from .interval import overall_interval
from .material import Suspects
from .profiles import Profile
from .rubric import Checkpoint, ReportMetricSpec, Rubric, load_rubric
from .rules import REPORT_RULES, RULES, Rule
from .written import written_summary

SPECIALISTS: tuple[Dimension, ...] = ("script", "visual", "audio", "stability")
"""Phase 1: independent of each other, so any order gives the same result."""
CROSS_MODAL: tuple[Dimension, ...] = ("cross_modal",)
"""Phase 2: looks across the senses, after the specialists."""


@dataclass
class Work:
    """A measured film, what it was meant to be, whose eyes look, and the judge that is asked, if any.

    ``wanted`` are ids of checkpoints and report-level metrics. ``compat`` names another way of putting scores
    together that is shown beside ours, ``writes`` tells whether the judge writes a summary.
    """

    film: VideoEntry
    signals: Signals
    brief: Brief | None
    profile: Profile
    rubric: Rubric
    wanted: frozenset[str]
    questioning: Questioning | None = None
    compat: str | None = None
    writes: bool = True
    run: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.asked = Asked()
        """How the judge was asked in all phases that ended, in this process or before."""
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
            noting = Noting(self.questioning.asker)
            facts = with_content(facts, replace(self.questioning, asker=noting))
            self.asked = noting.asked
        self._keep(facts.attributes)
        return list(facts.attributes.values())

    def recall(self, attributes: Sequence[Mapping[str, Any]], asked: Mapping[str, Any]) -> None:
        """Take what phase 0 found, perhaps in another process."""
        if self._attributes is None:
            self.asked = Asked.model_validate(asked)
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
        return self._assess(dimension, suspects)

    def _assess(self, dimension: str, suspects: Suspects) -> Assessment:
        return assess(
            dimension,
            self.facts,
            self.rubric,
            self.wanted,
            _answering(RULES, self.rubric.checkpoints, load_rubric().checkpoints),
            _answering(REPORT_RULES, self.rubric.report_metrics, load_rubric().report_metrics),
            questioning=self.questioning,
            suspects=suspects,
        )

    def synthesis(self, found: Mapping[str, Assessment]) -> DiagnosisDocument:
        """Phase 3: aggregate, weigh, and say it."""
        ordered = [found[d] for d in (*SPECIALISTS, *CROSS_MODAL)]
        self.asked = sum((made.asked for made in ordered), self.asked)
        document = synthesise(self.facts, self.rubric, self.profile, ordered, self.run)
        more: dict[str, Any] = {
            "overall_interval": overall_interval(document, self.rubric, self.profile),
            "compat": aggregated(document, self.compat) if self.compat else None,
        }
        document = document.model_copy(update=more)
        if self.questioning is not None and self.writes:
            noting = Noting(self.questioning.asker)
            written = written_summary(document, noting)
            self.asked += noting.asked
            document = document.model_copy(update={"written": written})
        return document


def _answering(
    rules: Mapping[str, Rule],
    asked: Sequence[Checkpoint | ReportMetricSpec],
    ours: Sequence[Checkpoint | ReportMetricSpec],
) -> dict[str, Rule]:
    """The rules that answer what is asked: a user's question under an id of ours is another question."""
    questions = {item.id: item.question for item in ours}
    same = {item.id for item in asked if questions.get(item.id) == item.question}
    return {name: rule for name, rule in rules.items() if name in same}
