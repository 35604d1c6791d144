"""Looks for faces on a grid of film time, reads identities, and follows mouths between the looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from ..media.crops import Affine, crop, square
from ..media.planes import bgr_of, display_size, pixel_aspect
from ..models.faces import (
    CHIP_SIZE,
    MESH_SIZE,
    MOUTH,
    NUMBERS,
    FaceDetector,
    FaceIdentity,
    FaceMesh,
    chip_place,
    mouth,
    turned,
)
from .face_clusters import CERTAIN
from .observer import Arrays
from .window import View, Window

if TYPE_CHECKING:
    from ..models.weights import Weights

LOOK_S = 0.5
"""Faces are looked for in the first frame of every cell of this length ..."""
CHANGE, OF_LAST = 12.0, 3.0
"""... and again where mean luma changes by so many grey levels at once, and this many times more than before:
a cut inside a cell must not leave another person's face behind ..."""
LOOKS = 2
"""... but at most so often in a cell, that flashes stay cheap."""
PIXELS = 640 * 352
"""Size of the picture that is searched; its sides are multiples of 32, so its shape is off by up to 5 %."""
LEAST = 0.55
"""Score from which a detection is kept. In 107 clips looked at by eye (three pictures each) all false ones
had less."""
MOST = 20
"""Faces of one look that are kept, the largest ones."""
MESHED, MESH_PX = 4, 20
"""The mesh is laid on so many faces of a look, if they are so wide in the searched picture."""
REAL = 10.0
"""Log-odds of the mesh from which identity is read. Real faces turned by up to 45 degrees gave 12 to 60, clay
figures, drawn faces, animals and the backs of heads less than 0, true profiles -10 to 5."""
STILL = 5.0
"""Log-odds of the mesh below which a mouth is no longer followed."""
ASIDE, UP = 38.0, 30.0
"""Degrees of yaw and pitch beyond which no identity is read if the mesh is not certain: there it strays from
the rest of the person's (0.55 to 0.66 on average instead of 0.3 to 0.5 in ovi_redshirt, se_hailuo_boy and
mdn_chroma_a)."""
IDENTITY_PX = 36
"""Width in the film's own pixels from which identity is read: below, faces grow alike."""
SOFT = 0.05
"""Laplacian over spread of the aligned picture below which it is too soft for an identity."""
EVERY = 2
"""Identity is read in every second cell, of one face after the other: it is the dearest part."""
AT_A_CUT = 2
"""Identities read right after a change of picture, of the largest faces."""
MOUTHS, MOUTH_PX = 2, 40
"""Mouths are followed of so many faces, the largest, if they are so wide in the film's own pixels."""
RATE = 32
"""Mouths are measured at most so often per second: each frame of films of up to 30 frames per second."""
AROUND = 1.5
"""Side of the mesh's picture over the longer one of the mesh in it."""
OF_BOX, LOWER = 0.87, 0.04
"""The mesh is so much shorter than the detector's box, and its middle so much lower, of the box: medians over
62 faces of the test media."""
SETTLE = 2
"""So often the mesh is laid again on a face just found, each time where it lay. Where it is laid moves its
lips a little: without this a mouth that stands still would stir at every look."""


@dataclass
class _Followed:
    """A face between two looks: its number in the look, and where its mesh was last (in widths)."""

    order: int
    place: Affine


