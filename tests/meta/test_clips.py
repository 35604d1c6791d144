"""Blocks, draws and orders: nested, with nothing left in place, the same whatever else runs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longtake.errors import InputError, UsageError
from longtake.meta.perturbations.base import Clip, FilmFacts
from longtake.meta.perturbations.clips import (
    blocks,
    choose,
    clips_of,
    displaced,
    number_at,
    reordered,
    whole,
    window,
)


def film(count: int, *texts: str, length: float = 10.0) -> FilmFacts:
    texts = texts or ("",) * count
    clips = tuple(Clip(i * length, (i + 1) * length, texts[i]) for i in range(count))
    return FilmFacts(count * length, 25, 64, 48, clips=clips)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("duration", "lengths"),
    [
        (30, [10, 10, 10]),
        (25, [10, 10, 5]),  # just half a block stays one
        (24.9, [10, 14.9]),
        (9, [9]),
        (3, [3]),
        (0.1, [0.1]),
        (104.99, [10] * 9 + [14.99]),
    ],
)
def test_a_last_block_shorter_than_half_joins_the_one_before(duration: float, lengths: list[float]) -> None:
    made = blocks(duration)
    assert [c.end - c.start for c in made] == pytest.approx(lengths)
    assert made[0].start == 0
    assert made[-1].end == duration


@given(st.floats(0.05, 5000), st.floats(0.5, 60))
def test_blocks_cover_the_film_without_gaps(duration: float, length: float) -> None:
    made = blocks(duration, length)
    assert made[0].start == 0
    assert made[-1].end == duration
    assert all(a.end == b.start for a, b in pairwise(made))
    assert all(c.end - c.start < 1.5 * length + 1e-6 for c in made)
    assert len(made) == 1 or made[-1].end - made[-1].start >= length / 2 - 1e-6


@given(st.integers(1, 40), st.integers(0, 1000))
def test_fewer_clips_are_a_beginning_of_more(count: int, seed: int) -> None:
    orders = [choose(film(count), n, rng(seed)).order for n in range(1, count + 1)]
    for less, more in pairwise(orders):
        assert more[: len(less)] == less
    assert sorted(orders[-1]) == list(range(count))


@given(st.integers(2, 30), st.data())
def test_the_draw_does_not_depend_on_who_is_eligible(count: int, data: st.DataObject) -> None:
    """Clips that are eligible in both films come in the same order."""
    fit = data.draw(st.sets(st.integers(0, count - 1), min_size=1))
    texts = ["left" if i in fit else "" for i in range(count)]

    def words(text: str) -> list[str]:
        return [text] if text else []

    some = choose(film(count, *texts), count, rng(3), words=words).order
    everything = choose(film(count), count, rng(3)).order
    assert list(some) == [i for i in everything if i in fit]


def test_every_clip_is_chosen_about_equally_often() -> None:
    taken = [i for seed in range(2000) for i in choose(film(10), 2, rng(seed)).order]
    counts = np.bincount(taken, minlength=10)
    assert ((counts - 400) ** 2 / 400).sum() < 27.9  # chi square, 9 degrees of freedom, p = .001


def test_a_choice_says_what_it_rests_on() -> None:
    texts = ["to the left", "", "on the right", ""]
    choice = choose(film(4, *texts), 5, rng(), words=lambda t: t.split()[-1:] if t else [], at_most=2)
    assert choice.clips == (0, 2)
    assert choice.facts == {
        "clips": "0,2",
        "n_clips": 2,
        "n_eligible": 2,
        "clips_of_film": 4,
        "words": "0: left; 2: right",
    }


def test_nothing_to_choose_from_is_refused() -> None:
    with pytest.raises(InputError, match="motion"):
        choose(film(4), 2, rng(), words=lambda t: [], thing="motion")
    with pytest.raises(InputError, match="too short"):
        choose(film(1), 2, rng(), at_most=0)
    with pytest.raises(InputError, match="not cut into clips"):
        choose(FilmFacts(10, 25, 64, 48), 2, rng())


def test_clips_that_overlap_are_refused() -> None:
    with pytest.raises(InputError, match="clip 0 ends at 6 s"):
        clips_of(FilmFacts(10, 25, 64, 48, clips=(Clip(0, 6), Clip(5, 10))))


@given(st.lists(st.integers(0, 99), min_size=2, max_size=12, unique=True), st.integers(0, 500))
def test_no_item_stays_in_place(items: list[int], seed: int) -> None:
    order = displaced(items, rng(seed))
    assert sorted(order) == sorted(items)
    assert all(a != b for a, b in zip(items, order, strict=True))


def test_all_nine_orders_of_four_are_as_likely() -> None:
    """Of 24 orders of four, nine move every item."""
    seen: dict[tuple[int, ...], int] = {}
    for seed in range(1800):
        order = tuple(displaced([0, 1, 2, 3], rng(seed)))
        seen[order] = seen.get(order, 0) + 1
    assert len(seen) == 9
    assert sum((n - 200) ** 2 / 200 for n in seen.values()) < 26.1  # 8 degrees of freedom, p = .001


def test_one_item_cannot_be_moved() -> None:
    with pytest.raises(InputError):
        displaced([4], rng())


@given(st.integers(2, 30), st.integers(0, 500))
def test_a_shorter_window_lies_in_a_longer_one(count: int, seed: int) -> None:
    windows = [window(count, n, rng(seed)) for n in range(1, count + 1)]
    for n, (less, more) in enumerate(pairwise(windows), 1):
        assert len(less) == n
        assert set(less) < set(more)
    assert windows[-1] == range(count)


def test_windows_lean_to_neither_end() -> None:
    starts = np.bincount([window(10, 3, rng(seed)).start for seed in range(2000)], minlength=8)
    assert starts.min() > 100
    mirrored = (starts - starts[::-1])[:4] ** 2 / (starts + starts[::-1])[:4]
    assert mirrored.sum() < 18.5  # chi square, 4 degrees of freedom, p = .001


def test_a_window_longer_than_the_film_is_refused() -> None:
    with pytest.raises(InputError, match="6 clips in a row"):
        window(5, 6, rng())


@given(st.integers(2, 12), st.data())
def test_a_new_order_shows_every_moment_once(count: int, data: st.DataObject) -> None:
    gap = data.draw(st.sampled_from([0.0, 0.25]))
    clips = tuple(Clip(i * 10 + gap, (i + 1) * 10 - gap) for i in range(count))
    made = FilmFacts(count * 10.0, 25, 64, 48, clips=clips)
    order = data.draw(st.permutations(range(count)))
    pieces = reordered(made, dict(enumerate(order)))
    assert sum(b - a for a, b in pieces) == pytest.approx(made.duration)
    ends = sorted(pieces)
    assert ends[0][0] == 0
    assert ends[-1][1] == made.duration
    assert all(a[1] == b[0] for a, b in pairwise(ends))


def test_pieces_that_stay_together_are_one() -> None:
    assert reordered(film(5), {1: 2, 2: 1}) == ((0, 10), (20, 30), (10, 20), (30, 50))
    assert reordered(film(5), {}) == ((0, 50),)


def test_a_frame_just_before_a_span_by_rounding_belongs_to_it() -> None:
    spans = {3: (10.0, 20.0)}
    assert number_at(10 - 1e-12, spans) == 3
    assert number_at(20 - 1e-12, spans) is None
    assert number_at(9.99, spans) is None


def test_a_number_of_clips_is_whole() -> None:
    assert whole(3.0) == 3
    with pytest.raises(UsageError):
        whole(2.5)
