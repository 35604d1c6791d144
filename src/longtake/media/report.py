"""What went wrong while a film was read, and where."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

MOST_NOTES = 50
"""Messages and gaps that a report keeps; counters go on."""
MOST_DAMAGED = 100
"""Damaged stretches that a report keeps, of picture and of sound each."""


@dataclass
class ReadReport:
    """What went wrong on the way. Counters are complete, lists keep the first ``MOST_NOTES`` entries.

    ``frames`` counts pictures given, the lead-in after a seek included; ``decode_errors`` packets of the
    picture (and errors of the file itself) that could not be decoded, ``sound_errors`` those of the sound.
    ``gaps`` are holes in the times.
    ``damaged`` and ``damaged_sound`` are stretches whose data could not be decoded, as film times from the
    last good picture (or the end of the last good sound) to the next good one, ``MOST_DAMAGED`` of each.
    Pictures in ``damaged`` may be patched up, repeated or missing, sound in the other may be silent: a
    freeze or dead silence there is a damaged file. Where whole frames are lost there is a gap; a decoder that
    mends without a word is not seen.
    """

    frames: int = 0
    decode_errors: int = 0
    sound_errors: int = 0
    missing_times: int = 0
    gaps: list[tuple[Fraction, Fraction]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    damaged: list[tuple[Fraction, Fraction]] = field(default_factory=list)
    damaged_sound: list[tuple[Fraction, Fraction]] = field(default_factory=list)

    def error(self, message: str, *, sound: bool = False) -> None:
        if sound:
            self.sound_errors += 1
        else:
            self.decode_errors += 1
        self.note(message)

    def note(self, message: str) -> None:
        if len(self.messages) < MOST_NOTES and message not in self.messages:
            self.messages.append(message)

    def gap(self, start: Fraction, end: Fraction) -> None:
        if len(self.gaps) < MOST_NOTES:
            self.gaps.append((start, end))

    def damage(self, start: Fraction, end: Fraction, *, sound: bool = False) -> None:
        spans = self.damaged_sound if sound else self.damaged
        if len(spans) < MOST_DAMAGED:
            spans.append((start, end))


class Wound:
    """Finds where damage of one stream begins and ends, in film time, from what is decoded around it.

    Frames come out of a decoder later than their packets go in, so a good one before the damage may follow.
    """

    def __init__(self, report: ReadReport, *, sound: bool) -> None:
        self._report = report
        self._sound = sound
        self._before: Fraction | None = None
        self._bad: tuple[Fraction, Fraction] | None = None

    def bad(self, time: Fraction | None) -> None:
        """Something at ``time`` could not be decoded; ``None``: somewhere after what was last good."""
        at = time if time is not None else self._before
        if at is None:
            return  # before anything was decoded, at no known time
        first, last = self._bad or (at, at)
        self._bad = min(first, at), max(last, at)

    def good(self, start: Fraction, end: Fraction) -> None:
        """What is shown or heard from ``start`` to ``end`` is sound; ``start`` is ``end`` of a picture."""
        if self._bad is not None and start >= self._bad[1]:
            self.close(start)
        if self._bad is None or end <= self._bad[0]:
            self._before = end

    def close(self, end: Fraction | None = None) -> None:
        """The damage, if any, lasts until ``end``, by default to where it was last seen."""
        if self._bad is not None:
            first, last = self._bad
            before = first if self._before is None else min(self._before, first)
            after = last if end is None else max(last, end)
            if after > before:
                self._report.damage(before, after, sound=self._sound)
            self._bad = None
