"""Shares beside a bound, and values between levels."""

from __future__ import annotations

import pytest

from longtake.core.shares import between, floored, two_digits


def test_what_is_below_a_bound_is_printed_below_it() -> None:
    for bound in (0.5, 0.75, 0.29):
        for short in (0.001, 0.004, 0.009):
            assert f"{floored(bound - short):.2f}" < f"{bound:.2f}"
        assert floored(bound) == bound
    assert floored(0.5996, 3) == 0.599


@pytest.mark.parametrize("share", [i / 100 for i in range(101)])
def test_what_has_no_more_digits_stays(share: float) -> None:
    assert floored(share) == share


def test_only_a_value_just_below_a_bound_has_three_digits() -> None:
    assert two_digits(0.6963, [0.7]) == "0.696"
    assert two_digits(0.69999, [0.7]) == "0.699"
    assert two_digits(0.7, [0.7]) == "0.70"
    assert two_digits(0.7049, [0.7]) == "0.70"
    assert two_digits(0.694, [0.7]) == "0.69"
    assert two_digits(0.6963) == "0.70"


def test_a_value_lies_on_a_level_or_between_two() -> None:
    five = ["a", "b", "c", "d", "e"]
    assert [between(five, i / 4) for i in range(5)] == [None] * 5
    assert between(five, 0.3) == ("b", "c")
    assert between(["no", "yes"], 2 / 3) == ("no", "yes")
    assert between(["no", "yes"], 1.0) is None
    assert between([], 0.5) is None
