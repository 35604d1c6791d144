"""Things that are spoken of as known: they are told where the brief tells them first.

``The ring stays on the lid`` says nothing to somebody who was not told of a ring. Which words are things
nobody tells us; a word that stands behind ``the`` or its kin (``known`` of a language), and that the brief
has first in a shot, is taken for one. Languages without articles are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from .facts import Facts, Wording
from .language import Language
from .language import language as of
from .words import alike, content, tokens

REACH = 3
"""A thing is named within so many words behind its article: ``the plain gold ring``. Ours."""


def wanting(facts: Facts, told: Mapping[str, str]) -> Iterator[tuple[Wording, int]]:
    """The wordings of shots that a prompt tells too short, and the least length at which they introduce what
    the prompt speaks of, in the order of the shots."""
    spoken, code = facts.language, facts.language.code
    actions = {f.text for f in facts.of("action")}
    shots = [w for w in facts.wordings if w.text in actions]
    no_things = {n.casefold() for n in facts.proper} | set(spoken.numbers)
    known = content(" ".join([facts.intent, *(told[f.text] for f in facts.of("looks"))]), spoken)
    spoken_of = [told[f.text] for f in facts.of("keep")]
    for n, shot in enumerate(shots):
        later = [*spoken_of, *(told[s.text] for s in shots[n + 1 :])]
        new = [w for w in things(" ".join(later), code) if w not in no_things and not _in(w, known)]
        known = (*known, *content(shot.text, spoken))
        missing = [w for w in new if _in(w, content(shot.text, spoken))]
        levels = [_level(shot, word, spoken) for word in missing]
        if levels and max(levels) > shot.told.index(told[shot.text]):
            yield shot, max(levels)


def links(facts: Facts) -> dict[tuple[str, int], float]:
    """How much each further clause carries on what the prompt speaks of anyway: the share of its words that
    stand in the cores of other wordings, by the wording and which of its lengths. Names do not count."""
    spoken, names = facts.language, {n.casefold() for n in facts.proper}
    cores = {w.text: content(w.told[0], spoken) for w in facts.wordings}
    found = {}
    for wording in facts.wordings:
        others = tuple({x for text, core in cores.items() if text != wording.text for x in core} - names)
        for n, (short, long) in enumerate(pairwise(wording.told), 1):
            new = [w for w in content(long[len(short) :], spoken) if w not in names]
            found[wording.text, n] = sum(_in(w, others) for w in new) / max(1, len(new))
    return found


def _level(wording: Wording, word: str, language: Language) -> int:
    """The least length at which a wording has a word."""
    return next(n for n, told in enumerate(wording.told) if _in(word, content(told, language)))


def _in(word: str, words: tuple[str, ...]) -> bool:
    return any(alike(word, other) for other in words)


@lru_cache(maxsize=4096)
def things(text: str, code: str) -> tuple[str, ...]:
    """The words behind articles that say that a thing is known, up to :data:`REACH` words behind them."""
    language = of(code)
    if not language.known:
        return ()
    words = "|".join(map(re.escape, language.known))
    found: list[str] = []
    for match in re.finditer(rf"(?<!\w)(?:{words})\s+((?:[\w-]+\s*){{1,{REACH}}})", text, re.IGNORECASE):
        behind = [t.word for t in tokens(match[1], language)]
        stop = next((i for i, w in enumerate(behind) if w in language.small), len(behind))
        found += behind[:stop]
    return tuple(dict.fromkeys(found))
