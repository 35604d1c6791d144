"""A cohort in a terminal: what it says, then the tables to read first."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from longtake.core.cohort import CohortDocument

from ..studies.terminal import print_table
from ..studies.words import percent
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
    for name, sentence in verdicts(document):
        console.print(Text.assemble((one_line(name, 60), "bold"), "  ", one_line(sentence, 1200)))
    for shown in tables(document):
        if not shown.detail:
            console.print()
            print_table(shown, console)
    console.print()
    for note in document.notes:
        console.print(Text(f"Note: {one_line(note, 400)}.", style="dim"))
    made = "; ".join(f"{name} {one_line(value, 120)}" for name, value in made_with(document))
    options = document.options
    console.print(
        Text(
            f"{taken(document)}; {made}; intervals at {percent(options['level'])},"
            f" {options['draws']:,} draws, seed {options['seed']}."
            + ("" if document.report else " --out DIR writes all tables, figures and a page."),
            style="dim",
        )
    )
