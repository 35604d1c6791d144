"""Which of YOLO's kinds and which colours a phrase names: words, not meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

_PEOPLE = (
    "people man men woman women boy girl child children kid baby lady worker dancer astronaut bartender "
    "player actor actress somebody someone he she him her human"
)
SYNONYMS: Mapping[str, str] = {
    **dict.fromkeys(_PEOPLE.split(), "person"),
    "mug": "cup",
    "bike": "bicycle",
    "puppy": "dog",
    "kitten": "cat",
    "suv": "car",
    "sofa": "couch",
    "television": "tv",
    "tv": "tvmonitor",
    "couch": "sofa",
    "phone": "cell phone",
    "plane": "aeroplane",
    "airplane": "aeroplane",
    "motorcycle": "motorbike",
    "football": "sports ball",
    "ball": "sports ball",
    "glass": "wine glass",
    "panda": "bear",
    "plant": "pottedplant",
}
"""Everyday words for the kinds; both spellings of what COCO and Darknet call differently."""
PLURALS: Mapping[str, str] = {"mice": "mouse", "knives": "knife", "buses": "bus", "glasses": "glass"}
HUES: Mapping[str, tuple[float, float]] = {
    "red": (340, 18),
    "orange": (8, 45),
    "yellow": (42, 70),
    "green": (70, 165),
    "cyan": (165, 195),
    "blue": (190, 255),
    "purple": (255, 300),
    "violet": (255, 300),
    "pink": (290, 352),
    "magenta": (285, 345),
    "turquoise": (160, 200),
    "teal": (160, 200),
    "navy": (200, 255),
    "indigo": (225, 280),
    "lavender": (240, 300),
    "maroon": (335, 15),
    "crimson": (335, 15),
    "scarlet": (345, 18),
    "golden": (30, 60),
    "amber": (25, 50),
    "brown": (5, 45),
}
"""From and to in degrees, clockwise; only words for which a hue says enough. They overlap, as people's do."""
LEAST_SATURATION, LEAST_VALUE = 0.28, 0.15
"""Below these a pixel has no colour to speak of."""


def words_of(phrase: str) -> list[str]:
    """Lower-case words, plurals as singulars."""
    found = re.findall(r"[a-z]+", phrase.lower())
    return [
        PLURALS.get(w) or (w[:-1] if len(w) > 3 and w.endswith("s") and w[-2] != "s" else w) for w in found
    ]


def kinds_in(phrase: str, labels: Iterable[str]) -> set[str]:
    """The ``labels`` that the phrase names, by themselves or by a synonym."""
    words = words_of(phrase)
    line = f" {' '.join(words)} "
    known = {label: f" {' '.join(words_of(label))} " for label in labels}
    meant = {label for label, text in known.items() if text in line}
    return meant | {SYNONYMS[w] for w in words if SYNONYMS.get(w) in known}


def hues_in(phrase: str) -> list[str]:
    """The colour words of :data:`HUES` that the phrase holds, in order."""
    return [word for word in words_of(phrase) if word in HUES]


def of_hue(picture: NDArray[np.uint8], word: str) -> NDArray[np.float32]:
    """1 where ``picture`` (BGR) has the hue that ``word`` means, else 0: shape (height, width)."""
    hsv = cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_BGR2HSV)
    low, high = HUES[word]
    turned = (hsv[..., 0] - low) % 360 <= (high - low) % 360
    coloured = (hsv[..., 1] >= LEAST_SATURATION) & (hsv[..., 2] >= LEAST_VALUE)
    return (turned & coloured).astype(np.float32)
