"""Text that a brief asks to be seen in the picture: quoted words after a sign, a title and the like.

What somebody says has a person between the two, or no kind of text before it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

import yaml

LONGEST = 80
"""Letters of a text in quotes; more is no text for a picture."""
SMALL_WORDS = 8
"""Small words between a kind of text and the quotes."""
_QUOTES = (
    ('"', '"'),
    ("“", "”"),
    ("„", "“”"),
    ("«", "»"),
    ("「", "」"),
    ("『", "』"),
    ("‘", "’"),
)
_APOSTROPHES = rf"(?<!\w)'([^'\n]{{2,{LONGEST}}})'(?!\w)"
READABLE = ("LATIN ", "CJK ", "HIRAGANA ", "KATAKANA ", "FULLWIDTH ")
"""Beginnings of the Unicode names of letters that PP-OCRv6 has in its alphabet."""


def quoted_texts(words: str) -> Iterator[str]:
    """Text in quotes that is to be seen in the picture, in order, as it stands there."""
    for found in _pattern().finditer(words):
        text = " ".join(next(group for group in found.groups() if group is not None).split())
        if any(c.isalnum() for c in text):
            yield text


def asked_texts(words: str) -> Iterator[str]:
    """The same without marks at its end, which many put inside of quotes."""
    for text in quoted_texts(words):
        yield text.strip(".,;!?")


def readable(words: str) -> bool:
    """Whether the reader of text knows these letters: Latin, Chinese and Japanese ones, without accents."""
    letters = [unicodedata.name(c, "") for c in words if c.isalpha()]
    return all(name.startswith(READABLE) and " WITH " not in name for name in letters)


@cache
def _pattern() -> re.Pattern[str]:
    table = yaml.safe_load((files(__package__) / "data" / "onscreen.yaml").read_text("utf-8"))
    return re.compile("|".join(part for words in table.values() for part in _parts(words)), re.I)


def _parts(words: Mapping[str, str]) -> Iterator[str]:
    """Patterns of one language, each with the text in one of its groups."""
    quoted = "|".join([*(_quoted(*pair) for pair in _QUOTES), _APOSTROPHES])
    kinds, small = _any(words["kinds"]), _any(words["small"])
    if words.get("joined"):
        yield rf"{kinds}[\s:：,，、]*(?:{small}[\s:：,，、]*){{0,{SMALL_WORDS}}}(?:{quoted})"
        return
    between = r"[\s:,–—-]*"
    yield rf"\b{kinds}\b{between}(?:{small}\b{between}){{0,{SMALL_WORDS}}}(?:{quoted})"
    if after := words.get("after"):
        yield rf"(?:{quoted})\s{_any(after)}\b"


def _quoted(opening: str, closing: str) -> str:
    return rf"{opening}([^{opening}{closing}\n]{{2,{LONGEST}}})[{closing}]"


def _any(words: str) -> str:
    """One of the words of a table, which may stand there on several lines."""
    return f"(?:{words.replace('| ', '|')})"
