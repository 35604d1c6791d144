"""A table of text, as the terminal and the page show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BASELINE = "quiet"
"""Kind of the rows that only guess or read a cue."""


@dataclass(frozen=True)
class Row:
    """One row; ``kind`` is ``quiet`` for what only stands beside."""

    cells: Sequence[str]
    kind: str = ""


@dataclass(frozen=True)
class Shown:
    """A table: ``words`` columns of text come first, the rest are figures. ``note`` says how to read it.

    ``narrow`` are the numbers of the columns that a terminal has room for, all if empty, and ``more`` says
    how to read the others; a ``detail`` is left to the page.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Row]
    words: int = 1
    note: str = ""
    more: str = ""
    narrow: Sequence[int] = ()
    detail: bool = False
