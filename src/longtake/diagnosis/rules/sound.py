"""Does sound carry on, and does it cross cuts cleanly?"""

from __future__ import annotations

import numpy as np

from ...core.measurement import Evidence, Measurement
from ...core.signal import Event
from ..facts import Facts
from .rule import LEAST_FILM_S, as_sure_as, column, missing, not_applicable, scored, span, unscored

WEIGHTS = {"dropout": 1.0, "click": 0.5, "gap": 2.0}
"""What one defect counts: a click is a moment, a gap is heard by everybody."""
WORST_PER_MINUTE = 12.0
"""Weighted defects per minute at which the value is 0; it falls with the square root."""
DIGITAL_SILENCE_DB = -100.0
LOUD_DB = -45.0
"""Level next to a digital silence from which the silence is a hole and not a pause."""
BESIDE_ROWS = 2
"""Rows of 0.1 s on each side in which sound has to be at that level."""
AT_CUT_S = 0.12
"""A defect this close to a cut belongs to it."""
BLUR_S = 1.0
"""How far off the edges of a span of music may be."""
JUMP_DB = 12.0
"""Change of level across a cut from which music does not carry on."""


CLEAR_DB, DROWNED_DB = 10.0, 0.0
"""Level of speech over music at which every word stands out, and at which it is lost."""


def audio_continuity(facts: Facts) -> Measurement:
    """Whether sound is free of holes and clicks: weighted defects per minute of sound.

    Counted are drop-outs (5 ms to 0.5 s of silence with hard edges), longer digital silence that begins and
    ends in mid sound, and clicks. Blind spots: holes filled with room tone, sudden changes of voice or
    room, clicks inside loud percussion; a deliberate hard stop counts as a gap.
    """
    name = "audio_continuity"
    if gone := missing(name, facts, "audio"):
        return gone
    if not len(column(facts, "audio", "time")) or facts.film.duration < LEAST_FILM_S:
        return unscored(name, f"under {LEAST_FILM_S:g} s of sound is too short to tell whether it carries on")
    found = _defects(facts)
    minutes = max(facts.film.duration, 10.0) / 60
    load = sum(WEIGHTS[e.kind] for e in found) / minutes
    counts = {kind: sum(e.kind == kind for e in found) for kind in WEIGHTS}
    audio = facts.signals["audio"]
    if audio.facts.get("silent_share") == 1.0:
        return unscored(name, "the sound track is silent from beginning to end")
    return scored(
        name,
        1 - float(np.sqrt(load / WORST_PER_MINUTE)),
        [span(e, e.what or f"{e.kind} in the sound") for e in found],
        defects_per_minute=load,
        dropouts=counts["dropout"],
        clicks=counts["click"],
        gaps=counts["gap"],
    )


def bgm_transition_smoothness(facts: Facts) -> Measurement:
    """Whether music crosses cuts cleanly: the share of cuts without a hole, a click or a leap in level.

    Where it is known when music plays (signal sound), only cuts with music before or after count. Blind
    spots: a pause with soft edges and a change of piece at the same level pass; sound that changes with the
    picture on purpose counts as a leap; speech that stops at a cut looks like music that does.
    """
    name = "bgm_transition_smoothness"
    if gone := missing(name, facts, "audio", "transitions"):
        return gone
    times = column(facts, "transitions", "start")
    ends = column(facts, "transitions", "end")
    if not len(times):
        return not_applicable(name, "a single shot")
    jumps = column(facts, "transitions", "sound_jump_db")
    music = facts.signals["sound"].events_of("music") if "sound" in facts.signals else None
    defects = _defects(facts)
    checked = bad = 0
    evidence = []
    for start, end, jump in zip(times, ends, jumps, strict=True):
        near = [e for e in defects if e.start <= end + AT_CUT_S and e.end >= start - AT_CUT_S]
        if not near and not np.isfinite(jump):
            continue
        if music is not None and not any(e.start - BLUR_S < end and e.end + BLUR_S > start for e in music):
            continue
        checked += 1
        reasons = [e.kind for e in near]
        if np.isfinite(jump) and abs(jump) >= JUMP_DB:
            reasons.append(f"level leaps by {jump:+.0f} dB")
        if reasons:
            bad += 1
            evidence.append(Evidence(start=start, end=end, what=", ".join(reasons)))
    if not checked:
        return unscored(name, "no cut has music on it")
    return scored(name, 1 - bad / checked, evidence, cuts_checked=checked, cuts_bad=bad)


def bgm_volume_balance(facts: Facts) -> Measurement:
    """Whether speech stands above the music: phrases from 10 dB above it (1) to its level (0), by their time.

    The level of a phrase is that of its voiced tenths of a second, the music's that of the pauses next to
    it. Blind spots: music that swells just while somebody speaks; singing counts as music or as speech; a
    voice that is drowned so far that it is not heard as one.
    """
    name = "bgm_volume_balance"
    if gone := missing(name, facts, "sound"):
        return gone
    phrases = [e for e in facts.signals["sound"].events_of("speech_over_music") if e.value is not None]
    if not phrases:
        return unscored(name, "no phrase has music around it whose level could be told")
    lengths = np.array([e.end - e.start for e in phrases])
    above = np.array([e.value for e in phrases], np.float64)
    each = np.clip((above - DROWNED_DB) / (CLEAR_DB - DROWNED_DB), 0, 1)
    low = [e for e in phrases if (e.value or 0.0) < CLEAR_DB]
    answer = scored(
        name,
        float((each * lengths).sum() / lengths.sum()),
        [span(e, f"speech is {e.value or 0.0:+.0f} dB over the music") for e in low],
        phrases=len(phrases),
        speech_over_music_db=float(np.median(above)),
    )
    times, sure = column(facts, "sound", "time"), column(facts, "sound", "sure")
    inside = [s for t, s in zip(times, sure, strict=True) if any(e.start - 1 < t < e.end for e in phrases)]
    known = [s for s in inside if np.isfinite(s)]
    return as_sure_as(answer, float(np.mean(known))) if known else answer


def sound_defects(facts: Facts) -> list[Event]:
    """Drop-outs, clicks and gaps in time order; empty without a sound track."""
    return _defects(facts) if "audio" in facts.signals else []


def _defects(facts: Facts) -> list[Event]:
    audio = facts.signals["audio"]
    rows, level = column(facts, "audio", "time"), column(facts, "audio", "rms_db")
    gaps = []
    for e in audio.events_of("silence"):
        if (e.value or 0.0) > DIGITAL_SILENCE_DB:
            continue
        before = level[(rows < e.start - 1e-6)][-BESIDE_ROWS:]
        after = level[(rows >= e.end - 1e-6)][:BESIDE_ROWS]
        if _loud(before) and _loud(after):
            gaps.append(
                Event("gap", e.start, e.end, e.end - e.start, f"{e.end - e.start:.1f} s of dead silence")
            )
    clear = [
        e
        for e in audio.events_of("dropout", "click")
        if not any(g.start - 0.2 <= e.start <= g.end + 0.2 for g in gaps)
    ]
    return sorted([*gaps, *clear], key=lambda e: e.start)


def _loud(levels: np.ndarray) -> bool:
    return bool(len(levels) and np.nanmax(np.where(np.isfinite(levels), levels, -120.0)) >= LOUD_DB)
