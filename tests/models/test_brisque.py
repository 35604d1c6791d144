"""BRISQUE against values of the published package (brisque 0.2.0), on pictures anyone can make again."""

from __future__ import annotations

import pickle
from pathlib import Path

import cv2
import numpy as np
import pytest
from scipy.stats import gennorm

from longtake.errors import InputError
from longtake.models import brisque, catalog

REFERENCE = {
    (7, "clean"): 36.093293667791585,
    (7, "blur"): 58.8263084311744,
    (7, "noise"): 47.61348923265629,
    (8, "clean"): 40.730468051268616,
    (8, "blur"): 61.8554904992404,
    (8, "noise"): 48.88084254851603,
}
"""What the package itself gave for these pictures as grey RGB (its features flattened for NumPy 2.4)."""


def clouds(seed: int, height: int = 240, width: int = 320) -> np.ndarray:
    """Noise with the 1/f spectrum of photographs."""
    spectrum = np.fft.rfft2(np.random.default_rng(seed).normal(0, 1, (height, width)))
    across, down = np.fft.rfftfreq(width)[None], np.fft.fftfreq(height)[:, None]
    picture = np.fft.irfft2(spectrum / np.maximum(np.hypot(down, across), 1 / width), (height, width))
    picture = (picture - picture.mean()) / picture.std() * 45 + 120
    return np.clip(np.round(picture), 0, 255).astype(np.uint8)


def damaged(seed: int, how: str) -> np.ndarray:
    picture = clouds(seed)
    if how == "blur":
        return cv2.GaussianBlur(picture, (0, 0), 2)
    if how == "noise":
        grain = np.random.default_rng(1).normal(0, 15, picture.shape)
        return np.clip(picture + grain, 0, 255).astype(np.uint8)
    return picture


@pytest.fixture
def files(weights: Path) -> dict[str, Path]:
    """The pulled weights of BRISQUE."""
    return catalog.require("brisque", weights)


@pytest.mark.parametrize(("seed", "how"), list(REFERENCE))
def test_scores_are_those_of_the_package(files: dict[str, Path], seed: int, how: str) -> None:
    model = brisque.load(files["svm.txt"], files["normalize.pickle"])
    rows = brisque.features(damaged(seed, how))[None]
    assert model.score(rows)[0] == pytest.approx(REFERENCE[seed, how], abs=2e-3)


def test_features_tell_damage_without_any_weights() -> None:
    clean, blurred = brisque.features(clouds(7)), brisque.features(damaged(7, "blur"))
    assert clean.shape == (36,)
    assert np.isfinite(clean).all()
    assert blurred[1] != pytest.approx(clean[1], rel=0.05)


def test_the_fit_finds_the_shape_of_a_known_distribution() -> None:
    for shape in (0.8, 1.5, 2.0):
        values = gennorm.rvs(shape, size=400_000, random_state=np.random.default_rng(2)).astype(np.float32)
        found, mean, left, right = brisque._fit(values)
        assert found == pytest.approx(shape, rel=0.03)
        assert mean == pytest.approx(0, abs=0.02)
        assert left == pytest.approx(right, rel=0.03)


def test_flat_and_tiny_pictures_have_no_features() -> None:
    assert np.isnan(brisque.features(np.full((20, 300), 9, np.uint8))).all()
    assert np.isnan(brisque.features(np.zeros((64, 64), np.uint8))).any()


class Evil:
    def __reduce__(self) -> tuple[object, ...]:
        return print, ("run",)


def test_a_pickle_that_names_code_is_refused(tmp_path: Path) -> None:
    svm = tmp_path / "svm.txt"
    svm.write_text("svm_type epsilon_svr\nkernel_type rbf\ngamma 0.05\nrho -1\nSV\n1 1:0.5\n")
    ranges = tmp_path / "normalize.pickle"
    ranges.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(InputError, match=r"names builtins\.print"):
        brisque.load(svm, ranges)
    ranges.write_bytes(pickle.dumps({"min_": [0.0] * 36, "max_": [1.0] * 36}))
    model = brisque.load(svm, ranges)
    row = np.full((1, 36), 0.5)
    # one vector, 0.5 away in one of its scaled features: weight * exp(-gamma * 0.25) - rho
    assert model.score(row)[0] == pytest.approx(np.exp(-0.05 * 0.25) + 1)
    assert np.isnan(model.score(np.full((1, 36), np.nan))[0])
    svm.write_text("not a model")
    with pytest.raises(InputError):
        brisque.load(svm, ranges)
