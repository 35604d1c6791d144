"""Frames for evaluators: those that a decoder gives, at its times, in the size that is asked for."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from longtake.execution.footage import FilmFootage
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.media.probe import probe

CLIPS = ("1_shots/skv_bikes.mp4", "1_shots/ax_sample.avi", "1_shots/gcs_chrome-clip.mp4")


def decoded(path: Path) -> list[tuple[float, NDArray[np.uint8]]]:
    """What PyAV alone gives: seconds from the first frame, and BGR."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        frames = [(f.pts * stream.time_base, f.to_ndarray(format="bgr24")) for f in container.decode(stream)]
    return [(float(t - frames[0][0]), picture) for t, picture in frames]


def of(path: Path, **bounds: Fraction) -> FilmFootage:
    film = open_video(path, **bounds)
    return FilmFootage(film, measure(film, ("container",), workers=1).film.times)


@pytest.mark.parametrize("name", CLIPS)
def test_times_and_pictures_are_the_decoders(name: str, media: Path) -> None:
    path = media / name
    footage, reference = of(path), decoded(path)
    np.testing.assert_allclose(footage.times, [t for t, _ in reference], atol=1e-4)
    wanted = [0, 1, len(reference) // 3, len(reference) // 2, len(reference) - 1]
    halfway = [(footage.times[i] + footage.times[min(i + 1, len(reference) - 1)]) / 2 for i in wanted]
    shown = list(footage.at(halfway[::-1]))  # in any order, between two frames: the one shown there
    assert [t for t, _ in shown] == pytest.approx([footage.times[i] for i in wanted], abs=1e-4)
    for (_, picture), i in zip(shown, wanted, strict=True):
        assert picture.dtype == np.uint8
        assert picture.shape == reference[i][1].shape
        assert np.abs(picture.astype(int) - reference[i][1].astype(int)).mean() < 2.5, i
        here = np.abs(picture.astype(int) - reference[i][1]).mean()
        for j in (i - 5, i + 5):
            if 0 <= j < len(reference) and np.abs(reference[i][1].astype(int) - reference[j][1]).mean() > 4:
                assert here < np.abs(picture.astype(int) - reference[j][1]).mean(), (i, j)


@pytest.mark.parametrize("name", CLIPS[:1])
def test_a_stretch_has_all_its_frames_and_no_other(name: str, media: Path) -> None:
    footage = of(media / name)
    found = [t for t, _ in footage.between(2.0, 3.0, short_side=32)]
    assert found == pytest.approx([t for t in footage.times if 2.0 <= t < 3.0], abs=1e-4)
    assert len(found) == 25
    assert [t for t, _ in footage.between(3.0, 3.0)] == []
    assert [t for t, _ in footage.between(60.0, 61.0)] == []
    both = [t for t, _ in footage.between(1.0, 2.0, 32)] + [t for t, _ in footage.between(2.0, 3.0, 32)]
    assert both == sorted(set(both))  # neighbours share no frame


def test_each_picture_is_given_once_however_often_it_is_asked_for(media: Path) -> None:
    footage = of(media / CLIPS[0])
    found = [t for t, _ in footage.at([1.0, 1.001, 1.002, 1.04, 9.0, 1.0], short_side=32)]
    assert found == pytest.approx([1.0, 1.04, 9.0], abs=1e-4)
    assert list(footage.at([])) == []
    twice = [t + more for t in footage.times[:50] for more in (0.0, 0.01)]  # k/25 s is no float
    found = [t for t, _ in footage.at(twice, short_side=32)]
    assert found == pytest.approx(list(footage.times[:50]), abs=1e-4)


def test_the_shorter_side_is_scaled_and_nothing_is_enlarged(media: Path) -> None:
    footage = of(media / CLIPS[0])  # 640 x 272
    ((_, small),) = footage.at([1.0], short_side=68)
    ((_, large),) = footage.at([1.0], short_side=1000)
    assert small.shape == (68, 160, 3)
    assert large.shape == (272, 640, 3)
    blocks = large.reshape(68, 4, 160, 4, 3).mean(axis=(1, 3))  # by area
    assert np.abs(small - blocks).mean() < 2


def test_a_part_keeps_the_films_clock(media: Path) -> None:
    part = of(media / CLIPS[0], start=Fraction(4), end=Fraction(6))
    assert part.times[0] == pytest.approx(4.0, abs=1e-4)
    whole = dict(of(media / CLIPS[0]).at([5.0], short_side=64))
    ((time, picture),) = part.at([5.0], short_side=64)
    np.testing.assert_array_equal(picture, whole[time])


@pytest.mark.parametrize(
    ("name", "turns"), [("4_formats/mpy_fire2.mp4", 2), ("4_formats/ax_sample_rotate_and_reflect.mp4", None)]
)
def test_a_turned_film_is_shown_as_a_player_turns_it(name: str, turns: int | None, media: Path) -> None:
    """Of the second the file also asks for a reflection, so only its size is looked at."""
    facts = probe(open_video(media / name)).video
    assert facts is not None
    assert facts.rotation
    footage = of(media / name)
    ((_, picture),) = footage.at([0.0])
    assert picture.shape[:2] == (facts.height, facts.width)
    side = min(facts.height, facts.width) // 2
    ((_, small),) = footage.at([0.0], short_side=side)
    assert min(small.shape[:2]) == pytest.approx(side, abs=1)
    if turns is not None:
        (_, raw) = decoded(media / name)[0]
        assert np.abs(picture.astype(int) - np.rot90(raw, turns)).mean() < 3
        assert np.abs(picture.astype(int) - raw).mean() > 10
