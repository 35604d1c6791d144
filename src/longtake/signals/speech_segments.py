"""Cuts a stream of sound into phrases (somebody speaks) and segments (what is transcribed at once)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]

RATE = 16000
ROW = 512
"""Samples of a row: the voice detector gives one probability per 32 ms."""
ROW_S = ROW / RATE
BEGINS = 0.5
"""Probability of a voice from which a phrase begins; the voice detector's own recommendation."""
GOES_ON = 0.35
"""Probability down to which it goes on; the same."""
HOLD_S = 0.3
"""A phrase ends when the probability stays lower for this long: stops and short breaths belong to it."""
LEAST_S = 0.22
"""Seconds at or over ``BEGINS`` that a phrase has to have. One digit said alone has 0.29 (a countdown among
the test clips); wind, a guitar and tyres reach 0.19."""
PAUSE_S = 2.0
"""Phrases with less than this between them are transcribed together: that costs less and reads better."""
LONGEST_S = 28.0
"""Longest segment: the model hears 30 s."""
CUT_FROM_S = 14.0
"""A segment that is too long is cut at its quietest place after this."""
PAD_S = 0.6
"""Sound before and after its phrases that a segment keeps: what is said softly at the edges, and a background
to judge by."""
_QUIET_ROWS = 9
"""Rows over which quiet is measured: 0.29 s."""


@dataclass(frozen=True)
class Phrase:
    """A stretch of voice, in seconds of the film; ``probability`` is the mean over its rows, 0..1."""

    start: float
    end: float
    probability: float


@dataclass(frozen=True)
class Segment:
    """Neighbouring phrases with their sound (16 kHz), which begins at ``start`` seconds of the film."""

    start: float
    end: float
    sound: Values
    phrases: tuple[Phrase, ...]


class Segmenter:
    """Collects the rows of one stretch of sound and gives out each segment as soon as it is closed.

    It holds no more sound than the segment that is open.
    """

    def __init__(self, start: float) -> None:
        """``start``: time of the stretch's first sample, seconds of the film."""
        self._start = start
        self._sound = np.zeros(0, np.float32)
        self._row = 0
        """Rows taken in so far."""
        self._kept = 0
        """Row with which ``_sound`` and ``_probabilities`` begin."""
        self._probabilities: list[float] = []
        self._phrases: list[tuple[int, int]] = []
        self._begin: int | None = None
        self._voiced = 0
        """Of the phrase that is open: the row after the last one that goes on."""

    def take(self, sound: Values, probabilities: Values) -> Iterator[Segment]:
        """The next rows, 512 samples each; what was closed by them."""
        self._sound = np.concatenate([self._sound, sound])
        for probability in probabilities:
            self._probabilities.append(float(probability))
            self._row += 1
            self._follow(float(probability))
            first = self._first()
            if first is None:
                continue
            if self._begin is None and self._row - self._phrases[-1][1] >= PAUSE_S / ROW_S:
                yield self._close(self._row)
            elif self._row - first >= LONGEST_S / ROW_S:
                cut = self._quietest(first)
                if (closed := self._cut(cut)) is not None:
                    yield closed
        self._forget()

    def finish(self) -> Iterator[Segment]:
        """What is open when the stretch ends."""
        if self._begin is not None:
            self._end_phrase()
        if self._phrases:
            yield self._close(self._row)

    def _first(self) -> int | None:
        return self._phrases[0][0] if self._phrases else self._begin

    def _follow(self, probability: float) -> None:
        if self._begin is None:
            if probability >= BEGINS:
                self._begin, self._voiced = self._row - 1, self._row
        elif probability >= GOES_ON:
            self._voiced = self._row
        elif self._row - self._voiced >= HOLD_S / ROW_S:
            self._end_phrase()

    def _end_phrase(self) -> None:
        if self._begin is not None and self._is_voice(self._begin, self._voiced):
            self._phrases.append((self._begin, self._voiced))
        self._begin = None

    def _is_voice(self, begin: int, end: int) -> bool:
        return bool((self._rows(begin, end) >= BEGINS).sum() * ROW_S >= LEAST_S)

    def _rows(self, begin: int, end: int) -> NDArray[np.float64]:
        return np.array(self._probabilities[begin - self._kept : end - self._kept])

    def _quietest(self, first: int) -> int:
        """The middle of the quietest 0.29 s in the later half of a segment that is too long."""
        begin = first + round(CUT_FROM_S / ROW_S)
        sound = self._sound[(begin - self._kept) * ROW : (self._row - self._kept) * ROW]
        power = np.convolve(
            (sound.reshape(-1, ROW) ** 2).mean(axis=1), np.full(_QUIET_ROWS, 1 / _QUIET_ROWS), "valid"
        )
        return begin + int(np.argmin(power)) + _QUIET_ROWS // 2

    def _cut(self, cut: int) -> Segment | None:
        """Close what lies before the row ``cut``; what lies after it stays open."""
        before = [(a, min(b, cut)) for a, b in self._phrases if a < cut]
        after = [(max(a, cut), b) for a, b in self._phrases if b > cut]
        if self._begin is not None and self._begin < cut:
            if self._is_voice(self._begin, min(self._voiced, cut)):
                before.append((self._begin, min(self._voiced, cut)))
            self._begin = cut if self._voiced > cut else None
        self._phrases = before
        closed = self._close(cut) if before else None
        self._phrases = after
        return closed

    def _close(self, limit: int) -> Segment:
        """A segment of all phrases, with some sound around them but none from the row ``limit`` on."""
        pad = round(PAD_S / ROW_S)
        begin = max(self._phrases[0][0] - pad, self._kept)
        end = min(self._phrases[-1][1] + pad, limit)
        closed = Segment(
            self._time(begin),
            self._time(end),
            self._sound[(begin - self._kept) * ROW : (end - self._kept) * ROW].copy(),
            tuple(
                Phrase(self._time(a), self._time(b), float(self._rows(a, b).mean())) for a, b in self._phrases
            ),
        )
        self._phrases = []
        self._drop(end)
        return closed

    def _time(self, row: int) -> float:
        return self._start + row * ROW_S

    def _forget(self) -> None:
        """Drop the sound that no segment will want."""
        first = self._first()
        self._drop((self._row if first is None else first) - round(PAD_S / ROW_S))

    def _drop(self, row: int) -> None:
        gone = row - self._kept
        if gone > 0:
            self._sound = self._sound[gone * ROW :]
            del self._probabilities[:gone]
            self._kept = row
