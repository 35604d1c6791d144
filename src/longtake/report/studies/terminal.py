"""A study in a terminal: what it says of each evaluator, then the tables it rests on."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from longtake.core.meta import MetaDocument

from ..words import count, one_line
from .shown import BASELINE, Shown
from .tables import tables
from .words import QUESTIONS, TITLES, verdicts

ROWS_SHOWN = 40
"""Rows of one table that are printed; the output folder has all."""


def print_study(document: MetaDocument, console: Console) -> None:
    """Print the question, a sentence for each evaluator, the tables to read first, and what was left out."""
    facts = document.table
    console.print(Text(TITLES[document.study], style="bold"), Text(one_line(facts.source, 120), style="dim"))
    console.print(Text(QUESTIONS[document.study], style="dim"))
    console.print()
    for name, sentence in verdicts(document):
        console.print(Text.assemble((one_line(name, 60), "bold"), "  ", one_line(sentence, 1200)))
    for shown in tables(document):
        if not shown.detail:
            console.print()
            _print(shown, console)
    console.print()
    for note in document.notes:
        console.print(Text(f"Note: {one_line(note, 400)}.", style="dim"))
    options = document.options
    console.print(
        Text(
            f"{count(facts.used, 'row')} of {facts.rows:,} used; intervals at {options['level']:.0%},"
            f" {options['draws']:,} draws, seed {options['seed']}."
            + ("" if document.report else " --out DIR writes all tables, figures and a page."),
            style="dim",
        )
    )


def _print(shown: Shown, console: Console) -> None:
    table = Table(
        title=shown.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False,
        collapse_padding=True,
    )  # fmt: skip
    columns = shown.narrow or range(len(shown.columns))
    for i in columns:
        figures = i >= shown.words
        table.add_column(
            Text(shown.columns[i]), justify="right" if figures else "left", overflow="fold", no_wrap=figures
        )
    for row in shown.rows[:ROWS_SHOWN]:
        cells = [Text(one_line(row.cells[i], 80)) for i in columns]
        table.add_row(*cells, style="dim" if row.kind == BASELINE else "")
    console.print(table)
    if len(shown.rows) > ROWS_SHOWN:
        more = count(len(shown.rows) - ROWS_SHOWN, "more row")
        console.print(Text(f"and {more}: --out DIR writes them", style="dim"))
    if shown.note:
        console.print(Text(shown.note, style="dim"))
