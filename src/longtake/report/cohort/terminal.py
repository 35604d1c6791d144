"""A cohort in a terminal: what it says, then the tables to read first."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from longtake.core.cohort import CohortDocument

from ..studies.terminal import print_findings, print_made
from ..words import one_line
from .sentences import verdicts
from .tables import tables
from .words import QUESTION, TITLE, made_with, taken


def print_cohort(document: CohortDocument, console: Console) -> None:
    """Print a sentence for each analysis, the tables, and what was left out."""
    sources = one_line(", ".join(document.sources), 120)
    console.print(Text(TITLE, style="bold"), Text(sources, style="dim"))
    console.print(Text(QUESTION, style="dim"))
    console.print()
    print_findings(verdicts(document), tables(document), document.notes, console)
    made = "; ".join(f"{name} {one_line(value, 120)}" for name, value in made_with(document))
    print_made(f"{taken(document)}; {made}", document.options, document.report, console)
