"""What a brief asks for in plain words: nobody or one person, a language."""

from __future__ import annotations

import re

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


def language_code(name: str) -> str | None:
    """``en`` for ``English``, ``en-GB`` or ``eng``; ``None`` for what is not known."""
    return LANGUAGES.get(re.split(r"[-_ (]", name.strip().casefold())[0])
