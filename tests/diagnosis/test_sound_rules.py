"""Rules of lips, voice and music on people who speak (GRID), clean and damaged, and by hand."""

from __future__ import annotations

import pytest
from by_hand import Spoken, film, signals

from longtake.core.measurement import Measurement
from longtake.core.signal import Event, Signal
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.rules.lipsync import lip_sync_quality
from longtake.diagnosis.rules.sound import bgm_volume_balance


def value(answer: Measurement) -> float:
    assert answer.value is not None, answer.reason
    return answer.value


def test_late_sound_is_heard_by_how_late_it_is(spoken: Spoken) -> None:
    clean = lip_sync_quality(spoken(["lipsync"]))
    late = lip_sync_quality(spoken(["lipsync"], "sound_shift", 0.4))
    assert value(clean) == 1
    assert not clean.evidence
    assert late.facts["lag"] == pytest.approx(0.4, abs=0.1)
    assert value(late) <= 0.5
    assert any("late" in e.what for e in late.evidence)


def test_music_over_a_voice_lowers_the_balance_with_its_level(spoken: Spoken) -> None:
    soft, loud = (spoken(["sound"], "music_bed", amplitude) for amplitude in (0.03, 0.2))
    assert value(bgm_volume_balance(soft)) >= 0.85
    assert value(bgm_volume_balance(loud)) <= 0.2
    assert all("over the music" in e.what for e in bgm_volume_balance(loud).evidence)
    assert bgm_volume_balance(spoken(["sound"])).status == "unscored"  # nobody plays


def lips(**facts: float | bool | str | None) -> Facts:
    columns = {"start": [1.0], "end": [4.0], "lag": [facts.get("lag") or float("nan")]}
    return gather(film(), signals(Signal("lipsync", 1, columns=columns, facts=facts)), None)


@pytest.mark.parametrize(("lag", "expected"), [(0.0, 1), (-0.1, 1), (0.3, 0.5), (-0.3, 0.5), (0.6, 0)])
def test_early_is_as_bad_as_late(lag: float, expected: float) -> None:
    assert value(lip_sync_quality(lips(lag=lag, margin=9.0))) == pytest.approx(expected)


def test_no_plain_lag_is_no_score_and_a_small_margin_is_unsure() -> None:
    unsure = lip_sync_quality(lips(lag=None, best_lag=0.4, margin=2.0, reason="the margin is small"))
    assert (unsure.status, unsure.reason) == ("unscored", "the margin is small")
    plain, thin = (lip_sync_quality(lips(lag=0.0, margin=m)).confidence for m in (9.0, 4.5))
    assert (thin or 0) < (plain or 0)


def test_balance_is_weighed_by_the_time_of_the_phrases() -> None:
    phrases = [Event("speech_over_music", 0, 3, 12.0), Event("speech_over_music", 5, 6, -3.0)]
    answer = bgm_volume_balance(gather(film(), signals(Signal("sound", 1, events=phrases)), None))
    assert value(answer) == pytest.approx(0.75)
    assert [e.start for e in answer.evidence] == [5]
