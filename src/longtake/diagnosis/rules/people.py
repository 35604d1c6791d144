"""Is it the same face where it should be?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.measurement import Evidence, Measurement
from ..facts import Facts
from ..plan import planned_name
from .rule import as_sure_as, falling, missing, scored, unscored

SURE = 0.5
"""Sureness of a face's identity from which it is compared; other faces say nothing."""
KEPT, CHANGED = 0.62, 0.8
"""Largest distance of two identities of one face in one shot up to which it is kept, and from which it is
another. Of the test media's faces that nobody changed, with LEAST_IDENTITIES, the largest was .58 (generated;
.54 of real people); with two of them .66, of a small face in motion."""
LEAST_IDENTITIES = 3
"""Identities of a face in one shot from which it is told whether it changes."""
IN_PLACE = 0.3
"""Overlap of two faces' boxes (shared over united area) from which one stands where the other stood."""
AT_ONCE_S = 0.6
"""In one shot a face that comes this soon after another went, in its place, took its place."""
ONE_PLACE = 0.9
"""Likelihood from which two shots show one place."""
PLAIN_CHANGE = 0.5
"""Most that is left where somebody's face was plainly another's."""
WITHOUT_CAST = 0.6
"""Confidence where no brief says who should be seen: a person changed for good looks like a new one."""
LEAST_IN_S = 0.25
"""A face belongs to a planned shot that it is seen in for so long."""


@dataclass(frozen=True)
class Seen:
    """A row of ``faces``: one face in one shot. ``box`` is x, y, width, height as shares of the picture.

    ``within`` is NaN of faces with too few identities.
    """

    person: int
    shot: int
    start: float
    end: float
    box: tuple[float, float, float, float]
    size: float
    sure: float
    within: float

    @property
    def known(self) -> bool:
        """Whether it is sure enough who this is."""
        return self.person >= 0 and self.sure >= SURE

    @property
    def name(self) -> str:
        """As the cast list calls the person."""
        return f"person {self.person + 1}"


@dataclass(frozen=True)
class Swap:
    """``other`` is seen where ``own`` should be; ``why`` says how that is known."""

    own: Seen
    other: Seen
    why: str


def char_face_consistency(facts: Facts) -> Measurement:
    """Whether faces stay the same: each character's over the shots that name it, else each in its place.

    Where planned shots name a single character, those that show one known face must show the same one, and
    another character's shots another; the value is the share of them that fit, less the first. Without such
    a plan only a plain swap counts: between two shots with one person, in the same place and part of the
    picture, a person who is seen nowhere else; or a face that takes another's place within a shot. Then at
    most half is left. A face that changes gradually within a shot lowers it too. Two people who take turns,
    or who are in two places, are not punished.

    Blind spots: a person changed for good, or where place or framing changes too, where no brief names who
    should be seen; faces that are small, turned away, drawn or masked; doubles. Somebody who is cut in once
    on purpose before the very same background, at the same place in the picture, counts as a swap.
    """
    name = "char_face_consistency"
    if gone := missing(name, facts, "faces"):
        return gone
    seen = [face for face in _rows(facts) if face.known]
    if not seen:
        return unscored(name, "no face was seen well enough to tell whose it is")
    roles = _cast(facts)
    cast = sum(map(len, roles.values())) >= 2
    swaps = list(_miscast(roles)) if cast else [*_cut_in(facts), *_taken_over(seen)]
    kept = _kept_by_cast(roles, swaps) if cast else _kept_in_place(seen, swaps)
    widest = max((face.within for face in seen if np.isfinite(face.within)), default=None)
    again = {p for p, n in _shots_of(seen).items() if n > 1}
    if not cast and widest is None and not again and not swaps:
        return unscored(name, "no face was seen twice well enough to be compared")
    value = min(kept, 1.0 if widest is None else falling(widest, KEPT, CHANGED))
    answer = scored(
        name,
        value,
        [*map(_told, swaps), *_drifting(seen)],
        people=len({face.person for face in seen}),
        characters_asked=len(facts.brief.characters) if facts.brief else None,
        compared=sum(map(len, roles.values())) if cast else sum(_shots_of(seen).values()),
        swaps=len(swaps),
        widest_within_a_shot=widest,
        by_plan=cast,
    )
    sure = float(np.mean([face.sure for face in seen]))
    return as_sure_as(answer, sure if cast else sure * WITHOUT_CAST)


def _rows(facts: Facts) -> Iterator[Seen]:
    for row in facts.signals["faces"].rows():
        yield Seen(
            int(row["person"]),
            int(row["shot"]),
            row["start"],
            row["end"],
            (row["x"], row["y"], row["width"], row["height"]),
            row["size"] or 0.0,
            _number(row["sure"]),
            _number(row["within"] if row["identities"] >= LEAST_IDENTITIES else None),
        )


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _alone(faces: Sequence[Seen]) -> Seen | None:
    """The one person that is known among these faces, if theirs is the largest."""
    known = [face for face in faces if face.known]
    if len({face.person for face in known}) != 1:
        return None
    first = max(known, key=lambda face: face.size)
    return first if first.size >= max(face.size for face in faces) else None


def _shots_of(seen: Sequence[Seen]) -> Mapping[int, int]:
    """In how many shots each person is seen."""
    return Counter(person for person, _ in {(face.person, face.shot) for face in seen})


