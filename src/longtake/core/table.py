"""A table as it was read from a file: rows of cells, and where each stands, for messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Form = Literal["csv", "jsonl", "json", "parquet"]
Row = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """Rows of a table. ``columns`` are all names there are, in order; a row may lack some in JSON.

    Empty cells are ``None``; else a cell is what the file holds, read with :mod:`longtake.core.cells`.
    ``numbers`` has, for each row, the line of the file it ends on (CSV, JSONL) or its place counted from 1.
    """

    source: str
    form: Form
    columns: tuple[str, ...]
    rows: Sequence[Row]
    numbers: Sequence[int] = field(repr=False)

    def where(self, index: int) -> str:
        """Where row ``index`` stands, for a message: ``line 7`` or ``row 7``."""
        return f"{'line' if self.form in ('csv', 'jsonl') else 'row'} {self.numbers[index]}"
