"""Shots and findings in the forms that editors and players read.

================  =====================================  ===========================================
form              of a :class:`ShotsDocument`            of a :class:`DiagnosisDocument`
================  =====================================  ===========================================
``csv``           one row per shot                       one row per finding
``otio``          one clip per shot                      one clip with a marker per finding and repair
``fcpxml``        one clip per shot (FCPXML 1.8)         one clip with a marker per finding and repair
``edl``           one event per shot (CMX 3600)          its shots
``chapters``      one chapter per shot (FFmetadata)      its shots
================  =====================================  ===========================================

A repair without a place in the film is in no list of markers; ``repair.json`` has all.

CSV and chapters carry seconds, to the microsecond. The others count frames: a time is the nearest multiple of
the frame period, exact for NTSC rates (30000/1001 and its kin), and the seconds are kept beside where the
form has a place for them. Time codes are non-drop: at 29.97 frames per second they run behind the clock by
3.6 s an hour, as editors expect of non-drop material.

Names and notes come from files and from people. They are put on one line, without control characters, and
escaped as the form asks; cells that a spreadsheet would take for a formula get an apostrophe.
"""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from fractions import Fraction
from urllib.parse import quote

from ..core.advice import Repair
from ..core.documents import DiagnosisDocument, Finding, Shot, ShotsDocument

Listed = ShotsDocument | DiagnosisDocument
Rate = Fraction | float

_NTSC_TOLERANCE = 0.005
_REPAIR_COLOR = "PURPLE"
_COLORS = {"problem": "RED", "warning": "YELLOW", "info": "GREEN"}
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DEFAULT_RATE = Fraction(24)


def exact_rate(fps: Rate) -> Fraction:
    """Frames per second as a fraction; a float near an NTSC rate is that rate: 29.97 is 30000/1001."""
    if isinstance(fps, Fraction):
        return fps
    nominal = round(fps)
    ntsc = Fraction(nominal * 1000, 1001)
    if nominal % 6 == 0 and abs(fps - ntsc) < _NTSC_TOLERANCE:
        return ntsc
    return Fraction(fps).limit_denominator(1001)


def write_list(document: Listed, form: str, fps: Rate | None = None, *, media: str | None = None) -> str:
    """The shots or findings of ``document`` in one of :data:`FORMS`.

    ``fps`` is the film's rate (default: what the document tells, else frames by duration). ``media`` is the
    path of the film as it should stand in the list. Raises ``KeyError`` for another form.
    """
    listing = _Listing(document, exact_rate(fps) if fps else _rate_of(document), media)
    return FORMS[form](listing)


class _Listing:
    """What all forms need of a document."""

    def __init__(self, document: Listed, rate: Fraction, media: str | None) -> None:
        self.rate = rate
        self.shots: Sequence[Shot] = document.shots
        self.findings: Sequence[Finding] | None = None
        self.repairs: Sequence[Repair] = ()
        if isinstance(document, DiagnosisDocument):
            self.findings = document.findings
            self.repairs = [r for r in document.repair if r.start is not None]
            media = media or document.video.path
            start, duration = document.video.start or 0.0, document.video.duration
        else:
            start, duration = self.shots[0].start if self.shots else 0.0, document.duration
        self.media = one_line(media or "film")
        self.name = self.media.replace("\\", "/").rsplit("/", 1)[-1]
        self.start = self.frame(start)
        self.end = max(self.frame(start + duration), self.start + 1)

    def frame(self, seconds: float) -> int:
        """The frame nearest to a time."""
        return round(Fraction(seconds) * self.rate)

    def span(self, start: float, end: float) -> tuple[int, int]:
        """First frame and number of frames, at least one."""
        first = self.frame(start)
        return first, max(1, self.frame(end) - first)


def _rate_of(document: Listed) -> Fraction:
    if isinstance(document, DiagnosisDocument):
        stated, frames, duration = document.video.fps, document.video.frames, document.video.duration
        if stated:
            return exact_rate(stated)
    else:
        frames, duration = document.frames, document.duration
    return exact_rate(frames / duration) if frames > 1 and duration > 0 else _DEFAULT_RATE


def one_line(text: str) -> str:
    """Text without control characters and what XML cannot hold, white space joined to single blanks."""
    return " ".join(_NOT_XML.sub(" ", text).split())


def _cell(text: str) -> str:
    plain = one_line(text)
    return f"'{plain}" if plain[:1] in ("=", "+", "-", "@") else plain


def _seconds(value: float) -> str:
    return f"{value:.6f}"


def _csv(listing: _Listing) -> str:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    if listing.findings is None:
        table.writerow(["index", "start", "end", "first_frame", "last_frame"])
        for s in listing.shots:
            table.writerow([s.index, _seconds(s.start), _seconds(s.end), s.first_frame, s.last_frame])
        return out.getvalue()
    table.writerow(["id", "kind", "severity", "start", "end", "checkpoint", "shot", "what"])
    for f in listing.findings:
        shot = "" if f.shot is None else f.shot
        row = [_cell(f.id), _cell(f.kind), f.severity, _seconds(f.start), _seconds(f.end)]
        table.writerow([*row, _cell(f.checkpoint or ""), shot, _cell(f.what)])
    return out.getvalue()


def _timecode(frame: int, rate: Fraction) -> str:
    nominal = max(1, round(rate))
    seconds, frames = divmod(max(0, frame), nominal)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}:{frames:02d}"


