"""What a brief asks for in plain words: text to be shown, nobody or one person, a language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_SHOWN = (
    r"(?:title(?:[ -]card)?s?|signs?|text|captions?|subtitles?|banners?|posters?|labels?|billboards?"
    r"|headlines?|placards?|lettering|inscriptions?|logos?|(?:the )?words?)"
)
_FILLER = (
    r"(?:card|overlay|(?:that|which) says|that|which|reads?|reading|saying|with|the|words?|text|title"
    r"|appears?|shows?|showing|displays?|displaying|is|in|at|on|of|top|bottom|centre|center|screen|a|large|bold|white"
    r"|black|red|neon)"
)
READABLE = ("LATIN ", "CJK ", "HIRAGANA ", "KATAKANA ", "FULLWIDTH ")
ASKED_TEXT = re.compile(
    rf"\b{_SHOWN}\b[\s:,–—-]*(?:{_FILLER}\b[\s:,–—-]*){{0,8}}(?:\"([^\"]{{2,80}})\"|“([^”]{{2,80}})”)", re.I
)
"""A kind of text, nothing but small words after it, and the text in double quotes. What somebody says has a
person between the two, or no kind of text before it."""
NOBODY = re.compile(
    r"\b(?:no|without(?: any)?) (?:people|persons?|humans?|human presence|faces|actors)\b"
    r"(?! (?:yet|at first|except|but|else|other))|\bunpeopled\b",
    re.I,
)
ALONE = re.compile(
    r"\b(?:(?:only|just) one person|exactly one person|a single person|one person only|nobody else)\b", re.I
)
LANGUAGES = {
    **dict.fromkeys(("en", "eng", "english"), "en"),
    **dict.fromkeys(("de", "deu", "ger", "german", "deutsch"), "de"),
    **dict.fromkeys(("fr", "fra", "fre", "french", "français"), "fr"),
    **dict.fromkeys(("es", "spa", "spanish", "español"), "es"),
    **dict.fromkeys(("it", "ita", "italian", "italiano"), "it"),
    **dict.fromkeys(("pt", "por", "portuguese", "português"), "pt"),
    **dict.fromkeys(("nl", "nld", "dut", "dutch"), "nl"),
    **dict.fromkeys(("pl", "pol", "polish"), "pl"),
    **dict.fromkeys(("ru", "rus", "russian"), "ru"),
    **dict.fromkeys(("uk", "ukr", "ukrainian"), "uk"),
    **dict.fromkeys(("tr", "tur", "turkish"), "tr"),
    **dict.fromkeys(("ar", "ara", "arabic"), "ar"),
    **dict.fromkeys(("hi", "hin", "hindi"), "hi"),
    **dict.fromkeys(("ja", "jpn", "japanese"), "ja"),
    **dict.fromkeys(("ko", "kor", "korean"), "ko"),
    **dict.fromkeys(("zh", "zho", "chi", "cmn", "chinese", "mandarin"), "zh"),
}
"""Languages as briefs name them, as ISO 639-1 codes; others are not checked."""


def asked_texts(words: str) -> Iterator[str]:
    """Quoted text that is to be seen in the picture, in order."""
    for found in ASKED_TEXT.finditer(words):
        text = (found[1] or found[2]).strip().strip(".,;!?")
        if any(c.isalnum() for c in text):
            yield text


def readable(words: str) -> bool:
    """Whether the reader of text knows these letters: Latin, Chinese and Japanese ones, without accents."""
    letters = [unicodedata.name(c, "") for c in words if c.isalpha()]
    return all(name.startswith(READABLE) and " WITH " not in name for name in letters)


def language_code(name: str) -> str | None:
    """``en`` for ``English``, ``en-GB`` or ``eng``; ``None`` for what is not known."""
    return LANGUAGES.get(re.split(r"[-_ (]", name.strip().casefold())[0])
