"""Words of a text, their likeness, and how a text is told in fewer of them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from .language import Language, Level
from .language import language as of

MATCH = 0.6
"""Share of a fact's words that have to stand near each other for it to be found. Ours: a judge may word two
fifths of them otherwise; it was not fitted to anything."""
NEAR = 3
"""They stand near each other within so many times their own number of words."""
LEAST_CLAUSE = 4
"""A clause of fewer words is not told alone: it is seldom a whole statement."""
FIRST_CLAUSE = 1
"""Asked for so few words, a text is cut before an adverbial (``in a paper bag``) as well."""
TIGHT_CLAUSE = 6
"""But not to fewer words than these."""
SHINGLE = 3
"""Words in a row that are compared as one (Broder, On the resemblance and containment of documents, 1997)."""
STEM = 4
"""So many letters at least are the same in two forms of one word."""
DENSE_SIGNS = 2
"""Signs of Chinese, Japanese or Korean writing that are counted as one word."""

_WORD = re.compile(r"[\w\u0900-\u097f\u0600-\u06ff]+(?:['’-]\w+)*")
MARKS = r"\u0900-\u0963\u0971-\u097f\u064b-\u065f"
"""Vowel signs that belong to a word and are no letters to ``re``."""
_SENTENCE = re.compile(
    r"(?<!\b[A-Z]\.)(?<!\b[A-Z][a-z]\.)(?<!\b[A-Z][a-z][a-z]\.)(?<=[.!?…।؟])[\"”’»)]*\s+|(?<=[。！？])[”’」』）]*\s*"
)
_CLAUSE = re.compile(r"(?<=[,;:])\s+|\s+[–—]\s+|(?<=[，、；：،؛])\s*")
ENDS = (".", "!", "?", "。", "！", "？", "…", "।", "؟")
"""Marks that end a sentence."""
_TAIL = " ,;:–—-，、；：،؛"
_MARKDOWN = re.compile(r"^\s*(?:[#>*•-]+|\d+[.)])\s+|[*_`#]{2,}|(?<!\w)[*`#]|[*`](?!\w)", re.MULTILINE)


@dataclass(frozen=True)
class Token:
    """A word in lower case (of writing without spaces: two signs in a row), and where it begins."""

    word: str
    start: int


def flat(text: str) -> str:
    """One line without the marks of lists and headings."""
    return " ".join(_MARKDOWN.sub(" ", text).split())


def tokens(text: str, language: Language) -> list[Token]:
    """The words of a text in order."""
    found = [Token(m[0].casefold(), m.start()) for m in _WORD.finditer(text)]
    if language.spaced:
        return found
    pairs = []
    for token in found:
        word = token.word
        if word.isascii() or len(word) < 2:
            pairs.append(token)
            continue
        pairs += [Token(word[i : i + 2], token.start + i) for i in range(len(word) - 1)]
    return pairs


def content(text: str, language: Language) -> tuple[str, ...]:
    """The words that say something, each once; all of them where nothing but small words is there."""
    return _content(text, language.code)


@lru_cache(maxsize=8192)
def _content(text: str, code: str) -> tuple[str, ...]:
    language = of(code)
    words = [t.word for t in tokens(text, language)]
    saying = [w for w in words if w not in _small(language.small) and (len(w) > 1 or not language.spaced)]
    return tuple(dict.fromkeys(saying or words))


@lru_cache
def _small(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(words)


@lru_cache(maxsize=65536)
def alike(one: str, other: str) -> bool:
    """Whether two words are forms of one, by their beginnings: ``climbs`` and ``climbing``."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < STEM or len(long) - len(short) > 3 or not short.isalpha():
        return False
    return long.startswith(short[: max(STEM, len(short) - 2)])


class Words:
    """The words of a text, found by their beginnings."""

    def __init__(self, text: str, language: Language) -> None:
        self._by_start: dict[str, list[tuple[int, str]]] = {}
        for i, token in enumerate(tokens(text, language)):
            self._by_start.setdefault(token.word[:STEM], []).append((i, token.word))

    def places(self, words: Sequence[str]) -> list[int]:
        """Indices of words at which :data:`MATCH` of ``words`` begin to stand near each other, ascending."""
        need = max(1, round(MATCH * len(words)))
        span = NEAR * len(words) + 2
        hits = sorted(
            (i, w) for w in words for i, other in self._by_start.get(w[:STEM], ()) if alike(w, other)
        )
        if len({w for _, w in hits}) < need:
            return []
        at = [i for i, _ in hits]
        found = []
        for n, (i, _) in enumerate(hits):
            if len({w for _, w in hits[n : bisect_left(at, i + span)]}) >= need:
                found.append(i)
        return found


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [part.strip() for part in _SENTENCE.split(text) if part and part.strip()]


