"""Cheap evidence for slow changes of any kind, from very small pictures of the frames around one.

Two questions are asked of stretches of several lengths about one middle. Does the picture go from one thing
to another rather than move about (``mixture``)? And does an edge cross it, so that each place changes at
once, in the order of its position (``front``)? Where the first is not clear a model should look; the second
is a wipe.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT = 16, 9
"""Places of a small picture."""
PLACES = WIDTH * HEIGHT
LENGTHS = (6, 8, 10, 13, 16, 20, 25, 31, 40)
"""Frames of the stretches that are tried."""
SIDE = 8
"""Frames before and after a stretch whose own steps it is compared with."""
REACH = LENGTHS[-1] // 2 + 1 + SIDE
"""Frames on each side of the middle that are looked at."""
CHANGE = 6.0
"""Mean change of the colours from end to end, 0..255, below which a stretch is not looked at."""

# A logistic regression: mean, spread and weight of each figure of figures(), and the offset. Fitted on set A
# of benchmarks/accuracy.py: stretches that hold one dissolve or fade against all others.
_MEANS = np.array([-1.694, 0.413, 3.616, 0.277, 0.799, 2.842])
_SPREADS = np.array([1.028, 0.410, 0.765, 0.282, 0.960, 0.548])
_WEIGHTS = np.array([1.392, -0.739, 0.528, -3.301, 1.363, -0.277])
_OFFSET = -2.804

MIXTURE_ODDS = -0.5
"""Log odds from which on a stretch is compared with a mixture of its ends."""
MISFIT_COST = 8.0
"""Log odds that a stretch loses for each unit by which it is no mixture of its ends."""

FRONT_LENGTHS = (6, 10, 16, 25, 40)
"""Lengths of the stretches in which a front is looked for."""
FRONT_ALIKE, FRONT_DIRECT, FRONT_STEP, FRONT_ODDS = 0.7, 0.25, 0.5, -1.0
"""It is looked for only where the ends are less alike than this, where at least this share of all steps
leads from one end to the other, no single step makes more than this share, and the log odds are higher."""
CHANGED = 20.0
"""Distance in colour, 0..441, from which on a place counts as changed."""
CLEAR = 40.0
"""Distance from which on a place's moment counts in full."""
LEAST_CHANGED, BROAD = 0.3, 0.6
"""Shares of the picture that must change for a front to be looked for, and for it to count in full."""
SUDDEN = 0.25
"""Mean weight of the places' moments from which on a front counts in full."""
NEARLY = 0.9
"""Share of the clearest front that a longer stretch's must have to stand for it."""
WORTH_SPLITTING = 0.3
"""Clearness by the steps alone below which the second way is not tried."""


class Stretch(NamedTuple):
    """What looks most like a slow change about one frame: how much it looks like a dissolve or a fade (log
    odds less its misfit) and its length, and clearness (0..1) and length of the clearest front."""

    mixture: float
    length: int
    front: float
    front_length: int


def look(pictures: NDArray[np.float32], steps: NDArray[np.float32], middle: int) -> Stretch | None:
    """The best mixture and the clearest front about ``middle``; ``None`` where little changes.

    Args:
        pictures: RGB, shape (n, 144, 3), n beyond ``middle`` by at least REACH on both sides.
        steps: mean absolute change from each picture to the next, shape (n - 1,).
        middle: index into ``pictures``.
    """
    first, last = spans(middle)
    table = figures(pictures, steps, first, last)
    odds = (table - _MEANS) / _SPREADS @ _WEIGHTS + _OFFSET
    change = np.expm1(table[:, 2])
    odds[change < CHANGE] = -np.inf
    if odds.max() == -np.inf:
        return None
    misfits = [
        misfit(pictures[i : j + 1]) if odd > MIXTURE_ODDS else np.inf
        for i, j, odd in zip(first, last, odds, strict=True)
    ]
    best = int(np.argmin(misfits))
    mixture = float(odds.max() - MISFIT_COST * misfits[best])
    front, front_length = 0.0, 0
    direct = np.exp(table[:, 0])
    wanted = (odds > FRONT_ODDS) & (direct > FRONT_DIRECT) & (table[:, 1] < FRONT_ALIKE)
    for i in np.flatnonzero(wanted & (table[:, 3] < FRONT_STEP)):
        if LENGTHS[i] in FRONT_LENGTHS:
            clear = clearness(pictures[first[i] : last[i] + 1])
            if clear > front:
                front, front_length = clear, LENGTHS[i]
    return Stretch(mixture, LENGTHS[best], front, front_length)


