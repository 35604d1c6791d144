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
SPECK = 0.003
"""The least share of the picture that an instance found by its colour covers."""


class GrabCutMasker:
    """Cuts out what stands out, or what a phrase names as far as 80 kinds of things and 9 colours go.

    Without a phrase: what is salient and the things that YOLO finds, if its weights are given. With one:
    pieces of the colours that it names; where it names none or none is there, the things of the kinds that
    it names; otherwise nothing. A proxy: it knows no meaning, its edges are rough, and where foreground and
    background are alike it cuts out something else.
    """

    kind: Kind = "proxy"
    stands_for = "rembg and GroundingDINO"

    def __init__(self, yolo: Mapping[str, Path] | None = None) -> None:
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
        pieces = [m for word in dict.fromkeys(hues_in(phrase)) for m in _coloured(picture, word)]
        if pieces or self._finder is None:
            return pieces
        kinds = kinds_in(phrase, self._finder.labels)
        things = [f for f in self._find(picture, NAMED_SCORE) if f.label in kinds] if kinds else []
        little = small(picture)
        return [fitted(in_box(little, f.box, person=_person(f)), picture) for f in things]

    def _find(self, picture: Picture, least: float) -> list[Found]:
        return self._finder.find(picture, least) if self._finder else []


def _person(found: Found) -> bool:
    return found.label == "person"


def in_box(little: Picture, box: Box, *, person: bool = False) -> Matte:
    """What ``box`` holds, 0 or 1, the size of ``little``; where nothing can be cut out, its rounded box."""
    likely = ellipse(little.shape, box, 1.1, person=person)
    mask = tidy(cut(little, likely, sure=0.9, out=0.25))
    return mask if mask.sum() > 0.2 * (likely > 0.5).sum() else (likely > 0.5).astype(np.float32)


def _coloured(picture: Picture, word: str) -> list[Matte]:
    little = small(picture)
    mask = tidy(of_hue(cv2.GaussianBlur(little, (0, 0), 1.0).astype(np.uint8), word))
    count, labels, facts, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    areas = facts[1:count, cv2.CC_STAT_AREA]
    order = [int(i) for i in np.argsort(-areas, kind="stable") if areas[i] >= SPECK * mask.size]
    return [fitted((labels == i + 1).astype(np.float32), picture) for i in order]
