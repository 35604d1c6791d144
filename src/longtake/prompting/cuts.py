"""Where a wording may end: a text told in fewer words ends where a clause ends that can stand by itself.

Without a parser of language this is told by marks and small words, and in doubt a text stays longer: a comma
may part two adjectives of one noun, a subject from its verb, or the items of a list, and none of these is a
place to stop. Languages that put their endings behind a word have a pattern of them in ``open_end``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .language import Language
from .language import language as of
from .words import ENDS, SENTENCE, flat, size, unquoted

LEAST_CLAUSE = 4
"""A clause of fewer words is not told alone: it is seldom a whole statement."""
FIRST_CLAUSE = 1
"""Asked for so few words, a text is told to the end of its first clause."""
TIGHT = 0
"""Asked for so few, it is cut before an adverbial (``in a paper bag``) as well."""
TIGHT_CLAUSE = 6
"""But not to fewer words than these."""
ITEM = 4
"""Between two commas at most so many words are taken for an item of a list. Ours."""
TAIL = " ,;:–—-，、；：،؛"
"""Marks without which a text ends."""
_CLAUSE = re.compile(r"(?<=[,;:])\s+|\s+[–—]\s+|(?<=[，、；：،؛])\s*")
_COMMAS, _SEMICOLONS, _COLONS = ",，、،", ";；؛", ":："


def cuts(text: str, code: str, *, fragment: bool = False) -> tuple[str, ...]:
    """All that may be told of a text, from its first clause to the whole, each the beginning of the next.

    A ``fragment`` is no statement but what is to be seen or heard (``bald, large headphones``): its commas
    part traits, and each may be the last.
    """
    return _cuts(flat(text), code, fragment)


@lru_cache(maxsize=8192)
def _cuts(text: str, code: str, fragment: bool) -> tuple[str, ...]:
    language = of(code)
    found = []
    for place in _places(text, language):
        kept = _without_open_end(text[:place], language)
        if kept and _stands(kept, text, place, fragment, language):
            found.append(kept)
    return tuple(sorted({*found, text.rstrip(TAIL)}, key=len))


def shorten(text: str, most: int | None, language: Language, *, fragment: bool = False) -> str:
    """The clauses from the beginning that come to at most ``most`` words, and at least one whole statement.

    A text is cut where what is left can stand (:func:`cuts`); a single long clause stays whole, but for
    :data:`TIGHT`.
    """
    text = flat(text)
    if most is None or size(text, language) <= most:
        return text.rstrip(TAIL)
    every = cuts(text, language.code, fragment=fragment)
    kept = next((c for c in reversed(every) if size(c, language) <= most), every[0])
    if most <= TIGHT:
        kept = min([kept, *_tight(text, language)], key=len)
    return kept


def first_sentence(text: str) -> str:
    """A text up to the end of its first sentence."""
    text = flat(text)
    end = SENTENCE.search(text)
    return (text[: end.start()] if end else text).rstrip(TAIL)


def _tight(text: str, language: Language) -> list[str]:
    """What stands before an adverbial or a colon, for briefs with hardly any room."""
    if not language.spaced or not language.lead_in:
        return []
    bound = {*language.articles, *language.genitive}
    words = "|".join(re.escape(w) for w in language.lead_in if w not in bound)
    heads = [re.split(rf"[{_COLONS}]\s", text, maxsplit=1)[0], first_sentence(text)]
    found = [h for h in heads if size(h, language) >= LEAST_CLAUSE and _closed(h)]
    for match in re.finditer(rf"\s({words})\s", text, re.IGNORECASE):
        kept = _without_open_end(text[: match.start()], language)
        if match[1].casefold() in language.restricts:
            continue
        clause = re.split(rf"[{_COMMAS}{_SEMICOLONS}{_COLONS}.]", kept)[-1]
        if size(clause, language) >= TIGHT_CLAUSE and _ends_well(kept, language) and _closed(kept):
            found.append(kept)
    return found


def _places(text: str, language: Language) -> list[int]:
    """Where clauses begin behind the first one, ascending."""
    places = {m.end() for m in _CLAUSE.finditer(text)} | {m.end() for m in SENTENCE.finditer(text)}
    if language.spaced and language.subordinate:
        words = "|".join(map(re.escape, language.subordinate))
        places |= {m.start(1) for m in re.finditer(rf"\s({words})\s", text, re.IGNORECASE)}
        places |= {m.start(1) for m in _and_verb(language.both, language.small).finditer(text)}
    return sorted(p for p in places if 0 < p < len(text))


@lru_cache
def _and_verb(both: str, small: tuple[str, ...]) -> re.Pattern[str]:
    """``and`` with a word and a small word behind it, as in ``and puts the``: there a statement may end.

    ``red and white flags`` is no such place.
    """
    words = "|".join(re.escape(w) for w in small)
    return re.compile(rf"\s({both}\s+(?!(?:{words})\s)[^\W\d_]{{3,}}\s+(?:{words})[\s,])", re.IGNORECASE)


def _without_open_end(kept: str, language: Language) -> str:
    """Without small words at the end that led to what was cut off, as ``the eyes in``."""
    kept = kept.rstrip()
    if not language.spaced or kept.endswith(tuple(TAIL.strip()) + ENDS):
        return kept.rstrip(TAIL)
    words = kept.split()
    while len(words) > 1 and words[-1].casefold() in (language.both, *language.lead_in):
        words.pop()
    return " ".join(words).rstrip(TAIL)


@dataclass(frozen=True)
class _Around:
    """A cut inside a sentence: what stands between its nearest marks before and behind it."""

    mark: str
    head: str
    last: str
    behind: tuple[str, ...]
    commas_before: int


def _stands(kept: str, text: str, place: int, fragment: bool, language: Language) -> bool:
    if size(kept, language) < LEAST_CLAUSE or not _closed(kept):
        return False
    if kept.endswith(ENDS):
        return fragment or size(kept, language) > LEAST_CLAUSE  # "Afternoon under heavy clouds." is none yet
    if not _ends_well(kept, language) or _first(text[place:]).rstrip(",;:") in language.restricts:
        return False
    around = _around(kept, text, place)
    if around.mark in _SEMICOLONS:
        return True
    if around.mark in _COLONS:
        return fragment and _colon(around, language)  # what a statement announces is what happens
    if _leads_in(around, language) or _list_goes_on(around, language):
        return False
    if _first(text[place:]) == language.both and around.mark not in _COMMAS:
        if fragment or size(around.head, language) < TIGHT_CLAUSE:
            return False  # "claves and violin"
        # "takes the scissors, tries them in the air and cuts": what is cut off closes a list
        return not around.commas_before or _first(around.last) in _openers(language.code)
    if around.mark not in _COMMAS:  # before a subordinate word, or at a dash
        twice = around.mark in "–—" and around.mark in around.behind[0]
        return not twice and size(around.head, language) >= LEAST_CLAUSE
    return _comma(around, fragment, language)


def _around(kept: str, text: str, place: int) -> _Around:
    gap = text[len(kept) : place].strip()
    mark = gap[0] if gap else " "
    ended = [m.end() for m in re.finditer(rf"[{_SEMICOLONS}{_COLONS}]\s*|[.!?。！？।؟]\s+|[。！？]", kept)]
    head = kept[ended[-1] :] if ended else kept
    rest = re.split(rf"[{_SEMICOLONS}]|[.!?।؟](?=\s|$)|[。！？]", text[place:], maxsplit=1)[0]
    before = _split(head)
    return _Around(mark, head, before[-1], tuple(_split(rest)), len(before) - 1)


def _split(text: str) -> list[str]:
    return [part.strip() for part in re.split(rf"[{_COMMAS}]\s*", text)]


def _colon(around: _Around, language: Language) -> bool:
    """A colon ends a statement that is long enough not to be there for what it announces, where no list
    follows, and no number before it says that one does."""
    if size(around.head, language) < TIGHT_CLAUSE or len(around.behind) > 1 or _leads_in(around, language):
        return False
    return not any(w.casefold() in language.numbers for w in around.head.split())


def _leads_in(around: _Around, language: Language) -> bool:
    """Whether a sentence has so far but its adverbial: ``While she counts``."""
    if not language.spaced or around.commas_before:
        return False
    return _first(around.head) in language.lead_in


def _list_goes_on(around: _Around, language: Language) -> bool:
    """Whether the commas behind a cut lead to an ``and`` that closes a list: ``claves and violin``.

    Writing without spaces is taken for a list where short parts stand on both sides of a mark.
    """
    if not language.spaced:
        parts = (around.last, around.behind[0])
        return around.mark == "、" and all(size(part, language) <= ITEM for part in parts)
    closing = {language.both, *language.either}
    if _first(around.behind[0]) in closing and len(around.last.split()) > ITEM:
        return False  # two long clauses are no list: "a hand takes the weight, and nobody sees it"
    first = around.behind[0].casefold().split()
    if first and first[0] in language.articles and closing & set(first):
        return True  # "the lane has a pump, an arch at its end and a crooked stair"
    for item in around.behind:
        words = [w.casefold() for w in item.split()]
        if closing & set(words[: ITEM + 1]):
            short = around.commas_before > 0 and len(around.last.split()) <= ITEM
            return short or not _and_verb(language.both, language.small).match(f" {item}")
        if len(words) > ITEM:
            break
    return False


def _comma(around: _Around, fragment: bool, language: Language) -> bool:
    if language.statement_end and not fragment:
        return re.search(rf"(?:{language.statement_end})$", around.last) is not None
    if not language.spaced:
        return True
    if len(around.head.split()) < LEAST_CLAUSE:
        return False  # "Two hands, one from each side, hold it"
    if _alike(around, language):
        return False
    opens = _first(around.behind[0]) in _openers(language.code)
    last = around.last.split()
    if len(last) < 2 and around.commas_before:
        return False  # "recordist of sixty, bald": one word says too little to be the last
    if fragment:
        return opens or not _waits_for_noun(last, language)
    item = len(around.behind[0].split()) < LEAST_CLAUSE and len(around.behind) > 1
    return opens and not item


@lru_cache
def _openers(code: str) -> frozenset[str]:
    """Words that begin a clause or a phrase of its own behind a comma."""
    language = of(code)
    opening = {*language.small, *language.lead_in, *language.subordinate, language.both}
    return frozenset(opening - set(language.degree))


def _alike(around: _Around, language: Language) -> bool:
    """Whether the parts beside a comma are things of one kind: ``DAY 1, DAY 12``; ``the same gloves, the
    same hedgehog``."""
    before, behind = (set(part.casefold().split()) for part in (around.last, around.behind[0]))
    if (before & behind) - set(language.small) - set(language.lead_in):
        return True
    return _first(around.last) == _first(around.behind[0]) in language.articles


def _first(text: str) -> str:
    return next(iter(text.split(maxsplit=1)), "").casefold()


def _waits_for_noun(last: list[str], language: Language) -> bool:
    """Whether an article stands so near the end that what follows it may be adjectives alone."""
    near = [w.casefold() for w in last[-language.before_noun :]]
    return any(w in language.articles for w in near)


def _ends_well(kept: str, language: Language) -> bool:
    """Whether the last word may be the last: no article, no preposition, no open ending."""
    if language.open_end and re.search(rf"(?:{language.open_end})$", kept):
        return False
    last = re.split(r"[\s'’]+", kept)[-1].casefold()
    return not language.spaced or last not in language.never_last


def _closed(text: str) -> bool:
    """Whether no bracket or quotation mark is open at its end."""
    return not re.search(r'["“”„«»「」『』]', unquoted(text)) and text.count("(") <= text.count(")")
