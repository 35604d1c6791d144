"""What is said of a table that does not fit: columns that lack, rows that contradict each other."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from ...core import cells
from ...core.table import Table

LIKE = 0.7
"""Names of columns at least so alike are asked after, by difflib's ratio."""
PLACES = ("evaluator", "pair", "case", "aspect", "family", "strength", "order", "rater")
"""Columns that a message names a row by."""


def apart(table: Table, columns: Sequence[str], first: int, second: int) -> str:
    """What two rows are about, and what they say differently: `` (judge, p1: choice is 'a' and 'b')``."""
    one, other = table.rows[first], table.rows[second]
    about = [str(one[n]) for n in PLACES if one.get(n) is not None and one[n] == other.get(n)]
    unlike = [
        f"{n} is {cells.short(one.get(n))} and {cells.short(other.get(n))}"
        for n in columns
        if one.get(n) != other.get(n)
    ]
    return f" ({', '.join(about)}: {'; '.join(unlike)})" if unlike else ""


def lacking(
    table: Table, missing: Sequence[str], needs: Sequence[str], may: Sequence[str]
) -> tuple[str, str]:
    """What to say of columns that are not there, with names of the table that come near."""
    spare = [name for name in table.columns if name not in needs and name not in may]
    said = []
    for name in missing:
        near = difflib.get_close_matches(name, spare, n=1, cutoff=LIKE)
        said.append(f"{name} (is {near[0]!r} meant?)" if near else name)
    return (
        f"{table.source} lacks the column{'s' if len(missing) > 1 else ''} {', '.join(said)}",
        f"it has: {', '.join(table.columns) or 'none'}; it needs: {', '.join(needs)}"
        "; --column NAME=THEIRS takes a column of another name",
    )
