"""The writer without a judge: a prompt from a brief and a profile, by rule, the same every time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..core.brief import Brief
from ..core.documents import Dimension
from ..diagnosis.profiles import WEIGHED, Profile, profiles
from .facts import Facts, Group, Said, ShotFacts, facts_of
from .language import Language, language_of
from .register import CONSTRAINT_IN, EQUAL_SHARE, demand, focus, level_of, order_of, style_of
from .words import ENDS, FIRST_CLAUSE, any_of, flat, not_for, phrase_pattern, plain_words, shorten

DETAIL = (40, 28, 20, 14)
"""Words of one wording (an action, a look, the music) in a dimension told in detail, where all of its words
have no room."""
CORES = (12, 9, 6)
"""Words of a core, from a brief with much room to one with little."""
LEFT_OUT: tuple[Group, ...] = (
    *("more", "light", "acts", "place", "effects", "looks", "moves", "camera", "lines", "keeps"),
)
"""What is left out of a brief for which there is still no room, one group after the other: first what other
facts of a brief most often say as well. Ours."""


@dataclass(frozen=True)
class Draft:
    """A written prompt; ``shortened`` are the dimensions told in fewer words than the brief's."""

    text: str
    facts: Facts
    shortened: tuple[Dimension, ...]


def draft(brief: Brief, profile: Profile, facts: Facts) -> Draft:
    """The prompt for a brief, whose facts :func:`room_for` gives, and a profile.

    It is over the limit only where not even the cores fit.
    """
    ranks = [d for d in order_of(profile) if profile.weights[d] >= EQUAL_SHARE]
    detail: dict[Dimension, int | None] = {d: None if d in ranks else facts.most for d in WEIGHED}
    text = _text(facts, brief, profile, detail)
    for least in (*DETAIL, facts.most):
        for dimension in reversed(ranks):
            if _fits(text, facts):
                break
            detail[dimension] = max(least, facts.most)
            text = _text(facts, brief, profile, detail)
    short = tuple(d for d in WEIGHED if detail[d] is not None and _cut(facts, d, detail[d]))
    return Draft(text, facts, short)


def room_for(brief: Brief) -> Facts:
    """The facts of a brief that the prompts of all profiles that come with longtake have room for.

    Raises:
        UsageError: there are no frames for the brief's language.
    """
    spoken = language_of(brief)
    for most in CORES:
        facts = facts_of(brief, spoken, most)
        if _room(facts, brief):
            return facts
    facts = _with_most_groups(brief, spoken)
    told = [name for text in _terse(facts, brief) for name in _told(facts, text)]
    return replace(facts, anyway=frozenset(told))


def _with_most_groups(brief: Brief, spoken: Language) -> Facts:
    """Groups are left out until there is room; then, the last first, those with room come back."""
    most, without = (
        CORES[-1],
        [g for g in LEFT_OUT if facts_of(brief, spoken, CORES[-1], frozenset({g})).left_out],
    )
    left: list[Group] = []
    for group in without:
        left.append(group)
        if _room(facts_of(brief, spoken, most, frozenset(left)), brief):
            break
    else:
        return facts_of(brief, spoken, FIRST_CLAUSE, frozenset(left))
    for group in reversed(left[:-1]):
        fewer = frozenset(g for g in left if g != group)
        if _room(facts_of(brief, spoken, most, fewer), brief):
            left.remove(group)
    return facts_of(brief, spoken, most, frozenset(left))


def _room(facts: Facts, brief: Brief) -> bool:
    return all(len(text) <= facts.language.limit for text in _terse(facts, brief))


def _terse(facts: Facts, brief: Brief) -> Iterator[str]:
    """The prompt of every profile with no word more than the cores."""
    terse: dict[Dimension, int | None] = dict.fromkeys(WEIGHED, facts.most)
    return (_text(facts, brief, profile, terse) for profile in profiles().values())


def _fits(text: str, facts: Facts) -> bool:
    """Within the limit, and no more facts told than the ones that all profiles tell."""
    if len(text) > facts.language.limit:
        return False
    return facts.anyway.issuperset(_told(facts, text))


def _told(facts: Facts, text: str) -> list[str]:
    """The facts that are left out and are told all the same, by the words of others."""
    return [name for name, found in replace(facts, items=facts.left_out).found(text).items() if found]


