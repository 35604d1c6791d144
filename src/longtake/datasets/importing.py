"""Brings results of others into a table like ``scores.csv``, joined to a manifest where one is given."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..core.case import Case
from ..core.cells import short
from ..core.imports import COLUMNS, ImportDocument, ImportedEvaluator, ImportedRow, Source
from ..core.video import display_path
from ..errors import InputError
from ..storage.manifest import Manifest, read_manifest
from ..storage.tables import read_table, table_bytes, write_csv
from . import vbench, videoscore2
from .found import Found

SOME = 3
"""Names that are told of many."""
TOLD = 1e-4
"""A difference between an aggregate and the mean of its items that is worth telling."""
SHORT_S = 5.0
"""VBench is for films shorter than this, VBench-Long for others (its README)."""


def import_results(
    source: Source,
    path: Path,
    *,
    manifest: Path | None = None,
    by: str | None = None,
    out: Path | None = None,
) -> ImportDocument:
    """Read a result file and write its values as a table.

    With a ``manifest`` only its films are taken, and those that the file lacks are unscored. A film is known
    by its case's id or by its file; with ``by`` by that column of the manifest, which holds what the file
    calls it. Names of files are never guessed at. Without a manifest a case is what the file calls the film.

    Raises:
        InputError: the file or the manifest cannot be read, or none of its films is in the manifest.
        OutputError: the table cannot be written.
    """
    contents = videoscore2.read(path) if source == "videoscore2" else vbench.read(path, source)
    if not contents.found:
        left = _some([one.what for one in contents.left_out])
        raise InputError(
            f"{display_path(path.name)} holds nothing that is imported", hint=f"left out: {left}"
        )
    joined = _Joined.of(manifest, by)
    rows = [row for name, found in contents.found.items() for row in joined.rows(name, found)]
    if manifest is not None and not any(row.there for row in rows):
        some = next(iter(next(iter(contents.found.values())).values))
        hint = f"the file calls them like {short(some)}; name the column that has these names with --by"
        shown = f"{display_path(path.name)} is in {display_path(manifest.name)}"
        raise InputError(f"no film of {shown}", hint=hint)
    document = ImportDocument(
        source=source,
        file=display_path(path),
        file_hash=hashlib.sha256(table_bytes(path)).hexdigest(),
        manifest=display_path(manifest) if manifest is not None else None,
        table=display_path(out) if out is not None else None,
        evaluators={name: _evaluator(name, found, rows) for name, found in contents.found.items()},
        rows=rows,
        left_out=contents.left_out,
        notes=[*contents.notes, *joined.notes(source)],
    )
    if out is not None:
        write_csv(out, [{**row.model_dump(), "tags": ",".join(row.tags) or None} for row in rows], COLUMNS)
    return document


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SOME} more" if len(names) > SOME else ""
    return ", ".join(map(short, names[:SOME])) + more


def _evaluator(name: str, found: Found, rows: list[ImportedRow]) -> ImportedEvaluator:
    own = [row for row in rows if row.evaluator == name]
    scored = [row.score for row in own if row.score is not None]
    numbers = [value for value in found.values.values() if isinstance(value, float)]
    mean = sum(numbers) / len(numbers) if numbers else None
    difference = found.told - mean if found.told is not None and mean is not None else None
    told = difference is not None and abs(difference) > TOLD
    dimension = found.dimension
    return ImportedEvaluator(
        unit="points" if dimension.item == "points" else "share",
        low=None if dimension.low is None else dimension.low / dimension.divisor,
        high=None if dimension.high is None else dimension.high / dimension.divisor,
        n=len(scored),
        n_asked=len(own),
        value=sum(scored) / len(scored) if scored else None,
        told=found.told,
        difference=difference,
        why=(found.why or "why is not known") if told else None,
        clip_s=found.clip_s,
        flags=found.flags,
    )


class _Joined:
    """Films of a file beside the cases of a manifest. Without one everything is its own case."""

    def __init__(self, manifest: Manifest | None, keys: dict[str, Case], files: dict[str, Case]) -> None:
        self._manifest, self._keys, self._files = manifest, keys, files
        self._unknown: set[str] = set()

    @classmethod
    def of(cls, path: Path | None, by: str | None) -> _Joined:
        if path is None:
            return cls(None, {}, {})
        manifest = read_manifest(path)
        if not manifest.cases:
            raise InputError(
                f"{path.name} is a pair manifest", hint="give one row per film, with the column video"
            )
        if by is None:
            files = {os.path.realpath(case.video): case for case in manifest.cases}
            return cls(manifest, {case.id: case for case in manifest.cases}, files)
        table = read_table(path)
        if by not in table.columns:
            hint = f"its columns are {', '.join(table.columns)}"
            raise InputError(f"{path.name} has no column {by!r}", hint=hint)
        keys: dict[str, Case] = {}
        for row, case in zip(table.rows, manifest.cases, strict=True):
            if (key := row.get(by)) is None:
                continue
            if str(key) in keys:
                raise InputError(f"{path.name}: {by} has {key!r} twice")
            keys[str(key)] = case
        return cls(manifest, keys, {})

    def _case(self, film: str) -> Case | None:
        return self._keys.get(film) or self._files.get(os.path.realpath(film))

    def rows(self, name: str, found: Found) -> Iterator[ImportedRow]:
        """The rows of one evaluator: in the order of the file, then films of the manifest that it lacks."""
        if self._manifest is None:
            for film, value in found.values.items():
                yield _row(name, film, value, None)
            return
        seen: dict[str, str] = {}
        for film, value in found.values.items():
            case = self._case(film)
            if case is None:
                self._unknown.add(film)
                continue
            if case.id in seen:
                both = f"{short(seen[case.id])} and {short(film)}"
                raise InputError(f"{both} are both case {short(case.id)} of the manifest")
            seen[case.id] = film
            yield _row(name, film, value, case)
        for case in self._manifest.cases:
            if case.id not in seen:
                yield _row(name, None, "the file has no result of it", case)

    def notes(self, source: Source) -> list[str]:
        """What a user should know of how films were matched."""
        if self._manifest is None:
            return ["a case is what the file calls the film: give --manifest to join it to your films"]
        found = []
        if self._unknown:
            some = _some(sorted(self._unknown))
            found.append(f"{len(self._unknown)} films of the file are not in the manifest: {some}")
        lengths = [case.duration for case in self._manifest.cases if case.duration is not None]
        wrong = sum((length < SHORT_S) == (source == "vbench-long") for length in lengths)
        if source != "videoscore2" and wrong:
            other = "vbench" if source == "vbench-long" else "vbench-long"
            found.append(
                f"{wrong} films are of a length for which {other} is meant ({SHORT_S:g} s divides them)"
            )
        return found


def _row(name: str, film: str | None, value: float | str, case: Case | None) -> ImportedRow:
    score = value if isinstance(value, float) else None
    return ImportedRow(
        case=case.id if case is not None else str(film),
        evaluator=name,
        system=case.system if case is not None else None,
        brief=case.brief_name if case is not None else None,
        score=score,
        status="unscored" if score is None else "scored",
        reason=None if isinstance(value, float) else value,
        profile=case.profile if case is not None else None,
        tags=list(case.tags) if case is not None else [],
        there=film,
    )
