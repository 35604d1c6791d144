"""Points followed without a network: pyramidal Lucas-Kanade there and back, as OpenCV has it.

Bouguet, 2001. A proxy for CoTracker: it knows neighbouring frames only, so a point that is hidden once is
lost for good, and one that slides along an edge is not noticed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.ports import Kind, Tracked

Picture = NDArray[np.uint8]
ROUND_TRIP_PX, AT = 1.0, 360
"""A point is lost if it comes back further than this from where it was, at a shorter side of ``AT`` px; from
the reference of ``tracker_fg``. In smaller pictures the distance shrinks with them."""
WINDOW, LEVELS = 15, 3
"""Side of the patch that is followed, px, and levels of the pyramid beyond the first (OpenCV's default). With
OpenCV's 21 px more of the background lies in the patches at a thing's edge: a rigid square of 120 px that
turns by .3 rad a second scored .85 by ``tracker_fg``, with 15 px .92, and warps as before. Chosen on the
square of tests/evaluators/dynamic with textures 3 and 4."""
STEPS, ENOUGH = 30, 0.01
"""A patch is settled after so many steps, or a step of less than so many px: OpenCV's defaults."""


class LucasKanade:
    """Implements :class:`..core.ports.Tracker`."""

    name = "proxy:lk"
    kind: Kind = "proxy"
    stands_for = "CoTracker"

    def __init__(self, threads: int = 1) -> None:
        self._how = {
            "winSize": (WINDOW, WINDOW),
            "maxLevel": LEVELS,
            "criteria": (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, STEPS, ENOUGH),
        }

    def track(self, pictures: Iterable[Picture], points: NDArray[np.float64]) -> Iterator[Tracked]:
        """See the port; two pictures are held."""
        now = np.asarray(points, np.float32).reshape(-1, 1, 2)
        seen = np.ones(len(now), bool)
        before: Picture | None = None
        for picture in pictures:
            grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
            if before is not None and seen.any():
                now, seen = self._step(before, grey, now, seen)
            yield Tracked(now.reshape(-1, 2).astype(np.float64), seen.copy())
            before = grey

    def _step(
        self, before: Picture, after: Picture, points: NDArray[np.float32], seen: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        there, found, _ = cv2.calcOpticalFlowPyrLK(before, after, points, None, **self._how)  # type: ignore[call-overload]
        back, again, _ = cv2.calcOpticalFlowPyrLK(after, before, there, None, **self._how)  # type: ignore[call-overload]
        height, width = after.shape
        inside = ((there >= 0) & (there <= np.array([width - 1, height - 1]))).all(axis=(1, 2))
        allowed = ROUND_TRIP_PX * min(1.0, min(height, width) / AT)
        miss = np.linalg.norm((back - points).reshape(-1, 2), axis=1)
        kept = seen & inside & (miss <= allowed) & (found.ravel() == 1) & (again.ravel() == 1)
        return there, kept
