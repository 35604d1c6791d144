"""What SLVMEval and Long-CODE print follows from our formulas."""

from __future__ import annotations

import numpy as np
import pytest

from longtake.stats.correlation import p_of_rho
from longtake.stats.intervals import paper_half_width
from longtake.stats.paired import holm
from longtake.stats.regression import luck, luck_of_walk

PAIRS = (282, 130, 312, 354, 100, 204, 333, 235, 236, 285)
"""Aesthetics, technical, style, background, object, color, dynamics, comprehensiveness, spatial, temporal."""
TABLE_2 = {
    "GPT-5": (
        (90.1, 85.8, 88.9, 98.9, 72.0, 84.3, 35.3, 51.3, 59.7, 50.3),
        (2.5, 4.2, 2.5, 0.8, 6.2, 3.5, 3.6, 4.5, 4.4, 4.1),
    ),
    "GPT-5-mini": (
        (84.0, 48.1, 78.0, 95.2, 66.5, 69.4, 31.5, 45.7, 51.1, 43.7),
        (3.0, 6.1, 3.2, 1.6, 6.5, 4.5, 3.5, 4.5, 4.5, 4.1),
    ),
    "Qwen3": (
        (55.7, 51.9, 55.3, 49.7, 38.5, 48.8, 50.0, 52.6, 51.7, 50.2),
        (4.1, 6.1, 3.9, 3.7, 6.7, 4.9, 3.8, 4.5, 4.5, 4.1),
    ),
}
TABLE_5 = {
    "IgnMax": (
        (48.9, 76.2, 62.8, 70.9, 71.0, 66.2, 55.3, 51.1, 60.2, 56.1),
        (5.8, 7.3, 5.4, 4.7, 8.9, 6.5, 5.3, 6.4, 6.2, 5.8),
    ),
    "EachTrunc": (
        (54.3, 72.3, 66.0, 76.6, 75.0, 68.1, 55.0, 60.4, 56.4, 54.4),
        (5.8, 7.7, 5.3, 4.4, 8.5, 6.4, 5.3, 6.3, 6.3, 5.8),
    ),
}
TABLES_7_AND_8 = {
    "GPT-5": (
        (-0.6806, -0.4930, -0.1150, 0.0487, 0.0541, -0.1198, 0.1446, -0.2200, -0.1216, -0.4927),
        (0.0000, 0.0003, 0.4263, 0.7371, 0.7090, 0.4073, 0.3164, 0.1248, 0.4002, 0.0003),
    ),
    "GPT-5-mini": (
        (-0.5422, -0.3558, -0.2473, -0.2874, -0.2409, -0.3055, -0.0402, -0.2239, -0.1750, -0.3623),
        (0.0000, 0.0112, 0.0834, 0.0430, 0.0919, 0.0310, 0.7818, 0.1181, 0.2241, 0.0097),
    ),
    "Qwen3": (
        (-0.1368, -0.0572, -0.0636, -0.2014, 0.3848, -0.0683, 0.1418, 0.0200, -0.2934, 0.1239),
        (0.3434, 0.6934, 0.6606, 0.1607, 0.0058, 0.6373, 0.3259, 0.8902, 0.0387, 0.3915),
    ),
}


def fits(percent: float, half: float, n: int) -> bool:
    """Whether some whole number of right answers gives both printed figures."""
    near = range(max(0, int(n * percent / 100) - 2), min(n, int(n * percent / 100) + 3) + 1)
    return any(
        round(100 * k / n, 1) == percent and round(100 * paper_half_width(k / n, n), 1) == half for k in near
    )


@pytest.mark.parametrize("system", TABLE_2)
def test_judges_of_table_2_have_two_answers_a_pair(system: str) -> None:
    for pairs, percent, half in zip(PAIRS, *TABLE_2[system], strict=True):
        n = 569 if (system, pairs) == ("GPT-5", 285) else 2 * pairs
        assert fits(percent, half, n), (system, pairs, percent, half)
        assert not fits(percent, half, pairs), (system, pairs)


@pytest.mark.parametrize("system", TABLE_5)
def test_scores_of_table_5_have_one_answer_a_pair(system: str) -> None:
    for pairs, percent, half in zip(PAIRS, *TABLE_5[system], strict=True):
        assert fits(percent, half, pairs), (system, pairs, percent, half)
        assert not fits(percent, half, 2 * pairs), (system, pairs)


def test_a_missing_answer_of_gpt_5_is_left_out_of_n() -> None:
    assert fits(50.3, 4.1, 569)
    assert not fits(50.3, 4.1, 570)


@pytest.mark.parametrize("system", TABLES_7_AND_8)
def test_every_p_of_table_8_follows_from_table_7(system: str) -> None:
    for rho, p in zip(*TABLES_7_AND_8[system], strict=True):
        # rho is rounded: p may lie between those of its ends.
        ends = [p_of_rho(abs(rho) + d, 50) for d in (0.00005, -0.00005)]
        assert ends[0] - 0.00005 <= p <= ends[1] + 0.00005, (system, rho, p)


def test_four_of_thirty_durations_remain_after_holm() -> None:
    rhos = [r for row in TABLES_7_AND_8.values() for r in row[0]]
    raw = [p_of_rho(r, 50) for r in rhos]
    assert sum(p < 0.05 for p in raw) == 10
    left = [r for r, p in zip(rhos, holm(raw), strict=True) if p is not None and p < 0.05]
    assert sorted(left) == [-0.6806, -0.5422, -0.4930, -0.4927]


@pytest.mark.parametrize(("points", "chance"), [(3, 0.218), (4, 0.113), (5, 0.062)])
def test_luck_of_the_r_squared_rule(points: int, chance: float) -> None:
    assert luck(points) == pytest.approx(chance, abs=0.0005)
    rng = np.random.default_rng(points)
    noise = rng.standard_normal((200_000, points))
    x = np.arange(points) - (points - 1) / 2
    off = noise - noise.mean(axis=1, keepdims=True)
    r = off @ x / np.sqrt((off**2).sum(axis=1) * (x**2).sum())
    assert np.mean((r < 0) & (r**2 >= 0.6)) == pytest.approx(chance, abs=0.003)


@pytest.mark.parametrize(
    ("strengths", "chance"),
    [((0.2, 0.4, 0.8), 0.318), ((2.0, 4.0, 8.0, 16.0), 0.271), ((0.0, 2.0, 4.0, 8.0, 16.0), 0.237)],
)
def test_luck_of_the_rule_when_errors_add_up(strengths: tuple[float, ...], chance: float) -> None:
    assert luck_of_walk(strengths) == pytest.approx(chance, abs=0.003)


def test_luck_of_a_walk_over_three_points_in_closed_form() -> None:
    """With three points, slope and curvature of a walk are two normal numbers: an angle is the chance."""
    x = np.array([0.2, 0.4, 0.8])
    steps = np.sqrt(np.diff(x))
    walk = np.array([[0, 0], [steps[0], 0], [steps[0], steps[1]]])  # two normal numbers to three errors
    walk = walk - walk.mean(axis=0)
    along = (x - x.mean()) / np.linalg.norm(x - x.mean())
    angles = np.linspace(0, 2 * np.pi, 400_001)[:-1]
    errors = walk @ np.stack([np.cos(angles), np.sin(angles)])
    r = along @ errors / np.linalg.norm(errors, axis=0)
    assert luck_of_walk((0.2, 0.4, 0.8)) == pytest.approx(np.mean((r < 0) & (r**2 >= 0.6)), abs=0.003)
