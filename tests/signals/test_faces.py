"""Faces on real clips: who is who, nobody where nobody is, mouths that move with the words.

Looked at picture by picture: of the seven GRID clips two, pwij3p and id2_swwp2s, show the same man; the
other five show five other people, one woman and four men.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
import pytest
from measuring import made, rows_of
from numpy.typing import NDArray

import films
import painted
from longtake.core.signal import Signal
from longtake.media.open import open_video
from longtake.models import weights as models
from longtake.models.faces import MOUTH
from longtake.models.weights import Weights
from longtake.signals import faces
from longtake.signals.face_clusters import people_of
from longtake.signals.face_observer import FacesObserver
from longtake.signals.face_tracks import Tracks, mouth_tracks, tracks_of
from longtake.signals.film import Film, film_of
from longtake.signals.observer import Merged
from longtake.signals.registry import assemble_all

Picture = NDArray[np.uint8]
GRID = ("bbaf2n", "id2_swwp2s", "lbax4n", "pwij3p", "sbia1a", "lrwp9a", "sbwe5n")
SIZE = (360, 288)
EACH = 25


@pytest.fixture(scope="module")
def weighed(weights_root: Path) -> Weights:
    pytest.importorskip("dlib")
    return models.load(("centerface", "face-mesh", "dlib-face"), weights_root, 1)


@pytest.fixture(scope="module")
def cast(media: Path, weighed: Weights, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Merged]:
    """One second of each GRID clip, and at the end the man of id2_swwp2s again: later in his clip, cropped,
    rescaled, darker and in warmer light."""
    shots = [films.pictures_of(media / "2_speaking" / f"grid_{n}.mpg", SIZE) for n in GRID]
    again = [relit(p[40:264, 60:340]) for p in shots[1][45 : 45 + EACH]]
    path = made(tmp_path_factory.mktemp("cast") / "cast.mp4", [p for s in (*shots, again) for p in s[:EACH]])
    return path, rows_of(path, ["faces"], weights=weighed)


def relit(picture: Picture) -> Picture:
    large = cv2.resize(picture, SIZE, interpolation=cv2.INTER_CUBIC)
    return np.clip(large * np.array([0.5, 0.65, 0.8]) + 8, 0, 255).astype(np.uint8)


def signals_of(path: Path, merged: Merged) -> tuple[Film, Mapping[str, Signal]]:
    film = film_of(open_video(path), merged, has_sound=False)
    return film, assemble_all(merged, film, ["shots", "faces"])


@pytest.mark.media
def test_six_people_are_told_apart_and_one_is_known_again(cast: tuple[Path, Merged]) -> None:
    _, done = signals_of(*cast)
    found = done["faces"]
    assert len(done["shots"]) == len(GRID) + 1
    assert list(found.columns["shot"]) == list(range(len(GRID) + 1))
    who = dict(zip((*GRID, "again"), found.columns["person"].tolist(), strict=True))
    assert who["id2_swwp2s"] == who["pwij3p"] == who["again"] == 0  # seen longest
    others = {n: p for n, p in who.items() if n in ("bbaf2n", "lbax4n", "sbia1a", "lrwp9a", "sbwe5n")}
    assert sorted(others.values()) == [1, 2, 3, 4, 5]
    assert found.facts["people"] == 6
    assert found.facts["faces_most"] == found.facts["face_share"] == 1
    assert found.facts["unidentified"] == 0
    assert min(found.columns["sure"]) > 0.4
    assert all(abs(found.columns[c]).max() < 25 for c in ("yaw", "pitch", "roll"))


@pytest.mark.media
def test_another_person_in_one_shot_is_another_row(cast: tuple[Path, Merged]) -> None:
    """Even if nobody says that there is a cut: the face in the same place is no longer the same."""
    path, merged = cast
    found = faces.assemble(merged, signals_of(path, merged)[0], {})
    assert set(found.columns["shot"]) == {0}
    assert len(found) >= 6
    assert found.facts["people"] == 6


@pytest.mark.media
def test_mouths_follow_the_words_and_end_with_the_shot(cast: tuple[Path, Merged]) -> None:
    path, merged = cast
    film, done = signals_of(path, merged)
    tracks = tracks_of(merged, done)
    of = mouth_tracks(merged, tracks, done)
    times = np.asarray(merged["mouths.time"])
    assert len(np.unique(times)) == len(times)
    assert (of >= 0).mean() > 0.95
    starts = np.asarray(done["shots"].columns["start"])
    assert list(of[of >= 0]) == list((np.searchsorted(starts, times + 1e-6) - 1)[of >= 0])
    assert len(times) > 0.95 * film.frames


@pytest.mark.media
def test_a_mouth_is_open_where_one_sees_it_open(media: Path, weighed: Weights, tmp_path: Path) -> None:
    """Looked at picture by picture: shut in frames 0 to 5, open in 9 to 18, shut from 57 on."""
    clip = media / "2_speaking" / "grid_lrwp9a.mpg"
    merged = rows_of(clip, ["faces"], weights=weighed)
    opening = np.asarray(merged["mouths.opening"])
    assert len(opening) == len(merged["container.time"])
    shut = max(opening[:6].max(), opening[57:72].max())
    assert opening[9:19].min() > 2 * shut
    still = made(tmp_path / "still.mp4", [films.pictures_of(clip, SIZE)[12]] * 20)
    frozen = np.asarray(rows_of(still, ["faces"], weights=weighed)["mouths.opening"])
    assert len(frozen) == 20
    assert frozen.std() < 0.1 * opening.std()


@pytest.mark.media
def test_chunks_of_any_length_give_the_same_rows(media: Path, weighed: Weights, tmp_path: Path) -> None:
    pair = films.pictures_of(media / "8_footage" / "simpl_vp9w4.mp4", (640, 360))[:32]
    one = films.pictures_of(media / "2_speaking" / "grid_lbax4n.mpg", (640, 360))[:20]
    path = made(tmp_path / "cut.mp4", [*pair, *one])
    whole = rows_of(path, ["faces"], weights=weighed)
    assert len(whole["faces_looks.time"]) == 6  # five cells, and the cut in the middle of one
    assert len(whole["faces_identity.time"])
    parts = rows_of(path, ["faces"], 1, weighed)
    for name in (n for n in whole if n.startswith(("faces", "mouths"))):
        assert np.array_equal(whole[name], parts[name], equal_nan=True), name


@pytest.mark.media
@pytest.mark.parametrize(
    "clip",
    [
        "8_footage/flt_bee.mp4",
        "8_footage/dc_lighthouse.mp4",
        "8_footage/dc_guitar.mp4",
        "8_footage/tmh_bear.webm",
        "4_formats/mla_rabbit320.mp4",
        "1_shots/ax_bbb_800x640_768kbps_30fps_avc_pyramid_3b.mp4",
        "4_formats/mpy_bitmap.mp4",
    ],
)
def test_insects_places_drawings_animals_and_toys_are_no_person(
    media: Path, clip: str, weighed: Weights
) -> None:
    path = media / clip
    found = signals_of(path, rows_of(path, ["faces"], weights=weighed))[1]["faces"]
    assert found.facts["people"] == 0
    assert found.facts["face_share"] == 0
    assert found.facts["looks"] > 0


@pytest.mark.media
def test_many_small_faces_stay_cheap_and_unidentified(media: Path, weighed: Weights) -> None:
    path = media / "8_footage" / "intel_classroom.mp4"
    merged = rows_of(path, ["faces"], weights=weighed)
    found = signals_of(path, merged)[1]["faces"]
    assert found.facts["faces_most"] >= 4
    assert found.facts["people"] == len(merged["faces_identity.time"]) == len(merged["mouths.time"]) == 0
    assert found.facts["unidentified"] == len(found)
    assert np.isnan(found.columns["sure"]).all()


@pytest.mark.media
def test_a_turned_film_shows_the_same_face(media: Path, weighed: Weights) -> None:
    """The man of this file lies on his side once it is turned as it says: found, and his tilt is known."""
    path = media / "4_formats" / "ax_sample_rotate_and_reflect.mp4"
    found = signals_of(path, rows_of(path, ["faces"], weights=weighed))[1]["faces"]
    assert found.facts["people"] == 1
    assert abs(found.columns["roll"][0]) == pytest.approx(80, abs=15)


def test_a_painted_face_is_one_person_who_says_nothing(weighed: Weights, tmp_path: Path) -> None:
    """A painting that is painted well is a face: the signal cannot say that it is none."""
    merged = rows_of(made(tmp_path / "painted.mp4", [painted.face()] * 13), ["faces"], weights=weighed)
    if len(merged["mouths.time"]):
        assert np.asarray(merged["mouths.opening"]).max() < 0.05
    film, done = signals_of(tmp_path / "painted.mp4", merged)
    assert done["faces"].facts["people"] <= 1
    assert film.frames == 13


def numbers(seed: int, spread: float, count: int, base: int = 0) -> NDArray[np.float64]:
    """Identities of a made-up person: 0.8 or so from those of another, ``spread`` from each other."""
    own = np.random.default_rng(base + 1000).normal(0, 0.57 / np.sqrt(128), 128)
    noise = np.random.default_rng(seed).normal(0, spread / np.sqrt(2 * 128), (count, 128))
    return np.asarray(own + noise)


def tracks(identities: list[NDArray[np.float64]], spans: list[tuple[int, float, float]]) -> Tracks:
    """Tracks seen at the start and the end of their spans (shot, start, end)."""
    n = len(spans)
    time = np.array([t for _, a, b in spans for t in (a, b)])
    track = np.repeat(np.arange(n), 2)
    order = np.argsort(time, kind="stable")
    return Tracks(
        time=time[order],
        order=np.zeros(2 * n, np.int64),
        box=np.full((2 * n, 4), 0.2),
        score=np.full(2 * n, 0.9),
        mesh=np.full(2 * n, 40.0),
        pose=np.zeros((2 * n, 3)),
        track=track[order],
        shot=np.array([s for s, _, _ in spans]),
        identities=tuple(identities),
    )


def test_two_faces_seen_at_once_are_two_persons() -> None:
    twins = [numbers(1, 0.3, 4), numbers(2, 0.3, 4)]
    together = people_of(tracks(twins, [(0, 0.0, 2.0), (0, 1.0, 3.0)]))
    apart = people_of(tracks(twins, [(0, 0.0, 2.0), (1, 3.0, 5.0)]))
    assert sorted(together.person) == [0, 1]
    assert list(apart.person) == [0, 0]
    assert apart.sure.min() > 0.7 > together.sure.max()


def test_a_thousand_tracks_are_grouped_by_person_in_bounded_time() -> None:
    rng = np.random.default_rng(5)
    who = rng.integers(0, 12, 2300)
    identities = [numbers(i, 0.4, 3, base=int(p)) for i, p in enumerate(who)]
    found = people_of(tracks(identities, [(i, float(i), i + 0.5) for i in range(len(who))]))
    assert found.count == 12
    assert all(len(set(found.person[who == p])) == 1 for p in range(12))
    seen = np.bincount(found.person)
    assert list(seen) == sorted(seen, reverse=True)


def test_without_identity_nobody_is_named() -> None:
    none = np.zeros((0, 128))
    found = people_of(tracks([none, numbers(1, 0.3, 1)], [(0, 0.0, 1.0), (0, 2.0, 3.0)]))
    assert list(found.person) == [-1, 0]
    assert np.isnan(found.sure[0])
    assert found.sure[1] == pytest.approx(0.5)


def test_a_face_that_leaps_or_swells_is_another_track(tmp_path: Path) -> None:
    merged = {
        "faces.time": np.array([0.0, 0.5, 1.0, 1.5, 4.0]),
        "faces.order": np.zeros(5, np.int16),
        "faces.box": np.array([[0.1, 0.1, 0.1, 0.2]] * 5, np.float32),
        "faces.score": np.full(5, 0.9, np.float16),
        "faces.mesh": np.full(5, 30, np.float16),
        "faces.pose": np.zeros((5, 3), np.float16),
        "faces_identity.time": np.zeros(0),
        "faces_identity.order": np.zeros(0, np.int16),
        "faces_identity.numbers": np.zeros((0, 128), np.float16),
    }
    merged["faces.box"][2, 0] = 0.5
    merged["faces.box"][3, 2] = 0.3
    assert list(tracks_of(merged, {}).track) == [0, 0, 1, 2, 3]


def test_rows_of_three_hours_are_small(weighed: Weights) -> None:
    """Two faces all the time, 30 frames per second."""
    observer = FacesObserver(weighed)
    for _ in range(2):
        observer._add(time=0.0, order=0, score=1.0, mesh=1.0, pose=(0, 0, 0), box=[0] * 4, points=[0] * 10)
        observer._add(identity_time=0.0, identity_order=0, numbers=np.zeros(128, np.float32))
        observer._add(mouth_time=0.0, mouth_look=0.0, mouth_order=0, mouth_mesh=1.0)
        observer._add(**{f"mouth_{name}": 0.1 for name in MOUTH})
    rows = observer.flush()
    per = {
        kind: sum(a.nbytes for n, a in rows.items() if n.startswith(f"{kind}.")) / 2
        for kind in ("faces", "faces_identity", "mouths")
    }
    hours = 3 * 3600
    total = per["faces"] * 2 * 2 * hours + per["faces_identity"] * hours + per["mouths"] * 2 * 30 * hours
    assert total < 40e6
