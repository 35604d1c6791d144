"""Three models of faces: where they are (CenterFace), their shape (MediaPipe mesh), who they are (dlib).

None of them knows films. All run on the CPU; OpenCV's threads are set by whoever decodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..errors import BackendError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Image = NDArray[np.uint8]
Numbers = NDArray[np.float32]

STRIDE = 4
"""Pixels per cell of CenterFace's maps."""
OVERLAP = 0.3
"""Of two boxes that share more than this (intersection over union) the surer one stays."""
MOST_CELLS = 400
"""Cells of the map that are looked at, the surest first: noise cannot make this slow."""
MESH_SIZE = 192
"""Side of the mesh's square picture, px."""
CHIP_SIZE = 150
"""Side of the picture that identity is read from, px."""
NUMBERS = 128

LIPS = ((13, 14), (82, 87), (312, 317))
"""Inner edge of the upper and the lower lip: middle, left, right."""
OUTER_LIPS = (0, 17)
MOUTH_CORNERS = (61, 291)
EYE_CORNERS = (33, 263)
"""Outer corners of the eyes, left and right in the picture."""
_BROW, _NOSE, _CHIN = 10, 1, 152
MOUTH = ("opening", "outer", "jaw", "width")
"""What :func:`mouth` measures."""
_CHIP_POINTS = (263, 362, 33, 133, 2)
"""Outer and inner corner of the right eye (in the picture), of the left one, and below the nose."""
_CHIP_PLACES = np.array(
    [[0.85957, 0.21350], [0.64606, 0.22897], [0.12058, 0.21373], [0.33409, 0.22906], [0.49011, 0.62780]]
)
"""Where dlib's aligner puts these in the face (its mean five-point shape) ..."""
_CHIP_MARGIN = 0.25
"""... and how much it leaves around, as a share of the face."""


class FaceDetector:
    """CenterFace: boxes and five points of faces. ``files`` are those of the catalog entry ``centerface``."""

    def __init__(self, files: Mapping[str, Path], threads: int = 1) -> None:
        self._session = _any_size(files["centerface.onnx"], threads)

    def __call__(self, bgr: Image, least: float) -> Numbers:
        """Faces in a BGR picture whose sides are multiples of 32, the surest first.

        Returns float32 of shape (n, 15): x, y, width and height of the box, score (``least`` to 1), and
        x, y of five points: the eyes, the nose, the corners of the mouth, left before right; pixels.
        """
        blob = cv2.dnn.blobFromImage(bgr, swapRB=True)
        heat, log_size, offset, points = (
            np.asarray(m)[0] for m in self._session.run(["537", "538", "539", "540"], {"input.1": blob})
        )
        rows, columns = np.nonzero(heat[0] >= least)
        score = heat[0, rows, columns]
        order = np.argsort(-score, kind="stable")[:MOST_CELLS]
        rows, columns, score = rows[order], columns[order], score[order]
        height, width = np.exp(np.minimum(log_size[:, rows, columns], 8.0)) * STRIDE
        x = (columns + offset[1, rows, columns] + 0.5) * STRIDE - width / 2
        y = (rows + offset[0, rows, columns] + 0.5) * STRIDE - height / 2
        pairs = points[:, rows, columns].reshape(5, 2, -1)
        spots = np.stack([x + pairs[:, 1] * width, y + pairs[:, 0] * height], 1).reshape(10, -1)
        found = np.concatenate([np.stack([x, y, width, height, score]), spots]).T
        return np.asarray(found[_apart(found[:, :4])], np.float32)


def _any_size(path: Path, threads: int) -> InferenceSession:
    """A session over CenterFace for pictures of any size: the file says 10 pictures of 32 x 32.

    OpenCV can run the file as it is, but gives false faces once the size has changed (4.14).
    """
    import onnx

    from .onnx import session

    try:
        model = onnx.load(str(path))
    except Exception as error:  # protobuf's own
        raise BackendError(
            f"{path.name} cannot be read: {error}", hint="fetch it again: longtake models pull"
        ) from error
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        for i, side in enumerate(value.type.tensor_type.shape.dim):
            side.Clear()
            side.dim_param = f"{value.name}.{i}"
    return session(path, threads, changed=model.SerializeToString())


def _apart(boxes: NDArray[Any]) -> list[int]:
    """Numbers of the boxes (x, y, width, height; the surest first) that no surer one overlaps."""
    kept: list[int] = []
    for i, box in enumerate(boxes):
        if not kept or float(overlap(box, boxes[kept]).max()) <= OVERLAP:
            kept.append(i)
    return kept


