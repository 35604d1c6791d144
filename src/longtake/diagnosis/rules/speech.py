"""Is what is said there, in its place, and can it be understood?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...core.measurement import Evidence, Measurement
from ..facts import Facts
from ..script import AskedLine, Comparison, HeardLine, asked_lines, compare, other_writing
from .rule import as_sure_as, column, falling, missing, not_applicable, scored, unscored

LEAST_WORDS = 3
"""Words of a line, or heard in a film, from which its place and clearness are judged."""
FOUND_SHARE = 0.5
"""Share of a line's words that has to be heard for it to count as said."""
LATE_S, TOO_LATE_S = 0.5, 2.0
"""A line that begins this far from its time is in place, and fully out of it."""
PACE = (60.0, 90.0, 240.0, 330.0)
"""Words per minute: from the second to the third any pace is fine, beyond the outer two none is."""
PACE_WORDS, PACE_S = 20, 10.0
"""Words, and seconds of speech, from which a pace is told: less is one sentence."""
CUT_OFF_S = 0.1
"""A voice heard to within this of the last 0.1 s of sound is cut off; words fade for longer than that."""
WORD_S = 0.25
"""The last word ends nearer than this to the end of the sound, or the voice is taken for noise after it."""
LEVEL_ROW_S = 0.1
UNSURE_LINE = 0.6
"""Mean confidence under which a line is shown as unsure: where the report's words for it begin, too."""
CLEAR_MOS, POOR_MOS = 2.6, 1.4
"""DNSMOS overall at which speech is clear, and at which it is drowned."""
STRAIN = 1 / 3
"""What speech that is drowned by DNSMOS loses where its words are understood all the same."""
CLEAR_CONFIDENCE, POOR_CONFIDENCE = 0.75, 0.35
"""Mean word confidence at which the words are plain to the recogniser, and at which they are guesses."""
LONGEST_QUOTE = 60


def text_audio_consistency(facts: Facts) -> Measurement:
    """Whether what the brief asks to be said is said: 1 less the word error rate, 0 at least.

    Lines are the brief's captions, or dialogue and narration of its shots, in their order. Words are
    compared as they sound (numbers up to 99 in English words). Blind spots: a recogniser that errs looks
    like a speaker who does (the confidence falls with its own); a translation is not recognised as one;
    who speaks is not known.
    """
    name = "text_audio_consistency"
    lines = asked_lines(facts)
    if facts.brief is None:
        return not_applicable(name, "there is no brief")
    if not lines:
        return not_applicable(name, "the brief has no lines to be said")
    if gone := _nothing_to_hear(name, facts, lines):
        return gone
    words = [str(w) for w in facts.signals["speech"].columns["word"]]
    if words and other_writing(lines, words):
        return unscored(name, "the lines are in another writing than what is heard: they cannot be compared")
    if not words and (facts.signals["speech"].facts.get("untold_seconds") or 0) > 0:
        return unscored(name, "somebody speaks, but no word was understood well enough to compare")
    found = compare(lines, words)
    answer = scored(
        name,
        1 - found.word_error_rate,
        _unheard(facts, found),
        word_error_rate=found.word_error_rate,
        words_asked=found.asked,
        words_heard=found.heard,
        lines=len(found.lines),
        lines_heard=sum(line.share >= FOUND_SHARE for line in found.lines),
    )
    return as_sure_as(answer, _sureness(facts))


def _nothing_to_hear(name: str, facts: Facts, lines: list[AskedLine]) -> Measurement | None:
    """A film without sound says none of its lines: that is known without any model."""
    if not facts.film.audio:
        what = f"{len(lines)} lines are asked for, and there is no sound track"
        spans = [Evidence(start=facts.start, end=facts.end, what=what)]
        return scored(name, 0.0, spans, lines=len(lines), lines_heard=0)
    return missing(name, facts, "speech")


