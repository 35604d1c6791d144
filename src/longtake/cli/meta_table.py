"""The table that ``longtake meta`` is given: a file, or the folder or document of ``longtake score``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError

if TYPE_CHECKING:
    from ..core.meta import Study
    from ..core.scores import ScoreDocument
    from ..core.table import Table


def table_of(path: Path, study: Study) -> tuple[Table, list[str]]:
    """The table that a path names, and how its films were scored, in notes.

    A path is a file, a folder that longtake score wrote, or its document.
    """
    from ..errors import InputError
    from ..storage.tables import read_table, table_bytes

    if path.is_dir():
        name = "scores.csv" if study == "correlation" else f"{study}.csv"
        if not (path / name).is_file():
            what = "scores, not votes" if study == "filter" else f"no {name}"
            raise InputError(f"{path} holds {what}", hint=_no_table(path, study))
        return read_table(path / name), _scored_with(path / "score.json")
    head = table_bytes(path)[:200]
    if b'"longtake.score/' not in head:
        return read_table(path), []
    from ..meta.studies.scored import table_of as scored_table

    return scored_table(_scores(path), study, path.name), _scored_with(path)


def _no_table(folder: Path, study: Study) -> str:
    """What to do where a folder has no table of this study."""
    if study == "filter":
        return "give the table of people's votes: pair, aspect, rater, vote"
    if not (folder / "scores.csv").is_file():
        return "give a table, or a folder of longtake score"
    if study == "sensitivity":
        return (
            "its films were scored without strengths: longtake score a table of pairs with a column strength"
        )
    return "its films were scored one by one: longtake score a table of pairs"


def _scores(path: Path) -> ScoreDocument:
    from ..core.scores import ScoreDocument
    from ..errors import InputError
    from ..storage.tables import table_bytes

    try:
        return ScoreDocument.model_validate_json(table_bytes(path))
    except ValueError as error:
        said = str(error).splitlines()[0]
        raise InputError(f"{path} is a damaged document of longtake score: {said}") from None


def _scored_with(path: Path) -> list[str]:
    """The signals that a run of longtake score was asked for; nothing where that is not known."""
    if not path.is_file():
        return []
    signals = _scores(path).run.get("arguments", {}).get("signals")
    return [f"longtake score was asked for the signals {signals}"] if signals else []


def renamed(table: Table, names: dict[str, str]) -> Table:
    """The table with its columns under the names that a study reads."""
    from dataclasses import replace

    for ours, theirs in names.items():
        if theirs not in table.columns:
            raise UsageError(
                f"--column {ours}={theirs}: {table.source} has no column {theirs!r}",
                hint=f"it has {', '.join(table.columns)}",
            )
        if ours in table.columns and ours not in names.values():
            raise UsageError(f"--column {ours}={theirs}: {table.source} has a column {ours!r} of its own")
    if not names:
        return table
    back = {theirs: ours for ours, theirs in names.items()}
    return replace(
        table,
        columns=tuple(back.get(name, name) for name in table.columns),
        rows=[{back.get(name, name): cell for name, cell in row.items()} for row in table.rows],
    )


def column(text: str) -> tuple[str, str]:
    """``NAME=THEIRS`` as two names."""
    ours, sign, theirs = (part.strip() for part in text.partition("="))
    if not (ours and sign and theirs):
        raise UsageError(f"{text!r} names no column", hint="write NAME=THEIRS, as --column score=clip_score")
    return ours, theirs
