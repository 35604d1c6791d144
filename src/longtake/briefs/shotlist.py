"""Reading a list of shots back, in any form that ``longtake shots`` writes."""

from __future__ import annotations

import csv
import json
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ..core.video import display_path
from ..errors import InputError
from .decode import read_small_text

_OVERLAP_S = 0.001
"""Shots may share this much, which is rounding."""
_MOST_NOTES = 20
_HINT = "Give a list as `longtake shots` writes it: JSON, or --format csv, edl, otio, fcpxml or chapters."
_EVENT = re.compile(r"^\s*\d+\s+\S+\s+\S+\s+C\s.*?((?:\d\d[:;]){3}\d\d)\s+((?:\d\d[:;]){3}\d\d)\s*$")
_RATIONAL = re.compile(r"^-?\d{1,18}(\.\d{1,18}|/0*[1-9]\d{0,17})?s?$")
_CLOCK = re.compile(r"^(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2}(?:\.\d{0,18})?)$")
_MOST_DIGITS = 40
"""Characters of a number in seconds; a longer one is no time."""


@dataclass(frozen=True)
class _Entry:
    """A shot as written: times in seconds, and where in the file it stands."""

    start: float
    end: float
    place: str


def read_shots(path: Path | str, *, fps: Fraction | float | None = None) -> list[tuple[float, float]]:
    """Start and end of every shot in seconds on the film's clock, in order.

    The form is told from the content, not from the name. ``fps`` is needed only for an EDL that longtake did
    not write. Raises :class:`InputError`, with the place, for a file that cannot be read, an empty list,
    times that are negative or run backwards, and shots that overlap or are not in order. Gaps are allowed.
    """
    file = Path(path)
    shown = display_path(file)
    text = read_small_text(file, "list of shots")
    reader = _reader_of(text)
    try:
        entries = list(_edl(text, fps) if reader is _edl else reader(text))
    except _Unreadable as e:
        raise InputError(f"The list of shots {shown} cannot be read: {e}.", hint=_HINT) from e
    return _checked(entries, shown)


def check_shots(spans: Sequence[tuple[float, float]], start: float, end: float, frame_s: float) -> list[str]:
    """Whether a list of shots (as :func:`read_shots` gives it) fits a film; notes on what is mended silently.

    ``start`` and ``end`` are where the film's pictures begin and end in seconds on its clock (of the whole
    film, not of a part that is selected); ``frame_s`` is how long one frame lasts. A shot may reach past the
    end by one frame, which is rounding. The notes name gaps that the shot before takes in (a cut is made at
    the start of every shot but the first) and shots shorter than a frame, at most ``_MOST_NOTES`` of them.

    Raises:
        InputError: a shot begins or ends past the film's end.
    """
    for number, (begins, ends) in enumerate(spans, 1):
        late = f"starts at {begins:.3f} s" if begins >= end else f"ends at {ends:.3f} s"
        if begins >= end or ends > end + frame_s + _OVERLAP_S:
            raise InputError(
                f"Shot {number} of the list {late}, but the film ends at {end:.3f} s.",
                hint="Check that the list belongs to this film, or mend it.",
            )
    notes: list[str] = []
    if spans and spans[0][0] - start > frame_s:
        notes.append(f"the film begins {spans[0][0] - start:.3f} s before shot 1; this is taken into shot 1")
    for number, (begins, ends) in enumerate(spans, 1):
        if ends - begins < frame_s - _OVERLAP_S:
            notes.append(f"shot {number} lasts {ends - begins:.3f} s, less than a frame ({frame_s:.3f} s)")
        after = spans[number][0] if number < len(spans) else end
        if after - ends > frame_s:
            what = f"shot {number + 1}" if number < len(spans) else "the film's end"
            notes.append(
                f"{after - ends:.3f} s between shot {number} and {what} are taken into shot {number}"
            )
    more = len(notes) - _MOST_NOTES
    return notes if more <= 0 else [*notes[:_MOST_NOTES], f"{more} more gaps and short shots"]


