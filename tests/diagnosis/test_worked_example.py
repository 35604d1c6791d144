"""The example on the page that explains a score, computed by the code and found in the page's words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from by_hand import RUBRIC

from longtake.core.documents import CheckpointResult, Dimension, ReportMetric, Score, SubmetricResult
from longtake.core.judgement import ConfidenceParts
from longtake.diagnosis.confidence import LOW_CONFIDENCE, NO_SECOND_OPINION, of_draws
from longtake.diagnosis.opinions import Decision, Opinion, decide
from longtake.diagnosis.profiles import load_profile
from longtake.diagnosis.synthesis import (
    COVERED_OVERALL,
    constraint_results,
    dimension_score,
    overall_score,
    penalty,
    submetric_result,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "how-a-score-comes-about.md"
SEPARATION = 0.9


def example() -> str:
    return PAGE.read_text("utf-8").split("## An example to check")[1].split("\n## ")[0]


def rows() -> list[list[str]]:
    """Cells of the page's table, by row."""
    lines = [line for line in example().splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def decision(authority: str, rule: str, levels: str) -> Decision:
    """What the page's cells come to."""
    opinions = []
    if rule != "-":
        parts = ConfidenceParts(availability=1, agreement=SEPARATION, evidence=NO_SECOND_OPINION)
        opinions.append(Opinion("rule", float(rule), (), parts))
    values = [(int(level) - 1) / 4 for level in levels.split(", ") if level != "null"]
    if values:
        mean = sum(values) / len(values)
        opinions.append(Opinion("judge", mean, (), of_draws(values, 1.0)))
    made = decide(authority, opinions)
    assert made is not None
    return made


def scored(name: str, value: float, confidence: float) -> CheckpointResult:
    point = RUBRIC.checkpoint(name)
    return CheckpointResult(
        id=name,
        submetric=point.submetric,
        dimension=point.dimension,
        question=point.question,
        weight=point.weight,
        status="scored",
        value=value,
        reason=None,
        confidence=confidence,
        authority=point.authority,
        method=None,
    )


@pytest.fixture(scope="module")
def lighting() -> list[CheckpointResult]:
    made = []
    for name, _, authority, rule, levels, _, _ in rows():
        found = decision(authority, rule, levels)
        made.append(scored(name.strip("`"), found.opinion.value, found.confidence))
    return made


@pytest.fixture(scope="module")
def picture(lighting: list[CheckpointResult]) -> Score:
    groups = {g.id: g for g in RUBRIC.submetrics}
    beside = SubmetricResult(
        id="temporal_coherence", dimension="visual", value=0.60, status="scored", confidence=0.50,
        n_scored=1, n_active=1,
    )  # fmt: skip
    joins = ReportMetric(
        id="transition_quality", dimension="visual", status="scored", value=1.0, confidence=0.81, reason=None
    )
    own = submetric_result(groups["lighting_consistency"], lighting)
    return dimension_score("visual", lighting, [own, beside], [joins])


def test_rows_of_the_table(lighting: list[CheckpointResult]) -> None:
    assert [p.id for p in lighting] == [
        c.id for c in RUBRIC.checkpoints if c.submetric == "lighting_consistency"
    ]
    for point, (_, weight, authority, _, _, value, sure) in zip(lighting, rows(), strict=True):
        spec = RUBRIC.checkpoint(point.id)
        assert (spec.weight, spec.authority) == (float(weight), authority)
        assert point.value == pytest.approx(float(value), abs=5e-5)
        assert point.confidence is not None
        told = float(re.split(r" = |,", sure)[1])
        assert point.confidence == pytest.approx(told, abs=5e-5)
        assert ("flagged" in sure) == (point.confidence < LOW_CONFIDENCE)


def test_sub_metric_and_dimension(lighting: list[CheckpointResult], picture: Score) -> None:
    group = next(g for g in RUBRIC.submetrics if g.id == "lighting_consistency")
    made = submetric_result(group, lighting)
    assert made.value == pytest.approx(0.71, abs=5e-5)
    assert made.confidence == pytest.approx(0.7284, abs=5e-5)
    assert picture.value == pytest.approx(0.7983, abs=5e-5)
    assert picture.grade == "B"
    for told in ("= .71,", "= .7284.", "= .7983, grade B"):
        assert told in example()


def test_overall_and_its_penalty(picture: Score) -> None:
    assert picture.value is not None
    profile = load_profile("story-first")
    values: dict[Dimension, tuple[float, float]] = {
        "script": (0.50, 1.0),
        "visual": (picture.value, 1.0),
        "audio": (0.70, 0.5),
        "cross_modal": (0.60, 1.0),
    }
    scores: dict[Dimension, Score] = {
        d: Score(value=v, status="scored", n_scored=1, n_active=1, covered_weight=w, confidence=0.8)
        for d, (v, w) in values.items()
    }
    plain = overall_score(profile.weights, scores)
    assert plain.value == pytest.approx(0.5997, abs=5e-5)
    assert plain.covered_weight == pytest.approx(0.925)
    assert plain.covered_weight > COVERED_OVERALL
    points = [scored("event_chain_logic", 0.25, 0.72), scored("pacing_structure", 0.75, 0.72)]
    held = constraint_results(profile, points, [])
    by_id = {c.id: c for c in held}
    assert by_id["causal_logic"].status == "violated"
    assert by_id["strong_three_act_arc"].status == "met"
    assert by_id["strong_three_act_arc"].value == pytest.approx(0.4722, abs=5e-5)
    lowered = overall_score(profile.weights, scores, factor=penalty(held))
    assert lowered.value == pytest.approx(0.4198, abs=5e-5)
    assert lowered.grade == "D"
    for told in ("= .5997.", "= .925", "= .4722: met", "= .4198, grade D"):
        assert told in example()
