"""Times as people write them."""

from __future__ import annotations

import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longtake.briefs.times import seconds


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3.0),
        (2.5, 2.5),
        ("3", 3.0),
        (" 3.25 ", 3.25),
        ("3,5", 3.5),
        ("3s", 3.0),
        ("3 sec", 3.0),
        ("1500ms", 1.5),
        ("2 min", 120.0),
        ("0.5h", 1800.0),
        ("1:30", 90.0),
        ("01:02:03.5", 3723.5),
        ("00:00:01,250", 1.25),
        ("90:00", 5400.0),
        ("-1:00", -60.0),
        ("-3", -3.0),
        ("1e1", 10.0),
        ("3秒", 3.0),
    ],
)
def test_reads(value: object, expected: float) -> None:
    assert seconds(value) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (True, "not a time"),
        (None, "null"),
        ("soon", "not a time"),
        ("", "not a time"),
        (math.nan, "finite"),
        (math.inf, "finite"),
        (10**400, "finite"),
        (1e9, "beyond"),
        ("1:75", "above 59"),
        ("0:75:00", "above 59"),
        ("00:00:01:12", "frame rate"),
        ("3 parsecs", "not a time"),
        ([1], "a list"),
        ({}, "an object"),
    ],
)
def test_refuses(value: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        seconds(value)


@given(st.integers(0, 359_999_999))
def test_clock_form_is_exact(milliseconds: int) -> None:
    whole, rest = divmod(milliseconds, 1000)
    text = f"{whole // 3600:02d}:{whole % 3600 // 60:02d}:{whole % 60:02d}.{rest:03d}"
    assert seconds(text) == pytest.approx(milliseconds / 1000, abs=1e-6)


@given(st.text(max_size=30) | st.floats() | st.integers())
def test_a_time_or_a_value_error(value: object) -> None:
    with suppress(ValueError):
        assert math.isfinite(seconds(value))
