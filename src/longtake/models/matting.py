"""Where a thing ends: saliency, GrabCut and a guided filter. OpenCV only, deterministic."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Matte = NDArray[np.float32]
Box = tuple[float, float, float, float]
"""Left, top, width and height as shares of the picture."""

WIDTH = 256
"""Pictures are cut at this width, px."""
SPECTRUM = 64
"""Width of the picture whose spectrum is looked at, px."""
ROUNDS = 3
"""Rounds of GrabCut; more changed little."""
BAND = 0.06
"""Width of the band along the edges that is taken for background, as a share of the picture."""
PLAIN = 0.15
"""Where no colour is further from those of the edges than most are by this, in spreads of theirs (6 levels or
more), nothing stands out. On frames of 90 clips of the test media the least was .2."""
CLUSTERS = 3
"""Colours that the band is summed up in."""
GUIDE_RADIUS, GUIDE_EPS = 0.006, 2e-4
"""Radius of the guided filter as a share of the width, and the variance (of luma in 0..1) that it takes for
an edge."""
HOLES = 1.5
"""Holes are filled unless the mask would grow by more than this: a frame around a picture is no thing."""
HEAD, HEAD_NARROWER = 0.4, 1.0
"""In this upper share of a person's box the outline narrows towards the head, by so much at the top."""
CRUMB = 0.1
"""A piece of a mask stays if it has this share of the largest piece's area."""


def small(picture: Picture) -> Picture:
    """``picture`` at :data:`WIDTH`, never larger than it is."""
    height, width = picture.shape[:2]
    if width <= WIDTH:
        return picture
    size = (WIDTH, max(round(height * WIDTH / width), 2))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def saliency(picture: Picture) -> Matte:
    """How much each pixel stands out, 0 to 1, shape (height, width).

    Rests on how unlike the colours along the picture's edges it is, on the spectral residual (Hou and Zhang,
    CVPR 2007), and on how near it is to the middle.
    """
    height, width = picture.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    middle = np.exp(-(((x / width - 0.5) / 0.4) ** 2) - ((y / height - 0.5) / 0.45) ** 2)
    unlike = np.asarray(cv2.GaussianBlur(_unlike_edges(picture), (0, 0), width / 64), np.float32)
    if float(np.percentile(unlike, 99) - np.median(unlike)) < PLAIN:
        return np.zeros((height, width), np.float32)
    found = (0.7 * _stretched(unlike) + 0.3 * _stretched(_residual(picture)) + 0.1) * (0.3 + 0.7 * middle)
    return _stretched(np.asarray(found, np.float32))


def _unlike_edges(picture: Picture) -> Matte:
    """Distance in Lab to the nearest of a few colours of the band along the left, right and upper edge."""
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2Lab).astype(np.float32)
    height, width = lab.shape[:2]
    band = np.ones((height, width), bool)
    across, down = max(int(width * BAND), 1), max(int(height * BAND), 1)
    band[down:, across:-across] = False
    edge = lab[band]
    cv2.setRNGSeed(1)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 10, 1.0)
    count = min(CLUSTERS, len(edge))
    _, labels, centres = cv2.kmeans(edge, count, np.zeros((0,), np.int32), stop, 1, cv2.KMEANS_PP_CENTERS)
    spreads = [edge[labels.ravel() == i].std(0) + 6.0 for i in range(count)]
    clusters = zip(centres, spreads, strict=True)
    apart = [np.sqrt((((lab - centre) / spread) ** 2).mean(-1)) for centre, spread in clusters]
    return np.asarray(np.min(apart, axis=0), np.float32)


def _residual(picture: Picture) -> Matte:
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    height, width = grey.shape
    tiny = cv2.resize(
        grey, (SPECTRUM, max(round(height * SPECTRUM / width), 2)), interpolation=cv2.INTER_AREA
    )
    waves = np.fft.fft2(tiny.astype(np.float64))
    logs = np.log(np.abs(waves) + 1e-9)
    rest = np.exp(logs - cv2.blur(logs, (3, 3)) + 1j * np.angle(waves))
    found = cv2.GaussianBlur(np.abs(np.fft.ifft2(rest)) ** 2, (0, 0), 2.5)
    return np.asarray(cv2.resize(found, (width, height)), np.float32)


def _stretched(values: Matte) -> Matte:
    low, high = np.percentile(values, [2, 99])
    return np.asarray(np.clip((values - low) / max(float(high - low), 1e-9), 0, 1), np.float32)


