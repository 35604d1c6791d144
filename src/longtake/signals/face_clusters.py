"""Which tracks of faces show one person: average linkage over the distances of their identities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .face_tracks import Indexes, Numbers, Tracks

ONE_PERSON = 0.51
"""Root mean square distance of the identities of two groups up to which they are one person: between the
farthest two tracks of one person (0.50, simpl_dancer_a and _b) and the nearest of two people (0.52, the young
men of intel_asl_again and _sister, 60 px wide) in one half of 42 tracks of 35 people. In the other half one
person's tracks are up to 0.42 apart, two people's at least 0.59: no pair is on the wrong side. Over all 65
rows with identity of 39 clips put together one pair is joined wrongly (a small face in sam_dog, read once,
and fv_gen3c; sure 0.4 and 0.5) and two people are split (ovi_redshirt, simpl_dancer_b; sure at most 0.3)."""
IN_ONE_SHOT = 1.2
"""Tracks of one shot may be this many times farther apart: a face that comes back in a shot is most often the
one that went, and moves fast (simpl_dancer_b, whose own identities are 0.5 apart)."""
DOUBT = 0.1
"""Within so much of that limit it is not sure on which side of it two groups are."""
CERTAIN = 25.0
"""Log-odds of the mesh from which nothing speaks against a face."""
MOST = 2000
"""Tracks that are grouped with each other, those of most identities; others join the person next to them."""


@dataclass(frozen=True)
class People:
    """The person of every track (-1: no identity), and how far from and how surely of that person it is."""

    person: Indexes
    distance: Numbers
    sure: Numbers

    @property
    def count(self) -> int:
        return int(self.person.max(initial=-1)) + 1

    def columns(self) -> dict[str, NDArray[np.generic]]:
        return {"person": self.person, "distance": self.distance, "sure": self.sure}


@dataclass
class _Group:
    """Sums over the identities of a set of tracks: enough for mean squared distances between two sets."""

    count: float
    total: Numbers
    squares: float

    @classmethod
    def of(cls, identities: Numbers) -> _Group:
        return cls(len(identities), identities.sum(0), float((identities**2).sum()))

    def less(self, other: _Group) -> _Group:
        return _Group(self.count - other.count, self.total - other.total, self.squares - other.squares)

    def plus(self, other: _Group) -> _Group:
        return _Group(self.count + other.count, self.total + other.total, self.squares + other.squares)

    @property
    def mean(self) -> Numbers:
        return self.total / self.count

    def apart(self, other: _Group) -> float:
        """Root mean square distance of one's identities from the other's."""
        mean = self.squares / self.count + other.squares / other.count - 2 * float(self.mean @ other.mean)
        return float(np.sqrt(max(mean, 0.0)))


def people_of(tracks: Tracks) -> People:
    """Persons over all tracks, numbered by how long they are seen. Two faces seen at once are two persons."""
    count = len(tracks)
    person = np.full(count, -1, np.int64)
    distance, sure = np.full(count, np.nan), np.full(count, np.nan)
    known = np.array([len(i) for i in tracks.identities], np.int64)
    able = np.flatnonzero(known)
    if not len(able):
        return People(person, distance, sure)
    main = np.sort(able[np.argsort(-known[able], kind="stable")[:MOST]])
    groups = {int(i): _Group.of(tracks.identities[i]) for i in able}
    shot = tracks.shot[main]
    eased = np.where(shot[:, None] == shot, 1 / IN_ONE_SHOT**2, 1.0)
    person[main] = _agglomerated([groups[int(i)] for i in main], _together(tracks, main), eased)
    persons = _sums(person, groups)
    for i in map(int, np.setdiff1d(able, main)):
        near, nearest = min((groups[i].apart(p), k) for k, p in persons.items())
        person[i] = nearest if near <= ONE_PERSON else max(persons) + 1
        persons[int(person[i])] = groups[i].plus(persons[nearest]) if near <= ONE_PERSON else groups[i]
    person = _by_time(person, tracks)
    persons = _sums(person, groups)
    for i in map(int, able):
        own = persons[int(person[i])]
        distance[i] = np.linalg.norm(groups[i].mean - own.mean)
        others = [p for k, p in persons.items() if k != person[i]]
        sure[i] = _sure(groups[i], own, others, tracks.mesh[tracks.track == i])
    return People(person, distance, sure)


def _sums(person: Indexes, groups: dict[int, _Group]) -> dict[int, _Group]:
    """All identities of each person."""
    sums: dict[int, _Group] = {}
    for i, group in groups.items():
        k = int(person[i])
        if k >= 0:
            sums[k] = sums[k].plus(group) if k in sums else group
    return sums


def _together(tracks: Tracks, chosen: Indexes) -> NDArray[np.bool_]:
    """Which of the chosen tracks are seen at the same time."""
    start, end = (s[chosen] for s in tracks.spans())
    shot = tracks.shot[chosen]
    both = (start[:, None] <= end) & (start <= end[:, None]) & (shot[:, None] == shot)
    np.fill_diagonal(both, False)
    return np.asarray(both, np.bool_)


def _agglomerated(groups: list[_Group], never: NDArray[np.bool_], eased: Numbers) -> Indexes:
    """The cluster of each group: the nearest two are joined until none are near enough.

    ``never`` marks pairs that are kept apart; squared distances are multiplied by ``eased``.
    """
    n = len(groups)
    counts = np.array([g.count for g in groups])
    means = np.stack([g.mean for g in groups])
    own = np.array([g.squares / g.count for g in groups])
    apart = ((own[:, None] + own - 2 * means @ means.T) * eased).astype(np.float32)
    apart[never] = np.inf
    np.fill_diagonal(apart, np.inf)
    label = np.arange(n)
    nearest, value = apart.argmin(1), apart.min(1)
    while True:
        a = int(value.argmin())
        if value[a] > ONE_PERSON**2:
            return np.unique(label, return_inverse=True)[1].astype(np.int64)
        b = int(nearest[a])
        merged = (counts[a] * apart[a] + counts[b] * apart[b]) / (counts[a] + counts[b])
        merged[[a, b]] = np.inf
        apart[a] = apart[:, a] = merged
        apart[b] = apart[:, b] = np.inf
        counts[a] += counts[b]
        label[label == label[b]] = label[a]
        stale = np.unique([a, b, *np.flatnonzero((nearest == a) | (nearest == b))])
        nearest[stale], value[stale] = apart[stale].argmin(1), apart[stale].min(1)
        closer = np.flatnonzero(merged < value)
        nearest[closer], value[closer] = a, merged[closer]


def _by_time(person: Indexes, tracks: Tracks) -> Indexes:
    """The same with persons numbered by the number of looks that saw them, then by first sight."""
    looks = np.zeros(int(person.max()) + 1)
    seen = person[tracks.track]
    np.add.at(looks, seen[seen >= 0], 1)
    start = np.full(len(looks), np.inf)
    np.minimum.at(start, seen[seen >= 0], tracks.time[seen >= 0])
    rank = np.empty(len(looks), np.int64)
    rank[np.lexsort((start, -looks))] = np.arange(len(looks))
    return np.where(person >= 0, rank[np.maximum(person, 0)], -1).astype(np.int64)


def _sure(group: _Group, own: _Group, others: list[_Group], mesh: Numbers) -> float:
    """0..1: less for few identities, for what may be no face, and near the limit between persons."""
    enough = group.count / (group.count + 1)
    seen = mesh[np.isfinite(mesh)]
    real = float(np.clip(np.median(seen) / CERTAIN, 0, 1)) if len(seen) else 0.0
    rest = own.less(group)
    belongs = 1.0 if rest.count < 0.5 else _share(ONE_PERSON + DOUBT - group.apart(rest))
    alone = min((_share(group.apart(o) - ONE_PERSON + DOUBT) for o in others), default=1.0)
    return float(enough * real * min(belongs, alone))


def _share(beyond: float) -> float:
    return float(np.clip(beyond / (2 * DOUBT), 0, 1))
