"""What a rule is, and the small steps that all rules share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.documents import CleanRange
from ...core.measurement import Evidence, Measurement
from ...core.signal import Event
from ..facts import Facts

MOST_EVIDENCE = 24
"""Spans listed per measurement; the count of all is among its facts."""
Numbers = NDArray[np.float64]
Fact = float | int | str | bool | None
Function = Callable[[Facts], Measurement]


@dataclass(frozen=True)
class Rule:
    """A checkpoint's offline function.

    ``function`` is pure: facts in, a measurement out. ``needs`` are all signals that it reads, and the share
    of them that is there bounds its confidence; ``must`` those of them without which it cannot speak.
    ``clean`` is what it gives on clean real footage, ``separation`` the chance that a clean clip gets
    a higher value than one damaged in the way it looks for (ties count half), both from its controls
    (``benchmarks/rule_controls.py``).
    """

    checkpoint: str
    function: Function
    needs: tuple[str, ...]
    must: tuple[str, ...]
    clean: CleanRange | None
    separation: float


def scored(name: str, value: float, evidence: Iterable[Evidence] = (), **facts: Fact) -> Measurement:
    """A value in [0, 1] (clipped), with evidence in time order, the first :data:`MOST_EVIDENCE` of it."""
    spans = sorted(evidence, key=lambda e: e.start)
    return Measurement(
        name=name,
        status="scored",
        value=round(min(1.0, max(0.0, value)), 4),
        evidence=spans[:MOST_EVIDENCE],
        facts=_plain(facts),
    )


def as_sure_as(answer: Measurement, tools: float) -> Measurement:
    """The answer with how far (0 to 1) the models beneath are to be trusted; its confidence falls so."""
    return answer.model_copy(update={"confidence": round(min(1.0, max(0.0, tools)), 4)})


def unscored(name: str, reason: str, evidence: Iterable[Evidence] = (), **facts: Fact) -> Measurement:
    """No value, because something is missing."""
    spans = sorted(evidence, key=lambda e: e.start)[:MOST_EVIDENCE]
    return Measurement(name=name, status="unscored", reason=reason, evidence=spans, facts=_plain(facts))


def not_applicable(name: str, reason: str, **facts: Fact) -> Measurement:
    """No value, because the question does not arise."""
    return Measurement(name=name, status="not_applicable", reason=reason, facts=_plain(facts))


def too_short(name: str, facts: Facts) -> Measurement | None:
    """An unscored measurement if a film is too short to tell its course from what it shows."""
    if facts.film.duration < WHOLE_FILM_S:
        why = f"a film under {WHOLE_FILM_S:.0f} s is too short to tell a drift from what it shows"
        return unscored(name, why)
    return None


def too_brief(name: str, facts: Facts) -> Measurement | None:
    """An unscored measurement if a film is too brief for anything to change or to happen in it."""
    if facts.film.frames < 2:
        return unscored(name, "a single picture has no course")
    if facts.film.duration < LEAST_FILM_S:
        return unscored(name, f"a film under {LEAST_FILM_S:g} s is too short to tell a fault from chance")
    return None


def missing(name: str, facts: Facts, *signals: str) -> Measurement | None:
    """An unscored measurement if one of these signals cannot be read, else nothing."""
    for signal in signals:
        if signal not in facts.signals:
            why = facts.signals[signal].reason or "it was not measured"
            return unscored(name, f"no {signal} signal: {why}")
    return None


def falling(x: float, good: float, bad: float) -> float:
    """1 up to ``good``, 0 from ``bad``, straight between; ``good < bad``."""
    return float(np.clip((bad - x) / (bad - good), 0.0, 1.0))


def span(event: Event, what: str | None = None) -> Evidence:
    """An event as evidence."""
    return Evidence(start=event.start, end=max(event.end, event.start), what=what or event.what or event.kind)


def column(facts: Facts, signal: str, name: str) -> Numbers:
    """A numeric column; empty where the signal does not have it."""
    return np.asarray(facts.signals[signal].columns.get(name, ()), np.float64)


LEAST_FILM_S = 1.0
"""Below this there is at most one row of the picture and no steady swing: nothing of a course is measured."""
WHOLE_FILM_S = 20.0
"""A film shorter than this has no course of its own: a camera that draws near or a subject that turns moves
colour and sharpness as much as a loss would (clean 8_footage of 6 to 12 s, half A)."""
RISEN = 0.95
"""Share of a shot's median brightness at which a fade from or to black is over."""


