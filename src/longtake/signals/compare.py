"""How alike two pictures are: the few measures that look at pixels, used where something may have changed."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from ..media.planes import Planes

Image = NDArray[np.uint8]

SSIM_WINDOW = 11
SSIM_SIGMA = 1.5
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
DETAIL_SIGMA = 3.0
"""Blur whose removal leaves the detail that a change of light does not move, in px of a 128-px picture."""
FEATURES = 300
"""Corner features looked for in a picture 256 px wide."""
INLIER_PX = 4.0
BAR = 24
"""Luma up to which a row or column at the edge is a black bar; 0 to 255, range-normalised."""
BARRED = 0.4
"""Share of the height and of the width that has to be left between bars."""


def without_bars(a: Planes, b: Planes) -> tuple[Planes, Planes]:
    """Both pictures without the black bars that they share at their edges.

    Bars never change, so their hard edges would make any two pictures look like one place. Pictures that are
    dark all over, or of which little would be left, stay whole.
    """
    both = np.maximum(a.y, b.y)
    rows, columns = (np.flatnonzero(both.max(axis=axis) > BAR) for axis in (1, 0))
    if len(rows) < BARRED * both.shape[0] or len(columns) < BARRED * both.shape[1]:
        return a, b
    spans = ((rows[0], rows[-1] + 1), (columns[0], columns[-1] + 1))
    return _cropped(a, spans), _cropped(b, spans)


def _cropped(planes: Planes, spans: tuple[tuple[int, int], tuple[int, int]]) -> Planes:
    def part(plane: Image) -> Image:
        (top, bottom), (left, right) = (
            (round(first * side / whole), max(round(last * side / whole), round(first * side / whole) + 1))
            for (first, last), side, whole in zip(spans, plane.shape, planes.y.shape, strict=True)
        )
        return np.ascontiguousarray(plane[top:bottom, left:right])

    return Planes(*(part(plane) for plane in planes))


def difference(a: Planes, b: Planes) -> float:
    """Weighted mean absolute difference of two pictures, 0..510: luma counts half, each chroma plane 3/4."""
    luma = cv2.norm(a.y, b.y, cv2.NORM_L1) / a.y.size
    chroma = (cv2.norm(a.u, b.u, cv2.NORM_L1) + cv2.norm(a.v, b.v, cv2.NORM_L1)) / a.u.size
    return 0.5 * luma + 0.75 * chroma


def ssim(a: Image, b: Image) -> float:
    """Structural similarity of two luma planes, -1..1, NaN for pictures too small for the window.

    Wang, Bovik, Sheikh and Simoncelli, IEEE TIP 2004, with a Gaussian window (sigma 1.5, 11 px) and
    population covariance; a border of 5 px is left out. This is the "gaussian" variant, not the 7-px box.
    """
    if a.shape != b.shape or min(a.shape) <= SSIM_WINDOW:
        return float("nan")
    x, y = a.astype(np.float32), b.astype(np.float32)
    mean_x, mean_y = _soft(x), _soft(y)
    var_x = _soft(x * x) - mean_x * mean_x
    var_y = _soft(y * y) - mean_y * mean_y
    cov = _soft(x * y) - mean_x * mean_y
    top = (2 * mean_x * mean_y + _C1) * (2 * cov + _C2)
    low = (mean_x * mean_x + mean_y * mean_y + _C1) * (var_x + var_y + _C2)
    edge = SSIM_WINDOW // 2
    return float((top / low)[edge:-edge, edge:-edge].mean())


def _soft(x: NDArray[np.float32]) -> NDArray[np.float32]:
    return cv2.GaussianBlur(x, (SSIM_WINDOW, SSIM_WINDOW), SSIM_SIGMA)  # type: ignore[return-value]


def histogram_shift(a: Planes, b: Planes) -> float:
    """Distance of two pictures' histograms, 0 same, 1 apart.

    The mean of half the L1 distance of luma (32 bins) and of that of joint chroma (16 x 16 bins).
    """
    total = 0.0
    for x, y in zip(_histograms(a), _histograms(b), strict=True):
        total += 0.5 * float(np.abs(x - y).sum())
    return total / 2


def _histograms(p: Planes) -> list[NDArray[np.float32]]:
    luma = cv2.calcHist([p.y], [0], None, [32], [0, 256]).ravel()
    chroma = cv2.calcHist([cv2.merge([p.u, p.v])], [0, 1], None, [16, 16], [0, 256, 0, 256]).ravel()
    return [luma / luma.sum(), chroma / chroma.sum()]


class Flow:
    """Dense optical flow by dense inverse search (Kroeger et al., ECCV 2016), ultrafast preset."""

    MIN_SIDE = 16
    """Below this the search has no room for its patches."""

    def __init__(self) -> None:
        self._dis = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_ULTRAFAST)

    def follow(self, a: Image, b: Image) -> tuple[Image, float]:
        """``b`` brought back along the flow, to be laid on ``a``, and the mean length of the flow in widths.

        Tiny pictures give ``b`` itself and NaN.
        """
        if min(a.shape) < self.MIN_SIDE:
            return b, float("nan")
        field: NDArray[np.float32] = self._dis.calc(a, b, None)  # type: ignore[call-overload]
        speed = float(cv2.magnitude(field[..., 0], field[..., 1]).mean()) / a.shape[1]
        field += _grid(*a.shape)
        laid = cv2.remap(b, field, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]
        return laid, speed


@lru_cache(maxsize=8)
def _grid(height: int, width: int) -> NDArray[np.float32]:
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    return np.dstack((columns, rows))


def mean_difference(a: Image, b: Image) -> float:
    """Mean absolute difference of two planes, grey levels."""
    return cv2.norm(a, b, cv2.NORM_L1) / a.size


def detail_correlation(a: Image, b: Image) -> float:
    """Correlation of two luma planes' fine detail, -1..1, 0 for flat ones. Light may change, edges stay."""
    x, y = _detail(a), _detail(b)
    power = cv2.norm(x) * cv2.norm(y)
    return float(x.ravel() @ y.ravel()) / power if power > a.size else 0.0


def _detail(a: Image) -> NDArray[np.float32]:
    x = a.astype(np.float32)
    x -= cv2.GaussianBlur(x, (0, 0), DETAIL_SIGMA)
    return x


class Features:
    """Corners that two pictures of one place have in common (ORB, Rublee et al., ICCV 2011)."""

    def __init__(self) -> None:
        self._orb = cv2.ORB.create(FEATURES, edgeThreshold=8, patchSize=16, fastThreshold=8)
        self._matcher = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True)

    def shared(self, a: Image, b: Image) -> float:
        """Share of corners that move together under one similarity or near it, 0..1; 0 without corners."""
        ka, da = self._orb.detectAndCompute(a, None)
        kb, db = self._orb.detectAndCompute(b, None)
        if da is None or db is None or min(len(ka), len(kb)) < 8:
            return 0.0
        matches = [m for m in self._matcher.match(da, db) if m.distance < 48]
        if len(matches) < 6:
            return 0.0
        p = np.array([ka[m.queryIdx].pt for m in matches], np.float32)
        q = np.array([kb[m.trainIdx].pt for m in matches], np.float32)
        cv2.setRNGSeed(1)
        _, inside = cv2.estimateAffinePartial2D(p, q, ransacReprojThreshold=INLIER_PX)
        return float(inside.sum()) / min(len(ka), len(kb)) if inside is not None else 0.0
