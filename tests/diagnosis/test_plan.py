"""Planned shots beside measured ones."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longtake.core.brief import Brief, PlannedShot
from longtake.core.documents import Shot
from longtake.diagnosis.alignment import align
from longtake.diagnosis.plan import Plan, make_plan, planned_spans


def spans_of(lengths: list[float]) -> list[tuple[float, float]]:
    edges = [0.0]
    for length in lengths:
        edges.append(edges[-1] + length)
    return list(pairwise(edges))


def measured(lengths: list[float]) -> list[Shot]:
    return [
        Shot(index=i, start=a, end=b, first_frame=round(a * 25), last_frame=round(b * 25) - 1)
        for i, (a, b) in enumerate(spans_of(lengths))
    ]


def brief(lengths: list[float]) -> Brief:
    return Brief(
        shots=[
            PlannedShot(index=i, start=a, end=b, text=f"shot {i}")
            for i, (a, b) in enumerate(spans_of(lengths))
        ]
    )


def plan_of(planned: list[float], have: list[float]) -> Plan:
    found = make_plan(brief(planned), measured(have), part=None, duration=sum(have))
    assert found is not None
    return found


def kinds(plan: Plan) -> Counter[str]:
    return Counter(m.kind for m in plan.mismatches)


lengths = st.lists(st.integers(4, 60).map(lambda n: n / 4), min_size=1, max_size=25)


@settings(max_examples=60, deadline=None)
@given(lengths)
def test_the_same_lists_align_perfectly(shots: list[float]) -> None:
    plan = plan_of(shots, shots)
    assert [s.measured for s in plan.shots] == [(i,) for i in range(len(shots))]
    assert not plan.mismatches
    assert not any(s.recovered for s in plan.shots)


@settings(max_examples=60, deadline=None)
@given(lengths.filter(lambda x: len(x) > 1), st.data())
def test_a_measured_shot_cut_out_is_the_one_missing(shots: list[float], data: st.DataObject) -> None:
    gone = data.draw(st.integers(0, len(shots) - 1))
    plan = plan_of(shots, shots[:gone] + shots[gone + 1 :])
    assert kinds(plan)["missing_planned_shot"] == 1
    assert kinds(plan)["unmatched_shot"] == 0
    missing = next(s for s in plan.shots if not s.measured)
    # Which of several equally long neighbours is missing cannot be told; its length can.
    assert shots[missing.index] == shots[gone]


@settings(max_examples=60, deadline=None)
@given(lengths, lengths, st.booleans())
def test_each_shot_is_used_once_and_in_order(a: list[float], b: list[float], group: bool) -> None:
    links = align(spans_of(a), spans_of(b), may_group=group)
    assert [i for link in links for i in link.planned] == list(range(len(a)))
    assert [j for link in links for j in link.measured] == list(range(len(b)))
    if not group:
        assert all(len(link.planned) <= 1 for link in links)


def test_a_shot_left_out_with_times_kept() -> None:
    shots = measured([4, 4, 4, 4, 4])
    plan = make_plan(brief([4, 4, 4, 4, 4]), shots[:2] + shots[3:], part=None, duration=20)
    assert plan is not None
    assert [s.index for s in plan.shots if not s.measured] == [2]
    assert kinds(plan) == {"missing_planned_shot": 1}


def test_a_shot_nobody_planned() -> None:
    plan = plan_of([5, 7, 9], [5, 3, 7, 9])
    assert kinds(plan)["unmatched_shot"] == 1
    assert [m.shot for m in plan.mismatches if m.kind == "unmatched_shot"] == [1]
    assert kinds(plan)["film_longer"] == 1


def test_boundaries_within_half_a_second_are_the_same() -> None:
    assert not plan_of([5, 5, 5], [5.4, 4.2, 5.4]).mismatches


def test_a_later_boundary_is_a_shift() -> None:
    plan = plan_of([5, 5, 5], [6, 4, 5])
    assert kinds(plan) == {"shifted_shot": 2}
    assert [m.planned for m in plan.mismatches] == [0, 1]
    assert [m.what for m in plan.mismatches] == [
        "planned shot 1 ends 1.0 s late",
        "planned shot 2 starts 1.0 s late",
    ]
    both = plan_of([5, 5, 5], [6, 3, 6]).mismatches[1]
    assert both.what == "planned shot 2 starts 1.0 s late and ends 1.0 s early"


def test_invisible_boundaries_are_recovered_where_totals_fit() -> None:
    plan = plan_of([5, 5, 5, 5], [10, 10.2])
    assert [s.measured for s in plan.shots] == [(0,), (0,), (1,), (1,)]
    assert all(s.recovered for s in plan.shots)
    assert [s.measured_start for s in plan.shots] == [0, 5, 10, 15]
    assert plan.shots[-1].measured_end == pytest.approx(20.2)
    assert not plan.mismatches


def test_invisible_boundaries_are_not_invented_where_totals_differ() -> None:
    plan = plan_of([5, 5, 5, 5], [10, 12])
    assert not any(s.recovered for s in plan.shots)
    assert kinds(plan)["missing_planned_shot"] == 2
    assert kinds(plan)["film_longer"] == 1


def test_more_cuts_than_planned() -> None:
    plan = plan_of([6, 6], [6, 2, 2, 2])
    assert plan.shots[1].measured == (1, 2, 3)
    assert kinds(plan) == {"extra_cuts": 1}


def test_a_shorter_film_is_a_finding() -> None:
    plan = plan_of([5, 5, 5, 5], [5, 5])
    assert kinds(plan) == {"film_shorter": 1, "missing_planned_shot": 2}
    assert all(m.start <= 10 for m in plan.mismatches)


def test_without_times_only_equal_counts_align() -> None:
    untimed = Brief(shots=[PlannedShot(index=i, text="x") for i in range(3)])
    same = make_plan(untimed, measured([1, 2, 3]), part=None, duration=6)
    assert same is not None
    assert [s.measured for s in same.shots] == [(0,), (1,), (2,)]
    other = make_plan(untimed, measured([1, 2]), part=None, duration=3)
    assert other is not None
    assert not other.aligned
    assert kinds(other) == {"shot_count": 1}
    assert all(s.measured == () for s in other.shots)


def test_a_part_leaves_out_what_was_not_looked_at() -> None:
    shots = [Shot(index=0, start=5, end=10, first_frame=0, last_frame=124)]
    plan = make_plan(brief([5, 5, 5]), shots, part=(5.0, 10.0), duration=5)
    assert plan is not None
    assert [(s.index, s.measured) for s in plan.shots] == [(1, (0,))]
    assert not plan.mismatches


def test_no_brief_and_no_shots() -> None:
    assert make_plan(None, measured([1]), part=None, duration=1) is None
    assert make_plan(Brief(instruction="a film"), measured([1]), part=None, duration=1) is None
    asked = make_plan(Brief(duration=60), measured([30]), part=None, duration=30)
    assert asked is not None
    assert (asked.shots, kinds(asked)) == ((), {"film_shorter": 1})
    none = make_plan(brief([1, 2]), [], part=None, duration=3)
    assert none is not None
    assert not none.aligned


@pytest.mark.parametrize(
    ("shots", "spans"),
    [
        ([PlannedShot(index=0, duration=2), PlannedShot(index=1, duration=3)], [(0, 2), (2, 5)]),
        ([PlannedShot(index=0, start=0), PlannedShot(index=1, start=4, end=6)], [(0, 4), (4, 6)]),
        ([PlannedShot(index=0, start=0), PlannedShot(index=1, start=4)], None),
        ([PlannedShot(index=0), PlannedShot(index=1)], None),
    ],
)
def test_times_that_the_brief_implies(
    shots: list[PlannedShot], spans: list[tuple[float, float]] | None
) -> None:
    assert planned_spans(shots) == spans


def test_hundreds_of_shots_align_quickly() -> None:
    many = [2.0 + (i * 7 % 11) / 4 for i in range(600)]
    plan = plan_of(many, many[:300] + many[301:])
    assert kinds(plan)["missing_planned_shot"] == 1
