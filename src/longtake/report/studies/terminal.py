"""A study in a terminal: what it says of each evaluator, then the tables it rests on."""

from __future__ import annotations

from textwrap import wrap

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from longtake.core.meta import MetaDocument

from ..words import count, one_line
from .shown import BASELINE, Shown
from .tables import tables
from .words import QUESTIONS, TITLES, percent, verdicts

WORD_WIDTH, FIGURE_WIDTH, HEAD_WIDTH, GAP = 8, 30, 9, 2
"""Characters: a column of words keeps at least the first, one of figures folds beyond the second, its head
beyond the third; the last lie between columns."""
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
            f"{count(facts.used, 'row')} of {facts.rows:,} used; intervals at {percent(options['level'])},"
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
    longest = {i: max(len(row.cells[i]) for row in shown.rows) for i in columns}
    heads = {i: wrap(shown.columns[i], max(longest[i], HEAD_WIDTH)) for i in columns if i >= shown.words}
    figures = sum(max(longest[i], *map(len, head)) + GAP for i, head in heads.items())
    room = (console.width - figures) // shown.words - GAP
    for i in columns:
        if i in heads:
            table.add_column(Text("\n".join(heads[i])), justify="right", no_wrap=longest[i] <= FIGURE_WIDTH)
        else:
            least = min(longest[i], max(room, WORD_WIDTH))
            table.add_column(Text(shown.columns[i]), overflow="fold", min_width=least)
    for row in shown.rows[:ROWS_SHOWN]:
        cells = [Text(one_line(row.cells[i], 80)) for i in columns]
        table.add_row(*cells, style="dim" if row.kind == BASELINE else "")
    console.print(table)
    if len(shown.rows) > ROWS_SHOWN:
        more = count(len(shown.rows) - ROWS_SHOWN, "more row")
        console.print(Text(f"and {more}: --out DIR writes them", style="dim"))
    if shown.note:
        console.print(Text(shown.note, style="dim"))
