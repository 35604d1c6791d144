"""Arithmetic of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def unit(vectors: NDArray[Any]) -> NDArray[np.float32]:
    """``vectors`` (n, d) at length 1; one of length 0 stays as it is."""
    found = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray(found / np.where(lengths > 0, lengths, 1), np.float32)


def cosines(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float32]:
    """Cosine of each of ``a`` (n, d) with each of ``b`` (m, d): shape (n, m), -1..1."""
    return unit(a) @ unit(b).T