class _Unreadable(Exception):
    """Why a list could not be understood."""


def _checked(entries: list[_Entry], file: str) -> list[tuple[float, float]]:
    if not entries:
        raise InputError(f"The list of shots {file} has no shot in it.", hint=_HINT)
    for before, now in zip([None, *entries[:-1]], entries, strict=True):
        wrong = None
        if not (math.isfinite(now.start) and math.isfinite(now.end)):
            wrong = "has a time that is not a number"
        elif now.start < 0:
            wrong = f"starts at {now.start:g} s, before the film"
        elif now.end <= now.start:
            wrong = f"ends at {now.end:g} s, not after its start at {now.start:g} s"
        elif before is not None and now.start < before.start:
            wrong = f"starts at {now.start:g} s, before the shot listed ahead of it ({before.start:g} s)"
        elif before is not None and now.start < before.end - _OVERLAP_S:
            wrong = f"starts at {now.start:g} s, while the one before lasts until {before.end:g} s"
        if wrong:
            raise InputError(
                f"{file}, {now.place}: the shot {wrong}.", hint="Mend the list, or leave --shots out."
            )
    return [(e.start, e.end) for e in entries]


def _reader_of(text: str) -> Callable[..., Iterator[_Entry]]:
    head = text.lstrip()
    if head.startswith(("{", "[")):
        return _otio if '"OTIO_SCHEMA"' in text else _json
    if head.startswith("<"):
        return _fcpxml
    if head.startswith(";FFMETADATA"):
        return _chapters
    if head.startswith(("TITLE:", "FCM:")) or any(_EVENT.match(line) for line in text.splitlines()[:50]):
        return _edl
    return _csv


def _number(value: object, place: str) -> float:
    """Seconds, or a clock as ``hh:mm:ss.mmm``."""
    clock = _CLOCK.match(value.strip()) if isinstance(value, str) else None
    if clock:
        hours, minutes, seconds = clock.groups()
        return int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds)
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        if isinstance(value, str) and len(value.strip()) <= _MOST_DIGITS:
            return float(value)
    except (ValueError, OverflowError):
        pass  # said below, with the place
    raise _Unreadable(f"{place} has {_short(value)} where seconds are due")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_DIGITS else text[:_MOST_DIGITS] + "..."


def _json(text: str) -> Iterator[_Entry]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise _Unreadable(f"it is not JSON ({e})") from e
    shots = document.get("shots") if isinstance(document, dict) else document
    if not isinstance(shots, list):
        raise _Unreadable("it has no list of shots under the key 'shots'")
    for i, shot in enumerate(shots):
        place = f"shots[{i}]"
        if not isinstance(shot, dict) or not {"start", "end"} <= shot.keys():
            raise _Unreadable(f"{place} has no start and end")
        yield _Entry(_number(shot["start"], place), _number(shot["end"], place), place)


def _csv(text: str) -> Iterator[_Entry]:
    rows = csv.reader(text.splitlines(), strict=True)
    try:
        header = [cell.strip().lower() for cell in next(rows, [])]
        if not {"start", "end"} <= set(header):
            raise _Unreadable(
                "it is in no form that is known, and as CSV it has no columns 'start' and 'end'"
            )
        start, end = header.index("start"), header.index("end")
        for row in rows:
            place = f"line {rows.line_num}"
            if not any(cell.strip() for cell in row):
                continue
            if len(row) <= max(start, end):
                raise _Unreadable(f"{place} is too short")
            yield _Entry(_number(row[start], place), _number(row[end], place), place)
    except csv.Error as e:
        raise _Unreadable(f"line {rows.line_num}: {e}") from e


