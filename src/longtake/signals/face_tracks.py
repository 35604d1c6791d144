"""Detections of faces joined to tracks: one face in one shot, from look to look.

A pure function of the rows of the signal ``faces`` and of the shots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.signal import Signal
from .observer import Merged

GAP_S = 1.6
"""A face may be missed for so long (two or three looks) and is still the same track."""
NEAR, GROWS = 0.9, 1.7
"""From look to look a face moves by at most so many of its widths, and its width changes by this ratio."""
ANOTHER = 0.65
"""Distance of two identities from which a face in the same place is another person's. Two of one person
were less than 0.6 apart in 99 of 100 pairs of the clips that face_clusters names, two of different people 0.8
in the median."""
COMPARED = 60
"""Identities of a track that are compared with each other, evenly chosen."""

Numbers = NDArray[np.float64]
Indexes = NDArray[np.int64]


@dataclass(frozen=True)
class Tracks:
    """All detections, and the track of each.

    ``box`` is x, y, width, height as shares; ``pose`` yaw, pitch, roll in degrees; ``mesh`` log-odds, NaN
    where it was not laid on; ``track`` is the number of the track of a detection, counted by first sight;
    ``shot`` that of a track; ``identities`` of each track have shape (n, 128).
    """

    time: Numbers
    order: Indexes
    box: Numbers
    score: Numbers
    mesh: Numbers
    pose: Numbers
    track: Indexes
    shot: Indexes
    identities: tuple[Numbers, ...]

    def __len__(self) -> int:
        return len(self.shot)

    def spans(self) -> tuple[Numbers, Numbers]:
        """First and last sight of every track, seconds."""
        start, end = np.full(len(self), np.inf), np.full(len(self), -np.inf)
        np.minimum.at(start, self.track, self.time)
        np.maximum.at(end, self.track, self.time)
        return start, end

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Of every track what the signal ``faces`` tells of it, but who it is."""
        order = np.argsort(self.track, kind="stable")
        groups = np.split(order, np.searchsorted(self.track[order], np.arange(1, len(self))))
        groups = groups if len(self) else []
        best = np.array([self._best(g) for g in groups], np.int64)
        start, end = self.spans()
        box = self.box[best].reshape(-1, 4)
        pose = self.pose[best].reshape(-1, 3)
        return {
            "shot": self.shot,
            "start": start,
            "end": end,
            "time": self.time[best],
            **{name: box[:, i] for i, name in enumerate(("x", "y", "width", "height"))},
            **{name: pose[:, i] for i, name in enumerate(("yaw", "pitch", "roll"))},
            "score": np.array([np.median(self.score[g]) for g in groups], np.float64),
            "mesh": np.array([_median(self.mesh[g]) for g in groups], np.float64),
            "size": np.array([self.box[g, 3].mean() for g in groups], np.float64),
            "within": np.array([_widest(known) for known in self.identities], np.float64),
            "samples": np.array([len(g) for g in groups], np.int64),
            "identities": np.array([len(known) for known in self.identities], np.int64),
        }

    def _best(self, group: Indexes) -> int:
        """The detection that shows most: large, surely a face, turned towards the camera."""
        real = np.clip(np.nan_to_num(self.mesh[group], nan=0.0), 0.0, 30.0) / 30 + 0.05
        ahead = np.cos(np.radians(np.nan_to_num(self.pose[group, 0], nan=60.0)))
        value = self.box[group, 2] * real * ahead * self.score[group]
        return int(group[int(np.argmax(value))])


def tracks_of(merged: Merged, done: Mapping[str, Signal]) -> Tracks:
    """Tracks in the rows of the observer of faces, within the shots of ``done``."""
    time = np.asarray(merged["faces.time"], np.float64)
    order = np.asarray(merged["faces.order"], np.int64)
    box = np.asarray(merged["faces.box"], np.float64).reshape(-1, 4)
    shot = shots_at(time, done)
    known = _identities(merged, time, order)
    track, of_shot = _linked(time, box, shot, known)
    gathered: list[list[Numbers]] = [[] for _ in of_shot]
    for i, numbers in sorted(known.items()):
        gathered[track[i]].append(numbers)
    return Tracks(
        time=time,
        order=order,
        box=box,
        score=np.asarray(merged["faces.score"], np.float64),
        mesh=np.asarray(merged["faces.mesh"], np.float64),
        pose=np.asarray(merged["faces.pose"], np.float64).reshape(-1, 3),
        track=track,
        shot=np.array(of_shot, np.int64),
        identities=tuple(np.array(g, np.float64).reshape(-1, 128) for g in gathered),
    )