def lit(facts: Facts, name: str) -> Numbers:
    """A column of ``picture`` with NaN in black seconds and in the fades next to them.

    A fade from or to black is meant; nothing in it tells of exposure, colour or loss of quality. It reaches
    from the black second to where the shot has most of its median brightness.
    """
    values = column(facts, "picture", name).copy()
    times, luma = column(facts, "picture", "time"), column(facts, "picture", "luma")
    black = np.zeros(len(times), bool)
    for event in facts.signals["picture"].events_of("black"):
        black |= (times > event.start - 1) & (times < event.end + 1e-6)
    out = black.copy()
    for start, end in shot_spans(facts):
        inside = np.flatnonzero((times >= start) & (times < end))
        if not len(inside) or not black[inside].any() or black[inside].all():
            continue
        risen = luma[inside] >= RISEN * np.median(luma[inside][~black[inside]])
        if risen.any():
            full = np.flatnonzero(risen)
            first, last = inside[full[0]], inside[full[-1]]
            if black[inside[: full[0] + 1]].any():
                out[inside[0] : first] = True
            if black[inside[full[-1] :]].any():
                out[last + 1 : inside[-1] + 1] = True
    values[out] = np.nan
    return values


def in_black(facts: Facts, event: Event) -> bool:
    """Whether most of an event lies in black: a black picture stands still and repeats, and means to."""
    black = facts.signals["picture"].events_of("black")
    shared = sum(max(0.0, min(b.end, event.end) - max(b.start, event.start)) for b in black)
    return shared >= 0.5 * max(event.end - event.start, 1e-9)


def shot_spans(facts: Facts) -> list[tuple[float, float]]:
    """Start and end of every measured shot; the whole film where there are none."""
    spans = list(zip(column(facts, "shots", "start"), column(facts, "shots", "end"), strict=True))
    return [(float(a), float(b)) for a, b in spans] or [(facts.start, facts.end)]


def deciles(times: Numbers, values: Numbers, start: float, duration: float, parts: int = 10) -> Numbers:
    """Median of ``values`` in each of ``parts`` equal parts of the film; NaN where a part has none."""
    place = np.clip(((times - start) / max(duration, 1e-9) * parts).astype(int), 0, parts - 1)
    good = np.isfinite(values)
    return np.array(
        [
            np.median(values[good & (place == i)]) if (good & (place == i)).any() else np.nan
            for i in range(parts)
        ]
    )


def trend(values: Numbers) -> tuple[float, float, float]:
    """Total change along a series, its rank agreement with time, and the scatter about the change.

    The change is the median of all pairwise slopes (Theil 1950, Sen 1968) times the length; the agreement
    Kendall's tau in [-1, 1]; the scatter the median absolute deviation. NaN are left out; NaN with under 4.
    """
    at = np.flatnonzero(np.isfinite(values)).astype(np.float64)
    y = values[np.isfinite(values)]
    if len(y) < 4:
        return float("nan"), float("nan"), float("nan")
    i, j = np.triu_indices(len(y), 1)
    slope = float(np.median((y[j] - y[i]) / (at[j] - at[i])))
    rest = y - slope * at
    tau = float(np.sign(y[j] - y[i]).mean())
    return slope * (len(values) - 1), tau, float(np.median(np.abs(rest - np.median(rest))))


def _plain(facts: dict[str, Fact]) -> dict[str, Fact]:
    return {k: _number(v) for k, v in facts.items()}


def _number(value: Fact) -> Fact:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, float):
        return round(plain, 5) if np.isfinite(plain) else None
    return plain
