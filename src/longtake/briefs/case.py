"""The brief of a case."""

from __future__ import annotations

from ..core.brief import Brief
from ..core.case import Case
from .read import read_brief, read_brief_text


def brief_of(case: Case) -> Brief | None:
    """What a case's brief or prompt says; ``None`` where it has neither.

    Raises:
        InputError: it cannot be read.
    """
    if case.prompt is not None:
        return read_brief_text(case.prompt)
    return read_brief(case.brief) if case.brief is not None else None
