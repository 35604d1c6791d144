"""Turns ``ReportData`` into what the template prints: groups, places on the time line, bounded lists."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from longtake.core.documents import (
    DIMENSIONS,
    CheckpointResult,
    DiagnosisDocument,
    Finding,
    Shot,
    SubmetricResult,
)

from . import charts, reasons, words
from .data import ReportData, Thumbnail
from .missing import missing_said

WINDOWS_DRIVE = re.compile(r"^[A-Za-z]:/")
SEVERITY_ORDER = ("problem", "warning", "info")
MARK_ROWS = 4
MARK_LEAST = 2.0  # per cent: a mark is at least 10 px wide, on a phone of about 350 px more than this
FRAME_SLACK = (
    0.1  # frames by which a time may miss a frame and still be that frame's own (times have 3 digits)
)
GROUPS_SAID = 6


@dataclass(frozen=True)
class Limits:
    """How much of a long list a report shows; the JSON beside it always has everything."""

    findings: int
    shots: int
    evidence: int
    text: int
    people: int
    appearances: int
    portraits: int
    words: int
    texts: int


@dataclass(frozen=True)
class Mark:
    """Something with a place on the time line, in per cent of its width."""

    left: float
    width: float
    start: float
    end: float
    label: str
    item: Any = None
    row: int = 0


@dataclass(frozen=True)
class Axis:
    """The span of the time line in film seconds."""

    start: float
    end: float

    @property
    def span(self) -> float:
        """Length in seconds, never 0."""
        return max(self.end - self.start, 1e-3)

    def mark(self, start: float, end: float, label: str, item: Any = None) -> Mark:
        """A mark for the span, cut to the axis."""
        low = min(max(start, self.start), self.end)
        high = min(max(end, low), self.end)
        left, width = (low - self.start) / self.span, (high - low) / self.span
        return Mark(round(100 * left, 4), round(100 * width, 4), start, end, label, item)

    def ticks(self) -> list[Mark]:
        """About ten round times."""
        step = charts.tick_step(self.span)
        first = int(-(-self.start // step))
        times = [i * step for i in range(first, int(self.end // step) + 1)]
        return [self.mark(t, t, words.clock(t)) for t in times]


def axis_of(document: DiagnosisDocument) -> Axis:
    """The span that was looked at, on the film's own clock."""
    video = document.video
    start = video.start or 0.0
    last = max((s.end for s in document.shots), default=start + video.duration)
    return Axis(start, video.end if video.end is not None else max(last, start + 1e-3))


def url_of(path: str) -> str:
    """A path of the film as a URL that can only mean that file: no scheme, host, query or fragment."""
    slashes = path.replace("\\", "/")
    text = slashes if WINDOWS_DRIVE.match(slashes) else path
    if WINDOWS_DRIVE.match(text):
        return "file:///" + text[:2] + quote(text[2:], safe="/", errors="surrogateescape")
    escaped = quote(text, safe="/", errors="surrogateescape")
    return "/" + escaped.lstrip("/") if text.startswith("/") else "./" + escaped


def stacked(marks: Sequence[Mark], least: float = MARK_LEAST) -> list[Mark]:
    """The marks in rows, so that none covers another; past ``MARK_ROWS`` rows the one free first is used.

    ``least`` is the width, in per cent, that a mark takes at least.
    """
    free = [0.0] * MARK_ROWS
    placed = []
    for mark in sorted(marks, key=lambda m: (m.left, -m.width)):
        row = next((i for i, end in enumerate(free) if end <= mark.left), None)
        row = free.index(min(free)) if row is None else row
        free[row] = max(free[row], mark.left + max(mark.width, least))
        placed.append(replace(mark, row=row))
    return placed


