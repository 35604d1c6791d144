"""BRISQUE: how far a picture's statistics are from those of undamaged photographs.

Mittal, Moorthy, Bovik: "No-Reference Image Quality Assessment in the Spatial Domain", IEEE TIP 21(12), 2012.
The 36 features are ours in NumPy and OpenCV; the regression is the published one, read from a libsvm text
file that is fetched by ``longtake models pull brisque`` and never part of this package. Lower is better; it
says "distorted", not "ugly".
"""

from __future__ import annotations

import io
import math
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

FEATURES = 36
WINDOW, SIGMA = 7, 7 / 6
"""Size and spread of the Gaussian window of the paper."""
STABILISER = 1 / 255
"""Added to the local contrast, for luma in 0..1."""
SHIFTS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Neighbour pairs: right, below, below right, below left."""
SMALLEST = 32
"""A picture narrower or lower than this, in pixels, is not measured."""
LOWEST_SHAPE, HIGHEST_SHAPE = 0.05, 20.0
"""Bounds of the shape of a generalised Gaussian that the bisection searches."""


def features(luma: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The 36 features of one picture.

    Args:
        luma: shape (height, width), 0..255, at least ``SMALLEST`` each way.

    Returns:
        Shape (36,): 18 at full size, then 18 at half size; NaN for a picture without any variation.
    """
    if min(luma.shape) < SMALLEST:
        return np.full(FEATURES, np.nan)
    full = luma.astype(np.float32) / np.float32(255)
    half = cv2.resize(full, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_CUBIC)
    return np.concatenate([_one_scale(full), _one_scale(half)])


def _one_scale(image: NDArray[Any]) -> NDArray[np.float64]:
    line = cv2.getGaussianKernel(WINDOW, SIGMA, cv2.CV_32F)
    mean = cv2.sepFilter2D(image, cv2.CV_32F, line, line, borderType=cv2.BORDER_CONSTANT)
    square = cv2.sepFilter2D(image * image, cv2.CV_32F, line, line, borderType=cv2.BORDER_CONSTANT)
    normal = (image - mean) / (np.sqrt(np.abs(square - mean * mean)) + np.float32(STABILISER))
    shape, _, left, right = _fit(normal)
    out = [shape, (left + right) / 2]
    for down, across in SHIFTS:
        first = normal[: normal.shape[0] - down, max(0, -across) : normal.shape[1] - max(0, across)]
        second = normal[down:, max(0, across) : normal.shape[1] - max(0, -across)]
        out.extend(_fit(first * second))
    return np.array(out, np.float64)


def _fit(values: NDArray[Any]) -> tuple[float, float, float, float]:
    """Asymmetric generalised Gaussian by moments: shape, mean, left and right variance."""
    negative = np.minimum(values, 0)
    below = int(np.count_nonzero(negative))
    above = values.size - below
    total = float(cv2.norm(values, cv2.NORM_L2SQR))
    low = float(cv2.norm(negative, cv2.NORM_L2SQR))
    high = max(0.0, total - low)
    if not below or not above or low <= 0 or high <= 0:
        return math.nan, math.nan, math.nan, math.nan
    left, right = low / below, high / above
    ratio = math.sqrt(left / right)
    mean_abs = float(cv2.norm(values, cv2.NORM_L1)) / values.size
    wanted = mean_abs**2 / (total / values.size) * (ratio**3 + 1) * (ratio + 1) / (ratio**2 + 1) ** 2
    shape = _shape(wanted)
    g1, g2, g3 = (math.gamma(k / shape) for k in (1, 2, 3))
    mean = (math.sqrt(right) - math.sqrt(left)) * math.sqrt(g1 / g3) * g2 / g1
    return shape, mean, left, right


def _shape(wanted: float) -> float:
    """The shape whose moment ratio is ``wanted``: the ratio rises with the shape, so bisection finds it."""
    low, high = LOWEST_SHAPE, HIGHEST_SHAPE
    for _ in range(50):
        middle = (low + high) / 2
        ratio = math.exp(2 * math.lgamma(2 / middle) - math.lgamma(1 / middle) - math.lgamma(3 / middle))
        low, high = (middle, high) if ratio < wanted else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True)
class Regression:
    """A support vector regression with a Gaussian kernel over features scaled to -1..1."""

    gamma: float
    offset: float
    weights: NDArray[np.float64]
    vectors: NDArray[np.float64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]

    def score(self, rows: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Scores of feature rows, shape (n, 36) -> (n,); about 0 (clean) to 100; NaN for a row with NaN."""
        scaled = -1 + 2 * (np.asarray(rows, np.float64) - self.lowest) / (self.highest - self.lowest)
        distance = ((scaled[:, None, :] - self.vectors[None]) ** 2).sum(2)
        return np.asarray(np.exp(-self.gamma * distance) @ self.weights - self.offset)


class _PlainUnpickler(pickle.Unpickler):
    """Reads lists, dicts and numbers only: a pickle that names any class is refused."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"names {module}.{name}")


def load(regression: Path, ranges: Path) -> Regression:
    """Read the libsvm text model and the feature ranges beside it.

    Raises:
        InputError: a file is not what it should be.
    """
    try:
        head, _, body = regression.read_text("ascii").partition("SV\n")
        values = dict(line.split(" ", 1) for line in head.splitlines() if " " in line)
        rows = [line.split() for line in body.splitlines() if line.strip()]
        vectors = np.zeros((len(rows), FEATURES))
        for i, row in enumerate(rows):
            for item in row[1:]:
                column, value = item.split(":")
                vectors[i, int(column) - 1] = float(value)
        table = _PlainUnpickler(io.BytesIO(ranges.read_bytes())).load()
        return Regression(
            float(values["gamma"]),
            float(values["rho"]),
            np.array([float(row[0]) for row in rows]),
            vectors,
            np.array(table["min_"], np.float64),
            np.array(table["max_"], np.float64),
        )
    except (OSError, ValueError, KeyError, IndexError, TypeError, pickle.UnpicklingError) as error:
        raise InputError(
            f"the BRISQUE weights cannot be read: {error}",
            hint="fetch them again: longtake models pull brisque",
        ) from error