def _unheard(facts: Facts, found: Comparison) -> Iterator[Evidence]:
    for heard in found.lines:
        if heard.share < 1:
            start = max(heard.line.start if heard.line.start is not None else facts.start, facts.start)
            end = min(heard.line.end if heard.line.end is not None else facts.end, facts.end)
            gone = [w for w, i in zip(heard.words, heard.heard, strict=True) if i < 0]
            some = "not heard" if len(gone) == len(heard.words) else f"not heard: {', '.join(gone)}; of"
            what = f"{heard.line.name}: {_short(some)} {_quote(' '.join(heard.line.text.split()))}"
            yield Evidence(start=start, end=max(end, start), what=what, about=heard.line.name)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 1]}…"


def _quote(text: str) -> str:
    return f"“{_short(text)}”"


def _sureness(facts: Facts) -> float:
    """How sure the recogniser is of its words, on average; sure that there are none where there are none."""
    sure = facts.signals["speech"].facts.get("confidence")
    return 1.0 if sure is None else float(sure)


def speech_timing(facts: Facts) -> Measurement:
    """Whether lines are in their places, well paced and not cut off; the worst of the three decides.

    In place: how far each asked line that brings a time begins from it. Pace: words per minute of speech.
    Cut off: a voice that is still heard when the sound ends. Blind spots: speech cut off at a cut inside the
    film while other sound goes on; pauses that are too long or too short; all of it where words are wrong.
    """
    name = "speech_timing"
    if gone := missing(name, facts, "speech"):
        return gone
    speech = facts.signals["speech"]
    voices = speech.events_of("voice")
    if not voices:
        return not_applicable(name, "nobody speaks")
    if not len(speech):
        return unscored(name, "a voice is heard, but no word was understood: it may sing or hum")
    evidence: list[Evidence] = []
    parts: dict[str, float | None] = {"in_place": None, "pace": None, "whole": None}
    late = list(_late(facts))
    if late:
        parts["in_place"] = float(np.mean([falling(abs(by), LATE_S, TOO_LATE_S) for _, by in late]))
        evidence += [
            Evidence(
                start=max(facts.start, (line.line.start or 0.0) + min(by, 0)),
                end=min(facts.end, (line.line.start or 0.0) + max(by, 0)),
                what=f"{line.line.name} begins {abs(by):.1f} s {'late' if by > 0 else 'early'}",
                about=line.line.name,
            )
            for line, by in late
            if abs(by) > LATE_S
        ]
    pace = speech.facts.get("words_per_minute")
    enough = (speech.facts.get("speech_seconds") or 0.0) >= PACE_S
    if pace is not None and enough and (speech.facts.get("words") or 0) >= PACE_WORDS:
        slow, easy, brisk, fast = PACE
        easily = min(falling(pace, brisk, fast), falling(-pace, -easy, -slow))
        parts["pace"] = easily
        if easily < 1:
            what = f"{pace:.0f} words per minute of speech"
            evidence.append(Evidence(start=voices[0].start, end=voices[-1].end, what=what))
    if not facts.is_part:
        last = _last_sound(facts)
        words = column(facts, "speech", "end")
        cut = voices[-1].end >= last - CUT_OFF_S and not (len(words) and words[-1] < last - WORD_S)
        parts["whole"] = 1 - 1 / len(voices) if cut else 1.0
        if cut:
            what = "somebody is still speaking when the sound ends"
            start = max(voices[-1].start, min(last, facts.end) - 1)
            evidence.append(Evidence(start=start, end=min(max(last, start), facts.end), what=what))
    known = [v for v in parts.values() if v is not None]
    if not known:
        return unscored(name, "too few words, and no line with a time, to tell how speech is placed")
    return as_sure_as(
        scored(name, min(known), evidence, words_per_minute=pace, lines_timed=len(late), **parts),
        _sureness(facts) if late else 1.0,
    )


def _last_sound(facts: Facts) -> float:
    """Where the sound ends, to 0.1 s; the film's end where its levels are not known."""
    times, level = column(facts, "audio", "time"), column(facts, "audio", "rms_db")
    heard = times[np.isfinite(level)]
    return min(float(heard[-1]) + LEVEL_ROW_S, facts.end) if len(heard) else facts.end