def _edl(text: str, fps: Fraction | float | None) -> Iterator[_Entry]:
    rate = Fraction(fps) if fps else None
    waiting: tuple[str, str, str] | None = None
    for number, line in enumerate([*text.splitlines(), "END"], 1):
        event = _EVENT.match(line)
        if line.startswith("* LONGTAKE FPS:") and rate is None:
            rate = _rate(line.partition(":")[2], f"line {number}")
        elif line.startswith("* LONGTAKE SECONDS:") and waiting:
            place = waiting[2]
            values = line.partition(":")[2].split()
            if len(values) != 2:
                raise _Unreadable(f"line {number} has not two times")
            yield _Entry(_number(values[0], place), _number(values[1], place), place)
            waiting = None
        elif (event or line == "END") and waiting:
            yield _Entry(_of_timecode(waiting[0], rate), _of_timecode(waiting[1], rate), waiting[2])
            waiting = None
        if event:
            waiting = (event[1], event[2], f"line {number}")


def _rate(text: str, place: str) -> Fraction:
    rate = _rational(text, place)
    if rate < 1:
        raise _Unreadable(f"{place} has a frame rate under 1")
    return rate


def _of_timecode(code: str, rate: Fraction | None) -> float:
    if rate is None:
        raise _Unreadable("its time codes cannot be read without the frame rate, which it does not tell")
    if ";" in code:
        raise _Unreadable(f"drop-frame time code ({code}) is not read")
    hours, minutes, seconds, frames = (int(x) for x in code.split(":"))
    return float(((hours * 60 + minutes) * 60 + seconds) * round(rate) + frames) / float(rate)


def _otio(text: str) -> Iterator[_Entry]:
    import opentimelineio as otio

    try:
        timeline = otio.adapters.read_from_string(text, "otio_json")
        if not isinstance(timeline, otio.schema.Timeline):
            raise _Unreadable("it is an OpenTimelineIO file, but not of a time line")
        tracks = timeline.video_tracks()
        clips = (
            [(c.metadata.get("longtake"), c.range_in_parent()) for c in tracks[0].find_clips()]
            if tracks
            else []
        )
    except (otio.exceptions.OTIOError, ValueError, KeyError, TypeError) as e:
        raise _Unreadable(f"it is not an OpenTimelineIO time line ({e})") from e
    for i, (kept, span) in enumerate(clips, 1):
        place = f"clip {i}"
        if isinstance(kept, Mapping) and {"start", "end"} <= set(kept):
            yield _Entry(_number(kept["start"], place), _number(kept["end"], place), place)
        else:
            yield _Entry(span.start_time.to_seconds(), span.end_time_exclusive().to_seconds(), place)


def _fcpxml(text: str) -> Iterator[_Entry]:
    if "<!ENTITY" in text:
        raise _Unreadable("XML that defines entities is not read")
    try:
        root = ET.fromstring(text)
    except ET.ParseError as e:
        raise _Unreadable(f"it is not XML ({e})") from e
    spine = root.find(".//spine")
    if root.tag != "fcpxml" or spine is None:
        raise _Unreadable("it is XML, but has no spine of an FCPXML project")
    for i, clip in enumerate(spine):
        if clip.tag not in ("asset-clip", "clip", "video"):
            continue
        place = f"{clip.tag} {i + 1}"
        start = _rational(clip.get("start", clip.get("offset", "0s")), place)
        yield _Entry(float(start), float(start + _rational(clip.get("duration", ""), place)), place)


def _rational(text: str, place: str) -> Fraction:
    if not _RATIONAL.match(text.strip()):
        raise _Unreadable(f"{place} has {_short(text)} where a time is due")
    return Fraction(text.strip().removesuffix("s"))


def _chapters(text: str) -> Iterator[_Entry]:
    for number, chapter in enumerate(text.split("[CHAPTER]")[1:], 1):
        place = f"chapter {number}"
        values = dict(re.findall(r"^(TIMEBASE|START|END)=(.*)$", chapter, flags=re.MULTILINE))
        base = _rational(values.get("TIMEBASE", "1/1000000000"), place)
        start, end = (_rational(values.get(key, ""), place) * base for key in ("START", "END"))
        yield _Entry(float(start), float(end), place)