def best_mixture(pictures: NDArray[np.float32], middle: int, off: int, every: int) -> tuple[int, int]:
    """The stretch about or near ``middle`` that changes most for how little it misses of a mixture: a part of
    a dissolve lies on the line as well, but changes less. Its last frame before and its first one after."""

    def strength(first: int, last: int) -> float:
        change = float(np.abs(pictures[last] - pictures[first]).mean())
        return change * (1 - 2 * misfit(pictures[first : last + 1])) if change >= CHANGE else -np.inf

    return max(_near(middle, off, every), key=lambda ends: strength(*ends))


def clearest_front(pictures: NDArray[np.float32], middle: int, off: int, every: int) -> tuple[int, int]:
    """The longest stretch about or near ``middle`` whose front is nearly as clear as the clearest: a part
    of a wipe has a front as well. Its ends are given as by :func:`best_mixture`."""
    ends = _near(middle, off, every)
    clear = [clearness(pictures[first : last + 1]) for first, last in ends]
    enough = NEARLY * max(clear)
    return max((e for e, c in zip(ends, clear, strict=True) if c >= enough), key=lambda e: e[1] - e[0])


def _near(middle: int, off: int, every: int) -> list[tuple[int, int]]:
    return [
        (int(first), int(last))
        for shift in range(-off, off + 1, every)
        for first, last in zip(*spans(middle + shift), strict=True)
    ]


