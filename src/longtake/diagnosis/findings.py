"""Everything worth a look, on one time line: evidence of rules, plan against film, events of signals."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from ..core.documents import CheckpointResult, Finding, ReportMetric, Shot
from ..core.measurement import Evidence
from ..core.signal import Event, Signals
from .plan import SHOT_COUNT, MismatchKind, Plan, planned_name

Severity = Literal["info", "warning", "problem"]

PROBLEM_BELOW = 0.4
"""Evidence of a checkpoint with grade F is a problem ..."""
WARNING_BELOW = 0.85
"""... below grade A a warning, else something to know."""
MOST_PER_KIND = 60
"""Events of one kind that are listed, the largest first; the rest is counted in one finding."""
LEAST_TEXTS, WORST_SHARE = 4, 0.9
"""Texts to be compared in a shot for a proxy's hint, and the share of the others that fit better."""
SAME_S = 0.02
"""A signal's event whose ends are this close to a rule's evidence is the same thing."""

MISMATCH_SEVERITY: dict[MismatchKind, Severity] = {
    "missing_planned_shot": "problem",
    "unmatched_shot": "warning",
    "shifted_shot": "warning",
    "extra_cuts": "info",
    "shot_count": "warning",
    "film_longer": "info",
    "film_shorter": "warning",
}
COUNTED: tuple[MismatchKind, ...] = ("missing_planned_shot", "unmatched_shot", "extra_cuts")
"""Differences that, where they are told, tell why the number of shots differs."""
EVENT_SEVERITY: dict[str, Severity] = {
    "flash": "warning",
    "freeze": "warning",
    "duplicate": "info",
    "jump": "warning",
    "flicker": "warning",
    "pump": "warning",
    "black": "info",
    "letterbox": "info",
    "silence": "info",
    "clipping": "warning",
    "dropout": "warning",
    "click": "info",
    "gap": "warning",
    "damaged": "warning",
    "damaged_sound": "warning",
}
"""Kinds of event that a person may want to see. Onsets and beats are not among them."""


def findings_of(
    points: Sequence[CheckpointResult],
    metrics: Sequence[ReportMetric],
    plan: Plan | None,
    signals: Signals,
    shots: Sequence[Shot],
) -> list[Finding]:
    """All findings in time order, each with an id that depends on nothing but what it says and where."""
    made = [*_mismatches(plan, points), *_evidence(points, metrics, plan)]
    taken = [(f.start, f.end) for f in made]
    made += [*_events(signals, taken), *_hints(plan, signals)]
    starts = [s.start for s in shots]
    placed = []
    seen: Counter[str] = Counter()
    for found in sorted(made, key=lambda f: (f.start, f.end, f.kind, f.what)):
        at = bisect_right(starts, found.start) - 1
        shot = found.shot if found.shot is not None else shots[at].index if at >= 0 else None
        seen[found.id] += 1
        name = found.id if seen[found.id] == 1 else f"{found.id}-{seen[found.id]}"
        placed.append(found.model_copy(update={"id": name, "shot": shot}))
    return placed


def _finding(
    kind: str, severity: Severity, start: float, end: float, what: str, checkpoint: str | None = None
) -> Finding:
    text = f"{kind}|{start:.3f}|{end:.3f}|{checkpoint}|{what}"
    name = f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    return Finding(
        id=name,
        kind=kind,
        severity=severity,
        start=start,
        end=max(start, end),
        what=what,
        checkpoint=checkpoint,
    )


def _evidence(
    points: Sequence[CheckpointResult], metrics: Sequence[ReportMetric], plan: Plan | None
) -> list[Finding]:
    """Spans of rules, less those about a thing of which the plan, or a rule before, tells."""
    found = []
    mismatches = plan.mismatches if plan else ()
    told = {m.about for m in mismatches} - {None}
    if any(m.kind in COUNTED for m in mismatches):
        told.add(SHOT_COUNT)
    results: list[CheckpointResult | ReportMetric] = [*points, *metrics]
    for result in results:
        severity = _severity(result.value)
        spans: Iterable[Evidence] = result.evidence
        found += [
            _finding(result.id, severity, e.start, e.end, e.what, result.id)
            for e in spans
            if e.about not in told
        ]
        told |= {e.about for e in spans} - {None}
    return found


def _severity(value: float | None) -> Severity:
    if value is None:
        return "warning"
    if value < PROBLEM_BELOW:
        return "problem"
    return "warning" if value < WARNING_BELOW else "info"


def _mismatches(plan: Plan | None, points: Sequence[CheckpointResult]) -> list[Finding]:
    """What the plan tells; as grave as the rule says that tells the same, and linked to it."""
    ruled = {
        e.about: point for point in points if point.authority == "measured" for e in point.evidence if e.about
    }
    found = []
    for m in plan.mismatches if plan else ():
        point = ruled.get(m.about or "")
        severity = _severity(point.value) if point else MISMATCH_SEVERITY[m.kind]
        made = _finding(m.kind, severity, m.start, m.end, m.what, point.id if point else None)
        found.append(made.model_copy(update={"shot": m.shot}))
    return found


def _events(signals: Signals, taken: Sequence[tuple[float, float]]) -> list[Finding]:
    by_kind: dict[str, list[Event]] = {}
    for name in signals.by_name:
        for event in signals[name].events if signals[name].usable else ():
            if event.kind in EVENT_SEVERITY and not _told(event, taken):
                by_kind.setdefault(event.kind, []).append(event)
    found = []
    for kind, events in by_kind.items():
        events.sort(key=lambda e: (-(e.end - e.start), -abs(e.value or 0.0), e.start))
        severity = EVENT_SEVERITY[kind]
        found += [_finding(kind, severity, e.start, e.end, e.what or kind) for e in events[:MOST_PER_KIND]]
        if rest := events[MOST_PER_KIND:]:
            span = (min(e.start for e in rest), max(e.end for e in rest))
            found.append(_finding(kind, "info", *span, f"{len(rest)} more of this kind are not listed"))
    return found


def _hints(plan: Plan | None, signals: Signals) -> list[Finding]:
    """Planned shots whose pictures fit nearly all other texts better than their own, by a text-picture proxy.

    A proxy scores nothing; that it sees something quite different is worth a look. What a real model sees is
    told by the rules.
    """
    seen = signals["text_picture"]
    if plan is None or not plan.aligned or not seen.usable or seen.facts.get("kind") != "proxy":
        return []
    times, texts, ranks = (np.asarray(seen.columns[n], np.float64) for n in ("time", "text", "rank"))
    found = []
    for shot in plan.shots:
        start, end = shot.measured_start, shot.measured_end
        if start is None or end is None:
            continue
        here = (times >= start) & (times < end) & np.isfinite(ranks)
        own = ranks[here & (texts == shot.index)]
        others = len(np.unique(texts[here])) - 1
        if len(own) and others >= LEAST_TEXTS - 1 and own.mean() - 1 >= WORST_SHARE * others:
            what = f"may show something else than the text of {planned_name(shot.index)}: a proxy's hint"
            found.append(_finding("unlike_text", "info", start, end, what))
    return found


def _told(event: Event, taken: Sequence[tuple[float, float]]) -> bool:
    return any(abs(a - event.start) <= SAME_S and abs(b - event.end) <= SAME_S for a, b in taken)
