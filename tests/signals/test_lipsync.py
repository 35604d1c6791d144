"""Lip-sync: sound that is moved against talking clips, and sound that is of another clip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
import pytest
from hearing import GRID, sound
from numpy.typing import NDArray

from longtake.core.signal import Event, Signal
from longtake.execution.measure import Measured, measure
from longtake.media.open import open_video
from longtake.media.write import FilmWriter
from longtake.signals import lipsync, speech
from longtake.signals.film import Film
from longtake.signals.lipsync_match import LAGS, RATE, match, mouth_speed, pooled, voice_speed
from longtake.signals.observer import Merged
from longtake.storage.cache import Cache
from sentences import CLIP_S

LATE_S = 0.4


def joined(path: Path, media: Path, late: float) -> Path:
    """The GRID clips one after the other, cut hard, with all sound ``late`` seconds late."""
    clips = [media / "2_speaking" / f"{name}.mpg" for name in GRID]
    sounds = []
    for clip in clips:
        samples, rate = sound(clip)
        whole = np.zeros((2, round(CLIP_S * rate)), np.float32)
        count = min(samples.shape[1], whole.shape[1])
        whole[:, :count] = samples[:, :count]
        sounds.append(whole)
    heard = np.concatenate([np.zeros((2, round(late * rate)), np.float32), *sounds], axis=1)
    with FilmWriter(path, 360, 288, 25, sample_rate=rate, channels=2) as film:
        at = 0
        for clip in clips:
            with av.open(str(clip)) as container:
                for frame in container.decode(video=0):
                    film.picture(frame.to_ndarray(format="bgr24"))
                    end = round(film.pictures / 25 * rate)
                    film.sound(heard[:, at:end])
                    at = end
    return path


@dataclass(frozen=True)
class Talk:
    """The film as measured, with its sound 0.4 s late."""

    measured: Measured

    @property
    def signal(self) -> Signal:
        return self.measured.signals["lipsync"]

    def with_sound(self, seconds: float = 0.0, clips: int = 0) -> Signal:
        """The signal with the sound moved from where it belongs, or with that of so many clips further."""
        merged, film = dict(self.measured.merged), self.measured.film
        length = len(GRID) * CLIP_S
        for name in [n for n in merged if n.startswith("speech_")]:
            table = name.partition(".")[0]
            clock = "time" if f"{table}.time" in merged else "start"
            times = np.asarray(self.measured.merged[f"{table}.{clock}"], np.float64) - LATE_S
            places = (times + clips * CLIP_S) % length + seconds if clips else times + seconds
            values = np.asarray(merged[name])
            if name.endswith((".time", ".start", ".end")):
                values = values - np.asarray(self.measured.merged[f"{table}.{clock}"]) + places
            merged[name] = values[np.argsort(places, kind="stable")]
        done = {**self.measured.signals.by_name, **_needs(self.measured)}
        done["speech"] = speech.assemble(merged, film, done)
        return lipsync.assemble(merged, film, done)


def _needs(measured: Measured) -> dict[str, Signal]:
    from longtake.signals.registry import assemble_all

    return assemble_all(measured.merged, measured.film, ["faces", "speech"])


@pytest.fixture(scope="module")
def talk(weights_root: Path, media: Path, tmp_path_factory: pytest.TempPathFactory) -> Talk:
    root = tmp_path_factory.mktemp("lipsync")
    (root / "models").symlink_to(weights_root / "models", target_is_directory=True)
    path = joined(root / "late.mp4", media, LATE_S)
    return Talk(measure(open_video(path), ["lipsync"], cache=Cache(root), workers=1))


def test_late_sound_of_a_film_shows_as_that_lag(talk: Talk) -> None:
    facts, columns = talk.signal.facts, talk.signal.columns
    print(f"the film: lag {facts['lag']}, margin {facts['margin']:.1f}; stretches {columns['best_lag']}")
    assert talk.signal.status == "ok"
    assert facts["lag"] == pytest.approx(LATE_S, abs=0.06)
    assert facts["in_sync"] is False
    assert facts["margin"] > 6
    assert 8 < facts["judged_seconds"] < 14
    assert len(talk.signal) == len(GRID)
    right = np.abs(columns["best_lag"] - LATE_S) <= 0.1
    assert right.sum() >= 6, "each clip by itself has the right lag, sure or not"
    assert (np.abs(columns["lag"][columns["sure"]] - LATE_S) <= 0.1).all()
    assert np.isnan(columns["lag"][~columns["sure"]]).all()


@pytest.mark.parametrize("seconds", [-0.8, -0.5, -0.2, 0.0, 0.2, 0.6, 0.8])
def test_every_delay_shows(talk: Talk, seconds: float) -> None:
    signal = talk.with_sound(seconds)
    assert signal.facts["lag"] == pytest.approx(seconds, abs=0.06)
    assert signal.facts["in_sync"] is (seconds == 0.0)
    assert signal.facts["margin"] > 6
    told = signal.columns["lag"][signal.columns["sure"]]
    assert (np.abs(told - seconds) <= 0.1).all()


@pytest.mark.parametrize("clips", range(1, len(GRID)))
def test_the_sound_of_another_clip_has_no_margin(talk: Talk, clips: int) -> None:
    signal = talk.with_sound(clips=clips)
    assert signal.facts["margin"] < lipsync.SURE_FILM
    assert signal.facts["sure"] is False
    assert signal.facts["lag"] is None
    assert signal.facts["in_sync"] is None
    assert "hardly better" in signal.facts["reason"]
    assert not signal.columns["sure"].any()


def test_one_clip_is_not_enough_to_accuse(talk: Talk) -> None:
    """Of a film with less voice than it takes no lag is told."""
    few = _cut(talk.measured.merged, 3.0)
    film = Film(3.0, talk.measured.film.times[:75], 0.04, 360, 288, has_sound=True, end=3.0)
    done = _needs(talk.measured)
    done["speech"] = speech.assemble(few, film, done)
    signal = lipsync.assemble(few, film, done)
    assert signal.facts["lag"] is None
    assert signal.facts["reason"] == "less than 2 s of voice with a mouth in the picture"


def _cut(merged: Merged, end: float) -> dict[str, NDArray[np.generic]]:
    """Rows before a time."""
    kept = {}
    for name, values in merged.items():
        table = name.partition(".")[0]
        clock = next((merged[f"{table}.{c}"] for c in ("time", "start") if f"{table}.{c}" in merged), None)
        kept[name] = values if clock is None else values[np.asarray(clock, np.float64) < end]
    return kept


def test_without_faces_or_speech_it_is_skipped() -> None:
    film = Film(5.0, np.arange(0, 5, 0.04), 0.04, 360, 288, has_sound=True, end=5.0)
    absent = Signal("speech", 1, "skipped", "no sound track")
    signal = lipsync.assemble({}, film, {"faces": Signal("faces", 1), "speech": absent})
    assert (signal.status, signal.reason) == ("skipped", "it needs speech: no sound track")


def test_no_mouth_while_somebody_speaks() -> None:
    film = Film(5.0, np.arange(0, 5, 0.04), 0.04, 360, 288, has_sound=True, end=5.0)
    rows: Mapping[str, NDArray[np.generic]] = {
        **{f"faces.{n}": np.zeros(0) for n in ("time", "order", "score", "mesh")},
        "faces.box": np.zeros((0, 4)),
        "faces.pose": np.zeros((0, 3)),
        **{f"faces_identity.{n}": np.zeros(0) for n in ("time", "order")},
        "faces_identity.numbers": np.zeros((0, 128)),
        **{f"mouths.{n}": np.zeros(0) for n in ("time", "look", "order", "opening")},
    }
    heard = Signal("speech", 1, events=[Event("voice", 0.0, 5.0, 0.9)])
    signal = lipsync.assemble(rows, film, {"faces": Signal("faces", 1), "speech": heard})
    assert signal.usable
    assert len(signal) == 0
    assert signal.facts["lag"] is None
    assert signal.facts["judged_seconds"] == 0.0
    assert signal.facts["reason"]


def syllables(seconds: float, seed: int) -> NDArray[np.float64]:
    """A level that goes up and down like speech, dB."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(0, 1, round(seconds * RATE))
    return -40 + 12 * np.convolve(steps, np.hanning(12), "same")


