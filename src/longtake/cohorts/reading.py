"""Diagnoses as they were stored, one by one or in scoring runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.cohort import Kind
from ..core.documents import DIMENSIONS, DiagnosisDocument, Dimension, Score
from ..core.evaluator import CUT_OFF
from ..core.judge import NO_REPLY
from ..core.judgement import JudgeFacts
from ..core.measurement import Measurement
from ..core.scores import CaseResult, ScoredCase, ScoreDocument
from ..errors import InputError

EVALUATOR = "diagnosis"
SCORES, DIAGNOSIS = "score.json", "diagnosis.json"
NEUTRAL = "neutral"


@dataclass(frozen=True)
class Diagnosed:
    """One film as it was diagnosed.

    ``film`` is its hash with its bounds, ``brief`` what it shares with other films of the same brief (its id,
    else the hash of what it says). ``values`` are measurements by kind and id, ``made_with`` the rubric, the
    judge and the signals by tool, empty where the film could not be read (``reason``). ``with_constraints``
    is the overall score by profile. ``cut_off`` says what a judge was asked and gave no reply to.
    """

    case: str
    source: str
    columns: dict[str, str]
    profile: str
    film: str | None
    brief: str | None
    longtake: str
    values: dict[tuple[Kind, str], Measurement] = field(default_factory=dict)
    dimension_of: dict[str, Dimension] = field(default_factory=dict)
    dimensions: dict[Dimension, Score] = field(default_factory=dict)
    with_constraints: dict[str, float | None] = field(default_factory=dict)
    made_with: dict[str, Any] = field(default_factory=dict)
    reason: str | None = None
    cut_off: str | None = None


def read_diagnosed(folder: Path) -> list[Diagnosed]:
    """The diagnoses of a folder, or of the folders in it.

    Raises:
        InputError: it is no folder, holds no diagnosis, or one that cannot be read.
    """
    if not folder.is_dir():
        raise InputError(
            f"{folder} is not a folder", hint="give folders that longtake score or diagnose wrote"
        )
    found = list(_in(folder))
    if not found:
        inner = sorted(f for f in folder.iterdir() if f.is_dir())
        found = [one for f in inner for one in _in(f)]
    if not found:
        raise InputError(
            f"{folder} holds no diagnosis",
            hint=f"longtake score FILMS.csv -e diagnosis --out DIR writes {SCORES}, longtake diagnose"
            f" {DIAGNOSIS}",
        )
    return found


def _in(folder: Path) -> Iterator[Diagnosed]:
    if (folder / SCORES).is_file():
        document = _document(folder / SCORES, ScoreDocument)
        if any(result.evaluator == EVALUATOR for result in document.results):
            yield from _scored(document, folder)
            return
        if not (folder / DIAGNOSIS).is_file():
            asked = ", ".join(document.evaluators) or "nobody"
            raise InputError(
                f"{folder} was scored by {asked}, not by {EVALUATOR}",
                hint=f"longtake score FILMS.csv -e {EVALUATOR} --out {folder}",
            )
    if (folder / DIAGNOSIS).is_file():
        yield _alone(_document(folder / DIAGNOSIS, DiagnosisDocument), folder)
        return
    from ..storage import results

    store = results.Results(folder)
    if store.database.is_file() and results.DIAGNOSIS in store.holds():
        yield _alone(store.diagnosis(), folder)


def _document(path: Path, kind: type[Any]) -> Any:
    from ..storage.tables import table_bytes

    try:
        return kind.model_validate_json(table_bytes(path))
    except ValueError as error:
        said = str(error).splitlines()[0]
        raise InputError(f"{path} cannot be read: {said}", hint="make it again, or leave it out") from None


def _scored(document: ScoreDocument, folder: Path) -> Iterator[Diagnosed]:
    cases = {case.case: case for case in document.cases}
    for result in document.results:
        if result.evaluator == EVALUATOR:
            yield _of_result(result, cases[result.case], document, folder)


def _of_result(result: CaseResult, case: ScoredCase, document: ScoreDocument, folder: Path) -> Diagnosed:
    overall, *dimensions = result.measurements
    if "n_scored" in overall.facts and "rubric" not in overall.facts:
        raise InputError(
            f"{folder} was scored by an older longtake: it has no checkpoints",
            hint="the same command again adds them",
        )
    tags = dict(tag.split("=", 1) for tag in case.tags if "=" in tag)
    given = {"system": case.system, "video_type": case.video_type}
    columns = {k.strip(): v.strip() for k, v in tags.items()} | {k: v for k, v in given.items() if v}
    prompt = case.brief_hash or case.brief
    bounds = f"{case.start}-{case.end}"
    from ..diagnosis.details import BY_PROFILE

    facts = overall.facts
    values: dict[tuple[Kind, str], Measurement] = {}
    dimension_of: dict[str, Dimension] = {}
    for m in result.details:
        values[m.facts["kind"], m.name] = m  # type: ignore[index]
        dimension_of[m.name] = m.facts["dimension"]  # type: ignore[assignment]
    return Diagnosed(
        case=result.case,
        source=folder.name or str(folder),
        columns=columns,
        profile=Path(case.profile).name if case.profile else NEUTRAL,
        film=f"{case.hash} {bounds}" if case.hash else None,
        brief=case.brief_id or prompt,
        longtake=document.longtake,
        values=values,
        dimension_of=dimension_of,
        dimensions={d: _score(m) for d, m in zip(DIMENSIONS, dimensions, strict=True)},  # type: ignore[misc]
        with_constraints={
            name.removeprefix(BY_PROFILE): value if isinstance(value, float | int) else None
            for name, value in facts.items()
            if name.startswith(BY_PROFILE)
        },
        made_with=_made_with(facts),
        reason=case.reason or (None if result.details else overall.reason),
        cut_off=str(facts[CUT_OFF]) if facts.get(CUT_OFF) else None,
    )


def _score(m: Measurement) -> Score:
    """A dimension as the diagnosis had it; of a film that could not be read, nothing is covered."""
    return Score(
        value=m.value,
        status=m.status,
        reason=m.reason,
        n_scored=int(m.facts.get("n_scored") or 0),
        n_active=int(m.facts.get("n_active") or 0),
        covered_weight=float(m.facts.get("covered_weight") or 0.0),
        confidence=m.confidence,
    )


def _made_with(facts: dict[str, Any]) -> dict[str, Any]:
    """A replay says what the judge said that was recorded: it is that judge."""
    if facts.get("rubric") is None:
        return {}
    signals = dict(one.split(" ", 1) for one in str(facts["signals"]).split("; ") if one)
    from ..diagnosis.likeness import REPLAY

    judge = str(facts["judge"]).removeprefix(REPLAY) if facts.get("judge") else None
    return {"rubric": facts["rubric"], "judge": judge, "models": facts.get("models"), "signals": signals}


def _alone(document: DiagnosisDocument, folder: Path) -> Diagnosed:
    from ..diagnosis.details import details_of, made_with

    video, brief = document.video, document.brief
    details = details_of(document)
    said = brief.model_dump(mode="json", include={"instruction", "title", "shots"}) if brief else None
    columns = {"video_type": brief.video_type} if brief and brief.video_type else {}
    return Diagnosed(
        case=folder.resolve().name,
        source=folder.resolve().parent.name,
        columns=columns,
        profile=str(document.profile.get("id", NEUTRAL)),
        film=f"{video.hash} {video.start}-{video.end}",
        brief=(brief.id or brief.hash or json.dumps(said, sort_keys=True)) if brief else None,
        longtake=document.longtake,
        values={(m.facts["kind"], m.name): m for m in details},  # type: ignore[misc]
        dimension_of={m.name: m.facts["dimension"] for m in details},  # type: ignore[misc]
        dimensions=document.dimensions,
        with_constraints=dict(document.by_profile),
        made_with=_made_with(made_with(document)),
        cut_off=_cut_off(document.judge),
    )


def _cut_off(judge: JudgeFacts | None) -> str | None:
    open_ones = sum(judge.not_answered.get(end, 0) for end in NO_REPLY) if judge is not None else 0
    return f"{open_ones} of {judge.asked} questions have no reply" if judge and open_ones else None
