"""Folders as ``longtake score -e diagnosis`` writes them, with values that a test chooses."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longtake.core.documents import DIMENSIONS
from longtake.core.measurement import Measurement
from longtake.core.scores import CaseResult, ScoredCase, ScoreDocument
from longtake.diagnosis.profiles import WEIGHED, profiles
from longtake.diagnosis.rubric import load_rubric

MADE_WITH: dict[str, Any] = {
    "rubric": load_rubric().hash,
    "judge": None,
    "models": "",
    "signals": "audio 2; shots 4",
}


def case(
    name: str,
    values: Mapping[str, float | None],
    *,
    system: str | None = "one",
    brief: str = "b1",
    tags: Sequence[str] = (),
    video_type: str | None = None,
    profile: str | None = None,
    out: Sequence[str] = (),
    made_with: Mapping[str, Any] = MADE_WITH,
    film: str | None = None,
) -> tuple[ScoredCase, CaseResult]:
    """A case; ``values`` are of dimensions and checkpoints, ``None`` where unscored, ``out`` not applicable.

    Sub-metrics and report-level metrics that are not named are unscored, as are dimensions.
    """
    rubric = load_rubric()
    kinds = [("submetric", g.id, g.dimension) for g in rubric.submetrics]
    kinds += [("checkpoint", c.id, c.dimension) for c in rubric.checkpoints]
    kinds += [("report_metric", m.id, m.dimension) for m in rubric.report_metrics]
    weights = {who: p.weights for who, p in profiles().items()}
    own = {d: v for d in WEIGHED if (v := values.get(d)) is not None}
    by_profile = {
        who: sum(w[d] * v for d, v in own.items()) if len(own) == len(WEIGHED) else None
        for who, w in weights.items()
    }
    facts = {**made_with, **{f"profile.{who}": v for who, v in by_profile.items()}}
    overall = by_profile[profile or "neutral"]
    covered = {"n_scored": 1, "n_active": 1, "covered_weight": 1.0}
    measured = [measurement("overall", overall, out, {**covered, **facts})]
    measured += [measurement(d, values.get(d), out, covered) for d in DIMENSIONS]
    details = [measurement(m, values.get(m), out, {"kind": k, "dimension": d}) for k, m, d in kinds]
    scored = ScoredCase(
        case=name,
        video=f"{name}.mp4",
        hash=hashlib.sha256((film or name).encode()).hexdigest(),
        brief=f"{brief}.json",
        brief_id=brief,
        video_type=video_type,
        system=system,
        profile=profile,
        tags=list(tags),
    )
    return scored, CaseResult(case=name, evaluator="diagnosis", measurements=measured, details=details)


def measurement(name: str, value: float | None, out: Sequence[str], facts: Mapping[str, Any]) -> Measurement:
    status: Any = "not_applicable" if name in out else "scored" if value is not None else "unscored"
    reason = None if status == "scored" else "it does not apply" if name in out else "not measured"
    return Measurement(name=name, status=status, value=value, reason=reason, facts=dict(facts))


def folder(path: Path, cases: Sequence[tuple[ScoredCase, CaseResult]]) -> Path:
    """A folder with the document of these cases."""
    path.mkdir(parents=True, exist_ok=True)
    document = ScoreDocument(cases=[c for c, _ in cases], results=[r for _, r in cases])
    (path / "score.json").write_text(document.model_dump_json(by_alias=True), encoding="utf-8")
    return path
