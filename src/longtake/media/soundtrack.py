"""The sound of a film by sample numbers, and stretches of it put together with short cross-fades."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import av
import numpy as np
from numpy.typing import NDArray

from ..core.video import Video
from .read import ReadReport, Sound, read

Samples = NDArray[np.float32]
FADE = 0.005
"""Seconds over which one stretch fades into the next, so that a join does not click."""
SOUND_GAP = 0.02
"""Seconds by which a block may stray from the end of the one before and still follow it: beyond, silence is
put between them or the overlap is left out."""
KEPT = 1.0
"""Seconds of sound behind the last that are kept: a step back by so much costs nothing."""
READ_ON = 10.0
"""A step ahead of up to so many seconds is read through, a longer one is a seek."""
BLOCK = 0.25
"""Seconds of sound that are handed on at a time."""


class SoundTrack:
    """The sound of ``video`` at ``rate`` Hz with ``channels`` channels; sample 0 is at the start of its part.

    Holes are silence. More channels become their mean in each. ``alter(samples, time, rate)`` is given all
    sound once, in order, and gives what takes its place; such a track cannot go back.
    """

    def __init__(
        self,
        video: Video,
        rate: int,
        channels: int,
        alter: Callable[[Samples, float, int], Samples] | None = None,
    ) -> None:
        self.rate, self.channels = rate, channels
        self._video, self._alter = video, alter
        self._begin = video.start or Fraction(0)
        self._open(0)

    def take(self, first: int, count: int, *, pad: bool = True) -> Samples:
        """Samples ``first`` to ``first + count``, (channels, n); past the end silence, or less if
        not ``pad``."""
        ahead = first - self._end
        if first < self._at or (self._alter is None and ahead > READ_ON * self.rate):
            if self._alter is not None:
                raise ValueError("altered sound is read in order")
            self._open(first)
        while self._end < first + count and self._pull():
            self._forget(first)
        low, high = first - self._at, min(first + count, self._end) - self._at
        found = self._held()[:, max(low, 0) : max(high, 0)]
        before = min(max(-low, 0), count)
        after = count - before - found.shape[1] if pad else 0
        return np.pad(found, ((0, 0), (before, after))) if before or after else found.copy()

    def _open(self, first: int) -> None:
        start = self._begin + Fraction(first, self.rate)
        self._media = read(
            self._video,
            ReadReport(),
            pictures=False,
            start=start if start > 0 else None,
            end=self._video.end,
        )
        self._at = self._end = 0 if first == 0 else -1
        self._blocks: list[Samples] = []
        self._fed = Fraction(0)
        self._resampler: Any = None
        self._kind: tuple[int, int] | None = None
        self._over = False

    def _pull(self) -> bool:
        """Decode one more block; false at the end of the sound."""
        if self._over:
            return False
        item = next(self._media, None)
        if item is None:
            self._over = True
            self._add(self._drained())
            return False
        if isinstance(item, Sound):
            self._place(item)
        return True

    def _place(self, item: Sound) -> None:
        samples, time = item.samples, item.time - self._begin
        if time < 0 and self._end == 0 and self._at == 0 and not self._blocks:
            samples, time = samples[:, -int(time * item.rate // 1) :], Fraction(0)
        if self._video.end is not None:
            left = int((self._video.end - self._begin - time) * item.rate)
            samples = samples[:, : max(left, 0)]
        if not samples.shape[1]:
            return
        if self._at < 0:
            self._at = self._end = round(time * self.rate)
            self._fed = Fraction(self._end)
        stray = time * self.rate - self._fed
        if abs(stray) > (SOUND_GAP * self.rate if self._end else 0):  # where it begins is kept to the sample
            self._add(self._drained())
            if stray > 0:
                self._add(np.zeros((self.channels, round(stray)), np.float32))
            else:
                over = min(round(-stray * item.rate / self.rate), samples.shape[1])
                samples = samples[:, over:]
            self._fed = Fraction(self._end)
        self._fed += Fraction(samples.shape[1] * self.rate, item.rate)
        self._add(self._fitted(samples, item.rate))

    def _fitted(self, samples: Samples, rate: int) -> Samples:
        if samples.shape[0] != self.channels:
            samples = np.repeat(samples.mean(axis=0, keepdims=True), self.channels, axis=0)
        if rate == self.rate:
            return np.array(samples, np.float32)
        if self._kind != (rate, self.channels):
            self._kind = rate, self.channels
            self._resampler = av.AudioResampler(
                format="fltp", layout=layout_of(self.channels), rate=self.rate
            )
        block = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(samples, np.float32), format="fltp", layout=layout_of(self.channels)
        )
        block.sample_rate = rate
        return self._joined([b.to_ndarray() for b in self._resampler.resample(block)])

    def _drained(self) -> Samples:
        """What the resampler still holds."""
        if self._resampler is None:
            return self._joined([])
        rest = [b.to_ndarray() for b in self._resampler.resample(None)]
        self._resampler, self._kind = None, None
        return self._joined(rest)

    def _joined(self, blocks: list[Samples]) -> Samples:
        return np.concatenate([np.zeros((self.channels, 0), np.float32), *blocks], axis=1)

    def _add(self, samples: Samples) -> None:
        if samples.shape[1] == 0:
            return
        if self._alter is not None:
            samples = self._alter(samples, self._end / self.rate, self.rate)
        self._blocks.append(samples)
        self._end += samples.shape[1]

    def _held(self) -> Samples:
        if len(self._blocks) != 1:
            self._blocks = [self._joined(self._blocks)]
        return self._blocks[0]

    def _forget(self, first: int) -> None:
        keep = min(first, self._end) - round(KEPT * self.rate)
        while self._blocks and self._at + self._blocks[0].shape[1] <= keep:
            self._at += self._blocks.pop(0).shape[1]


class Stretch(NamedTuple):
    """``length`` samples of ``track`` from sample ``first`` on; all that follow where it is ``None``."""

    track: SoundTrack
    first: int
    length: int | None


def spliced(stretches: Sequence[Stretch]) -> Iterator[Samples]:
    """Stretches of sound one after the other, sample-exactly, in blocks (channels, n).

    Where one does not go on as its track does, what would have followed the one before fades out over the
    first ``FADE`` seconds while it fades in.
    """
    tail: Samples | None = None
    for i, (track, first, count) in enumerate(stretches):
        size = max(round(BLOCK * track.rate), 1)
        done = 0
        while count is None or done < count:
            want = size if count is None else min(size, count - done)
            block = track.take(first + done, want, pad=count is not None)
            if not block.shape[1]:
                break
            done += block.shape[1]
            if tail is not None:
                block, tail = _faded(tail, block), None
            yield block
        following = stretches[i + 1] if i + 1 < len(stretches) else None
        if count is None or following is None:
            break
        if following.track is not track or following.first != first + count:
            tail = track.take(first + count, max(round(FADE * track.rate), 1))


def layout_of(channels: int) -> str:
    """FFmpeg's name of a layout."""
    return {1: "mono", 2: "stereo"}.get(channels, f"{channels}c")


def _faded(old: Samples, new: Samples) -> Samples:
    count = min(old.shape[1], new.shape[1])
    share = (np.arange(count, dtype=np.float32) + 1) / (count + 1)
    new[:, :count] = old[:, :count] * (1 - share) + new[:, :count] * share
    return new
