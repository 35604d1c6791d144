"""What follows from a diagnosis: the plan of repair, the profile's view, the earlier version."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longtake.core.advice import Comparison, PointChange, Repair
from longtake.core.documents import DiagnosisDocument, RepairDocument, Shot

from . import judged, words
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
TOLD = ("mended", "broken", "better", "worse", "appeared", "vanished")
"""Changes that are listed; the others are folded."""
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
        "steps": steps(document, limits.findings),
        "todo": todo(document, axis, limits.findings),
        "repair_uri": download(document),
        "repair_name": download_name(document),
    }


def todo(document: DiagnosisDocument, axis: Axis, most: int) -> list[Mark]:
    """The repairs that have a place, as a row of the time line."""
    placed = [(r, r.start) for r in document.repair[:most] if r.start is not None]
    return stacked(
        [axis.mark(at, r.end or at, words.one_line(r.directive, 160), ACTIONS[r.action]) for r, at in placed]
    )


@dataclass(frozen=True)
class Step:
    """One repair and the shots that a reader may jump to."""

    repair: Repair
    action: str
    shots: list[Shot]


def steps(document: DiagnosisDocument, most: int) -> list[Step]:
    """The first repairs of the plan, each with its shots."""
    by_index = {s.index: s for s in document.shots}
    return [
        Step(r, ACTIONS.get(r.action, words.words(r.action)), [by_index[i] for i in r.shots if i in by_index])
        for r in document.repair[:most]
    ]


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
class Against:
    """The earlier version: what is listed, what is folded, and how many of each."""

    comparison: Comparison
    told: list[PointChange]
    folded: list[tuple[str, list[PointChange]]]
    counts: str


def against(document: DiagnosisDocument) -> Against | None:
    """What became of the earlier version, most telling first."""
    found = document.against
    if found is None:
        return None
    order = {name: i for i, name in enumerate(CHANGES)}
    ranked = sorted(found.changes, key=lambda c: order[c.change])
    folded = [(name, [c for c in ranked if c.change == name]) for name in CHANGES if name not in TOLD]
    return Against(
        found, [c for c in ranked if c.change in TOLD], [f for f in folded if f[1]], counted(found.changes)
    )


def counted(changes: Sequence[PointChange]) -> str:
    """``2 mended, 1 broken, 30 the same``, of checkpoints and report-level metrics."""
    n: Counter[str] = Counter(c.change for c in changes if c.kind in ("checkpoint", "report_metric"))
    return ", ".join(f"{n[name]} {said.lower()}" for name, said in CHANGES.items() if n[name])


def download_name(document: DiagnosisDocument) -> str:
    """A file name for the plan."""
    stem = words.file_name(document.video.path).rsplit(".", 1)[0]
    safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in stem)[:60].strip("-")
    return f"{safe or 'film'}-repair.json"
