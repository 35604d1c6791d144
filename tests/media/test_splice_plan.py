"""The planner on all kinds of orders of frames: every frame comes out once where it belongs, and copying
begins and ends only where a decoder does not notice."""

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longtake.media.splice_plan import (
    TOUCH,
    Piece,
    Step,
    control_of,
    encoded_runs,
    encoded_share,
    plan,
)

Case = tuple[list[int], list[bool], list[Piece]]


def clean_cuts(ranks: list[int]) -> list[bool]:
    """Before which packets the earlier packets are the earlier frames, found the slow way."""
    return [sorted(ranks[:i]) == list(range(i)) for i in range(len(ranks))]


@st.composite
def streams(draw: st.DrawFn) -> tuple[list[int], list[bool]]:
    """Ranks in decoding order and which packets are IDR pictures: groups of B-frames behind each P-frame."""
    ranks: list[int] = [0]
    idr = [True]
    for _ in range(draw(st.integers(0, 12))):
        size = draw(st.integers(1, 4))
        base = len(ranks)
        if draw(st.booleans()):
            ranks += [base + i for i in range(size)]
            idr += [draw(st.booleans()), *[False] * (size - 1)]
        else:
            ranks += [base + size - 1, *(base + i for i in range(size - 1))]
            idr += [size == 1 and draw(st.booleans()), *[False] * (size - 1)]
    return ranks, idr


@st.composite
def edit_lists(draw: st.DrawFn) -> tuple[list[int], list[bool], list[Piece]]:
    """A stream and pieces of it in any order, some left out, each copied, touched or changed."""
    ranks, idr = draw(streams())
    frames = len(ranks)
    bounds = sorted({0, frames, *draw(st.lists(st.integers(0, frames), max_size=6))})
    pieces = [Piece(a, b, draw(st.sampled_from([None, None, TOUCH, 0, 1]))) for a, b in pairwise(bounds)]
    kept = [p for p in pieces if draw(st.integers(0, 4))]
    return ranks, idr, draw(st.permutations(kept))


def frames_of(pieces: list[Piece]) -> list[int]:
    return [r for p in pieces for r in range(p.first, p.last)]


def all_pieces(steps: list[Step]) -> list[Piece]:
    return [p for s in steps for p in s.pieces]


@given(edit_lists())
def test_every_frame_comes_out_where_it_was_asked_for(case: Case) -> None:
    ranks, idr, pieces = case
    steps = plan(pieces, idr, clean_cuts(ranks))
    assert frames_of(all_pieces(steps)) == frames_of(pieces)
    marks = {r: p.mark for p in all_pieces(steps) for r in range(p.first, p.last)}
    for piece in pieces:
        for rank in range(piece.first, piece.last):
            assert marks[rank] == piece.mark or (piece.mark is None and marks[rank] == TOUCH)


@given(edit_lists())
def test_copies_begin_at_idr_pictures_and_end_at_clean_cuts(case: Case) -> None:
    ranks, idr, pieces = case
    cuts = [*clean_cuts(ranks), True]
    steps = plan(pieces, idr, cuts[:-1])
    for step in steps:
        if not step.copied:
            assert all(p.mark is not None for p in step.pieces)
            continue
        piece = step.pieces[0]
        assert len(step.pieces) == 1
        assert idr[piece.first]
        assert cuts[piece.first]
        assert cuts[piece.last]
        assert sorted(ranks[piece.first : piece.last]) == list(range(piece.first, piece.last))
    assert all(a.copied or b.copied for a, b in pairwise(steps))


@given(edit_lists())
def test_no_copy_could_be_longer(case: Case) -> None:
    ranks, idr, pieces = case
    cuts = [*clean_cuts(ranks), True]
    copied = {
        r for s in plan(pieces, idr, cuts[:-1]) if s.copied for p in s.pieces for r in range(p.first, p.last)
    }
    for piece in pieces:
        if piece.mark is None:
            starts = [i for i in range(piece.first, piece.last) if idr[i] and cuts[i]]
            ends = [i for i in range(piece.first, piece.last + 1) if cuts[i]]
            if starts and ends and starts[0] < ends[-1]:
                assert set(range(starts[0], ends[-1])) <= copied


@given(edit_lists())
def test_a_control_keeps_the_order_and_encodes_at_least_the_same(case: Case) -> None:
    ranks, idr, pieces = case
    cuts = clean_cuts(ranks)
    steps = plan(pieces, idr, cuts)
    control = plan(control_of(steps, len(ranks)), idr, cuts)
    assert frames_of(all_pieces(control)) == list(range(len(ranks)))
    encoded = [
        {r for s in made if not s.copied for r in frames_of(list(s.pieces))} for made in (steps, control)
    ]
    assert encoded[0] <= encoded[1]


@given(edit_lists())
def test_runs_and_share_add_up(case: Case) -> None:
    ranks, idr, pieces = case
    steps = plan(pieces, idr, clean_cuts(ranks))
    ends = list(accumulate(len(s) for s in steps))
    expected = [(e - len(s), e) for s, e in zip(steps, ends, strict=True) if not s.copied]
    assert encoded_runs(steps) == expected
    total = sum(map(len, steps))
    if total:
        assert encoded_share(steps) == pytest.approx(sum(b - a for a, b in expected) / total)


def test_by_hand() -> None:
    # decoding order I0 P4 B2 b1 b3 | I5 P9 B7 b6 b8, both IDR
    ranks = [0, 4, 2, 1, 3, 5, 9, 7, 6, 8]
    idr = [i in (0, 5) for i in range(10)]
    cuts = clean_cuts(ranks)
    assert [i for i, c in enumerate(cuts) if c] == [0, 1, 5, 6]
    steps = plan([Piece(0, 3), Piece(3, 4, 0), Piece(4, 10)], idr, cuts)
    assert steps == [
        Step((Piece(0, 1),)),
        Step((Piece(1, 3, TOUCH), Piece(3, 4, 0), Piece(4, 5, TOUCH))),
        Step((Piece(5, 10),)),
    ]
    assert encoded_runs(steps) == [(1, 5)]
    swapped = plan([Piece(5, 10), Piece(0, 5)], idr, cuts)
    assert swapped == [Step((Piece(5, 10),)), Step((Piece(0, 5),))]
