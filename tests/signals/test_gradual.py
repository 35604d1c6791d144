"""Slow changes are found where they are, near the ends too, whatever the chunks; other things are not."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from measuring import Picture, made, rows_of

import films
from longtake.core.signal import Signal
from longtake.media.open import open_video
from longtake.models.weights import Weights, load
from longtake.signals import gradual_fit as fit
from longtake.signals.film import film_of
from longtake.signals.registry import LIGHT, ORDER, assemble_all, with_needs

FPS = 25
NEAR = 4
"""Frames by which a change's ends may be off."""


@pytest.fixture
def net(weights: Path) -> Weights:
    return load(["transnet-v2"], weights, 1)


def signals_of(path: Path, net: Weights | None) -> dict[str, Signal]:
    names = ["transitions", *(["gradual"] if net is not None else [])]
    merged = rows_of(path, names, weights=net)
    return assemble_all(merged, film_of(open_video(path), merged, has_sound=False), names)


def slow(signal: Signal) -> list[tuple[str, int, int]]:
    """Slow changes by kind and frames."""
    return [
        (r["kind"], round(r["start"] * FPS), round(r["end"] * FPS))
        for r in signal.rows()
        if r["kind"] not in ("cut", "join")
    ]


def joined(how: str, before: int, length: int, after: int) -> list[Picture]:
    """Two drifting pictures and ``length`` frames of change between them."""
    first = films.drifting(1, before + length, 0.6)
    second = films.drifting(2, length + after, -0.4)
    old, new = first[before:], second[:length]
    between = films.mixed(old, new) if how == "dissolve" else films.wiping(old, new, how)
    return [*first[:before], *between, *second[length:]]


def assert_one(found: list[tuple[str, int, int]], kind: str, start: int, end: int) -> None:
    assert [f[0] for f in found] == [kind]
    assert found[0][1] == pytest.approx(start, abs=NEAR)
    assert found[0][2] == pytest.approx(end, abs=NEAR)


@pytest.mark.parametrize("length", [10, 24])
@pytest.mark.parametrize("how", ["dissolve", *films.WIPES])
def test_a_slow_change_is_found_with_its_kind(tmp_path: Path, net: Weights, how: str, length: int) -> None:
    found = signals_of(made(tmp_path / "a.mp4", joined(how, 60, length, 60)), net)
    assert_one(slow(found["transitions"]), "dissolve" if how == "dissolve" else "wipe", 60, 60 + length)
    assert len(found["shots"]) == 2


@pytest.mark.parametrize("how", ["dissolve", "left"])
@pytest.mark.parametrize(("before", "after"), [(14, 70), (70, 14)])
def test_it_is_found_within_the_first_and_the_last_second(
    tmp_path: Path, net: Weights, how: str, before: int, after: int
) -> None:
    path = made(tmp_path / "a.mp4", joined(how, before, 10, after))
    kind = "dissolve" if how == "dissolve" else "wipe"
    assert_one(slow(signals_of(path, net)["transitions"]), kind, before, before + 10)
    assert slow(signals_of(path, None)["transitions"]) == []  # the light pass alone does not see it there


def test_a_cut_stays_a_cut(tmp_path: Path, net: Weights) -> None:
    pictures = [*films.drifting(1, 60), *films.drifting(2, 60)]
    found = signals_of(made(tmp_path / "a.mp4", pictures), net)["transitions"]
    assert found.columns["kind"].tolist() == ["cut"]
    assert found.columns["frame"].tolist() == [60]


def passing(frames: int = 100) -> list[Picture]:
    """A picture past which something large and dark goes and is gone."""
    pictures = [p.copy() for p in films.drifting(4, frames)]
    for i in range(16):
        left = int(192 * (-0.6 + 0.1 * i))
        pictures[40 + i][:, max(left, 0) : max(left + 90, 0)] = 20
    return pictures


@pytest.mark.parametrize(
    "pictures",
    [
        [films.scene(5)] * 100,
        films.drifting(6, 100, 3.0),
        passing(),
        [cv2.convertScaleAbs(p, alpha=1.0 + 0.02 * min(i, 40)) for i, p in enumerate(films.drifting(7, 100))],
    ],
    ids=["still", "pan", "passing", "brighter"],
)
def test_within_one_shot_there_is_none(tmp_path: Path, net: Weights, pictures: list[Picture]) -> None:
    found = signals_of(made(tmp_path / "a.mp4", pictures), net)
    assert slow(found["transitions"]) == []
    assert len(found["gradual"]) == 0


def test_rows_do_not_depend_on_the_chunks(tmp_path: Path, net: Weights) -> None:
    pictures = [*joined("dissolve", 45, 20, 60), *joined("right", 80, 16, 70)]
    path = made(tmp_path / "a.mp4", pictures)
    whole, parts = (rows_of(path, ["gradual"], seconds, net) for seconds in (60, 2))
    told = [np.isnan(np.asarray(rows["gradual.closed"], np.float64)) for rows in (whole, parts)]
    assert told[0].sum() >= 2
    for name in ("start", "end", "kind", "confidence", "probability"):
        a, b = (np.asarray(r[f"gradual.{name}"])[t] for r, t in zip((whole, parts), told, strict=True))
        np.testing.assert_array_equal(a, b)
    film = film_of(open_video(path), parts, has_sound=False)
    both = [assemble_all(rows, film, ["gradual"])["gradual"].rows() for rows in (whole, parts)]
    assert [r["start"] for r in both[0]] == [r["start"] for r in both[1]]


def test_the_net_is_asked_only_where_it_is_unclear(tmp_path: Path, net: Weights) -> None:
    pans = [signals_of(made(tmp_path / f"{i}.mp4", films.drifting(i, 120)), net) for i in range(8, 14)]
    clear = signals_of(made(tmp_path / "clear.mp4", joined("dissolve", 60, 20, 60)), net)["gradual"]
    moving = [films.drifting(1, 80, 2.0), films.drifting(2, 80, -2.0)]
    pictures = [*moving[0][:60], *films.mixed(moving[0][60:], moving[1][:20]), *moving[1][20:]]
    unclear = signals_of(made(tmp_path / "unclear.mp4", pictures), net)["gradual"]
    assert sum(pan["gradual"].facts["windows"] for pan in pans) <= len(pans)
    assert np.isnan(clear.columns["probability"]).all()
    assert unclear.facts["windows"] >= 1
    assert (unclear.columns["probability"] > 0.5).tolist() == [True]


def test_light_signals_go_without_it() -> None:
    assert "gradual" not in with_needs(LIGHT)
    assert ORDER.index("gradual") < ORDER.index("shots")


def test_a_front_is_told_from_a_mixture_and_from_noise() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(0, 256, (fit.PLACES, 3)).astype(np.float32) for _ in range(2))
    across = np.tile(np.arange(fit.WIDTH), fit.HEIGHT)
    wiped = np.stack([np.where((across < k)[:, None], b, a) for k in range(-1, fit.WIDTH + 1)])
    mixed = np.stack([a + (b - a) * t for t in np.linspace(0, 1, 18)]).astype(np.float32)
    at_random = rng.permutation(across)
    scattered = np.stack([np.where((at_random < k)[:, None], b, a) for k in range(-1, fit.WIDTH + 1)])
    assert fit.clearness(wiped) > 0.9
    assert fit.clearness(mixed) < 0.2
    assert fit.clearness(scattered) < 0.2
    assert fit.misfit(mixed) < 0.01
    assert fit.misfit(wiped) > 0.2
