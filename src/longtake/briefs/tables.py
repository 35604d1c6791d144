"""CSV: ``start,end,text`` with or without a header, by commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
import io

from ..core.brief import Brief
from .build import build
from .fields import normal
from .reading import Reading
from .shots import (
    CAMERA,
    CHARACTERS,
    DIALOGUE,
    DURATION,
    END,
    ID,
    LIGHTING,
    NARRATION,
    SCENE,
    SHOT_TYPE,
    START,
    TEXT,
    shot_from,
)
from .times import seconds

DELIMITERS = ",;\t|"
EDIT_COLUMNS = {"in": "start", "out": "end", "from": "start", "to": "end"}
COLUMNS = {
    *EDIT_COLUMNS,
    *START,
    *END,
    *DURATION,
    *TEXT,
    *ID,
    *SCENE,
    *CAMERA,
    *SHOT_TYPE,
    *LIGHTING,
    *CHARACTERS,
    *DIALOGUE,
    *NARRATION,
    "start_ms",
    "end_ms",
    "duration_ms",
    "index",
}


def _rows(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True, skipinitialspace=True)
    return [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]


def _is_time(cell: str) -> bool:
    try:
        seconds(cell)
    except ValueError:
        return False
    return True


def _header(row: list[str]) -> bool:
    names = {normal(cell) for cell in row}
    return (
        len(row) > 1
        and bool(names & {*EDIT_COLUMNS, *START, *END, *DURATION, *TEXT, "start_ms"})
        and len(names & COLUMNS) > 1
    )


def delimiter_of(text: str, least_lines: int = 2) -> str | None:
    """The delimiter under which the text is a table of ours: a known header, or rows of two times."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < least_lines:
        return None
    for delimiter in DELIMITERS:
        try:
            first = [row for _, row in _rows(lines[0], delimiter)]
            if first and _header(first[0]):
                return delimiter
            rows = [row for _, row in _rows("\n".join(lines[:20]), delimiter)]
        except csv.Error:
            continue
        if rows and all(len(row) >= 2 and _is_time(row[0]) and _is_time(row[1]) for row in rows[:3]):
            return delimiter
    return None


def read_table(text: str, reading: Reading) -> Brief:
    """One planned shot per row; columns of other names are kept in ``extra``.

    Raises:
        InputError: no such table, or damaged quoting.
    """
    delimiter = delimiter_of(text, least_lines=1)
    if delimiter is None:
        hint = "write start,end,text rows, with a header or without"
        raise reading.error("", "not a table of planned shots", hint=hint)
    try:
        rows = _rows(text, delimiter)
    except csv.Error as error:
        raise reading.error("", f"not readable as CSV: {error}") from None
    names = ["start", "end", "text"]
    if _header(rows[0][1]):
        names = [cell.strip() for cell in rows[0][1]]
        rows = rows[1:]
    drafts = []
    for position, (line, row) in enumerate(rows):
        record = _record(names, row, line, reading)
        if record.get("index") == str(position):
            del record["index"]  # says no more than the order does
        drafts.append(shot_from(record, f"line {line}", reading))
    return build(reading, "csv", drafts)


def _record(names: list[str], row: list[str], line: int, reading: Reading) -> dict[str, str]:
    record: dict[str, str] = {}
    for i, cell in enumerate(row):
        if not cell.strip():
            continue
        name = names[i] if i < len(names) and names[i] else f"column_{i + 1}"
        name = EDIT_COLUMNS.get(name.lower(), name)
        if name in record:
            raise reading.error(f"line {line}", f"two columns are called {name!r}")
        record[name] = cell.strip()
    return record
