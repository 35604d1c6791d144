"""Motion smoothness, dynamic degree and temporal flickering: what differs from frame to frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.evaluator import Card, MeasuredCase
from ...core.measurement import Measurement
from ..shared.interpolation import SMALLEST, Triples, triples
from ..shared.measured import Fact, all_unscored, lacks, not_applicable, scored, unscored
from . import aggregate, flow, formulas
from .look import Look, look
from .shots import HAIR, Shot, shots_of
from .told import BLACK, SHORT, Moment, Shots, ShotValue, frozen_facts, standing

FROZEN = "frozen"
SMALL = f"smaller than {SMALLEST} px"
NOT_SAMPLED = "without a frame among those looked at"
NO_MOTION = "nothing moves in it, so that there is no motion to be smooth"
NONE_STATIC = "no part of it is static enough to tell flicker from motion"


@dataclass(frozen=True)
class MotionSmoothness:
    """VBench's motion smoothness: how near each second frame is to what its neighbours foretell.

    A frozen shot has no value: nothing moves in it that could be smooth, and 1 would be a reward for
    standing still. VBench gives it 1. Pairs within shots that move now and then are kept as they are.
    """

    card: Card

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """The one quantity. Raises ``BackendError`` and ``InputError``."""
        tools = case.tools
        assert tools is not None
        if (why := lacks(case, "shots") or tools.lacks("interpolator", "flow")) is not None:
            return all_unscored(self.card, why)
        shots = shots_of(case)
        seen = look(tools, shots)
        found = triples(case)
        values, frozen = Shots(), []
        rows = found.every_second
        for shot in shots:
            own = rows & (found.shot == shot.index)
            if seen.black(shot):
                values.leave(BLACK)
            elif len(shot.frames) < 3:
                values.leave(SHORT)
            elif seen.frozen(shot):
                values.leave(FROZEN)
                frozen.append(shot)
            elif not own.any():
                values.leave(NOT_SAMPLED)
            else:
                moments = [
                    Moment(t - gap / 2, t + gap / 2, formulas.steadiness(e))
                    for t, gap, e in zip(found.time[own], found.gap[own], found.plain[own], strict=True)
                ]
                value = aggregate.mean([m.value for m in moments])
                values.values.append(ShotValue(shot, value, len(moments), moments))
        facts = self._facts(case, found, values, frozen)
        if not values.values and frozen:
            return [not_applicable(self.card.quantities[0], f"{NO_MOTION}: {values.why_none()}")]
        what = "{value:.4f}: the frame is not what its neighbours foretell"
        return [values.film(self.card.quantities[0], facts, what, also=standing(frozen))]

    def _facts(
        self, case: MeasuredCase, found: Triples, values: Shots, frozen: Sequence[Shot]
    ) -> dict[str, Fact]:
        assert case.tools is not None
        facts = case.tools.used("interpolator").facts
        facts |= frozen_facts([*frozen, *(v.shot for v in values.values)], frozen)
        facts |= {"triples_possible": found.possible, "triples_uneven": found.uneven}
        if values.values:
            score = aggregate.over_shots([v.value for v in values.values], values.seconds)
            facts["error_levels"] = round((1 - score) * formulas.LEVELS, 4)
        return facts


@dataclass(frozen=True)
class DynamicDegree:
    """VBench's dynamic degree: the share of a film's seconds in clips of about 2 s that move.

    VBench says yes or no to a film of up to 5 s and means these over films. Beside it stands how fast the
    fastest twentieth of the picture is in the mean, which does not jump at a threshold.
    """

    card: Card

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """Share of seconds that move, and speed. Raises ``BackendError`` and ``InputError``."""
        tools = case.tools
        assert tools is not None
        if (why := lacks(case, "shots") or tools.lacks(flow.ROLE)) is not None:
            return all_unscored(self.card, why)
        shots = shots_of(case)
        clips = flow.clips_of(tools, shots)
        degree, speed = Shots(), Shots()
        for shot in shots:
            own = [c for c in clips[shot.index] if c.lengths]
            if own and all(c.black for c in own):
                reason = BLACK
            elif not own:
                reason = SHORT if sum(c.frames for c in clips[shot.index]) < 2 else SMALL
            else:
                self._add(shot, own, degree, speed)
                continue
            for one in (degree, speed):
                one.leave(reason)
        facts = tools.used(flow.ROLE).facts
        whole, pace = self.card.quantities
        return [
            degree.film(whole, facts, "too few frames move: the fastest part by {value:.1f} px at most"),
            speed.film(
                pace, facts, "the fastest part moves {value:.1f} px in an eighth of a second", highest=True
            ),
        ]

    def _add(self, shot: Shot, clips: Sequence[flow.Clip], degree: Shots, speed: Shots) -> None:
        still = [Moment(c.start, c.end, max(c.lengths)) for c in clips if not c.moves]
        share = aggregate.over_shots([float(c.moves) for c in clips], [c.seconds for c in clips])
        lengths = [v for c in clips for v in c.lengths]
        degree.values.append(ShotValue(shot, share, len(lengths), still))
        fast = [
            Moment(t - 1 / formulas.FLOW_RATE, t, v)
            for c in clips
            for t, v in zip(c.times, c.lengths, strict=True)
        ]
        speed.values.append(ShotValue(shot, aggregate.mean(lengths), len(lengths), fast))


@dataclass(frozen=True)
class TemporalFlickering:
    """VBench's temporal flickering: how little consecutive frames differ. Cuts and transitions are left out.

    VBench asks it of static films only and has a filter for these; the first quantity is of all shots, in
    which motion counts as flicker, ``static`` of the parts that pass the filter.
    """

    card: Card

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """Of all shots, and of static parts. Raises ``BackendError`` and ``InputError``."""
        tools = case.tools
        assert tools is not None
        if (why := lacks(case, "shots")) is not None:
            return all_unscored(self.card, why)
        shots = shots_of(case)
        seen = look(tools, shots)
        values = Shots()
        for shot in shots:
            times, levels = seen.steps(shot)
            if seen.black(shot):
                values.leave(BLACK)
            elif not len(levels):
                values.leave(SHORT)
            else:
                values.values.append(_steady(shot, times, levels))
        shown = [v.shot for v in values.values]
        frozen = [s for s in shown if seen.frozen(s)]
        facts = frozen_facts(shown, frozen)
        whole, static = self.card.quantities
        what = "{value:.4f}: the picture differs from the one before"
        first = values.film(whole, facts, what, also=standing(frozen))
        if (why := tools.lacks(flow.ROLE)) is not None:
            return [first, unscored(static, why)]
        clips = flow.clips_of(tools, shots)
        return [first, self._static(shown, seen, clips, facts | tools.used(flow.ROLE).facts)]

    def _static(
        self,
        shots: Sequence[Shot],
        seen: Look,
        clips: Mapping[int, Sequence[flow.Clip]],
        facts: dict[str, Fact],
    ) -> Measurement:
        quantity = self.card.quantities[1]
        if not shots:
            return unscored(quantity, "no shot of it can be measured")
        values, seconds, moments = [], [], Shots()
        for shot in shots:
            for clip in clips[shot.index]:
                times, levels = seen.steps(shot, clip.start - HAIR, clip.end - HAIR)
                if clip.static and len(levels):
                    one = _steady(shot, times, levels)
                    values.append(one.value)
                    seconds.append(clip.seconds)
                    moments.values.append(one)
        whole = sum(s.seconds for s in shots)
        facts = facts | {"static_share": round(sum(seconds) / whole, 4)}
        if not values:
            return not_applicable(quantity, NONE_STATIC)
        return scored(quantity, aggregate.over_shots(values, seconds), facts=facts)


def _steady(shot: Shot, times: np.ndarray, levels: np.ndarray) -> ShotValue:
    """Steadiness of a stretch of a shot from the changes of its frames."""
    each = [formulas.steadiness(float(level)) for level in levels]
    own = np.asarray(shot.frames)
    before = own[np.maximum(np.searchsorted(own, times - HAIR) - 1, 0)]
    moments = [Moment(float(a), float(b), v) for a, b, v in zip(before, times, each, strict=True)]
    return ShotValue(shot, aggregate.mean(each), len(each), moments)
