"""Valid answers to any JSON schema, drawn from a text: the same text gives the same answer, always."""

from __future__ import annotations

import hashlib
import random
from typing import Any

WORDS = [
    "light",
    "shot",
    "cut",
    "frame",
    "face",
    "sound",
    "colour",
    "motion",
    "scene",
    "voice",
    "edge",
    "sky",
]
WIDEST = 5.0
"""Where a number has no bound of its own, it lies within this of zero (or of the bound that it has)."""


def answer_to(schema: dict[str, Any], text: str) -> Any:
    """A value that ``schema`` allows, chosen by ``text``.

    Knows const, enum, anyOf, oneOf, allOf with one member, ``$ref`` into ``$defs``, and the bounds of
    numbers, strings and arrays; not patterns. Pairs of numbers, and ``start`` and ``end`` in an object, are
    in order: they are spans.
    """
    seed = hashlib.sha256(text.encode()).digest()
    return _value(schema, schema, random.Random(seed), "")


def _value(part: dict[str, Any], whole: dict[str, Any], dice: random.Random, name: str) -> Any:
    if "$ref" in part:
        target: Any = whole
        for step in part["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        return _value(target, whole, dice, name)
    if "const" in part:
        return part["const"]
    if "enum" in part:
        return dice.choice(part["enum"])
    for several in ("anyOf", "oneOf", "allOf"):
        if several in part:
            given = [one for one in part[several] if one.get("type") != "null"]
            return _value((given or part[several])[0], whole, dice, name)
    kind = part.get("type", "object" if "properties" in part else "string")
    if isinstance(kind, list):
        kind = next((k for k in kind if k != "null"), "null")
    if kind == "object":
        return _object(part, whole, dice)
    if kind == "array":
        return _array(part, whole, dice, name)
    if kind == "boolean":
        return dice.random() < 0.5
    if kind == "integer":
        low, high = _bounds(part, 1)
        return dice.randint(int(low), int(high))
    if kind == "number":
        low, high = _bounds(part, 1e-3)
        return min(max(round(dice.uniform(low, high), 3), low), high)
    return None if kind == "null" else _words(part, dice, name)


def _object(part: dict[str, Any], whole: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    found = {key: _value(value, whole, dice, key) for key, value in part.get("properties", {}).items()}
    start, end = found.get("start"), found.get("end")
    if isinstance(start, int | float) and isinstance(end, int | float) and start > end:
        found["start"], found["end"] = end, start
    return found


def _array(part: dict[str, Any], whole: dict[str, Any], dice: random.Random, name: str) -> list[Any]:
    if "prefixItems" in part:
        return _pair([_value(one, whole, dice, name) for one in part["prefixItems"]])
    least, most = part.get("minItems", 0), part.get("maxItems", 3)
    count = max(least, min(most, dice.randint(0, 2)))
    found = [_value(part.get("items", {"type": "string"}), whole, dice, name) for _ in range(count)]
    return _pair(found) if least == most else found


def _pair(found: list[Any]) -> list[Any]:
    """Two numbers in order; anything else as it is."""
    span = len(found) == 2 and all(isinstance(one, int | float) for one in found)
    return sorted(found) if span else found


def _bounds(part: dict[str, Any], step: float) -> tuple[float, float]:
    low = part["exclusiveMinimum"] + step if "exclusiveMinimum" in part else part.get("minimum")
    high = part["exclusiveMaximum"] - step if "exclusiveMaximum" in part else part.get("maximum")
    if low is None:
        low = 0 if high is None or high >= 0 else high - WIDEST
    return low, low + WIDEST if high is None else high


def _words(part: dict[str, Any], dice: random.Random, name: str) -> str:
    said = f"{name or 'answer'}: {' '.join(dice.choices(WORDS, k=4))}"
    while len(said) < part.get("minLength", 0):
        said += f" {dice.choice(WORDS)}"
    return said[: part.get("maxLength", len(said))]
