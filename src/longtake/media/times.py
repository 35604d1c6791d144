"""When the frames of a film are shown, from its packets, without decoding."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

from ..core.video import Part, Video
from .container import first_pts, frame_period, open_container, packets, picture_stream
from .open import film_length


def frame_times(video: Video) -> list[Fraction]:
    """Times of the frames of the selected part in seconds from its beginning, increasing, and at the end of
    the list where the last frame ends.

    A file whose packets have no times or the same one twice counts as even. Raises ``InputError``.
    """
    begin = video.start or Fraction(0)
    length = film_length(video)
    end = min(length, video.end) if video.end is not None else length
    times: list[Fraction] = []
    for part in video.parts:
        if part.offset < end:
            times += [part.offset] if video.kind == "pictures" else _of_file(part)
    low, high = bisect_left(times, begin), bisect_left(times, end)
    return [*(times[low:high] if not begin else (t - begin for t in times[low:high])), end - begin]


def _of_file(part: Part) -> list[Fraction]:
    """Times on the film's clock, none past the part's own end."""
    with open_container(part.path) as container:
        stream = picture_stream(container, part.path)
        base, period = Fraction(stream.time_base), frame_period(stream)
        zero = first_pts(container, stream, part.path)
        stamps = [
            p.pts for p in packets(container, [stream]) if p.size and not p.is_discard and p.pts is not None
        ]
    ticks = sorted({s - zero for s in stamps if s >= zero})
    times = [t * base for t in ticks]
    last = part.duration
    if len(times) < len(stamps) or not times:
        count = max(round((last or 0) / period), 1)
        times = [i * period for i in range(count)]
    if last is not None:
        times = times[: bisect_left(times, last)]
    return [part.offset + t for t in times] if part.offset else times
