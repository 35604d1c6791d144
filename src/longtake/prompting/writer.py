"""The writer without a judge: the sentences of a prompt in one register, by rule, the same every time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..core.brief import Brief
from ..diagnosis.profiles import Profile
from .facts import Facts, Said, ShotFacts
from .language import Language
from .register import CONSTRAINT_IN, demand, focus, level_of, order_of, style_of
from .words import ENDS, any_of, flat, not_for, phrase_pattern, plain_words


class _Hand:
    """Writes the parts of one prompt in one register; ``told`` is what it tells of each wording."""

    def __init__(self, facts: Facts, profile: Profile, told: Mapping[str, str]) -> None:
        self.facts, self.profile, self.told = facts, profile, told
        self.language: Language = facts.language
        self.style = style_of(profile)
        self.easy = level_of(profile) == "novice"

    def frame(self, frame: str, /, **slots: str) -> str:
        """A frame with its slots filled; an empty one gives an empty text."""
        text = self.language.frame(self.style, frame)
        if self.easy and any_of(text, not_for("novice", self.language), self.language):
            text = self.language.base[frame]  # a style's own frame may have words of the trade
        return text.format(**slots) if text else ""

    def say(self, text: str, *, camera: bool = False) -> str:
        """A wording of the brief at this prompt's length, in words that its reader knows."""
        return self.words(self.told[text], camera=camera)

    def words(self, text: str, *, camera: bool = False) -> str:
        """In everyday words for a novice."""
        return plain_words(text, self.language, camera=camera) if self.easy else text

    def all(self, name: str) -> list[str]:
        """The wordings of all facts of a name."""
        return [self.say(f.text, camera=name == "moves") for f in self.facts.of(name)]

    def listed(self, frame: str, items: Sequence[str]) -> str:
        """A frame around a list; nothing where the list is empty."""
        return self.frame(frame, list=self.language.joined(list(items))) if items else ""

    def row(self, frame: str, items: Sequence[str]) -> str:
        """As ``listed``, of items that may have commas of their own."""
        return self.frame(frame, list=self.language.marks.line.join(map(self.lower, items))) if items else ""

    def lower(self, text: str) -> str:
        """Without a capital at the beginning, where no name begins it."""
        return _lower(text, self.facts)


def compose(facts: Facts, brief: Brief, profile: Profile, told: Mapping[str, str]) -> str:
    """The prompt that tells so much of each wording of a brief (``Facts.wordings``)."""
    hand = _Hand(facts, profile, told)
    task = _task(hand, brief)
    parts = [task, _size(hand, task), focus(profile, facts.language)]
    sections = {
        "script": [*_more(hand), *_acts(hand, brief), *_shots(hand), *_lines(hand)],
        "visual": _picture(hand),
        "audio": _sound(hand),
        "cross_modal": _together(hand),
    }
    for dimension in order_of(profile):
        parts += sections[dimension]
        parts += [
            demand(profile, name, facts.language)
            for name in profile.constraints
            if CONSTRAINT_IN[name] == dimension and name not in facts.against
        ]
    # A demand that the brief is against comes when all of the brief is told.
    parts += [
        demand(profile, name, facts.language, facts.against)
        for name in profile.constraints
        if name in facts.against
    ]
    return hand.language.marks.gap.join(part for part in parts if part)


def _task(hand: _Hand, brief: Brief) -> str:
    """The first sentence: what to make, and what it is about."""
    language, intent = hand.language, hand.words(hand.facts.intent)
    make = hand.frame("make")
    for verb in language.verbs if language.verb_first else ():
        if found := phrase_pattern(verb, True).match(intent):
            rest = intent[found.end() :].strip()
            bare = hand.frame("make_bare") or make
            return _stop(f"{bare} {rest}", language)
    if not language.verb_first and any_of(intent, language.verbs, language):
        return _stop(intent, language)
    film = _film(hand, "film")
    return _stop(hand.frame("task", make=make, film=film, intent=hand.lower(intent)), language)


def _film(hand: _Hand, which: str) -> str:
    length, count = _values(hand.facts)
    forms = hand.language.film if which == "film" else hand.language.size
    name = "both" if length and count else "length" if length else "count" if count else "bare"
    if count == 1 and f"{name}_one" in forms:
        name += "_one"
    shown = hand.language.number(length) if length else ""
    return forms[name].format(n=shown, count=count or "")


def _values(facts: Facts) -> tuple[float, int]:
    length = next((f.value for f in facts.of("length")), 0.0)
    return length, int(next((f.value for f in facts.of("shots")), 0))


