"""What follows from a diagnosis: the plan of repair, the profile's view, the earlier version."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longtake.core.advice import Comparison, PointChange, Repair
from longtake.core.documents import (
    CheckpointResult,
    DiagnosisDocument,
    RepairDocument,
    ReportMetric,
    Shot,
)

from . import judged, words
from .reasons import reason
from .view import Axis, Limits, Mark, stacked

ACTIONS = {
    "regenerate": "Regenerate",
    "regenerate_character": "Regenerate a person",
    "bridge": "Bridge",
    "retime": "Re-time",
    "recut": "Cut anew",
    "relight": "Relight",
    "regrade": "Regrade",
    "rerecord": "Record anew",
    "remix": "Remix",
    "resync": "Synchronise",
    "rewrite": "Rewrite",
    "extend": "Extend",
    "trim": "Trim",
    "review": "Have a look",
}
"""What to do, for people."""
CHANGES = {
    "mended": "Mended",
    "broken": "Broken",
    "better": "Better",
    "worse": "Worse",
    "appeared": "Newly scored",
    "vanished": "No longer scored",
    "not_comparable": "Not comparable",
    "same": "The same",
}
"""What became of a result, in the order in which it is told."""
TOLD = ("mended", "broken", "better", "worse", "vanished")
"""Changes that are listed; the others are folded."""
LISTED = 8
"""Changes that are listed at once, besides every result that was mended or broken; more are folded."""
RESULTS = ("checkpoint", "report_metric")
"""Kinds of changes that are answers; the others are means of them and told after them."""
FIRST = 5
"""Weak points that are shown at once."""
ADDED = re.compile(r" (?=(?:Found|The judge|Planned there|Aim|Look before acting): )")
"""Where a directive goes on from what to do to why; both are shown, the second folded."""
LEAD = 240
"""Signs of what to do that are shown at once."""
WHOLE = 0.95
"""A repair over this share of the film is about all of it and no block of the time line."""
MOST_EMBEDDED = 600_000
"""Bytes of the plan as JSON that a report holds; a longer one is beside it only."""
ORIGINS = {"published": "published", "ours": "ours", "user": "yours"}


def advice(document: DiagnosisDocument, axis: Axis, limits: Limits) -> dict[str, Any]:
    """What the template needs of the judge and of all that follows from the results."""
    known = {c.id for c in document.checkpoints} | {m.id for m in document.report_metrics}
    return {
        "judge": judged.box(document),
        "interval": judged.interval(document),
        "eyes": eyes(document),
        "against": against(document),
        "changes": CHANGES,
        "known": known,
        "points": points(document, limits.findings),
        "first": FIRST,
        "single_draws": judged.single_draws(document),
        "todo": todo(document, axis, limits.findings),
        "repair_uri": download(document),
        "repair_name": download_name(document),
    }


def todo(document: DiagnosisDocument, axis: Axis, most: int) -> list[Mark]:
    """The repairs that have a place, as a row of the time line."""
    placed = [
        (r, r.start)
        for r in document.repair[:most]
        if r.start is not None and (r.end or r.start) - r.start < WHOLE * axis.span
    ]
    return stacked(
        [axis.mark(at, r.end or at, words.one_line(r.directive, 160), ACTIONS[r.action]) for r, at in placed]
    )


@dataclass(frozen=True)
class Step:
    """One repair: what to do, why, and the shots that a reader may jump to."""

    repair: Repair
    action: str
    lead: str
    rest: str
    shots: list[Shot]


@dataclass(frozen=True)
class Point:
    """One weak result with what to do about it."""

    result: CheckpointResult | ReportMetric
    steps: list[Step]


def points(document: DiagnosisDocument, most: int) -> list[Point]:
    """The weak results, worst first as the plan has them, each with its steps."""
    by_index = {s.index: s for s in document.shots}
    results: dict[str, CheckpointResult | ReportMetric] = {m.id: m for m in document.report_metrics}
    results |= {c.id: c for c in document.checkpoints}
    plan: dict[str, list[Step]] = {name: [] for name in document.bottlenecks if name in results}
    for repair in document.repair[:most]:
        if repair.checkpoint in results:
            plan.setdefault(repair.checkpoint, []).append(_step(repair, by_index))
    return [Point(results[name], steps) for name, steps in plan.items()]


def _step(repair: Repair, by_index: Mapping[int, Shot]) -> Step:
    lead, *rest = ADDED.split(repair.directive, maxsplit=1)
    cut = words.one_line(lead, LEAD)
    return Step(
        repair,
        ACTIONS.get(repair.action, words.words(repair.action)),
        cut,
        "".join(rest) if len(lead) <= LEAD else repair.directive,
        [by_index[i] for i in repair.shots if i in by_index],
    )


def download(document: DiagnosisDocument) -> str | None:
    """The plan as a data URI, for a download that needs no file beside the report; ``None`` if too long."""
    if not document.repair:
        return None
    text = RepairDocument.of(document).model_dump_json(by_alias=True, indent=1).encode()
    if len(text) > MOST_EMBEDDED:
        return None
    return "data:application/json;base64," + base64.b64encode(text).decode("ascii")


@dataclass(frozen=True)
class Weighed:
    """What the profile weighs: a dimension, its weight, who set it, its score."""

    dimension: str
    weight: float | None
    origin: str
    value: float | None


@dataclass(frozen=True)
class Eyes:
    """Through whose eyes: weights from the heaviest, traits that shape words, and both overall scores."""

    weighed: list[Weighed]
    traits: list[tuple[str, str]]
    stressed: str
    before: float | None
    after: float | None
    violated: int


def eyes(document: DiagnosisDocument) -> Eyes:
    """The profile's view of this film."""
    profile: Mapping[str, Any] = document.profile
    weights = profile.get("weights") or {}
    origin = profile.get("origin") or {}
    weighed = [
        Weighed(
            d,
            weights.get(d),
            ORIGINS.get(origin.get(d, ""), ""),
            document.dimensions[d].value if d in document.dimensions else None,
        )
        for d in sorted(weights, key=lambda d: -weights[d])
    ]
    if weights and "stability" in document.dimensions:
        weighed.append(Weighed("stability", None, "", document.dimensions["stability"].value))
    return Eyes(
        weighed,
        _traits(profile),
        _stressed(weights),
        document.overall_without_penalty.value,
        document.overall.value,
        sum(c.status == "violated" for c in document.constraints),
    )