def _edl(listing: _Listing) -> str:
    lines = [f"TITLE: {listing.name}", "FCM: NON-DROP FRAME", ""]
    for number, shot in enumerate(listing.shots, 1):
        first, count = listing.span(shot.start, shot.end)
        span = f"{_timecode(first, listing.rate)} {_timecode(first + count, listing.rate)}"
        lines += [
            f"{number:03d}  AX       V     C        {span} {span}",
            f"* FROM CLIP NAME: {listing.name}",
            f"* LONGTAKE FPS: {listing.rate}",
            f"* LONGTAKE SECONDS: {_seconds(shot.start)} {_seconds(shot.end)}",
        ]
    return "\n".join(lines) + "\n"


def _otio(listing: _Listing) -> str:
    import opentimelineio as otio

    rate = float(listing.rate)

    def span(first: int, count: int) -> otio.opentime.TimeRange:
        return otio.opentime.TimeRange(
            otio.opentime.RationalTime(first, rate), otio.opentime.RationalTime(count, rate)
        )

    def clip(name: str, first: int, count: int) -> otio.schema.Clip:
        reference = otio.schema.ExternalReference(
            target_url=quote(listing.media), available_range=span(listing.start, listing.end - listing.start)
        )
        return otio.schema.Clip(name=name, media_reference=reference, source_range=span(first, count))

    timeline = otio.schema.Timeline(name=listing.name)
    track = otio.schema.Track(name="film", kind=otio.schema.TrackKind.Video)
    timeline.tracks.append(track)
    if listing.findings is None:
        for shot in listing.shots:
            item = clip(f"shot {shot.index + 1}", *listing.span(shot.start, shot.end))
            item.metadata["longtake"] = {"start": shot.start, "end": shot.end}
            track.append(item)
    else:
        film = clip(listing.name, listing.start, listing.end - listing.start)
        for f in listing.findings:
            marker = otio.schema.Marker(
                name=one_line(f.what),
                marked_range=span(*listing.span(f.start, f.end)),
                color=_COLORS[f.severity],
                metadata={"longtake": {"id": f.id, "kind": f.kind, "checkpoint": f.checkpoint}},
            )
            film.markers.append(marker)
        for r in listing.repairs:
            start, end = r.start or 0.0, r.end or r.start or 0.0
            marker = otio.schema.Marker(
                name=one_line(r.directive),
                marked_range=span(*listing.span(start, end)),
                color=_REPAIR_COLOR,
                metadata={"longtake": {"kind": "repair", "action": r.action, "checkpoint": r.checkpoint}},
            )
            film.markers.append(marker)
        track.append(film)
    text: str = otio.adapters.write_to_string(timeline, "otio_json")
    return text + "\n"


def _fcpxml(listing: _Listing) -> str:
    def time(frames: int) -> str:
        seconds = frames / listing.rate
        return f"{seconds}s"

    length = time(listing.end - listing.start)
    root = ET.Element("fcpxml", version="1.8")
    resources = ET.SubElement(root, "resources")
    ET.SubElement(resources, "format", id="r1", frameDuration=time(1))
    asset = {"id": "r2", "name": listing.name, "src": quote(listing.media), "format": "r1", "hasVideo": "1"}
    ET.SubElement(resources, "asset", asset | {"start": time(listing.start), "duration": length})
    event = ET.SubElement(ET.SubElement(root, "library"), "event", name="longtake")
    project = ET.SubElement(event, "project", name=listing.name)
    sequence = ET.SubElement(project, "sequence", format="r1", duration=length, tcStart="0s", tcFormat="NDF")
    spine = ET.SubElement(sequence, "spine")

    def clip(name: str, first: int, count: int) -> ET.Element:
        place = {"offset": time(first - listing.start), "start": time(first), "duration": time(count)}
        return ET.SubElement(spine, "asset-clip", {"ref": "r2", "name": name} | place)

    if listing.findings is None:
        for shot in listing.shots:
            clip(f"shot {shot.index + 1}", *listing.span(shot.start, shot.end))
    else:
        film = clip(listing.name, listing.start, listing.end - listing.start)
        for f in listing.findings:
            first, count = listing.span(f.start, f.end)
            note = " ".join(x for x in (f.severity, f.kind, f.checkpoint) if x)
            marks = {"start": time(first), "duration": time(count), "value": one_line(f.what)}
            ET.SubElement(film, "marker", marks | {"note": one_line(note)})
        for r in listing.repairs:
            start, end = r.start or 0.0, r.end or r.start or 0.0
            first, count = listing.span(start, end)
            marks = {"start": time(first), "duration": time(count), "value": one_line(r.directive)}
            ET.SubElement(film, "marker", marks | {"note": one_line(f"repair {r.action} {r.checkpoint}")})
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n{body}\n'


def _chapters(listing: _Listing) -> str:
    lines = [";FFMETADATA1"]
    for shot in listing.shots:
        start, end = (round(x * 1_000_000) for x in (shot.start, shot.end))
        title = f"title=shot {shot.index + 1}"
        lines += ["[CHAPTER]", "TIMEBASE=1/1000000", f"START={start}", f"END={end}", title]
    return "\n".join(lines) + "\n"


FORMS: dict[str, Callable[[_Listing], str]] = {
    "csv": _csv,
    "edl": _edl,
    "otio": _otio,
    "fcpxml": _fcpxml,
    "chapters": _chapters,
}
"""Forms by name. File names end in ``.csv``, ``.edl``, ``.otio``, ``.fcpxml`` and ``.txt``."""
