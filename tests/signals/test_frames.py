"""Representative frames: which, how large, how many."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from measuring import made, rows_of

import films
from longtake.core.signal import Signal
from longtake.media.open import open_video
from longtake.signals import frames
from longtake.signals.film import film_of
from longtake.signals.registry import assemble_all


def test_every_shot_is_represented_by_its_own_pictures(tmp_path: Path) -> None:
    shots = [films.drifting(seed, n) for seed, n in ((1, 60), (2, 15), (3, 50))]
    path = made(tmp_path / "film.mp4", [p for shot in shots for p in shot])
    merged = rows_of(path, ["frames"])
    film = film_of(open_video(path), merged, has_sound=False)
    signal = assemble_all(merged, film, ["frames"])["frames"]
    pictures = frames.jpegs(merged)
    assert signal.facts["kept"] == len(pictures)
    assert set(signal.columns["shot"]) == {0, 1, 2}
    starts = [0, 60, 75, 125]
    for shot, frame, index in zip(*(signal.columns[c] for c in ("shot", "frame", "jpeg")), strict=True):
        assert starts[shot] <= frame < starts[shot + 1]
        picture = cv2.imdecode(np.frombuffer(pictures[index], np.uint8), cv2.IMREAD_COLOR)
        assert picture.shape[1] == frames.WIDTH
        original = shots[shot][frame - starts[shot]]
        wanted = cv2.resize(original, picture.shape[1::-1], interpolation=cv2.INTER_AREA)
        assert np.abs(picture.astype(int) - wanted.astype(int)).mean() < 12
    assert all(np.bincount(signal.columns["shot"]) <= frames.PER_SHOT)


@pytest.mark.media
def test_pictures_stand_upright(media: Path) -> None:
    path = media / "4_formats" / "ax_sample_rotate_and_reflect.mp4"
    merged = rows_of(path, ["frames"])
    film = film_of(open_video(path), merged, has_sound=False)
    picture = cv2.imdecode(np.frombuffer(frames.jpeg(merged, 0), np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape[0] / picture.shape[1] == pytest.approx(film.height / film.width, rel=0.02)


def test_three_hours_stay_within_bounds() -> None:
    cells = {frames._cell(Fraction(i, 4)) for i in range(3 * 3600 * 4)}
    assert len(cells) < 3600
    times = np.arange(0, 3 * 3600, 3.0)
    merged = {
        "frames.time": times,
        "frames.sharpness": np.ones(len(times), np.float32),
        "frames.bytes": np.full(len(times), 2),
        "frames_jpeg.data": np.zeros(2 * len(times), np.uint8),
    }
    starts = np.arange(0, len(times), 3)
    shots = Signal("shots", 1, columns={"first_frame": starts, "last_frame": starts + 2})
    film = SimpleNamespace(frames=len(times), index_of=lambda t: np.searchsorted(times, t))
    signal = frames.assemble(merged, film, {"shots": shots})  # type: ignore[arg-type]
    assert len(signal) == frames.PER_FILM
    assert len(set(signal.columns["shot"])) == frames.PER_FILM
    assert signal.columns["time"][0] < 60
    assert signal.columns["time"][-1] > 3 * 3600 - 60
