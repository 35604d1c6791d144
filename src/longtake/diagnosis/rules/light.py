"""Brightness and colour: within shots and over the film."""

from __future__ import annotations

import numpy as np

from ...core.measurement import Evidence, Measurement
from ..facts import Facts
from .course import LEAST_ROWS, TOO_FEW, Course, courses, travels
from .rule import (
    Numbers,
    column,
    deciles,
    falling,
    lit,
    missing,
    scored,
    shot_spans,
    span,
    too_brief,
    too_short,
    trend,
    unscored,
)

FLICKER = (2.0, 16.0)
"""Grey levels, peak to peak, of luma that alternates or swings: best and worst value."""
DRIFT = (12.0, 60.0)
"""Grey levels by which a shot's brightness moves steadily in one direction: best and worst value."""
WARMTH_MOVE = (10.0, 35.0)
"""Grey levels by which a shot's balance of red against blue moves and stays moved: best and worst value."""
COLOR_DRIFT = (5.0, 25.0)
"""As above, over the whole film."""
STEADY = 0.5
"""Kendall's tau from which a change goes one way; halfway from there to 1 it counts in full."""


def exposure_stability(facts: Facts) -> Measurement:
    """Whether brightness is free of flicker, pumping and drift inside shots; the worst of the three decides.

    Flicker and pumping (2 to 8 Hz) count by their peak-to-peak luma, drift by the change of a shot's luma in
    one direction beyond its scatter, weighted by the share of the film it takes. A shot that drifts while
    the camera travels is left out (:data:`.course.TRAVEL`). Blind spots: swings slower than 2 Hz that
    return; a lamp that is meant to flicker; a still shot whose light truly changes; drift under a moving
    camera.
    """
    name = "exposure_stability"
    if gone := missing(name, facts, "motion", "picture"):
        return gone
    if brief := too_brief(name, facts):
        return brief
    motion = facts.signals["motion"]
    swings = motion.events_of("flicker", "pump")
    amplitude = motion.facts.get("flicker_amplitude")
    strongest = max((e.value or 0.0 for e in swings), default=0.0)
    evidence = [span(e, f"{e.what}, {e.value or 0:.1f} grey levels") for e in swings]
    steady = falling(strongest, *FLICKER)
    moved = _shot_moves(facts, "luma")
    drifts = [m for m in moved if m[2] <= DRIFT[0] or not travels(facts, m[0], m[1])]
    left_out = len(moved) - len(drifts)
    if steady == 1 and not drifts and left_out:
        why = "brightness changes only while the camera moves, where drift cannot be told from what is shown"
        return unscored(name, why, shots_left_out=left_out)
    if not swings and not drifts and amplitude is None:
        return unscored(name, "too short to tell swings, and no shot is long enough to drift")
    worst = 1.0
    for start, end, amount in drifts:
        share = min(1.0, 2 * (end - start) / max(facts.film.duration, 1e-9))
        worst = min(worst, 1 - share * (1 - falling(amount, *DRIFT)))
        if amount > DRIFT[0]:
            evidence.append(
                Evidence(start=start, end=end, what=f"brightness drifts by {amount:.0f} grey levels")
            )
    return scored(
        name,
        min(steady, worst),
        evidence,
        swings=len(swings),
        strongest_swing=strongest if swings or amplitude is not None else None,
        flicker_amplitude=amplitude,
        largest_drift=max((amount for _, _, amount in drifts), default=None),
        shots_with_a_course=len(drifts),
        shots_left_out=left_out,
    )


