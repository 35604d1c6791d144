"""A study in a terminal: what it says of each evaluator, then the tables it rests on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from textwrap import wrap
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from longtake.core.meta import MetaDocument

from ..words import count, one_line
from .sentences import verdicts
from .shown import BASELINE, Shown
from .tables import tables
from .words import QUESTIONS, TITLES, percent, taken

WORD_WIDTH, FIGURE_WIDTH, HEAD_WIDTH, GAP = 8, 30, 9, 2
"""Characters: a column of words keeps at least the first, one of figures folds beyond the second, its head
beyond the third (never inside a word); the last lie between columns."""
ROWS_SHOWN = 40
"""Rows of one table that are printed; the output folder has all."""


def print_study(document: MetaDocument, console: Console) -> None:
    """Print the question, a sentence for each evaluator, the tables to read first, and what was left out."""
    facts = document.table
    console.print(Text(TITLES[document.study], style="bold"), Text(one_line(facts.source, 120), style="dim"))
    console.print(Text(QUESTIONS[document.study], style="dim"))
    console.print()
    print_findings(verdicts(document), tables(document), document.notes, console)
    print_made(taken(facts), document.options, document.report, console)


def print_findings(
    said: Iterable[tuple[str, str]], shown: Iterable[Shown], notes: Iterable[str], console: Console
) -> None:
    """Print sentences with whom they are about, the tables that are no details, and notes."""
    for name, sentence in said:
        console.print(Text.assemble((one_line(name, 60), "bold"), "  ", one_line(sentence, 1200)))
    for table in shown:
        if not table.detail:
            console.print()
            print_table(table, console)
    console.print()
    for note in notes:
        console.print(Text(f"Note: {one_line(note, 400)}.", style="dim"))


def print_made(made: str, options: Mapping[str, Any], report: str | None, console: Console) -> None:
    """Print from what all this was made, and how."""
    console.print(
        Text(
            f"{made}; intervals at {percent(options['level'])},"
            f" {options['draws']:,} draws, seed {options['seed']}."
            + ("" if report else " --out DIR writes all tables, figures and a page."),
            style="dim",
        )
    )


def print_table(shown: Shown, console: Console) -> None:
    """Print one table with its note, folded to the width of the console."""
    table = Table(
        title=shown.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False,
        collapse_padding=True,
    )  # fmt: skip
    columns = shown.narrow or range(len(shown.columns))
    rows = shown.rows[:ROWS_SHOWN]
    cells = {i: [one_line(row.cells[i], 160) for row in rows] for i in columns}
    longest = {i: max(map(len, cells[i])) for i in columns}
    heads = {
        i: wrap(shown.columns[i], max(longest[i], HEAD_WIDTH), break_long_words=False)
        for i in columns
        if i >= shown.words
    }
    figures = {i: min(max(longest[i], *map(len, head)), FIGURE_WIDTH) for i, head in heads.items()}
    words = [i for i in columns if i < shown.words]
    needed = [max(longest[i], len(shown.columns[i])) for i in words]
    room = console.width - sum(figures.values()) - GAP * (len(figures) + len(words))
    widths = dict(zip(words, shares(needed, room), strict=True)) | figures
    for i in columns:
        head, justify = (heads[i], "right") if i in heads else (folded(shown.columns[i], widths[i]), "left")
        table.add_column(Text("\n".join(head)), justify=justify, min_width=widths[i])  # type: ignore[arg-type]
    for k, row in enumerate(rows):
        line = [Text("\n".join(folded(cells[i][k], widths[i]))) for i in columns]
        table.add_row(*line, style="dim" if row.kind == BASELINE else "")
    console.print(table)
    if len(shown.rows) > ROWS_SHOWN:
        more = count(len(shown.rows) - ROWS_SHOWN, "more row")
        console.print(Text(f"and {more}: --out DIR writes them", style="dim"))
    if shown.note:
        console.print(Text(shown.note, style="dim"))


def shares(needed: list[int], room: int) -> list[int]:
    """Widths of columns that share ``room`` characters: none more than it needs, none under WORD_WIDTH."""
    widths = [0] * len(needed)
    for place, i in enumerate(sorted(range(len(needed)), key=needed.__getitem__)):
        fair = (room - sum(widths)) // (len(needed) - place)
        widths[i] = min(needed[i], max(fair, WORD_WIDTH))
    return widths


def folded(text: str, width: int) -> list[str]:
    """A cell in lines, parted after blanks, dots and underscores; inside a word only where it must be."""
    lines = [""]
    for part in re.findall(r"[^ ._/-]*[ ._/-]*", text):
        if len((lines[-1] + part).rstrip()) > width and lines[-1]:
            lines.append("")
        lines[-1] += part
        while len(lines[-1].rstrip()) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return [line.rstrip() for line in lines]