class FacesObserver:
    """Looks for faces on the grid, reads some identities, and follows the mouths of the largest faces.

    All that it remembers begins anew in every cell, so that chunks of the film may be measured apart.
    """

    name = "faces"
    lookback = 2
    lookahead = 0

    def __init__(self, weights: Weights) -> None:
        self._detect = FaceDetector(weights["centerface"], weights.threads)
        self._mesh = FaceMesh(weights["face-mesh"])
        self._identify = FaceIdentity(weights["dlib-face"])
        self._looks = 0
        self._look_time = 0.0
        self._followed: list[_Followed] = []
        self._rows: dict[str, list[object]] = {}
        self._clear()

    def see(self, window: Window) -> None:
        now, before = window[0], window[-1]
        assert now is not None
        if before is None or _cell(now, 1 / LOOK_S) != _cell(before, 1 / LOOK_S):
            self._looks = 0
            self._look(now, fresh=before is None or _new_picture(window))
        elif self._looks < LOOKS and _new_picture(window):
            self._look(now, fresh=True)
        elif self._followed and _cell(now, RATE) != _cell(before, RATE):
            self._follow(now)

    def flush(self) -> Arrays:
        rows = self._rows
        out: Arrays = {
            "faces_looks.time": np.array(rows["look"], np.float64),
            "faces_looks.faces": np.array(rows["found"], np.int16),
            "faces.time": np.array(rows["time"], np.float64),
            "faces.order": np.array(rows["order"], np.int16),
            "faces.box": np.array(rows["box"], np.float32).reshape(-1, 4),
            "faces.score": np.array(rows["score"], np.float16),
            "faces.points": np.array(rows["points"], np.float16).reshape(-1, 10),
            "faces.mesh": np.array(rows["mesh"], np.float16),
            "faces.pose": np.array(rows["pose"], np.float16).reshape(-1, 3),
            "faces_identity.time": np.array(rows["identity_time"], np.float64),
            "faces_identity.order": np.array(rows["identity_order"], np.int16),
            "faces_identity.numbers": np.array(rows["numbers"], np.float16).reshape(-1, NUMBERS),
            "mouths.time": np.array(rows["mouth_time"], np.float64),
            "mouths.look": np.array(rows["mouth_look"], np.float64),
            "mouths.order": np.array(rows["mouth_order"], np.int16),
            "mouths.mesh": np.array(rows["mouth_mesh"], np.float16),
            **{f"mouths.{name}": np.array(rows[f"mouth_{name}"], np.float32) for name in MOUTH},
        }
        self._clear()
        return out

    def _clear(self) -> None:
        names = "look found time order box score points mesh pose identity_time identity_order numbers"
        names += " mouth_time mouth_look mouth_order mouth_mesh"
        self._rows = {name: [] for name in (*names.split(), *(f"mouth_{name}" for name in MOUTH))}

    def _add(self, **values: object) -> None:
        for name, value in values.items():
            self._rows[name].append(value)

    def _look(self, view: View, *, fresh: bool) -> None:
        """Detect; lay the mesh on the largest faces; read identities of some. ``fresh`` after a cut."""
        self._looks += 1
        self._look_time = view.seconds
        self._followed = []
        image = view.image
        shown = display_size(image.width, image.height, view.rotation, pixel_aspect(image))
        faces, searched = self._found(view, shown)
        own_px = shown[0] if view.rotation in (90, 270) else min(shown[0], image.width)
        known: list[tuple[int, NDArray[np.float64]]] = []
        for order, face in enumerate(faces):
            mesh, pose = float("nan"), (float("nan"),) * 3
            if order < MESHED and face[2] * searched >= MESH_PX:
                place = _around(face)
                points, mesh = self._meshed(view, place)
                for _ in range(SETTLE if mesh >= STILL else 0):
                    place = _around_mesh(points)
                    points, mesh = self._meshed(view, place)
                pose = turned(points)
                ahead = mesh >= CERTAIN or (abs(pose[0]) <= ASIDE and abs(pose[1]) <= UP)
                if mesh >= REAL and ahead and face[2] * own_px >= IDENTITY_PX:
                    known.append((order, points))
                if mesh >= STILL and len(self._followed) < MOUTHS and face[2] * own_px >= MOUTH_PX:
                    self._follows(view, order, place, points, mesh)
            tall = shown[0] / shown[1]
            self._add(time=view.seconds, order=order, score=face[4], mesh=mesh, pose=pose)
            self._add(box=face[:4] * (1, tall, 1, tall), points=face[5:] * np.tile([1.0, tall], 5))
        for order, points in self._chosen(known, _cell(view, 1 / LOOK_S), fresh):
            self._read(view, order, points)
        self._add(look=view.seconds, found=len(faces))

    def _found(self, view: View, shown: tuple[int, int]) -> tuple[NDArray[np.float64], int]:
        """Faces in widths, the largest first: shape (n, 15), as the detector gives them. With them the
        width of the picture that was searched, px."""
        scale = float(np.sqrt(PIXELS / (shown[0] * shown[1])))
        size = tuple(max(round(side * scale / 32), 1) * 32 for side in shown)
        small = bgr_of(view.image, size[0], view.rotation)
        if small.shape[:2] != size[::-1]:
            small = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_LINEAR), np.uint8)
        found = self._detect(small, LEAST).astype(np.float64)
        across, down = 1 / size[0], shown[1] / shown[0] / size[1]
        found *= np.array([across, down, across, down, 1.0] + [across, down] * 5)
        largest = np.argsort(-found[:, 2] * found[:, 3], kind="stable")[:MOST]
        return found[largest], size[0]

    def _meshed(self, view: View, place: Affine) -> tuple[NDArray[np.float64], float]:
        """Points of the mesh in widths, shape (468, 3), and its log-odds."""
        points, mesh = self._mesh(crop(view.image, view.rotation, place, MESH_SIZE))
        flat = points[:, :2].astype(np.float64) @ place[:, :2].T + place[:, 2]
        depth = points[:, 2] * np.hypot(place[0, 0], place[1, 0])
        return np.column_stack([flat, depth]), mesh

    def _follows(
        self, view: View, order: int, place: Affine, points: NDArray[np.float64], mesh: float
    ) -> None:
        """A row of the mouth, and where the mesh is laid in the next frame."""
        self._add(mouth_time=view.seconds, mouth_look=self._look_time, mouth_order=order, mouth_mesh=mesh)
        self._add(**{f"mouth_{name}": value for name, value in mouth(points).items()})
        self._followed.append(_Followed(order, (place + _around_mesh(points)) / 2))  # else it swings

    def _follow(self, view: View) -> None:
        """Lay the mesh where it was in the frame before; what is no face there is let go."""
        followed, self._followed = self._followed, []
        for face in followed:
            points, mesh = self._meshed(view, face.place)
            if mesh >= STILL:
                self._follows(view, face.order, face.place, points, mesh)

    def _chosen(
        self, known: list[tuple[int, NDArray[np.float64]]], cell: int, fresh: bool
    ) -> list[tuple[int, NDArray[np.float64]]]:
        """Of the faces that could be identified those whose turn it is."""
        if fresh:
            return known[:AT_A_CUT]
        if not known or cell % EVERY:
            return []
        return [known[cell // EVERY % len(known)]]

    def _read(self, view: View, order: int, points: NDArray[np.float64]) -> None:
        chip = crop(view.image, view.rotation, chip_place(points), CHIP_SIZE)
        gray = np.asarray(cv2.cvtColor(chip, cv2.COLOR_RGB2GRAY), np.uint8)
        spread = float(cv2.meanStdDev(gray)[1][0, 0])
        detail = float(cv2.meanStdDev(cv2.Laplacian(gray, cv2.CV_16S))[1][0, 0])
        if detail < SOFT * max(spread, 1.0):
            return
        self._add(identity_time=view.seconds, identity_order=order, numbers=self._identify(chip))


def _cell(view: View, rate: float) -> int:
    """Number of the cell of film time, ``rate`` cells to the second."""
    return int(np.floor(view.seconds * rate + 1e-9))


def _new_picture(window: Window) -> bool:
    """Whether the picture changes here far more than it did one frame ago."""
    now, before, earlier = window[0], window[-1], window[-2]
    if now is None or before is None or now.y.shape != before.y.shape:
        return before is not None
    change = cv2.norm(now.y, before.y, cv2.NORM_L1) / now.y.size
    if change < CHANGE:
        return False
    if earlier is None or earlier.y.shape != before.y.shape:
        return True
    return bool(change >= OF_LAST * cv2.norm(before.y, earlier.y, cv2.NORM_L1) / now.y.size)


def _around(face: NDArray[np.float64]) -> Affine:
    """Where the mesh is laid on a detected face: its box made square, with the eyes level."""
    across = face[7:9] - face[5:7]
    across /= max(float(np.hypot(*across)), 1e-9)
    size = float(max(face[2], face[3]))
    middle = face[:2] + face[2:4] / 2 + LOWER * size * np.array([-across[1], across[0]])
    angle = float(np.degrees(np.arctan2(across[1], across[0])))
    return square(float(middle[0]), float(middle[1]), AROUND * OF_BOX * size, angle, MESH_SIZE)


def _around_mesh(points: NDArray[np.float64]) -> Affine:
    """Where the mesh is laid next, from where it lies."""
    low, high = points[:, :2].min(0), points[:, :2].max(0)
    middle, side = (low + high) / 2, AROUND * float((high - low).max())
    return square(float(middle[0]), float(middle[1]), side, turned(points)[2], MESH_SIZE)
