"""Taking known keys out of an object, and keeping all the others."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from .reading import Reading, join
from .times import kind, seconds

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OTHER = re.compile(r"[^\w]+")


def normal(key: str) -> str:
    """``startTime``, ``Start Time`` and ``start-time`` are all ``start_time``."""
    return _OTHER.sub("_", _CAMEL.sub("_", key)).strip("_").lower()


class Fields:
    """An object of the source, its place, and which of its keys have been taken.

    Every ``take`` method accepts several names for one thing and takes the first that is there and not
    null. A value of the wrong type is an :class:`~longtake.errors.InputError` that names its place.
    """

    def __init__(self, value: Mapping[str, Any], path: str, reading: Reading) -> None:
        self.value = value
        self.path = path
        self.reading = reading
        self._left: dict[str, str] = {}
        for key in value:
            self._left.setdefault(normal(key), key)
        self._taken: set[str] = set()

    def has(self, *names: str) -> bool:
        """Whether one of the names is there, not null and not yet taken."""
        return self._find(names) is not None

    def _find(self, names: tuple[str, ...]) -> str | None:
        for name in names:
            key = self._left.get(name)
            if key is not None and key not in self._taken and self.value[key] is not None:
                return key
        return None

    def take(self, *names: str) -> tuple[Any, str] | None:
        """A value as it is, with its place; ``None`` where there is none."""
        key = self._find(names)
        if key is None:
            return None
        self._taken.add(key)
        return self.value[key], join(self.path, key)

    def text(self, *names: str) -> str | None:
        """Text; numbers become text and lists of text are joined by line ends. Empty text is ``None``."""
        found = self.take(*names)
        if found is None:
            return None
        return as_text(*found, self.reading) or None

    def seconds(self, *names: str) -> float | None:
        """A time in seconds; empty text counts as absent."""
        found = self.take(*names)
        if found is None or (isinstance(found[0], str) and not found[0].strip()):
            return None
        try:
            return seconds(found[0])
        except ValueError as error:
            raise self.reading.error(found[1], str(error)) from None

    def peek(self, name: str) -> Any:
        """A value that stays to be taken; ``None`` where there is none."""
        key = self._find((name,))
        return None if key is None else self.value[key]

    def perhaps_seconds(self, *names: str) -> float | None:
        """As :meth:`seconds`, for names that may mean something else: what is no time is left alone."""
        for name in names:
            try:
                value = seconds(self.peek(name))
            except ValueError:
                continue
            self.take(name)
            return value
        return None

    def strings(self, *names: str) -> list[str]:
        """A list of text; one text alone is a list of one, objects give their name or text."""
        found = self.take(*names)
        if found is None:
            return []
        value, path = found
        items = value if isinstance(value, list) else [value]
        texts = [as_text(item, f"{path}[{i}]", self.reading) for i, item in enumerate(items)]
        return [text for text in texts if text]

    def items(self, *names: str) -> list[tuple[Any, str]] | None:
        """A list's items with their places."""
        found = self.take(*names)
        if found is None:
            return None
        value, path = found
        if not isinstance(value, list):
            raise self.reading.error(path, f"must be a list, not {kind(value)}")
        return [(item, f"{path}[{i}]") for i, item in enumerate(value)]

    def object(self, *names: str) -> Fields | None:
        """An object inside this one."""
        found = self.take(*names)
        return None if found is None else as_fields(*found, self.reading)

    def rest(self, *, quiet: bool = False, prefix: str = "") -> dict[str, Any]:
        """What was not taken, each key noted with its place unless ``quiet``; nulls are left out."""
        left = {}
        for key, value in self.value.items():
            if key in self._taken or value is None:
                continue
            left[prefix + key] = value
            if not quiet:
                self.reading.note(join(self.path, key), "not understood; kept in extra")
        return left


def as_fields(value: Any, path: str, reading: Reading) -> Fields:
    """``value`` as an object, or an error at its place."""
    if not isinstance(value, dict):
        raise reading.error(path, f"must be an object, not {kind(value)}")
    return Fields(value, path, reading)


def as_text(value: Any, path: str, reading: Reading) -> str:
    """Text of a text, a number, a list of such, or an object whose text has a usual name."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list):
        parts = [as_text(item, f"{path}[{i}]", reading) for i, item in enumerate(value)]
        return "\n".join(part for part in parts if part)
    if isinstance(value, dict):
        return _object_text(value, path, reading)
    raise reading.error(path, f"must be text, not {kind(value)}")


def _object_text(value: dict[str, Any], path: str, reading: Reading) -> str:
    inner = Fields(value, path, reading)
    who = inner.text("speaker", "character", "name", "who")
    said = inner.text("text", "line", "dialogue", "description", "content")
    if who is None and said is None:
        raise reading.error(path, "must be text, or an object with a name or text")
    line = f"{who}: {said}" if who and said else who or said or ""
    others = [
        f"{key}: {json.dumps(item, ensure_ascii=False)}" for key, item in inner.rest(quiet=True).items()
    ]
    return f"{line} ({'; '.join(others)})" if others else line
