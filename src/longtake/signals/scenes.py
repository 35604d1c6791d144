"""How alike shots are, and which of them show one place."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.signal import Column, Event, Signal, SignalSpec
from ..models.embedders import DEFAULT
from .embeddings import colours_of_shots, of_shots

if TYPE_CHECKING:
    from .film import Film
    from .observer import Merged

ALL_PAIRS = 200
"""Films of more shots than this are not compared pair by pair."""
NEAR = 10
"""How many shots apart two may be to be compared in such a film."""
BLOCK = 1024
"""Pairs whose vectors are multiplied at once."""
REACH = 3
"""A shot that looks like one this many shots before closes what lies between: cutting back and forth."""
LOOKS, COLOURS, BIAS = 33.9, 10.6, -30.7
"""Logistic regression of "one place" on the cosines of shots' vectors and of their colours.

Fixed by benchmarks/same_scene.py on 34 of 67 groups of test clips (every other one in the order of their
names), both classes of equal weight: 159 pairs of one place (the two ends of a clip; the same with the second
cut closer, or darker and warmer; other parts of one recording) and 1,199 of different places. On the other 33
groups the area under the curve is .996, and at one half .979 of 146 pairs of one place and .990 of 1,050
others are told. All of these show a place from one side: how it does on two sides of a room is not known.
"""
SURE = 0.9
"""From this likelihood on shots are said to show one place, and not to up to 1 - SURE; between them nothing
is said. On the other half that is so of 1 % of the former pairs and of 5 % of the latter; .1 % of the latter
are then taken for one place and 2 % of the former for two."""

SPEC = SignalSpec(
    name="scenes",
    version=1,
    doc="How alike shots are, and which seem to show one place: a proxy by looks and colours. The same view "
    "again is told well, closer or otherwise lit too; another side of a room looks like another place. "
    f"All pairs of up to {ALL_PAIRS} shots; of more, pairs within {NEAR} shots, and the first shots of up to "
    f"{ALL_PAIRS} scenes with each other.",
    columns={
        "a": Column(type="int", doc="index of the earlier shot"),
        "b": Column(type="int", doc="index of the later shot"),
        "likeness": Column(type="float", doc="cosine of their mean vectors; unlike ones have .3 to .7"),
        "same_scene": Column(
            type="float",
            doc=f"likelihood of one place, given where at least {SURE} or at most {1 - SURE:.1f}",
        ),
    },
    event_kinds={"scene": "neighbouring shots of one place, where both ends are sure; value: its index"},
    facts={
        "scenes": Column(type="int", doc="stretches of shots of one place; none where a cut is unsure"),
        "scenes_at_least": Column(type="int", doc="the same without the breaks that are unsure"),
        "unsure_cuts": Column(type="int", doc="cuts of which it is not known whether the place changes"),
        "reason": Column(type="str", doc="why no likelihood is given at all, else nothing"),
    },
    heavy=True,
)


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """One row per pair of shots that was compared."""
    embeddings, shots = done["embeddings"], done["shots"]
    if not embeddings.usable:
        return Signal(SPEC.name, SPEC.version, "skipped", f"it needs embeddings: {embeddings.reason}")
    looks, colours = of_shots(merged, film, shots), colours_of_shots(merged, film, shots)
    known = embeddings.facts["embedder"] == DEFAULT
    count = len(shots)

    def compared(
        a: NDArray[np.int64], b: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        likeness = _cosines(looks, a, b)
        return likeness, _sure(likeness, _cosines(colours, a, b)) if known else np.full(len(a), np.nan)

    a, b = _near_pairs(count, NEAR if count > ALL_PAIRS else count)
    likeness, same = compared(a, b)
    breaks = _breaks(a, b, same)
    if count > ALL_PAIRS:
        more = _first_pairs(breaks)
        far = more[1] - more[0] > NEAR
        a, b = np.append(a, more[0][far]), np.append(b, more[1][far])
        order = np.lexsort((b, a))
        a, b = a[order], b[order]
        likeness, same = compared(a, b)
    unsure = int(np.isnan(breaks).sum())
    at_least = 1 + int((breaks == 1).sum())
    return Signal(
        SPEC.name,
        SPEC.version,
        columns={"a": a, "b": b, "likeness": likeness, "same_scene": same},
        events=_scenes(breaks, shots),
        facts={
            "scenes": None if unsure else at_least,
            "scenes_at_least": at_least,
            "unsure_cuts": unsure,
            "reason": None if known else f"likelihoods are known of {DEFAULT} alone",
        },
    )


def _cosines(vectors: NDArray[np.float32], a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
    """Cosine of each pair of vectors of length 1; NaN where one is."""
    found = np.empty(len(a))
    for i in range(0, len(a), BLOCK):  # all pairs at once would take more memory than everything else
        part = slice(i, i + BLOCK)
        found[part] = (vectors[a[part]] * vectors[b[part]]).sum(axis=1, dtype=np.float64)
    return found


def _sure(likeness: NDArray[np.float64], alike: NDArray[np.float64]) -> NDArray[np.float64]:
    """Likelihood of one place; NaN where it is neither high nor low."""
    odds = 1 / (1 + np.exp(-(LOOKS * likeness + COLOURS * alike + BIAS)))
    return np.where((odds >= SURE) | (odds <= 1 - SURE), odds, np.nan)


def _near_pairs(count: int, reach: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All pairs of shots at most ``reach`` apart, by the first and then the second."""
    pairs = [(a, b) for a in range(count) for b in range(a + 1, min(a + reach, count - 1) + 1)]
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _breaks(a: NDArray[np.int64], b: NDArray[np.int64], same: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of every cut (before shot 1, 2, ...) whether the place changes: 1, 0, or NaN where that is unsure.

    It does not where any shots on both sides, up to REACH apart, show one place; otherwise the two shots at
    the cut decide.
    """
    beside = same[b - a == 1]
    found = np.where(np.isnan(beside), np.nan, (beside < SURE).astype(np.float64))
    for first, second in zip(a[same >= SURE], b[same >= SURE], strict=True):
        if second - first <= REACH:
            found[first:second] = 0
    return found


def _first_pairs(breaks: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of the first shots of scenes, thinned out evenly to ALL_PAIRS scenes."""
    firsts = np.append(0, np.flatnonzero(breaks == 1) + 1)
    if len(firsts) > ALL_PAIRS:
        firsts = firsts[np.linspace(0, len(firsts) - 1, ALL_PAIRS).round().astype(int)]
    a, b = np.triu_indices(len(firsts), 1)
    return firsts[a].astype(np.int64), firsts[b].astype(np.int64)


def _scenes(breaks: NDArray[np.float64], shots: Signal) -> list[Event]:
    """Stretches between sure breaks with nothing unsure inside."""
    edges = [0, *(np.flatnonzero(breaks == 1) + 1), len(shots)]
    starts, ends = shots.columns["start"], shots.columns["end"]
    sure = [(a, b) for a, b in pairwise(edges) if not np.isnan(breaks[a : b - 1]).any()]
    return [
        Event("scene", float(starts[a]), float(ends[b - 1]), float(i), f"shots {a} to {b - 1}")
        for i, (a, b) in enumerate(sure)
    ]
