"""Does motion carry on?"""

from __future__ import annotations

import numpy as np

from ...core.measurement import Measurement
from ...core.signal import Event
from ..facts import Facts
from .rule import column, in_black, missing, scored, span, too_brief, unscored

SURE_JUMP = 6.0
"""Jumps below this ratio of displacement are listed and counted, but do not decide: handheld and
hand-drawn footage has some (8_footage, even indices)."""
DUPLICATE_RUN = 3
"""Repeated frames in one event from which it decides: a single one is a dropped frame of the recording."""

CONVERTED = 0.9
"""Share of the film from which one even run of repeats is a change of frame rate (24 shown as 30 has every
fifth frame twice): worth knowing and in the findings, but no break in a movement. Converted clips of
8_footage (either half) are at .95 or more."""


def motion_continuity(facts: Facts) -> Measurement:
    """Whether movements carry on inside shots: 1 without a freeze, a run of repeats or a jump, else 0.

    A freeze is a picture that stands for 0.2 s or more while its shot moves around it, or on one side of
    it with a cut on the other. Blind spots: a freeze in a shot that hardly moves cannot be told from a
    still; repeats that fill a whole film look like a film of a lower rate; most leaps: with .3, .6 and
    1.2 s left out of 16 clips (half B) it fell for 1, 3 and 3 of them, as a longer leap looks like a cut
    and a leap of a small thing, or one that keeps the picture's place, like nothing; limbs that move
    impossibly need a judge.
    """
    name = "motion_continuity"
    if gone := missing(name, facts, "motion"):
        return gone
    if brief := too_brief(name, facts):
        return brief
    motion = facts.signals["motion"]
    if not np.isfinite(column(facts, "motion", "camera_speed")).any():
        return unscored(name, "no movement could be measured between any two pictures")
    freezes, repeats, jumps = (
        [e for e in motion.events_of(kind) if not in_black(facts, e)]
        for kind in ("freeze", "duplicate", "jump")
    )
    frame = 1 / (facts.film.fps or 25.0)
    deciding = [
        *(span(e, f"the picture stands for {e.value or e.end - e.start:.2f} s") for e in freezes),
        *(span(e) for e in repeats if _breaks(e, frame, facts.film.duration)),
        *(span(e) for e in jumps if (e.value or 0.0) >= SURE_JUMP),
    ]
    return scored(
        name,
        0.0 if deciding else 1.0,
        deciding,
        freezes=len(freezes),
        repeats=len(repeats),
        jumps=len(jumps),
        sure_defects=len(deciding),
        frozen_share=motion.facts.get("frozen_share"),
        duplicate_share=motion.facts.get("duplicate_share"),
    )


def _breaks(repeats: Event, frame: float, duration: float) -> bool:
    """Whether a run of repeated frames halts a movement, rather than a lone repeat or a change of rate."""
    length = repeats.end - repeats.start
    return (repeats.value or 0.0) * length / frame >= DUPLICATE_RUN and length < CONVERTED * duration
