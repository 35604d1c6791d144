"""From evidence to boundaries: which sudden changes are cuts, which slow ones dissolves or fades.

Thresholds were fixed on films built from the even half of the test footage (``benchmarks/accuracy.py``,
set A) and on the clips whose cuts were checked by eye; they are reported on set B.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.signal import Signal
from .film import Film
from .observer import Merged

CUT_SCORE, FAINT_SCORE = 20.0, 6.5
"""Difference of a cut's two pictures, 0..510; a faint one must stand out more."""
CUT_RISE, FAINT_RISE, SURE_RISE = 2.2, 4.0, 1.5
"""Times the mean of its four neighbours. Cuts into fast pans stand out little: strong evidence helps."""
CUT_ABOVE, FAINT_ABOVE, SURE_ABOVE = 1.5, 3.0, 1.1
"""Times the greatest of its four neighbours."""
LASTING = 0.4
"""Share of the difference that remains past two frames; a flash goes back."""
UNEXPLAINED, FAINT_UNEXPLAINED = 10.0, 5.0
"""Grey levels left after following the optical flow."""
UNEXPLAINED_RISE, SURE_UNEXPLAINED_RISE = 2.0, 3.5
"""Times what is left one frame earlier and later."""
DETAIL_KEPT, SURE_DETAIL_KEPT = 0.5, 0.2
"""Correlation of detail after following the flow, from which on the place is the same."""
SHARED_KEPT, SURE_SHARED_KEPT = 0.15, 0.12
"""Share of corners found again, from which on the place is the same."""
CHANCE_SHARED = 0.25
"""Flat pictures have few corners, of which this share may agree by chance; their detail then tells."""
SURE_SHIFT = 0.2
"""Histogram distance of a cut that stands out little."""
RECOLOUR_SHIFT, RECOLOUR_SCORE, RECOLOUR_RISE = 0.45, 25.0, 8.0
"""A change of colour with the drawing kept (flat graphics): histogram distance, difference, rise."""
RECOLOUR_LUMA = 0.4
"""It is a change of light, not of colour, when luma makes up more than this share of the difference."""


@dataclass(frozen=True)
class Boundary:
    """One boundary; ``suspect`` is the row of its evidence, -1 where none was measured."""

    kind: str
    frame: int
    start: float
    end: float
    confidence: float
    suspect: int = -1


def hard_cuts(merged: Merged) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """For every suspect: whether it is a cut, and how sure, 0..1 (how far it is beyond the thresholds)."""
    e = _table(merged, "suspects")
    score, shared = e["score"], np.nan_to_num(e["shared"])
    lasting = np.minimum(e["lasting_after"], e["lasting_before"]) / np.maximum(score, 1e-6)
    inside = np.fmax(np.nan_to_num(e["unexplained_before"]), np.nan_to_num(e["unexplained_after"]))
    rise = score / np.maximum(e["around"], 0.5)
    above = score / np.maximum(e["highest"], 0.5)
    strange = (e["detail_followed"] < DETAIL_KEPT) & (shared < SHARED_KEPT)
    strange |= (e["detail_followed"] < SURE_DETAIL_KEPT) & (shared < CHANCE_SHARED)
    left = e["unexplained"]
    plain = (
        (score >= CUT_SCORE)
        & (rise >= CUT_RISE)
        & (above >= CUT_ABOVE)
        & strange
        & (left >= np.maximum(UNEXPLAINED, UNEXPLAINED_RISE * inside))
    )
    sure = (
        (score >= CUT_SCORE)
        & (rise >= SURE_RISE)
        & (above >= SURE_ABOVE)
        & (e["detail_followed"] < SURE_DETAIL_KEPT)
        & (shared < SURE_SHARED_KEPT)
        & (e["hist_shift"] >= SURE_SHIFT)
        & (left >= np.maximum(UNEXPLAINED, SURE_UNEXPLAINED_RISE * inside))
    )
    faint = (
        (score >= FAINT_SCORE)
        & (rise >= FAINT_RISE)
        & (above >= FAINT_ABOVE)
        & strange
        & (left >= np.maximum(FAINT_UNEXPLAINED, UNEXPLAINED_RISE * inside))
    )
    recoloured = (
        (e["hist_shift"] >= RECOLOUR_SHIFT)
        & (score >= RECOLOUR_SCORE)
        & (rise >= RECOLOUR_RISE)
        & (0.5 * left < RECOLOUR_LUMA * score)
    )
    is_cut = (lasting >= LASTING) & (plain | sure | faint | recoloured)
    margin = np.minimum.reduce([score / FAINT_SCORE, rise / SURE_RISE, above / SURE_ABOVE])
    sureness = (1 - 0.5 / np.maximum(margin, 0.5)) * np.sqrt(np.clip(lasting, 0, 1))
    return is_cut, sureness


