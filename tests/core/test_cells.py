"""Cells of foreign tables: what is empty is nothing, what is not finite stays so, the rest is refused."""

import math

import pytest

from longtake.core.cells import number, short, text, truth


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("0.5", 0.5),
        (" 1e-3 ", 0.001),
        ("+1", 1.0),
        (".5", 0.5),
        ("5.", 5.0),
        (3, 3.0),
        ("", None),
        (None, None),
    ],
)
def test_a_number_is_read(cell: object, value: float | None) -> None:
    assert number(cell) == value


@pytest.mark.parametrize("cell", ["nan", "NaN", "-inf", "Infinity", float("nan"), float("inf")])
def test_what_is_not_finite_stays_so(cell: object) -> None:
    read = number(cell)
    assert read is not None
    assert not math.isfinite(read)


@pytest.mark.parametrize(
    "cell",
    ["1_000", "0x1f", "83%", "1 000", "٣", "good", True, [1], {"a": 1}, 10**400, "1e308", "1e999", -1e101],
)
def test_what_is_no_number_is_refused(cell: object) -> None:
    with pytest.raises(ValueError, match="number"):
        number(cell)


def test_a_decimal_comma_is_refused_with_a_hint() -> None:
    with pytest.raises(ValueError, match="with a point"):
        number("0,73")


def test_texts() -> None:
    assert [text(c) for c in (" a ", "", None, float("nan"), 3)] == ["a", None, None, None, "3"]
    with pytest.raises(ValueError, match="not a text"):
        text(["a"])


def test_truths() -> None:
    assert [truth(c) for c in (True, "no", "1", 0, "", "TRUE", 1.0)] == [
        True,
        False,
        True,
        False,
        None,
        True,
        True,
    ]
    with pytest.raises(ValueError, match="neither"):
        truth("maybe")


def test_a_long_cell_is_quoted_short() -> None:
    assert len(short("x" * 1000)) == 60
