"""The output folder of a cohort: JSON, tables, figures, a page."""

from __future__ import annotations

from pathlib import Path

from longtake.core.cohort import CohortDocument
from longtake.storage.results import COHORT, Results
from longtake.storage.tables import write_csv

from ..studies.output import write_figures
from .figures import figures
from .page import page
from .rows import files

PAGE = "cohort.html"
DOCUMENT = "cohort.json"


def write(document: CohortDocument, folder: Path) -> CohortDocument:
    """Write all of a cohort into a folder, in the place of an earlier one's; the document with its path.

    Raises:
        OutputError: the folder cannot be written.
    """
    document = document.model_copy(update={"report": str(folder / PAGE)})
    results = Results(folder)
    with results.prepared():
        results.save_document(COHORT, document)
        results.write_text(DOCUMENT, document.model_dump_json(by_alias=True, indent=2) + "\n")
        for stale in folder.glob("by-*.csv"):
            stale.unlink()
        for name, rows in files(document).items():
            if rows:
                write_csv(folder / name, rows)
            else:
                (folder / name).unlink(missing_ok=True)
        write_page(document, results)
    return document


def write_page(document: CohortDocument, results: Results) -> None:
    """Draw the figures and write the page, from the document alone."""
    drawn = figures(document)
    write_figures(drawn, results)
    results.write_text(PAGE, page(document, drawn))


def rewrite(folder: Path) -> CohortDocument:
    """The figures and the page of a stored cohort again, from the folder alone; its document.

    Raises:
        InputError: the folder holds no cohort.
        OutputError: the folder cannot be written.
    """
    results = Results(folder)
    document = results.document(COHORT, CohortDocument).model_copy(update={"report": str(folder / PAGE)})
    write_page(document, results)
    return document
