"""The published formulas against sums done by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longtake.core.documents import CheckpointResult, Dimension, ReportMetric, Score
from longtake.diagnosis import synthesis
from longtake.diagnosis.profiles import load_profile, profiles
from longtake.diagnosis.rubric import load_rubric

RUBRIC = load_rubric()


def point(name: str, value: float | None, confidence: float = 0.9, status: Any = None) -> CheckpointResult:
    spec = RUBRIC.checkpoint(name)
    status = status or ("scored" if value is not None else "unscored")
    return CheckpointResult(
        id=name,
        submetric=spec.submetric,
        dimension=spec.dimension,
        question=spec.question,
        weight=spec.weight,
        status=status,
        value=value,
        reason=None if value is not None else "test",
        confidence=confidence if value is not None else None,
        authority=spec.authority,
        method="rule" if value is not None else None,
    )


def all_points(values: dict[str, float | None], default: float | None = None) -> list[CheckpointResult]:
    return [point(c.id, values.get(c.id, default)) for c in RUBRIC.checkpoints]


def dimension(
    name: Dimension, points: list[CheckpointResult], metrics: list[ReportMetric] | None = None
) -> Score:
    groups = [synthesis.submetric_result(g, points) for g in RUBRIC.submetrics]
    return synthesis.dimension_score(name, points, groups, metrics or [])


def dimensions(points: list[CheckpointResult]) -> dict[Dimension, Score]:
    names: tuple[Dimension, ...] = ("script", "visual", "audio", "cross_modal", "stability")
    return {name: dimension(name, points) for name in names}


def metric(name: str, value: float, confidence: float = 0.8, **facts: Any) -> ReportMetric:
    spec = next(m for m in RUBRIC.report_metrics if m.id == name)
    return ReportMetric(
        id=name,
        dimension=spec.dimension,
        status="scored",
        value=value,
        reason=None,
        confidence=confidence,
        facts=facts,
    )


def test_submetric_by_hand() -> None:
    points = [
        point("light_direction", 1.0, 0.5),
        point("shadow_consistency", None),
        point("color_temperature", 0.2, 0.9),
        point("exposure_stability", 0.0, status="scored", confidence=0.7),
    ]
    group = next(g for g in RUBRIC.submetrics if g.id == "lighting_consistency")
    found = synthesis.submetric_result(group, points)
    assert found.value == pytest.approx((0.30 * 1 + 0.25 * 0.2 + 0.20 * 0) / 0.75)
    assert found.confidence == pytest.approx((0.30 * 0.5 + 0.25 * 0.9 + 0.20 * 0.7) / 0.75)
    assert (found.n_scored, found.n_active) == (3, 4)


def test_dimension_weighs_by_confidence_and_counts_metrics() -> None:
    points = [point("exposure_stability", 0.4, 0.5), point("motion_continuity", 1.0, 1.0)]
    extra = [metric("transition_quality", 0.1, 0.25), metric("user_requirement_consistency", 0.0)]
    found = dimension("visual", points, extra)
    assert found.value == pytest.approx((0.4 * 0.5 + 1.0 * 1.0 + 0.1 * 0.25) / 1.75)
    assert found.covered_weight == 1.0


def test_what_does_not_apply_leaves_both_sides_and_unknown_gates_stay_below() -> None:
    points = [
        point("visual_artifact_frequency", 0.5),
        point("resolution_sharpness", None, status="not_applicable"),
        point("temporal_degradation", None),
    ]
    found = dimension("stability", points)
    assert found.covered_weight == pytest.approx(0.25 / 0.45)
    assert (found.n_scored, found.n_active) == (1, 2)
    assert not found.partial
    assert dimension("stability", [*points, point("duration_completeness", None)]).partial


def test_overall_by_hand() -> None:
    values: dict[str, float | None] = {}
    for c in RUBRIC.checkpoints:
        values[c.id] = {"script": 0.2, "visual": 0.4, "audio": 0.6, "cross_modal": 0.8, "stability": 0.0}[
            c.dimension
        ]
    found = dimensions(all_points(values))
    weights = load_profile("story-first").weights
    overall = synthesis.overall_score(weights, found)
    assert overall.value == pytest.approx(0.55 * 0.2 + 0.20 * 0.4 + 0.15 * 0.6 + 0.10 * 0.8)
    assert overall.covered_weight == pytest.approx(1)
    assert overall.grade == "F"
    assert (overall.n_scored, overall.n_active) == (35, 35)
    halved = synthesis.overall_score(weights, found, factor=0.7)
    assert halved.value == pytest.approx(0.7 * (overall.value or 0))


def test_stability_moves_no_overall() -> None:
    stable = {c.id: 1.0 for c in RUBRIC.checkpoints if c.dimension == "stability"}
    for who in profiles().values():
        good = synthesis.overall_score(who.weights, dimensions(all_points(dict(stable), 0.5)))
        bad = synthesis.overall_score(who.weights, dimensions(all_points(dict.fromkeys(stable, 0.0), 0.5)))
        assert good == bad
        assert good.value == pytest.approx(0.5)


def test_an_overall_needs_three_quarters_of_the_weight() -> None:
    visual = {c.id: 1.0 for c in RUBRIC.checkpoints if c.dimension == "visual"}
    weights = load_profile("neutral").weights
    little = synthesis.overall_score(weights, dimensions(all_points(dict(visual))))
    assert (little.value, little.status, little.grade) == (None, "unscored", None)
    assert little.covered_weight == pytest.approx(0.25)
    assert "0.25" in (little.reason or "")
    three = {c.id: 1.0 for c in RUBRIC.checkpoints if c.dimension != "audio"}
    assert synthesis.overall_score(weights, dimensions(all_points(dict(three)))).value == 1.0


def test_a_silent_film_is_weighed_without_its_audio() -> None:
    points = [
        point(c.id, None, status="not_applicable") if c.dimension == "audio" else point(c.id, 0.5)
        for c in RUBRIC.checkpoints
    ]
    found = dimensions(points)
    assert found["audio"].status == "not_applicable"
    overall = synthesis.overall_score(load_profile("audio-emotion").weights, found)
    assert (overall.value, overall.covered_weight) == (pytest.approx(0.5), pytest.approx(1))


def test_nothing_scored_is_no_number_anywhere() -> None:
    points = all_points({})
    assert len(dimensions(points)) == 5
    for score in dimensions(points).values():
        assert (score.value, score.status, score.grade, score.confidence) == (None, "unscored", None, None)
    overall = synthesis.overall_score(load_profile().weights, dimensions(points))
    assert (overall.value, overall.covered_weight, overall.status) == (None, 0.0, "unscored")
    assert synthesis.bottlenecks(points) == []


@pytest.mark.parametrize(
    ("value", "letter"),
    [(1, "A"), (0.85, "A"), (0.849, "B"), (0.7, "B"), (0.55, "C"), (0.4, "D"), (0.399, "F"), (0, "F")],
)
def test_grades(value: float, letter: str) -> None:
    assert synthesis.grade(value) == letter


def test_constraints_need_low_value_and_enough_confidence() -> None:
    who = load_profile("story-first")

    def states(*points: CheckpointResult) -> list[str]:
        return [r.status for r in synthesis.constraint_results(who, points, [])]

    assert states(point("event_chain_logic", 0.3, 0.6), point("pacing_structure", 0.5, 0.6)) == [
        "met",
        "violated",
    ]
    assert states(point("event_chain_logic", 0.3, 0.59)) == ["unverified", "unverified"]
    assert states(point("event_chain_logic", 0.375, 0.9)) == ["met", "met"]
    assert states() == ["unverified", "unverified"]
    both = synthesis.constraint_results(who, [point("event_chain_logic", 0.0)], [])
    assert synthesis.penalty(both) == pytest.approx(0.49)


def test_camera_constraint_reads_its_item_of_the_report_metric() -> None:
    who = load_profile("visual-heavy")
    known = [metric("user_requirement_consistency", 0.9, camera=0.0)]
    assert synthesis.constraint_results(who, [], known)[0].status == "violated"
    silent = [metric("user_requirement_consistency", 0.0)]
    assert synthesis.constraint_results(who, [], silent)[0].status == "unverified"


def test_bottlenecks_by_what_they_cost() -> None:
    points = [
        point("exposure_stability", 0.0, 0.5),  # 1 x .20 x .5 = .10
        point("light_direction", 0.5, 0.9),  # .5 x .30 x .9 = .135
        point("color_consistency", 0.9),
        point("resolution_sharpness", None),
    ]
    assert synthesis.bottlenecks(points) == ["light_direction", "exposure_stability"]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.none() | st.floats(0, 1), min_size=40, max_size=40), st.integers(0, 2**16))
def test_order_of_checkpoints_changes_no_bit(values: list[float | None], seed: int) -> None:
    points = [point(c.id, v) for c, v in zip(RUBRIC.checkpoints, values, strict=True)]
    mixed = list(points)
    random.Random(seed).shuffle(mixed)
    assert dimensions(points) == dimensions(mixed)
    assert synthesis.bottlenecks(points) == synthesis.bottlenecks(mixed)