DARK_LUMA, BRIGHT_LUMA, FLAT_SPREAD = 24.0, 238.0, 9.0
"""A frame is blank when its mean luma is beyond these and its spread below; grey levels on the full range."""
RAMP_FRAMES, RAMP_RISE = 4, 20.0
"""A fade takes at least this many frames and moves mean luma by at least this much."""
RAMP_LONGEST = 90
MIXTURE_MISFIT, ALIKE, CHANGE, WIDE = 0.25, 0.55, 12.0, 0.6
"""A dissolve: how far its frames may leave the line between its ends (share of its length, with the
unevenness of the steps), how alike the ends may be (correlation), how much must change
(grey levels), and over which share of the picture: a title that fades in is no dissolve."""
DARK_CARD = 24.0
"""A dissolve is a fade where one end is nearly black, with faint text on it or not: mean luma below this, and
RAMP_RISE above it at the other end (the card of psd_testvideo has a mean of 1)."""
EDGE = "edge"
"""A fade at the start or end of the film: no boundary, and nothing else is one within it."""
FLASH_SCORE = 12.0
"""Difference from which on a stray picture is worth telling."""


def boundaries(merged: Merged, film: Film, gradual: Signal | None = None) -> list[Boundary]:
    """All boundaries in order: given shots alone, or joins with what was detected between them.

    ``gradual`` is the signal of that name, where there is one: its slow changes go before the
    dissolves of the light pass.
    """
    times = np.asarray(merged["suspects.time"], np.float64)
    suspects = {int(f): i for i, f in enumerate(film.index_of(times))}
    if film.given_shots is not None:
        frames = [_nearest(film, shot.start) for shot in film.given_shots[1:]]
        return [_at("cut", film, f, 1.0, suspects) for f in sorted({f for f in frames if f > 0})]
    joins = [_at("join", film, frame, 1.0, suspects) for frame, _ in film.joins]
    is_cut, confidence = hard_cuts(merged)
    cuts = [_at("cut", film, f, float(confidence[i]), suspects) for f, i in suspects.items() if is_cut[i]]
    fades = _fades(merged, film)
    slow = _slow(gradual, film) if gradual is not None and gradual.usable else []
    taken = list(joins)
    for found in (fades, cuts, slow, _dissolves(merged, film)):
        taken += [b for b in found if not any(_overlap(b, t) for t in taken)]
    return sorted((b for b in taken if b.kind != EDGE), key=lambda b: b.frame)


def _table(merged: Merged, name: str) -> dict[str, NDArray[np.float64]]:
    prefix = name + "."
    return {k[len(prefix) :]: np.asarray(v, np.float64) for k, v in merged.items() if k.startswith(prefix)}


def _nearest(film: Film, time: float) -> int:
    i = int(np.searchsorted(film.times, time))
    if i == film.frames or (i > 0 and time - film.times[i - 1] < film.times[i] - time):
        i -= 1
    return i


def _at(kind: str, film: Film, frame: int, confidence: float, suspects: dict[int, int]) -> Boundary:
    time = film.time_of(frame)
    return Boundary(kind, frame, time, time, confidence, suspects.get(frame, -1))


def _overlap(a: Boundary, b: Boundary) -> bool:
    if a.kind in ("cut", "join") and b.kind in ("cut", "join"):
        return abs(a.frame - b.frame) <= 1
    return a.start <= b.end + 1e-6 and b.start <= a.end + 1e-6


def _blank(merged: Merged) -> NDArray[np.bool_]:
    luma = np.asarray(merged["shots.luma"], np.float64)
    spread = np.asarray(merged["shots.spread"], np.float64)
    blank: NDArray[np.bool_] = ((luma < DARK_LUMA) | (luma > BRIGHT_LUMA)) & (spread < FLAT_SPREAD)
    return blank


