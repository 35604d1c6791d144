"""Do lips and voice move together?"""

from __future__ import annotations

import numpy as np

from ...core.measurement import Evidence, Measurement
from ..facts import Facts
from .rule import as_sure_as, column, falling, missing, scored, unscored

TOGETHER_S, APART_S = 0.1, 0.5
"""Lag at which nobody notices, and from which everybody does. The first is the measure's own bound."""
PLAIN_MARGIN = 6.0
"""Margin over other sound from which the lag is beyond doubt; confidence falls in proportion below it."""


def lip_sync_quality(facts: Facts) -> Measurement:
    """How far the voice is from the mouths that speak, over the whole film: 1 up to 0.1 s, 0 from 0.5 s.

    It speaks only where mouths move with the voice at one lag, plainly more than with other sound. Blind
    spots: a film that is dubbed, whose speaker is not seen, or in which each line is off by another lag has
    no plain lag, so no value; sounds of the mouth are not looked at one by one; at most 1 s is searched.
    """
    name = "lip_sync_quality"
    if gone := missing(name, facts, "lipsync"):
        return gone
    found = facts.signals["lipsync"].facts
    lag, margin = found.get("lag"), found.get("margin")
    if lag is None:
        return unscored(name, str(found.get("reason") or "mouths and voice do not plainly move together"))
    starts, ends, lags = (column(facts, "lipsync", n) for n in ("start", "end", "lag"))
    evidence = [
        Evidence(start=float(a), end=float(b), what=f"the sound is {_told(float(by))}")
        for a, b, by in zip(starts, ends, lags, strict=True)
        if np.isfinite(by) and abs(by) > TOGETHER_S
    ]
    if abs(lag) > TOGETHER_S:
        what = f"over the whole film the sound is {_told(lag)}"
        evidence.append(Evidence(start=facts.start, end=facts.end, what=what))
    answer = scored(
        name,
        falling(abs(lag), TOGETHER_S, APART_S),
        evidence,
        lag=lag,
        margin=margin,
        in_sync_share=found.get("in_sync_share"),
        judged_seconds=found.get("judged_seconds"),
    )
    return as_sure_as(answer, (margin or 0.0) / PLAIN_MARGIN)


def _told(lag: float) -> str:
    return f"{abs(lag):.2f} s {'late' if lag > 0 else 'early'}"