def mouth_tracks(merged: Merged, tracks: Tracks, done: Mapping[str, Signal]) -> Indexes:
    """The track of every row of the table ``mouths``; -1 where a cut lies between the look and the frame."""
    times = np.asarray(merged["mouths.time"], np.float64)
    looks = np.asarray(merged["mouths.look"], np.float64)
    at = _places(looks, np.asarray(merged["mouths.order"], np.int64), tracks.time, tracks.order)
    of = np.where(at >= 0, tracks.track[np.maximum(at, 0)] if len(tracks.track) else -1, -1)
    return np.where(shots_at(times, done) == shots_at(looks, done), of, -1).astype(np.int64)


def shots_at(times: Numbers, done: Mapping[str, Signal]) -> Indexes:
    """Index of the shot at each time; 0 where shots are not known."""
    shots = done.get("shots")
    if shots is None or not shots.usable or not len(shots):
        return np.zeros(len(times), np.int64)
    starts = np.asarray(shots.columns["start"], np.float64)
    return np.maximum(np.searchsorted(starts, times + 1e-6, side="right") - 1, 0).astype(np.int64)


def _places(time: Numbers, order: Indexes, times: Numbers, orders: Indexes) -> Indexes:
    """Where (time, order) stands among rows sorted by both; -1 where it does not."""
    if not len(times):
        return np.full(len(time), -1, np.int64)
    first = np.searchsorted(times, time)
    at = np.minimum(first + order, len(times) - 1)
    return np.where((times[at] == time) & (orders[at] == order), at, -1).astype(np.int64)


def _identities(merged: Merged, time: Numbers, order: Indexes) -> dict[int, Numbers]:
    """Identity numbers by detection."""
    numbers = np.asarray(merged["faces_identity.numbers"], np.float64)
    own = np.asarray(merged["faces_identity.time"], np.float64)
    at = _places(own, np.asarray(merged["faces_identity.order"], np.int64), time, order)
    return {int(i): numbers[k] for k, i in enumerate(at) if i >= 0}


def _linked(
    time: Numbers, box: Numbers, shot: Indexes, known: Mapping[int, Numbers]
) -> tuple[Indexes, list[int]]:
    """The track of each detection, and the shot of each track. The nearest pairs are joined first."""
    track = np.full(len(time), -1, np.int64)
    of_shot: list[int] = []
    last: dict[int, int] = {}
    identity: dict[int, Numbers] = {}
    edges = np.flatnonzero(np.diff(time)) + 1
    for look in np.split(np.arange(len(time)), edges) if len(time) else []:
        now, here = time[look[0]], int(shot[look[0]])
        last = {t: i for t, i in last.items() if of_shot[t] == here and now - time[i] <= GAP_S}
        pairs = []
        for i in look:
            for t, before in last.items():
                away = _away(box[i], box[before])
                other = i in known and t in identity and _apart(known[i], identity[t]) > ANOTHER
                if away is not None and not other:
                    pairs.append((away, int(i), t))
        taken: set[int] = set()
        for _, i, t in sorted(pairs):
            if track[i] < 0 and t not in taken:
                track[i] = t
                taken.add(t)
        for i in map(int, look):
            if track[i] < 0:
                track[i] = len(of_shot)
                of_shot.append(here)
            last[int(track[i])] = i
            if i in known:
                identity[int(track[i])] = known[i]
    return track, of_shot


def _away(box: Numbers, other: Numbers) -> float | None:
    """Distance of two boxes' middles in widths and heights of the face; ``None`` if it is too far."""
    ratio = max(box[2], other[2]) / max(min(box[2], other[2]), 1e-6)
    if ratio > GROWS:
        return None
    size = (box[2:] + other[2:]) / 2
    away = float(np.hypot(*((box[:2] + box[2:] / 2 - other[:2] - other[2:] / 2) / np.maximum(size, 1e-6))))
    return away if away <= NEAR else None


def _apart(a: Numbers, b: Numbers) -> float:
    return float(np.linalg.norm(a - b))


def _median(values: Numbers) -> float:
    there = values[np.isfinite(values)]
    return float(np.median(there)) if len(there) else float("nan")


def _widest(known: Numbers) -> float:
    """Largest distance of two identities; NaN below two."""
    if len(known) < 2:
        return float("nan")
    some = known[np.unique(np.linspace(0, len(known) - 1, COMPARED).round().astype(int))]
    squares = (some**2).sum(1)
    return float(np.sqrt(max((squares[:, None] + squares - 2 * some @ some.T).max(), 0.0)))
