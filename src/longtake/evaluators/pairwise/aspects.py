"""What a judge is told of the aspect in which it compares two films."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from ...core.model import Record

OVERALL = "overall"
"""What is asked of a pair of any other aspect, and where none is given."""


class Aspect(Record):
    """An aspect: its id, what it means, and whether it is about what a brief asks for (``wish``)."""

    id: str
    about: str
    wish: bool


def aspect_of(name: str | None) -> Aspect:
    """The aspect of this id, :data:`OVERALL` where we have none of it."""
    known = _aspects()
    return known.get(name or OVERALL, known[OVERALL])


def longest() -> Aspect:
    """The one that takes most words."""
    return max(_aspects().values(), key=lambda one: len(one.id) + len(one.about))


@cache
def _aspects() -> dict[str, Aspect]:
    given = yaml.safe_load((Path(__file__).parent / "aspects.yaml").read_text(encoding="utf-8"))
    return {name: Aspect(id=name, **told) for name, told in given.items()}
