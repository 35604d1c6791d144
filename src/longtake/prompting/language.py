"""Languages in which prompts can be written and checked: frames, words and lists as data."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Literal

import yaml

from ..core.brief import Brief
from ..core.model import Record
from ..diagnosis.wishes import language_code
from ..errors import UsageError

LIMIT = 2000
"""Most characters of a prompt. Ours (the paper has a limit and does not name it): what a field for prompts of
a generation service usually holds, and about 330 English words."""
DENSE_LIMIT = 800
"""The same for Chinese, Japanese and Korean, which say as much in fewer characters. Ours."""
DENSE = frozenset({"zh", "ja", "ko"})
LATIN_SHARE = 0.06
"""Least share of a text's words that have to be small words of a language for it to be told by them. Ours."""

Style = Literal["casual", "emotional", "narrative", "technical", "precise", "structured"]
Level = Literal["novice", "intermediate", "expert"]
WARM: frozenset[str] = frozenset({"casual", "emotional", "narrative"})
"""Styles in which a hard constraint is said in its warm words."""


class Marks(Record):
    """Signs between the parts of a sentence."""

    open: str
    close: str
    list: str
    last: str
    pair: str
    stop: str
    before: str
    after: str
    between: str
    gap: str
    line: str


class Demand(Record):
    """A hard constraint: its sentence in two registers, and the words by which it is recognised."""

    about: tuple[str, ...]
    firm: tuple[str, ...]
    warm: str
    exact: str


class Against(Record):
    """A demand that a brief may be against: words of a brief that say so, anywhere or as the ``last`` of a
    phrase, and the demand in two registers for what such a brief leaves open."""

    words: tuple[str, ...]
    last: tuple[str, ...] = ()
    warm: str
    exact: str


class Language(Record):
    """One language's frames and words; ``data/CODE.yaml`` says what each is for."""

    code: str
    name: str
    spaced: bool
    verb_first: bool
    capitals: bool
    decimal: str
    marks: Marks
    seconds: str
    second_words: tuple[str, ...]
    minute_words: tuple[str, ...]
    shot_words: tuple[str, ...]
    one_shot: tuple[str, ...]
    numbers: dict[str, int]
    small: tuple[str, ...]
    both: str
    either: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    degree: tuple[str, ...] = ()
    genitive: tuple[str, ...] = ()
    restricts: tuple[str, ...] = ()
    before_noun: int = 3
    never_last: tuple[str, ...] = ()
    subordinate: tuple[str, ...]
    lead_in: tuple[str, ...]
    open_end: str = ""
    statement_end: str = ""
    verbs: tuple[str, ...]
    film: dict[str, str]
    size: dict[str, str]
    acts: dict[str, str]
    base: dict[str, str]
    styles: dict[Style, dict[str, str]]
    focus: dict[str, str]
    taste: dict[str, str]
    constraints: dict[str, Demand]
    against: dict[str, Against]
    softeners: tuple[str, ...]
    recognise: dict[str, tuple[str, ...]]
    plain: dict[str, str]
    jargon: dict[Level, tuple[str, ...]]
    chain: tuple[str, ...]
    machinery: tuple[str, ...]
    languages: dict[str, str]

    @property
    def limit(self) -> int:
        """Most characters of a prompt in this language."""
        return DENSE_LIMIT if self.code in DENSE else LIMIT

    def frame(self, style: Style, name: str) -> str:
        """A frame in a style; what a style does not word itself is the same in several."""
        return self.styles[style].get(name, self.base.get(name, ""))

    def number(self, value: float) -> str:
        """A number in digits with the language's decimal mark."""
        return f"{value:g}".replace(".", self.decimal)

    def joined(self, items: list[str]) -> str:
        """``a, b and c``."""
        if len(items) < 2:
            return "".join(items)
        return self.marks.list.join(items[:-1]) + self.marks.last + items[-1]


@cache
def codes() -> tuple[str, ...]:
    """The languages there are, as ISO 639-1."""
    folder = files(__package__) / "data"
    return tuple(sorted(f.name.removesuffix(".yaml") for f in folder.iterdir() if f.name.endswith(".yaml")))


@cache
def language(code: str) -> Language:
    """A language by its code.

    Raises:
        UsageError: there are no frames for it.
    """
    if code not in codes():
        raise UsageError(
            f"no prompts can be written in {code!r}",
            hint=f"there are frames for {', '.join(codes())}; a brief says its own under language",
        )
    text = (files(__package__) / "data" / f"{code}.yaml").read_text("utf-8")
    data = yaml.load(text, yaml.BaseLoader)  # all as text: "on" and "no" are words here
    return Language(code=code, **data)


def language_of(brief: Brief) -> Language:
    """The language that a brief names, else the one it is written in.

    Raises:
        UsageError: there are no frames for it, or it cannot be told.
    """
    if brief.language and (code := language_code(brief.language) or brief.language.strip().casefold()):
        return language(code)
    written = " ".join(
        [brief.instruction or "", *(s.text for s in brief.shots), *(x.text for x in brief.lines)]
    )
    found = written_in(written)
    if found is None:
        raise UsageError(
            "the brief does not say its language, and it cannot be told from its words",
            hint="give the brief a field language, as en",
        )
    return language(found)


_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
)
SCRIPT_SHARE = 0.15
"""Least share of a text's letters in a script for it to be told by that: names and quoted words of another
script stay below. Japanese is told by its syllables, which are less than half of its signs."""


def written_in(text: str) -> str | None:
    """The language of a text, by its script, else by the share of its words that are a language's small ones.

    ``None`` where that does not tell.
    """
    letters = [c for c in text if c.isalpha()]
    if not letters:
        return None
    for code, pattern in _SCRIPTS:
        if len(pattern.findall(text)) / len(letters) > SCRIPT_SHARE:
            return code
    words = re.findall(r"[^\W\d_]+", text.casefold())
    shares = {
        code: sum(w in small for w in words) / len(words)
        for code in codes()
        if language(code).spaced and (small := frozenset(language(code).small))
    }
    best = max(shares, key=lambda code: shares[code], default=None)
    return best if best is not None and shares[best] >= LATIN_SHARE else None
