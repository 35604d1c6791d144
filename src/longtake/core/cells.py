"""One cell of somebody else's table: a text, a number, a yes or no. What is empty is ``None``, never 0.

A cell comes as text (CSV), or already typed (JSON, Parquet). The readers raise ``ValueError`` with a reason
that fits after the name of a column; the caller knows the row.
"""

from __future__ import annotations

import math
import re
from typing import Any

LARGEST = 1e100
"""Numbers beyond are refused: sums of squares of a few of them would overflow."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NON_FINITE = re.compile(r"([+-]?)(nan|inf|infinity)", re.IGNORECASE | re.ASCII)
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def text(cell: Any) -> str | None:
    """The cell without the blanks around it; ``None`` where it is empty (or NaN, which some tools write so).

    Raises:
        ValueError: it holds a list or a group of fields.
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, (list, tuple, dict)):
        raise ValueError(f"is {short(cell)}, not a text")
    return str(cell).strip() or None


def number(cell: Any) -> float | None:
    """The cell as a number; ``nan`` and ``inf`` stay what they are, so that the caller can count them.

    Digits are plain: a decimal point, no blanks or commas between them, no per cent sign.

    Raises:
        ValueError: it holds something else.
    """
    value = _number(cell)
    if value is not None and math.isfinite(value) and abs(value) > LARGEST:
        raise ValueError(f"is {short(cell)}, a number too large to work with")
    return value


def _number(cell: Any) -> float | None:
    if cell is None:
        return None
    if isinstance(cell, bool):
        raise ValueError(f"is {short(cell)}, not a number")
    if isinstance(cell, (int, float)):
        try:
            return float(cell)
        except OverflowError:
            raise ValueError("is a number too large to work with") from None
    if isinstance(cell, (list, tuple, dict)):
        raise ValueError(f"is {short(cell)}, not a number")
    digits = str(cell).strip()
    if not digits:
        return None
    if _NON_FINITE.fullmatch(digits):
        return float(digits)
    if _NUMBER.fullmatch(digits):
        value = float(digits)
        if math.isinf(value):
            raise ValueError(f"is {short(digits)}, a number too large to work with")
        return value
    hint = "; decimals are written with a point" if re.fullmatch(r"[+-]?\d+,\d+", digits) else ""
    raise ValueError(f"is {short(digits)}, not a number{hint}")


def truth(cell: Any) -> bool | None:
    """The cell as yes or no: ``true``, ``yes``, ``1`` and their opposites, in any case.

    Raises:
        ValueError: it holds something else.
    """
    word = text(cell)
    if word is None:
        return None
    if word.lower() not in _TRUTH and word not in ("1.0", "0.0"):
        raise ValueError(f"is {short(word)}, neither true nor false")
    return _TRUTH[word.lower().removesuffix(".0")]


def short(cell: Any) -> str:
    """The cell as it is quoted in a message: one line of at most 60 characters."""
    shown = repr(cell) if isinstance(cell, str) else str(cell)
    return shown if len(shown) <= 60 else f"{shown[:56]}...{shown[-1]}"
