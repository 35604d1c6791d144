"""Stills of clips as the signal ``frames`` keeps them, for benchmarks of what models see."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from longtake.media.planes import bgr_of
from longtake.signals.frames import QUALITY, WIDTH

Picture = NDArray[np.uint8]
EVERY_S = 0.5
MOST = 40


def stills(path: Path) -> list[tuple[float, Picture]]:
    """Times (s) and pictures of a clip, two a second."""
    found: list[tuple[float, Picture]] = []
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            time = frame.time or 0.0
            if not found or time >= found[-1][0] + EVERY_S:
                found.append((time, squeezed(bgr_of(frame, WIDTH, 0))))
                if len(found) == MOST:
                    break
    return found


def squeezed(picture: Picture) -> Picture:
    """A picture through the JPEG in which it is kept."""
    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def manifest(media: Path) -> Iterator[dict[str, str]]:
    """Rows of the list that comes with the test media."""
    with (media / "MANIFEST.tsv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")
