"""A cohort as one self-contained HTML page: no script, nothing from the network."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.core.cohort import CohortDocument

from ..studies.drawing import Figure
from ..studies.page import environment, rendered
from .sentences import verdicts
from .tables import tables
from .words import QUESTION, TITLE, made_with, taken

INTERVALS = (
    "bias-corrected and accelerated bootstrap (BCa) over whole briefs, so that films of one brief stay"
    " together; widened for few of them, and none under eight; where all of them agree on a share, Wilson's."
    " The method of each figure is in the CSV files"
)


def page(document: CohortDocument, figures: Sequence[Figure]) -> str:
    """The page as text."""
    options = [(name, _said(value)) for name, value in document.options.items()]
    return rendered(
        environment().get_template("cohort.html.j2"),
        doc=document,
        title=TITLE,
        question=QUESTION,
        subject=", ".join(document.sources),
        taken=taken(document),
        verdicts=verdicts(document),
        tables=tables(document),
        figures=figures,
        record=[*made_with(document), ("overall score for", document.profile), *options,
                ("intervals", INTERVALS)],
    )  # fmt: skip


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
