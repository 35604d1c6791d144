"""A study as one self-contained HTML page: no script, nothing from the network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from longtake.core.meta import MetaDocument

from ..words import one_line
from .drawing import Figure
from .sentences import verdicts
from .tables import tables
from .words import OPTIONS, QUESTIONS, TITLES, taken

MOST_ROWS = 400
"""Rows of one table on the page; figures.csv has all."""
INTERVALS = (
    "bias-corrected and accelerated bootstrap (BCa) over whole sources, briefs or cases, so that what belongs"
    " together stays together; widened for few of them, and none under eight; where all of them"
    " agree on a share, Wilson's. The method of each figure is in figures.csv"
)
MOST_FIGURES = 8
"""Figures that lie open on the page; the others are folded up."""


def page(document: MetaDocument, figures: Sequence[Figure]) -> str:
    """The page as text."""
    return rendered(
        environment().get_template("study.html.j2"),
        doc=document,
        subject=document.table.source,
        title=TITLES[document.study],
        question=QUESTIONS[document.study],
        verdicts=verdicts(document),
        tables=tables(document),
        figures=figures,
        taken=taken(document.table),
        renamed=", ".join(f"{ours} is {theirs}" for ours, theirs in document.table.renamed.items()),
        options=_options(document),
    )


def environment() -> Environment:
    """What templates of studies are rendered with."""
    env = Environment(
        loader=PackageLoader("longtake.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["line"] = one_line
    env.filters["parted"] = _parted
    env.filters["safe_svg"] = Markup  # drawn by ourselves; names in it are escaped by the drawing library
    return env


def rendered(template: Template, **given: Any) -> str:
    """A page of a study or of a cohort: the style, and how much of it lies open, are the same."""
    env = template.environment
    assert env.loader is not None
    css = Markup(env.loader.get_source(env, "study.css")[0])
    return template.render(most_figures=MOST_FIGURES, most_rows=MOST_ROWS, css=css, **given)


def _parted(name: str) -> Markup:
    """A name that may be broken after its dots and underscores, and so not inside a word."""
    return Markup("<wbr>").join(re.findall(r"[^._]+[._]*|[._]+", one_line(name, 120)))


def _options(document: MetaDocument) -> list[tuple[str, str]]:
    """The options in words, and how the intervals were made."""
    said = []
    for name, value in document.options.items():
        if name == "higher_is_better":
            down = [evaluator for evaluator, up in value.items() if not up]
            said.append(("lower is better of", ", ".join(down) or "no evaluator"))
        else:
            said.append((OPTIONS.get(name, name.replace("_", " ")), _said(value)))
    return [*said, ("intervals", INTERVALS)]


def _said(value: Any) -> str:
    """An option in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{k}: {_said(v)}" for k, v in value.items()) or "none given"
    return str(value)
