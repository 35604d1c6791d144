"""Which clips a damage concerns, by the words of their captions: sides, motion, hues and things.

Word lists (``words.yaml``, English) with the grammar of a few neighbours: a "left" that is a verb, a run that
is a noun and a car that is not there do not count. What is doubtful is not counted: a clip too few costs
little, a clip whose damage contradicts nothing spoils a pair.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import yaml

NEGATED = 3
"""A negation reaches the verb this many words on ("is not really moving")."""
NONE = 2
"""A "no" or "without" reaches this many words ("no red car")."""
APART = 6
"""A "nobody" or "nothing" reaches the side where it is this many words on ("nobody stands on the left")."""
NEAR = 4
"""A colour belongs to a thing this many words on at most ("red and white striped shirt")."""
EDGE = "."
"""Stands for any mark that ends a clause."""


@dataclass(frozen=True)
class Mention:
    """A word of a caption that counts: as written, by its name in the list, its group there, its place."""

    word: str
    name: str
    group: str
    at: int


@dataclass(frozen=True)
class Coloured:
    """A thing with a hue that a caption gives it; ``group`` is the thing's."""

    hue: str
    thing: str
    group: str


def sides(text: str) -> list[str]:
    """Every left and right of a caption that means a place or a direction, as written."""
    words, said = _words(text), _lists().sides

    def counts(i: int) -> bool:
        return words[i] in said["around"] and _is_side(words, i) and not _denied(words, i, APART)

    return [word for i, word in enumerate(words) if word in said["always"] or counts(i)]


def motions(text: str) -> list[str]:
    """Verbs of motion of a caption, as written: what is done, not what is denied, depicted or only wished."""
    words, lists = _words(text), _lists()
    return [w for i, w in enumerate(words) if w in lists.verbs and _happens(words, i)]


def objects(text: str) -> list[Mention]:
    """Things, animals and people that a caption names and that are there, in the order of the text."""
    words = _words(text)
    things = _things(words)
    return [
        m
        for i, m in sorted(things.items())
        if m.word not in _lists().hues or not _next_thing(words, i, things)
    ]


def coloured(text: str) -> list[Coloured]:
    """Things to which a caption gives a hue, before them ("a red car") or after ("the car is bright red")."""
    words, lists = _words(text), _lists()
    things = _things(words)
    found = []
    for i, word in enumerate(words):
        if word not in lists.hues:
            continue
        thing = _next_thing(words, i, things)
        if thing is None and lists.hues[word] not in lists.needs_thing:
            thing = _thing_before(words, i, things)
        if thing is not None:
            found.append(Coloured(lists.hues[word], thing.name, thing.group))
    return found


def hues(text: str) -> list[str]:
    """The hues that :func:`coloured` finds, with their things: "red car"."""
    return [f"{c.hue} {c.thing}" for c in coloured(text)]


def _things(words: list[str]) -> dict[int, Mention]:
    """Things by place; before another one ("apple" in "apple tree") a word is none."""
    lists = _lists()
    found: dict[int, Mention] = {}
    for i in reversed(range(len(words))):
        name, group = lists.things.get(words[i], ("", ""))
        if not name or i + 1 in found or _none(words, i, NONE):
            continue
        if name not in lists.needs_article or _after_article(words, i):
            found[i] = Mention(words[i], name, group, i)
    return found


def _is_side(words: list[str], i: int) -> bool:
    """Whether a "left" or "right" is a place: by its neighbours, the surest first."""
    said = _lists().sides
    before, after = _at(words, i - 1), _at(words, i + 1)
    pairs = ((before, _at(words, i - 2)), (after, _at(words, i + 2)))
    if any(link in ("to", "and", "or") and other in said["around"] for link, other in pairs):
        return True
    if after == "of":
        return before not in said["after_of"]
    if words[i] == "right" and after in said["not_right"]:
        return False
    if after in said["parts"] or before in said["turns"] or _led(words, i):
        return True
    if after in said["adverbs"]:
        return before in said["positions"] and after not in ("now", "away")
    if before in said["owners"]:
        return words[i] == "left" or after == EDGE
    return before in said["positions"] or before in said["steers"] or (before == EDGE and after == ":")


def _led(words: list[str], i: int) -> bool:
    """Whether a preposition leads to it: "to the far left". After "in the right" more has to speak for it."""
    said, lists = _lists().sides, _lists()
    j = i - 1
    while _at(words, j) in said["between"]:
        j -= 1
    if _at(words, j) not in said["leads"]:
        return False
    after = _at(words, i + 1)
    sure = after in (EDGE, ":") or after in lists.grammar["stopwords"] or after in lists.things
    return sure or _at(words, j) not in said["loose_leads"]


def _happens(words: list[str], i: int) -> bool:
    grammar, lists = _lists().grammar, _lists()
    word = words[i]
    before, second = _at(words, i - 1), _at(words, i - 2)
    if _denied(words, i, NONE) or before in grammar["stops"] or before in grammar["modals"]:
        return False
    if (before == "to" and second in grammar["irrealis"]) or _depicted(words, i):
        return False
    if word.endswith("ing") and word not in lists.things:
        return before not in grammar["gerund_after"]
    described = before in grammar["sizes"] or before in lists.hues
    adjective = described and (second in grammar["determiners"] or second == EDGE)
    if word.endswith("ed"):
        return before not in grammar["determiners"] and not adjective
    return not adjective and before not in grammar["determiners"] and before not in grammar["noun_after"]


