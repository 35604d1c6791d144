"""Tables in files: CSV, JSONL, a JSON list, Parquet; read with the place of every row, written by rename.

A cell is what the file holds: text in CSV, typed values elsewhere; :mod:`longtake.core.cells` reads them.
Empty cells are ``None``. DuckDB reads and writes Parquet (decision 0011); it is imported only where a
Parquet file is met, and it never loads an extension or opens anything but the named file.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import stat
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.table import Form, Row, Table
from ..errors import InputError
from .cache import replacing

if TYPE_CHECKING:
    import duckdb

DELIMITERS = ",;\t|"
PARQUET_MAGIC = b"PAR1"
MAX_BYTES = 2 << 30
"""Largest table that is read, in bytes: it is held in memory as a whole."""
_MARKS = (  # UTF-32 first: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_rows(path: Path) -> list[Row]:
    """The rows of a table; see :func:`read_table`."""
    return list(read_table(path).rows)


def read_table(path: Path) -> Table:
    """Read a table; what kind of file it is, its content tells.

    CSV may have a byte-order mark, any line ends, and commas, semicolons, tabs or bars between the cells.

    Raises:
        InputError: the file cannot be read, or is no table.
    """
    data = table_bytes(path)
    if data.startswith(PARQUET_MAGIC) or path.suffix.lower() in (".parquet", ".pq"):
        return _parquet(path)
    return parse_table(_decoded(data, path), path.name, csv_only=path.suffix.lower() in (".csv", ".tsv"))


def parse_table(text: str, source: str, *, csv_only: bool = False) -> Table:
    """A table from its text: JSON, JSONL or CSV. ``source`` names it in messages.

    Raises:
        InputError: it is no table.
    """
    begin = text.lstrip()[:1]
    if not begin:
        raise InputError(f"{source} is empty", hint="a table has a line of column names and rows below")
    if csv_only or begin not in "{[":
        return _csv(text, source)
    if begin == "[":
        return _json_list(text, source)
    return _jsonl(text, source)


def table_bytes(path: Path) -> bytes:
    """The bytes of a table's file.

    Raises:
        InputError: missing, unreadable, not a regular file, or above :data:`MAX_BYTES`.
    """
    try:
        state = path.stat()
        if stat.S_ISDIR(state.st_mode):
            raise InputError(
                f"{path} is a folder, not a table", hint="give a CSV, JSONL, JSON or Parquet file"
            )
        if not stat.S_ISREG(state.st_mode):
            raise InputError(f"{path} is a pipe or a device", hint="save its content to a file and give that")
        if state.st_size > MAX_BYTES:
            raise InputError(
                f"{path} has {state.st_size / 1e9:.1f} GB; at most {MAX_BYTES / 1e9:.1f} are read"
            )
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"the table {path} cannot be read: {reason}", hint="check the path") from None


def _decoded(data: bytes, path: Path) -> str:
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not text in UTF-8 (byte {error.start + 1})",
            hint="save the table as CSV in UTF-8, or as Parquet",
        ) from None
    if "\0" in text:
        raise InputError(f"{path} is not a table: it holds NUL characters", hint="give CSV, JSON or Parquet")
    return text


def _csv(text: str, source: str) -> Table:
    first = next(line for line in text.splitlines() if line.strip())
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(first), strict=True)
    columns: tuple[str, ...] | None = None
    rows: list[Row] = []
    numbers: list[int] = []
    limit = csv.field_size_limit(len(text) + 1)
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if columns is None:
                columns = _names(cells, source)
                continue
            if len(cells) != len(columns):
                raise InputError(
                    f"{source}, line {reader.line_num}: {len(cells)} cells under {len(columns)} column names",
                    hint="put quotes round a cell that holds the character between the cells",
                )
            rows.append({n: cell if cell.strip() else None for n, cell in zip(columns, cells, strict=True)})
            numbers.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"{source}, line {reader.line_num}: {error}") from None
    finally:
        csv.field_size_limit(limit)
    return Table(source, "csv", columns or (), rows, numbers)


def _delimiter(header: str) -> str:
    """The character between the cells: the most frequent one outside of quotes in the line of names."""
    bare = "".join(part for i, part in enumerate(header.split('"')) if i % 2 == 0)
    return max(DELIMITERS, key=bare.count)


def _names(cells: Sequence[str], source: str) -> tuple[str, ...]:
    names = [cell.strip() for cell in cells]
    for i, name in enumerate(names):
        if not name:
            raise InputError(f"{source}: column {i + 1} has no name", hint="name it, or leave it out")
        if name in names[:i]:
            raise InputError(
                f"{source} has two columns named {name!r}", hint="rename or leave out one of them"
            )
    return tuple(names)


def _json_list(text: str, source: str) -> Table:
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source} is not JSON: {error}") from None
    return _objects(items, source, "json", range(1, len(items) + 1))


def _jsonl(text: str, source: str) -> Table:
    """Lines of objects; one object over several lines is a table of one row."""
    items: list[Any] = []
    numbers: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):  # JSON may hold other line ends inside a string
        if not line.strip():
            continue
        try:
            items.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            if not items and (whole := _one_object(text)) is not None:
                return _objects([whole], source, "json", [1])
            raise InputError(f"{source}, line {number} is not JSON: {error}") from None
        numbers.append(number)
    return _objects(items, source, "jsonl", numbers)


def _one_object(text: str) -> Row | None:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return whole if isinstance(whole, dict) else None


def _objects(items: Sequence[Any], source: str, form: Form, numbers: Sequence[int]) -> Table:
    columns: dict[str, None] = {}
    for item, number in zip(items, numbers, strict=True):
        if not isinstance(item, dict):
            raise InputError(
                f"{source}: item {number} is not a row of named cells", hint='write rows as {"column": value}'
            )
        columns.update(dict.fromkeys(item))
    blank = [{k: None if isinstance(v, str) and not v.strip() else v for k, v in i.items()} for i in items]
    return Table(source, form, tuple(columns), blank, numbers)


def _connect() -> duckdb.DuckDBPyConnection:
    import duckdb

    extensions = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    return duckdb.connect(config={**extensions, "threads": 1})


def _literal(path: Path) -> str:
    """The path with the characters escaped that would be a pattern of names."""
    return "".join(f"[{c}]" if c in "[*?" else c for c in os.fspath(path.absolute()))


def _parquet(path: Path) -> Table:
    import duckdb

    try:
        with _connect() as db:
            found = db.execute("SELECT * FROM read_parquet(?)", [_literal(path)])
            columns = tuple(str(column[0]) for column in found.description or ())
            values = found.fetchall()
    except duckdb.Error as error:
        raise InputError(f"{path} is not a Parquet table: {str(error).splitlines()[0]}") from None
    rows = [{k: _plain(v) for k, v in zip(columns, row, strict=True)} for row in values]
    return Table(path.name, "parquet", columns, rows, range(1, len(rows) + 1))


def _plain(value: Any) -> Any:
    """A cell of Parquet as JSON would hold it; empty text is an empty cell, as in the other forms."""
    if isinstance(value, str):
        return value if value.strip() else None
    if value is None or isinstance(value, (bool, int, float, list, dict)):
        return value
    return float(value) if type(value).__name__ == "Decimal" else str(value)


def _columns_of(rows: Sequence[Mapping[str, Any]], columns: Iterable[str] | None) -> list[str]:
    return list(columns) if columns is not None else list(dict.fromkeys(k for row in rows for k in row))


def _cell(value: Any) -> Any:
    """A cell as CSV holds it: nested values as JSON, truth as in JSON."""
    if isinstance(value, (list, tuple, dict, bool)):
        return json.dumps(value, ensure_ascii=False)
    return value


def _csv_text(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return stream.getvalue()


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]], columns: Iterable[str] | None = None) -> None:
    """Write rows as CSV in UTF-8, ``None`` as an empty cell; ``columns`` default to all keys in order.

    Raises:
        OutputError: the file cannot be written.
    """
    with replacing(path, "the table") as file:
        file.write(_csv_text(rows, _columns_of(rows, columns)).encode("utf-8"))


def write_parquet(
    path: Path, rows: Sequence[Mapping[str, Any]], columns: Iterable[str] | None = None
) -> None:
    """Write rows as Parquet: whole numbers, numbers and truths keep their type, all else is text.

    Raises:
        OutputError: the file cannot be written.
        ValueError: there is no column.
    """
    names = _columns_of(rows, columns)
    if not names:
        raise ValueError("a table has at least one column")
    types = ", ".join(f"{_quoted(name)}: '{_type(rows, name)}'" for name in names)
    form = "header=true, delim=',', quote='\"', escape='\"', nullstr='', auto_detect=false"
    with replacing(path, "the table") as file, tempfile.TemporaryDirectory() as folder:
        rows_file, made = Path(folder, "rows.csv"), Path(folder, "rows.parquet")
        rows_file.write_text(_csv_text(rows, names), encoding="utf-8", newline="")
        with _connect() as db:
            source = f"read_csv({_quoted(str(rows_file))}, {form}, columns={{{types}}})"
            db.execute(f"COPY (SELECT * FROM {source}) TO {_quoted(str(made))} (FORMAT parquet)")
        file.write(made.read_bytes())


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


def _type(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    kinds = {type(row.get(name)) for row in rows} - {type(None)}
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int}:
        return "BIGINT"
    return "DOUBLE" if kinds and kinds <= {int, float} else "VARCHAR"
