"""Tests by exchanging labels: exact where what is exchanged is alike, whatever the values look like."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

NUMBERS_AT_ONCE = 2_000_000
"""Places held at a time (8 bytes each)."""
EQUAL = 1e-9
"""Deviations as near as this are equal: sums in another order differ."""


def deviations(values: Floats, group: Numbers, groups: int) -> Floats:
    """Mean of each group less the mean over groups of their means, (columns, groups).

    ``values`` (rows, columns) is NaN where missing; a group without a value is in no mean and gets NaN.
    """
    out = np.full((values.shape[1], groups), np.nan)
    for k in range(values.shape[1]):
        known = np.isfinite(values[:, k])
        n = np.bincount(group[known], minlength=groups)
        there = n > 0
        if there.any():
            means = np.bincount(group[known], values[known, k], groups)[there] / n[there]
            out[k, there] = means - means.mean()
    return out


def exchange_p(
    values: Floats, group: Numbers, groups: int, block: Numbers, *, draws: int, seed: int
) -> Floats:
    """Two-sided p of each group's deviation, (columns, groups), from exchanging groups within blocks.

    If it does not matter to which group a row of a block belongs, every exchange is as likely as what was
    seen; what is missing stays missing for its group. p is (1 + exchanges at least as far off) / (1 + draws),
    so never under 1 / (1 + draws). NaN where fewer than two groups have a value. All columns share the draws.
    Source: Phipson and Smyth 2010; restricted exchanges as in Good 2005, chapter 3.

    Args:
        values: (rows, columns), NaN where missing.
        group: the group of each row, from 0.
        block: the block of each row; rows of one block may be exchanged, others not.
    """
    seen = np.abs(deviations(values, group, groups))
    far = np.zeros_like(seen)
    rng = np.random.default_rng(seed)
    start = np.argsort(block, kind="stable")
    known = np.isfinite(values[start])
    step = max(1, NUMBERS_AT_ONCE // max(1, len(values)))
    for first in range(0, draws, step):
        rows = min(step, draws - first)
        keys = block[start] + rng.random((rows, len(start)))
        order = np.argsort(keys, axis=1)  # places of ``start``, shuffled inside blocks
        for k in range(values.shape[1]):
            far[k] += _further(values[start, k], known[:, k], group[start], groups, order, seen[k])
    return np.where(np.isfinite(seen) & (np.isfinite(seen).sum(axis=1) > 1)[:, None],
                    (1 + far) / (1 + draws), np.nan)  # fmt: skip


def _further(
    values: Floats,
    known: NDArray[np.bool_],
    group: Numbers,
    groups: int,
    order: NDArray[np.intp],
    seen: Floats,
) -> Floats:
    """How many exchanges of one column are at least as far off as what was seen, by group."""
    labels = group[known]
    n = np.bincount(labels, minlength=groups)
    there = n > 0
    if there.sum() < 2:
        return np.zeros(groups)
    # In every row of ``order`` the known ones stand block after block: each takes a label of its block.
    shuffled = values[order[known[order]].reshape(len(order), -1)]
    share = np.zeros((len(labels), groups))
    share[np.arange(len(labels)), labels] = 1 / n[labels]
    means = (shuffled @ share)[:, there]
    out = np.zeros(groups)
    out[there] = (np.abs(means - means.mean(axis=1, keepdims=True)) >= seen[there] - EQUAL).sum(axis=0)
    return out
