"""``tracker_fg``: is the shape of a film's things stable under motion?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import tee
from typing import Any

import numpy as np

from ...core.evaluator import Card, MeasuredCase
from ...core.measurement import Evidence, Measurement
from ...core.tools import Tools
from ..shared.black import black_film, black_of
from ..shared.measured import Fact, all_unscored, scored
from ..shared.occlusion import SHORT_SIDE
from ..shared.ran import models_ran
from ..shared.showing import chosen
from ..shared.spans import Span, measured_spans
from .finding import Found, found_in, wanted
from .noise import noise_floor
from .points import SMALLEST_PX, grid, size_of
from .shape import Shape, score_of, shape_of

SHORTEST_S = 0.5
"""Shorter shots are not measured."""
OBJECT_SMALL, NO_OBJECT = "object_small", "no_object"
SHOWN = 3
"""Places that are given as evidence."""
REASONS = {
    OBJECT_SMALL: f"things are smaller than {SMALLEST_PX} px at a short side of {SHORT_SIDE} px",
    NO_OBJECT: "nothing was found to follow",
    "tracks_lost": "too few points could be followed in more than half of the frames",
    "too_short": "things were seen for less than the average needs to settle",
}


@dataclass(frozen=True)
class Followed:
    """A thing in a shot, and what became of its shape, or why it was not followed."""

    found: Found
    shape: Shape | None
    reason: str = ""


@dataclass(frozen=True)
class TrackerFg:
    """Measures one film: see the card."""

    card: Card

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """Score, deviation, lost tracks and motion. Raises ``BackendError`` and ``InputError``."""
        tools = case.tools
        assert tools is not None
        if (lacking := black_film(case) or tools.lacks("tracker")) is not None:
            return all_unscored(self.card, lacking)
        found_shots = measured_spans(case)
        dark = black_of(case, found_shots)
        shown = [span for span, black in zip(found_shots, dark, strict=True) if not black]
        shots = [span for span in shown if span[1] - span[0] >= SHORTEST_S]
        if not shots:
            return all_unscored(self.card, f"no shot is {SHORTEST_S} s long")
        most = {name: case.settings[name] for name in ("shots", "seconds", "objects")}
        looked = chosen(list(enumerate(shots)), int(most["shots"]))
        want = wanted(case, tools, int(most["objects"]))
        followed = [
            follow(tools, found, (span[0], min(span[1], found.time + float(most["seconds"]))))
            for index, span in looked
            for found in found_in(case, tools, want, index, span, int(most["objects"]))
        ]
        floor = noise_floor(tools.model("tracker"))
        every: dict[str, Fact] = {
            **models_ran(tools, "tracker", "masker" if want.things else "flow"),
            "objects": want.source,
        }
        facts: dict[str, Fact] = {
            "objects_note": want.note or None,
            "objects_left_out": want.left_out,
            "masker": tools.used("masker").label if want.things else None,
            "shots_looked": len(looked),
            "shots_black": sum(dark),
            "shots_left_out": len(shots) - len(looked),
            "noise_floor": floor.value,
            **_told(followed),
        }
        return self._judged(followed, every, facts)

    def _judged(
        self, followed: Sequence[Followed], every: dict[str, Fact], facts: dict[str, Fact]
    ) -> list[Measurement]:
        """``every`` are facts of each quantity, ``facts`` of the first."""
        known = [(one.found.thing, one.shape) for one in followed if one.shape is not None and not one.reason]
        if not known:
            return all_unscored(self.card, _why(followed), every | facts)
        things = list(dict.fromkeys(thing for thing, _ in known))
        by_thing = [[shape for thing, shape in known if thing == name] for name in things]
        facts["seconds"] = sum(shape.seconds for _, shape in known)
        values = [
            _over(by_thing, lambda s: score_of(_value(s))),
            _over(by_thing, _value),
            _over(by_thing, lambda s: s.lost),
            _over(by_thing, lambda s: float(np.nan_to_num(s.speed))),
        ]
        evidence = [
            Evidence(start=at[0], end=at[1], what=f"{thing}: shape off by {_value(shape):.3f}", about=thing)
            for thing, shape in sorted(known, key=lambda one: -_value(one[1]))[:SHOWN]
            if (at := shape.worst) is not None
        ]
        return [
            scored(quantity, value, evidence=() if i else evidence, facts=every | ({} if i else facts))
            for i, (quantity, value) in enumerate(zip(self.card.quantities, values, strict=True))
        ]


def follow(tools: Tools, found: Found, span: Span) -> Followed:
    """Follow the points of a thing from the frame in which it was found to the end of ``span``."""
    points = grid(found.mask)
    if size_of(found.mask) < SMALLEST_PX or not len(points):
        return Followed(found, None, OBJECT_SMALL)
    frames = _alike(tools.footage.between(found.time, span[1], SHORT_SIDE), found.mask.shape)
    timed, shown = tee(frames)  # the tracker may read a window ahead; no more than that is held
    tracked = tools.model("tracker").track((picture for _, picture in shown), points)
    shape = shape_of(
        (time, one.points, one.seen) for time, one in zip((time for time, _ in timed), tracked, strict=False)
    )
    return Followed(found, shape, shape.reason)


def _alike(frames: Iterator[tuple[float, Any]], shape: Sequence[int]) -> Iterator[tuple[float, Any]]:
    """Frames up to the first of another size."""
    for time, picture in frames:
        if picture.shape[:2] != tuple(shape[:2]):
            return
        yield time, picture


def _value(shape: Shape) -> float:
    assert shape.value is not None
    return shape.value


def _over(by_thing: Sequence[Sequence[Shape]], of: Any) -> float:
    """Mean over things of the mean over their shots, by the seconds for which they were seen."""
    return float(
        np.mean([np.average([of(s) for s in one], weights=[s.seconds for s in one]) for one in by_thing])
    )


def _told(followed: Sequence[Followed]) -> dict[str, Fact]:
    """How many things were followed, in all shots, and how many not, by reason."""
    reasons = Counter(one.reason for one in followed)
    return {"followed": reasons.pop("", 0), **{name: reasons[name] for name in REASONS if reasons[name]}}


def _why(followed: Sequence[Followed]) -> str:
    reasons = Counter(one.reason for one in followed) or Counter([NO_OBJECT])
    return "; ".join(f"{name}: {REASONS[name]}" for name, _ in reasons.most_common())
