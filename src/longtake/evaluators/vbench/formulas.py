"""The published formulas of VBench (Vchitect/VBench, released code), each as a pure function.

Vectors of frames have length 1. Flow is in px, levels are 0 to 255.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import aggregate

Numbers = NDArray[np.float64]

LEVELS = 255.0
"""Levels from black to white."""
FLOW_RATE = 8.0
"""Frames per second at which VBench looks for motion."""
MOVES_TOP, MOVES_PX, MOVES_FRAMES = 0.05, 6.0, 4
"""Share of pixels with the longest flow; its mean in px at 256 px of the shorter side above which two frames
at ``FLOW_RATE`` move; how many of 16 frames must."""
STATIC_TOP, STATIC_PX, STATIC_FRAMES = 0.02, 3.0, 2
"""The same of VBench's filter of static films: more frames than that, and the film is none."""
STATIC_LOOP = 2
"""Times the length and number of the filter that first and last frame may be apart."""
FULL_SIDE, FULL_COUNT = 256.0, 16.0
"""px of the shorter side, and frames of a clip, that VBench's lengths and numbers are for."""


def within(vectors: Any) -> list[float]:
    """Likeness of each frame of a shot but the first: half to the one before, half to the shot's first, a
    cosine below 0 counted as 0. ``vectors`` has shape (frames, dimension); [] for fewer than two."""
    rows = np.asarray(vectors, np.float64)
    if len(rows) < 2:
        return []
    before = np.einsum("ij,ij->i", rows[1:], rows[:-1])
    first = rows[1:] @ rows[0]
    return [float(v) for v in (_cosine(before) + _cosine(first)) / 2]


def across(vectors: Any, seconds: Sequence[float]) -> float | None:
    """Likeness of shots, by the :func:`centre` of each: the cosine that a frame of one has with a frame of
    the other in the mean, below 0 counted as 0, over all pairs of shots, each weighted by the product of its
    seconds. ``None`` for fewer than two shots.

    VBench-Long compares each clip's first frame with the one before and with the film's first; all pairs do
    not hang on one unlucky first frame.
    """
    rows, weight = np.asarray(vectors, np.float64), np.asarray(seconds, np.float64)
    if len(rows) < 2:
        return None
    tops, bottoms = [], []
    for i in range(len(rows) - 1):
        shares = weight[i] * weight[i + 1 :]
        tops.append(math.fsum(shares * _cosine(rows[i + 1 :] @ rows[i])))
        bottoms.append(math.fsum(shares))
    return math.fsum(tops) / math.fsum(bottoms)


def centre(vectors: Any) -> Numbers:
    """The mean of a shot's vectors, not brought to length 1: the product of two of them is the mean cosine of
    all pairs of their frames. Of length 1, long shots of many things would look alike."""
    return np.asarray(np.asarray(vectors, np.float64).mean(axis=0))


def first_frames(vectors: Any) -> float | None:
    """VBench-Long's likeness of clips by their first frames, before it is mapped; ``None`` for one shot."""
    found = within(vectors)
    return aggregate.mean(found) if found else None


def steadiness(levels: float) -> float:
    """1 less a mean absolute difference in levels: temporal flickering of consecutive frames, motion
    smoothness of a frame and what its neighbours foretell."""
    return (LEVELS - levels) / LEVELS


def longest(flow: Any, share: float) -> float:
    """Mean length in px of the longest ``share`` of flow vectors; ``flow`` has shape (height, width, 2)."""
    lengths = np.hypot(flow[..., 0], flow[..., 1]).astype(np.float64).ravel()
    count = max(1, int(len(lengths) * share))
    return float(np.partition(lengths, len(lengths) - count)[-count:].mean())


def scaled(length: float, short_side: int, seconds: float) -> float:
    """A length of flow in px as it would be at 256 px of the shorter side and 8 frames per second."""
    return length * FULL_SIDE / short_side / (seconds * FLOW_RATE)


def moves(lengths: Sequence[float], frames: int) -> bool:
    """Whether a clip of so many frames moves: enough of its pairs have a (scaled) length above ``MOVES_PX``.

    At least one must: VBench's rounding asks for none of two frames, so that a still pair counts as motion.
    """
    wanted = max(1, round(MOVES_FRAMES * (frames / FULL_COUNT)))
    return sum(length > MOVES_PX for length in lengths) >= wanted


def is_static(lengths: Sequence[float], loop: Sequence[float], frames: int) -> bool:
    """Whether VBench's filter takes a clip for a static one. ``loop`` are the lengths from the first frame to
    the last and back, scaled to size only. At least one moving pair is allowed, as for :func:`moves`."""
    allowed = max(1, round(STATIC_FRAMES * (frames / FULL_COUNT)))
    if sum(length > STATIC_PX for length in lengths) > allowed:
        return False
    return all(length <= STATIC_PX * allowed * STATIC_LOOP for length in loop)


def _cosine(products: Numbers) -> Numbers:
    return np.clip(products, 0.0, 1.0)
