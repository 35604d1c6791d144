"""The exchange test against all exchanges listed, a closed form, and what must not change it."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from longtake.stats.permutation import deviations, exchange_p


def listed(values: NDArray[np.float64], group: NDArray[np.int64], groups: int, block: NDArray[np.int64]):
    """p by going through every exchange of the known rows within blocks."""
    known = np.flatnonzero(np.isfinite(values))
    seen = np.abs(deviations(values[:, None], group, groups)[0])
    blocks = [[i for i in known if block[i] == b] for b in np.unique(block[known])]
    far, total = np.zeros(groups), 0
    for orders in product(*(permutations(own) for own in blocks)):
        moved = values.copy()
        for own, order in zip(blocks, orders, strict=True):
            moved[own] = values[list(order)]
        far += np.abs(deviations(moved[:, None], group, groups)[0]) >= seen - 1e-9
        total += 1
    return far / total


def test_deviations_by_hand() -> None:
    values = np.array([[1.0], [0.0], [0.5], [np.nan], [0.9]])
    # Means of the groups: 0.5, 0.5, 0.9; their mean 19/30. The fourth group has no value.
    found = deviations(values, np.array([0, 0, 1, 3, 2]), 4)[0]
    assert found[:3] == pytest.approx([0.5 - 19 / 30, 0.5 - 19 / 30, 0.9 - 19 / 30])
    assert np.isnan(found[3])
    assert np.nansum(found) == pytest.approx(0)


@pytest.mark.parametrize("missing", [(), (1, 6)])
def test_draws_approach_the_full_list_of_exchanges(missing: tuple[int, ...]) -> None:
    rng = np.random.default_rng(5)
    values = rng.choice([0, 0.25, 0.5, 0.75, 1.0], 12)
    values[list(missing)] = np.nan
    block, group = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    p = exchange_p(values[:, None], group, 3, block, draws=20_000, seed=1)[0]
    assert p == pytest.approx(listed(values, group, 3, block), abs=0.015)


def test_two_groups_that_always_differ_the_same_way() -> None:
    """Of n pairs all with a before b, both of 2^n exchanges are as far off: p is 2 / 2^n."""
    pairs = 6
    values = np.concatenate([np.ones(pairs), np.zeros(pairs)])[:, None]
    group, block = np.repeat([0, 1], pairs), np.tile(np.arange(pairs), 2)
    p = exchange_p(values, group, 2, block, draws=40_000, seed=2)[0]
    assert p == pytest.approx([2 / 2**pairs] * 2, rel=0.15)
    equal = exchange_p(np.ones_like(values), group, 2, block, draws=100, seed=2)[0]
    assert equal.tolist() == [1.0, 1.0]


def test_blocks_hold_what_lies_between_them_apart() -> None:
    """Great differences between blocks say nothing: within each the groups are alike."""
    values = np.array([0.0, 0.0, 1.0, 1.0, 0.5, 0.5])[:, None]
    group, block = np.tile([0, 1], 3), np.repeat(np.arange(3), 2)
    assert exchange_p(values, group, 2, block, draws=200, seed=3)[0].tolist() == [1.0, 1.0]


def test_one_group_alone_has_no_test() -> None:
    values = np.array([[0.1], [0.9], [np.nan]])
    p = exchange_p(values, np.array([0, 0, 1]), 2, np.array([0, 1, 1]), draws=50, seed=0)
    assert np.isnan(p).all()


def test_small_blocks_of_draws_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    values = rng.random((20, 3))
    group, block = np.tile([0, 1], 10), np.repeat(np.arange(10), 2)
    whole = exchange_p(values, group, 2, block, draws=500, seed=4)
    monkeypatch.setattr("longtake.stats.permutation.NUMBERS_AT_ONCE", 100)
    assert exchange_p(values, group, 2, block, draws=500, seed=4) == pytest.approx(whole)
