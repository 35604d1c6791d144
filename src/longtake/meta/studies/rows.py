"""Reading a table for a study: columns with checks, and a count of all that cannot be used as it is.

A cell that cannot be what its column says is an error with its place. What can be left out honestly is left
out and counted: :class:`Reading` keeps the count, which goes into the document.
"""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

from ...core import cells
from ...core.meta import DEFAULT_EVALUATOR, Counted, TableFacts, Unscored
from ...core.table import Table
from ...errors import InputError
from .messages import LIKE, apart, lacking

EXAMPLES = 5
"""Places that are named of each thing counted."""
MADE_BY = ("model", "proxy")
"""Columns of ``longtake score``: models that an evaluator ran, and whether it stood in for another."""
STATUSES = ("scored", "unscored", "not_applicable")
Cell = TypeVar("Cell")


@dataclass
class Reading:
    """A table on its way into a study.

    ``needs`` and ``may`` are the names of columns; ``facts`` maps the cell of column ``key`` to cells that
    fill in what the table leaves empty (of a pair manifest, say), from the tables named ``joined``. With
    ``closed``, rows whose key has no facts are left out and counted.

    Raises:
        InputError: the table has no rows or lacks a column.
    """

    table: Table
    needs: Sequence[str]
    may: Sequence[str] = ()
    key: str = "pair"
    facts: Mapping[str, Mapping[str, Any]] | None = None
    joined: Sequence[str] = ()
    closed: bool = True
    rows: list[int] = field(init=False)
    notes: list[str] = field(init=False, default_factory=list)
    _counts: dict[str, tuple[str, list[str], int]] = field(init=False, default_factory=dict)
    _not_finite: set[int] = field(init=False, default_factory=set)
    _valued: set[int] | None = field(init=False, default=None)
    _why: dict[int, tuple[str, str]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        if not self.table.rows:
            raise InputError(f"{self.table.source} has no rows", hint=f"columns: {', '.join(self.needs)}")
        made_by = (name for name in MADE_BY if name in self.table.columns)
        self.may = [*self.may, "evaluator", "status", "reason", *made_by]
        filled = {name for cell in (self.facts or {}).values() for name in cell}
        missing = [n for n in self.needs if n not in self.table.columns and n not in filled]
        if missing:
            message, hint = lacking(self.table, missing, self.needs, self.may)
            raise InputError(message, hint=hint)
        self.rows = list(range(len(self.table.rows)))
        for name in self.ignored:
            absent = [n for n in self.may if n not in self.table.columns]
            for near in difflib.get_close_matches(name, absent, n=1, cutoff=LIKE):
                self.notes.append(f"column {name!r} is not read; if {near!r} is meant, rename it")
        self.notes += [*self._mixed(), *self._stood_in()]
        if self.facts is not None and self.closed:
            known = self.facts
            keys = self.texts(self.key)
            self.keep(
                "unknown_pair" if self.key == "pair" else "unknown_case",
                f"rows of a {self.key} that is not in {' or '.join(self.joined)}, left out",
                lambda i: keys[i] in known,
            )

    def _mixed(self) -> list[str]:
        """A note on each evaluator whose rows are of different models: its figures would mix them."""
        if "model" not in self.table.columns:
            return []
        found: dict[str, dict[str, None]] = {}
        for row in self.table.rows:
            name = str(row.get("evaluator") or DEFAULT_EVALUATOR)
            found.setdefault(name, {})[str(row.get("model") or "no model")] = None
        return [
            f"rows of {name} were made with different models, and its figures mix them: {', '.join(models)}"
            for name, models in found.items()
            if len(models) > 1
        ]

    def _stood_in(self) -> list[str]:
        """A note on the evaluators that ran on a proxy: their figures are not those of the metric."""
        if "proxy" not in self.table.columns:
            return []
        found: dict[str, dict[str, None]] = {}
        for row in self.table.rows:
            if str(row.get("proxy") or "") == "yes":
                name = str(row.get("evaluator") or DEFAULT_EVALUATOR)
                found.setdefault(str(row.get("model") or "a proxy of its own"), {})[name] = None
        told = "; ".join(f"{', '.join(names)} ({model})" for model, names in found.items())
        return [f"ran on a proxy, whose figures are not those of the metric itself: {told}"] if told else []

    @property
    def ignored(self) -> list[str]:
        """Columns of the table that the study does not read."""
        return [n for n in self.table.columns if n not in self.read]

    @property
    def read(self) -> list[str]:
        """Columns that the study reads, where they are there."""
        return [*self.needs, *self.may]

    def has(self, name: str) -> bool:
        """Whether the column is in the table, or filled in."""
        filled = any(name in cell for cell in (self.facts or {}).values())
        return name in self.table.columns or filled

    def fail(self, message: str, *rows: int, hint: str | None = None) -> NoReturn:
        """Raise the error that these rows make."""
        where = " and ".join(self.table.where(row) for row in rows)
        raise InputError(f"{self.table.source}, {where}: {message}", hint=hint)

    def count(self, kind: str, what: str, *examples: str) -> None:
        """One more of this kind."""
        _, found, n = self._counts.get(kind, (what, [], 0))
        self._counts[kind] = (what, [*found, *examples][:EXAMPLES], n + 1)

    def keep(self, kind: str, what: str, good: Callable[[int], bool]) -> None:
        """Leave out the rows that are not good, and count them."""
        for row in self.rows:
            if not good(row):
                self.count(kind, what, self.table.where(row))
        self.rows = [row for row in self.rows if good(row)]

    def _cells(self, name: str, read: Callable[[Any], Cell | None]) -> dict[int, Cell | None]:
        column: dict[int, Cell | None] = {}
        for row in self.rows:
            value = self._cell(row, name, self.table.rows[row].get(name), read)
            if self.facts is not None and name != self.key:
                key = self._cell(row, self.key, self.table.rows[row].get(self.key), cells.text)
                given = self._cell(row, name, self.facts.get(key or "", {}).get(name), read)
                if value is None:
                    value = given
                elif given is not None and given != value:
                    other = f"{cells.short(given)} in {' or '.join(self.joined)}"
                    self.fail(f"{name} is {cells.short(value)}, but {other}", row)
            column[row] = value
        return column

    def _cell(self, row: int, name: str, cell: Any, read: Callable[[Any], Cell | None]) -> Cell | None:
        try:
            return read(cell)
        except ValueError as error:
            self.fail(f"{name} {error}", row)

    def texts(self, name: str) -> dict[int, str]:
        """A column of texts, none of them empty, by row."""
        return {row: self._given(row, name, cell) for row, cell in self._cells(name, cells.text).items()}

    def maybe_texts(self, name: str) -> dict[int, str | None]:
        """A column of texts; ``None`` where empty, or everywhere if there is no such column."""
        return self._cells(name, cells.text)

    def values(self, name: str, read: Callable[[Any], Cell | None]) -> dict[int, Cell | None]:
        """A column that ``read`` understands; it raises ``ValueError`` with what is wrong."""
        return self._cells(name, read)

    def _given(self, row: int, name: str, cell: Cell | None) -> Cell:
        if cell is None:
            self.fail(f"{name} is empty", row)
        return cell

    def numbers(self, name: str) -> dict[int, float]:
        """A column of finite numbers, none of them missing."""
        column = {r: self._given(r, name, c) for r, c in self._cells(name, cells.number).items()}
        for row, value in column.items():
            if not math.isfinite(value):
                self.fail(f"{name} is {value}, not a finite number", row)
        return column

    def scores(self, name: str) -> dict[int, float]:
        """A column of numbers, NaN where empty; what is not finite is NaN too, and counted."""
        column = {r: math.nan if c is None else c for r, c in self._cells(name, cells.number).items()}
        empty = {r for r in self.rows if self._blank(r, name)}
        for row, value in column.items():
            if not math.isfinite(value):
                column[row] = math.nan
                if row not in empty:
                    self._not_finite.add(row)
                    what = f"{name} is not a finite number; counts as missing"
                    self.count(f"not_finite_{name}", what, self.table.where(row))
        return column

    def _blank(self, row: int, name: str) -> bool:
        cell = self.table.rows[row].get(name)
        return cell is None or (isinstance(cell, str) and not cell.strip())

    def words(self, name: str, allowed: Sequence[str], hint: str | None = None) -> dict[int, str | None]:
        """A column of a few words, in any case of letters; ``None`` where empty."""
        known = {word.lower(): word for word in allowed}
        column = {}
        for row, cell in self._cells(name, cells.text).items():
            if cell is not None and cell.lower() not in known:
                said = f"{name} is {cells.short(cell)}, none of {', '.join(allowed)}"
                self.fail(said, row, hint=hint)
            column[row] = None if cell is None else known[cell.lower()]
        return column

    def evaluators(self) -> dict[int, str]:
        """Who scored each row; ``score`` where nobody is named."""
        return {r: name or DEFAULT_EVALUATOR for r, name in self.maybe_texts("evaluator").items()}

    def unscored(self, *values: Mapping[int, Any]) -> set[int]:
        """Rows whose status says that they were not scored; those that do not apply are left out.

        ``values`` are the columns of what a row scores: a status that contradicts them is an error, except
        that what stands beside ``unscored`` is counted and not used (some tools write a 0 there).
        """
        status = self.words("status", STATUSES)
        reason, evaluator = self.maybe_texts("reason"), self.evaluators()
        out = set()
        self._valued = set()
        for row in self.rows:
            there = any(v[row] is not None and v[row] == v[row] for v in values)
            if status[row] == "unscored":
                out.add(row)
                if there:
                    what = "a value beside the status unscored, not used"
                    self.count("unscored_with_value", what, self.table.where(row))
            elif status[row] == "scored" and not there and row not in self._not_finite:
                self.fail("the status is scored, but there is no value", row)
            if there and row not in out:
                self._valued.add(row)
            elif (why := reason[row]) is not None:
                self._why[row] = evaluator[row], why
        self.keep(
            "not_applicable",
            "rows that do not apply, left out",
            lambda row: status[row] != "not_applicable",
        )
        return out

    def once(self, keys: Mapping[int, Hashable], values: Mapping[int, Any], named: str) -> None:
        """Keep each key once. Rows that say the same again are counted; rows that contradict are an error."""
        first: dict[Hashable, int] = {}
        doubled = set()
        for row in self.rows:
            before = first.setdefault(keys[row], row)
            if before == row:
                continue
            if not _same(values[before], values[row]):
                said = f"{named} stands twice and differs{apart(self.table, self.read, before, row)}"
                self.fail(said, before, row, hint="keep one of the rows")
            doubled.add(row)
        self.keep("doubled", "rows that say the same again, used once", lambda row: row not in doubled)

    def agree(
        self, keys: Mapping[int, Hashable], columns: Mapping[str, Mapping[int, Any]], named: str
    ) -> None:
        """What the columns say of one key is the same in all its rows; ``named`` is what a key is.

        Raises:
            InputError: it is not; the message names the column and two rows.
        """
        first: dict[Hashable, int] = {}
        for row in self.rows:
            before = first.setdefault(keys[row], row)
            if before == row:
                continue
            for name, column in columns.items():
                if not _same(column[before], column[row]):
                    said = f"{name} of one {named} is not the same{apart(self.table, (name,), before, row)}"
                    self.fail(said, before, row)

    def table_facts(self, used: int) -> TableFacts:
        """What the document says of the table; ``used`` rows of it went into the study."""
        return TableFacts(
            source=self.table.source,
            form=self.table.form,
            rows=len(self.table.rows),
            used=used,
            valued=None if self._valued is None else len(self._valued.intersection(self.rows)),
            unscored=self._unscored(),
            columns=[n for n in self.read if self.has(n)],
            ignored=self.ignored,
            joined=list(self.joined),
            counted=[
                Counted(kind=kind, what=what, rows=n, examples=found)
                for kind, (what, found, n) in self._counts.items()
            ],
        )

    def _unscored(self) -> dict[str, list[Unscored]]:
        """By evaluator the reasons that its rows without a value give, most frequent first."""
        kept = set(self.rows)
        times = Counter(why for row, why in self._why.items() if row in kept)
        out: dict[str, list[Unscored]] = {}
        for (evaluator, reason), n in times.most_common():
            out.setdefault(evaluator, []).append(Unscored(reason=reason, rows=n))
        return out


def facts_by(table: Table, key: str) -> dict[str, dict[str, Any]]:
    """The rows of a table by their cell in column ``key``, to fill in the cells of another table.

    Raises:
        InputError: there is no such column, a cell of it is empty, or two rows of one key differ.
    """
    reading = Reading(table, (key,), [n for n in table.columns if n != key], key)
    keys = reading.texts(key)
    reading.once(keys, {r: str(sorted(table.rows[r].items())) for r in reading.rows}, f"this {key}")
    return {keys[r]: {n: c for n, c in table.rows[r].items() if n != key} for r in reading.rows}


def _same(a: Any, b: Any) -> bool:
    """Equality in which NaN equals NaN: nothing said twice is no contradiction."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b) or bool(a != a and b != b)