def _fades(merged: Merged, film: Film) -> list[Boundary]:
    """Stretches that sink into a blank picture or rise out of one, with a shot on either side."""
    luma = np.asarray(merged["shots.luma"], np.float64)
    spread = np.asarray(merged["shots.spread"], np.float64)
    found = []
    for level, extreme in ((luma, luma < DARK_LUMA), (255 - luma, luma > BRIGHT_LUMA)):
        blank = (extreme & (spread < FLAT_SPREAD)).astype(np.int8)
        edges = np.flatnonzero(np.diff(np.concatenate(([0], blank, [0]))))
        for first, stop in zip(edges[::2], edges[1::2], strict=True):
            before = _ramp(level[:first][::-1], spread[:first][::-1], level[first])
            after = _ramp(level[stop:], spread[stop:], level[stop - 1])
            if before or after:
                kind = EDGE if first == 0 or stop == film.frames else "fade"
                middle = int(first + stop) // 2
                start, end = film.time_of(int(first) - before), film.time_of(int(stop) + after)
                found.append(Boundary(kind, middle, start, end, 0.9 if before and after else 0.7))
    return found


def _ramp(level: NDArray[np.float64], spread: NDArray[np.float64], blank: float) -> int:
    """Frames over which the picture rises away from blank, steadily; 0 if it does not."""
    count = 0
    last = blank
    while count < min(len(level), RAMP_LONGEST) and level[count] > last + 0.25:
        last = level[count]
        count += 1
    if count < RAMP_FRAMES or last - blank < RAMP_RISE or spread[count - 1] < FLAT_SPREAD:
        return 0
    steps = np.diff(level[:count], prepend=blank)
    return count if steps.max() < 0.6 * (last - blank) else 0


def _dissolves(merged: Merged, film: Film) -> list[Boundary]:
    """The best of overlapping stretches that lie on the line between their unlike ends."""
    if "dissolves.start" not in merged:
        return []
    row = {
        k.partition(".")[2]: np.asarray(v, np.float64)
        for k, v in merged.items()
        if k.startswith("dissolves.")
    }
    misfit = row["off_line"] + row["uneven"]
    good = (misfit < MIXTURE_MISFIT) & (row["alike"] < ALIKE)
    good &= (row["change"] >= CHANGE) & (row["wide"] >= WIDE)
    strength = row["change"] * (1 - 2 * misfit)
    blank, luma = _blank(merged), np.asarray(merged["shots.luma"], np.float64)
    found: list[Boundary] = []
    for i in sorted(np.flatnonzero(good), key=lambda i: (-strength[i], i)):
        start, end = float(row["start"][i]), float(row["end"][i])
        if blank[max(film.frame_at(start) - 1, 0)] or blank[film.frame_at(end)]:
            continue
        if all(end < b.start or start > b.end for b in found):
            middle = film.frame_at((start + end) / 2)
            sure = float(np.clip(1 - misfit[i], 0, 1)) * 0.9
            ends = luma[max(film.frame_at(start) - 1, 0)], luma[film.frame_at(end)]
            kind = "fade" if min(ends) < DARK_CARD and max(ends) - min(ends) >= RAMP_RISE else "dissolve"
            found.append(Boundary(kind, middle, start, end, sure))
    return found


def _slow(gradual: Signal, film: Film) -> list[Boundary]:
    """The changes of the signal ``gradual``, but for those whose ends are no frames of the film's inside."""
    found = []
    for row in gradual.rows():
        start, end = float(row["start"]), float(row["end"])
        middle = film.frame_at((start + end) / 2)
        if 0 < middle < film.frames:
            found.append(Boundary(str(row["kind"]), middle, start, end, float(row["confidence"])))
    return found


def flashes(merged: Merged, film: Film) -> list[tuple[int, int]]:
    """Stray pictures of one or two frames: (first frame, how many). The picture before comes back after."""
    e = _table(merged, "suspects")
    steps = np.asarray(merged["shots.score"], np.float64)
    found: set[tuple[int, int]] = set()
    for i, frame in enumerate(film.index_of(e["time"])):
        score = e["score"][i]
        if score < FLASH_SCORE:
            continue
        if e["lasting_after"][i] < LASTING * score:
            count = next(
                (k for k in (1, 2) if frame + k < film.frames and steps[frame + k] >= 0.5 * score), 0
            )
            first = int(frame)
        elif e["lasting_before"][i] < LASTING * score:
            count = next((k for k in (1, 2) if frame - k > 0 and steps[frame - k] >= 0.5 * score), 0)
            first = int(frame) - count
        else:
            continue
        if count:
            found.add((first, count))
    return sorted(found)
