"""How far each frame of a film is from what its neighbours foretell, with and without what they cannot know.

The frame between two others is predicted from them, and the error is the mean absolute difference over pixels
and channels in levels (0 to 255), at one working size on every machine. Beside it stands the error where
neither a moving thing nor an edge of occlusion is: VBench's motion smoothness and the debiased one of
DynamicEval (arXiv 2510.07441, re-derived) are means over the same maps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ...core.evaluator import MeasuredCase
from ...core.ports import Interpolator, Middle
from ...core.tools import Tools
from .occlusion import SHORT_SIDE, camera_px, dilated, moved, occluded
from .showing import chosen as evenly
from .spans import Span, gradual_transitions, measured_spans
from .standing import blocks_of
from .things import ON, phrases

Numbers = NDArray[np.float64]
Plane = NDArray[np.float32]
Mask = NDArray[np.bool_]

ROLES = ("interpolator", "flow", "masker")
"""Roles that fill it: the last two may be empty, ``flow`` where the interpolator has a flow of its own."""
UNEVEN = 0.2
"""Distances in time to the frame before and after that differ by more than this share of their mean."""
MOST = 240
"""Triples of a film that are looked at unless asked otherwise: a bound on cost, ours."""
BLOCK = 6
"""Where not all are looked at they are taken in runs of so many, through which one mask is carried. Ours."""
OBJECT_SHARE = 0.01
"""Object masks are dilated by this share of the diagonal."""
MASK_EVERY_S = 0.5
"""The masker is asked this often; between, its masks are carried along by the flow. Ours."""
SMALLEST = 32
"""px of the shorter side under which there is no flow and no prediction, as in the signal ``motion``."""
VERSION = 2
COLUMNS = ("time", "frame", "place", "shot", "gap", "plain", "masked", "share", "camera", "change", "away")
"""Of :class:`Triples`, those with one entry per triple."""


@dataclass(frozen=True)
class Triples:
    """One row per triple of frames in time order, all of one length.

    ``time`` (s) and ``frame`` (from 0, of the film) are of the middle frame, ``place`` counts it from the
    first frame of its ``shot``, ``gap`` (s) is the time from the frame before to the one after. ``plain`` is
    the mean error over all pixels in levels, ``masked`` over the unmasked ones (NaN where none is left),
    ``share`` the unmasked share of pixels, ``camera`` the speed of the picture in px per second of the
    working size, NaN where there is too little texture, ``change`` the mean absolute difference in levels
    between the frame before and the one after: 0 where the film stands still. ``away`` is the difference in
    levels of the block that is furthest from that of the first picture looked at in the shot.

    ``possible`` are the triples that the film has in all, ``uneven`` those left out for their spacing,
    ``unread`` those chosen that could not be decoded; ``objects`` tells what the masks of things rest on:
    ``brief``, ``auto`` (the foreground) or ``none``.
    """

    time: Numbers
    frame: Numbers
    place: Numbers
    shot: Numbers
    gap: Numbers
    plain: Numbers
    masked: Numbers
    share: Numbers
    camera: Numbers
    change: Numbers
    away: Numbers
    possible: int
    uneven: int
    unread: int
    objects: str

    def __len__(self) -> int:
        return len(self.time)

    @property
    def every_second(self) -> Mask:
        """Rows whose middle frame is one that VBench leaves out: frames 1, 3, 5, ... of each shot."""
        return np.asarray(self.place % 2 == 1)


def triples(case: MeasuredCase, most: int = MOST) -> Triples:
    """Errors of the triples of a film, at most ``most`` of them: see :func:`chosen`. Needs the signals
    ``shots`` and ``transitions``, so that all who ask get the same from one computation, and the roles
    ``ROLES``; see first that ``tools.lacks("interpolator", "flow")`` is ``None``.

    Raises:
        BackendError: a model cannot be run.
        InputError: the film can no longer be read.
    """
    tools = case.tools
    assert tools is not None
    times = np.asarray(tools.footage.times, np.float64)
    spans, fades = measured_spans(case), gradual_transitions(case)
    things = tuple(phrase for _, phrase in phrases(case.brief))
    masker = tools.lacks("masker") is None
    found = tools.kept(
        "interpolation",
        VERSION,
        lambda: _measure(tools, times, spans, fades, most, things if masker else None),
        roles=ROLES,
        most=most,
        spans=repr(spans),
        fades=repr(fades),
        things=repr(things),
    )
    table = found["rows"]
    columns = {name: np.asarray(table[:, i], np.float64) for i, name in enumerate(COLUMNS)}
    possible, uneven, unread = (int(n) for n in found["counts"])
    objects = "none" if not masker else "brief" if things else "auto"
    return Triples(**columns, possible=possible, uneven=uneven, unread=unread, objects=objects)


def chosen(
    times: Numbers, spans: Sequence[Span], fades: Sequence[Span] = (), most: int = MOST
) -> tuple[list[tuple[int, int, int]], int, int]:
    """Triples as (frame in the middle, its place in its shot, shot), how many there are in all, and how many
    of these were left out as unevenly spaced.

    All three frames lie in one shot and none in a gradual transition. Where there are more than ``most``,
    those with an odd place come first, which are VBench's, and of more than ``most`` of these runs of
    ``BLOCK``, spread evenly over the film.
    """
    found: list[tuple[int, int, int]] = []
    possible = uneven = 0
    for shot, (start, end) in enumerate(spans):
        first, stop = (int(np.searchsorted(times, at - 1e-6)) for at in (start, end))
        for middle in range(first + 1, stop - 1):
            before, now, after = (float(times[i]) for i in (middle - 1, middle, middle + 1))
            if any(before <= b and after >= a for a, b in fades):
                continue
            possible += 1
            if not before < now < after or abs(after - 2 * now + before) > UNEVEN * (after - before) / 2:
                uneven += 1
            else:
                found.append((middle, middle - first, shot))
    if len(found) > most:
        found = [one for one in found if one[1] % 2 == 1]
    if len(found) > most:
        blocks = [found[i : i + BLOCK] for i in range(0, len(found), BLOCK)]
        found = [one for block in evenly(blocks, max(1, most // BLOCK)) for one in block][:most]
    return found, possible, uneven


def _measure(
    tools: Tools,
    times: Numbers,
    spans: Sequence[Span],
    fades: Sequence[Span],
    most: int,
    things: Sequence[str] | None,
) -> dict[str, Any]:
    wanted, possible, uneven = chosen(times, spans, fades, most)
    masks = _Objects(tools, things) if things is not None else None
    interpolator: Interpolator = tools.model("interpolator")
    rows: list[tuple[float, ...]] = []
    first, of = np.zeros((0, 0), np.float32), -1
    for (frame, place, shot), pictures in _pictures(tools, times, wanted):
        before, now, after = pictures
        gap = float(times[frame + 1] - times[frame - 1])
        middle = interpolator.middle(before, after)
        forward, backward = _flows(tools, middle, before, after)
        error = np.abs(np.asarray(middle.picture, np.float32) - now).mean(axis=2)
        hidden = occluded(forward, backward)
        if masks is not None:
            hidden |= masks.at(frame, shot, float(times[frame]), now, backward)
        free = ~hidden
        blocks = [blocks_of(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY)) for p in pictures]
        if of != shot or first.shape != blocks[0].shape:
            first, of = blocks[0], shot
        rows.append(
            (
                float(times[frame]),
                frame,
                place,
                shot,
                gap,
                float(error.mean()),
                float(error[free].mean()) if free.any() else float("nan"),
                float(free.mean()),
                camera_px(forward, before, after) / gap,
                float(np.abs(before.astype(np.int16) - after).mean()),
                max(float(np.abs(one - first).max()) for one in blocks),
            )
        )
    table = np.array(rows, np.float64).reshape(-1, len(COLUMNS))
    return {"rows": table, "counts": np.array([possible, uneven, len(wanted) - len(rows)])}


def _pictures(
    tools: Tools, times: Numbers, wanted: Sequence[tuple[int, int, int]]
) -> Iterator[tuple[tuple[int, int, int], tuple[Any, Any, Any]]]:
    """Each triple with its three pictures; few of them are held at a time."""
    frames = sorted({f + d for f, _, _ in wanted for d in (-1, 0, 1)})
    held: dict[int, Any] = {}
    waiting = iter(wanted)
    now = next(waiting, None)
    for time, picture in tools.footage.at([float(times[f]) for f in frames], SHORT_SIDE):
        frame = int(np.searchsorted(times, time - 1e-6))
        held[frame] = picture
        while now is not None and now[0] + 1 <= frame:
            three = tuple(held.get(now[0] + d) for d in (-1, 0, 1))
            if all(
                p is not None and p.shape == picture.shape and min(p.shape[:2]) >= SMALLEST for p in three
            ):
                yield now, (three[0], three[1], three[2])
            now = next(waiting, None)
        held = {f: p for f, p in held.items() if now is not None and f >= now[0] - 1}


def _flows(tools: Tools, middle: Middle, before: Any, after: Any) -> tuple[Plane, Plane]:
    if middle.forward is not None and middle.backward is not None:
        return middle.forward, middle.backward
    model = tools.model("flow")
    return model.flow(before, after), model.flow(after, before)


class _Objects:
    """Masks of the things of a film, asked for now and then and carried along by the flow between."""

    def __init__(self, tools: Tools, things: Sequence[str]) -> None:
        self._masker, self._things = tools.model("masker"), things
        self._asked = self._shot = -1.0
        self._frame, self._mask = -1, np.zeros((0, 0), np.float32)

    def at(self, frame: int, shot: int, time: float, picture: Any, backward: Plane) -> Mask:
        """Where the things are in the ``frame``, dilated. ``backward`` leads from the frame after it to the
        one before."""
        steps = frame - self._frame
        if self._shot == shot and 0 < steps <= 2 and time - self._asked < MASK_EVERY_S:
            self._mask = moved(self._mask, backward * (steps / 2), border=cv2.BORDER_CONSTANT)
        else:
            self._mask, self._asked, self._shot = self._find(picture), time, shot
        self._frame = frame
        height, width = picture.shape[:2]
        return dilated(self._mask >= ON, OBJECT_SHARE * float(np.hypot(height, width)))

    def _find(self, picture: Any) -> Plane:
        asked = self._things or (None,)
        return np.max([self._masker.mask(picture, thing) for thing in asked], axis=0).astype(np.float32)
