"""Manifests: tables of films with their briefs, and of pairs of films, as people write and other tools make.

Which of the two a table is, its columns say. Paths in it are relative to it.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..core import cells
from ..core.brief import SUITE
from ..core.case import Case, Pair
from ..core.changes import Span
from ..core.video import display_path
from ..errors import InputError
from .cache import replacing
from .tables import Table, read_table, write_csv

SUFFIXES = frozenset({".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".pq"})
"""Files that are read as a manifest where a film is possible too."""
CASE_COLUMNS = ("case", "video", "brief", "prompt", "system", "profile", "duration", "tags")
PAIR_NEEDS = ("pair", "source", "aspect", "video_a", "video_b")
PAIR_COLUMNS = (
    *PAIR_NEEDS,
    "brief",
    "brief_b",
    "strength",
    "changed",
    "share_changed",
    "duration",
    "kept",
    "suffer",
    "spared",
)
Row = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Manifest:
    """What a table holds: cases or pairs, never both. ``notes`` say what of it was not read."""

    path: Path
    cases: tuple[Case, ...] = ()
    pairs: tuple[Pair, ...] = ()
    notes: tuple[str, ...] = ()


def read_manifest(path: Path) -> Manifest:
    """The cases or the pairs of a table (JSONL, CSV or Parquet), checked.

    Films and briefs must exist; that they can be read is found out when they are. A case without an id has
    its video, as it is written, for one. Other columns of a pair manifest are kept in ``Pair.extra``.

    Raises:
        InputError: the table cannot be read, is neither kind, or a row contradicts itself or another row.
    """
    table = read_table(path)
    shown, columns = display_path(path), table.columns
    if not table.rows:
        raise InputError(f"{shown} has no rows", hint="a manifest has one row per film or pair")
    rows = [_Row(table, path, index) for index in range(len(table.rows))]
    if "pair" in columns or {"video_a", "video_b"} <= set(columns):
        if missing := [name for name in PAIR_NEEDS if name not in columns]:
            raise InputError(
                f"{shown} is a pair manifest without {', '.join(missing)}",
                hint=f"its columns are {', '.join(PAIR_COLUMNS)}",
            )
        pairs = [row.pair() for row in rows]
        _refuse_doubled(rows, "pair", [pair.id for pair in pairs])
        return Manifest(path, pairs=tuple(pairs), notes=_unread(columns, PAIR_COLUMNS, "kept, but not read"))
    if "video" not in columns:
        raise InputError(
            f"{shown} is no manifest: it has the columns {', '.join(columns)[:200]}",
            hint=f"a manifest has the column video; a pair manifest has {', '.join(PAIR_NEEDS)}",
        )
    cases = [row.case() for row in rows]
    _refuse_doubled(rows, "case", [case.id for case in cases])
    return Manifest(path, cases=tuple(cases), notes=_unread(columns, CASE_COLUMNS, "not read"))


def _unread(columns: Sequence[str], known: Sequence[str], how: str) -> tuple[str, ...]:
    others = [name for name in columns if name not in known]
    return (f"columns that are {how}: {', '.join(others)}",) if others else ()


def _refuse_doubled(rows: Sequence[_Row], column: str, ids: Sequence[str]) -> None:
    first: dict[str, _Row] = {}
    for row, name in zip(rows, ids, strict=True):
        if name in first:
            hint = f"each row needs a {column} of its own"
            raise row.error(f"{column} {cells.short(name)} is that of {first[name].where} already", hint)
        first[name] = row


@dataclass(frozen=True)
class _Row:
    """Reads the cells of one row; what is wrong is told with its place in the file."""

    table: Table
    path: Path
    index: int

    @property
    def where(self) -> str:
        return self.table.where(self.index)

    def error(self, what: str, hint: str | None = None) -> InputError:
        return InputError(f"{display_path(self.path)}, {self.where}: {what}", hint=hint)

    def cell(self, name: str) -> Any:
        return self.table.rows[self.index].get(name)

    def case(self) -> Case:
        video = self.needed("video")
        brief, prompt = self.text("brief"), self.text("prompt")
        if brief is not None and prompt is not None:
            raise self.error("both brief and prompt are given", "a case has one brief: leave one empty")
        return Case(
            id=self.text("case") or video,
            video=self.existing("video", video),
            brief=self.brief("brief"),
            prompt=prompt,
            system=self.text("system"),
            profile=self.profile(),
            duration=self.number("duration", low=0.0),
            tags=self.listed("tags"),
        )

    def pair(self) -> Pair:
        others = (name for name in self.table.columns if name not in PAIR_COLUMNS)
        return Pair(
            id=self.needed("pair"),
            source=self.needed("source"),
            aspect=self.needed("aspect"),
            a=self.existing("video_a", self.needed("video_a")),
            b=self.existing("video_b", self.needed("video_b")),
            brief=self.brief("brief"),
            brief_b=self.brief("brief_b"),
            strength=self.number("strength"),
            changed=self.changed(),
            share_changed=self.number("share_changed", low=0.0, high=1.0),
            duration=self.number("duration", low=0.0),
            kept=self._read("kept", cells.truth),
            suffer=self.listed("suffer"),
            spared=self.listed("spared"),
            extra={name: _as_text(self.cell(name)) for name in others if self.cell(name) is not None},
        )

    def _read(self, name: str, reader: Callable[[Any], T]) -> T:
        try:
            return reader(self.cell(name))
        except ValueError as error:
            raise self.error(f"{name} {error}") from None

    def text(self, name: str) -> str | None:
        return self._read(name, cells.text)

    def needed(self, name: str) -> str:
        text = self.text(name)
        if text is None:
            raise self.error(f"{name} is empty")
        return text

    def existing(self, name: str, text: str) -> Path:
        path = self.path.parent / text
        if not os.path.exists(path):  # unlike Path.exists, False for what is no name of a file
            hint = f"paths are relative to the manifest's folder {display_path(self.path.parent)}"
            raise self.error(f"{name} {cells.short(display_path(text))} is not there", hint)
        return path

    def brief(self, name: str) -> Path | None:
        """A file or folder, an entry of a suite (``FILE#KEY``), or a built-in brief (``suite:ID``)."""
        text = self.text(name)
        if text is None:
            return None
        if text.startswith(SUITE):
            return Path(text)
        path = self.path.parent / text
        ends = [i for i, char in enumerate(text) if char == "#"]
        if not any(os.path.exists(self.path.parent / text[:i]) for i in ends if i):
            self.existing(name, text)
        return path

    def profile(self) -> str | None:
        """A profile's name, or its file beside the manifest."""
        text = self.text("profile")
        path = self.path.parent / text if text is not None else None
        return str(path) if path is not None and path.is_file() else text

    def number(self, name: str, *, low: float = -math.inf, high: float = math.inf) -> float | None:
        value = self._read(name, cells.number)
        if value is not None and not (math.isfinite(value) and low <= value <= high):
            raise self.error(f"{name} is {value:g}, which it cannot be")
        return value

    def changed(self) -> tuple[Span, ...] | None:
        """Spans as ``{"start", "end"}`` or ``[start, end]``, given as they are or as JSON."""
        value = self.cell("changed")
        if value is None:
            return None
        try:
            spans = tuple(
                Span(start=s["start"], end=s["end"]) if isinstance(s, dict) else Span(start=s[0], end=s[1])
                for s in (json.loads(value) if isinstance(value, str) else value)
            )
        except (ValueError, TypeError, LookupError):
            hint = 'write them as [{"start": 1.5, "end": 4}]'
            raise self.error(f"changed holds no spans: {cells.short(value)}", hint) from None
        for span in spans:
            if not 0 <= span.start <= span.end < math.inf:
                raise self.error(f"changed has a span from {span.start:g} to {span.end:g}")
        return spans

    def listed(self, name: str) -> tuple[str, ...]:
        """A list, or a text with commas."""
        value = self.cell(name)
        try:
            listed = json.loads(value) if isinstance(value, str) and value.lstrip()[:1] == "[" else value
        except ValueError:
            raise self.error(f"{name} are no list: {cells.short(value)}") from None
        parts = listed if isinstance(listed, list) else _as_text(listed).split(",")
        return tuple(text for part in parts if (text := _as_text(part).strip()))


def _as_text(value: Any) -> str:
    """A cell as text, empty for an empty one."""
    if isinstance(value, (dict, list, bool)):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def write_manifest(path: Path, cases: Iterable[Case]) -> Path:
    """Write cases as CSV, or as JSONL where the name ends so; films are named relative to it.

    Raises:
        OutputError: it cannot be written.
    """
    return _write(path, [_case_row(case, path.parent) for case in cases], CASE_COLUMNS)


def write_pairs(path: Path, pairs: Iterable[Pair]) -> Path:
    """Write pairs as CSV, or as JSONL where the name ends so; films are named relative to it.

    Raises:
        OutputError: it cannot be written.
    """
    rows = [_pair_row(pair, path.parent) for pair in pairs]
    return _write(path, rows, dict.fromkeys([*PAIR_COLUMNS, *(name for row in rows for name in row)]))


def _case_row(case: Case, folder: Path) -> Row:
    return {
        "case": case.id,
        "video": _relative(case.video, folder),
        "brief": _relative(case.brief, folder),
        "prompt": case.prompt,
        "system": case.system,
        "profile": case.profile,
        "duration": case.duration,
        "tags": list(case.tags) or None,
    }


def _pair_row(pair: Pair, folder: Path) -> Row:
    spans = [{"start": s.start, "end": s.end} for s in pair.changed] if pair.changed is not None else None
    return {
        "pair": pair.id,
        "source": pair.source,
        "aspect": pair.aspect,
        "video_a": _relative(pair.a, folder),
        "video_b": _relative(pair.b, folder),
        "brief": _relative(pair.brief, folder),
        "brief_b": _relative(pair.brief_b, folder),
        "strength": pair.strength,
        "changed": spans,
        "share_changed": pair.share_changed,
        "duration": pair.duration,
        "kept": pair.kept,
        "suffer": ",".join(pair.suffer) or None,
        "spared": ",".join(pair.spared) or None,
        **pair.extra,
    }


def _relative(path: Path | None, folder: Path) -> str | None:
    if path is None:
        return None
    if str(path).startswith(SUITE):
        return str(path)
    try:
        return Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix()
    except ValueError:  # another drive
        return path.absolute().as_posix()


def _write(path: Path, rows: Sequence[Row], columns: Iterable[str]) -> Path:
    """Write what is not ``None``, in order; a column that no row fills is left out."""
    used = [name for name in columns if any(row.get(name) is not None for row in rows)]
    if path.suffix.lower() not in (".jsonl", ".ndjson"):
        write_csv(path, rows, used)
        return path
    with replacing(path, "the manifest") as file:
        for row in rows:
            kept = {name: row[name] for name in used if row.get(name) is not None}
            file.write(json.dumps(kept, ensure_ascii=False, allow_nan=False).encode() + b"\n")
    return path
