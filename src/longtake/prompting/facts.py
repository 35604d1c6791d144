"""The facts of a brief, by rule: what every prompt for it has to say, whoever it is written for.

A fact has a core: its shortest wording, by which it is recognised. What a brief says beyond the cores is
detail, which a profile may have more or less of. Which facts have room is decided from the brief and its
language alone, so that all profiles' prompts say the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ..core.brief import Brief, PlannedShot
from ..core.documents import Dimension
from .against import against
from .cuts import cuts, first_sentence, shorten
from .language import Language
from .recognised import is_in
from .words import (
    Words,
    flat,
    letters,
    sentences,
    size,
)

Kind = Literal["length", "count", "durations", "order", "name", "said", "words", "phrase"]
Group = Literal[
    "more",
    "light",
    "place",
    "looks",
    "effects",
    "moves",
    "keeps",
    "camera",
    "acts",
    "lines",
    "few_effects",
    "few_keeps",
    "tone",
    "seconds",
]
"""Facts that are left out together where a brief is too large: more sentences of the instruction, light and
places of shots, looks of people, sounds, camera wishes and what has to stay the same beyond the first ones,
camera of shots, acts, lines of a shot beyond the first."""
FRAGMENTS = frozenset({"looks", "light", "camera", "place", "music", "tone", "moves", "effect"})
"""Facts whose wording is no statement, but what is seen or heard."""
MOST_EFFECTS, MOST_MOVES, MOST_KEEPS = 4, 1, 2
"""So many sounds, camera wishes and things that stay the same are said of all but the largest briefs."""
FEW_EFFECTS, FEW_KEEPS = 2, 1
"""So many sounds and things that stay the same are said of every brief."""
LABEL = re.compile(r"^[^\s:：.,，。、]{2,20}\s?[:：]\s*")
"""What a wish is about, before a colon: ``Clothing: nobody changes``."""

CAMERA_TALK = re.compile(
    r"\b(?:shot|lens|camera|close-?up|dolly|pan|tilt|zoom|handheld|steadicam|\d+ ?mm|angle|static|drone)\b",
    re.IGNORECASE,
)
"""Words that make the first sentence of a shot's text one about the camera, in English briefs."""
SPEAKER = re.compile(r"^\s*([^:：\"“”「]{1,40})\s*[:：]\s*(.+)$", re.DOTALL)
LINE = re.compile(
    r"([^:：\"“”„«»「」『』]{1,40}?)\s*[:：]\s*(?:\"([^\"]+)\"|[“„]([^“”]+)[“”]|«([^»]+)»|「([^」]+)」)"
)
"""A speaker, a colon, and a line in quotation marks; several may stand in a row."""
QUOTED = re.compile(r"^[\"“”„«「『'‘]+\s*|\s*[\"“”»」』'’]+$")
NAMED = re.compile(r"\bscene\s*\d+\b|^\d+$", re.IGNORECASE)
"""A scene that has a number and no name."""


@dataclass(frozen=True)
class Fact:
    """One fact. ``core`` is its shortest wording, ``text`` the brief's.

    ``value`` is in seconds or a count; ``values`` are the seconds of shots, ``parts`` the cores whose order
    counts, ``any`` phrases of which one will do.
    """

    id: str
    dimension: Dimension
    kind: Kind
    text: str
    core: str = ""
    value: float = 0.0
    values: tuple[float, ...] = ()
    parts: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    group: Group | None = None

    @property
    def fragment(self) -> bool:
        """Whether its wording is no statement."""
        return self.id.split(".")[0] in FRAGMENTS


@dataclass(frozen=True)
class Said:
    """Words that are to be heard in a shot; ``speaker`` is ``None`` where nobody is named."""

    speaker: str | None
    text: str
    narration: bool = False


@dataclass(frozen=True)
class ShotFacts:
    """A shot in the parts that a prompt tells: wordings of the brief, made one line each."""

    action: str
    place: str = ""
    camera: str = ""
    light: str = ""
    seconds: float | None = None
    said: tuple[Said, ...] = ()

    def asides(self) -> tuple[tuple[Group, str], ...]:
        """What is said of the picture beside the action, with the group of facts it belongs to."""
        return ("place", self.place), ("camera", self.camera), ("light", self.light)


