"""The pictures of one film for evaluators that look at them themselves: decoded where they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..core.video import Video
from ..media.planes import bgr_of, display_size, pixel_aspect
from ..media.read import Picture, read
from ..media.report import ReadReport
from .stills import HAIR, TOGETHER_S, groups

Image = NDArray[np.uint8]


class FilmFootage:
    """Implements :class:`..core.tools.Footage`. ``times`` are those of all frames of the film."""

    def __init__(self, film: Video, times: NDArray[np.float64], threads: int = 1) -> None:
        self.times = times
        self._film, self._threads = film, threads

    def at(self, times: Sequence[float], short_side: int | None = None) -> Iterator[tuple[float, Image]]:
        """See the port: moments that lie close together are read in one go."""
        last: float | None = None
        for together in groups(sorted(set(times)), TOGETHER_S):
            moments = [Fraction(t) + HAIR for t in together]
            held: Picture | None = None
            waiting = 0
            for item in self._read(moments[0], moments[-1]):
                shown = []
                while waiting < len(moments) and item.time > moments[waiting]:
                    shown.append(held or item)
                    waiting += 1
                for one in shown:
                    if last is None or float(one.time) > last:
                        last = float(one.time)
                        yield last, _scaled(one, short_side)
                if waiting == len(moments):
                    break
                held = item
            if waiting < len(moments) and held is not None and (last is None or float(held.time) > last):
                last = float(held.time)
                yield last, _scaled(held, short_side)

    def between(
        self, start: float, end: float, short_side: int | None = None
    ) -> Iterator[tuple[float, Image]]:
        """See the port."""
        first, stop = Fraction(start) - HAIR, Fraction(end) - HAIR
        for item in self._read(first, stop):
            if item.time >= stop:
                return
            if item.time >= first:
                yield float(item.time), _scaled(item, short_side)

    def _read(self, start: Fraction, end: Fraction) -> Iterator[Picture]:
        found = read(
            self._film,
            ReadReport(),
            sound=False,
            start=max(start, Fraction(0)),
            end=end,
            threads=self._threads,
        )
        return (item for item in found if isinstance(item, Picture))


def _scaled(shown: Picture, short_side: int | None) -> Image:
    image = shown.image
    width, height = display_size(image.width, image.height, shown.rotation, pixel_aspect(image))
    scale = 1.0 if short_side is None else min(1.0, short_side / min(width, height))
    return bgr_of(image, max(1, round(width * scale)), shown.rotation)
