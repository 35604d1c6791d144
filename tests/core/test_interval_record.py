"""An interval is whole or says why not."""

from __future__ import annotations

import pytest

from longtake.core.interval import Interval, missing


def test_names_are_those_of_the_contract() -> None:
    told = Interval(n=3, n_asked=4, value=0.5, low=0.1, high=0.9, method="m").model_dump()
    assert list(told) == ["n", "n_asked", "value", "low", "high", "level", "method", "reason"]
    assert told["level"] == 0.95


@pytest.mark.parametrize(
    "wrong",
    [
        {"value": None, "low": 0.1, "high": 0.9},
        {"value": 0.5, "low": 0.1},
        {"value": 0.5},
        {"value": None},
        {"value": 0.5, "low": 0.9, "high": 0.1},
        {"value": 0.5, "low": 0.1, "high": 0.9, "n": 5},
        {"value": float("nan"), "low": 0.1, "high": 0.9},
    ],
)
def test_half_an_interval_is_refused(wrong: dict[str, float | None]) -> None:
    with pytest.raises(ValueError):
        Interval(**{"n": 3, "n_asked": 4, "method": "m", **wrong})  # type: ignore[arg-type]


def test_missing_has_a_reason() -> None:
    nothing = missing("nobody was asked")
    assert (nothing.value, nothing.low, nothing.n, nothing.reason) == (None, None, 0, "nobody was asked")