def _late(facts: Facts) -> Iterator[tuple[HeardLine, float]]:
    """Asked lines that bring a time and were heard, with how many seconds late each begins."""
    lines = asked_lines(facts)
    if not any(line.exact for line in lines):
        return
    speech = facts.signals["speech"]
    starts = column(facts, "speech", "start")
    for line in compare(lines, [str(w) for w in speech.columns["word"]]).lines:
        first = next((i for i in line.heard if i >= 0), None)
        said = line.share >= FOUND_SHARE and len(line.words) >= LEAST_WORDS
        if said and first is not None and line.line.exact and line.line.start is not None:
            # Words of the beginning that were not heard took their time too.
            missed = line.heard.index(first) / len(line.words)
            length = (line.line.end or line.line.start) - line.line.start
            yield line, float(starts[first]) - missed * length - line.line.start


def speech_intelligibility(facts: Facts) -> Measurement:
    """Whether words can be understood, by how sure the recogniser is, the script, and how speech sounds.

    The lesser of the mean confidence of the words and (of a brief's lines that are said at all) the share of
    their words that was heard; poor sound (DNSMOS overall, median of segments) takes up to a third off it:
    one may understand, and strain. Blind spots: an accent or a language that the recogniser does not know
    counts as unclear; DNSMOS was trained on calls and rates music and old recordings as noise; a language
    that nobody in the audience speaks counts as clear.
    """
    name = "speech_intelligibility"
    if gone := missing(name, facts, "speech"):
        return gone
    speech = facts.signals["speech"]
    if not speech.events_of("voice"):
        return not_applicable(name, "nobody speaks")
    mos, sure = speech.facts.get("mos_overall"), speech.facts.get("confidence")
    if mos is None:
        return unscored(name, "too little speech to rate its quality")
    spoken = float(speech.facts.get("speech_seconds") or 0.0)
    untold = min(float(speech.facts.get("untold_seconds") or 0.0) / spoken, 1.0) if spoken else 0.0
    quality = falling(-mos, -CLEAR_MOS, -POOR_MOS)
    parts: dict[str, float] = {}
    if sure is not None and (speech.facts.get("words") or 0) >= LEAST_WORDS:
        plain = falling(-sure, -CLEAR_CONFIDENCE, -POOR_CONFIDENCE)
        parts["words"] = plain * (1 - untold)
    lines = asked_lines(facts)
    words = [str(w) for w in speech.columns["word"]]
    if lines and words and not other_writing(lines, words):
        said = [line for line in compare(lines, words).lines if line.share >= FOUND_SHARE]
        if said:
            parts["script"] = float(np.mean([line.share for line in said]))
    evidence = [*_unclear(facts), *_untold(facts)]
    if quality < 1:
        voices = speech.events_of("voice")
        poor = f"the voice sounds poor (DNSMOS {mos:.1f} of 5)"
        evidence.append(Evidence(start=voices[0].start, end=max(e.end for e in voices), what=poor))
    figures = {
        "mos_overall": mos,
        "word_confidence": sure,
        "untold_share": untold,
        "quality": quality,
        **parts,
    }
    if not parts:
        return unscored(name, "too few words were understood to tell how clear they are", evidence, **figures)
    value = min(parts.values()) * (1 - STRAIN * (1 - quality))
    language = speech.facts.get("language_confidence")
    return as_sure_as(scored(name, value, evidence, **figures), 1.0 if language is None else float(language))


def _unclear(facts: Facts) -> Iterator[Evidence]:
    for event in facts.signals["speech"].events_of("speech"):
        if event.value is not None and event.value < UNSURE_LINE:
            what = f"unsure words ({event.value:.0%}): {_quote(event.what)}"
            yield Evidence(start=event.start, end=event.end, what=what)


def _untold(facts: Facts) -> Iterator[Evidence]:
    for event in facts.signals["speech"].events_of("untold"):
        yield Evidence(start=event.start, end=event.end, what=f"words not understood: {event.what}")
