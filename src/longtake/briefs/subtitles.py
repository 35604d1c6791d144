"""SRT and WebVTT: every cue is a line that is said, with its times.

Nothing in the two formats tells a description of a scene from words that are spoken, and cues change far more
often than the picture does: taken for planned shots they would make a good film look wrong. Scene captions
with times have their own shapes (shot lists, Vript).
"""

from __future__ import annotations

import re

from ..core.brief import Brief, SoundWishes
from .build import Draft, check_times, line_of
from .reading import Reading
from .times import seconds

_TIME = r"-?(?:\d+:)?\d{1,5}:\d{1,2}(?:[.,]\d+)?"
CUE = re.compile(rf"^\s*({_TIME})\s*-->\s*({_TIME})(?:[ \t]+(.*))?$")
ARROW = re.compile(r"^.*-->.*$", re.MULTILINE)
_TAG = re.compile(r"</?(?:[ibuscv]|ruby|rt|lang|font)(?:[.\s][^<>]*)?>|<\d[\d:.]*>", re.IGNORECASE)
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>", re.IGNORECASE)
_BLOCKS = ("NOTE", "STYLE", "REGION")


def looks_like_subtitles(text: str) -> bool:
    """A WebVTT header, or a line of two times with an arrow between them."""
    if text.lstrip().startswith("WEBVTT"):
        return True
    return any(CUE.match(line) for line in ARROW.findall(text))


def read_subtitles(text: str, reading: Reading) -> Brief:
    """Cues as lines in order of time, so that dialogue is asked for and no shot is planned.

    Notes, styles and regions of WebVTT are left out, cue settings kept in ``extra``. Cues may overlap, as
    when two people speak at once.

    Raises:
        InputError: no cue, a line with an arrow whose times cannot be read, or a cue that ends too early.
    """
    source = "vtt" if text.lstrip().startswith("WEBVTT") else "srt"
    lines = text.split("\n")
    drafts: list[Draft] = []
    i = 0
    while i < len(lines):
        line = lines[i]
        if source == "vtt" and line.split(" ")[0].strip() in _BLOCKS and "-->" not in line:
            i = _skip(lines, i)
            continue
        if "-->" not in line:
            i += 1
            continue
        drafts.append(_cue(lines, i, reading))
        i = _skip(lines, i)
    if not drafts:
        raise reading.error("", f"no cue in this {source.upper()} file")
    for draft in drafts:
        check_times(draft, reading)
        if not draft.text:
            reading.note(draft.path, "this cue has no text")
    if drafts != (ordered := sorted(drafts, key=lambda d: (d.start, d.end))):
        reading.note("", "the cues were not in order of time; they were sorted by start", "warning")
    what = "cue was taken as a line that is" if len(drafts) == 1 else "cues were taken as lines that are"
    reading.note("", f"{len(drafts)} {what} said, not as planned shots")
    said = any(draft.text for draft in drafts)
    return Brief(
        source=source,
        lines=[line_of(draft) for draft in ordered],
        sound=SoundWishes(dialogue=True if said else None),
        notes=reading.all_notes(),
    )


def _skip(lines: list[str], i: int) -> int:
    """The first line after the block that ``i`` is in."""
    i += 1
    while i < len(lines) and lines[i].strip() and "-->" not in lines[i]:
        i += 1
    return i


def _cue(lines: list[str], i: int, reading: Reading) -> Draft:
    place = f"line {i + 1}"
    match = CUE.match(lines[i])
    if match is None:
        raise reading.error(place, f"{lines[i].strip()[:60]!r} is not a line of two times")
    try:
        start, end = seconds(match[1]), seconds(match[2])
    except ValueError as error:
        raise reading.error(place, str(error)) from None
    body = lines[i + 1 : _skip(lines, i)]
    if (
        body
        and _skip(lines, i) < len(lines)
        and "-->" in lines[_skip(lines, i)]
        and body[-1].strip().isdecimal()
    ):
        body = body[:-1]  # the next cue's number, where no empty line stands before it
    raw = "\n".join(body)
    voice = _VOICE.search(raw)
    label = lines[i - 1].strip() if i > 0 else ""
    draft = Draft(place, text=_TAG.sub("", raw).strip(), start=start, end=end)
    if label and not label.startswith("WEBVTT") and (i < 2 or not lines[i - 2].strip() or label.isdecimal()):
        draft.id = label
    if voice:
        draft.characters = [voice[1].strip()]
    if match[3] and match[3].strip():
        draft.extra["settings"] = match[3].strip()
    return draft