def color_temperature(facts: Facts) -> Measurement:
    """Whether white balance holds within shots: over shots, weighted by time.

    A shot moves by the spread (90th minus 10th percentile) of its smoothed balance of red against blue.
    A shot that changes while the camera travels, or while something fills and crosses the picture, is left
    out (:data:`.course.TRAVEL`). Blind spots: something red that grows in a still picture; two shots of one
    scene are not compared, as scenes are not known; shots under 4 s are not looked at.
    """
    name = "color_temperature"
    if gone := missing(name, facts, "motion", "picture"):
        return gone
    times, warmth = column(facts, "picture", "time"), lit(facts, "warmth")
    total = weighted = largest = 0.0
    left_out = 0
    evidence = []
    for start, end in shot_spans(facts):
        rows = warmth[(times >= start) & (times < end) & np.isfinite(warmth)]
        if len(rows) < LEAST_ROWS:
            continue
        smooth = _smooth(rows)
        moved = float(np.percentile(smooth, 90) - np.percentile(smooth, 10))
        if moved > WARMTH_MOVE[0] and travels(facts, start, end):
            left_out += 1
            continue
        total += end - start
        weighted += (end - start) * falling(moved, *WARMTH_MOVE)
        largest = max(largest, moved)
        if moved > WARMTH_MOVE[0]:
            evidence.append(
                Evidence(start=start, end=end, what=f"white balance moves by {moved:.0f} grey levels")
            )
    if not total and left_out:
        why = "colour changes only while the camera moves, where it cannot be told from what is shown"
        return unscored(name, why, shots_left_out=left_out)
    if not total:
        return unscored(name, f"no shot is {LEAST_ROWS} s long")
    return scored(
        name,
        weighted / total,
        evidence,
        largest_move=largest,
        share_of_time=total / max(facts.film.duration, total),
        shots_left_out=left_out,
    )


def color_consistency(facts: Facts) -> Measurement:
    """Whether colour drifts over the whole film, inside its shots or across many of them; the worst decides.

    Inside shots, the changes of warmth and tint (Theil-Sen slope times length) are summed if the shots agree
    on them; a film of one shot is looked at by tenths (Kendall's tau, less the scatter). Across shots, late
    ones are ranked against early ones. See :mod:`.course`; a film that allows neither is not scored.
    Blind spots: a step exactly at a cut in a film of few shots; a film that means to end in another light, or
    whose last scenes are of another colour in many shots; a drift that comes back; a film under 20 s.
    """
    name = "color_consistency"
    if gone := missing(name, facts, "motion", "picture") or too_short(name, facts):
        return gone
    known = {}
    for what in ("warmth", "chroma_u", "chroma_v"):
        values = lit(facts, what)
        if np.isfinite(values).any():
            known[what] = courses(facts, values, COLOR_DRIFT, _over_tenths)
    found = [(abs(c.change), what, c) for what, seen in known.items() for c in seen]
    if not found or (not all(known.values()) and max(found, key=_first)[0] <= COLOR_DRIFT[0]):
        return unscored(name, TOO_FEW)
    amount, worst, course = max(found, key=_first)
    evidence = []
    if amount > COLOR_DRIFT[0]:
        said = f"{worst.replace('_', ' ')} drifts by {amount:.0f} grey levels along the film"
        evidence = [Evidence(start=start, end=end, what=said) for start, end in course.spans]
    return scored(
        name,
        falling(amount, *COLOR_DRIFT),
        evidence,
        drift=amount,
        shots_looked_at=max(c.shots for _, _, c in found),
        **{f"{what}_drift": max(abs(c.change) for c in seen) for what, seen in known.items() if seen},
    )


def _first(found: tuple[float, str, Course]) -> float:
    return found[0]


def _over_tenths(rows: Numbers) -> float:
    """The one-way change of a film that is a single shot."""
    change, tau, scatter = trend(deciles(np.arange(len(rows), dtype=np.float64), rows, 0, len(rows)))
    return float(np.sign(change) * _one_way(change, tau, scatter))


def _shot_moves(facts: Facts, what: str) -> list[tuple[float, float, float]]:
    """Start, end and one-way change of every shot that is long enough."""
    times, values = column(facts, "picture", "time"), lit(facts, what)
    found = []
    for start, end in shot_spans(facts):
        rows = values[(times >= start) & (times < end) & np.isfinite(values)]
        if len(rows) >= LEAST_ROWS:
            found.append((start, end, _one_way(*trend(rows))))
    return found


def _one_way(change: float, tau: float, scatter: float) -> float:
    """The part of a change that goes one way and stands out from the scatter; NaN stays NaN."""
    weight = np.clip((abs(tau) - STEADY) / ((1 - STEADY) / 2), 0, 1)
    return float(max(0.0, abs(change) - 2 * scatter) * weight) if np.isfinite(change) else float("nan")


def _smooth(values: Numbers) -> Numbers:
    """Medians of three neighbours, the ends kept."""
    middle = np.median(np.stack([values[:-2], values[1:-1], values[2:]]), axis=0)
    return np.concatenate([values[:1], middle, values[-1:]])
