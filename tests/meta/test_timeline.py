"""Where spans of the source come out: by hand, and in general against frames that carry their numbers."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longtake.core.video import Video
from longtake.media.splice_plan import Piece
from longtake.meta.perturbations import Damage
from longtake.meta.perturbations.base import Insert
from longtake.meta.perturbations.timeline import (
    edits,
    outputs_of,
    picture_edits,
    rank_at,
    share_of,
    snapped,
    sound_edits,
    starts,
)

EVEN = [Fraction(i, 10) for i in range(101)]
"""A film of 100 frames in ten seconds."""


def test_a_frame_belongs_to_the_span_it_begins_in() -> None:
    assert [rank_at(t, EVEN) for t in (0.0, 0.05, 0.1, 0.1 + 0.2, 9.91, 10.0, 11.0)] == [
        0, 1, 1, 3, 100, 100, 100,
    ]  # fmt: skip


def test_a_span_is_that_of_its_frames() -> None:
    assert snapped((1.01, 2.04), EVEN) == (1.1, 2.1)
    assert snapped((0.95, 20.0), EVEN) == (1.0, 10.0)
    assert snapped((1.01, 1.02), EVEN) == (1.01, 1.02)


def test_removed_spans_move_what_follows() -> None:
    pieces = edits((), [(2.0, 3.5)], [], EVEN)
    assert pieces == [Piece(0, 20), Piece(35, 100)]
    assert starts(pieces, EVEN) == [0, 2, Fraction(17, 2)]
    assert outputs_of((1.0, 2.0), pieces, EVEN) == [((1.0, 2.0), (1.0, 2.0))]
    assert outputs_of((2.0, 3.5), pieces, EVEN) == []
    assert outputs_of((3.0, 5.0), pieces, EVEN) == [((3.5, 5.0), (2.0, 3.5))]


def test_an_order_puts_spans_elsewhere() -> None:
    pieces = edits([(6.0, 10.0), (0.0, 3.0), (3.0, 6.0)], [], [], EVEN)
    assert pieces == [Piece(60, 100), Piece(0, 30), Piece(30, 60)]
    assert outputs_of((2.0, 4.0), pieces, EVEN) == [((2.0, 4.0), (6.0, 8.0))]
    assert outputs_of((5.0, 7.0), pieces, EVEN) == [((6.0, 7.0), (0.0, 1.0)), ((5.0, 6.0), (9.0, 10.0))]


def test_marks_are_put_where_something_changes(silent_insert: Insert) -> None:
    damage = Damage([(1.0, 2.0, "x"), (4.0, 5.0, "y")], lambda bgr, time: bgr, inserts=(silent_insert,))
    assert picture_edits(damage, EVEN) == [
        Piece(0, 10),
        Piece(10, 20, 0),
        Piece(20, 40),
        Piece(40, 45, 0),
        Piece(45, 50, 1),
        Piece(50, 60, 1),
        Piece(60, 100),
    ]
    assert sound_edits(damage, EVEN) == [Piece(0, 100)]


@pytest.fixture
def silent_insert() -> Insert:
    return Insert(4.5, 6.0, Video("file", ()), 0.0, sound=False)


@pytest.mark.parametrize("order", [[(0.0, 3.0), (4.0, 10.0)], [(0.0, 5.0), (4.0, 10.0)], [(2.0, 1.0)]])
def test_an_order_that_loses_or_doubles_frames_is_refused(order: list[tuple[float, float]]) -> None:
    with pytest.raises(ValueError, match="order"):
        edits(order, [], [], EVEN)


def test_share_counts_what_overlaps_once() -> None:
    assert share_of([(1.0, 3.0), (2.0, 4.0), (9.0, 12.0)], 10.0) == pytest.approx(0.4)
    assert share_of([], 10.0) == 0
    assert share_of([(0.0, 99.0)], 10.0) == 1


@st.composite
def damages(draw: st.DrawFn) -> tuple[list[Fraction], list[tuple[float, float]], list[tuple[float, float]]]:
    """Uneven frame times, an order of spans, and removed ones."""
    steps = draw(st.lists(st.integers(1, 5), min_size=2, max_size=40))
    edges = [Fraction(0)]
    for step in steps:
        edges.append(edges[-1] + Fraction(step, 20))
    inner = draw(st.lists(st.floats(0, float(edges[-1])), max_size=4))
    bounds = sorted({0.0, float(edges[-1]), *inner})
    spans = list(pairwise(bounds))
    removed = [s for s in spans if not draw(st.integers(0, 4))]
    return edges, list(draw(st.permutations(spans))), removed


@given(damages(), st.floats(0, 3), st.floats(0, 3))
def test_spans_come_out_where_their_frames_do(
    case: tuple[list[Fraction], list[tuple[float, float]], list[tuple[float, float]]], a: float, b: float
) -> None:
    edges, order, removed = case
    span = min(a, b), max(a, b)
    pieces = edits(order, removed, [], edges)
    shown = [r for p in pieces for r in range(p.first, p.last)]
    assert len(set(shown)) == len(shown)
    at, out = Fraction(0), {}
    for rank in shown:
        out[rank] = at
        at += edges[rank + 1] - edges[rank]
    assert starts(pieces, edges)[-1] == at
    wanted = {r for r in shown if span[0] - 1e-9 <= edges[r] < span[1] - 1e-9}
    found = outputs_of(span, pieces, edges)
    if shown == list(range(len(edges) - 1)):
        assert found == [(span, span)]
        return
    covered = {r for r in shown for _, (low, high) in found if low - 1e-7 <= float(out[r]) < high - 1e-7}
    assert covered == wanted
    for source, output in found:
        assert source[1] - source[0] == pytest.approx(output[1] - output[0])
