"""Faces that stay and faces that are swapped: real people (GRID, two of Intel's), whole, cut, and by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from by_hand import film, shots, signals

from longtake.core.brief import Brief, PlannedShot
from longtake.core.measurement import Measurement
from longtake.core.signal import Signal
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.rules.people import char_face_consistency
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.meta.perturbations import join, perturb
from longtake.storage.cache import Cache

SOMEBODY, ANOTHER = "2_speaking/grid_sbia1a.mpg", "2_speaking/grid_id2_swwp2s.mpg"
ELSEWHERE = "8_footage/intel_pose_m.mp4"
SIGNALS = ("shots", "faces", "scenes")
FILMS: dict[str, list[tuple[str, float, float]]] = {
    "whole": [(SOMEBODY, 0, 3)],
    "swapped": [(SOMEBODY, 0, 1), (ANOTHER, 1, 2), (SOMEBODY, 2, 3)],
    "cut_away": [(SOMEBODY, 0, 1), (ELSEWHERE, 0, 1.5), (SOMEBODY, 2, 3)],
}
"""Three seconds of one; the second of them another before the same backdrop, or a third in another place."""

Filmed = Callable[..., Facts]


@pytest.fixture(scope="module")
def filmed(media: Path, weights_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Filmed:
    """Facts of one of the films, damaged or not, with planned shots of a second for these characters."""
    folder = tmp_path_factory.mktemp("people")
    (folder / "models").symlink_to(weights_root / "models", target_is_directory=True)

    def facts(film: str, *characters: str, operator: str | None = None) -> Facts:
        path = folder / f"{film}.mp4"
        if not path.exists():
            join([open_video(media / p, start=Fraction(a), end=Fraction(b)) for p, a, b in FILMS[film]], path)
        if operator is not None:
            perturb(open_video(path), operator, "medium", 1, folder / f"{operator}.mp4")
            path = folder / f"{operator}.mp4"
        measured = measure(open_video(path), SIGNALS, cache=Cache(folder), workers=1)
        return gather(video_entry(open_video(path), measured, None), measured.signals, asked(*characters))

    return facts


def asked(*characters: str) -> Brief | None:
    shots = [PlannedShot(index=i, start=i, end=i + 1, characters=[c]) for i, c in enumerate(characters)]
    return Brief(shots=shots) if shots else None


def value(answer: Measurement) -> float:
    assert answer.value is not None, answer.reason
    return answer.value


def test_a_person_cut_in_lowers_it_and_one_elsewhere_does_not(filmed: Filmed) -> None:
    swapped = char_face_consistency(filmed("swapped"))
    assert value(swapped) <= 0.5
    (found,) = swapped.evidence
    assert "person 2" in found.what
    assert found.start == pytest.approx(1.0, abs=0.1)
    assert found.end < 2.1
    assert value(char_face_consistency(filmed("whole"))) == 1
    assert value(char_face_consistency(filmed("cut_away"))) == 1


def test_the_cast_of_the_plan_decides_who_belongs_where(filmed: Filmed) -> None:
    assert value(char_face_consistency(filmed("whole", "Ann", "Ann", "Ann"))) == 1
    assert value(char_face_consistency(filmed("swapped", "Ann", "Bob", "Ann"))) == 1
    recast = char_face_consistency(filmed("swapped", "Ann", "Ann", "Ann"))
    assert value(recast) == 0.5
    assert "planned shot 2 shows person 2 as Ann" in recast.evidence[0].what
    doubled = char_face_consistency(filmed("whole", "Ann", "Bob", "Ann"))
    assert value(doubled) == 0.5
    assert "asks for Bob and shows the face of Ann" in doubled.evidence[0].what
    assert value(char_face_consistency(filmed("swapped", "Ann", "Ann", "Bob"))) == 0
    # Who should be seen is known here, and only guessed without a plan.
    assert (recast.confidence or 0) > (char_face_consistency(filmed("swapped")).confidence or 0)


@pytest.mark.parametrize("operator", ["flicker", "color_temperature", "freeze"])
def test_light_colour_and_standing_pictures_are_no_other_face(filmed: Filmed, operator: str) -> None:
    assert value(char_face_consistency(filmed("whole", operator=operator))) == 1


Row = tuple[int, int, float, float, float, float]
"""Person, shot, start, end, left edge of a face a quarter of the picture wide, and how sure the person is."""


def drawn(
    *rows: Row,
    within: float = 0.3,
    identities: int = 3,
    same: float = 0.95,
    characters: Sequence[str] = (),
) -> Facts:
    """Facts of three shots of a second, all in one place with likelihood ``same``."""
    n = len(rows)
    names = ("person", "shot", "start", "end", "x", "sure")
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    columns |= {"y": [0.2] * n, "width": [0.25] * n, "height": [0.4] * n, "size": [0.4] * n}
    columns |= {"within": [within] * n, "identities": [identities] * n}
    faces = Signal("faces", 1, columns=columns)
    pairs = {"a": np.array([0, 0, 1]), "b": np.array([1, 2, 2]), "same_scene": np.array([same] * 3)}
    scenes = Signal("scenes", 1, columns=pairs)
    return gather(film(duration=3), signals(shots(1, 1, 1), faces, scenes), asked(*characters))


def three(*people: int, x: Sequence[float] = (0.3, 0.3, 0.3), sure: float = 0.8) -> list[Row]:
    return [(p, i, float(i), i + 0.5, x[i], sure) for i, p in enumerate(people)]


def test_a_swap_has_to_be_plain() -> None:
    assert value(char_face_consistency(drawn(*three(0, 1, 0)))) == 0.5
    assert value(char_face_consistency(drawn(*three(0, 0, 0)))) == 1
    # Another place, not sure to be the same place, another part of the picture, not surely another face.
    assert value(char_face_consistency(drawn(*three(0, 1, 0), same=0.02))) == 1
    assert value(char_face_consistency(drawn(*three(0, 1, 0), same=float("nan")))) == 1
    assert value(char_face_consistency(drawn(*three(0, 1, 0, x=(0.1, 0.6, 0.1))))) == 1
    assert value(char_face_consistency(drawn(*three(0, 1, 0)[::2], (1, 1, 1, 1.5, 0.3, 0.3)))) == 1
    # Two who take turns, and one who is joined by another.
    assert value(char_face_consistency(drawn(*three(0, 1, 0), (1, 2, 2, 2.5, 0.7, 0.8)))) == 1


def test_a_face_that_changes_within_its_shot() -> None:
    assert value(char_face_consistency(drawn(*three(0, 0, 0), within=0.55))) == 1
    morphed = char_face_consistency(drawn(*three(0, 0, 0), within=0.75))
    assert value(morphed) < 0.5
    assert "changes within a shot" in morphed.evidence[0].what
    assert value(char_face_consistency(drawn(*three(0, 0, 0), within=0.75, identities=2))) == 1
    follows: list[Row] = [(0, 0, 0.0, 0.4, 0.3, 0.8), (1, 0, 0.6, 0.9, 0.3, 0.8)]
    assert value(char_face_consistency(drawn(*follows))) == 0
    beside: list[Row] = [(0, 0, 0.0, 0.4, 0.1, 0.8), (1, 0, 0.6, 0.9, 0.6, 0.8)]
    assert value(char_face_consistency(drawn(*beside))) == 1


def test_nothing_is_said_of_faces_that_are_not_known() -> None:
    assert char_face_consistency(drawn()).status == "unscored"
    assert char_face_consistency(drawn(*three(-1, -1, -1, sure=float("nan")))).status == "unscored"
    unsure = drawn(*three(0, 1, 2, sure=0.4), characters=("Ann", "Ann", "Ann"))
    assert char_face_consistency(unsure).status == "unscored"
    once: list[Row] = [(0, 0, 0.0, 0.0, 0.3, 0.8)]
    assert char_face_consistency(drawn(*once, within=float("nan"))).status == "unscored"


def test_a_crowd_in_the_plan_or_the_picture_is_nobody() -> None:
    crowd = [*three(0, 0, 0), *((1, i, float(i), i + 0.5, 0.7, 0.8) for i in range(3))]
    facts = drawn(*crowd, characters=("Ann", "Ann", "Ann"))
    assert char_face_consistency(facts).facts["by_plan"] is False
