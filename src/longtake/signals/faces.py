"""Faces: who is seen when, where and how large, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..core.signal import Column, Signal, SignalSpec
from .face_clusters import people_of
from .face_observer import LOOK_S, MOST
from .face_tracks import tracks_of
from .observer import Merged

if TYPE_CHECKING:
    from ..models.weights import Wish
    from .film import Film

MODELS: tuple[Wish, ...] = ("centerface", "face-mesh", "dlib-face")

SPEC = SignalSpec(
    name="faces",
    version=1,
    doc=(
        f"Appearances of faces: each row is one face followed through one shot, looked for every {LOOK_S} s. "
        "Who is who is told by dlib's identity numbers, read only of faces that are large, sharp and turned "
        "towards the camera enough; other rows have person -1. Small faces and profiles are missed or stay "
        "without identity; siblings and generated faces may be taken for one person."
    ),
    columns={
        "person": Column(type="int", doc="number of the person, 0 is seen longest; -1 without identity"),
        "shot": Column(type="int", doc="index of the shot"),
        "start": Column(type="float", unit="s", doc="time of the first look that saw it"),
        "end": Column(type="float", unit="s", doc="time of the last one"),
        "time": Column(type="float", unit="s", doc="time of the best view"),
        "x": Column(type="float", unit="share", doc="left edge of the box in the best view, of the width"),
        "y": Column(type="float", unit="share", doc="upper edge, of the height"),
        "width": Column(type="float", unit="share", doc="of the picture's width"),
        "height": Column(type="float", unit="share", doc="of the picture's height"),
        "score": Column(type="float", doc="median detection score, 0..1"),
        "mesh": Column(type="float", doc="median log-odds of the mesh; NaN where it was not laid on"),
        "size": Column(type="float", unit="share", doc="mean height of the box, of the picture's height"),
        "yaw": Column(type="float", unit="deg", doc="best view: turned to the right edge of the picture"),
        "pitch": Column(type="float", unit="deg", doc="best view: turned upwards"),
        "roll": Column(type="float", unit="deg", doc="best view: tilted clockwise as seen"),
        "within": Column(type="float", doc="largest distance of two identities in the row; NaN below two"),
        "distance": Column(type="float", doc="from the mean of the row's identities to that of its person"),
        "sure": Column(type="float", doc="how sure it is that this is that person, 0..1; NaN without one"),
        "samples": Column(type="int", doc="looks in which it was seen"),
        "identities": Column(type="int", doc="looks in which its identity was read"),
    },
    facts={
        "people": Column(type="int", doc="persons with identity"),
        "faces_most": Column(type="int", doc=f"most faces seen at once, at most {MOST}"),
        "face_share": Column(type="float", unit="share", doc="share of looks that saw a face"),
        "unidentified": Column(type="int", doc="rows without identity"),
        "looks": Column(type="int", doc="pictures in which faces were looked for"),
    },
    heavy=True,
)


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """Appearances, and who is who among them."""
    looks = np.asarray(merged["faces_looks.faces"], np.int64)
    tracks = tracks_of(merged, done)
    people = people_of(tracks)
    columns = {**tracks.columns(), **people.columns()}
    return Signal(
        SPEC.name,
        SPEC.version,
        columns={name: columns[name] for name in SPEC.columns},
        facts={
            "people": people.count,
            "faces_most": int(looks.max(initial=0)),
            "face_share": float((looks > 0).mean()) if len(looks) else None,
            "unidentified": int((people.person < 0).sum()),
            "looks": len(looks),
        },
    )