@dataclass(frozen=True)
class Wording:
    """A wording of the brief, and all that may be told of it, from the least (its core) to the whole."""

    text: str
    dimension: Dimension
    told: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """What a brief says.

    ``most`` is how many words a core may have, ``sentence`` how many the first sentence of a shot may have to
    be its core, ``proper`` are the names in it, ``anyway`` the facts of ``left_out`` that the cores of the
    others say as well, ``against`` the demands that it is against (:mod:`.against`), with where it says so.
    """

    language: Language
    most: int
    sentence: int
    intent: str
    shots: tuple[ShotFacts, ...]
    items: tuple[Fact, ...]
    wordings: tuple[Wording, ...] = ()
    left_out: tuple[Fact, ...] = ()
    groups: frozenset[Group] = field(default=frozenset())
    proper: frozenset[str] = field(default=frozenset())
    anyway: frozenset[str] = field(default=frozenset())
    against: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, kind: str) -> list[Fact]:
        """The facts whose id begins so."""
        return [f for f in self.items if f.id.split(".")[0] == kind]

    def found(self, prompt: str) -> dict[str, bool]:
        """Which of the facts are in a prompt, by id."""
        text = Words(prompt, self.language)
        heard = letters(prompt)
        return {f.id: is_in(f, prompt, text, heard, self.language) for f in self.items}


def facts_of(
    brief: Brief, language: Language, most: int, without: frozenset[Group] = frozenset(), sentence: int = 0
) -> Facts:
    """The facts of a brief with cores of at most ``most`` words, without some groups.

    The core of a shot's action is its whole first sentence, if that has no more than ``sentence`` words.
    """
    shots = tuple(_shot(s, language) for s in brief.shots)
    first, *rest = sentences(flat(brief.instruction or "")) or [""]
    intent = first or flat(brief.title or "") or next((s.action for s in shots if s.action), "")
    items = [
        *_whole(brief, shots, language),
        *_story(brief, rest, shots, language, most, sentence),
        *_picture(brief, shots, language, most),
        *_sound(brief, language, most),
    ]
    kept = tuple(f for f in items if f.group not in without)
    return Facts(
        language,
        most,
        sentence,
        intent,
        shots,
        _unique(kept),
        _wordings(kept, language),
        _unique([f for f in items if f.group in without]),
        frozenset(without),
        _proper(brief),
        against=against(brief, language),
    )


def _proper(brief: Brief) -> frozenset[str]:
    """Words that have a capital where no sentence begins: names."""
    names = " . ".join(c.name for c in brief.characters)
    texts = [brief.instruction or "", *(s.text for s in brief.shots), *(a.text for a in brief.acts)]
    inside = [w for text in texts for w in re.findall(r"(?<=[^\W\d_] )[A-ZÀ-Ý]\w*", flat(text))]
    return frozenset({*inside, *re.findall(r"\w+", names)})


def _unique(items: Sequence[Fact]) -> tuple[Fact, ...]:
    """Each wording once: what two shots share is one fact."""
    seen: dict[tuple[str, str], Fact] = {}
    for item in items:
        seen.setdefault((item.kind, item.core or item.id), item)
    return tuple(seen.values())


def _wordings(items: Sequence[Fact], language: Language) -> tuple[Wording, ...]:
    found: dict[str, Wording] = {}
    for fact in items:
        if fact.kind == "words" and fact.text not in found:
            longer = [_end(c) for c in cuts(fact.text, language.code, fragment=fact.fragment)]
            told = (fact.core, *(c for c in longer if len(c) > len(fact.core)))
            found[fact.text] = Wording(fact.text, fact.dimension, told)
    return tuple(found.values())


def _whole(brief: Brief, shots: Sequence[ShotFacts], language: Language) -> list[Fact]:
    found = []
    if (length := brief.planned_duration) is not None:
        shown = language.seconds.format(n=language.number(length))
        found.append(Fact("length", "script", "length", shown, value=length))
    if shots:
        found.append(Fact("shots", "cross_modal", "count", str(len(shots)), value=len(shots)))
    if seconds := tuple(s.seconds for s in shots if s.seconds is not None):
        shown = ", ".join(language.number(s) for s in seconds)
        found.append(Fact("durations", "cross_modal", "durations", shown, values=seconds, group="seconds"))
    return found


def _story(
    brief: Brief,
    rest: Sequence[str],
    shots: Sequence[ShotFacts],
    language: Language,
    most: int,
    sentence: int,
) -> list[Fact]:
    found = []
    for n, more in enumerate(rest, 2):
        found.append(_words(f"more.{n}", "script", more, language, most, "more"))
    for n, act in enumerate(brief.acts, 1):
        if act.text:
            found.append(_words(f"act.{n}", "script", act.text, language, most, "acts"))
    cores = []
    for n, shot in enumerate(shots, 1):
        if shot.action:
            found.append(_words(f"action.{n}", "script", shot.action, language, most, sentence=sentence))
            cores.append(found[-1].core)
        for k, said in enumerate(shot.said, 1):
            group: Group | None = "lines" if k > 1 else None
            found.append(Fact(f"said.{n}.{k}", "script", "said", said.text, said.text, group=group))
    for n, line in enumerate(brief.lines, 1):
        said_of = _said(line.text, False)
        found += [Fact(f"line.{n}.{k}", "script", "said", s.text, s.text) for k, s in enumerate(said_of, 1)]
    if len(cores) > 1:
        found.append(Fact("order", "cross_modal", "order", "", parts=tuple(cores)))
    return found


