"""Tests on pairs, and the correction for many tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def sign_test(better: int, worse: int) -> float:
    """Exact two-sided p of ``better`` against ``worse`` under even chances; 1 where both are 0.

    With the two discordant counts of a 2x2 table it is McNemar's exact test. Ties are left out beforehand.

    Raises:
        ValueError: a count is negative.
    """
    if better < 0 or worse < 0:
        raise ValueError("counts are not negative")
    from scipy.special import bdtr

    n = better + worse
    return min(1.0, 2 * float(bdtr(min(better, worse), n, 0.5))) if n else 1.0


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction of p values, in their order; ``None`` stays and does not count as a test.

    Source: Holm 1979. The i-th smallest of m is multiplied by m - i + 1, and none gets below one before it.
    """
    known = [i for i, p in enumerate(values) if p is not None]
    raw: NDArray[np.float64] = np.array([values[i] for i in known], np.float64)
    order = np.argsort(raw, kind="stable")
    stepped = np.maximum.accumulate(raw[order] * (len(raw) - np.arange(len(raw))))
    out: list[float | None] = [None] * len(values)
    for place, p in zip(order, np.minimum(stepped, 1.0), strict=True):
        out[known[place]] = float(p)
    return out