class Frames:
    """Frame numbers of times, told only where they are exact."""

    def __init__(self, document: DiagnosisDocument) -> None:
        self._fps = document.video.fps or 0.0
        self._known = {round(s.start, 3): s.first_frame for s in document.shots}
        self._steady = self._fps > 0 and bool(document.shots) and all(map(self._even, document.shots))
        self._last = document.shots[-1].last_frame if document.shots else 0
        self._anchor = document.shots[0] if document.shots else None

    def _even(self, shot: Shot) -> bool:
        counted = shot.last_frame - shot.first_frame + 1
        return abs((shot.end - shot.start) * self._fps - counted) < FRAME_SLACK

    def at(self, time: float) -> int | None:
        """The frame shown from ``time`` on; ``None`` unless a shot begins there or the rate is steady."""
        if (known := self._known.get(round(time, 3))) is not None:
            return known
        if not self._steady or self._anchor is None:
            return None
        place = (time - self._anchor.start) * self._fps
        frame = self._anchor.first_frame + round(place)
        exact = abs(place - round(place)) < FRAME_SLACK and self._anchor.first_frame <= frame <= self._last
        return frame if exact else None


@dataclass(frozen=True)
class Group:
    """A sub-metric with its checkpoints."""

    submetric: SubmetricResult
    checkpoints: list[CheckpointResult]

    @property
    def scored(self) -> list[CheckpointResult]:
        """Those with a value."""
        return [c for c in self.checkpoints if c.status == "scored"]

    @property
    def folded(self) -> list[CheckpointResult]:
        """Those without one, which a report folds."""
        return [c for c in self.checkpoints if c.status != "scored"]


def groups_of(document: DiagnosisDocument) -> dict[str, list[Group]]:
    """Dimension to its sub-metrics with their checkpoints, in the order of the document."""
    inside: dict[str, list[CheckpointResult]] = defaultdict(list)
    for checkpoint in document.checkpoints:
        inside[checkpoint.submetric].append(checkpoint)
    groups: dict[str, list[Group]] = {d: [] for d in DIMENSIONS}
    for submetric in document.submetrics:
        groups[submetric.dimension].append(Group(submetric, inside.get(submetric.id, [])))
    return {d: g for d, g in groups.items() if any(x.checkpoints for x in g)}


def shown_findings(findings: Sequence[Finding], limit: int) -> list[Finding]:
    """At most ``limit`` findings in time order; the least severe are left out first."""
    worst = sorted(findings, key=lambda f: (SEVERITY_ORDER.index(f.severity), f.start))[:limit]
    return sorted(worst, key=lambda f: (f.start, f.end))


def by_importance(thumbnails: Sequence[Thumbnail]) -> list[int]:
    """Indices of the thumbnails, most needed first: one per shot spread over the film, then the others."""
    first: dict[int, int] = {}
    for i, thumbnail in enumerate(thumbnails):
        first.setdefault(thumbnail.shot, i)
    leading = list(first.values())
    taken = set(leading)
    return _spread(leading) + _spread([i for i in range(len(thumbnails)) if i not in taken])


def _spread(items: list[int]) -> list[int]:
    """The same items in an order of which every beginning is spread evenly: halves, quarters, eighths."""
    bits = max(len(items) - 1, 1).bit_length()
    order = sorted(range(len(items)), key=lambda i: int(f"{i:0{bits}b}"[::-1], 2))
    return [items[i] for i in order]


def strip_of(
    document: DiagnosisDocument, thumbnails: Sequence[Thumbnail], limit: int
) -> list[dict[str, Any]]:
    """Frames of the strip: each thumbnail, and every shot without one as an empty frame."""
    shots = {s.index: s for s in document.shots}
    frames = [
        {"time": t.time, "shot": shots.get(t.shot), "thumbnail": t, "index": t.shot} for t in thumbnails
    ]
    seen = {t.shot for t in thumbnails}
    bare = [s for s in document.shots if s.index not in seen][: max(0, limit - len(frames))]
    frames += [{"time": s.start, "shot": s, "thumbnail": None, "index": s.index} for s in bare]
    frames.sort(key=lambda f: (f["index"], f["time"]))
    last = None
    for frame in frames:
        frame["first"], last = frame["index"] != last, frame["index"]
    return frames


def player_of(data: ReportData) -> dict[str, Any]:
    """Sources of the player, each a URL with its place on the film's clock; empty without a film."""
    duration = data.document.video.duration
    film = [{"url": url_of(p.path), "start": p.start, "duration": p.duration} for p in data.parts]
    if data.film is not None:
        film = [{"url": url_of(data.film), "start": 0.0, "duration": duration}]
    preview = (
        [{"url": url_of(data.preview), "start": data.preview_start, "duration": duration}]
        if data.preview
        else []
    )
    return {"attempts": [x for x in (preview, film) if x]}


