"""What is measured across a boundary."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from skimage.metrics import structural_similarity

import films
from longtake.core.signal import Signal
from longtake.media.planes import Planes
from longtake.signals import transitions
from longtake.signals.compare import Features, Flow, detail_correlation, difference, histogram_shift, ssim
from longtake.signals.film import Film
from longtake.signals.suspects import EVIDENCE

Image = np.ndarray


def grey(seed: int) -> Image:
    return cv2.cvtColor(films.scene(seed, (256, 144)), cv2.COLOR_BGR2GRAY)


def planes(seed: int) -> Planes:
    y, u, v = cv2.split(cv2.cvtColor(films.scene(seed, (256, 144)), cv2.COLOR_BGR2YUV))
    return Planes(y, cv2.resize(u, (64, 36)), cv2.resize(v, (64, 36)))


@pytest.mark.parametrize("other", [1, 2])
def test_ssim_is_the_gaussian_one(other: int) -> None:
    a = grey(1)
    b = cv2.GaussianBlur(grey(other), (0, 0), 1.5)
    expected = structural_similarity(
        a.astype(float),
        b.astype(float),
        gaussian_weights=True,
        sigma=1.5,
        use_sample_covariance=False,
        data_range=255,
    )
    assert ssim(a, b) == pytest.approx(expected, abs=2e-5)
    assert ssim(a, a) == pytest.approx(1, abs=1e-6)


def test_ssim_of_a_tiny_picture_is_not_measured() -> None:
    assert np.isnan(ssim(np.zeros((8, 8), np.uint8), np.zeros((8, 8), np.uint8)))


def test_same_and_other_pictures() -> None:
    a, b = planes(1), planes(2)
    assert difference(a, a) == 0
    assert difference(a, b) > 20
    assert histogram_shift(a, a) == 0
    assert 0.2 < histogram_shift(a, b) <= 1
    assert detail_correlation(a.y, a.y) == pytest.approx(1)
    assert abs(detail_correlation(a.y, b.y)) < 0.3
    assert Features().shared(a.y, a.y) > 0.9
    assert Features().shared(a.y, b.y) < 0.1


def test_detail_survives_a_change_of_light() -> None:
    a = grey(3)
    assert detail_correlation(a, (a * 0.5 + 60).astype(np.uint8)) > 0.95


def test_flow_measures_a_shift_and_undoes_it() -> None:
    wide = cv2.cvtColor(films.scene(4, (288, 144)), cv2.COLOR_BGR2GRAY)
    a, b = wide[:, :256].copy(), wide[:, 4:260].copy()
    flow = Flow()
    laid, speed = flow.follow(a, b)
    assert speed == pytest.approx(4 / 256, rel=0.2)
    assert cv2.norm(a, laid, cv2.NORM_L1) < 0.3 * cv2.norm(a, b, cv2.NORM_L1)
    assert np.isnan(flow.follow(a[:4, :4].copy(), b[:4, :4].copy())[1])


def assembled(luma: list[float], rms: list[float] | None, cut: int) -> Signal:
    """Transitions of a film of 25 fps with one sure cut, from rows alone."""
    n = len(luma)
    times = np.arange(n) / 25
    evidence = {
        "score": 60.0,
        "around": 1.0,
        "highest": 2.0,
        "ssim": 0.2,
        "hist_shift": 0.5,
        "unexplained": 50.0,
        "lasting_after": 60.0,
        "lasting_before": 60.0,
        "flow_before": 0.01,
        "flow_after": 0.02,
    }
    merged = {
        "container.time": times,
        "shots.score": np.zeros(n),
        "shots.luma": np.array(luma),
        "shots.spread": np.full(n, 40.0),
        "shots.u": np.where(np.arange(n) < cut, 120.0, 123.0),
        "shots.v": np.where(np.arange(n) < cut, 130.0, 134.0),
        "suspects.time": times[[cut]],
    } | {f"suspects.{name}": np.array([evidence.get(name, 0.0)]) for name in EVIDENCE}
    if rms is not None:
        merged |= {"audio.time": np.arange(len(rms)) / 10, "audio.rms_db": np.array(rms)}
    film = Film(n / 25, times, 1 / 25, 64, 36, rms is not None, end=n / 25)
    return transitions.assemble(merged, film, {})


def test_light_and_colour_across_a_cut() -> None:
    row = assembled([100.0] * 50 + [130.0] * 50, None, 50).rows()[0]
    assert row["kind"] == "cut"
    assert row["frame"] == 50
    assert row["luma_shift"] == pytest.approx(30)
    assert row["color_shift"] == pytest.approx(5)
    assert row["luma_sd"] == pytest.approx(0)
    assert row["ssim"] == pytest.approx(0.2)
    assert row["flow_after"] == pytest.approx(0.02)
    assert row["sound_jump_db"] is None
    assert row["sound_gap_s"] is None


def test_a_shot_that_changes_by_itself_shows_in_its_own_spread() -> None:
    row = assembled([100.0 + i % 2 * 20 for i in range(50)] + [130.0] * 50, None, 50).rows()[0]
    assert row["luma_sd"] == pytest.approx(np.sqrt(50), rel=0.05)


def test_sound_across_a_cut() -> None:
    quiet = assembled([100.0] * 100, [-20.0] * 20 + [-32.0] * 20, 50).rows()[0]
    assert quiet["sound_jump_db"] == pytest.approx(-12, abs=1e-6)
    assert quiet["sound_gap_s"] == 0
    gap = assembled([100.0] * 100, [-20.0] * 18 + [-90.0] * 4 + [-20.0] * 18, 50).rows()[0]
    assert gap["sound_gap_s"] == pytest.approx(0.4)


def test_every_column_is_described_and_filled() -> None:
    signal = assembled([100.0] * 100, None, 50)
    assert list(signal.columns) == list(transitions.SPEC.columns)
    assert all(len(c) == 1 for c in signal.columns.values())
