"""Words of a text, and their likeness."""

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
SHINGLE = 3
"""Words in a row that are compared as one (Broder, On the resemblance and containment of documents, 1997)."""
STEM = 4
"""So many letters at least are the same in two forms of one word."""
DENSE_SIGNS = 2
"""Signs of Chinese, Japanese or Korean writing that are counted as one word."""

_WORD = re.compile(r"[\w\u0900-\u097f\u0600-\u06ff]+(?:['’-]\w+)*")
MARKS = r"\u0900-\u0963\u0971-\u097f\u064b-\u065f"
"""Vowel signs that belong to a word and are no letters to ``re``."""
SENTENCE = re.compile(
    r"(?<!\b[A-Z]\.)(?<!\b[A-Z][a-z]\.)(?<!\b[A-Z][a-z][a-z]\.)(?<=[.!?…।؟])[\"”’»)]*\s+|(?<=[。！？])[”’」』）]*\s*"
)
"""Matches between sentences."""
ENDS = (".", "!", "?", "。", "！", "？", "…", "।", "؟")
"""Marks that end a sentence."""
_MARKDOWN = re.compile(r"^\s*(?:[#>*•-]+|\d+[.)])\s+|[*_`#]{2,}|(?<!\w)[*`#]|[*`](?!\w)", re.MULTILINE)


@dataclass(frozen=True)
class Token:
    """A word in lower case (of writing without spaces: two signs in a row), and where it begins."""

    word: str
    start: int


@lru_cache(maxsize=8192)
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
    return [part.strip() for part in SENTENCE.split(text) if part and part.strip()]


def size(text: str, language: Language) -> int:
    """Words of a text; of dense writing :data:`DENSE_SIGNS` signs count as one."""
    if language.spaced:
        return len(text.split())
    return -(-len(text) // DENSE_SIGNS)


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
    return _plain(text, language.code, camera)


@lru_cache(maxsize=8192)
def _plain(text: str, code: str, camera: bool) -> str:
    terms = {" ".join(term.casefold().split()): easy for term, easy in of(code).plain.items()}
    return _terms(code, camera).sub(lambda m: terms[" ".join(m[0].casefold().split())], text)


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
