"""Listing and checking: the built-in suite, files, and folders of files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..core.brief import SUITE, Brief
from ..core.briefs import BriefProblem, BriefsDocument
from ..core.video import display_path
from ..errors import InputError, UsageError
from .read import read_brief
from .suite import suite_brief, suite_ids
from .validate import check_brief, check_set, check_suite, facts_of

ENDINGS = (".yaml", ".yml", ".json", ".txt", ".md", ".csv", ".srt", ".vtt", ".otio", ".edl", ".fcpxml")
"""Files of a folder that are taken for briefs; others are passed over."""


def listed(kind: str | None = None, language: str | None = None) -> BriefsDocument:
    """The built-in briefs by id, of one type or language where that is asked.

    Raises:
        UsageError: no brief has that type or language.
    """
    facts = [facts_of(suite_brief(id_), id_) for id_ in suite_ids()]
    for name, asked in (("video_type", kind), ("language", language)):
        known = sorted({str(getattr(fact, name)) for fact in facts})
        if asked is not None and asked not in known:
            word = name.removeprefix("video_")
            raise UsageError(f"no brief of the {word} {asked!r}", hint=f"there are {', '.join(known)}")
        facts = [fact for fact in facts if asked is None or getattr(fact, name) == asked]
    return BriefsDocument(briefs=facts)


def checked_suite() -> BriefsDocument:
    """The built-in suite by all rules, with the numbers of grounded checkpoints."""
    return check_suite([(id_, suite_brief(id_)) for id_ in suite_ids()])


def checked(sources: Sequence[str]) -> BriefsDocument:
    """Briefs of anybody's, one by one and against each other. What cannot be read is an error in the list.

    Raises:
        InputError: a folder holds no brief, or a single source cannot be read.
    """
    names = [name for source in sources for name in _names(source)]
    briefs: list[tuple[str, Brief]] = []
    problems: list[BriefProblem] = []
    for name in names:
        try:
            briefs.append((display_path(name), read_brief(name)))
        except InputError as error:
            if len(names) == 1:
                raise
            problems.append(
                BriefProblem(
                    brief=display_path(name),
                    place="",
                    level="error",
                    message=error.message,
                    hint=error.hint or "mend it",
                )
            )
    problems += [p for name, brief in briefs for p in check_brief(brief, name)]
    facts = [facts_of(brief, name) for name, brief in briefs]
    return BriefsDocument(briefs=facts, problems=problems + check_set(briefs))


def _names(source: str) -> list[str]:
    if source.startswith(SUITE) or not Path(source).is_dir():
        return [source]
    folder = Path(source)
    try:
        found = sorted(p for p in folder.iterdir() if p.suffix.lower() in ENDINGS and p.is_file())
    except OSError as error:
        raise InputError(f"{display_path(source)}: cannot be read ({error.strerror})") from None
    if not found:
        hint = f"briefs in a folder end in {', '.join(ENDINGS)}"
        raise InputError(f"{display_path(source)}: no briefs in this folder", hint=hint)
    return [str(path) for path in found]
