"""Times as people and programs write them, in seconds."""

from __future__ import annotations

import math
import re
from typing import Any

MAX_SECONDS = 1e7
"""About 115 days; a larger number is a mistake of unit (milliseconds, frames, a date)."""

_UNITS = {
    "ms": 0.001, "msec": 0.001, "millisecond": 0.001, "milliseconds": 0.001,
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0, "秒": 1.0,
    "m": 60.0, "min": 60.0, "mins": 60.0, "minute": 60.0, "minutes": 60.0, "分钟": 60.0,
    "h": 3600.0, "hour": 3600.0, "hours": 3600.0,
}  # fmt: skip
_PLAIN = re.compile(r"([+-]?\d{1,15}(?:[.,]\d{1,15})?(?:[eE][+-]?\d{1,3})?)\s*([A-Za-z秒分钟]*)\.?")
_CLOCK = re.compile(r"(-?)(?:(\d{1,4}):)?(\d{1,5}):(\d{1,2}(?:[.,]\d{1,12})?)")
_FRAMES = re.compile(r"\d+:\d+:\d+[:;]\d+")


def seconds(value: Any) -> float:
    """Seconds from a number or text: ``3``, ``"3,5 s"``, ``"1500ms"``, ``"1:30"``, ``"hh:mm:ss.mmm"``.

    Raises:
        ValueError: the value is no time; the message says what it is instead, without its place.
    """
    if isinstance(value, bool):
        raise ValueError(f"{str(value).lower()} is not a time")
    if isinstance(value, int | float):
        return _bounded(value, repr(value)[:40])
    if not isinstance(value, str):
        raise ValueError(f"a time must be a number or text such as 1:30.5, not {kind(value)}")
    text = value.strip()
    shown = repr(text[:40])
    if clock := _CLOCK.fullmatch(text):
        sign, hours, minutes, rest = clock.groups()
        last = float(rest.replace(",", "."))
        if last >= 60 or (hours is not None and int(minutes) >= 60):
            raise ValueError(f"{shown} has minutes or seconds above 59")
        total = int(hours or 0) * 3600 + int(minutes) * 60 + last
        return _bounded(-total if sign else total, shown)
    if plain := _PLAIN.fullmatch(text):
        number, unit = plain.groups()
        if not unit or unit.lower() in _UNITS:
            scale = _UNITS[unit.lower()] if unit else 1.0
            return _bounded(float(number.replace(",", ".")) * scale, shown)
    if _FRAMES.fullmatch(text):
        raise ValueError(f"{shown} counts frames, and the frame rate is not known; write hh:mm:ss.mmm")
    raise ValueError(f"{shown} is not a time")


def _bounded(value: float, shown: str) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{shown} is not a finite time")
    if abs(number) > MAX_SECONDS:
        raise ValueError(f"{shown} is beyond {MAX_SECONDS:.0f} s; are these seconds?")
    return number


def kind(value: Any) -> str:
    """The JSON name of a value's type, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    names = {dict: "an object", list: "a list", str: "text", int: "a number", float: "a number"}
    return names.get(type(value), type(value).__name__)
