"""Which language a text is in, by its letters and its small words; how fast a line would be said."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

LEAST_LETTERS = 12
"""Shorter texts are not looked at alone: they may be a name or a sound."""
OWN_LETTERS = 0.5
"""Least share of a text's letters that belong to its language; the rest may be names and units."""
CLEARLY = 2
"""A text is in another language if it has this many times as many of that one's small words, and at least
:data:`LEAST_WORDS`. Spanish, Portuguese and Italian share some, so a lead of one says nothing."""
LEAST_WORDS = 4


@dataclass(frozen=True)
class Language:
    """One language of the table. ``most`` is in letters a second."""

    code: str
    letters: tuple[str, ...]
    needs: tuple[str, ...]
    most: float
    words: frozenset[str]


@cache
def languages() -> Mapping[str, Language]:
    """The languages whose texts can be checked, by their ISO 639-1 code."""
    table = yaml.safe_load((files(__package__) / "data" / "languages.yaml").read_text("utf-8"))
    return {
        code: Language(
            code,
            tuple(entry["letters"]),
            tuple(entry.get("needs", ())),
            float(entry["most"]),
            frozenset(map(_as_read, entry["words"])),
        )
        for code, entry in table.items()
    }


def _as_read(word: object) -> str:
    """A word of the table; YAML takes some for false and true."""
    return {False: "no", True: "on"}.get(word, str(word)) if isinstance(word, bool) else str(word)


def words_of(text: str) -> list[str]:
    """The words of a text in small letters, without digits and signs; vowel signs belong to their letter."""
    kept = (c if unicodedata.category(c)[0] in "LM" else " " for c in unicodedata.normalize("NFC", text))
    return "".join(kept).lower().split()


def letter_count(text: str) -> int:
    """Letters, digits and vowel signs; no blanks, no punctuation."""
    return sum(unicodedata.category(c)[0] in "LNM" for c in text)


def seconds_to_say(text: str, code: str) -> float | None:
    """The least time in which a line can be said; ``None`` for a language that is not known.

    The rates are ours: a little above broadcast speech (about 5 characters a second in Chinese and Japanese,
    180 words a minute in English), so that what they refuse nobody would say unhurried. For comparison: read
    speech without pauses has 5.2 (Mandarin) to 7.8 (Japanese) syllables a second (Pellegrino, Coupé and
    Marsico 2011).
    """
    language = languages().get(code)
    return letter_count(text) / language.most if language else None


def not_in(text: str, allowed: Iterable[str]) -> str | None:
    """Why a text is in none of the languages, or ``None`` where it may be. Unknown codes allow all."""
    codes = list(allowed)
    known = languages()
    if any(code not in known for code in codes) or letter_count(text) < LEAST_LETTERS:
        return None
    reasons = [_not_in(text, known[code]) for code in codes]
    return None if None in reasons or not reasons else reasons[0]


def _not_in(text: str, language: Language) -> str | None:
    letters = [unicodedata.name(c, "") for c in text if c.isalpha()]
    own = sum(name.startswith(language.letters) for name in letters)
    if letters and own < OWN_LETTERS * len(letters):
        return f"{own} of {len(letters)} letters are those of {language.code}"
    if language.needs and not any(name.startswith(language.needs) for name in letters):
        return f"it has none of the letters that only {language.code} has"
    if language.code == "zh" and any(name.startswith(("HIRAGANA", "KATAKANA LETTER")) for name in letters):
        return "it has Japanese letters"
    if not language.words:
        return None
    words = words_of(text)
    found = {
        other.code: sum(word in other.words for word in words)
        for other in languages().values()
        if other.words
    }
    best = max(found, key=lambda code: (found[code], code == language.code))
    if found[best] >= LEAST_WORDS and found[best] >= CLEARLY * max(1, found[language.code]):
        return f"{found[best]} of its small words are {best}, {found[language.code]} are {language.code}"
    return None
