"""Banks of references for Long-CODE: made of films that people rated and that a judge has looked at.

A run of ``longtake score -e long-code --judge`` over the rated films leaves what a reference takes: the
judge's analysis and where the shots lie. Nothing is asked again here.
"""

from __future__ import annotations

import base64
import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from pydantic import ValidationError

from .core.bank import (
    HIGHEST,
    LOWEST,
    Bank,
    BankedDocument,
    LeftOutOfBank,
    Reference,
    ReferencePicture,
)
from .core.scores import ScoredCase, ScoreDocument, by_name
from .errors import InputError, LongtakeError

if TYPE_CHECKING:
    from .core.case import Case
    from .core.measurement import Measurement
    from .core.video import Video
    from .storage.cache import Cache

MLLM = "long-code.mllm"
JSON_FILE = "score.json"
PICTURE_SIDE = 320
"""Pixels of the longer side of a picture in a bank. A judgement: several stand beside one question."""
MOST_PICTURES = 24
"""Pictures of one film in a bank: one for each of the 24 shots of the paper's longest films."""
RATINGS = ("human", "rating")
"""Columns that may hold people's score, the first that is there."""


def make_bank(
    manifest: str | os.PathLike[str],
    scores: str | os.PathLike[str],
    ratings: str | os.PathLike[str],
    out: str | os.PathLike[str],
) -> BankedDocument:
    """Write a bank of the cases of ``manifest`` that people rated and that were scored into ``scores``.

    ``ratings`` is a table with columns ``case`` and ``human`` or ``rating`` (1 to 5); several rows of one
    case are averaged. A rated case that cannot be a reference is left out and told.

    Raises:
        InputError: a table or the scores cannot be read, a rating is outside of 1 to 5, or no case is left.
        OutputError: the bank or the cache cannot be written.
    """
    from .evaluators.long_code.references import THIRDS, third_of
    from .storage.cache import Cache, replacing
    from .storage.manifest import read_manifest

    cases = {case.id: case for case in read_manifest(Path(manifest)).cases}
    if not cases:
        raise InputError(f"{manifest} has no cases", hint="give the manifest of films that was scored")
    document = _scores(Path(scores))
    rated = _ratings(Path(ratings))
    found = by_name(document.results)
    known = {case.case: case for case in document.cases}
    references, left_out, prompts = [], [], set()
    cache = Cache()
    for name, values in sorted(rated.items()):
        measured = found.get((name, MLLM))
        made = _reference(name, values, cases.get(name), known.get(name), measured, cache)
        if isinstance(made, str):
            left_out.append(LeftOutOfBank(case=name, reason=made))
            continue
        references.append(made)
        prompts.add(str(measured.facts.get("prompts")) if measured is not None else "")
    if not references:
        first = f"{left_out[0].case}: {left_out[0].reason}" if left_out else "nothing is rated"
        raise InputError(f"no case can be a reference; {first}")
    bank = Bank(references=references, prompts=", ".join(sorted(prompts)))
    data = bank.model_dump_json(by_alias=True, indent=1).encode()
    with replacing(Path(out), "the bank") as file:
        file.write(data)
    own = [r.score for r in references]
    thirds = [third_of(score, min(own), max(own)) for score in own]
    return BankedDocument(
        out=str(out),
        sha256=hashlib.sha256(data).hexdigest(),
        cases={r.case: r.score for r in references},
        thirds=[thirds.count(n) for n in range(THIRDS)],
        left_out=left_out,
        bytes=len(data),
    )


def _reference(
    name: str,
    ratings: Sequence[float],
    case: Case | None,
    scored: ScoredCase | None,
    measured: Measurement | None,
    cache: Cache,
) -> Reference | str:
    """The reference, or why there is none."""
    from .evaluators.long_code.mllm import PICTURED, SUMMARY
    from .media.open import open_video

    if case is None:
        return "the manifest has no such case"
    if measured is None or scored is None:
        return "long-code was not asked about it"
    summary, middles = measured.facts.get(SUMMARY), measured.facts.get(PICTURED)
    if not summary or not middles:
        return f"the judge made nothing of it: {measured.reason or 'no reason given'}"
    try:
        film = open_video(case.video)
    except LongtakeError as error:
        return error.message
    if film.hash != scored.hash or scored.brief_hash is None:
        return "it is another film than the one that was scored"
    pictures = _pictures(film, [float(t) for t in str(middles).split()], cache)
    if not pictures:
        return "no picture of it can be read"
    judge = measured.facts.get("models")
    return Reference(
        case=name,
        film=film.hash,
        brief=scored.brief_hash,
        score=fmean(ratings),
        n_ratings=len(ratings),
        summary=str(summary),
        judge=str(judge) if judge else None,
        pictures=pictures,
    )


def _pictures(film: Video, middles: Sequence[float], cache: Cache) -> list[ReferencePicture]:
    from .evaluators.shared.showing import chosen
    from .execution.stills import Stills

    frames = Stills(film, cache, long_side=PICTURE_SIDE).at(chosen(middles, MOST_PICTURES))
    return [
        ReferencePicture(
            time=f.time, width=f.width, height=f.height, jpeg=base64.b64encode(f.jpeg).decode("ascii")
        )
        for f in frames
    ]


def _scores(path: Path) -> ScoreDocument:
    file = path / JSON_FILE if path.is_dir() else path
    try:
        return ScoreDocument.model_validate_json(file.read_bytes())
    except OSError as error:
        hint = "give the folder that longtake score -e long-code --judge wrote"
        raise InputError(f"{file} cannot be read: {error.strerror or error}", hint=hint) from None
    except ValidationError:
        raise InputError(f"{file} is not what longtake score writes") from None


def _ratings(path: Path) -> Mapping[str, list[float]]:
    """Ratings by case. Raises ``InputError``."""
    from .core import cells
    from .storage.tables import read_table

    table = read_table(path)
    column = next((name for name in RATINGS if name in table.columns), None)
    if "case" not in table.columns or column is None:
        raise InputError(f"{path} has no ratings", hint="it needs the columns case and human (or rating)")
    found: dict[str, list[float]] = {}
    for index, row in enumerate(table.rows):
        try:
            name, value = cells.text(row.get("case")), cells.number(row.get(column))
        except ValueError as error:
            raise InputError(f"{path}, {table.where(index)}: {column} {error}") from None
        if name is None or value is None or math.isnan(value):
            continue
        if not LOWEST <= value <= HIGHEST:
            where = f"{path}, {table.where(index)}"
            raise InputError(f"{where}: {value:g} is no score from {LOWEST:g} to {HIGHEST:g}")
        found.setdefault(name, []).append(value)
    return found
