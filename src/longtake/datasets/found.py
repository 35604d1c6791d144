"""What an importer finds in a file, and the table of dimensions that it knows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import yaml

from ..core.cells import LARGEST, short
from ..core.imports import LeftOut, Source
from ..core.video import display_path
from ..errors import InputError
from ..storage.tables import table_bytes

Unit = Literal["share", "truth", "percent", "points"]
MOST_DIGITS = 15
"""Whole numbers of more digits are read as floating-point numbers, which hold no more digits than that."""


@dataclass(frozen=True)
class Dimension:
    """A dimension of a source. An item of its file lies from ``low`` to ``high`` and is divided by
    ``divisor``; ``key`` and ``said`` name it in files of VideoScore2."""

    item: Unit
    divisor: float
    low: float | None
    high: float | None
    key: str = ""
    said: str = ""

    def value(self, item: Any) -> float | str:
        """An item in our unit, or why it is none."""
        if item is None:
            return "the file has no value of it"
        if isinstance(item, bool) or not isinstance(item, (int, float)):
            if isinstance(item, bool) and self.item in ("truth", "share"):
                return float(item)
            return f"{short(item)} is no number"
        if not math.isfinite(item):
            return "it is no finite number"
        if self.item == "truth" and item not in (0, 1):
            return f"{item:g} is neither true nor false"
        if abs(item) > LARGEST:
            return f"{item:g} is too large to work with"
        if (self.low is not None and item < self.low) or (self.high is not None and item > self.high):
            return f"{item:g} is outside of {self.low:g} to {self.high:g}"
        return float(item) / self.divisor


@dataclass
class Found:
    """Values of one dimension by what the file calls the film, each a number in our unit or why not.

    ``told`` is the file's own aggregate in our unit, ``why`` where it is known to differ from the mean over
    films.
    """

    dimension: Dimension
    values: dict[str, float | str]
    told: float | None = None
    why: str | None = None
    clip_s: float | None = None
    flags: list[str] = field(default_factory=list)


@dataclass
class Contents:
    """All that was found in a file, by evaluator, and what was left out."""

    found: dict[str, Found] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@cache
def dimensions(source: Source) -> Mapping[str, Dimension]:
    """The dimensions that are imported from a source."""
    table = yaml.safe_load((files(__package__) / "dimensions.yaml").read_text("utf-8"))
    return {name: Dimension(**given) for name, given in table[source].items()}


def read_json(path: Path) -> Any:
    """What a JSON file holds. Raises ``InputError`` where it cannot be read or is no JSON."""
    data = table_bytes(path)
    try:
        return json.loads(data.decode("utf-8-sig"), parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{display_path(path.name)} is not JSON: {error}", hint="give the file as the tool wrote it"
        ) from None


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= MOST_DIGITS else float(digits)


def is_number(value: Any) -> bool:
    """Whether it is a number that can be worked with, and no truth."""
    given = isinstance(value, (int, float)) and not isinstance(value, bool)
    return given and math.isfinite(value) and abs(value) <= LARGEST


def film_name(path: Path, place: str, name: Any) -> str:
    """What a file calls a film, as a text that a table can hold.

    Raises:
        InputError: it is none.
    """
    if not isinstance(name, str):
        raise named(path, place, f"{short(name)} is no name of a film")
    if not name.strip():
        raise named(path, place, "the film's name is empty")
    if "\0" in name:
        raise named(path, place, f"the film's name {short(name)} holds a NUL character")
    return display_path(name)


def named(path: Path, place: str, what: str, hint: str | None = None) -> InputError:
    """An error in a file, with its place."""
    return InputError(f"{display_path(path.name)}, {place}: {what}", hint=hint)
