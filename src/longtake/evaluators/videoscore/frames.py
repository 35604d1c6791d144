"""Which frames of a film the two models are shown, as their released code chooses them."""

from __future__ import annotations

from fractions import Fraction

LEAST = 4
"""Frames that qwen-vl-utils takes at least, where the film has them (``FPS_MIN_FRAMES``)."""
TOGETHER = 2
"""It takes frames in pairs (``FRAME_FACTOR``)."""


def evenly(total: int, most: int) -> list[int]:
    """Numbers of at most ``most`` of ``total`` frames: all, or the first of each of ``most`` equal parts.

    VideoScore's ``examples/run_videoscore.py`` (``numpy.arange(0, total, total / most)``, rounded down),
    without its rounding, by which one more frame may come out.
    """
    if total <= most:
        return list(range(total))
    return [k * total // most for k in range(most)]


def by_rate(total: int, duration: float, rate: float, most: int) -> list[int]:
    """Numbers of about ``rate`` of ``total`` frames a second of ``duration``, an even number, spread from the
    first frame to the last: at least :data:`LEAST` and at most ``most``, as far as there are so many.

    qwen-vl-utils, ``smart_nframes`` and ``linspace(0, total - 1, n).round()``. A film of one frame has one.
    """
    wanted = int(min(max(duration * rate, LEAST), most, total))
    count = wanted - wanted % TOGETHER
    if count < TOGETHER:
        return [0] if total else []
    return [round(Fraction(k * (total - 1), count - 1)) for k in range(count)]
