"""Pictures of single moments of a film, as a judge is shown them: decoded once, kept in the cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from threading import Lock

import cv2
import numpy as np

from ..core.judge import Frame
from ..core.video import Video
from ..errors import InputError
from ..media.planes import bgr_of, display_size, pixel_aspect
from ..media.read import Picture, read
from ..media.report import ReadReport
from ..storage.cache import Cache

KIND = "stills"
VERSION = 1
LONG_SIDE = 768
"""Pixels of a picture's longer side, if the user does not say otherwise; smaller films are not enlarged."""
QUALITY = 88
TOGETHER_S = 4.0
"""Moments closer than this are read in one go: a seek costs about as much as decoding so many seconds."""
HAIR = Fraction(1, 10000)
DIGITS = 4


class Stills:
    """Shows what a film shows at given seconds. Safe from several threads; one decodes at a time."""

    def __init__(self, film: Video, cache: Cache, *, long_side: int = LONG_SIDE) -> None:
        self._film, self._cache, self._long_side = film, cache, long_side
        self._held: dict[float, Frame | None] = {}
        self._lock = Lock()

    def at(self, times: Sequence[float]) -> list[Frame]:
        """The pictures shown at these seconds, as :meth:`FrameSource.at` promises.

        Raises:
            OutputError: the cache cannot be written.
        """
        wanted = sorted({round(t, DIGITS) for t in times})
        with self._lock:
            todo = [t for t in wanted if t not in self._held and not self._kept(t)]
            for together in groups(todo, TOGETHER_S):
                self._read(together)
            found = [frame for t in wanted if (frame := self._held[t]) is not None]
        return [f for i, f in enumerate(found) if not i or f.time != found[i - 1].time]

    def _key(self, time: float) -> str:
        size = f"{self._long_side}q{QUALITY}v{VERSION}"
        return f"{self._film.hash[:2]}/{self._film.hash}/{self._film.bounds}/{size}/{time:.{DIGITS}f}"

    def _kept(self, time: float) -> bool:
        stored = self._cache.get_arrays(KIND, self._key(time))
        if stored is None:
            return False
        width, height = (int(n) for n in stored["size"])
        jpeg = np.asarray(stored["jpeg"], np.uint8).tobytes()
        self._held[time] = Frame(float(stored["time"]), jpeg, width, height) if jpeg else None
        return True

    def _read(self, times: Sequence[float]) -> None:
        """Decode a few neighbouring moments in one go and keep what they show."""
        try:
            found = dict(zip(times, shown(self._film, times), strict=True))
        except InputError:
            found = dict.fromkeys(times)
        for time, picture in found.items():
            frame = self._frame(picture) if picture is not None else None
            self._held[time] = frame
            self._cache.put_arrays(
                KIND,
                self._key(time),
                {
                    "time": np.array(frame.time if frame else time),
                    "size": np.array([frame.width, frame.height] if frame else [0, 0]),
                    "jpeg": np.frombuffer(frame.jpeg if frame else b"", np.uint8),
                },
            )

    def _frame(self, shown: Picture) -> Frame:
        image = shown.image
        width, height = display_size(image.width, image.height, shown.rotation, pixel_aspect(image))
        scale = min(1.0, self._long_side / max(width, height))
        picture = bgr_of(image, max(1, round(width * scale)), shown.rotation)
        jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()
        return Frame(round(float(shown.time), DIGITS), jpeg, picture.shape[1], picture.shape[0])


def shown(film: Video, times: Sequence[float]) -> Iterator[Picture | None]:
    """For each of ascending moments the last picture that begins at or before it, the first one before the
    film's; all in one go. Raises ``InputError`` where the film can no longer be read."""
    moments = [Fraction(t) + HAIR for t in times]
    held: Picture | None = None
    at = 0
    for item in read(film, ReadReport(), sound=False, start=max(moments[0], Fraction(0)), end=moments[-1]):
        if not isinstance(item, Picture):
            continue
        while at < len(moments) and item.time > moments[at]:
            yield held or item
            at += 1
        if at == len(moments):
            return
        held = item
    for _ in moments[at:]:
        yield held


def groups(times: Sequence[float], gap: float) -> Iterator[list[float]]:
    """Ascending times in runs without a gap of more than ``gap`` seconds."""
    run: list[float] = []
    for time in times:
        if run and time - run[-1] > gap:
            yield run
            run = []
        run.append(time)
    if run:
        yield run
