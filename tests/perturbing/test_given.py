"""What operators are given: clips with texts from a brief, shots or blocks."""

import pytest

from longtake.core.brief import Brief, PlannedShot
from longtake.errors import InputError
from longtake.meta.perturbations import Clip
from longtake.perturbing.given import planned

TEXTS = ("a dog runs", "a cat sleeps", "rain falls")


def brief(**columns: list[float]) -> Brief:
    shots = [
        PlannedShot(index=i, text=text, **{name: values[i] for name, values in columns.items()})
        for i, text in enumerate(TEXTS)
    ]
    return Brief(shots=shots)


def test_times_of_the_brief_are_the_clips() -> None:
    clips = planned(brief(start=[0, 4, 9], end=[4, 9, 12]), 12.0, ())
    assert clips == (Clip(0, 4, TEXTS[0]), Clip(4, 9, TEXTS[1]), Clip(9, 12, TEXTS[2]))


def test_planned_times_beyond_the_end_are_cut_off() -> None:
    assert planned(brief(start=[0, 4, 9], end=[4, 9, 12]), 8.0, ()) == (
        Clip(0, 4, TEXTS[0]),
        Clip(4, 8, TEXTS[1]),
    )


def test_lengths_follow_each_other_where_they_fit_the_film() -> None:
    clips = planned(brief(duration=[4, 5, 3]), 12.1, ())
    assert [(c.start, c.end) for c in clips] == [(0, 4), (4, 9), (9, 12)]


def test_lengths_that_do_not_fit_give_way_to_found_shots() -> None:
    found = [Clip(0, 2), Clip(2, 5), Clip(5, 6)]
    clips = planned(brief(duration=[4, 5, 3]), 6.0, found)
    assert [(c.start, c.end, c.text) for c in clips] == [(0, 2, TEXTS[0]), (2, 5, TEXTS[1]), (5, 6, TEXTS[2])]


@pytest.mark.parametrize("found", [[], [Clip(0, 3), Clip(3, 6)]])
def test_a_brief_without_times_that_plans_another_number_of_shots_is_refused(found: list[Clip]) -> None:
    with pytest.raises(InputError, match="3 shots"):
        planned(brief(), 6.0, found)


def test_a_brief_without_shots_is_refused() -> None:
    with pytest.raises(InputError, match="no shots"):
        planned(Brief(instruction="a film"), 6.0, ())