def cut(picture: Picture, likely: Matte, sure: float = 0.75, out: float = 0.2) -> Matte:
    """GrabCut (Rother et al., SIGGRAPH 2004) from a likelihood per pixel: 0 or 1, shape (height, width).

    From ``sure`` on a pixel is foreground and below ``out`` background, whatever its colour; all 0 where
    nothing or everything is likely.
    """
    seeds = np.full(likely.shape, cv2.GC_PR_BGD, np.uint8)
    seeds[likely >= (sure + out) / 2] = cv2.GC_PR_FGD
    seeds[likely >= sure] = cv2.GC_FGD
    seeds[likely < out] = cv2.GC_BGD
    before = (seeds == cv2.GC_FGD) | (seeds == cv2.GC_PR_FGD)
    if not before.any() or before.all():
        return np.zeros(likely.shape, np.float32)
    cv2.setRNGSeed(1)  # its clusters are drawn
    back, front = np.zeros((1, 65), np.float64), np.zeros((1, 65), np.float64)
    cv2.grabCut(picture, seeds, (0, 0, 0, 0), back, front, ROUNDS, cv2.GC_INIT_WITH_MASK)
    return ((seeds == cv2.GC_FGD) | (seeds == cv2.GC_PR_FGD)).astype(np.float32)


def tidy(mask: Matte) -> Matte:
    """A mask of 0 and 1 without crumbs, and with its holes filled."""
    width = mask.shape[1]
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (max(width // 80, 2) | 1,) * 2)
    whole = cv2.morphologyEx((mask > 0.5).astype(np.uint8), cv2.MORPH_OPEN, kernel)
    whole = cv2.morphologyEx(whole, cv2.MORPH_CLOSE, kernel)
    outlines, _ = cv2.findContours(whole, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = cv2.drawContours(np.zeros_like(whole), outlines, -1, 1, cv2.FILLED)
    if int(filled.sum()) <= HOLES * int(whole.sum()):
        whole = filled
    count, labels, facts, _ = cv2.connectedComponentsWithStats(whole)
    if count < 2:
        return np.zeros(mask.shape, np.float32)
    areas = facts[:, cv2.CC_STAT_AREA].copy()
    areas[0] = 0
    return np.isin(labels, np.flatnonzero(areas >= CRUMB * areas.max())).astype(np.float32)


def ellipse(shape: tuple[int, ...], box: Box, grow: float = 1.0, *, person: bool = False) -> Matte:
    """1 in the middle of ``box``, .5 on the rounded box inside it, 0 beyond: a likelihood for :func:`cut`.

    That of a ``person`` is narrower at the top.
    """
    height, width = shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    across = (x / width - box[0] - box[2] / 2) / max(box[2] * grow / 2, 1e-6)
    down = (y / height - box[1] - box[3] / 2) / max(box[3] * grow / 2, 1e-6)
    if person:
        across = across * (1 + HEAD_NARROWER * np.clip((HEAD - (down + 1) / 2) / HEAD, 0, 1))
    radius = (np.abs(across) ** 3 + np.abs(down) ** 3) ** (1 / 3)
    return np.asarray(np.clip(1.5 - radius, 0, 1), np.float32)


def fitted(mask: Matte, picture: Picture) -> Matte:
    """A small mask at the size of ``picture``, its edge drawn to the edges there: a guided filter over luma
    (He et al., ECCV 2010). Float32, 0 to 1; 0 well outside the mask."""
    height, width = picture.shape[:2]
    large = cv2.resize(mask, (width, height), interpolation=cv2.INTER_LINEAR)
    if not large.any():
        return np.zeros((height, width), np.float32)
    guide = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32) / 255
    side = (2 * max(round(width * GUIDE_RADIUS), 1) + 1,) * 2

    def mean(values: Any) -> Any:
        return cv2.blur(values, side)

    guide_mean, large_mean = mean(guide), mean(large)
    slope = (mean(guide * large) - guide_mean * large_mean) / (
        mean(guide * guide) - guide_mean**2 + GUIDE_EPS
    )
    edge = mean(slope) * guide + mean(large_mean - slope * guide_mean)
    edge = np.clip((edge - 0.1) / 0.8, 0, 1)
    far = cv2.dilate((large > 0.02).astype(np.uint8), np.ones(side, np.uint8))
    return np.asarray(edge * far, np.float32)
