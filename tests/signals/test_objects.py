"""People and things: found on real clips where they are plain to see, and few where there are none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

import films
from longtake.core.signal import Signal
from longtake.errors import BackendError
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.models import weights as models
from longtake.models.weights import Weights
from longtake.signals import objects
from longtake.signals.film import Film
from longtake.signals.objects import ObjectObserver
from longtake.storage.cache import Cache

PEOPLE = {
    "intel_asl_book.mkv": 1,
    "intel_onebyone_a.mp4": 1,
    "intel_pose_m.mp4": 1,
    "intel_pose_pair.mp4": 2,
    "intel_walkpause.mp4": 3,
    "ovi_kitchen.mp4": 2,
    "ovi_stage.mp4": 3,
    "ovi_twomen.mp4": 2,
    "ovi_twowomen.mp4": 2,
    "sam_juggle.mp4": 1,
    "simpl_dancer_a.mp4": 1,
    "mdn_flower.webm": 0,
    "lav_jungle.mp4": 0,
    "lav_shark.mp4": 0,
    "mla_crystal.mp4": 0,
    "tmh_shuttle.webm": 0,
    "uda_lane.mp4": 0,
}
"""People in the first half second of these clips, by eye."""
THINGS = {
    "uda_lane.mp4": "car",
    "intel_bottle_a.mp4": "bottle",
    "cog_2.mp4": "car",
    "se_pika_bear.mp4": "bear",
    "simpl_small_a.mp4": "car",
}


@pytest.fixture
def loaded(weights: Path) -> Weights:
    return models.load(["yolov3-tiny"], weights, 1)


def clip(media: Path, name: str) -> Path:
    (path,) = media.glob(f"*_*/{name}")
    return path


def kept(path: Path, frames: Sequence[int] = (0, 5, 10)) -> list[NDArray[np.uint8]]:
    """Frames as the signal ``frames`` keeps them: 384 px wide, through JPEG."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        height = round(384 * stream.height / stream.width)
    pictures = films.pictures_of(path, (384, height), max(frames) + 1)
    out = []
    for i in frames:
        _, data = cv2.imencode(".jpg", pictures[i], [cv2.IMWRITE_JPEG_QUALITY, 72])
        out.append(np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8))
    return out


def signal_of(pictures: Sequence[NDArray[np.uint8]], weights: Weights) -> Signal:
    observer = ObjectObserver(weights)
    for i, picture in enumerate(pictures):
        observer.look(picture, float(i))
    times = np.arange(len(pictures), dtype=np.float64)
    film = Film(len(pictures), times, 1.0, 384, 216, False, end=float(len(pictures)))
    return objects.assemble(observer.flush(), film, {})


def test_people_are_counted_on_real_clips(media: Path, loaded: Weights) -> None:
    right = 0
    for name, truth in PEOPLE.items():
        facts = signal_of(kept(clip(media, name)), loaded).facts
        print(f"{name}: {facts['people_most']} of {truth}, {facts['labels']}")
        assert (facts["people_most"] > 0) == (truth > 0), name
        assert (facts["people_share"] > 0) == (truth > 0), name
        right += facts["people_most"] == truth
    print(f"exact: {right}/{len(PEOPLE)}")
    assert right >= 0.85 * len(PEOPLE)


@pytest.mark.parametrize(("name", "label"), THINGS.items())
def test_a_large_thing_is_named(media: Path, loaded: Weights, name: str, label: str) -> None:
    named = signal_of(kept(clip(media, name)), loaded).facts["labels"]
    assert label in [item.rsplit(" ", 1)[0] for item in named.split(", ")]


def test_one_frame_alone_does_not_make_a_crowd(media: Path, loaded: Weights) -> None:
    alone = kept(clip(media, "intel_pose_m.mp4"), (0, 5, 10))
    three = kept(clip(media, "intel_walkpause.mp4"), (5,))
    assert signal_of([*alone, *three], loaded).facts["people_most"] == 1
    assert signal_of([*alone, *three, *three], loaded).facts["people_most"] == 3
    assert signal_of(three, loaded).facts["people_most"] == 3


def test_where_there_is_nothing_there_are_no_rows(loaded: Weights) -> None:
    signal = signal_of([np.full((216, 384, 3), 90, np.uint8)] * 2, loaded)
    assert len(signal) == 0
    assert signal.facts == {"frames": 2, "people_most": 0, "people_share": 0.0, "labels": ""}


def test_a_film_is_measured_through_the_cache(media: Path, weights: Path) -> None:
    path = clip(media, "intel_pose_pair.mp4")
    signal = measure(open_video(path), ["objects"], cache=Cache(weights), workers=1).signals["objects"]
    assert signal.status == "ok"
    assert signal.facts["people_most"] == 2
    assert signal.facts["frames"] >= 4
    people = [row for row in signal.rows() if row["label"] == "person" and row["confidence"] > 0.8]
    assert {row["x"] < 0.4 for row in people} == {True, False}, "one at the left, one at the right"


def test_weights_that_are_cut_off_are_named(tmp_path: Path, weights: Path) -> None:
    files = dict(models.load(["yolov3-tiny"], weights, 1)["yolov3-tiny"])
    short = tmp_path / "yolov3-tiny.weights"
    short.write_bytes(b"short")
    files["yolov3-tiny.weights"] = short
    observer = ObjectObserver(Weights({"yolov3-tiny": files}))
    with pytest.raises(BackendError, match="weights cannot be run"):
        observer.look(np.zeros((216, 384, 3), np.uint8), 0.0)
