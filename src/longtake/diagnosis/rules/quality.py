"""Quality of the picture: sharpness, faults of coding and transmission, and whether it holds to the end."""

from __future__ import annotations

import numpy as np

from ...core.measurement import Evidence, Measurement
from ..facts import Facts
from .rule import (
    Numbers,
    column,
    deciles,
    falling,
    lit,
    missing,
    scored,
    span,
    too_brief,
    too_short,
    unscored,
)

LEAST_PARTS = 4
"""Parts of the film with rows from which a course of quality can be told."""
RANKED = (0.65, 0.9)
"""Chance that a late part is worse than an early one: no loss below the first, all from the second."""
PARTS = 20
EARLY, LATE = slice(0, 10), slice(13, 20)
"""The twentieths that are compared: the first half, and the last seven."""
SHARPNESS_LOSS = (0.15, 0.9)
"""Loss of sharpness along the film in units of its natural logarithm: best and worst value."""
NOISE_RISE = (1.0, 6.0)
"""Rise of noise in grey levels along the film."""
BLOCK_RISE = (0.1, 0.8)
"""Rise of blockiness along the film."""
RESOLUTION = (0.25, 0.6)
"""Share of the finest detail its width could carry that a picture has: worst and best value."""
BLOCKY = 0.8
"""Blockiness from which a second counts as faulty (clean 8_footage, half A: at most 0.51)."""
FAULTS_PER_MINUTE = 20.0


def temporal_degradation(facts: Facts) -> Measurement:
    """Whether quality holds from the first to the last part, by twentieths; the worst measure decides.

    Sharpness that falls, noise that rises and blockiness that rises count by the change of the median from
    the first half to the last third, as far as the late parts also rank behind the early ones: one
    soft shot is content, a lasting fall is not. Blind spots: a film that ends in soft or dark
    scenes on purpose looks like a fall; decay of faces, meaning or motion is not seen; under 20 s
    there is no course to tell, and no score.
    """
    name = "temporal_degradation"
    if gone := missing(name, facts, "picture") or too_short(name, facts):
        return gone
    times = column(facts, "picture", "time")
    start, length = facts.start, facts.film.duration
    courses = {
        "sharpness_loss": (-_log(lit(facts, "sharpness")), SHARPNESS_LOSS),
        "noise_rise": (lit(facts, "noise"), NOISE_RISE),
        "blockiness_rise": (lit(facts, "blockiness"), BLOCK_RISE),
    }
    values: dict[str, float] = {}
    amounts: dict[str, float] = {}
    for what, (series, bounds) in courses.items():
        parts = deciles(times, series, start, length, PARTS)
        if np.isfinite(parts).sum() < LEAST_PARTS:
            continue
        change, chance = worsening(parts)
        if np.isnan(change):
            continue
        amounts[what] = max(0.0, change) * (1 - falling(chance, *RANKED))
        values[what] = falling(amounts[what], *bounds)
    if not values:
        return unscored(name, f"too short: quality is known for fewer than {LEAST_PARTS} parts of the film")
    worst = min(values, key=lambda k: values[k])
    evidence = (
        [
            Evidence(
                start=start + length / 2, end=start + length, what=f"{worst.replace('_', ' ')} along the film"
            )
        ]
        if values[worst] < 1
        else []
    )
    return scored(name, values[worst], evidence, **amounts)


def resolution_sharpness(facts: Facts) -> Measurement:
    """Whether the picture is as sharp as its size promises: the finest detail that is there.

    The median second decides, so that soft focus and motion blur cost little where most seconds are sharp.
    Blind spots: a film that is soft throughout on purpose gets a low value; noise and artificial sharpening
    look like detail, also in a picture whose background is all blur; only horizontal detail is measured.
    """
    name = "resolution_sharpness"
    if gone := missing(name, facts, "picture"):
        return gone
    values = column(facts, "picture", "resolution")
    values = values[np.isfinite(values)]
    if not len(values):
        return unscored(name, "no picture has enough detail to tell")
    share = float(np.median(values))
    evidence = []
    if share < RESOLUTION[1]:
        what = f"detail of a picture {share:.0%} as wide"
        evidence.append(Evidence(start=facts.start, end=facts.end, what=what))
    return scored(name, 1 - falling(share, *RESOLUTION), evidence, resolution=share, rows=len(values))


def visual_artifact_frequency(facts: Facts) -> Measurement:
    """How often faults of coding and transmission appear; melting, extra limbs and garbled text need a judge.

    Counted per minute are flash and stray frames and seconds with visible blocks. It stands in for a judge
    with little confidence. Blind spots: everything that a generator gets wrong in what it shows; a
    photographer's flash counts as a flash.
    """
    name = "visual_artifact_frequency"
    if gone := missing(name, facts, "transitions", "picture"):
        return gone
    if brief := too_brief(name, facts):
        return brief
    flashes = facts.signals["transitions"].events_of("flash")
    times, blocks = column(facts, "picture", "time"), column(facts, "picture", "blockiness")
    blocky = times[np.isfinite(blocks) & (blocks >= BLOCKY)]
    looked = int(np.isfinite(blocks).sum())
    if not looked:
        return unscored(name, "no picture could be looked at for visible blocks")
    minutes = max(facts.film.duration, 10.0) / 60
    rate = (len(flashes) + len(blocky)) / minutes
    evidence = [span(e, "a flash or stray frame") for e in flashes]
    evidence += [Evidence(start=float(t), end=float(t) + 1, what="visible blocks") for t in blocky]
    return scored(
        name,
        1 - float(np.sqrt(rate / FAULTS_PER_MINUTE)),
        evidence,
        faults_per_minute=rate,
        flashes=len(flashes),
        blocky_seconds=len(blocky),
        seconds_looked_at=looked,
    )


def worsening(parts: Numbers) -> tuple[float, float]:
    """How far the late parts lie above the early ones, and the chance of it; NaN if unknown."""
    early, late = (p[np.isfinite(p)] for p in (parts[EARLY], parts[LATE]))
    if len(early) < 2 or len(late) < 2:
        return float("nan"), float("nan")
    above = late[:, None] - early[None, :]
    chance = float(((above > 0) + 0.5 * (above == 0)).mean())
    return float(np.median(late) - np.median(early)), chance


def _log(values: Numbers) -> Numbers:
    return np.log(np.where(values > 0, values, np.nan))
