"""The pictures of one film for evaluators that look at them themselves: decoded where they are asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..core.video import Video
from ..media.planes import bgr_of, display_size, pixel_aspect
from ..media.read import Picture, read
from ..media.report import ReadReport
from .stills import HAIR, TOGETHER_S, groups, shown

Image = NDArray[np.uint8]


class FilmFootage:
    """Implements :class:`..core.tools.Footage`. ``times`` are those of all frames of the film."""

    def __init__(self, film: Video, times: NDArray[np.float64]) -> None:
        self.times = times
        self._film = film

    def at(self, times: Sequence[float], short_side: int | None = None) -> Iterator[tuple[float, Image]]:
        """See the port: moments that lie close together are read in one go."""
        last = -math.inf
        for together in groups(sorted(set(times)), TOGETHER_S):
            for picture in shown(self._film, together):
                if picture is not None and float(picture.time) > last:
                    last = float(picture.time)
                    yield last, _scaled(picture, short_side)

    def between(
        self, start: float, end: float, short_side: int | None = None
    ) -> Iterator[tuple[float, Image]]:
        """See the port."""
        first, stop = Fraction(start) - HAIR, Fraction(end) - HAIR
        for item in read(self._film, ReadReport(), sound=False, start=max(first, Fraction(0)), end=stop):
            if not isinstance(item, Picture):
                continue
            if item.time >= stop:
                return
            if item.time >= first:
                yield float(item.time), _scaled(item, short_side)


def _scaled(picture: Picture, short_side: int | None) -> Image:
    image = picture.image
    width, height = display_size(image.width, image.height, picture.rotation, pixel_aspect(image))
    scale = 1.0 if short_side is None else min(1.0, short_side / min(width, height))
    return bgr_of(image, max(1, round(width * scale)), picture.rotation)