@pytest.mark.parametrize("lag", [-0.6, 0.0, 0.3])
def test_a_mouth_that_follows_the_voice_is_placed(lag: float) -> None:
    level = syllables(60, 1)
    first, count = 1000, 300
    moved = level[first + round(lag * RATE) : first + round(lag * RATE) + count]
    opening = 0.05 + 0.1 * (moved - moved.min()) / np.ptp(moved)
    found = match(mouth_speed(opening), voice_speed(level, -20.0), first, [500, 1150, 2000], 7)
    assert found.lag == pytest.approx(lag, abs=0.021)
    assert found.margin > 5
    assert found.inside


def test_a_mouth_of_its_own_has_no_margin() -> None:
    level = syllables(60, 1)
    margins = []
    for seed in range(20):
        other = syllables(6, 100 + seed)
        opening = 0.05 + 0.1 * (other - other.min()) / np.ptp(other)
        found = match(mouth_speed(opening), voice_speed(level, -20.0), 1000, [500, 1150, 2000], seed)
        margins.append(found.margin)
    assert np.mean(margins) == pytest.approx(0.0, abs=0.6)
    assert max(margins) < lipsync.SURE


def test_pooling_is_the_weighted_mean() -> None:
    level = syllables(60, 1)
    mouths = [mouth_speed(0.1 + 0.01 * syllables(6, s) / 12) for s in (1, 2)]
    one, two = (match(m, voice_speed(level, -20.0), 1000, [1150], 0) for m in mouths)
    both = pooled([one, two], [1.0, 3.0])
    assert both.curve == pytest.approx((one.curve + 3 * two.curve) / 4)
    assert both.nulls == pytest.approx((one.nulls + 3 * two.nulls) / 4, abs=1e-6)
    assert len(both.curve) == len(LAGS)
