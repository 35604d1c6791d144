"""DSA's arithmetic against scipy, a closed form, and what must not change it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

import longtake.evaluators.dsa as package
from longtake.core.brief import PlannedShot
from longtake.core.embedding import Policy, Shape, TextVectors
from longtake.evaluators.dsa.alignment import DIGITS, farthest, ranks, rho, score, share
from longtake.evaluators.dsa.profiles import first_lost, pooled, text_side
from longtake.evaluators.shared.spans import Spans
from longtake.testing import check_vectors

cosine = st.integers(-100, 100).map(lambda n: n / 100)
"""On a grid, so that ties occur and no transform below makes or breaks one."""


def profiles(least: int = 4) -> st.SearchStrategy[list[tuple[float, float]]]:
    return st.lists(st.tuples(cosine, cosine), min_size=least, max_size=24)


def split(pairs: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [a for a, _ in pairs], [b for _, b in pairs]


def test_vectors() -> None:
    assert check_vectors(Path(package.__file__).parent, package.__name__) >= 10


@given(profiles())
def test_rho_is_scipys(pairs: list[tuple[float, float]]) -> None:
    text, film = split(pairs)
    found = rho(text, film)
    if len({*text}) == 1 or len({*film}) == 1:
        assert found is None
        return
    assert found == pytest.approx(spearmanr(text, film).statistic, abs=1e-9)
    assert score(text, film) == pytest.approx((found + 1) / 2)
    assert ranks(text) == pytest.approx(rankdata(text))


@given(profiles(), st.randoms(use_true_random=False))
def test_the_order_in_which_shots_are_listed_says_nothing(pairs: list[tuple[float, float]], dice) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(pairs)
    dice.shuffle(shuffled)
    assert rho(*split(pairs)) == pytest.approx(rho(*split(shuffled)), abs=1e-9)


@given(profiles(), st.floats(0.5, 3), st.floats(-1, 1))
def test_monotone_transforms_change_nothing_and_turning_around_changes_the_sign(
    pairs: list[tuple[float, float]], by: float, more: float
) -> None:
    text, film = split(pairs)
    found = rho(text, film)
    assert rho(text, [x * by + more for x in film]) == pytest.approx(found, abs=1e-9)
    assert rho(text, [x**3 + x for x in film]) == pytest.approx(found, abs=1e-9)
    assert rho(film, text) == pytest.approx(found, abs=1e-9)
    turned = rho(text, [-x for x in film])
    assert turned == (None if found is None else pytest.approx(-found, abs=1e-9))


@given(st.lists(cosine, min_size=4, max_size=24, unique=True))
def test_a_profile_beside_itself_is_one_and_turned_around_nought(values: list[float]) -> None:
    assert score(values, values) == 1.0
    assert score(values, [-v for v in values]) == 0.0


def test_what_other_machines_compute_at_the_seventh_decimal_ties() -> None:
    text = [0.5, 0.5 + 1e-8, 0.3, 0.2]
    assert ranks(text).tolist() == [3.5, 3.5, 2.0, 1.0]
    assert DIGITS == 6
    assert rho([0.1 + i * 1e-9 for i in range(5)], [1, 2, 3, 4, 5]) is None


def test_unrelated_profiles_spread_as_the_reference_says() -> None:
    rng = np.random.default_rng(5)
    for count, spread in ((12, 0.15), (24, 0.10)):
        found = [score(*rng.normal(size=(2, count))) for _ in range(4000)]
        assert np.std([v for v in found if v is not None]) == pytest.approx(spread, abs=0.01)
        assert share(0.0) == 0.5


def test_the_shots_that_are_farthest_from_their_place_come_first() -> None:
    assert farthest([4, 3, 2, 1], [1, 3, 2, 4], 3) == [0, 3]
    assert farthest([4, 3, 2, 1], [40, 30, 20, 10], 3) == []
    assert farthest([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], 3) == [0, 4, 1]


def test_a_number_that_is_none_is_no_profile() -> None:
    with pytest.raises(ValueError, match="no number"):
        rho([0.1, float("nan"), 0.3, 0.4], [1, 2, 3, 4])


@given(st.integers(2, 12), st.integers(0, 10_000))
def test_the_mean_of_the_texts_says_how_central_each_is(count: int, seed: int) -> None:
    """long-code.md, 2.2: s^c_i = (1 + sum over j of t_i.t_j) / (K x length of the mean)."""
    texts = np.random.default_rng(seed).normal(size=(count, 8))
    texts /= np.linalg.norm(texts, axis=1, keepdims=True)
    mean = pooled(texts)
    assert mean is not None
    length = np.linalg.norm(texts.mean(axis=0))
    for i in range(count):
        rest = sum(float(texts[i] @ texts[j]) for j in range(count) if j != i)
        assert float(texts[i] @ mean) == pytest.approx((1 + rest) / (count * length))


def test_vectors_that_cancel_out_have_no_mean() -> None:
    assert pooled(np.array([[1.0, 0.0], [-1.0, 0.0]])) is None
    assert first_lost([10, 20], 20) is None


class Words:
    """A model and its embedder at once: a token for each word, and the vector is how often words begin so."""

    shape = Shape(2, 0, 8, 20)

    def __init__(self) -> None:
        self.read = 0

    def tokens(self, texts: Sequence[str]) -> list[int]:
        counts = [len(text.split()) for text in texts]
        self.read += sum(counts)
        return counts

    def texts(self, texts: Sequence[str], policy: Policy) -> TextVectors:
        counts = self.tokens(texts)
        vectors = np.array([[text.count("a"), text.count("b")] for text in texts], float)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        dropped = tuple(max(0, n - 20) for n in counts)
        return TextVectors(vectors, tuple(counts), dropped, policy)

    def embedder(self, role: str) -> Words:
        return self

    def model(self, role: str) -> Words:
        return self


@pytest.mark.parametrize("count", [1, 4, 7, 300])
@pytest.mark.parametrize("text", ["mean", "concat"])
def test_tokens_are_counted_without_reading_the_texts_over_and_over(count: int, text: str) -> None:
    words = ["a b a", "b b", "a a b b", "b a a b a"]
    shots = tuple(PlannedShot(index=i, text=words[i % 4]) for i in range(count))
    model = Words()
    facts = text_side(model, Spans(shots, None), None, {"text": text, "policy": "cut"}).facts  # type: ignore[arg-type]
    lengths = [len(shot.text.split()) for shot in shots]
    assert facts["whole_tokens"] == sum(lengths)
    over = [i for i in range(count) if sum(lengths[: i + 1]) > 20]
    first = over[0] + 1 if over and text == "concat" else None
    assert facts.get("first_lost_shot") == first
    assert facts.get("whole_tokens_dropped") == (max(0, sum(lengths) - 20) if text == "concat" else None)
    # Each text alone, all joined, with concat once more, and what is joined up to the first beyond the limit.
    assert model.read <= 3 * sum(lengths) + 7 * 26
