"""Facts measured from a video, and the trace of how they were measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .model import Record

ToolStatus = Literal["ok", "fallback", "failed", "skipped"]


class TraceEntry(Record):
    """What one tool did. ``reason`` is given unless the status is ``ok``."""

    tool: str
    status: ToolStatus
    reason: str | None = None
    seconds: float | None = None
    version: str | None = None
    params: dict[str, Any] = {}
    model: str | None = None


class Column(Record):
    """One column of a signal's table: its type, unit and meaning."""

    type: Literal["float", "int", "str", "bool"]
    unit: str = ""
    doc: str


@dataclass(frozen=True)
class SignalSpec:
    """What a signal is: readable without measuring anything.

    ``columns`` describe the rows, ``event_kinds`` the kinds of span it may report, ``facts`` the figures
    of the whole film. ``version`` changes whenever the same film would give other numbers.
    """

    name: str
    version: int
    doc: str
    columns: Mapping[str, Column]
    event_kinds: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Column] = field(default_factory=dict)
    heavy: bool = False


@dataclass(frozen=True)
class Event:
    """A span in which something happened. ``value`` is in the unit its kind is documented with."""

    kind: str
    start: float
    end: float
    value: float | None = None
    what: str = ""
    frame: int | None = None


@dataclass(frozen=True)
class Signal:
    """A versioned table of facts, without opinion.

    ``columns`` maps a column name to a sequence (often a NumPy array); all have the same length. A number
    that was not measured in a row is NaN in an array and ``null`` in JSON. ``facts`` hold figures of the
    whole film, ``None`` where not measured. With status ``failed`` or ``skipped`` everything is empty.
    """

    name: str
    version: int
    status: ToolStatus = "ok"
    reason: str | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    events: Sequence[Event] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    @property
    def usable(self) -> bool:
        """Whether there is anything to read: status ``ok`` or ``fallback``."""
        return self.status in ("ok", "fallback")

    def rows(self) -> list[dict[str, Any]]:
        """Rows as plain JSON values; NaN becomes ``None``."""
        names = list(self.columns)
        plain = [[_plain(v) for v in self.columns[n]] for n in names]
        return [dict(zip(names, row, strict=True)) for row in zip(*plain, strict=True)]

    def events_of(self, *kinds: str) -> list[Event]:
        """Events of the given kinds, in time order."""
        return sorted((e for e in self.events if e.kind in kinds), key=lambda e: e.start)


def _plain(value: Any) -> Any:
    """A JSON value: NaN and infinity become ``None``, floats keep 12 digits (10.000000000000002 is 10)."""
    item = value.item() if hasattr(value, "item") else value
    if not isinstance(item, float):
        return item
    return float(f"{item:.12g}") if math.isfinite(item) else None


@dataclass(frozen=True)
class Signals:
    """All signals of one video, with the trace. Missing names read as a skipped signal."""

    by_name: Mapping[str, Signal]
    trace: Sequence[TraceEntry] = ()

    def __getitem__(self, name: str) -> Signal:
        # Not "or": a signal without rows has length 0 and is still one (a film without transitions).
        found = self.by_name.get(name)
        return found if found is not None else Signal(name, 0, "skipped", "not asked for")

    def __contains__(self, name: str) -> bool:
        return name in self.by_name and self.by_name[name].usable
