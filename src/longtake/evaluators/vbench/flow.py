"""How far the picture moves between frames an eighth of a second apart, by VBench's rule, in VBench's px."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.tools import Tools
from ..shared.black import is_black
from ..shared.interpolation import SMALLEST
from ..shared.occlusion import SHORT_SIDE
from . import formulas
from .shots import HAIR, Shot, named

ROLE = "flow"
VERSION = 1
PAIR, LOOP = 0.0, 1.0
"""Kinds of pairs: neighbours, and the first and last frame of a clip."""


@dataclass(frozen=True)
class Clip:
    """An even part of a shot, near 2 s long, ``start`` <= t < ``end``.

    ``frames`` of it were looked at. ``lengths`` and ``narrow`` have one entry for each but the first of the
    shot, at ``times``: mean flow of the fastest 5 % and 2 % of pixels since the frame before it, in px at
    256 px of the shorter side per eighth of a second; ``loop`` is the latter from its first frame to the last
    and back, in px at 256 px.
    """

    start: float
    end: float
    frames: int
    black: bool
    times: tuple[float, ...] = ()
    lengths: tuple[float, ...] = ()
    narrow: tuple[float, ...] = ()
    loop: tuple[float, ...] = ()

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end - self.start

    @property
    def moves(self) -> bool:
        """Whether it counts as dynamic."""
        return formulas.moves(self.lengths, self.frames)

    @property
    def static(self) -> bool:
        """Whether VBench's filter lets it through to temporal flickering."""
        return bool(self.lengths) and formulas.is_static(self.narrow, self.loop, self.frames)


def clips_of(tools: Tools, shots: Sequence[Shot]) -> dict[int, list[Clip]]:
    """The clips of each shot by its index. Raises ``BackendError`` and ``InputError``."""
    found = tools.kept(
        "vbench-flow", VERSION, lambda: _measure(tools, shots), roles=(ROLE,), shots=named(shots)
    )
    frames, pairs = np.asarray(found["frames"], np.float64), np.asarray(found["pairs"], np.float64)
    return {
        shot.index: [
            _clip(span, frames[frames[:, 0] == shot.index], pairs[pairs[:, 0] == shot.index])
            for span in shot.clips()
        ]
        for shot in shots
    }


def _clip(span: tuple[float, float], frames: NDArray[np.float64], pairs: NDArray[np.float64]) -> Clip:
    start, end = span
    frames = frames[(frames[:, 1] >= start - HAIR) & (frames[:, 1] < end - HAIR)]
    pairs = pairs[(pairs[:, 1] >= start - HAIR) & (pairs[:, 1] < end - HAIR)]
    steps, loop = pairs[pairs[:, 2] == PAIR], pairs[pairs[:, 2] == LOOP]
    times, lengths, narrow = (tuple(float(v) for v in steps[:, c]) for c in (1, 3, 4))
    black = bool(np.all(frames[:, 2]))
    return Clip(start, end, len(frames), black, times, lengths, narrow, tuple(float(v) for v in loop[:, 4]))


def _measure(tools: Tools, shots: Sequence[Shot]) -> dict[str, Any]:
    """``frames``: shot, time, whether it is black; ``pairs``: shot, time of the later frame, which kind of
    pair, and the two lengths. Two pictures and the first of a clip are held at a time."""
    model = tools.model(ROLE)
    frames: list[tuple[float, ...]] = []
    pairs: list[tuple[float, ...]] = []

    def lengths(first: Any, second: Any, seconds: float) -> tuple[float, float] | None:
        if first.shape != second.shape or min(first.shape[:2]) < SMALLEST:
            return None
        flow, side = model.flow(first, second), min(first.shape[:2])
        top, narrow = (formulas.longest(flow, s) for s in (formulas.MOVES_TOP, formulas.STATIC_TOP))
        return formulas.scaled(top, side, seconds), formulas.scaled(narrow, side, seconds)

    def close(shot: int, opened: tuple[float, Any], last: tuple[float, Any]) -> None:
        if last[0] > opened[0]:
            for a, b in pairwise((opened[1], last[1], opened[1])):
                if (found := lengths(a, b, 1 / formulas.FLOW_RATE)) is not None:
                    pairs.append((shot, last[0], LOOP, *found))

    for shot in shots:
        ends = [end for _, end in shot.clips()]
        last: tuple[float, Any] | None = None
        opened: tuple[float, Any] | None = None
        for time, picture in tools.footage.at(shot.grid(formulas.FLOW_RATE), SHORT_SIDE):
            frames.append((shot.index, time, float(is_black(picture))))
            if opened is None or last is None:
                opened = (time, picture)
            else:
                if (found := lengths(last[1], picture, time - last[0])) is not None:
                    pairs.append((shot.index, time, PAIR, *found))
                if time >= ends[0] - HAIR:
                    close(shot.index, opened, last)
                    opened = (time, picture)
            while len(ends) > 1 and time >= ends[0] - HAIR:
                ends.pop(0)
            last = (time, picture)
        if opened is not None and last is not None:
            close(shot.index, opened, last)
    return {
        "frames": np.array(frames, np.float64).reshape(-1, 3),
        "pairs": np.array(pairs, np.float64).reshape(-1, 5),
    }
