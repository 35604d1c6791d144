"""Rules of lips, voice and music on people who speak (GRID), clean and damaged, and by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from by_hand import film, signals

from longtake.core.measurement import Measurement
from longtake.core.signal import Event, Signal
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.rules.lipsync import lip_sync_quality
from longtake.diagnosis.rules.sound import bgm_volume_balance
from longtake.documents import video_entry
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.meta.perturbations import join, perturb
from longtake.storage.cache import Cache

CLIPS = ("bbaf2n", "lbax4n", "lrwp9a", "pwij3p", "sbia1a", "sbwe5n", "id2_swwp2s")

Measured = Callable[..., Facts]


@pytest.fixture(scope="module")
def measured(media: Path, weights_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Facts of the seven clips as one film, damaged or not."""
    folder = tmp_path_factory.mktemp("sound")
    (folder / "models").symlink_to(weights_root / "models", target_is_directory=True)
    clean = folder / "clean.mp4"
    join([open_video(media / "2_speaking" / f"grid_{name}.mpg") for name in CLIPS], clean)

    def facts(name: str, operator: str | None = None, strength: float = 0) -> Facts:
        path = clean if operator is None else folder / f"{operator}_{strength}.mp4"
        if not path.exists():
            perturb(open_video(clean), str(operator), strength, 1, path)
        video = open_video(path)
        found = measure(video, [name], cache=Cache(folder), workers=1)
        return gather(video_entry(video, found, None), found.signals, None)

    return facts


def value(answer: Measurement) -> float:
    assert answer.value is not None, answer.reason
    return answer.value


def test_late_sound_is_heard_by_how_late_it_is(measured: Measured) -> None:
    clean = lip_sync_quality(measured("lipsync"))
    late = lip_sync_quality(measured("lipsync", "sound_shift", 0.4))
    assert value(clean) == 1
    assert not clean.evidence
    assert late.facts["lag"] == pytest.approx(0.4, abs=0.1)
    assert value(late) <= 0.5
    assert any("late" in e.what for e in late.evidence)


def test_music_over_a_voice_lowers_the_balance_with_its_level(measured: Measured) -> None:
    soft, loud = (measured("sound", "music_bed", amplitude) for amplitude in (0.03, 0.2))
    assert value(bgm_volume_balance(soft)) >= 0.85
    assert value(bgm_volume_balance(loud)) <= 0.2
    assert all("over the music" in e.what for e in bgm_volume_balance(loud).evidence)
    assert bgm_volume_balance(measured("sound")).status == "unscored"  # nobody plays


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
