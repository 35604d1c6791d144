"""A study as one self-contained HTML page: no script, nothing from the network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from longtake.core.meta import MetaDocument

from ..words import one_line
from .drawing import Figure
from .tables import tables
from .words import QUESTIONS, TITLES, verdicts

MOST_ROWS = 400
"""Rows of one table on the page; figures.csv has all."""


def page(document: MetaDocument, figures: Sequence[Figure]) -> str:
    """The page as text."""
    env = Environment(
        loader=PackageLoader("longtake.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["line"] = one_line
    env.filters["safe_svg"] = Markup  # drawn by ourselves; names in it are escaped by the drawing library
    assert env.loader is not None
    return env.get_template("study.html.j2").render(
        doc=document,
        title=TITLES[document.study],
        question=QUESTIONS[document.study],
        verdicts=verdicts(document),
        tables=tables(document),
        figures=figures,
        options=[(name.replace("_", " "), _said(value)) for name, value in document.options.items()],
        most_rows=MOST_ROWS,
        css=Markup(env.loader.get_source(env, "study.css")[0]),
    )


def _said(value: Any) -> str:
    """An option in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{k}: {_said(v)}" for k, v in value.items()) or "none given"
    return str(value)