def view(data: ReportData, thumbnails: Sequence[Thumbnail], limits: Limits) -> dict[str, Any]:
    """Everything the template needs, with ``thumbnails`` in place of all those of ``data``."""
    doc = data.document
    axis = axis_of(doc)
    findings = shown_findings(doc.findings, limits.findings)
    dimension_of = {c.id: c.dimension for c in doc.checkpoints}
    dimension_of |= {m.id: m.dimension for m in doc.report_metrics}
    marks = {
        severity: stacked(
            [
                axis.mark(f.start, f.end, words.one_line(f.what, 160), f)
                for f in findings
                if f.severity == severity
            ]
        )
        for severity in SEVERITY_ORDER
    }
    planned = doc.brief.shots if doc.brief else []
    return {
        "doc": doc,
        "axis": axis,
        "ticks": axis.ticks(),
        "title": (doc.brief.title if doc.brief and doc.brief.title else None)
        or words.file_name(doc.video.path),
        "summary": reasons.summary_of(doc),
        "frame_at": Frames(doc).at,
        "dimensions": [
            (d, doc.dimensions[d], reasons.rests_on(doc, d, doc.dimensions[d]))
            for d in DIMENSIONS
            if d in doc.dimensions
        ],
        "radar": radar_of(doc),
        "strip": strip_of(doc, thumbnails, limits.shots),
        "thumbnails_left_out": len(data.thumbnails) - len(thumbnails),
        "thumbnails_total": len(data.thumbnails),
        "shots": [axis.mark(s.start, s.end, f"Shot {s.index + 1}", s) for s in doc.shots[: limits.shots]],
        "transitions": [
            axis.mark(t.start, t.end, words.words(t.kind), t) for t in doc.transitions[: limits.shots]
        ],
        "planned": [
            axis.mark(p.start, p.end if p.end is not None else p.start, words.one_line(p.text, 160), p)
            for p in planned[: limits.shots]
            if p.start is not None
        ],
        "planned_shots": planned[: limits.shots],
        "marks": {s: m for s, m in marks.items() if m},
        "lanes": [(lane, charts.curve(lane, axis.start, axis.end)) for lane in data.lanes],
        "findings": [(f, dimension_of.get(f.checkpoint or "", "other")) for f in findings],
        "findings_left_out": len(doc.findings) - len(findings),
        "finding_dimensions": sorted({dimension_of.get(f.checkpoint or "", "other") for f in findings}),
        "groups": groups_of(doc),
        "levels": levels_of(doc),
        "unscored": missing_said(doc.checkpoints, GROUPS_SAID, "all are listed below"),
        "player": player_of(data),
        "film_name": data.preview or data.film or (data.parts[0].path if data.parts else None),
        "rubric": rubric_of(doc),
        "limits": limits,
    }


def rubric_of(document: DiagnosisDocument) -> dict[str, Any]:
    """Which rubric was used: its plain fields, and of its lists only how long they are."""
    return {k: len(v) if isinstance(v, list) else v for k, v in document.rubric.items()}


def levels_of(document: DiagnosisDocument) -> dict[str, list[str]]:
    """Texts of the levels of each checkpoint, worst first, where the document says them."""
    points = document.rubric.get("checkpoints")
    listed = [p for p in points if isinstance(p, dict)] if isinstance(points, list) else []
    return {str(p["id"]): list(p.get("levels") or ()) for p in listed if "id" in p}


def radar_of(document: DiagnosisDocument) -> Any:
    """The radar of the dimensions with a sentence for those who cannot see it."""
    axes = [
        (words.dimension(d), document.dimensions[d].value) for d in DIMENSIONS if d in document.dimensions
    ]
    said = ", ".join(f"{name} {'not scored' if v is None else words.share(v)}" for name, v in axes)
    return charts.radar(axes, f"Radar of the dimensions: {said}. The table beside it says the same.")
