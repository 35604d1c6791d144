"""The dimensions on real clips: one worker equals several in any order, ranges, damage that must cost."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

import films
import longtake
from longtake.core.measurement import Measurement
from longtake.models import embedders
from longtake.models import weights as stored
from longtake.models.vectors import unit

CLIPS = ("8_footage/dc_guitar.mp4", "8_footage/dc_train.mp4", "8_footage/ad_ml1_03.mp4")
CHEAP = ("vb.temporal_flickering", "vb.dynamic_degree", "vb.aesthetic_quality")
Damage = Callable[[np.ndarray, int], np.ndarray]


def manifest(path: Path, clips: list[Path]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["id", "video"])
        table.writerows([clip.stem, str(clip)] for clip in clips)
    return path


def by_case(document: longtake.ScoreDocument) -> dict[tuple[str, str], list[Measurement]]:
    assert not document.failures
    return {(r.case, r.evaluator): list(r.measurements) for r in document.results}


def told(path: Path, *names: str) -> dict[str, Measurement]:
    document = longtake.score(path, names, workers=1)
    assert not document.failures
    return {f"{r.evaluator}.{m.name}": m for r in document.results for m in r.measurements}


def damaged(source: Path, path: Path, how: Damage) -> Path:
    pictures = films.pictures_of(source, (256, 256))
    films.write(path, (how(picture, k) for k, picture in enumerate(pictures)), films.Encoding(fps=8))
    return path


def untouched(picture: np.ndarray, _: int) -> np.ndarray:
    return picture


def noisy(sigma: float) -> Damage:
    def how(picture: np.ndarray, k: int) -> np.ndarray:
        noise = np.random.default_rng(k).normal(0, sigma, picture.shape)
        return np.clip(picture + noise, 0, 255).astype(np.uint8)

    return how


def greyer(picture: np.ndarray, _: int) -> np.ndarray:
    return np.clip(128 + (picture.astype(np.float32) - 128) * 0.4, 0, 255).astype(np.uint8)


def blurred(picture: np.ndarray, _: int) -> np.ndarray:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 3), np.uint8)


def test_one_worker_equals_two_in_any_order(
    media: Path, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clips = [media / name for name in CLIPS]
    mixed = clips[:]
    random.Random(3).shuffle(mixed)
    alone = longtake.score(manifest(tmp_path / "a.csv", clips), ["vb.*"], workers=1)
    other = tmp_path / "other-cache"
    other.mkdir()
    (other / "models").symlink_to(weights / "models", target_is_directory=True)
    monkeypatch.setenv("LONGTAKE_CACHE", str(other))
    together = longtake.score(manifest(tmp_path / "b.csv", mixed[::-1]), ["vb.*"], workers=2)
    assert by_case(alone) == by_case(together)
    assert len(by_case(alone)) == 7 * len(clips)


def test_every_dimension_speaks_of_a_real_clip_and_names_its_proxy(media: Path, weights: Path) -> None:
    found = told(media / CLIPS[0], "vb.*")
    assert {name for name, m in found.items() if m.status == "unscored"} == set()
    for name, m in found.items():
        if m.status == "scored" and "flickering.temporal" not in name:
            assert m.facts["proxy"] is True, name
    assert found["vb.subject_consistency.across"].status == "not_applicable"
    assert 0.5 < (found["vb.subject_consistency.within"].value or 0) < 1


def test_likeness_within_is_that_of_the_models_own_vectors(media: Path, weights: Path) -> None:
    path = media / CLIPS[0]  # 8 frames a second, 256 x 256
    files = stored.load((embedders.DEFAULT, embedders.NAMES), weights, 1)
    model = embedders.MobileNet(files[embedders.DEFAULT], files[embedders.NAMES])
    rows = unit(np.asarray(model.pictures(films.pictures_of(path, (256, 256))[::2]), np.float64))
    wanted = np.mean([(rows[i] @ rows[i - 1] + rows[i] @ rows[0]) / 2 for i in range(1, len(rows))])
    found = told(path, "vb.subject_consistency")["vb.subject_consistency.within"]
    assert found.facts["frames"] == len(rows)
    assert found.value == pytest.approx(wanted, abs=2e-3)


def test_two_unlike_clips_joined_are_alike_within_and_not_across(
    media: Path, weights: Path, tmp_path: Path
) -> None:
    pictures = [p for name in CLIPS[:2] for p in films.pictures_of(media / name, (256, 256))]
    path = tmp_path / "joined.mp4"
    films.write(path, iter(pictures), films.Encoding(fps=8))
    found = told(path, "vb.background_consistency")
    within, across, whole = (
        found[f"vb.background_consistency.{name}"].value
        for name in ("within", "across", "background_consistency")
    )
    assert within is not None
    assert across is not None
    assert across < within - 0.2
    assert whole == pytest.approx((within + across) / 2)
    assert found["vb.background_consistency.first_frames"].value == pytest.approx(across, abs=0.2)


def test_a_real_clip_held_still_loses_its_motion_and_is_told(
    media: Path, tmp_path: Path, weights: Path
) -> None:
    source = media / CLIPS[1]
    first = films.pictures_of(source, (256, 256))[0]
    moving = told(damaged(source, tmp_path / "moving.mp4", untouched), "vb.dynamic_degree")
    held = told(
        damaged(source, tmp_path / "held.mp4", lambda *_: first),
        "vb.dynamic_degree",
        "vb.subject_consistency",
    )
    assert held["vb.dynamic_degree.dynamic_degree"].value == 0.0
    speeds = [found["vb.dynamic_degree.speed"].value or 0.0 for found in (held, moving)]
    assert speeds[0] < 0.1 < speeds[1]
    assert held["vb.subject_consistency.within"].facts["frozen"] == 1.0


def test_noise_costs_steadiness_step_by_step(media: Path, tmp_path: Path, own_cache: None) -> None:
    values = [
        told(damaged(media / CLIPS[0], tmp_path / f"{sigma}.mp4", noisy(sigma)), "vb.temporal_flickering")[
            "vb.temporal_flickering.temporal_flickering"
        ].value
        for sigma in (0, 8, 24)
    ]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == 3


@pytest.mark.parametrize("name", CLIPS)
@pytest.mark.parametrize("how", [greyer, blurred])
def test_the_proxy_of_beauty_falls_with_contrast_and_detail(
    media: Path, tmp_path: Path, own_cache: None, name: str, how: Damage
) -> None:
    clean, worse = (
        told(damaged(media / name, tmp_path / f"{k}.mp4", one), "vb.aesthetic_quality")[
            "vb.aesthetic_quality.aesthetic_quality"
        ]
        for k, one in enumerate((untouched, how))
    )
    assert clean.value is not None
    assert worse.value is not None
    assert worse.value < clean.value - 0.05
    assert clean.facts["proxy"] is True
    assert "proxy:picture" in str(clean.facts["model"])


@pytest.mark.parametrize("name", CLIPS)
def test_the_proxy_of_imaging_falls_with_blur(media: Path, tmp_path: Path, weights: Path, name: str) -> None:
    clean, worse = (
        told(damaged(media / name, tmp_path / f"{k}.mp4", one), "vb.imaging_quality")[
            "vb.imaging_quality.imaging_quality"
        ].value
        for k, one in enumerate((untouched, blurred))
    )
    assert clean is not None
    assert worse is not None
    assert worse < clean - 0.1


def test_without_weights_it_says_so_and_the_others_go_on(media: Path, own_cache: None) -> None:
    found = told(media / CLIPS[0], "vb.imaging_quality", "vb.subject_consistency", *CHEAP)
    for name in ("vb.imaging_quality.imaging_quality", "vb.subject_consistency.subject_consistency"):
        assert found[name].status == "unscored"
        assert "longtake models pull" in (found[name].reason or "")
    assert found["vb.aesthetic_quality.aesthetic_quality"].status == "scored"


def test_where_the_shots_lie_must_be_known(media: Path, own_cache: None) -> None:
    document = longtake.score(media / CLIPS[0], CHEAP, signals="motion", workers=1)
    for result in document.results:
        for one in result.measurements:
            assert one.status == "unscored"
            assert "shots" in (one.reason or "")
