"""Sound by sample numbers: the same samples however they are asked for, and joins where they belong."""

import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from media_films import FPS, drifting

from longtake.media.open import open_video
from longtake.media.soundtrack import SoundTrack, Stretch, spliced
from longtake.media.write import FilmWriter

RATE = 48_000
SECONDS = 40


def signal(rate: int = RATE, seconds: float = SECONDS) -> np.ndarray:
    """Noise that never repeats, so that a place in it is known by what is heard."""
    return (np.random.default_rng(5).standard_normal(round(rate * seconds)) * 0.1).astype(np.float32)[None]


def film(path: Path, rate: int = RATE, seconds: float = SECONDS, codec: str = "pcm_s16le") -> Path:
    sound = signal(rate, seconds)
    with FilmWriter(path, 32, 32, FPS, sample_rate=rate, audio_codec=codec, gop=24) as out:
        for i, picture in enumerate(drifting(round(seconds * FPS), 32, 32)):
            out.picture(picture)
            out.sound(sound[:, i * rate // FPS : (i + 1) * rate // FPS])
    return path


def close(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and bool(np.abs(a - b).max(initial=0) < 1e-4)


def test_any_stretch_is_the_same_as_in_the_whole(tmp_path: Path) -> None:
    track = SoundTrack(open_video(film(tmp_path / "a.mov")), RATE, 1)
    whole = signal()
    draw = random.Random(2)
    places = [draw.randrange(SECONDS * RATE - 5000) for _ in range(12)]
    for place in [*places, 0, SECONDS * RATE - 5000]:
        assert close(track.take(place, 5000), whole[:, place : place + 5000])


def test_past_the_end_is_silence_or_nothing(tmp_path: Path) -> None:
    track = SoundTrack(open_video(film(tmp_path / "a.mov", seconds=3)), RATE, 2)
    end = 3 * RATE
    padded = track.take(end - 100, 300)
    assert padded.shape == (2, 300)
    assert not padded[:, 100:].any()
    assert track.take(end - 100, 300, pad=False).shape == (2, 100)
    assert track.take(end + 100, 300, pad=False).shape == (2, 0)


def test_a_part_begins_and_ends_where_it_says(tmp_path: Path) -> None:
    path = film(tmp_path / "a.mov", seconds=6)
    track = SoundTrack(open_video(path, start=Fraction(5, 2), end=Fraction(4)), RATE, 1)
    assert close(track.take(0, 3 * RATE, pad=False), signal(RATE, 6)[:, 5 * RATE // 2 : 4 * RATE])


def test_other_rates_stay_in_step(tmp_path: Path) -> None:
    path = film(tmp_path / "a.mov", rate=44_100, seconds=20)
    track = SoundTrack(open_video(path), RATE, 1)
    low = np.convolve(signal(44_100, 20)[0], np.ones(40) / 40, "same")  # what both rates can hold
    there = np.interp(np.arange(5 * RATE, 15 * RATE) / RATE, np.arange(len(low)) / 44_100, low)
    for first in (5 * RATE, 12 * RATE):
        taken = np.convolve(track.take(first - 200, RATE + 400)[0], np.ones(43) / 43, "same")[200:-200]
        inside = there[first - 5 * RATE :][:RATE]
        lags = range(-60, 61)
        fit = [float(np.dot(taken[100:-100], inside[100 + lag : len(inside) - 100 + lag])) for lag in lags]
        assert abs(lags[int(np.argmax(fit))]) <= 2


def test_aac_after_a_seek_is_as_before(tmp_path: Path) -> None:
    path = film(tmp_path / "a.mp4", codec="aac")
    whole = SoundTrack(open_video(path), RATE, 1).take(0, SECONDS * RATE)
    track = SoundTrack(open_video(path), RATE, 1)
    # After some seconds: before, this encoder has the decoder make up noise, which is another each time.
    for place in (30 * RATE, 12 * RATE, 17 * RATE + 123):
        assert close(track.take(place, RATE), whole[:, place : place + RATE])


def test_joins_are_sample_exact_and_fade(tmp_path: Path) -> None:
    track = SoundTrack(open_video(film(tmp_path / "a.mov")), RATE, 1)
    whole = signal()
    order = [(20 * RATE + 7, RATE), (3 * RATE, 2 * RATE + 1), (5 * RATE + 1, RATE), (0, 100)]
    made = np.concatenate(list(spliced([Stretch(track, a, n) for a, n in order])), axis=1)
    assert made.shape[1] == sum(n for _, n in order)
    at, fade = 0, round(0.005 * RATE)
    for i, (first, count) in enumerate(order):
        joined = i and order[i - 1][0] + order[i - 1][1] != first
        skip = min(fade, count) if joined else 0
        part = made[:, at : at + count]
        assert close(part[:, skip:], whole[:, first + skip : first + count])
        if joined:
            before = order[i - 1][0] + order[i - 1][1]
            low = np.minimum(whole[:, first : first + skip], whole[:, before : before + skip])
            high = np.maximum(whole[:, first : first + skip], whole[:, before : before + skip])
            assert np.all((part[:, :skip] >= low - 1e-4) & (part[:, :skip] <= high + 1e-4))
        at += count


def test_altered_sound_is_altered_once_and_in_order(tmp_path: Path) -> None:
    seen: list[tuple[float, int]] = []

    def alter(samples: np.ndarray, time: float, rate: int) -> np.ndarray:
        seen.append((time, samples.shape[1]))
        return samples * 2

    track = SoundTrack(open_video(film(tmp_path / "a.mov", seconds=5)), RATE, 1, alter)
    made = np.concatenate(list(spliced([Stretch(track, 0, RATE), Stretch(track, 3 * RATE, None)])), axis=1)
    whole = signal(RATE, 5) * 2
    fade = round(0.005 * RATE)
    assert close(made[:, :RATE], whole[:, :RATE])
    assert close(made[:, RATE + fade :], whole[:, 3 * RATE + fade :])
    ends = np.cumsum([0, *(n for _, n in seen)])
    assert [round(t * RATE) for t, _ in seen] == list(ends[:-1])
    with pytest.raises(ValueError, match="in order"):
        track.take(0, 10)


@pytest.mark.parametrize("late", [0.007, 0.4])
def test_sound_that_begins_after_the_picture_stays_there(tmp_path: Path, late: float) -> None:
    with FilmWriter(tmp_path / "a.mov", 32, 32, FPS, sample_rate=RATE, audio_codec="pcm_s16le") as out:
        out.samples = round(late * RATE)
        for i, picture in enumerate(drifting(48, 32, 32)):
            out.picture(picture)
            out.sound(signal(seconds=2)[:, i * 2000 : (i + 1) * 2000])
    track = SoundTrack(open_video(tmp_path / "a.mov"), RATE, 1)
    begin = round(late * RATE)
    assert not track.take(0, begin).any()
    assert close(track.take(begin, RATE), signal(seconds=2)[:, :RATE])
