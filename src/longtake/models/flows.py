"""Flow and interpolation without a network: dense inverse search, and warps by half of it.

Kroeger et al., ECCV 2016, as OpenCV has it. A proxy for RAFT and AMT: it smooths over edges of motion, and
leaps of more than about a fifth of the picture are lost on it.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.ports import Kind, Middle

Picture = NDArray[np.uint8]
Plane = NDArray[np.float32]
SMALLEST = 32
"""px of the shorter side under which the search has no room for its patches; such pictures are enlarged."""


class DisFlow:
    """Implements :class:`..core.ports.Flow`."""

    name = "proxy:dis"
    kind: Kind = "proxy"
    stands_for = "RAFT"

    def __init__(self, threads: int = 1) -> None:
        # Stateless from call to call; OpenCV's own threads are set for the whole process elsewhere.
        self._engine: Any = cv2.DISOpticalFlow_create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM)  # type: ignore[attr-defined]

    def flow(self, first: Picture, second: Picture) -> Plane:
        """See the port."""
        grey = [np.asarray(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY), np.uint8) for p in (first, second)]
        height, width = grey[0].shape
        scale = SMALLEST / min(height, width)
        if scale <= 1:
            return np.asarray(self._engine.calc(*grey, None), np.float32)
        size = (max(SMALLEST, round(width * scale)), max(SMALLEST, round(height * scale)))
        large = self._engine.calc(*(cv2.resize(p, size) for p in grey), None)
        back = np.array([width / size[0], height / size[1]], np.float32)
        return np.asarray(cv2.resize(large, (width, height)) * back, np.float32)


class DisInterpolator:
    """Implements :class:`..core.ports.Interpolator`: both ends warped half way and averaged."""

    name = "proxy:dis"
    kind: Kind = "proxy"
    stands_for = "AMT-S"

    def __init__(self, threads: int = 1) -> None:
        self._flow = DisFlow(threads)

    def middle(self, before: Picture, after: Picture) -> Middle:
        """See the port; it has the flow both ways."""
        forward, backward = self._flow.flow(before, after), self._flow.flow(after, before)
        half = np.asarray(
            (forward - backward) / 4, np.float32
        )  # what passes half way at each place, in half a step
        # The flow is known where things begin and end, not half way: it is looked up there once more.
        to_before = -_moved(forward, -half) / 2
        to_after = -_moved(backward, half) / 2
        ends = [_moved(p, step) for p, step in ((before, to_before), (after, to_after))]
        mean = (ends[0].astype(np.float32) + ends[1]) / 2
        return Middle(np.asarray(mean, np.float32), forward, backward)


def _moved(values: Any, step: Plane) -> Any:
    """``values`` taken ``step`` px away from each place."""
    height, width = step.shape[:2]
    across, down = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    x, y = across + step[..., 0], down + step[..., 1]
    return cv2.remap(values, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