def _cast(facts: Facts) -> dict[str, list[tuple[str, Seen]]]:
    """By character: the planned shots that name nobody else, with the one known face of each."""
    roles: dict[str, list[tuple[str, Seen]]] = defaultdict(list)
    if facts.plan is None or facts.brief is None or not facts.plan.aligned:
        return roles
    rows = list(_rows(facts))
    for shot in facts.plan.shots:
        start, end = shot.measured_start, shot.measured_end
        named = {who.strip().casefold(): who.strip() for who in facts.brief.shots[shot.index].characters}
        if start is None or end is None or len(named) != 1:
            continue
        inside = [face for face in rows if _is_in(face, start, end)]
        if face := _alone(inside):
            roles[next(iter(named.values()))].append((planned_name(shot.index), face))
    return roles


def _is_in(face: Seen, start: float, end: float) -> bool:
    if start <= face.start and face.end <= end:
        return True
    return min(face.end, end) - max(face.start, start) >= LEAST_IN_S


def _miscast(roles: Mapping[str, list[tuple[str, Seen]]]) -> Iterator[Swap]:
    """Shots that show somebody else than their character's other shots do, or another character's face.

    Each character is given the face that most of its shots show and that no earlier one has been given;
    characters with the most shots of one face choose first.
    """
    counts = {who: Counter(face.person for _, face in shots) for who, shots in roles.items()}
    given: dict[int, str] = {}
    for who in sorted(counts, key=lambda w: (-counts[w].most_common(1)[0][1], w)):
        free = [person for person, _ in counts[who].most_common() if person not in given]
        if free:
            given[free[0]] = who
    faces = {
        given[face.person]: face for shots in roles.values() for _, face in shots if face.person in given
    }
    for who, shots in roles.items():
        for shot, face in shots:
            owner = given.get(face.person)
            if owner == who:
                continue
            if owner is not None:
                yield Swap(faces[owner], face, f"{shot} asks for {who} and shows the face of {owner}")
            else:
                own = next(f for _, f in shots if given.get(f.person) == who)
                why = f"{shot} shows {face.name} as {who}, who is {own.name} elsewhere"
                yield Swap(own, face, why)


def _cut_in(facts: Facts) -> Iterator[Swap]:
    """Shots in which somebody who is seen nowhere else stands where another stood before and does after."""
    shots: dict[int, list[Seen]] = defaultdict(list)
    for face in _rows(facts):
        shots[face.shot].append(face)
    alone = {shot: one for shot, faces in shots.items() if (one := _alone(faces)) is not None}
    in_shots = Counter(p for p, _ in {(f.person, n) for n, faces in shots.items() for f in faces})
    places = _one_place(facts)
    for shot, other in alone.items():
        before, after = alone.get(shot - 1), alone.get(shot + 1)
        if before is None or after is None or before.person != after.person:
            continue
        swapped = other.person != before.person and in_shots[other.person] == 1
        placed = (shot - 1, shot) in places or (shot, shot + 1) in places
        if swapped and placed and max(_overlap(other, before), _overlap(other, after)) >= IN_PLACE:
            why = f"another face ({other.name}) where {before.name} stands before and after, in one place"
            yield Swap(before, other, why)


def _taken_over(seen: Sequence[Seen]) -> Iterator[Swap]:
    """Faces that take another's place within a shot."""
    for own in seen:
        for other in seen:
            soon = other.shot == own.shot and 0 < other.start - own.end <= AT_ONCE_S
            if soon and other.person != own.person and _overlap(own, other) >= IN_PLACE:
                yield Swap(own, other, f"{own.name} turns into another ({other.name}) within a shot")


def _one_place(facts: Facts) -> set[tuple[int, int]]:
    """Pairs of shots that surely show one place; none where that was not measured."""
    scenes = facts.signals["scenes"]
    if not scenes.usable:
        return set()
    same = np.asarray(scenes.columns["same_scene"], np.float64) >= ONE_PLACE
    pairs = zip(np.asarray(scenes.columns["a"])[same], np.asarray(scenes.columns["b"])[same], strict=True)
    return {(int(a), int(b)) for a, b in pairs}


def _overlap(a: Seen, b: Seen) -> float:
    """Shared over united area of two boxes."""
    sides = [min(a.box[i] + a.box[i + 2], b.box[i] + b.box[i + 2]) - max(a.box[i], b.box[i]) for i in (0, 1)]
    shared = max(sides[0], 0.0) * max(sides[1], 0.0)
    return shared / max(a.box[2] * a.box[3] + b.box[2] * b.box[3] - shared, 1e-9)


def _kept_by_cast(roles: Mapping[str, list[tuple[str, Seen]]], swaps: Sequence[Swap]) -> float:
    """Share of the shots that fit their character, the first of all left out: it fits whoever it shows."""
    count = sum(map(len, roles.values())) - 1
    return min(1 - len(swaps) / count, PLAIN_CHANGE) if swaps else 1.0


def _kept_in_place(seen: Sequence[Seen], swaps: Sequence[Swap]) -> float:
    """The same of the people whose place was taken."""
    if not swaps:
        return 1.0
    shots = _shots_of(seen)
    count = sum(shots[person] - 1 for person in {swap.own.person for swap in swaps})
    return min(count / (count + len(swaps)), PLAIN_CHANGE)


def _told(swap: Swap) -> Evidence:
    return Evidence(start=swap.other.start, end=swap.other.end, what=swap.why)


def _drifting(seen: Sequence[Seen]) -> Iterator[Evidence]:
    for face in seen:
        if face.within > KEPT:
            what = f"the face of {face.name} changes within a shot"
            yield Evidence(start=face.start, end=face.end, what=what)
