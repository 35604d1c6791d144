"""The document of ``longtake meta``: what a study says of each evaluator, and of the table it rests on."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .model import Document, Record
from .studies import (
    Agreement,
    CorrelationDifference,
    EvaluatorCorrelation,
    EvaluatorLocalisation,
    EvaluatorPairwise,
    EvaluatorSensitivity,
    FilterResult,
    PairwiseDifference,
)

Study = Literal["sensitivity", "pairwise", "localisation", "correlation", "filter"]
STUDIES: tuple[Study, ...] = ("sensitivity", "pairwise", "localisation", "correlation", "filter")


DEFAULT_EVALUATOR = "score"
"""The evaluator of a table that names none."""


class Counted(Record):
    """Something in the table that a study could not use as it is: how often, and where first.

    ``rows`` counts rows of the table; where a row is lacking (``missing_order``) it counts what lacks, and of
    ``incomplete`` the films that a family of damage is without.
    """

    kind: str
    what: str = Field(description="in words, and what became of it")
    rows: int
    examples: list[str] = Field(description="places in the table, or names")


class Unscored(Record):
    """A reason that the table gives for what was not scored, and in how many rows."""

    reason: str
    rows: int


class TableFacts(Record):
    """The table a study read. ``used`` rows were taken up, unanswered ones among them.

    ``valued`` of them have a score, an answer, spans or a vote.
    """

    source: str
    form: str
    rows: int
    used: int
    valued: int | None = None
    columns: list[str] = Field(description="those that were read")
    ignored: list[str] = Field(description="those that were not read")
    joined: list[str] = Field([], description="tables that cells were filled in from")
    counted: list[Counted]
    unscored: dict[str, list[Unscored]] = Field({}, description="by evaluator, most frequent first")
    renamed: dict[str, str] = Field({}, description="names of columns, and what the table calls them")


class MetaDocument(Document):
    """``longtake meta``: figures with interval and n by evaluator.

    What stands under an evaluator depends on ``study``. ``differences`` are between evaluators on the same
    rows, ``agreement`` is among raters, where single ratings were given.
    """

    schema_: Literal["longtake.meta/1"] = Field("longtake.meta/1", alias="schema")
    study: Study
    table: TableFacts
    options: dict[str, Any] = Field(description="as they were used, defaults too")
    evaluators: dict[
        str,
        EvaluatorSensitivity
        | EvaluatorPairwise
        | EvaluatorLocalisation
        | EvaluatorCorrelation
        | FilterResult,
    ]
    differences: list[PairwiseDifference] | list[CorrelationDifference] = []
    agreement: Agreement | None = None
    filtered: bool | None = Field(None, description="whether people's votes on the pairs were known")
    notes: list[str] = []
    report: str | None = Field(None, description="path of the HTML report")
