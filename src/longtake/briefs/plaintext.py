"""Plain text: a prompt; or, where its lines are numbered, an instruction and shots."""

from __future__ import annotations

import re

from ..core.brief import Brief
from .build import Draft, build
from .reading import Reading
from .times import seconds

_WORD = re.compile(
    r"\s*(?:[#*_>-]+\s*)?(shot|clip|scene|镜头|场景)\s*#?\s*(\d{1,4})\s*(?:[(\[]([^)\]\n]{1,40})[)\]])?\s*[:.：—–-]\s*\**\s*(.*)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\s*(\d{1,4})\s*[.)、:]\s+(.*)")
_SCENES = ("scene", "场景")


def read_plain(text: str, reading: Reading) -> Brief:
    """Lines ``1. ...``, ``2. ...`` or ``Shot 1: ...`` (also ``Shot 1 (0:00-0:04): ...``) are shots.

    What stands before them is the instruction. Without two such lines in order the whole text is.
    """
    lines = text.split("\n")
    drafts, before = _worded(lines, reading) or _numbered(lines, reading) or ([], lines)
    instruction = "\n".join(line.rstrip() for line in before).strip() or None
    if not drafts:
        count = sum(1 for line in before if line.strip())
        if count > 1:
            message = f"{count} lines were read as one instruction; number them (1. 2. 3.) to make them shots"
            reading.note("", message)
        return build(reading, "text", [], instruction=instruction)
    reading.note("", f"{len(drafts)} numbered entries were read as shots")
    return build(reading, "shot-list", drafts, instruction=instruction)


def _worded(lines: list[str], reading: Reading) -> tuple[list[Draft], list[str]] | None:
    found = [(i, match) for i, line in enumerate(lines) if (match := _WORD.fullmatch(line))]
    shots = [(i, m) for i, m in found if m[1].lower() not in _SCENES]
    heads = shots or found
    if len(heads) < 2:
        return None
    drafts: list[Draft] = []
    scene: str | None = None
    scenes = 0
    heads_at = {i for i, _ in found}
    for i, match in found:
        if shots and match[1].lower() in _SCENES:
            scene, scenes = match[2], scenes + 1
            continue
        draft = Draft(f"line {i + 1}", id=match[2], text=match[4].strip(), scene=scene)
        _timed(draft, match[3], reading)
        rest = _until(lines, i + 1, heads_at)
        draft.text = "\n".join(part for part in (draft.text, *rest) if part)
        drafts.append(draft)
    ids = [d.id for d in drafts]
    if scenes > 1 and len(set(ids)) < len(ids):
        for draft in drafts:
            draft.id = f"{draft.scene}.{draft.id}"
    return drafts, lines[: found[0][0]]


def _until(lines: list[str], first: int, heads: set[int]) -> list[str]:
    rest = []
    for i in range(first, len(lines)):
        if i in heads:
            break
        rest.append(lines[i].strip())
    return rest


def _timed(draft: Draft, note: str | None, reading: Reading) -> None:
    """Times in brackets: a length, or start and end; anything else is kept as a note of the shot."""
    if not note:
        return
    pieces = [piece.strip() for piece in re.split(r"\s*(?:-->|–|—|-|\bto\b)\s*", note)]
    try:
        times = [seconds(piece) for piece in pieces]
    except ValueError:
        draft.extra["label"] = note.strip()
        return
    if len(times) == 2:
        draft.start, draft.end = times
    elif len(times) == 1 and not pieces[0].isdecimal():
        draft.duration = times[0]
    else:
        draft.extra["label"] = note.strip()
        reading.note(draft.path, f"({note.strip()}) was not understood as times; kept in extra")


def _numbered(lines: list[str], reading: Reading) -> tuple[list[Draft], list[str]] | None:
    drafts: list[Draft] = []
    before = len(lines)
    for i, line in enumerate(lines):
        match = _NUMBER.fullmatch(line)
        expected = int(drafts[-1].id or 0) + 1 if drafts else None
        if match and (int(match[1]) == expected or (expected is None and int(match[1]) in (0, 1))):
            before = min(before, i)
            drafts.append(Draft(f"line {i + 1}", id=match[1], text=match[2].strip()))
        elif drafts and line.strip():
            drafts[-1].text = f"{drafts[-1].text}\n{line.strip()}"
    return (drafts, lines[:before]) if len(drafts) > 1 else None
