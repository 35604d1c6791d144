"""The built-in briefs: ``suite:ID`` names one wherever a brief is taken."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from ..core.brief import SUITE, Brief
from ..errors import InputError

_PACKAGE = "longtake.data"


@cache
def suite_ids() -> tuple[str, ...]:
    """The ids of the built-in briefs, sorted."""
    folder = files(_PACKAGE) / "briefs"
    if not folder.is_dir():
        return ()
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def suite_text(id_: str) -> str:
    """The YAML of a built-in brief.

    Raises:
        InputError: there is none of this id.
    """
    if id_ not in suite_ids():
        near = get_close_matches(id_, suite_ids(), 1)
        hint = f"did you mean suite:{near[0]}?" if near else "longtake briefs list shows all"
        raise InputError(f"no brief {id_[:80]!r} in the suite", hint=hint)
    return (files(_PACKAGE) / "briefs" / f"{id_}.yaml").read_text("utf-8")


@cache
def suite_brief(id_: str) -> Brief:
    """A built-in brief, read once.

    Raises:
        InputError: there is none of this id.
    """
    from .read import read_brief

    return read_brief(SUITE + id_)
