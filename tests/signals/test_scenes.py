"""Signals embeddings and scenes on films of pieces of real clips, on the exact weights.

The clips are of the half on which nothing was fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from measuring import STILL_CRF, Picture, made

import films
from longtake.core.documents import Shot
from longtake.core.signal import Signal
from longtake.execution.measure import Measured, measure
from longtake.media.open import open_video
from longtake.models.vectors import unit
from longtake.signals import embeddings, scenes
from longtake.signals.film import Film
from longtake.storage.cache import Cache
from tiny_onnx import WIDTH, image_encoder

PLACES = {
    "coffee": ("sam_coffee.mp4",),
    "dog": ("sam_dog.mp4",),
    "tractor": ("tmh_tractor.webm",),
    "butterfly": ("flt_butterfly.mp4",),
    "bedroom": ("sam_bedroom.mp4",),
    "warehouse": ("intel_worker.mp4",),
    "shop": ("intel_store.mp4",),
    "green wall": ("mdn_chroma_a.mp4", "mdn_chroma_b.mp4"),
    "car park": ("simpl_small_a.mp4", "simpl_small_b.mp4"),
    "asphalt": ("intel_car_a.mp4", "intel_car_b.mp4"),
}
"""Places, each by one recording (its two ends are shots) or by two parts of one."""
LENGTH, FPS = 30, 25
ORDER = [(place, part) for place in PLACES for part in (0, 1)]


@pytest.fixture(scope="module")
def pieces(media: Path) -> dict[tuple[str, int], list[Picture]]:
    found: dict[tuple[str, int], list[Picture]] = {}
    for place, clips in PLACES.items():
        taken = [films.pictures_of(media / "8_footage" / clip, limit=150) for clip in clips]
        found[place, 0], found[place, 1] = taken[0][:LENGTH], taken[-1][-LENGTH:]
    return found


def film(
    path: Path, cache: Path, shots: Sequence[list[Picture]], *, embedder: str | None = None, crf: int = 20
) -> dict[str, Signal]:
    """The signals of a film of these shots, whose bounds are given."""
    made(path, (picture for shot in shots for picture in shot), FPS, crf)
    return dict(measured(path, cache, len(shots), embedder=embedder).signals.by_name)


def measured(path: Path, cache: Path, count: int, *, embedder: str | None = None) -> Measured:
    spans = [(i * LENGTH / FPS, (i + 1) * LENGTH / FPS) for i in range(count)]
    given = [Shot(index=i, start=a, end=b, first_frame=0, last_frame=0) for i, (a, b) in enumerate(spans)]
    names = ["shots", "embeddings", "scenes"]
    return measure(
        open_video(path), names, cache=Cache(cache), workers=1, given_shots=given, embedder=embedder
    )


def compared(signals: dict[str, Signal]) -> dict[tuple[int, int], tuple[float, float]]:
    rows = signals["scenes"].rows()
    unknown = float("nan")
    return {
        (r["a"], r["b"]): (r["likeness"], unknown if r["same_scene"] is None else r["same_scene"])
        for r in rows
    }


@pytest.fixture(scope="module")
def in_order(
    pieces: dict[tuple[str, int], list[Picture]],
    weights_root: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Signal]:
    home = tmp_path_factory.mktemp("order")
    (home / "cache").mkdir()
    (home / "cache" / "models").symlink_to(weights_root / "models", target_is_directory=True)
    return film(home / "order.mp4", home / "cache", [pieces[key] for key in ORDER])


def test_shots_of_one_place_are_told_from_those_of_others(in_order: dict[str, Signal]) -> None:
    found = compared(in_order)
    assert len(found) == len(list(combinations(ORDER, 2)))
    same = np.array([ORDER[a][0] == ORDER[b][0] for a, b in found])
    likeness, sure = np.array(list(found.values())).T
    area = (likeness[same][:, None] > likeness[~same]).mean()
    told = (sure[same] > 0.5).sum(), (sure[~same] < 0.5).sum()
    wrong = (sure[same] < 0.5).sum(), (sure[~same] > 0.5).sum()
    print(f"area under the curve {area:.4f}; told {told} of {same.sum()}, {(~same).sum()}; wrong {wrong}")
    assert area > 0.98
    assert told[0] >= 8
    assert told[1] >= 0.9 * (~same).sum()
    assert sum(wrong) <= 2


def test_scenes_are_stretches_of_one_place(in_order: dict[str, Signal]) -> None:
    signal = in_order["scenes"]
    whole = {(round(e.start, 2), round(e.end, 2)) for e in signal.events_of("scene")}
    places = {
        (round(i * 2 * LENGTH / FPS, 2), round((i + 1) * 2 * LENGTH / FPS, 2)) for i in range(len(PLACES))
    }
    assert len(whole & places) >= 7
    unsure = signal.facts["unsure_cuts"]
    assert unsure <= 4
    assert (signal.facts["scenes"] is None) == (unsure > 0)
    assert abs(signal.facts["scenes_at_least"] - len(PLACES)) <= 2


def test_shuffled_shots_have_more_scenes_and_the_same_likeness(
    pieces: dict[tuple[str, int], list[Picture]], in_order: dict[str, Signal], weights: Path, tmp_path: Path
) -> None:
    chosen = ORDER[:12]
    mixed = [*chosen[::2], *chosen[1::2]]
    signals = film(tmp_path / "mixed.mp4", weights, [pieces[key] for key in mixed])
    before, after = compared(in_order), compared(signals)
    assert signals["scenes"].facts["scenes_at_least"] >= 10
    for place in list(PLACES)[:6]:
        a, b = (ORDER.index((place, part)) for part in (0, 1))
        c, d = (mixed.index((place, part)) for part in (0, 1))
        assert after[c, d][0] == pytest.approx(before[a, b][0], abs=0.05)


def test_a_frozen_film_is_one_place(
    pieces: dict[tuple[str, int], list[Picture]], weights: Path, tmp_path: Path
) -> None:
    still = [pieces["dog", 0][0]] * LENGTH
    signals = film(tmp_path / "still.mp4", weights, [still] * 4, crf=STILL_CRF)
    found = compared(signals)
    assert min(likeness for likeness, _ in found.values()) > 0.99
    assert signals["scenes"].facts["scenes"] == 1
    assert [(e.start, e.value) for e in signals["scenes"].events] == [(0.0, 0.0)]


def test_an_embedder_of_the_users_own_gives_likeness_and_no_verdict(
    pieces: dict[tuple[str, int], list[Picture]], weights: Path, tmp_path: Path
) -> None:
    image_encoder(tmp_path / "own.onnx")
    own = f"onnx:{tmp_path / 'own.onnx'}"
    shots = [pieces["dog", 0], pieces["dog", 1], pieces["coffee", 0]]
    signals = film(tmp_path / "film.mp4", weights, shots, embedder=own)
    assert signals["embeddings"].facts["dimension"] == WIDTH
    assert {row["top"] for row in signals["embeddings"].rows()} == {""}
    assert {row["top_probability"] for row in signals["embeddings"].rows()} == {None}
    assert np.isfinite(signals["scenes"].columns["likeness"]).all()
    assert np.isnan(signals["scenes"].columns["same_scene"]).all()
    assert signals["scenes"].facts["scenes"] is None
    assert "mobilenet-v2" in signals["scenes"].facts["reason"]

    again = measured(tmp_path / "film.mp4", weights, 3)  # the same film, the default embedder: no decode
    assert again.signals.trace[0].status == "skipped"
    assert again.signals["embeddings"].facts["dimension"] == 1280
    times, vectors = embeddings.vectors(again.merged)
    assert len(times) == len(vectors) == again.signals["embeddings"].facts["frames"]
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    back = measured(tmp_path / "film.mp4", weights, 3, embedder=own)
    assert embeddings.vectors(back.merged)[1].shape[1] == WIDTH
    label = next(t.model for t in back.signals.trace if t.tool == "embeddings")
    assert label is not None
    assert label.startswith("onnx:own.onnx sha256:")


def in_memory(kinds: Sequence[int]) -> Signal:
    """Scenes of shots of a second and a frame each; those of one number look the same, -1 has no frame."""
    draw = np.random.default_rng(2)
    looks, colours = draw.normal(size=(max(kinds) + 1, 64)), draw.random((max(kinds) + 1, 16)) ** 4
    shown = [i for i, kind in enumerate(kinds) if kind >= 0]
    own = [kinds[i] for i in shown]
    rows = {
        "embeddings.time": np.array(shown, np.float64),
        "embeddings.vector": unit(looks[own]).astype(np.float16),
        "embeddings.colour": unit(colours[own]).astype(np.float16),
    }
    count = len(kinds)
    made_film = Film(float(count), np.arange(count, dtype=np.float64), 1.0, 64, 36, False, end=float(count))
    shots = {"start": np.arange(count), "end": np.arange(count) + 1, "first_frame": np.arange(count)}
    done = {
        "shots": Signal("shots", 1, columns=shots),
        "embeddings": Signal("embeddings", 1, facts={"embedder": "mobilenet-v2"}),
    }
    return scenes.assemble(rows, made_film, done)


def test_cutting_back_and_forth_is_one_scene_and_a_shot_without_frames_is_unsure() -> None:
    found = in_memory([0, 1, 0, 1, 2, 3, -1, 4])
    assert [(e.start, e.end) for e in found.events] == [(0, 4), (4, 5)]  # shot 5 is open towards shot 6
    assert (found.facts["scenes"], found.facts["scenes_at_least"], found.facts["unsure_cuts"]) == (None, 3, 2)
    unseen = [r for r in found.rows() if 6 in (r["a"], r["b"])]
    assert {r["likeness"] for r in unseen} == {r["same_scene"] for r in unseen} == {None}
    assert in_memory([0, 1, 2, 3, 0]).facts["scenes"] == 5  # four shots apart: another scene at that place
    assert in_memory([5]).facts["scenes"] == 1


def test_of_many_shots_near_ones_and_first_ones_of_scenes_are_compared() -> None:
    count = scenes.ALL_PAIRS + 100
    found = in_memory([i // 3 for i in range(count)])  # a hundred scenes of three shots
    pairs = {(r["a"], r["b"]): r["same_scene"] for r in found.rows()}
    near = {(a, b) for a in range(count) for b in range(a + 1, min(a + scenes.NEAR, count - 1) + 1)}
    firsts = {(a, b) for a, b in combinations(range(0, count, 3), 2)}
    assert set(pairs) == near | firsts
    assert list(pairs) == sorted(pairs)
    assert found.facts["scenes"] == len(found.events) == 100


def test_without_weights_both_are_skipped_and_say_what_helps(
    pieces: dict[tuple[str, int], list[Picture]], tmp_path: Path
) -> None:
    signals = film(tmp_path / "film.mp4", tmp_path / "cache", [pieces["dog", 0]])
    for name in ("embeddings", "scenes"):
        assert signals[name].status == "skipped"
        assert "longtake models pull" in (signals[name].reason or "")
    assert signals["shots"].status == "ok"
