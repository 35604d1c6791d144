"""Rules of speech on people who say known sentences (GRID), clean and damaged, and by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from by_hand import Spoken, film, signals

from longtake.core.brief import Brief, Line
from longtake.core.measurement import Measurement
from longtake.core.signal import Event, Signal
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.rules.speech import (
    speech_intelligibility,
    speech_timing,
    text_audio_consistency,
)
from sentences import CLIP_S, SENTENCES

ASKED = [
    Line(start=CLIP_S * i + 0.5, end=CLIP_S * i + 2.5, text=said) for i, said in enumerate(SENTENCES.values())
]
UNRELATED = [Line(start=1, end=3, text="the ship sails at dawn"), Line(start=5, end=7, text="nobody told me")]

Heard = Callable[..., Facts]


@pytest.fixture(scope="module")
def heard(spoken: Spoken) -> Heard:
    """Facts of the film of all clips, damaged or not, with these lines asked for."""

    def facts(operator: str | None = None, strength: float = 0, lines: list[Line] = ASKED) -> Facts:
        return spoken(["speech", "audio"], operator, strength, Brief(lines=lines))

    return facts


def value(answer: Measurement) -> float:
    assert answer.value is not None, answer.reason
    return answer.value


def test_clean_speech_in_its_place_is_not_punished(heard: Heard) -> None:
    facts = heard()
    assert value(speech_intelligibility(facts)) >= 0.85
    assert value(speech_timing(facts)) >= 0.85
    found = text_audio_consistency(facts)
    print(f"word error rate {found.facts['word_error_rate']:.3f}, clean")
    assert value(found) >= 0.75
    assert (found.confidence or 0) >= 0.7


def test_noise_lowers_what_can_be_understood(heard: Heard) -> None:
    clean, damaged = heard(), heard("sound_noise", 0.15)
    assert value(speech_intelligibility(damaged)) <= value(speech_intelligibility(clean)) - 0.4
    spoken, lost = text_audio_consistency(clean), text_audio_consistency(damaged)
    assert value(lost) <= value(spoken) - 0.4
    assert (lost.confidence or 0) < (spoken.confidence or 0)
    assert any("not heard" in e.what for e in lost.evidence)


def test_late_sound_is_out_of_its_place_and_cut_off(heard: Heard) -> None:
    late = heard("sound_shift", 2.0)
    answer = speech_timing(late)
    assert value(answer) <= 0.3
    assert any("late" in e.what for e in answer.evidence)
    assert any("still speaking" in e.what for e in answer.evidence)
    # Late is not unclear, and what is said is still what was asked for.
    assert value(speech_intelligibility(late)) >= 0.85
    assert value(text_audio_consistency(late)) >= 0.6


def test_lines_that_nobody_says(heard: Heard) -> None:
    facts = heard(lines=UNRELATED)
    assert value(text_audio_consistency(facts)) <= 0.1
    assert speech_timing(facts).facts["lines_timed"] == 0


def spoken(*words: str, **facts: float) -> Signal:
    columns = {"word": list(words), "start": [1.0 * i for i in range(len(words))]}
    known = {"mos_overall": 3.2, "confidence": 0.9, "words": len(words), "speech_seconds": 5.0}
    events = [Event("voice", 0, len(words) or 5.0, 0.9)]
    return Signal("speech", 1, columns=columns, events=events, facts={**known, **facts})


def with_lines(signal: Signal, *texts: str) -> Facts:
    lines = [Line(start=0, end=9, text=text) for text in texts]
    return gather(film(), signals(signal), Brief(lines=lines) if lines else None)


def test_no_sound_track_says_none_of_the_lines() -> None:
    mute = gather(film(audio=False), signals(), Brief(lines=ASKED))
    answer = text_audio_consistency(mute)
    assert answer.value == 0
    assert "no sound track" in answer.evidence[0].what


def test_unheard_is_not_unsaid_where_words_were_not_understood() -> None:
    deaf = with_lines(spoken(untold_seconds=4.0), "hello there you")
    assert text_audio_consistency(deaf).status == "unscored"
    assert text_audio_consistency(with_lines(spoken("你", "好"), "hello")).status == "unscored"
    assert text_audio_consistency(with_lines(spoken("hello"))).status == "not_applicable"


def test_nobody_speaking_has_no_timing_and_no_clearness() -> None:
    still = gather(film(), signals(Signal("speech", 1, facts={"speech_seconds": 0.0})), None)
    assert speech_timing(still).status == speech_intelligibility(still).status == "not_applicable"


def test_words_that_are_not_believed_weigh_on_clearness() -> None:
    clear = speech_intelligibility(with_lines(spoken("a", "b", "c")))
    half = speech_intelligibility(with_lines(spoken("a", "b", "c", untold_seconds=2.5)))
    assert value(clear) == 1
    assert value(half) == pytest.approx(0.5)


def test_a_voice_that_sounds_poor_is_pointed_at() -> None:
    clear = speech_intelligibility(with_lines(spoken("a", "b", "c")))
    poor = speech_intelligibility(with_lines(spoken("a", "b", "c", mos_overall=1.7)))
    assert not clear.evidence
    assert [(e.start, e.end) for e in poor.evidence] == [(0, 3)]
    # A quarter of the way from 1.4 to 2.6 is left: three quarters of a third are lost.
    assert value(poor) == pytest.approx(0.75)


def test_a_voice_without_words_has_no_timing() -> None:
    hummed = Signal("speech", 1, events=[Event("voice", 0, 9, 0.9)], facts={"speech_seconds": 9.0})
    assert speech_timing(gather(film(), signals(hummed), None)).status == "unscored"
