"""Texts followed through frames by their places, and how steady what they say is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...signals.text_lines import Line, overlap
from .matching import normal

SAME_PLACE = 0.5
"""Overlap (intersection over union) of boxes in neighbouring frames from which they are one text
(dynamiceval-and-others.md, B)."""


@dataclass
class Track:
    """One text over neighbouring frames. ``times`` are in seconds, one for each line."""

    times: list[float] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """What was read in each frame."""
        return [normal(line.text) for line in self.lines]

    @property
    def sure(self) -> bool:
        """Whether it was read surely at least once: what never was may be no text at all."""
        return any(line.sure for line in self.lines)


def steadiness(texts: Sequence[str]) -> float:
    """Share of the frames whose text is the most frequent one, in (0, 1].

    Raises:
        ValueError: there are no frames.
    """
    if not texts:
        raise ValueError("a track has frames")
    return Counter(texts).most_common(1)[0][1] / len(texts)


def weighted(shares: Sequence[float], seconds: Sequence[float]) -> float | None:
    """The mean of shares, weighted by seconds; ``None`` without any."""
    total = sum(seconds)
    return sum(s * t for s, t in zip(shares, seconds, strict=True)) / total if total > 0 else None


def tracks(frames: Sequence[tuple[float, Sequence[Line]]], longest: float) -> list[Track]:
    """Texts through frames (time in seconds, lines), in the order in which they begin.

    Of two frames next to each other, at most ``longest`` seconds apart, the lines that overlap most go on
    with one another first.
    """
    done: list[Track] = []
    open_: list[Track] = []
    for time, lines in frames:
        open_ = [track for track in open_ if time - track.times[-1] <= longest]
        pairs = sorted(
            (
                (overlap(track.lines[-1].box, line.box), -k, -i)
                for k, track in enumerate(open_)
                for i, line in enumerate(lines)
            ),
            reverse=True,
        )
        going, taken = set[int](), set[int]()
        for share, k, i in pairs:
            if share < SAME_PLACE:
                break
            if k in going or i in taken:
                continue
            going.add(k)
            taken.add(i)
            open_[-k].times.append(time)
            open_[-k].lines.append(lines[-i])
        going_on = [track for k, track in enumerate(open_) if -k in going]
        begun = [Track([time], [line]) for i, line in enumerate(lines) if -i not in taken]
        done += begun
        open_ = going_on + begun
    return done
