"""Flicker, smoothness and motion on films drawn for it, whose pictures NumPy knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

import films
import longtake
from longtake.core.measurement import Measurement

LOSSLESS = films.Encoding(fps=24, options=(("crf", "0"), ("preset", "ultrafast")))
SIZE = (192, 256)
FLOW = ("vb.dynamic_degree",)
pytestmark = pytest.mark.usefixtures("own_cache")


def ground(seed: int = 1, width: int = 900) -> np.ndarray:
    """A textured ground, smooth enough to be followed."""
    noise = np.random.default_rng(seed).uniform(0, 255, (SIZE[0] // 8, width // 8, 3)).astype(np.float32)
    wide = cv2.resize(noise, (width, SIZE[0]), interpolation=cv2.INTER_CUBIC)
    return np.clip(wide, 20, 235).astype(np.uint8)


GROUND = ground()


def pan(step: float, frames: int, start: int = 0) -> list[np.ndarray]:
    """The camera goes ``step`` px a frame to the right."""
    at = [start + round(step * k) for k in range(frames)]
    return [GROUND[:, x : x + SIZE[1]] for x in at]


def flickering(levels: int, frames: int = 36) -> list[np.ndarray]:
    """A still picture that is lighter by so many levels in each second frame."""
    still = GROUND[:, : SIZE[1]].astype(np.int16)
    return [np.clip(still + levels * (k % 2), 0, 255).astype(np.uint8) for k in range(frames)]


def film(path: Path, pictures: list[np.ndarray]) -> Path:
    films.write(path, iter(pictures), LOSSLESS)
    return path


def told(path: Path, *names: str) -> dict[str, Measurement]:
    """Measurements by evaluator and quantity."""
    document = longtake.score(path, names, workers=1)
    assert not document.failures
    return {
        f"{result.evaluator.removeprefix('vb.')}.{m.name}": m
        for result in document.results
        for m in result.measurements
    }


def decoded(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="bgr24") for frame in container.decode(video=0)]


def test_a_frozen_film_flickers_not_at_all_and_earns_no_motion(tmp_path: Path) -> None:
    found = told(
        film(tmp_path / "still.mp4", pan(0, 60)),
        "vb.temporal_flickering",
        "vb.dynamic_degree",
        "vb.motion_smoothness",
    )
    flicker = found["temporal_flickering.temporal_flickering"]
    assert flicker.value == 1.0
    assert found["temporal_flickering.static"].value == 1.0
    assert flicker.facts["frozen"] == 1.0
    assert any("no merit" in e.what for e in flicker.evidence)
    assert found["dynamic_degree.dynamic_degree"].value == 0.0
    assert found["dynamic_degree.speed"].value == pytest.approx(0.0, abs=0.05)
    smooth = found["motion_smoothness.motion_smoothness"]
    assert smooth.status == "not_applicable"
    assert smooth.reason is not None
    assert "frozen" in smooth.reason


def test_flicker_is_the_mean_absolute_difference_that_numpy_finds(tmp_path: Path) -> None:
    path = film(tmp_path / "pan.mp4", pan(2, 40))
    frames = [f.astype(np.float64) for f in decoded(path)]
    differences = [np.abs(a - b).mean() for a, b in zip(frames[1:], frames[:-1], strict=True)]
    found = told(path, "vb.temporal_flickering")["temporal_flickering.temporal_flickering"]
    assert found.value == pytest.approx((255 - np.mean(differences)) / 255, abs=2e-4)
    assert found.facts["frames"] == 39


def test_a_cut_is_no_flicker_and_no_roughness(tmp_path: Path) -> None:
    other = ground(2)[:, : SIZE[1]]
    path = film(tmp_path / "cut.mp4", [*pan(0, 48), *([other] * 24)])
    found = told(path, "vb.temporal_flickering", "vb.motion_smoothness")
    flicker = found["temporal_flickering.temporal_flickering"]
    assert flicker.facts["shots"] == 2
    assert flicker.value == 1.0
    assert found["motion_smoothness.motion_smoothness"].status == "not_applicable"


def test_shots_of_unequal_length_count_by_their_seconds(tmp_path: Path) -> None:
    other = ground(2)
    moving = [other[:, x : x + SIZE[1]] for x in range(0, 48, 2)]
    path = film(tmp_path / "unequal.mp4", [*pan(0, 72), *moving])
    frames = [f.astype(np.float64) for f in decoded(path)]
    second = np.mean([np.abs(a - b).mean() for a, b in zip(frames[73:], frames[72:-1], strict=True)])
    found = told(path, "vb.temporal_flickering")["temporal_flickering.temporal_flickering"]
    assert found.facts["shots"] == 2
    assert found.facts["frozen"] == pytest.approx(0.75, abs=0.01)
    assert found.value == pytest.approx((3 * 1.0 + 1 * (255 - second) / 255) / 4, abs=2e-4)


def test_more_flicker_is_less_steady_and_less_smooth(tmp_path: Path) -> None:
    steady, smooth = [], []
    for levels in (0, 8, 16, 30):
        path = film(tmp_path / f"{levels}.mp4", flickering(levels))
        found = told(path, "vb.temporal_flickering", "vb.motion_smoothness")
        steady.append(found["temporal_flickering.temporal_flickering"].value)
        smooth.append(found["motion_smoothness.motion_smoothness"].value)
    assert steady == sorted(steady, reverse=True)
    assert len(set(steady)) == 4
    assert smooth[0] is None  # nothing moves in it
    assert smooth[1:] == sorted(smooth[1:], reverse=True)
    assert len(set(smooth[1:])) == 3


def test_a_stutter_is_less_smooth_than_the_same_pan_and_is_pointed_at(tmp_path: Path) -> None:
    even = pan(3, 48)
    uneven = [*even[:24], even[23], *even[25:]]
    smooth, stutter = (
        told(film(tmp_path / f"{name}.mp4", pictures), "vb.motion_smoothness")[
            "motion_smoothness.motion_smoothness"
        ]
        for name, pictures in (("even", even), ("uneven", uneven))
    )
    assert smooth.value is not None
    assert stutter.value is not None
    assert smooth.value > stutter.value
    assert smooth.facts["error_levels"] == pytest.approx((1 - smooth.value) * 255, abs=1e-3)
    worst = stutter.evidence[0]
    assert worst.start <= 24 / 24 <= worst.end
    assert stutter.facts["proxy"] is True


@pytest.mark.parametrize("step", [1.5, 3.0])
def test_speed_is_that_of_the_pan_in_vbenchs_px(tmp_path: Path, step: float) -> None:
    found = told(film(tmp_path / "pan.mp4", pan(step, 48)), *FLOW)
    per_eighth = step * 24 / 8 * 256 / SIZE[0]
    assert found["dynamic_degree.speed"].value == pytest.approx(per_eighth, rel=0.1)
    assert found["dynamic_degree.dynamic_degree"].value == 1.0


def test_a_slow_pan_does_not_count_as_motion(tmp_path: Path) -> None:
    found = told(film(tmp_path / "pan.mp4", pan(0.5, 48)), *FLOW)
    assert found["dynamic_degree.dynamic_degree"].value == 0.0
    assert 1.0 < (found["dynamic_degree.speed"].value or 0) < 6.0


def test_half_a_film_that_moves_is_half_dynamic(tmp_path: Path) -> None:
    path = film(tmp_path / "half.mp4", [*pan(0, 96), *pan(5, 96)])
    found = told(path, *FLOW)["dynamic_degree.dynamic_degree"]
    assert found.value == pytest.approx(0.5)
    assert all(e.start < 4.0 for e in found.evidence)


def test_frame_rates_agree_on_motion(tmp_path: Path) -> None:
    speeds = []
    for fps in (8, 24, 48):
        path = tmp_path / f"{fps}.mp4"
        pictures = pan(96 / fps, fps * 2)
        films.write(path, iter(pictures), films.Encoding(fps=fps, options=LOSSLESS.options))
        speeds.append(told(path, *FLOW)["dynamic_degree.speed"].value)
    assert speeds == pytest.approx([speeds[0]] * 3, rel=0.05)


@pytest.mark.parametrize(
    ("pictures", "reason"),
    [
        (lambda: [np.zeros((*SIZE, 3), np.uint8)] * 30, "black"),
        (lambda: pan(0, 1), "too short"),
    ],
    ids=["black", "one frame"],
)
def test_what_cannot_be_measured_says_why(
    tmp_path: Path, pictures: Callable[[], list[np.ndarray]], reason: str
) -> None:
    found = told(
        film(tmp_path / "film.mp4", pictures()),
        "vb.temporal_flickering",
        "vb.dynamic_degree",
        "vb.motion_smoothness",
    )
    for name, one in found.items():
        assert one.status == "unscored", name
        assert one.value is None
    assert reason in (found["temporal_flickering.temporal_flickering"].reason or "")
    assert reason in (found["dynamic_degree.dynamic_degree"].reason or "")


def test_tiny_pictures_have_no_flow(tmp_path: Path) -> None:
    path = film(tmp_path / "tiny.mp4", [picture[:16, :64] for picture in pan(3, 24)])
    found = told(path, *FLOW)["dynamic_degree.dynamic_degree"]
    assert found.status == "unscored"
    assert "smaller than 32 px" in (found.reason or "")
