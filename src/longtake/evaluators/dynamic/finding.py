"""Which things of a film are followed, and where in which frame of a shot each is seen most clearly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ...core.evaluator import MeasuredCase
from ...core.tools import Tools
from ..shared.occlusion import SHORT_SIDE, unit
from ..shared.spans import Span
from ..shared.things import ON, phrases
from .moving import moving_region
from .points import size_of

Mask = NDArray[np.bool_]
LOOKS = 3
"""Frames in the first third of a shot at which a thing is looked for; ours."""
LAG_S = 0.1
"""Distance in time of the two frames between which motion is looked for; ours."""
LARGEST = 0.8
"""A mask that covers more of the picture is the scene, no thing; ours."""
REGION, FACE = "moving region", "face"


@dataclass(frozen=True)
class Found:
    """A thing in a shot: ``mask`` (bool) of the frame that begins to be shown at ``time``."""

    thing: str
    shot: int
    time: float
    mask: Mask


@dataclass(frozen=True)
class Wanted:
    """What is looked for: name and phrase of each thing of the brief, or nothing, and why not."""

    things: tuple[tuple[str, str], ...]
    source: str
    note: str = ""
    left_out: int = 0


def wanted(case: MeasuredCase, tools: Tools, most: int) -> Wanted:
    """The first ``most`` things of the brief, if there are any and a masker to find them."""
    things = phrases(case.brief)
    if not things:
        return Wanted((), "auto", "the brief names no characters or objects" if case.brief else "no brief")
    if (lacking := tools.lacks("masker")) is not None:
        return Wanted((), "auto", f"things of the brief cannot be looked for: {lacking}")
    return Wanted(things[:most], "brief", left_out=max(0, len(things) - most))


def found_in(
    case: MeasuredCase, tools: Tools, want: Wanted, shot: int, span: Span, most: int
) -> Iterator[Found]:
    """The things that are seen in a shot, at most ``most``. Raises ``BackendError`` and ``InputError``."""
    if want.things:
        yield from _named(tools, want.things, shot, span)
        return
    found = [*_faces(case, tools, shot, span, most), *_moving(tools, shot, span)]
    yield from found[:most]


def _moments(span: Span) -> list[float]:
    start, end = span
    return [start + (end - start) / 3 * i / (LOOKS - 1) for i in range(LOOKS)]


def _named(tools: Tools, things: Sequence[tuple[str, str]], shot: int, span: Span) -> Iterator[Found]:
    """Each thing where its mask is large and sharp."""
    best: dict[str, tuple[float, Found]] = {}
    masker = tools.model("masker")
    for time, picture in tools.footage.at(_moments(span), SHORT_SIDE):
        detail = np.abs(cv2.Laplacian(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.CV_32F))
        for name, phrase in things:
            mask = np.asarray(masker.mask(picture, phrase)) >= ON
            area = float(mask.mean())
            if not 0 < area <= LARGEST:
                continue
            clear = area * float(detail[mask].mean())
            if name not in best or clear > best[name][0]:
                best[name] = (clear, Found(name, shot, time, mask))
    yield from (found for _, found in best.values())


def _faces(case: MeasuredCase, tools: Tools, shot: int, span: Span, most: int) -> Iterator[Found]:
    """The largest faces of a shot, as ellipses in their boxes, in the best view that the signal ``faces`` has
    of each: it looks through the whole shot, so that this may lie after its first third."""
    signal = case.signals["faces"]
    if not signal.usable or not len(signal):
        return
    columns = {n: np.asarray(signal.columns[n]) for n in ("person", "time", "x", "y", "width", "height")}
    inside = np.flatnonzero((columns["time"] >= span[0]) & (columns["time"] < span[1]))
    largest = inside[np.argsort(-columns["height"][inside], kind="stable")][:most]
    for row in largest:
        one = {name: float(values[row]) for name, values in columns.items()}
        for time, picture in tools.footage.at([one["time"]], SHORT_SIDE):
            height, width = picture.shape[:2]
            mask = np.zeros((height, width), np.uint8)
            centre = ((one["x"] + one["width"] / 2) * width, (one["y"] + one["height"] / 2) * height)
            cv2.ellipse(mask, (centre, (one["width"] * width, one["height"] * height), 0.0), 1, -1)
            yield Found(f"{FACE} {int(one['person'])}" if one["person"] >= 0 else FACE, shot, time, mask > 0)


def _moving(tools: Tools, shot: int, span: Span) -> Iterator[Found]:
    """The largest moving region of the moments looked at."""
    if tools.lacks("flow") is not None:
        return
    model = tools.model("flow")
    best: Found | None = None
    for moment in _moments(span):
        pair: list[tuple[float, Any]] = list(tools.footage.at([moment, moment + LAG_S], SHORT_SIDE))
        if len(pair) < 2 or pair[0][1].shape != pair[1][1].shape or pair[1][0] >= span[1]:
            continue
        (time, first), (_, second) = pair
        mask = moving_region(model.flow(first, second), unit(first.shape))
        if mask.any() and (best is None or size_of(mask) > size_of(best.mask)):
            best = Found(REGION, shot, time, mask)
    if best is not None:
        yield best