def _depicted(words: list[str], i: int) -> bool:
    """Whether the word is part of what a statue or a picture shows."""
    depictions = _lists().grammar["depictions"]
    return any(of == "of" and word in depictions for of, word in pairwise(_back(words, i, len(words))))


def _denied(words: list[str], i: int, reach: int) -> bool:
    """Whether a "not" shortly before, or a "no" or "nobody" up to ``reach`` words before, makes it untrue."""
    negators = _lists().grammar["negators"]
    back = _back(words, i, NEGATED)
    return any(w in negators or w.endswith("n't") for w in back) or _none(words, i, reach)


def _none(words: list[str], i: int, reach: int) -> bool:
    """Whether a "no" or "without" before says that there is none; "with no hat" says it of the hat alone."""
    for step in range(1, reach + 1):
        word = _at(words, i - step)
        if word in ("", EDGE):
            return False
        if word in _lists().grammar["none"] and not (_at(words, i - step - 1) == "with" and step > 1):
            return True
    return False


def _after_article(words: list[str], i: int) -> bool:
    grammar, lists = _lists().grammar, _lists()
    before = _at(words, i - 1)
    return before in grammar["determiners"] or before in grammar["sizes"] or before in lists.hues


def _next_thing(words: list[str], i: int, things: dict[int, Mention]) -> Mention | None:
    """The last of the neighbouring things after a colour: of "red fire truck" it is the truck."""
    found = None
    for j in range(i + 1, min(i + 1 + NEAR, len(words))):
        if j in things:
            found = things[j]
        elif found is not None or words[j] == EDGE or words[j] in _lists().grammar["stopwords"]:
            break
    return found


def _thing_before(words: list[str], i: int, things: dict[int, Mention]) -> Mention | None:
    """What is, or is painted, in this colour."""
    grammar = _lists().grammar
    j = i - 1
    while _at(words, j) in grammar["shades"]:
        j -= 1
    if _at(words, j) not in grammar["links"]:
        return None
    while _at(words, j) in grammar["links"]:
        j -= 1
    return things.get(j)


def _back(words: list[str], i: int, count: int) -> list[str]:
    """Up to ``count`` words before ``i`` in its clause, the nearest first."""
    found: list[str] = []
    for word in reversed(words[max(0, i - count) : i]):
        if word == EDGE:
            break
        found.append(word)
    return found


def _at(words: list[str], i: int) -> str:
    return words[i] if 0 <= i < len(words) else ""


def _words(text: str) -> list[str]:
    """Words in lower case, marks as :data:`EDGE`, a colon as itself; phrases of the list are taken out."""
    plain = text.lower().replace("’", "'").replace("-", " ")
    words = [EDGE, *re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?|:|[.,;!?()\[\]—–\n]", plain), EDGE]
    words = [EDGE if len(w) == 1 and not w.isalpha() and w != ":" else w for w in words]
    kept: list[str] = []
    i = 0
    while i < len(words):
        length = next(
            (
                n
                for n in _lists().phrases.get(words[i], {})
                if tuple(words[i : i + n]) in _lists().phrases[words[i]][n]
            ),
            0,
        )
        kept += ["_"] if length else [words[i]]
        i += length or 1
    return kept


@dataclass(frozen=True)
class _Lists:
    """``words.yaml``, turned to be looked up by form."""

    phrases: dict[str, dict[int, set[tuple[str, ...]]]]
    sides: dict[str, list[str]]
    grammar: dict[str, list[str]]
    verbs: frozenset[str]
    hues: dict[str, str]
    things: dict[str, tuple[str, str]]
    needs_thing: frozenset[str]
    needs_article: frozenset[str]


@cache
def _lists() -> _Lists:
    data: dict[str, Any] = yaml.safe_load((files(__package__) / "words.yaml").read_text("utf-8"))
    phrases: dict[str, dict[int, set[tuple[str, ...]]]] = {}
    for phrase in (p for row in data["phrases"] for p in row.split("; ")):
        parts = tuple(phrase.replace("-", " ").split())
        phrases.setdefault(parts[0], {}).setdefault(len(parts), set()).add(parts)
    groups = {g: rows for g, rows in data["objects"].items() if g != "needs_article"}
    things: dict[str, tuple[str, str]] = {}
    for group, rows in groups.items():
        for form, name in _forms(rows).items():
            things.setdefault(form, (name, group))
    return _Lists(
        phrases,
        data["sides"],
        data["grammar"],
        frozenset(_forms([*data["motion"]["moves"], *data["motion"]["camera"]])),
        _forms(data["colours"]["hues"]),
        things,
        frozenset(data["colours"]["needs_thing"]),
        frozenset(data["objects"]["needs_article"]),
    )


def _forms(rows: Iterable[str]) -> dict[str, str]:
    """Each form with the name of its row."""
    return {form: row.split()[0] for row in rows for form in row.split()}
