"""Perturbations on a real clip: the file, its record and its control."""

import itertools
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from longtake.errors import InputError
from longtake.media.open import open_video
from longtake.meta.perturbations import join, perturb, reencode


def grey(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as film:
        return [
            f.reformat(width=64, height=36, format="gray").to_ndarray().astype(int)
            for f in film.decode(video=0)
        ]


def sound(path: Path) -> np.ndarray:
    with av.open(str(path)) as film:
        return np.concatenate([f.to_ndarray() for f in film.decode(audio=0)], axis=1)


@pytest.fixture
def silent(media: Path) -> Path:
    return media / "8_footage" / "tmh_stream_a.mp4"


@pytest.fixture
def sounding(media: Path) -> Path:
    return media / "8_footage" / "simpl_small_c.mp4"


def test_record_tells_where_the_copy_differs_from_its_control(silent: Path, tmp_path: Path) -> None:
    video = open_video(silent, end=Fraction(4))
    record = perturb(video, "black_frames", "medium", 3, tmp_path / "a.mp4", control=tmp_path / "b.mp4")
    damaged, control = grey(tmp_path / "a.mp4"), grey(tmp_path / "b.mp4")
    assert len(damaged) == len(control) == 120
    differs = [i for i, (a, b) in enumerate(zip(damaged, control, strict=True)) if np.abs(a - b).mean() > 5]
    span = record.changed[0].output
    assert span is not None
    assert abs(differs[0] / 29.97 - span.start) < 0.05
    assert abs((differs[-1] + 1) / 29.97 - span.end) < 0.05
    assert span.end - span.start == pytest.approx(15 / 29.97, abs=1e-4)  # whole frames
    assert (record.level, record.strength, record.mode) == ("medium", 0.5, "full")
    assert record.duration_in == pytest.approx(4.0, abs=0.05)


def test_same_seed_same_film(silent: Path, tmp_path: Path) -> None:
    video = open_video(silent, end=Fraction(2))
    first = perturb(video, "noise", "weak", 3, tmp_path / "a.mp4")
    second = perturb(video, "noise", "weak", 3, tmp_path / "b.mp4")
    assert first.changed == second.changed
    pairs = zip(grey(tmp_path / "a.mp4"), grey(tmp_path / "b.mp4"), strict=True)
    assert max(np.abs(a - b).mean() for a, b in pairs) < 0.5  # the encoder may differ by a level


def test_removed_span_shortens_picture_and_sound_alike(sounding: Path, tmp_path: Path) -> None:
    record = perturb(open_video(sounding), "drop_frames", "strong", 1, tmp_path / "a.mp4")
    whole = reencode(open_video(sounding), tmp_path / "b.mp4")
    assert record.duration_out == pytest.approx(whole - 1.2, abs=0.05)
    assert record.changed[0].output is None
    lost = (sound(tmp_path / "b.mp4").shape[1] - sound(tmp_path / "a.mp4").shape[1]) / 44100
    assert lost == pytest.approx(1.2, abs=0.05)


def test_part_is_damaged_on_the_films_own_clock(silent: Path, tmp_path: Path) -> None:
    video = open_video(silent, start=Fraction(4), end=Fraction(8))
    record = perturb(video, "freeze", "weak", 1, tmp_path / "a.mp4")
    change = record.changed[0]
    assert change.source is not None
    assert change.output is not None
    assert 4 < change.source.start < change.source.end < 8
    assert change.output.start == pytest.approx(change.source.start - 4)
    assert len(grey(tmp_path / "a.mp4")) == 120


def test_sound_damage_needs_sound(silent: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        perturb(open_video(silent), "click", "weak", 1, tmp_path / "a.mp4")
    assert not list(tmp_path.glob("*.mp4"))


def test_sound_gap_is_silent_where_the_record_says(sounding: Path, tmp_path: Path) -> None:
    record = perturb(open_video(sounding), "sound_gap", 1, 1, tmp_path / "a.mp4")
    span = record.changed[0].output
    assert span is not None
    samples = sound(tmp_path / "a.mp4")
    inside = samples[:, int((span.start + 0.1) * 44100) : int((span.end - 0.1) * 44100)]
    outside = samples[:, int((span.end + 0.1) * 44100) : int((span.end + 0.5) * 44100)]
    assert np.abs(inside).max() < 1e-3 < np.abs(outside).max()


def test_joined_films_follow_each_other(silent: Path, sounding: Path, tmp_path: Path) -> None:
    videos = [open_video(sounding, end=Fraction(2)), open_video(silent, end=Fraction(2))]
    length = join(videos, tmp_path / "a.mp4")
    assert length == pytest.approx(4.0, abs=0.1)
    pictures = grey(tmp_path / "a.mp4")
    jumps = [np.abs(b - a).mean() for a, b in itertools.pairwise(pictures)]
    assert abs((int(np.argmax(jumps)) + 1) / 29.97 - 2.0) < 0.1
