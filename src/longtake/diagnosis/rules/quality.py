"""Quality of the picture: sharpness, faults of coding and transmission, and whether it holds to the end."""

from __future__ import annotations

import math

import numpy as np

from ...core.measurement import Evidence, Measurement
from ..facts import Facts
from .course import EARLY, LATE, TOO_FEW, Course, beyond, courses, ranked
from .rule import (
    Numbers,
    column,
    falling,
    lit,
    missing,
    scored,
    span,
    too_brief,
    too_short,
    unscored,
)

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
    """Whether quality holds from the first to the last part of a film; the worst measure decides.

    Sharpness that falls, noise that rises and blockiness that rises count inside shots, where the shots agree
    (a film of one shot: its first half against its last third), and across shots, where there are enough of
    them that late ones rank behind early ones by more than chance. See :mod:`.course`; a film that allows
    neither is not scored. Blind spots: a step exactly at a cut in a film of few shots; a long film whose last
    scenes are soft or dark in many shots on purpose; decay of faces, meaning or motion; under 20 s there is
    no course to tell.
    """
    name = "temporal_degradation"
    if gone := missing(name, facts, "motion", "picture") or too_short(name, facts):
        return gone
    measures = {
        "sharpness_loss": (-_log(lit(facts, "sharpness")), SHARPNESS_LOSS),
        "noise_rise": (lit(facts, "noise"), NOISE_RISE),
        "blockiness_rise": (lit(facts, "blockiness"), BLOCK_RISE),
    }
    found: list[tuple[float, str, Course]] = []
    amounts, untold = {}, False
    for what, (series, bounds) in measures.items():
        seen = courses(facts, series, bounds, _in_one_shot)
        if seen:
            amounts[what] = max(0.0, *(c.change for c in seen))
            found += [(falling(c.change, *bounds), what, c) for c in seen]
        else:
            untold |= bool(np.isfinite(series).any())
    if not found or (untold and all(value == 1 for value, _, _ in found)):
        return unscored(name, TOO_FEW)
    value, worst, course = min(found, key=_value)
    said = f"{worst.replace('_', ' ')} along the film"
    evidence = [Evidence(start=start, end=end, what=said) for start, end in course.spans] if value < 1 else []
    return scored(name, value, evidence, shots_looked_at=max(c.shots for _, _, c in found), **amounts)


def _value(found: tuple[float, str, Course]) -> float:
    return found[0]


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

    Counted per minute are flash and stray frames, seconds with visible blocks, and seconds in which the
    picture's data is damaged. It stands in for a judge
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
    damaged = facts.signals["container"].events_of("damaged")
    lost = sum(max(1, math.ceil(e.end - e.start)) for e in damaged)
    rate = (len(flashes) + len(blocky) + lost) / minutes
    evidence = [span(e, "a flash or stray frame") for e in flashes]
    evidence += [Evidence(start=float(t), end=float(t) + 1, what="visible blocks") for t in blocky]
    evidence += [span(e, "damaged data") for e in damaged]
    return scored(
        name,
        1 - float(np.sqrt(rate / FAULTS_PER_MINUTE)),
        evidence,
        faults_per_minute=rate,
        flashes=len(flashes),
        blocky_seconds=len(blocky),
        damaged_seconds=lost,
        seconds_looked_at=looked,
    )


def _in_one_shot(rows: Numbers) -> float:
    """Change of the median from the first half of one shot to its last third, as far as it ranks behind."""
    place = (np.arange(len(rows)) + 0.5) / len(rows)
    early, late = (rows[(place >= a) & (place <= b)] for a, b in (EARLY, LATE))
    change, chance = beyond(early, late)
    return change * ranked(chance) if (chance - 0.5) * change > 0 else 0.0


def _log(values: Numbers) -> Numbers:
    return np.log(np.where(values > 0, values, np.nan))
