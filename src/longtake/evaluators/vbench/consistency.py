"""Subject and background consistency: vectors of frames compared within shots and from shot to shot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.evaluator import Card, MeasuredCase
from ...core.measurement import Evidence, Measurement
from ...core.tools import Tools
from ..shared.measured import Fact, all_unscored, lacks, not_applicable, scored
from . import aggregate, formulas
from .look import Look, look
from .shots import Shot, shots_of
from .told import BLACK, SHORT, UNREAD, Moment, Shots, ShotValue, frozen_facts, standing, worst

ONE_SHOT = "there is one shot only, so that there are none to compare"


@dataclass(frozen=True)
class Consistency:
    """VBench's consistency by the vectors of ``role``: DINO ViT-B/16 for the subject, CLIP ViT-B/32 for the
    background, as published; whatever fills the role is told.

    Within a shot each frame is compared with the one before and with the shot's first; from shot to shot all
    pairs are. Frames are taken by time, not each one, so that frame rates agree.
    """

    card: Card
    role: str

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """Combined, within, across and by first frames. Raises ``BackendError`` and ``InputError``."""
        tools = case.tools
        assert tools is not None
        if (why := lacks(case, "shots") or tools.lacks(self.role)) is not None:
            return all_unscored(self.card, why)
        facts = tools.used(self.role).facts | {"rate": float(case.settings["rate"])}
        shots = shots_of(case)
        seen = look(tools, shots)
        values, vectors = self._within(tools, shots, seen, float(case.settings["rate"]))
        if not values.values:
            return all_unscored(self.card, values.why_none(), facts | values.facts())
        return self._told(values, vectors, seen, facts)

    def _within(
        self, tools: Tools, shots: Sequence[Shot], seen: Look, rate: float
    ) -> tuple[Shots, list[Any]]:
        """What each shot is within, and its frames' vectors."""
        values, kept = Shots(), []
        for shot in shots:
            if seen.black(shot):
                values.leave(BLACK)
            elif len(times := shot.grid(rate)) < 2:
                values.leave(SHORT)
            else:
                kept.append((shot, times))
        every = [t for _, times in kept for t in times]
        found = tools.embedder(self.role).pictures(every) if every else np.zeros((0, 1))
        vectors, at = [], 0
        for shot, times in kept:
            rows = np.asarray(found[at : at + len(times)], np.float64)
            at += len(times)
            there = np.flatnonzero(np.isfinite(rows).all(axis=1))
            rows, own = rows[there], [times[i] for i in there]
            likeness = formulas.within(rows)
            if not likeness:
                values.leave(UNREAD)
                continue
            moments = [Moment(a, b, v) for a, b, v in zip(own[:-1], own[1:], likeness, strict=True)]
            values.values.append(ShotValue(shot, aggregate.mean(likeness), len(own), moments))
            vectors.append(rows)
        return values, vectors

    def _told(
        self, values: Shots, vectors: Sequence[Any], seen: Look, facts: dict[str, Fact]
    ) -> list[Measurement]:
        scored_shots = [v.shot for v in values.values]
        frozen = [s for s in scored_shots if seen.frozen(s)]
        facts = facts | frozen_facts(scored_shots, frozen) | values.facts()
        whole, within, across, firsts = self.card.quantities
        inside = aggregate.over_shots([v.value for v in values.values], values.seconds)
        centres = [formulas.centre(rows) for rows in vectors]
        between = formulas.across(centres, values.seconds)
        by_firsts = formulas.first_frames([rows[0] for rows in vectors])
        evidence = worst(
            (m for v in values.values for m in v.moments),
            "likeness {value:.3f} to the frame before and to the shot's first",
        )
        apart = _least_alike(scored_shots, centres)
        still = standing(frozen)
        return [
            scored(
                whole,
                aggregate.combined(inside, between),
                evidence=[*evidence, *apart, *still],
                facts=facts | {"combined": "within only" if between is None else "half within, half across"},
            ),
            scored(within, inside, evidence=[*evidence, *still], facts=facts),
            not_applicable(across, ONE_SHOT)
            if between is None
            else scored(across, between, evidence=apart, facts=facts),
            not_applicable(firsts, ONE_SHOT) if by_firsts is None else scored(firsts, by_firsts, facts=facts),
        ]


def _least_alike(shots: Sequence[Shot], centres: Sequence[Any]) -> list[Evidence]:
    """The shot that is least like the others, by its mean cosine with them; none of fewer than three."""
    if len(shots) < 3:
        return []
    rows = np.asarray(centres, np.float64)
    mean = (rows @ rows.sum(axis=0) - (rows * rows).sum(axis=1)) / (len(rows) - 1)
    at = int(np.argmin(mean))
    what = f"shot {shots[at].index + 1} is least like the others: mean cosine {mean[at]:.3f}"
    return [Evidence(start=shots[at].start, end=shots[at].end, what=what)]
