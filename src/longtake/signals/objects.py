"""People and things in the kept frames, by YOLOv3-tiny: weak; what it does not find may well be there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.signal import Column, Signal, SignalSpec
from ..models.weights import Weights, Wish
from ..models.yolo import LEAST, ObjectFinder
from .observer import Arrays, Merged

if TYPE_CHECKING:
    from .film import Film

PERSON = "person"
PERSON_SCORE, THING_SCORE = 0.4, 0.6
"""Scores from which people and other things count in the facts, fixed by eye on the middle frames of every
other of 138 clips of the test media: 1 of 9 things was something else there, 1 of 10 on the other clips. Of
75 people on all clips one was a bird; of 58 clips in which a person is plain to see, 53 had one found."""
TWICE = 2
"""Frames in which a number of people must be found for it to count, where there are so many."""
TOP = 6
"""Labels named in the facts."""
PER_FRAME = 20

MODELS: tuple[Wish, ...] = ("yolov3-tiny",)

SPEC = SignalSpec(
    name="objects",
    version=1,
    doc=(
        "People and 79 kinds of things in the kept frames (384 px wide) by YOLOv3-tiny. A weak tool: large, "
        "whole people and vehicles are found, small, dark, drawn or half hidden ones often are not, and "
        "animals and unusual things are mistaken for others. That nothing was found proves nothing."
    ),
    columns={
        "time": Column(type="float", unit="s", doc="time of the frame"),
        "label": Column(type="str", doc="kind, one of the 80 of COCO"),
        "confidence": Column(
            type="float", unit="score", doc=f"an order of sureness, no probability; from {LEAST}"
        ),
        "x": Column(type="float", unit="share", doc="left edge of its box, of the width"),
        "y": Column(type="float", unit="share", doc="top edge, of the height"),
        "width": Column(type="float", unit="share", doc="of the picture's width"),
        "height": Column(type="float", unit="share", doc="of the picture's height"),
    },
    facts={
        "frames": Column(type="int", doc="frames looked at"),
        "people_most": Column(
            type="int",
            doc=f"most people (score {PERSON_SCORE} or more) found at once, in at least {TWICE} frames if "
            "there are more; people in a crowd are missed",
        ),
        "people_share": Column(type="float", unit="share", doc="of the frames with a person found"),
        "labels": Column(
            type="str",
            doc=f"up to {TOP} kinds found (people from {PERSON_SCORE}, things from {THING_SCORE}), each with "
            "the number of frames, the most frequent first: 'person 12, car 3'",
        ),
    },
    heavy=True,
)

_BOX = ("x", "y", "width", "height")


class ObjectObserver:
    """Finds people and things in each kept frame."""

    name = "objects"

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._finder: ObjectFinder | None = None
        self._times: list[float] = []
        self._rows: list[tuple[float, str, float, tuple[float, ...]]] = []

    def look(self, picture: NDArray[np.uint8], time: float) -> None:
        if self._finder is None:
            cv2.setNumThreads(self._weights.threads)
            files = self._weights["yolov3-tiny"]
            self._finder = ObjectFinder(
                files["yolov3-tiny.weights"], files["yolov3-tiny.cfg"], files["coco.names"]
            )
        self._times.append(time)
        found = self._finder.find(picture)[:PER_FRAME]
        self._rows += [(time, thing.label, thing.score, thing.box) for thing in found]

    def flush(self) -> Arrays:
        boxes = np.array([box for *_, box in self._rows], np.float32).reshape(-1, len(_BOX))
        out: Arrays = {
            "objects_frames.time": np.array(self._times, np.float64),
            "objects.time": np.array([time for time, *_ in self._rows], np.float64),
            "objects.label": np.array([label for _, label, *_ in self._rows], np.str_),
            "objects.confidence": np.array([score for _, _, score, _ in self._rows], np.float32),
            **{f"objects.{side}": boxes[:, i].copy() for i, side in enumerate(_BOX)},
        }
        self._times.clear()
        self._rows.clear()
        return out


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """The objects signal: what was found, frame by frame, and how many people at once."""
    frames = np.asarray(merged["objects_frames.time"], np.float64)
    if not len(frames):
        return Signal(SPEC.name, SPEC.version, "skipped", "no kept frames")
    columns = {name: np.asarray(merged[f"objects.{name}"]) for name in SPEC.columns}
    times, labels = columns["time"], columns["label"]
    person = labels == PERSON
    counted = columns["confidence"] >= np.where(person, PERSON_SCORE, THING_SCORE)
    people = np.array([np.count_nonzero(counted & person & (times == t)) for t in frames])
    return Signal(
        SPEC.name,
        SPEC.version,
        columns=columns,
        facts={
            "frames": len(frames),
            "people_most": _most(people),
            "people_share": float(np.mean(people > 0)),
            "labels": _named(times[counted], labels[counted]),
        },
    )


def _most(people: NDArray[np.int64]) -> int:
    """The largest number, but for one frame that stands alone."""
    ordered = np.sort(people)
    return int(ordered[-TWICE] if len(ordered) > TWICE else ordered[-1])


def _named(times: NDArray[np.generic], labels: NDArray[np.generic]) -> str:
    """The most frequent labels, each with the number of frames in which it was found."""
    pairs = {(float(t), str(label)) for t, label in zip(times, labels, strict=True)}
    frames = Counter(label for _, label in pairs)
    ranked = sorted(frames.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{label} {count}" for label, count in ranked[:TOP])
