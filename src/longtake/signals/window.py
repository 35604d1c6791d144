"""A bounded view of the film around one frame, in small planes made at most once."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import av
import cv2

from ..media.planes import Planes, planes_of

SCORING_WIDTH = 128


class View:
    """One decoded frame. ``time`` is exact seconds on the film's clock, ``seconds`` the same as a float;
    ``part`` is the index of its file.

    ``y``, ``u``, ``v`` are 8-bit planes about 128 px wide (chroma a quarter of that), range-normalised to
    0..255 so that full-range and limited-range films meet the same thresholds.
    """

    __slots__ = ("image", "part", "planes", "rotation", "seconds", "time", "u", "v", "y")

    def __init__(self, image: av.VideoFrame, time: Fraction, part: int, rotation: int) -> None:
        self.image = image
        self.time = time
        self.part = part
        self.rotation = rotation
        self.seconds = float(time)
        self.planes: Planes = planes_of(image, SCORING_WIDTH)
        self.y, self.u, self.v = self.planes

    def area(self, width: int) -> Planes:
        """Planes ``width`` px wide by area averaging of the full picture, for the few that need it."""
        return planes_of(self.image, width, interpolation=cv2.INTER_AREA)


class Window:
    """Frames around the current one, ``window[0]``; ``None`` outside the film."""

    __slots__ = ("_at", "_views")

    def __init__(self, views: Sequence[View], at: int) -> None:
        self._views = views
        self._at = at

    def __getitem__(self, offset: int) -> View | None:
        i = self._at + offset
        return self._views[i] if 0 <= i < len(self._views) else None
