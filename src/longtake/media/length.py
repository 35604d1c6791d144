"""How long the picture of a file is: from its last packets, not from what the header says."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import av.error

from .container import first_pts, frame_period, open_container, packets, picture_stream

TAIL = 2
"""Seconds before the stated end from which packets are read: a seek may land on any packet, and frames are
stored out of order."""


def picture_length(path: Path) -> Fraction:
    """Seconds from the first frame to the end of the last one. Raises ``InputError``.

    Headers are often wrong (edit lists, truncated files, recordings without a duration), so the packets
    after the last keyframe are read; where the file cannot be searched, all of them.
    """
    with open_container(path) as container:
        stream = picture_stream(container, path)
        index = stream.index
        zero = first_pts(container, stream, path)
        period = frame_period(stream)
        base = Fraction(stream.time_base)
        stated = stream.duration or (container.duration and int(container.duration / 1_000_000 / base))
        aim = zero + (stated or 0) - round(TAIL / base)
        last = None
        if aim > zero:
            try:
                container.seek(aim, stream=stream, backward=True)
                last, _ = _last(container, stream, period)
            except av.error.FFmpegError:
                last = None  # cannot be searched
    whole, count = (None, 0)
    if last is None or last <= zero:
        with open_container(path) as container:
            whole, count = _last(container, container.streams[index], period)
        last = whole
    if last is None:
        return max(count, 1) * period  # no packet has a time
    return (last - zero) * base


def _last(container: Any, stream: Any, period: Fraction) -> tuple[int | None, int]:
    """The latest end of a shown packet in ticks, and how many packets there were."""
    latest: int | None = None
    duration = 0
    recent: deque[int] = deque(maxlen=32)
    count = 0
    for packet in packets(container, [stream]):
        if packet.size:
            count += 1
        if packet.pts is None or packet.is_discard:
            continue
        recent.append(packet.pts)
        if latest is None or packet.pts >= latest:
            latest, duration = packet.pts, packet.duration or 0
    if latest is None:
        return None, count
    step = _step(recent)
    if 2 * duration < step:
        duration = step  # absent, or a tick that stands for an unknown rate
    return latest + (duration or max(round(period / Fraction(stream.time_base)), 1)), count


def _step(recent: deque[int]) -> int:
    """Median distance of the last frames in ticks, 0 for a single one."""
    times = sorted(set(recent))
    steps = sorted(b - a for a, b in pairwise(times))
    return steps[len(steps) // 2] if steps else 0
