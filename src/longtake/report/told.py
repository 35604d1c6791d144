"""What was seen and heard in a few sentences. Shared by the HTML report and the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.core.content import Basis, Span
from longtake.core.documents import DiagnosisDocument

from .words import SURE, UNKNOWN, clock, count, listed, one_line, percent, surely

NAMES = {
    "cast": "faces",
    "transcript": "speech",
    "on_screen_text": "text in the picture",
    "music": "music",
    "scenes": "scenes",
    "shot_likeness": "likeness of shots",
    "things": "things in the picture",
    "lip_sync": "lips against the voice",
}
"""Lists of what was seen and heard, as people call what they are about."""
NOT_ASKED = "not asked for"
LANGUAGES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "th": "Thai",
    "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
THINGS_SAID = 6


def told(document: DiagnosisDocument) -> list[str]:
    """Sentences on people, words, text, music and things; none on what was not measured."""
    said = {
        "cast": _people,
        "transcript": _words,
        "on_screen_text": _text,
        "music": _music,
        "lip_sync": _lips,
        "things": _things,
    }
    sentences = [say(document) for name, say in said.items() if measured(document, name)]
    return [sentence for sentence in sentences if sentence]


def measured(document: DiagnosisDocument, name: str) -> bool:
    """Whether a list was measured, so that an empty one means that there is nothing."""
    basis = document.basis.get(name)
    return basis is not None and basis.status in ("ok", "fallback")


def lacking(document: DiagnosisDocument, asked_only: bool = False) -> str:
    """What was not measured and why, in one sentence; empty where all was, or nothing is known of it.

    ``asked_only`` leaves out what nobody asked for.
    """
    by_reason: dict[str, list[str]] = {}
    for name, basis in document.basis.items():
        if not measured(document, name) and not (asked_only and basis.reason == NOT_ASKED):
            by_reason.setdefault(_why(basis), []).append(NAMES.get(name, name))
    groups = [f"{listed(list(dict.fromkeys(names)))}: {why}" for why, names in by_reason.items()]
    return f"Not measured: {'; '.join(groups)}." if groups else ""


def _why(basis: Basis) -> str:
    if basis.reason == NOT_ASKED:
        return "not asked for in this run (without --signals all are measured)"
    why = one_line(basis.reason or "no reason was given", 300).rstrip(".")
    return f"failed, {why}" if basis.status == "failed" else why


def _people(document: DiagnosisDocument) -> str:
    people = [m for m in document.cast if m.person is not None]
    others = sum(len(m.appearances) for m in document.cast if m.person is None)
    if not document.cast:
        return "No face was seen."
    unknown = count(others, "appearance of a face", "appearances of faces")
    if not people:
        return f"No face could be told from others; {unknown} in all."
    several = count(len(people), "person was told apart", "people were told apart")
    grades = [surely(m.sure) for m in people]
    by_grade = [f"{grades.count(g)} {g}" for g in (*(name for _, name in SURE), UNKNOWN) if g in grades]
    seen = f"{several} by the face ({grades[0] if len(people) == 1 else listed(by_grade)})"
    return f"{seen}, with {unknown} left over." if others else f"{seen}."


def _words(document: DiagnosisDocument) -> str:
    heard = sum(len(u.words) or len(u.text.split()) for u in document.transcript)
    untold = sum(not u.text for u in document.transcript)
    lost = count(untold, "stretch of speech was not understood", "stretches of speech were not understood")
    if not heard:
        return f"No words were heard; {lost}." if untold else "No speech was heard."
    facts = document.basis["transcript"].facts
    language, rate = facts.get("language"), facts.get("words_per_minute")
    said = f"{count(heard, 'word was', 'words were')} heard"
    if isinstance(language, str) and language:
        sure = facts.get("language_confidence")
        said += f" in {LANGUAGES.get(language, one_line(language, 20))}"
        said += f" ({surely(sure)})" if isinstance(sure, float) else ""
    said += f", {rate:.0f} a minute" if isinstance(rate, float | int) else ""
    quality = facts.get("mos_overall")
    said += f", voice quality {quality:.1f} of 5" if isinstance(quality, float) else ""
    return f"{said}; {lost}." if untold else f"{said}."


def _text(document: DiagnosisDocument) -> str:
    sure = sum(t.sure is not False for t in document.on_screen_text)
    guesses = len(document.on_screen_text) - sure
    if not sure:
        said = "No text was surely read in the picture" if guesses else "No text was read in the picture"
    else:
        said = f"Text stands in the picture {'once' if sure == 1 else f'{sure:,} times'}"
    guessed = count(guesses, "guess", "guesses")
    return f"{said} ({'and ' if sure else ''}{guessed})." if guesses else f"{said}."


LIKELY_MUSIC = 0.7
"""Likelihood from which a stretch is told of as music; less likely ones are listed with their number."""


def _music(document: DiagnosisDocument) -> str:
    likely = [m for m in document.music if (m.value or 0.0) >= LIKELY_MUSIC]
    if not likely:
        return "No stretch surely sounds like music (by a proxy)."
    seconds = covered(likely)
    share = f" ({percent(min(seconds / document.video.duration, 1.0))})" if document.video.duration else ""
    return f"Music seems to play for {clock(seconds)}{share} (by a proxy)."


def _lips(document: DiagnosisDocument) -> str:
    facts = document.basis["lip_sync"].facts
    lag = facts.get("lag")
    if not document.lip_sync:
        return ""
    if not isinstance(lag, float | int):
        return "Whether lips move with the voice is not sure."
    if facts.get("in_sync"):
        return f"Lips move with the voice (lag {lag:+.2f} s)."
    return f"The sound is {abs(lag):.2f} s {'late' if lag > 0 else 'early'} against the lips."


def covered(spans: Sequence[Span]) -> float:
    """Seconds that at least one of the spans, in time order, covers."""
    total, reached = 0.0, float("-inf")
    for span in sorted(spans, key=lambda s: s.start):
        total += max(0.0, span.end - max(span.start, reached))
        reached = max(reached, span.end)
    return total


def _things(document: DiagnosisDocument) -> str:
    if not document.things:
        return "The weak detector named no thing in the picture."
    most = [f"{one_line(t.label, 40)} ({count(t.looks, 'look')})" for t in document.things[:THINGS_SAID]]
    left = len(document.things) - len(most)
    more = f" and {count(left, 'more kind')}" if left else ""
    return f"A weak detector named {', '.join(most)}{more}."