def _size(hand: _Hand, task: str) -> str:
    """Length and number of shots, where the first sentence does not give them."""
    wanted = [f for f in hand.facts.items if f.id in ("length", "shots")]
    found = replace(hand.facts, items=tuple(wanted)).found(task)
    if all(found.values()):
        return ""
    return _film(hand, "size")


def _more(hand: _Hand) -> list[str]:
    return [_stop(hand.say(f.text), hand.language) for f in hand.facts.of("more")]


def _acts(hand: _Hand, brief: Brief) -> list[str]:
    told = []
    for fact in hand.facts.of("act"):
        name = flat(brief.acts[int(fact.id.split(".")[1]) - 1].name)
        label = hand.language.acts.get(name.casefold(), name)
        told.append(hand.frame("act", name=label, text=hand.say(fact.text)))
    return told


def _shots(hand: _Hand) -> list[str]:
    shots = hand.facts.shots
    if not shots:
        return []
    told, seen = [hand.frame("shots")] if len(shots) > 1 else [], set[str]()
    for n, shot in enumerate(shots, 1):
        told.append(_shot(hand, n, shot, seen))
    return told


def _shot(hand: _Hand, n: int, shot: ShotFacts, seen: set[str]) -> str:
    language, marks, groups = hand.language, hand.language.marks, hand.facts.groups
    aside = []
    if shot.seconds is not None and "seconds" not in groups:
        aside.append(language.seconds.format(n=language.number(shot.seconds)))
    for group, text in shot.asides():
        if not text or group in groups or (group != "camera" and text in seen):
            continue
        seen.add(text)
        aside.append(hand.lower(hand.say(text, camera=group != "place")))
    inside = marks.before + marks.between.join(aside) + marks.after if aside else ""
    action = hand.say(shot.action)
    said = shot.said[:1] if "lines" in groups else shot.said
    lines = "".join(_line(hand, s) for s in said)
    told = hand.frame("shot", n=str(n), action=action, aside=inside, lines=lines).strip()
    return _stop(told, language)


def _line(hand: _Hand, said: Said) -> str:
    marks = hand.language.marks
    who = said.speaker or hand.language.frame(hand.style, "narrator" if said.narration else "voice")
    return f"{marks.line}{who}{marks.pair}{marks.open}{said.text}{marks.close}"


def _lines(hand: _Hand) -> list[str]:
    marks = hand.language.marks
    voice = hand.language.frame(hand.style, "voice")
    lines = [f"{marks.open}{f.text}{marks.close}" for f in hand.facts.of("line")]
    return [f"{voice}{marks.pair}{marks.gap.join(lines)}"] if lines else []


def _picture(hand: _Hand) -> list[str]:
    looks = {f.id.split(".")[1]: hand.say(f.text) for f in hand.facts.of("looks")}
    marks = hand.language.marks
    cast = []
    for fact in hand.facts.of("name"):
        look = looks.get(fact.id.split(".")[1])
        cast.append(fact.core + (marks.before + hand.lower(look) + marks.after if look else ""))
    return [
        hand.listed("cast", cast),
        hand.row("camera", hand.all("moves")),
        hand.row("keep", hand.all("keep")),
    ]


def _sound(hand: _Hand) -> list[str]:
    told = []
    for name in ("music", "tone"):
        told += [hand.frame(name, text=hand.lower(hand.say(f.text))) for f in hand.facts.of(name)]
    told.insert(1, hand.listed("effects", [hand.lower(w) for w in hand.all("effect")]))
    silent = [name for name in ("no_dialogue", "no_narration") if hand.facts.of(name)]
    if silent:
        told.append(hand.frame("no_speech" if len(silent) == 2 else silent[0]))
    return told


def _together(hand: _Hand) -> list[str]:
    told = [hand.listed("spoken", [f.core for f in hand.facts.of("spoken")])]
    if hand.facts.of("lips") and "perfect_lip_sync" not in hand.profile.constraints:
        told.insert(0, hand.frame("lips"))
    return told


def _stop(text: str, language: Language) -> str:
    """With a full stop, where no other mark ends it."""
    text = text.strip()
    closing = '"”“’»」』)） \u00a0'
    return text if text.rstrip(closing).endswith(ENDS) else text + language.marks.stop


def _lower(text: str, facts: Facts) -> str:
    if not text or not text[0].isupper():
        return text
    first = re.split(r"[\s,.;:'’-]", text, maxsplit=1)[0]
    if first.casefold() not in facts.language.small and (
        not facts.language.capitals or first in facts.proper or not first[1:].islower()
    ):
        return text
    return text[0].lower() + text[1:]
