"""Video-Bench's nine dimensions and their scales."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Literal

import yaml

from ...core.model import Record


class Example(Record):
    """What is seen in some film, in words, and the value it gets."""

    seen: str
    value: int


class Dimension(Record):
    """A dimension: what it judges (``about``), its levels from worst to best, numbered from 1, examples,
    whether it is judged against the brief (``chain``), whether every brief asks for it (``always``), and how
    pictures are spread."""

    name: str
    about: str
    chain: bool
    always: bool = False
    pictures: Literal["even", "runs"]
    levels: tuple[str, ...]
    examples: tuple[Example, ...]

    @property
    def numbered(self) -> str:
        """The levels, a line each."""
        return "\n".join(f"{n}: {text}" for n, text in enumerate(self.levels, 1))

    @property
    def shots(self) -> str:
        """The examples, a line each."""
        return "\n".join(f"- {one.seen} -> {one.value}" for one in self.examples)


@cache
def dimensions() -> tuple[Dimension, ...]:
    """All nine, in Video-Bench's order."""
    given = yaml.safe_load((Path(__file__).parent / "dimensions.yaml").read_text(encoding="utf-8"))
    return tuple(Dimension(name=name, **told) for name, told in given.items())


def share(value: int, levels: int) -> float:
    """A value from 1 to ``levels`` as a share of its scale: 0 for the worst, 1 for the best.

    Raises:
        ValueError: it is not on the scale.
    """
    if not 1 <= value <= levels:
        raise ValueError(f"{value} is not on a scale from 1 to {levels}")
    return (value - 1) / (levels - 1)


def mean_of(values: Sequence[float | None]) -> float | None:
    """The plain mean where all are there, else nothing: no total is fitted, none of a part is made."""
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None
