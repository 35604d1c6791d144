"""Turns what was seen and heard into what the template prints: cast, transcript, lanes of the time line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..core.content import Appearance, Basis, CastMember, Utterance, Word
from . import told, words
from .data import Portrait, ReportData
from .matrix import matrix_of
from .view import Axis, Limits, Mark, stacked

FACE_LANES = 5
"""People with a row of their own on the time line; the others share one."""
TILES = 18
"""Appearances of one person that are not folded."""
UNSURE_WORD = 0.5
"""Words of which the model was less sure than this are marked."""
HASH = re.compile(r" sha256:[0-9a-f]+")


Piece = tuple[str, float | None, bool]
"""Text without marks that turn the reading direction, when it was said, whether it is unsure."""
GAP: Piece = ("", None, False)


@dataclass(frozen=True)
class Tile:
    """One appearance with its picture, if it has one."""

    appearance: Appearance
    portrait: Portrait | None


@dataclass(frozen=True)
class Card:
    """One person of the cast. ``picture`` is the best of the pictures."""

    name: str
    member: CastMember
    picture: Portrait | None
    tiles: list[Tile]
    left_out: int


@dataclass(frozen=True)
class Line:
    """One utterance as pieces of text: words, each with its time and whether it is unsure, and gaps."""

    utterance: Utterance
    pieces: list[Piece]


def content(data: ReportData, axis: Axis, limits: Limits) -> dict[str, Any]:
    """What the template needs of all that was seen and heard."""
    doc = data.document
    cards = cards_of(doc.cast, data.portraits, limits)
    lines, lines_left_out = lines_of(doc.transcript, limits.words)
    sure = [t for t in doc.on_screen_text if t.sure is not False]
    guesses = [t for t in doc.on_screen_text if t.sure is False]
    return {
        "told": told.told(doc),
        "lacking": told.lacking(doc),
        "cards": cards,
        "tiles": TILES,
        "cards_left_out": len(doc.cast) - len(cards),
        "lines": lines,
        "lines_left_out": lines_left_out,
        "doubts": any(unsure for line in lines for _, _, unsure in line.pieces),
        "texts": [
            (kind, found[: limits.texts], max(0, len(found) - limits.texts))
            for kind, found in (("", sure), ("guess", guesses))
        ],
        "matrix": matrix_of(doc.shot_likeness, doc.shots, doc.scenes),
        "content_lanes": lanes_of(data, axis, limits),
        "basis": {name: _trust(basis) for name, basis in doc.basis.items()},
        "measured": {name for name in doc.basis if told.measured(doc, name)},
    }


def name_of(member: CastMember) -> str:
    """``Person 1``; never a guessed name."""
    return "Unidentified faces" if member.person is None else f"Person {member.person + 1}"


def who_of(member: CastMember, appearance: Appearance) -> str:
    """Who is seen in an appearance and how sure that is, in words."""
    known = member.person is not None
    return f"{name_of(member)}, {words.surely(appearance.sure)}" if known else "Unidentified face"


def said_of(utterance: Utterance) -> str:
    """What was said, short enough for a label."""
    return words.one_line(utterance.text, 160) or "a voice, not understood"


def _trust(basis: Basis) -> str:
    """How far a list may be trusted, what it lacks, and the models beneath it without their hashes."""
    models = f"Models: {HASH.sub('', basis.model)}." if basis.model else ""
    lacks = basis.facts.get("reason")
    return " ".join(
        part for part in (basis.note, words.sentence(f"{lacks}.") if lacks else "", models) if part
    )


def cards_of(cast: Sequence[CastMember], portraits: Sequence[Portrait], limits: Limits) -> list[Card]:
    """The cast as cards, longest in view first, with as many pictures as there is room for."""
    pictures = {p.track: p for p in portraits[:: max(1, -(-len(portraits) // max(limits.portraits, 1)))]}
    cards = []
    for member in cast[: limits.people]:
        shown = member.appearances[: limits.appearances]
        with_picture = [a for a in member.appearances if a.track in pictures]
        best = max(with_picture, key=_looks, default=None) if member.person is not None else None
        cards.append(
            Card(
                name_of(member),
                member,
                pictures[best.track] if best else None,
                [Tile(a, pictures.get(a.track)) for a in shown],
                len(member.appearances) - len(shown),
            )
        )
    return cards


def _looks(appearance: Appearance) -> float:
    """How good a picture of a face is to look at: large, and surely this person."""
    area = (appearance.width or 0.0) * (appearance.height or 0.0)
    return area * (0.5 if appearance.sure is None else appearance.sure)


def lines_of(transcript: Sequence[Utterance], most_words: int) -> tuple[list[Line], int]:
    """Utterances up to ``most_words`` words in all, and how many are left out."""
    lines: list[Line] = []
    total = 0
    for utterance in transcript:
        pieces = pieces_of(utterance)
        total += len(pieces)
        if total > 2 * most_words:
            break
        lines.append(Line(utterance, pieces))
    return lines, len(transcript) - len(lines)


def pieces_of(utterance: Utterance) -> list[Piece]:
    """The text cut into words and what lies between them; a word without a time has none."""
    text, at = utterance.text, 0
    pieces: list[Piece] = []
    for word in utterance.words:
        place = text.find(word.text, at) if word.text else -1
        if place < 0:  # the words are not those of the text: they stand for themselves
            return [p for w in utterance.words for p in (_piece(w), GAP)]
        if place > at:
            pieces.append((words.one_line(text[at:place]), None, False))
        pieces.append(_piece(word))
        at = place + len(word.text)
    return pieces + [(words.one_line(part), None, False) for part in re.findall(r"\S+|\s+", text[at:])]


def _piece(word: Word) -> Piece:
    unsure = word.confidence is not None and word.confidence < UNSURE_WORD
    return words.one_line(word.text, 200), word.start, unsure


def lanes_of(data: ReportData, axis: Axis, limits: Limits) -> list[tuple[str, str, list[Mark]]]:
    """Rows of blocks for the time line: name, kind (for its colour), marks."""
    doc, most = data.document, limits.shots
    lanes: list[tuple[str, str, list[Mark]]] = []
    people = [m for m in doc.cast if m.person is not None]
    own = people if len(people) <= FACE_LANES + 1 else people[:FACE_LANES]
    groups = [(name_of(m), [m]) for m in own]
    groups.append(("Other people", people[len(own) :]))
    groups.append(("Unidentified faces", [m for m in doc.cast if m.person is None]))
    for name, members in groups:
        marks = [axis.mark(a.start, a.end, who_of(m, a)) for m in members for a in m.appearances]
        lanes.append((name, "face", marks))
    lanes.append(("Scenes", "scene", [_scene(axis, i, s) for i, s in enumerate(doc.scenes)]))
    lanes.append(("Speech", "speech", [axis.mark(u.start, u.end, said_of(u)) for u in doc.transcript]))
    lanes.append(("Music", "music", [axis.mark(s.start, s.end, "music") for s in doc.music]))
    lanes.append(
        (
            "Text in the picture",
            "text",
            [
                axis.mark(t.start, t.end, words.one_line(t.text, 160))
                for t in doc.on_screen_text
                if t.sure is not False
            ],
        )
    )
    return [(name, kind, stacked(marks[:most], 0.0)) for name, kind, marks in lanes if marks]


def _scene(axis: Axis, index: int, scene: Any) -> Mark:
    return axis.mark(scene.start, scene.end, f"Scene {index + 1}", index)