def _cut(facts: Facts, dimension: Dimension, most: int | None) -> bool:
    wordings = [f.text for f in facts.items if f.dimension == dimension and f.kind == "words"]
    return any(shorten(w, most, facts.language) != shorten(w, None, facts.language) for w in wordings)


class _Hand:
    """Writes the parts of one prompt in one register; ``most`` words for each wording of a dimension."""

    def __init__(self, facts: Facts, profile: Profile, detail: dict[Dimension, int | None]) -> None:
        self.facts, self.profile, self.detail = facts, profile, detail
        self.language: Language = facts.language
        self.style = style_of(profile)
        self.easy = level_of(profile) == "novice"

    def frame(self, frame: str, /, **slots: str) -> str:
        """A frame with its slots filled; an empty one gives an empty text."""
        text = self.language.frame(self.style, frame)
        if self.easy and any_of(text, not_for("novice", self.language), self.language):
            text = self.language.base[frame]  # a style's own frame may have words of the trade
        return text.format(**slots) if text else ""

    def say(self, text: str, dimension: Dimension, *, camera: bool = False) -> str:
        """A wording of the brief at this prompt's length, in words that its reader knows."""
        told = shorten(text, self.detail[dimension], self.language).rstrip(" .。।")
        return self.words(told, camera=camera)

    def words(self, text: str, *, camera: bool = False) -> str:
        """In everyday words for a novice."""
        return plain_words(text, self.language, camera=camera) if self.easy else text

    def all(self, name: str, dimension: Dimension) -> list[str]:
        """The wordings of all facts of a name."""
        return [self.say(f.text, dimension, camera=name == "moves") for f in self.facts.of(name)]

    def listed(self, frame: str, items: Sequence[str]) -> str:
        """A frame around a list; nothing where the list is empty."""
        return self.frame(frame, list=self.language.joined(list(items))) if items else ""

    def row(self, frame: str, items: Sequence[str]) -> str:
        """As ``listed``, of items that may have commas of their own."""
        return self.frame(frame, list=self.language.marks.line.join(map(self.lower, items))) if items else ""

    def lower(self, text: str) -> str:
        """Without a capital at the beginning, where no name begins it."""
        return _lower(text, self.facts)


def _text(facts: Facts, brief: Brief, profile: Profile, detail: dict[Dimension, int | None]) -> str:
    hand = _Hand(facts, profile, detail)
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
            if CONSTRAINT_IN[name] == dimension
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
    return [_stop(hand.say(f.text, "script"), hand.language) for f in hand.facts.of("more")]


def _acts(hand: _Hand, brief: Brief) -> list[str]:
    told = []
    for fact in hand.facts.of("act"):
        name = flat(brief.acts[int(fact.id.split(".")[1]) - 1].name)
        label = hand.language.acts.get(name.casefold(), name)
        told.append(hand.frame("act", name=label, text=hand.say(fact.text, "script")))
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
    if shot.seconds is not None:
        aside.append(language.seconds.format(n=language.number(shot.seconds)))
    for group, text in shot.asides():
        if not text or group in groups or (group != "camera" and text in seen):
            continue
        seen.add(text)
        aside.append(hand.lower(hand.say(text, "visual", camera=group != "place")))
    inside = marks.before + marks.between.join(aside) + marks.after if aside else ""
    action = hand.say(shot.action, "script")
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
    looks = {f.id.split(".")[1]: hand.say(f.text, "visual") for f in hand.facts.of("looks")}
    marks = hand.language.marks
    cast = []
    for fact in hand.facts.of("name"):
        look = looks.get(fact.id.split(".")[1])
        cast.append(fact.core + (marks.before + hand.lower(look) + marks.after if look else ""))
    return [
        hand.listed("cast", cast),
        hand.row("camera", hand.all("moves", "visual")),
        hand.row("keep", hand.all("keep", "visual")),
    ]


def _sound(hand: _Hand) -> list[str]:
    told = []
    for name in ("music", "tone"):
        told += [hand.frame(name, text=hand.lower(hand.say(f.text, "audio"))) for f in hand.facts.of(name)]
    told.insert(1, hand.listed("effects", [hand.lower(w) for w in hand.all("effect", "audio")]))
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
