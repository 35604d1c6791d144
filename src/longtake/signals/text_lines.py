"""Joins lines read in single frames to appearances: the same text in the same place, or on its way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

import numpy as np

Box = tuple[float, float, float, float]
"""Left, top, width, height as shares of the picture."""

SURE, SURE_LETTER, SURE_PLACE = 0.93, 0.995, 0.75
"""Scores of the recogniser from which a line counts as read: of two letters or more, and of a single letter
or digit, for which the detector must be this sure too. Fixed on every other clip of the test media (62
without text): the highest score of a false line was 0.885, of a false single letter 0.996, where the detector
gave 0.63. Upside-down text and other scripts, drawn, reached 0.88."""
LEAST = 0.5
"""Lines of lower scores, and single letters that are not sure, are taken for no text at all."""
LIKE, MOVED_LIKE = 0.4, 0.8
"""Likeness of two readings from which they are one text: in the same place, and elsewhere."""
PLACE = 0.3
"""Overlap (intersection over union) from which two boxes are the same place."""
PATIENCE = 1
"""Looks in which a text may be missed before it counts as gone."""


@dataclass(frozen=True)
class Line:
    """A line read in one frame. Of the same place a few frames earlier, ``echo`` is how like the reading is,
    and ``shape`` how like the picture, both in [0, 1]; NaN where there is none."""

    text: str
    score: float
    found: float
    box: Box
    echo: float = float("nan")
    shape: float = float("nan")

    @property
    def letters(self) -> int:
        return sum(c.isalnum() for c in self.text)

    @property
    def sure(self) -> bool:
        """Whether it counts as read."""
        if self.letters > 1:
            return self.score >= SURE
        return self.letters == 1 and self.score >= SURE_LETTER and self.found >= SURE_PLACE

    @property
    def kept(self) -> bool:
        return self.sure or (self.letters > 1 and self.score >= LEAST)


@dataclass
class Appearance:
    """One text over time. ``looks`` are the numbers of the looked-at frames in which it was read."""

    lines: list[Line] = field(default_factory=list)
    looks: list[int] = field(default_factory=list)
    likenesses: list[float] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The reading with the most score in all."""
        total: dict[str, float] = {}
        for line in self.lines:
            total[line.text] = total.get(line.text, 0.0) + line.score
        return max(total, key=lambda text: total[text])

    @property
    def best(self) -> Line:
        """The surest line that says ``text``."""
        text = self.text
        return max((line for line in self.lines if line.text == text), key=lambda line: line.score)

    @property
    def confidence(self) -> float:
        return float(np.mean([line.score for line in self.lines]))

    @property
    def sure(self) -> bool:
        """Whether at least half of its readings are."""
        return 2 * sum(line.sure for line in self.lines) >= len(self.lines)

    @property
    def stability(self) -> float:
        """Mean likeness of neighbouring readings; NaN where there is but one."""
        return float(np.mean(self.likenesses)) if self.likenesses else float("nan")

    @property
    def shape(self) -> float:
        """Mean likeness of the letters' pictures; NaN where none were compared."""
        shapes = [line.shape for line in self.lines if np.isfinite(line.shape)]
        return float(np.mean(shapes)) if shapes else float("nan")

    @property
    def variants(self) -> int:
        """Different readings."""
        return len({line.text for line in self.lines})

    @property
    def moved(self) -> float:
        """Way of the box from the first reading to the last, as a share of the picture; growth is no way."""
        a, b = self.lines[0].box, self.lines[-1].box
        return max(min(abs(b[k] - a[k]), abs(b[k] + b[k + 2] - a[k] - a[k + 2])) for k in (0, 1))

    def add(self, line: Line, look: int) -> None:
        if self.lines:
            self.likenesses.append(likeness(self.lines[-1].text, line.text))
        if np.isfinite(line.echo):
            self.likenesses.append(line.echo)
        self.lines.append(line)
        self.looks.append(look)


def likeness(one: str, other: str) -> float:
    """How alike two readings are, in [0, 1], whatever their case and spaces."""
    a, b = ("".join(text.split()).casefold() for text in (one, other))
    if a == b:
        return 1.0
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def overlap(a: Box, b: Box) -> float:
    """Intersection over union."""
    wide = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    high = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if wide <= 0 or high <= 0:
        return 0.0
    return wide * high / (a[2] * a[3] + b[2] * b[3] - wide * high)


def appearances(looks: Sequence[Sequence[Line]]) -> list[Appearance]:
    """Texts over time from the kept lines of each looked-at frame, in the order in which they begin."""
    done: list[Appearance] = []
    open_: list[Appearance] = []
    for number, lines in enumerate(looks):
        open_ = [a for a in open_ if number - a.looks[-1] <= 1 + PATIENCE]
        left = set(range(len(lines)))
        for appearance, i in _pairs(open_, lines):
            if i in left and appearance.looks[-1] < number:
                appearance.add(lines[i], number)
                left.discard(i)
        for i in sorted(left):
            begun = Appearance()
            begun.add(lines[i], number)
            open_.append(begun)
            done.append(begun)
    return done


def _pairs(open_: Sequence[Appearance], lines: Sequence[Line]) -> Iterator[tuple[Appearance, int]]:
    """Which appearance may go on with which line, the most alike and the nearest first."""
    found = []
    for k, appearance in enumerate(open_):
        last = appearance.lines[-1]
        for i, line in enumerate(lines):
            place = overlap(last.box, line.box)
            if place < PLACE and not _same_size(last.box, line.box):
                continue
            like = likeness(last.text, line.text)
            if like >= (LIKE if place >= PLACE else MOVED_LIKE):
                (ax, ay), (bx, by) = _middle(last.box), _middle(line.box)
                found.append((like + place, -abs(bx - ax) - abs(by - ay), -k, -i))
    for *_, k, i in sorted(found, reverse=True):
        yield open_[-k], -i


def _same_size(a: Box, b: Box) -> bool:
    """Whether two boxes could hold the same line in different places."""
    return all(min(p, q) >= 0.7 * max(p, q) for p, q in ((a[2], b[2]), (a[3], b[3])))


def _middle(box: Box) -> tuple[float, float]:
    return box[0] + box[2] / 2, box[1] + box[3] / 2
