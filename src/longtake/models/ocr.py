"""Reads printed text in pictures: PP-OCRv6 small, by the detector and recogniser of the package rapidocr.

Only the two steps of the package are used, over sessions of our own: so the weights are those of the catalog,
the threads are bounded, and nothing is fetched or written. Source of the models: PaddleOCR (Apache-2.0).
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.ports import Kind
from ..errors import BackendError
from .onnx import session

Image = NDArray[np.uint8]
Quad = NDArray[np.float32]
"""Corners (x, y) in px, from the top left clockwise: shape (4, 2)."""

AREA = 960 * 540
"""Pictures are brought to about this many pixels before text is looked for: one look costs some 0.2 s of one
core. Lines lower than about 8 px there are missed."""
ENLARGED = 2.0
"""Small pictures are enlarged at most this much: text that is only a few pixels high does not come back."""
STEP = 32
"""The detector wants sides that are multiples of this."""
LINES = 32
"""Lines read in one picture; of more, the surest ones. A page of small print is read in part."""
UPRIGHT = 2.0
"""A box taller than this many widths is turned by a right angle and read as a line on its side."""

_DETECTION: dict[str, Any] = {
    "limit_type": "max",
    "mean": [0.5, 0.5, 0.5],
    "std": [0.5, 0.5, 0.5],
    "thresh": 0.3,
    "box_thresh": 0.5,
    "max_candidates": 200,
    "unclip_ratio": 1.6,
    "use_dilation": True,
    "score_mode": "fast",
}
"""The values that the package uses with these weights, apart from the size and fewer candidates."""
_RECOGNITION: dict[str, Any] = {
    "lang_type": "ch",
    "rec_batch_num": 1,
    "rec_img_shape": [3, 48, 320],
    "font_path": None,
}


@dataclass(frozen=True)
class Reading:
    """A line of text: what it says, how sure the recogniser is of its letters and the detector of its place.

    Both in [0, 1]; the mean probability of the letters is no probability that the line is right.
    """

    text: str
    score: float
    found: float
    quad: Quad


class _Config(dict[str, Any]):
    """Settings as the package reads them: by key and by attribute."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


class TextReader:
    """Finds and reads lines of text. Latin, Chinese and Japanese letters and digits are in its alphabet.

    Implements :class:`..core.ports.TextReader`.
    """

    name = "ppocr"
    kind: Kind = "model"
    stands_for = ""

    def __init__(self, detector: Path, recogniser: Path, threads: int = 1) -> None:
        """Opens both models. Raises ``BackendError`` where a file cannot be run."""
        found, read = session(detector, threads, lean=True), session(recogniser, threads, lean=True)
        from rapidocr.utils.log import logger

        # The package sets its logger to INFO when it is imported, and reports what it is about to do.
        logger.setLevel(logging.ERROR)
        from rapidocr.ch_ppocr_det import TextDetector
        from rapidocr.ch_ppocr_rec import TextRecognizer
        from rapidocr.utils.typings import EngineType

        engine = EngineType.ONNXRUNTIME
        self._find = TextDetector(
            _Config(_DETECTION, engine_type=engine, session=found, limit_side_len=math.inf)
        )
        if "character" not in read.get_modelmeta().custom_metadata_map:
            raise BackendError(
                f"{recogniser.name} names no letters", hint="fetch it again: longtake models pull"
            )
        self._read = TextRecognizer(_Config(_RECOGNITION, engine_type=engine, session=read))

    def read(self, picture: Image) -> list[Reading]:
        """Lines in ``picture`` (BGR, any size of at least STEP px), from top to bottom."""
        height, width = picture.shape[:2]
        if min(height, width) < STEP:
            return []
        scale = min(math.sqrt(AREA / (height * width)), ENLARGED)
        size = tuple(max(round(side * scale / STEP), 1) * STEP for side in (width, height))
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        result = self._find(cv2.resize(picture, size, interpolation=way))
        if result.boxes is None:
            return []
        back = np.array([width / size[0], height / size[1]], np.float32)
        quads = np.asarray(result.boxes, np.float32) * back
        found = np.asarray(result.scores, np.float64)
        kept = np.sort(np.argsort(-found, kind="stable")[:LINES])
        lines = self.lines(picture, [quads[i] for i in kept])
        return [
            Reading(text, score, float(found[i]), quads[i])
            for i, (text, score) in zip(kept, lines, strict=True)
            if text
        ]

    def lines(self, picture: Image, quads: Sequence[Quad]) -> list[tuple[str, float]]:
        """What stands in these places of ``picture``, and how sure that is; an empty text for nothing."""
        if not quads:
            return []
        from rapidocr.ch_ppocr_rec import TextRecInput

        result: Any = self._read(TextRecInput(img=[_cut_out(picture, quad) for quad in quads]))
        return [(str(t).strip(), float(s)) for t, s in zip(result.txts, result.scores, strict=True)]


def opened(files: Mapping[str, Path], threads: int = 1) -> TextReader:
    """The reader from the files of the catalog's entry. Raises ``BackendError`` where one cannot be run."""
    return TextReader(files["det.onnx"], files["rec.onnx"], threads)


def _cut_out(picture: Image, quad: Quad) -> Image:
    """The place of a line, straightened."""
    width = max(int(max(np.linalg.norm(quad[0] - quad[1]), np.linalg.norm(quad[2] - quad[3]))), 1)
    height = max(int(max(np.linalg.norm(quad[0] - quad[3]), np.linalg.norm(quad[1] - quad[2]))), 1)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(quad, corners)
    cut = cv2.warpPerspective(
        picture, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.ascontiguousarray(np.rot90(cut) if height > UPRIGHT * width else cut).astype(np.uint8)