def spans(middle: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The last frame before and the first one after a stretch of each length about ``middle``."""
    lengths = np.array(LENGTHS)
    return middle - lengths // 2 - 1, middle + lengths - lengths // 2


def figures(
    pictures: NDArray[np.float32],
    steps: NDArray[np.float32],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
) -> NDArray[np.float64]:
    """What tells a slow change from movement, a row per stretch: logarithm of the share of the steps that
    leads from end to end, the largest left out; how alike the ends are (correlation); logarithm of 1 + the
    change; share of the largest step; logarithm of the mean step over that of the calmer side; logarithm of
    the length."""
    a, b = pictures[first].reshape(len(first), -1), pictures[last].reshape(len(last), -1)
    change = np.abs(b - a).mean(axis=1)
    before = np.concatenate([[0.0], np.cumsum(steps, dtype=np.float64)])
    total = before[last] - before[first]
    highest = np.array([steps[i:j].max() for i, j in zip(first, last, strict=True)])
    x, y = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    power = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    around = np.arange(SIDE)
    calm = np.minimum(_median(steps[first[:, None] - 1 - around]), _median(steps[last[:, None] + around]))
    count = last - first
    smooth = np.maximum(change - highest, 0) / (total - highest + 1)
    return np.stack(
        [
            np.log(smooth + 0.05),
            (x * y).sum(axis=1) / np.maximum(power, a.shape[1]),
            np.log1p(change),
            highest / (total + 1),
            np.log(total / count / (calm + 0.5) + 0.1),
            np.log(count),
        ],
        axis=1,
    )


def _median(values: NDArray[np.float32]) -> NDArray[np.float32]:
    ordered = np.sort(values, axis=1)
    return np.asarray((ordered[:, SIDE // 2 - 1] + ordered[:, SIDE // 2]) / 2)


def misfit(pictures: NDArray[np.float32]) -> float:
    """How far pictures are from the straight line from the first to the last, plus how uneven their
    steps are, both as shares of its length: a dissolve lies on it."""
    flat = pictures.reshape(len(pictures), -1)
    line, inner = flat[-1] - flat[0], flat[1:-1] - flat[0]
    power = float(line @ line)
    along = inner @ line / power
    steps = np.arange(1, len(inner) + 1) / (len(inner) + 1)
    beside = np.maximum((inner * inner).sum(axis=1) - along * along * power, 0)
    return float(np.sqrt(beside.mean() / power) + np.sqrt(((along - steps) ** 2).mean()))


def _design() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    down, across = np.mgrid[0:HEIGHT, 0:WIDTH]
    x, y = ((across + 0.5) / WIDTH - 0.5).ravel(), ((down + 0.5) / HEIGHT - 0.5).ravel()
    one, radius = np.ones(PLACES), np.hypot(x, y) / np.hypot(0.5, 0.5)
    return np.stack([one, x, y], 1), np.stack([one, radius], 1)


_PLANE, _RINGS = _design()


def clearness(pictures: NDArray[np.float32]) -> float:
    """How clearly an edge crosses the picture from the first to the last of these, 0..1.

    Each place that changes has a moment at which it does, found in two ways: where its own steps are largest,
    and where splitting the stretch into old and new leaves least over. In a wipe the moments follow from the
    position, along a line or outwards from the middle, and span the stretch.

    Args:
        pictures: RGB, shape (n, 144, 3), n at least 3.
    """
    apart = _distance(pictures[-1], pictures[0])
    wide = float((apart > CHANGED).mean())
    if wide < LEAST_CHANGED:
        return 0.0
    clear = _by_steps(pictures, apart)
    if clear < WORTH_SPLITTING:
        return 0.0
    return (clear + _by_split(pictures, apart)) / 2 * min(wide / BROAD, 1.0)


def _distance(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(np.sqrt(((a - b) ** 2).sum(-1)), np.float32)


def _by_steps(pictures: NDArray[np.float32], apart: NDArray[np.float32]) -> float:
    steps = _distance(pictures[1:], pictures[:-1])
    highest = np.maximum(steps.max(axis=0), 1e-3)
    # Two steps may be large, as an edge passes a place within them; the others tell how sudden it is.
    others = np.sort(steps / highest, axis=0)[:-2].mean(axis=0)
    weight = np.clip(highest / CLEAR, 0, 1) * (1 - others) ** 2 * np.clip(apart / CHANGED, 0, 1)
    told = _told((steps.argmax(axis=0) + 0.5) / len(steps), weight)
    return told * min(float(weight.mean()) / SUDDEN, 1.0)


def _by_split(pictures: NDArray[np.float32], apart: NDArray[np.float32]) -> float:
    old, new = _distance(pictures[1:-1], pictures[0]), _distance(pictures[1:-1], pictures[-1])
    none = np.zeros((1, apart.size), np.float32)
    left = np.cumsum(np.concatenate([none, old]), axis=0)
    left += np.cumsum(np.concatenate([none, new[::-1]]), axis=0)[::-1]
    weight = np.clip(apart / CLEAR, 0, 1)
    over = left.min(axis=0) / np.maximum(len(old) * apart, 1)
    told = _told(left.argmin(axis=0) / len(old), weight)
    return told * max(1 - float((weight * over).sum() / weight.sum()), 0.0)


def _told(moments: NDArray[np.floating], weight: NDArray[np.floating]) -> float:
    """Share of the moments' variance that their place explains, less where they span little of the time."""
    weight = weight + 1e-6
    spread = float((weight * (moments - np.average(moments, weights=weight)) ** 2).sum())
    best = 0.0
    for places in (_PLANE, _RINGS):
        left = places.T * weight
        fitted = places @ np.linalg.solve(left @ places + 1e-4 * np.eye(places.shape[1]), left @ moments)
        told = 1 - float((weight * (moments - fitted) ** 2).sum()) / max(spread, 1e-6)
        best = max(best, told * min(float(fitted.max() - fitted.min()), 1.0))
    return best
