"""How well stretches of a film fit texts: cosines of unit vectors, their mean, and those that fit worst."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.embedding import TextVectors
from ...core.measurement import Evidence
from ...core.tools import ModelUsed
from .measured import Fact
from .spans import Span

WORST = 5
"""Stretches that are told as those that fit worst."""
QUOTED = 60
"""Letters of a text that stand in evidence."""


def cosines(seen: Any, said: Any) -> list[float | None]:
    """Cosine of each row of ``seen`` with the same row of ``said`` (unit vectors, shape (n, dimension)), in
    [-1, 1]; ``None`` where nothing was seen (NaN)."""
    products = np.einsum("ij,ij->i", np.asarray(seen, np.float64), np.asarray(said, np.float64))
    return [float(np.clip(p, -1.0, 1.0)) if np.isfinite(p) else None for p in products]


def mean(values: Sequence[float | None]) -> float | None:
    """The mean of the values that are there; ``None`` where none is."""
    kept = [value for value in values if value is not None]
    return sum(kept) / len(kept) if kept else None


def worst(spans: Sequence[Span], values: Sequence[float | None], texts: Sequence[str]) -> list[Evidence]:
    """The stretches that fit their texts worst, the worst first; of equal ones the earlier."""
    known = [(value, i) for i, value in enumerate(values) if value is not None]
    return [
        Evidence(start=spans[i][0], end=spans[i][1], what=f"cosine {value:.3f} with “{_short(texts[i])}”")
        for value, i in sorted(known)[:WORST]
    ]


def facts_of(used: ModelUsed, values: Sequence[float | None], texts: TextVectors) -> dict[str, Fact]:
    """Which model it was, how many stretches could be seen, and what of the texts was not read."""
    return {
        **used.facts,
        "stretches": len(values),
        "stretches_unseen": sum(value is None for value in values),
        "policy": texts.policy,
        "tokens": sum(texts.tokens),
        "tokens_dropped": sum(texts.dropped),
        "texts_cut": sum(dropped > 0 for dropped in texts.dropped),
    }


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= QUOTED else f"{words[: QUOTED - 1].rstrip()}…"