def overlap(box: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float64]:
    """Intersection over union of a box (x, y, width, height) with each of ``others`` (n, 4)."""
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[:2] + box[2:4], others[:, :2] + others[:, 2:4])
    shared = np.prod(np.maximum(high - low, 0.0), axis=1)
    either = box[2] * box[3] + others[:, 2] * others[:, 3] - shared
    return np.asarray(shared / np.maximum(either, 1e-12), np.float64)


class FaceMesh:
    """MediaPipe's mesh of 468 points. ``files`` are those of the catalog entry ``face-mesh``."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        path = files["face_landmark.tflite"]
        try:
            self._net = cv2.dnn.readNetFromTFLite(str(path))
        except cv2.error as error:
            raise BackendError(
                f"{path.name} cannot be run", hint="fetch it again: longtake models pull"
            ) from error

    def __call__(self, rgb: Image) -> tuple[Numbers, float]:
        """Points of the face in an RGB picture of MESH_SIZE: shape (468, 3), x and y in its pixels and z on
        the same scale, nearer is less; and the log-odds that a face is there at all."""
        self._net.setInput(cv2.dnn.blobFromImage(rgb, 1 / 255))
        score, points = self._net.forward(["conv2d_30", "conv2d_20"])
        return np.asarray(points, np.float32).reshape(468, 3), float(score.ravel()[0])


def turned(points: NDArray[Any]) -> tuple[float, float, float]:
    """Yaw, pitch and roll of a mesh in degrees, from its eye corners, forehead and chin.

    Yaw is above 0 towards the right edge of the picture, pitch upwards, roll clockwise as seen.
    """
    across = np.asarray(points[EYE_CORNERS[1]] - points[EYE_CORNERS[0]], np.float64)
    down = np.asarray(points[_CHIN] - points[_BROW], np.float64)
    across /= max(float(np.linalg.norm(across)), 1e-9)
    down -= (down @ across) * across
    down /= max(float(np.linalg.norm(down)), 1e-9)
    inward = np.cross(across, down)
    yaw = np.arctan2(-inward[0], inward[2])
    pitch = np.arctan2(inward[1], np.hypot(inward[0], inward[2]))
    roll = np.arctan2(across[1], across[0])
    return tuple(float(np.degrees(a)) for a in (yaw, pitch, roll))  # type: ignore[return-value]


def mouth(points: NDArray[Any]) -> dict[str, float]:
    """Measures of the mouth of a mesh by the names of MOUTH, over the distance of the outer eye corners.

    ``opening``: mean distance of the inner edges of the lips in three places; ``outer``: from the upper to
    the lower edge of the lips; ``jaw``: from the tip of the nose to the chin; ``width``: of the mouth. Eyes
    do not move in speech as the mouth's width does, and distances in space do not shrink when the head turns.
    """
    unit = max(_length(points, *EYE_CORNERS), 1e-6)
    found = {
        "opening": float(np.mean([_length(points, *pair) for pair in LIPS])),
        "outer": _length(points, *OUTER_LIPS),
        "jaw": _length(points, _NOSE, _CHIN),
        "width": _length(points, *MOUTH_CORNERS),
    }
    return {name: found[name] / unit for name in MOUTH}


def _length(points: NDArray[Any], a: int, b: int) -> float:
    return float(np.linalg.norm(points[a] - points[b]))


def chip_place(points: NDArray[Any]) -> NDArray[np.float64]:
    """Shape (2, 3): takes pixels of the aligned picture of CHIP_SIZE to the plane that ``points`` (a mesh, x
    and y) are in: the similarity that fits dlib's five places best."""
    target = (_CHIP_MARGIN + _CHIP_PLACES) / (1 + 2 * _CHIP_MARGIN) * CHIP_SIZE
    a = target[:, 0] + 1j * target[:, 1]
    b = points[list(_CHIP_POINTS), 0] + 1j * points[list(_CHIP_POINTS), 1]
    da, db = a - a.mean(), b - b.mean()
    turn = complex((np.conj(da) * db).sum() / (np.abs(da) ** 2).sum())
    shift = complex(b.mean() - turn * a.mean())
    return np.array([[turn.real, -turn.imag, shift.real], [turn.imag, turn.real, shift.imag]])


class FaceIdentity:
    """dlib's face ResNet. ``files`` are those of the catalog entry ``dlib-face``."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        import dlib

        path = files["resnet.dat"]
        try:
            self._net = dlib.face_recognition_model_v1(str(path))
        except RuntimeError as error:
            raise BackendError(
                f"{path.name} cannot be run: {error}", hint="fetch it again: longtake models pull"
            ) from error

    def __call__(self, rgb: Image) -> Numbers:
        """128 numbers of an aligned RGB picture of CHIP_SIZE (see :func:`chip_place`).

        Two of one person are usually less than 0.6 apart (Euclidean), of two people more.
        """
        return np.asarray(self._net.compute_face_descriptor(np.ascontiguousarray(rgb)), np.float32)
