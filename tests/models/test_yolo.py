"""The object finder: drawn things in, known kinds and boxes out, on the exact weights."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from longtake.errors import BackendError
from longtake.models import catalog
from longtake.models.yolo import ObjectFinder, overlap

MIDDLE = (192, 108)


@pytest.fixture
def finder(weights: Path) -> ObjectFinder:
    files = catalog.require("yolov3-tiny", weights)
    return ObjectFinder(files["yolov3-tiny.weights"], files["yolov3-tiny.cfg"], files["coco.names"])


def clock() -> NDArray[np.uint8]:
    """A wall clock, 160 px across, in the middle of 384 x 216 px."""
    picture = np.full((216, 384, 3), (190, 200, 210), np.uint8)
    cv2.circle(picture, MIDDLE, 80, (30, 30, 30), -1)
    cv2.circle(picture, MIDDLE, 72, (250, 250, 250), -1)
    for hour in range(12):
        way = np.array([np.cos(hour * np.pi / 6), np.sin(hour * np.pi / 6)])
        inner, outer = ((np.array(MIDDLE) + r * way).astype(int).tolist() for r in (60, 70))
        cv2.line(picture, inner, outer, (0, 0, 0), 4)
    cv2.line(picture, MIDDLE, (192, 52), (0, 0, 0), 5)
    cv2.line(picture, MIDDLE, (228, 128), (0, 0, 0), 6)
    return picture


def light() -> NDArray[np.uint8]:
    """A traffic light: 44 x 130 px, which only the finer of the two layers finds."""
    picture = np.full((216, 384, 3), (230, 200, 160), np.uint8)
    cv2.rectangle(picture, (170, 30), (214, 160), (20, 20, 20), -1)
    for y, colour in ((55, (30, 30, 230)), (95, (30, 90, 100)), (135, (30, 80, 30))):
        cv2.circle(picture, (192, y), 17, colour, -1)
    return picture


def test_a_drawn_clock_is_a_clock_where_it_is(finder: ObjectFinder) -> None:
    (found,) = finder.find(clock())
    assert found.label == "clock"
    assert found.score == pytest.approx(0.932, abs=0.01)
    truth = np.array([112 / 384, 28 / 216, 160 / 384, 160 / 216])
    assert overlap(np.array(found.box), truth) > 0.9


def test_a_small_thing_has_a_box_of_its_own_size_and_one_only(finder: ObjectFinder) -> None:
    (found,) = finder.find(light())
    assert found.label == "traffic light"
    assert found.score == pytest.approx(0.663, abs=0.02)
    assert overlap(np.array(found.box), np.array([170 / 384, 30 / 216, 44 / 384, 130 / 216])) > 0.8


def test_tall_pictures_are_padded_at_the_sides(finder: ObjectFinder) -> None:
    tall = np.full((640, 360, 3), (190, 200, 210), np.uint8)
    tall[200:416] = clock()[:, 12:372]
    (found,) = finder.find(tall)
    assert found.label == "clock"
    assert overlap(np.array(found.box), np.array([100 / 360, 228 / 640, 160 / 360, 160 / 640])) > 0.8


@pytest.mark.parametrize("size", [(1, 1), (216, 384), (4000, 10)])
def test_an_empty_picture_of_any_size_holds_nothing(finder: ObjectFinder, size: tuple[int, int]) -> None:
    assert finder.find(np.full((*size, 3), 80, np.uint8)) == []


@pytest.mark.parametrize("name", ["yolov3-tiny.weights", "yolov3-tiny.cfg"])
def test_a_file_that_is_cut_off_is_named(weights: Path, tmp_path: Path, name: str) -> None:
    files = dict(catalog.require("yolov3-tiny", weights))
    short = tmp_path / name
    shutil.copyfile(files[name], short)
    os.truncate(short, short.stat().st_size // 2)
    files[name] = short
    with pytest.raises(BackendError, match="cannot be run"):
        ObjectFinder(files["yolov3-tiny.weights"], files["yolov3-tiny.cfg"], files["coco.names"])