def _traits(profile: Mapping[str, Any]) -> list[tuple[str, str]]:
    taste = profile.get("taste") or {}
    said = ", ".join(f"{words.plain(k).replace('_', ' ')} {words.number(v)}" for k, v in taste.items())
    traits = (("Expertise", profile.get("expertise")), ("Style", profile.get("style")), ("Taste", said))
    return [(name, words.one_line(value, 300)) for name, value in traits if value]


def _stressed(weights: Mapping[str, float]) -> str:
    """In which order the summary tells what is weak."""
    if len(set(weights.values())) < 2:
        return "All dimensions weigh the same, so the summary stresses none."
    names = [words.dimension(d) for d in sorted(weights, key=lambda d: -weights[d])]
    return f"The summary tells what is weak in this order: {', '.join(names)}."


@dataclass(frozen=True)
class Row:
    """One change; its reason stands in ``why``, or with others' under the number ``note``."""

    change: PointChange
    why: str
    note: int | None


@dataclass(frozen=True)
class Against:
    """The earlier version: what is listed, what is folded, how many of each, and reasons of several.

    ``more`` goes on behind ``told``; ``folded`` is the rest by what became of it.
    """

    comparison: Comparison
    told: list[Row]
    more: list[Row]
    folded: list[tuple[str, list[Row]]]
    counts: str
    notes: list[tuple[int, str]]


def against(document: DiagnosisDocument) -> Against | None:
    """What became of the earlier version, most telling first."""
    found = document.against
    if found is None:
        return None
    order = {name: i for i, name in enumerate(CHANGES)}
    ranked = sorted(found.changes, key=lambda c: (c.kind not in RESULTS, order[c.change]))
    often = Counter(_why(c) for c in ranked if c.change in TOLD)
    notes = [why for why, n in often.items() if why and n > 1]
    rows = [_row(c, notes) for c in ranked]
    folded = [(name, [r for r in rows if r.change.change == name]) for name in CHANGES if name not in TOLD]
    told = [r for r in rows if r.change.change in TOLD]
    crossed = sum(c.kind in RESULTS and c.change in ("mended", "broken") for c in ranked)
    most = max(LISTED, crossed)
    return Against(
        found,
        told[:most],
        told[most:],
        [f for f in folded if f[1]],
        counted(found.changes),
        [(often[why], why) for why in notes],
    )


def _row(change: PointChange, notes: Sequence[str]) -> Row:
    why = _why(change)
    return Row(change, "", notes.index(why) + 1) if why in notes else Row(change, why, None)


def _why(change: PointChange) -> str:
    """The reason of a change, and of which version it is where only one has a value."""
    why = reason(change.reason)
    side = {"appeared": "not scored before: ", "vanished": "not scored now: "}.get(change.change, "")
    return side + why if why else ""


def counted(changes: Sequence[PointChange]) -> str:
    """``2 mended, 1 broken, 30 the same``, of checkpoints and report-level metrics."""
    n: Counter[str] = Counter(c.change for c in changes if c.kind in RESULTS)
    return ", ".join(f"{n[name]} {said.lower()}" for name, said in CHANGES.items() if n[name])


def download_name(document: DiagnosisDocument) -> str:
    """A file name for the plan."""
    stem = words.file_name(document.video.path).rsplit(".", 1)[0]
    safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in stem)[:60].strip("-")
    return f"{safe or 'film'}-repair.json"