def size(text: str, language: Language) -> int:
    """Words of a text; of dense writing :data:`DENSE_SIGNS` signs count as one."""
    if language.spaced:
        return len(text.split())
    return -(-len(text) // DENSE_SIGNS)


def shorten(text: str, most: int | None, language: Language) -> str:
    """The clauses from the beginning that come to at most ``most`` words, and at least one whole statement.

    A text is cut between clauses, so that what is left can be read; a single long clause stays whole, but for
    :data:`FIRST_CLAUSE`.
    """
    text = flat(text)
    if most is None or size(text, language) <= most:
        return text.rstrip(_TAIL)
    kept = _kept(_pieces(text, language), most, LEAST_CLAUSE, language)
    if most <= FIRST_CLAUSE and language.spaced:
        kept = min(kept, _kept(_pieces(text, language, tight=True), most, TIGHT_CLAUSE, language), key=len)
    return _without_open_end(kept.rstrip(), language)


def _without_open_end(kept: str, language: Language) -> str:
    """Without small words at the end that led to what was cut off, as ``the eyes in``."""
    if not language.spaced or kept.endswith(tuple(_TAIL.strip()) + ENDS):
        return kept.rstrip(_TAIL)
    words = kept.split()
    while len(words) > 1 and words[-1].casefold() in (language.both, *language.lead_in):
        words.pop()
    return " ".join(words).rstrip(_TAIL)


def _kept(pieces: Sequence[str], most: int, least: int, language: Language) -> str:
    kept = ""
    for piece in pieces:
        if kept and _whole(kept, least, language) and size(kept + piece, language) > most:
            break
        kept += piece
    return kept


def _whole(text: str, least: int, language: Language) -> bool:
    if size(text, language) < least:
        return False
    if text.rstrip().endswith(ENDS):
        return True
    if language.open_end and re.search(rf"(?:{language.open_end})$", text.rstrip(_TAIL)):
        return False
    first = text.split(maxsplit=1)[0].casefold() if language.spaced else ""
    return not (first in language.lead_in and not _CLAUSE.search(text.rstrip(_TAIL)))


def _pieces(text: str, language: Language, *, tight: bool = False) -> list[str]:
    """The text cut at its clauses, if ``tight`` also before adverbials; joined, they are the text."""
    cuts = {m.end() for m in _CLAUSE.finditer(text)} | {m.end() for m in _SENTENCE.finditer(text)}
    if language.spaced and language.subordinate:
        opening = language.subordinate + (language.lead_in if tight else ())
        words = "|".join(map(re.escape, opening))
        cuts |= {m.start(1) for m in re.finditer(rf"\s({words})\s", text, re.IGNORECASE)}
        cuts |= {m.start(1) for m in _and_verb(language.both, language.small).finditer(text)}
    ends = sorted(cuts | {len(text)})
    return [text[a:b] for a, b in zip([0, *ends], ends, strict=False) if a < b]


@lru_cache
def _and_verb(both: str, small: tuple[str, ...]) -> re.Pattern[str]:
    """``and`` with a word and a small word behind it, as in ``and puts the``: there a statement may end.

    ``red and white flags`` is no such place.
    """
    words = "|".join(re.escape(w) for w in small)
    return re.compile(rf"\s({both}\s+(?!(?:{words})\s)[^\W\d_]{{3,}}\s+(?:{words})[\s,])", re.IGNORECASE)


def has(text: str, phrase: str, language: Language) -> bool:
    """Whether a phrase stands in a text as whole words, in any case of letters."""
    return phrase_pattern(phrase, language.spaced).search(text) is not None


@lru_cache(maxsize=4096)
def phrase_pattern(phrase: str, spaced: bool) -> re.Pattern[str]:
    """Matches a phrase as whole words where words have spaces."""
    body = r"\s+".join(map(re.escape, phrase.split()))
    if spaced:
        body = rf"(?<![\w{MARKS}-]){body}(?![\w{MARKS}-])"
    return re.compile(body, re.IGNORECASE)


def any_of(text: str, phrases: Sequence[str], language: Language) -> str | None:
    """The first of the phrases that stands in a text."""
    return next((p for p in phrases if has(text, p, language)), None)


def plain_words(text: str, language: Language, *, camera: bool = False) -> str:
    """The text with the trade's terms in everyday words.

    Terms that are everyday words too (``tracks``, ``static``) are taken for terms in wordings about the
    ``camera`` only.
    """
    terms = {" ".join(term.casefold().split()): easy for term, easy in language.plain.items()}
    return _terms(language.code, camera).sub(lambda m: terms[" ".join(m[0].casefold().split())], text)


def trade_terms(language: Language, *, camera: bool = False) -> list[str]:
    """The terms with an everyday wording, the longest first; without ``camera`` those with one meaning."""
    plain = [t for t in language.plain if camera or not (language.spaced and t.isalpha() and t.islower())]
    return sorted(plain, key=len, reverse=True)


def not_for(level: Level, language: Language) -> tuple[str, ...]:
    """Words that somebody of a level would not use; of words that are everyday words too, none."""
    return _not_for(level, language.code)


@lru_cache
def _not_for(level: Level, code: str) -> tuple[str, ...]:
    language = of(code)
    terms = trade_terms(language) if level == "novice" else []
    return (*language.jargon.get(level, ()), *terms)


@lru_cache
def _terms(code: str, camera: bool) -> re.Pattern[str]:
    language = of(code)
    body = "|".join(phrase_pattern(t, language.spaced).pattern for t in trade_terms(language, camera=camera))
    return re.compile(body or r"(?!)", re.IGNORECASE)


def unquoted(text: str) -> str:
    """A text without what stands in quotation marks."""
    return re.sub(r"“[^”]*”|«[^»]*»|„[^“”]*[“”]|「[^」]*」|『[^』]*』|\"[^\"]*\"", " ", text)


def letters(text: str) -> str:
    """Letters and digits alone, in lower case: what is said, without its marks."""
    return "".join(c for c in text.casefold() if c.isalnum())


def resemblance(one: str, other: str, language: Language) -> float:
    """Share of all runs of :data:`SHINGLE` words that two texts have in common, 0 to 1 (Broder 1997).

    1 for texts of the same words in the same order, also for two that are too short to have a run.
    """
    a, b = _shingles(one, language), _shingles(other, language)
    if not a and not b:
        return float([t.word for t in tokens(one, language)] == [t.word for t in tokens(other, language)])
    return len(a & b) / len(a | b)


def _shingles(text: str, language: Language) -> set[tuple[str, ...]]:
    words = [t.word for t in tokens(text, language)]
    return {tuple(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)}
