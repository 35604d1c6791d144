"""Films that are long enough to have a course, made of short clips: one long shot, or many short ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longtake.media.open import open_video
from longtake.media.planes import bgr_of
from longtake.media.read import Picture, ReadReport, read
from longtake.media.write import FilmWriter

WIDTH, HEIGHT, RATE = 320, 180, 30
TURNS = 4
SPAN_S = Fraction(3, 2)
SPANS_OF_A_CLIP = 2
Pixels = NDArray[np.uint8]


def there_and_back(clip: Path, out: Path, seconds: Fraction = Fraction(6)) -> None:
    """The first seconds of a clip forward and backward, twice: one shot without a cut, four times as long."""
    taken = [picture for _, picture in pictures(clip, Fraction(0), seconds)]
    height, width = (n // 2 * 2 for n in taken[0].shape[:2])
    with FilmWriter(out, width, height, Fraction(len(taken)) / seconds) as film:
        for turn in range(TURNS):
            for picture in taken if turn % 2 == 0 else reversed(taken):
                film.picture(picture)


def short_shots(clips: Sequence[Path], out: Path, seed: int, shots: int = 36) -> None:
    """Spans of 1.5 s, the first ones of every clip, in an order drawn from ``seed``, cut together."""
    spans = [(clip, i * SPAN_S) for clip in clips for i in range(_spans_in(clip))]
    order = np.random.default_rng(seed).permutation(len(spans))[:shots]
    with FilmWriter(out, WIDTH, HEIGHT, RATE) as film:
        for place, (clip, start) in enumerate(spans[i] for i in order):
            for time, picture in pictures(clip, start, start + SPAN_S):
                film.picture(picture, time=place * SPAN_S + time)


def pictures(clip: Path, start: Fraction, end: Fraction) -> Iterator[tuple[Fraction, Pixels]]:
    """Pictures of a span with their times from its beginning, all of one width."""
    for item in read(open_video(clip), ReadReport(), sound=False, start=start, end=end):
        if isinstance(item, Picture) and start <= item.time < end:
            yield item.time - start, bgr_of(item.image, WIDTH, item.rotation)


def _spans_in(clip: Path) -> int:
    return min(SPANS_OF_A_CLIP, int((open_video(clip).parts[0].duration or 0) / SPAN_S))