def _picture(brief: Brief, shots: Sequence[ShotFacts], language: Language, most: int) -> list[Fact]:
    found = [
        Fact(f"name.{n}", "visual", "name", flat(c.name), flat(c.name))
        for n, c in enumerate(brief.characters, 1)
        if c.name.strip()
    ]
    for n, character in enumerate(brief.characters, 1):
        if character.description:
            found.append(_words(f"looks.{n}", "visual", character.description, language, most, "looks"))
    for n, shot in enumerate(shots, 1):
        found += [_words(f"{g}.{n}", "visual", text, language, most, g) for g, text in shot.asides() if text]
    group: Group | None
    for n, wish in enumerate(brief.camera, 1):
        group = "moves" if n > MOST_MOVES else None
        found.append(_words(f"moves.{n}", "visual", LABEL.sub("", flat(wish)), language, most, group))
    for n, wish in enumerate(brief.consistency, 1):
        group = "keeps" if n > MOST_KEEPS else "few_keeps" if n > FEW_KEEPS else None
        found.append(_words(f"keep.{n}", "visual", LABEL.sub("", flat(wish)), language, most, group))
    return found


def _sound(brief: Brief, language: Language, most: int) -> list[Fact]:
    sound, found = brief.sound, []
    if sound.music:
        found.append(_words("music", "audio", sound.music, language, most))
    found += [
        _words(f"effect.{n}", "audio", effect, language, most, _effects(n))
        for n, effect in enumerate(sound.sound_effects, 1)
        if effect
    ]
    if sound.tone:
        found.append(_words("tone", "audio", sound.tone, language, most, "tone"))
    for name, wish in (("no_dialogue", sound.dialogue), ("no_narration", sound.narration)):
        if wish is False:
            found.append(Fact(name, "audio", "phrase", name, any=language.recognise[name]))
    if sound.lip_sync:
        found.append(Fact("lips", "cross_modal", "phrase", "lips", any=language.recognise["lips"]))
    for code in sound.languages:
        name = language.languages.get(code, code)
        found.append(Fact(f"spoken.{code}", "audio", "name", name, name))
    return found


def _effects(n: int) -> Group | None:
    return "effects" if n > MOST_EFFECTS else "few_effects" if n > FEW_EFFECTS else None


def _words(
    name: str,
    dimension: Dimension,
    text: str,
    language: Language,
    most: int,
    group: Group | None = None,
    sentence: int = 0,
) -> Fact:
    fact = Fact(name, dimension, "words", flat(text), group=group)
    core = shorten(text, most, language, fragment=fact.fragment)
    first = first_sentence(text)
    if len(core) < len(first) and size(first, language) <= sentence:
        core = first
    return replace(fact, core=_end(core))


def _end(text: str) -> str:
    return text.rstrip(" .。।")


def _shot(shot: PlannedShot, language: Language) -> ShotFacts:
    text, camera = flat(shot.text), flat(shot.camera or "")
    first, *rest = sentences(text) or [""]
    if (
        not camera
        and rest
        and language.code == "en"
        and CAMERA_TALK.search(first)
        and len(first.split()) <= 16
    ):
        camera, text = first, " ".join(rest)
    seconds = shot.duration
    if seconds is None and shot.start is not None and shot.end is not None:
        seconds = round(shot.end - shot.start, 3)
    place = flat(shot.scene or "")
    said = [*_said(shot.narration or "", True), *_said(shot.dialogue or "", False)]
    return ShotFacts(
        _end(text),
        "" if NAMED.search(place) else _end(place),
        _end(camera),
        _end(flat(shot.lighting or "")),
        seconds,
        tuple(said),
    )


def _said(text: str, narration: bool) -> list[Said]:
    """The lines of a dialogue, each with its speaker where one stands before a colon."""
    found = []
    for line in text.splitlines():
        line = " ".join(line.split())
        if not narration and (quoted := list(LINE.finditer(line))):
            for one in quoted:
                words = next(group for group in one.groups()[1:] if group)
                found.append(Said(one[1].strip(), words.strip()))
            continue
        named = None if narration else SPEAKER.match(line)
        speaker, words = (named[1].strip(), named[2]) if named else (None, line)
        words = QUOTED.sub("", words).strip()
        if words:
            found.append(Said(speaker, words, narration))
    return found
