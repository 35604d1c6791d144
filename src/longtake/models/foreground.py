"""A masker without a segmentation model: saliency, boxes of things, colours, GrabCut."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np

from ..core.ports import Kind
from .matting import Box, Matte, Picture, cut, ellipse, fitted, saliency, small, tidy
from .words import hues_in, kinds_in, of_hue
from .yolo import Found, ObjectFinder

NAME = "grabcut-proxy"
FOREGROUND_SCORE, NAMED_SCORE = 0.4, 0.3
"""Scores from which a thing that YOLO finds counts as foreground, and as what a phrase names. By eye on two
frames each of 16 clips of the test media."""
LARGE = 0.9
"""Things that cover more than this share of the picture are taken for the scene."""
SALIENT = 0.3
"""A piece of a colour counts from this mean saliency, if no thing was found ..."""
ON, ALIKE = 0.5, 3.0
"""... and beside things that were found, if it is up to so many times larger or smaller than the largest
piece that lies on them with this share of itself."""
SPECK = 0.001
"""The least share of the picture that an instance found by its colour covers."""


class GrabCutMasker:
    """Cuts out what stands out, or what a phrase names as far as 80 kinds of things and 9 colours go.

    Without a phrase: what is salient and the things that YOLO finds, if its weights are given. With one: the
    things of the kinds that it names, with pieces beside them of a colour that it names; where it finds no
    such thing, salient pieces of the colour; otherwise nothing. A proxy: it knows no meaning, its edges are
    rough, and where foreground and background are alike it cuts out something else.
    """

    kind: Kind = "proxy"
    stands_for = "rembg and GroundingDINO"

    def __init__(self, yolo: Mapping[str, Path] | None = None, threads: int = 1) -> None:
        """``yolo`` are the files of the catalog entry ``yolov3-tiny``. Raises ``BackendError``."""
        self.name = NAME + ("" if yolo else " without yolov3-tiny")
        self._finder = None
        if yolo:
            files = (yolo["yolov3-tiny.weights"], yolo["yolov3-tiny.cfg"], yolo["coco.names"])
            self._finder = ObjectFinder(*files)

    def mask(self, picture: Picture, phrase: str | None) -> Matte:
        """Shape (height, width), 0 to 1."""
        if phrase is not None:
            found = self.instances(picture, phrase)
            return np.max(found, axis=0) if found else np.zeros(picture.shape[:2], np.float32)
        little = small(picture)
        likely = saliency(little)
        things = [f for f in self._find(picture, FOREGROUND_SCORE) if f.box[2] * f.box[3] < LARGE]
        if things:
            inside = np.max([ellipse(likely.shape, f.box, 1.15, person=_person(f)) for f in things], axis=0)
            likely = np.maximum(0.8 * inside + 0.2 * likely, 0.45 * likely)
        return fitted(tidy(cut(little, likely)), picture)

    def instances(self, picture: Picture, phrase: str) -> list[Matte]:
        """One mask for each thing that ``phrase`` names, the surest first."""
        kinds = kinds_in(phrase, self._finder.labels) if self._finder else set()
        things = [f for f in self._find(picture, NAMED_SCORE) if f.label in kinds] if kinds else []
        little = small(picture)
        found = [in_box(little, f.box, person=_person(f)) for f in things]
        pieces = [p for word in dict.fromkeys(hues_in(phrase)) for p in _coloured(little, word)]
        if pieces and found:
            found += _alike(pieces, found)
        elif pieces:
            front = saliency(little)
            found = [p for p in pieces if float((p * front).sum()) >= SALIENT * float(p.sum())]
        return [fitted(mask, picture) for mask in found]

    def _find(self, picture: Picture, least: float) -> list[Found]:
        return self._finder.find(picture, least) if self._finder else []


def _person(found: Found) -> bool:
    return found.label == "person"


def in_box(little: Picture, box: Box, *, person: bool = False) -> Matte:
    """What ``box`` holds, 0 or 1, the size of ``little``; where nothing can be cut out, its rounded box."""
    likely = ellipse(little.shape, box, 1.1, person=person)
    mask = tidy(cut(little, likely, sure=0.9, out=0.25))
    return mask if mask.sum() > 0.2 * (likely > 0.5).sum() else (likely > 0.5).astype(np.float32)


def _alike(pieces: list[Matte], found: list[Matte]) -> list[Matte]:
    """Pieces of a colour beside the things found, about as large as those on them: what YOLO overlooked."""
    there = np.max(found, axis=0)
    on = [float(p.sum()) for p in pieces if (p * there).sum() >= ON * p.sum()]
    apart = [p for p in pieces if (p * there).sum() < (1 - ON) * p.sum()]
    return [p for p in apart if on and max(on) / ALIKE <= float(p.sum()) <= max(on) * ALIKE]


def _coloured(little: Picture, word: str) -> list[Matte]:
    """Pieces of a colour, the largest first, with what belongs to them by GrabCut."""
    seeds = tidy(of_hue(np.asarray(cv2.GaussianBlur(little, (0, 0), 1.0), np.uint8), word))
    if not seeds.any():
        return []
    near = cv2.GaussianBlur(seeds, (0, 0), little.shape[1] / 100)
    mask = tidy(cut(little, np.asarray(near, np.float32), sure=0.95, out=0.1))
    count, labels, facts, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    areas = facts[1:count, cv2.CC_STAT_AREA]
    order = [int(i) for i in np.argsort(-areas, kind="stable") if areas[i] >= SPECK * mask.size]
    return [(labels == i + 1).astype(np.float32) for i in order]
