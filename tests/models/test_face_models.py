"""The models of faces: known pictures in, known numbers out, on the exact weights."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

import painted
from longtake.errors import BackendError
from longtake.models import catalog, faces


def noise(height: int, width: int) -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)


def meshed_face() -> NDArray[np.uint8]:
    """RGB picture of the painted face for the mesh."""
    part = painted.face()[40:216, 72:248, ::-1]
    return np.asarray(cv2.resize(np.ascontiguousarray(part), (faces.MESH_SIZE,) * 2), np.uint8)


def test_the_detector_finds_the_painted_face_and_its_points(weights: Path) -> None:
    detect = faces.FaceDetector(catalog.require("centerface", weights))
    picture = painted.face(160)
    found = detect(picture, 0.5)
    assert found.shape == (1, 15)
    assert found[0, :4] == pytest.approx([54.4, 32.4, 52.9, 66.4], abs=0.5)
    assert found[0, 4] == pytest.approx(0.835, abs=0.01)
    points = [67.9, 58.0, 91.5, 56.9, 80.2, 71.9, 70.8, 83.2, 89.4, 82.4]
    assert found[0, 5:] == pytest.approx(points, abs=0.7)


def test_a_change_of_size_does_not_disturb_the_detector(weights: Path) -> None:
    """OpenCV's own runner gives hundreds of false faces here, which is why it is not used."""
    detect = faces.FaceDetector(catalog.require("centerface", weights))
    before = detect(painted.face(160), 0.3)
    for height, width in ((352, 640), (640, 352), (32, 64)):
        assert detect(noise(height, width), 0.3).shape == (0, 15)
    assert np.array_equal(detect(painted.face(160), 0.3), before)


def test_boxes_that_overlap_leave_the_surest() -> None:
    boxes = np.array([[0, 0, 10, 10], [2, 0, 10, 10], [20, 0, 10, 10], [0, 6, 10, 10]], float)
    assert faces._apart(boxes) == [0, 2, 3]
    assert faces.overlap(boxes[0], boxes)[1] == pytest.approx(8 / 12)


def test_the_mesh_lies_on_the_painted_face(weights: Path) -> None:
    mesh = faces.FaceMesh(catalog.require("face-mesh", weights))
    points, score = mesh(meshed_face())
    assert score == pytest.approx(29.1, abs=0.5)
    wanted = [[95.9, 117.6], [95.5, 139.4], [58.3, 82.4], [132.8, 82.8], [96.0, 170.0]]
    assert np.abs(points[[1, 13, 33, 263, 152], :2] - wanted).max() < 0.5
    assert faces.turned(points) == pytest.approx((0.4, -5.3, 0.2), abs=1)
    measured = faces.mouth(points)
    assert list(measured) == list(faces.MOUTH)
    assert measured["opening"] == pytest.approx(0.014, abs=0.004)
    assert measured["width"] == pytest.approx(0.512, abs=0.01)
    assert mesh(noise(192, 192))[1] < -5


def test_pose_follows_a_turned_mesh(weights: Path) -> None:
    points, _ = faces.FaceMesh(catalog.require("face-mesh", weights))(meshed_face())
    yaw, pitch, roll = faces.turned(points)
    turn = np.radians(30)
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    tilted, aside, up = points.copy(), points.copy(), points.copy()
    tilted[:, :2] = points[:, :2] @ spin
    assert faces.turned(tilted)[2] == pytest.approx(roll + 30, abs=0.5)
    aside[:, [0, 2]] = points[:, [0, 2]] @ spin  # the nose, which is nearer (z below 0), goes to the right
    assert aside[1, 0] - aside[[33, 263], 0].mean() > 5
    assert faces.turned(aside)[0] == pytest.approx(yaw + 30, abs=1.5)
    assert faces.mouth(aside) == pytest.approx(faces.mouth(points))
    up[:, [1, 2]] = points[:, [1, 2]] @ spin.T  # the nose goes to smaller y
    assert faces.turned(up)[1] > pitch + 20


def test_identity_of_the_painted_face(weights: Path) -> None:
    pytest.importorskip("dlib")
    picture = meshed_face()
    points, _ = faces.FaceMesh(catalog.require("face-mesh", weights))(picture)
    place = faces.chip_place(points.astype(float))
    assert place == pytest.approx(np.array([[0.981, -0.001, 23.0], [0.001, 0.981, 37.1]]), abs=0.3)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    chip = np.asarray(cv2.warpAffine(picture, place, (faces.CHIP_SIZE,) * 2, flags=flags), np.uint8)
    identify = faces.FaceIdentity(catalog.require("dlib-face", weights))
    numbers = identify(chip)
    assert numbers.shape == (faces.NUMBERS,)
    assert numbers[:6] == pytest.approx([-0.0894, 0.0981, 0.0021, -0.0939, -0.0775, -0.0110], abs=0.004)
    assert np.linalg.norm(numbers - identify(chip[:, ::-1])) < 0.2
    assert np.linalg.norm(numbers - identify(noise(150, 150))) > 0.6


@pytest.mark.parametrize(
    ("kind", "entry"),
    [(faces.FaceDetector, "centerface"), (faces.FaceMesh, "face-mesh"), (faces.FaceIdentity, "dlib-face")],
)
def test_a_file_cut_short_is_a_backend_error(kind: type, entry: str, weights: Path, tmp_path: Path) -> None:
    pytest.importorskip("dlib")
    short = {}
    for name, path in catalog.require(entry, weights).items():
        short[name] = tmp_path / name
        short[name].write_bytes(path.read_bytes()[:5000])
    with pytest.raises(BackendError, match="cannot be"):
        kind(short)
