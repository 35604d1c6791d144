"""The output folder of a study: JSON, tables, figures, a page."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longtake.core.meta import MetaDocument
from longtake.core.studies import FilterResult
from longtake.core.table import Table
from longtake.storage.results import STUDY, Results
from longtake.storage.tables import write_csv

from .drawing import Figure
from .figures import figures
from .page import page
from .rows import COLUMNS, figure_rows

PAGE = "study.html"
DOCUMENT = "study.json"
FIGURES = "figures"
FACTS = ("aspect", "source", "strength", "changed", "share_changed", "duration")
"""What ``kept.csv`` takes over of a pair; not its paths, which are relative to another place."""


def write(document: MetaDocument, folder: Path, pairs: Table | None = None) -> MetaDocument:
    """Write all of a study into a folder, in the place of an earlier one's; the document with its path.

    ``figures.csv`` has every figure, ``left-out.csv`` what could not be used, and of the human filter
    ``kept.csv`` the candidates (the pairs of ``pairs``) with a column ``kept``.

    Raises:
        OutputError: the folder cannot be written.
    """
    document = document.model_copy(update={"report": str(folder / PAGE)})
    results = Results(folder)
    with results.prepared():
        results.save_document(STUDY, document)
        results.write_text(DOCUMENT, document.model_dump_json(by_alias=True, indent=2) + "\n")
        write_csv(folder / "figures.csv", figure_rows(document), COLUMNS)
        left_out = [{**c.model_dump(), "examples": ", ".join(c.examples)} for c in document.table.counted]
        write_csv(folder / "left-out.csv", left_out, ("kind", "rows", "what", "examples"))
        kept = _kept(document, pairs)
        if kept:
            write_csv(folder / "kept.csv", kept)
        write_page(document, results)
    return document


def write_page(document: MetaDocument, results: Results) -> None:
    """Draw the figures and write the page, from the document alone."""
    drawn = figures(document)
    write_figures(drawn, results)
    results.write_text(PAGE, page(document, drawn))


def write_figures(drawn: Sequence[Figure], results: Results) -> None:
    """Write figures into their folder, in the place of earlier ones."""
    shutil.rmtree(results.folder / FIGURES, ignore_errors=True)
    for figure in drawn:
        results.write_text(f"{FIGURES}/{figure.name}.svg", figure.svg)


def rewrite(folder: Path) -> MetaDocument:
    """The figures and the page of a stored study again, from the folder alone; its document.

    Raises:
        InputError: the folder holds no study.
        OutputError: the folder cannot be written.
    """
    results = Results(folder)
    document = results.document(STUDY, MetaDocument).model_copy(update={"report": str(folder / PAGE)})
    write_page(document, results)
    return document


def _kept(document: MetaDocument, pairs: Table | None) -> Sequence[dict[str, Any]]:
    """The candidates with whether they are kept, if there was one filter."""
    found = [e for e in document.evaluators.values() if isinstance(e, FilterResult)]
    if len(found) != 1:
        return []
    kept = set(found[0].kept)
    rows: dict[str, dict[str, Any]] = {}
    for row in pairs.rows if pairs is not None else []:
        pair = str(row.get("pair")).strip()
        facts = {name: cell for name, cell in row.items() if name in FACTS}
        rows.setdefault(pair, {"pair": pair, **facts, "kept": pair in kept})
    return list(rows.values())
