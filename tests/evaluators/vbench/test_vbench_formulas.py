"""VBench's formulas against SciPy, NumPy and hand computation; the aggregation against any order of shots."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, cosine, pdist

from longtake.evaluators import vbench
from longtake.evaluators.vbench import aggregate, formulas
from longtake.testing import check_vectors

DRAW = np.random.default_rng(5)


def units(count: int, dimension: int = 16, *, near: float = 0.0) -> np.ndarray:
    rows = DRAW.normal(size=(count, dimension)) + near
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_vectors() -> None:
    assert check_vectors(Path(vbench.__file__).parent, vbench.__name__) >= 20


def test_likeness_within_a_shot_is_that_of_scipys_cosine_distance() -> None:
    rows = units(12, near=0.3)
    wanted = [
        (max(0.0, 1 - cosine(rows[i - 1], rows[i])) + max(0.0, 1 - cosine(rows[0], rows[i]))) / 2
        for i in range(1, 12)
    ]
    assert formulas.within(rows) == pytest.approx(wanted, abs=1e-12)


def test_likeness_across_shots_is_the_weighted_mean_of_scipys_pairs() -> None:
    rows, seconds = units(7, near=0.4), DRAW.uniform(0.5, 9, 7)
    i, j = np.triu_indices(7, 1)
    wanted = np.average(np.maximum(0, 1 - pdist(rows, "cosine")), weights=seconds[i] * seconds[j])
    assert formulas.across(rows, list(seconds)) == pytest.approx(wanted, abs=1e-12)


def test_a_shot_that_leaves_the_others_costs_across_and_not_within() -> None:
    same, other = units(1)[0], units(1)[0]
    alike = formulas.across([same] * 4, [1.0] * 4)
    broken = formulas.across([same, same, other, same], [1.0] * 4)
    assert alike == pytest.approx(1.0)
    assert broken is not None
    assert broken < 0.9
    assert formulas.within([other] * 5) == pytest.approx([1.0] * 4)


def test_two_shots_are_as_alike_as_their_frames_are_in_the_mean() -> None:
    one, other = units(9, near=0.5), units(4, near=0.5)
    wanted = 1 - cdist(one, other, "cosine").mean()
    found = formulas.across([formulas.centre(one), formulas.centre(other)], [3.0, 5.0])
    assert found == pytest.approx(wanted, abs=1e-12)


def test_unlike_frames_in_long_shots_do_not_make_shots_alike() -> None:
    draws = [units(200, near=0.2) for _ in range(3)]
    across = formulas.across([formulas.centre(rows) for rows in draws], [1.0] * 3)
    pairs = np.mean([formulas.within(rows) for rows in draws])
    assert across == pytest.approx(pairs, abs=0.15)


@pytest.mark.parametrize("share", [0.05, 0.02])
def test_longest_flow_is_the_mean_of_the_sorted_end(share: float) -> None:
    flow = DRAW.normal(size=(40, 50, 2)).astype(np.float32) * 4
    ordered = np.sort(np.linalg.norm(flow.reshape(-1, 2).astype(np.float64), axis=1))
    assert formulas.longest(flow, share) == pytest.approx(ordered[-int(2000 * share) :].mean(), rel=1e-5)


def test_longest_flow_of_a_tiny_picture_is_its_longest() -> None:
    flow = np.zeros((2, 2, 2), np.float32)
    flow[1, 1] = 3, 4
    assert formulas.longest(flow, 0.02) == pytest.approx(5.0)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 900)), min_size=1, max_size=40),
    st.randoms(use_true_random=False),
)
def test_no_order_of_shots_moves_a_digit(shots: list[tuple[float, float]], chance: random.Random) -> None:
    mixed = shots[:]
    chance.shuffle(mixed)
    first, second = (aggregate.over_shots(*map(list, zip(*part, strict=True))) for part in (shots, mixed))
    assert first == second
    assert min(v for v, _ in shots) - 1e-12 <= first <= max(v for v, _ in shots) + 1e-12


def test_shots_of_unequal_length_are_weighted_by_seconds_not_by_frames() -> None:
    assert aggregate.over_shots([0.2, 0.8], [9.0, 1.0]) == pytest.approx(0.26)
    assert aggregate.mean([0.2, 0.2, 0.8]) == pytest.approx(0.4)
    with pytest.raises(ValueError, match="length above 0"):
        aggregate.over_shots([0.2, 0.8], [1.0, 0.0])
    with pytest.raises(ValueError, match="nothing"):
        aggregate.mean([])
