"""What evaluators said of films and of pairs of films: ``longtake score`` and ``longtake evaluators``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field, FiniteFloat

from .evaluator import Card, Choice, Order, Setting
from .judgement import JudgeFacts
from .measurement import Evidence, Measurement
from .model import Document, Record, Seconds
from .tools import ModelUsed

SCORE_COLUMNS = (
    "case",
    "evaluator",
    "system",
    "brief",
    "score",
    "status",
    "reason",
    "profile",
    "tags",
    "brief_id",
    "video_type",
    "cut_off",
    "model",
    "proxy",
)
"""Columns of a table with one score in a row: ``scores.csv``, and what ``longtake import`` writes."""


class CaseResult(Record):
    """What one evaluator says of one case: the measurements of its card, in its order, and its details."""

    case: str
    evaluator: str
    measurements: list[Measurement]
    details: list[Measurement] = Field([], description="parts that stand beside; no study compares them")


def by_name(results: Iterable[CaseResult]) -> dict[tuple[str, str], Measurement]:
    """Measurements by case and name: an evaluator's first as itself, the others as ``diagnosis.visual``."""
    return {
        (result.case, f"{result.evaluator}.{m.name}" if i else result.evaluator): m
        for result in results
        for i, m in enumerate(result.measurements)
    }


class PairResult(Record):
    """Which film of a pair an evaluator prefers: ``a`` is the undamaged one, however they were shown.

    ``evidence`` are spans of film b on its clock, ``evidence_a`` of film a. ``score_a`` and ``score_b`` are
    there where two scores were compared, turned so that higher is better. Of an evaluator that gives several
    quantities each is compared: those after its first under the name ``EVALUATOR.QUANTITY``.
    """

    pair: str
    evaluator: str
    order: Order
    choice: Choice | None
    status: Literal["scored", "unscored"]
    reason: str | None
    evidence: list[Evidence] = []
    evidence_a: list[Evidence] = []
    score_a: FiniteFloat | None = None
    score_b: FiniteFloat | None = None
    facts: dict[str, FiniteFloat | int | str | bool | None] = {}


class ScoredCase(Record):
    """One film with its brief. Without a ``hash`` it could not be read, and ``reason`` says why.

    ``brief`` is its file as the manifest names it, or ``prompt`` where it is given as a text; the three below
    it are of its content, so that the same brief is known again wherever it lies.
    """

    case: str
    video: str
    hash: str | None
    start: Seconds | None = None
    end: Seconds | None = None
    brief: str | None = None
    brief_id: str | None = Field(None, description="id that the brief gives itself")
    brief_hash: str | None = Field(None, description="SHA-256 of the brief as it was understood")
    video_type: str | None = None
    system: str | None = None
    profile: str | None = None
    tags: list[str] = []
    reason: str | None = None


class ScoredPair(Record):
    """A pair with the cases that its films are in ``results``."""

    pair: str
    source: str
    aspect: str
    case_a: str
    case_b: str


class Scored(Record):
    """How many were scored of those asked, and their mean; ``value`` is ``None`` where none was.

    What does not apply was not asked. ``n_cut_off`` of the ``n`` rest on a judge that did not answer all: a
    budget was spent, or no reply came. ``low`` and ``high`` are the ends of the mean's interval at ``level``,
    made by ``method``; where there is none, ``no_interval`` says why.
    """

    name: str
    n: int
    n_asked: int
    n_not_applicable: int = 0
    n_cut_off: int = 0
    value: FiniteFloat | None = None
    low: FiniteFloat | None = None
    high: FiniteFloat | None = None
    level: FiniteFloat | None = None
    method: str | None = None
    no_interval: str | None = None
    unit: str = ""


class EvaluatorSummary(Record):
    """One evaluator in this run, or a further quantity of one (``EVALUATOR.QUANTITY``).

    ``score`` is its score over all cases, ``score_a`` and ``score_b`` over the undamaged films of pairs and
    over the damaged ones, ``preferences`` over all questions.
    """

    version: int
    proxy: str = Field("", description="what it stands in for, empty where it is the thing itself")
    score: Scored | None = None
    score_a: Scored | None = None
    score_b: Scored | None = None
    preferences: Scored | None = Field(
        None, description="`value` is the share of a among the scored, ties half"
    )
    signals: list[str] = Field([], description="signals that it read, with version and model")
    models: list[ModelUsed] = Field([], description="models that it ran itself, by role")
    settings: dict[str, Setting] = Field({}, description="its parameters")


class Failure(Record):
    """Something that should have worked and did not. ``evaluator`` is ``None`` for a film or a tool."""

    case: str | None = None
    pair: str | None = None
    evaluator: str | None = None
    tool: str | None = None
    backend: bool = False
    reason: str


class ScoreDocument(Document):
    """``longtake score``."""

    schema_: Literal["longtake.score/1"] = Field("longtake.score/1", alias="schema")
    results: list[CaseResult]
    preferences: list[PairResult] = []
    cases: list[ScoredCase] = []
    pairs: list[ScoredPair] = []
    evaluators: dict[str, EvaluatorSummary] = {}
    failures: list[Failure] = []
    notes: list[str] = []
    run: dict[str, Any] = Field({}, description="how this was made: arguments, versions, git revision")
    judge: JudgeFacts | None = None
    out: str | None = Field(None, description="folder with the tables, where one was given")


class KindEntry(Record):
    """A kind of model that may fill a role: how it is named (``--model ROLE=NAME``), what it stands for where
    it is a proxy, the licence of its weights (empty: not known, or without weights), and what else must be
    said where its numbers are shown."""

    name: str
    stands_for: str = ""
    licence: str = ""
    note: str = ""


class RoleEntry(Record):
    """A role that a model fills for an evaluator: the kinds of models that may, the one that does where the
    user names none, and what that stands for where it is a proxy."""

    role: str
    doc: str = ""
    default: str | None = None
    stands_for: str = ""
    kinds: list[KindEntry] = []


class EvaluatorEntry(Record):
    """An evaluator: where it is defined, its card, and who may fill the roles that the card names."""

    name: str
    target: str
    where: str
    card: Card
    roles: list[RoleEntry] = []


class EvaluatorsDocument(Document):
    """``longtake evaluators``: what can be asked, with cards."""

    schema_: Literal["longtake.evaluators/1"] = Field("longtake.evaluators/1", alias="schema")
    evaluators: list[EvaluatorEntry]
