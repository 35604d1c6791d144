"""JSON and YAML into plain values, with repairs noted and traps closed."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from .reading import Reading, join

MAX_DEPTH = 64
"""Nesting allowed. OTIO timelines, the deepest shape read, stay below 30."""
MAX_YAML_BYTES = 2 * 1024 * 1024
"""The YAML reader takes some 10 s per MB; larger briefs should be JSON."""

_FENCE = re.compile(r"\s*```[ \t]*[\w.+-]*[ \t]*\n(.*?)\n?[ \t]*```\s*", re.DOTALL)
_COMMAS = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


class NotJson(ValueError):
    """The text is not JSON, even after repairs; ``args[0]`` says where and why."""


def unfenced(text: str, reading: Reading) -> str:
    """The inside of a Markdown code fence that is all the text holds, else the text itself."""
    if match := _FENCE.fullmatch(text):
        reading.note("", "the code fence around the text was left out")
        return match.group(1)
    return text


def parse_json(text: str, reading: Reading) -> Any:
    """One JSON value, or the list of values of a file with one per line.

    Raises:
        NotJson: it cannot be read as either.
        InputError: it is JSON, but nested too deeply or with numbers that are not finite.
    """
    duplicates: list[str] = []
    value = _loads(text, reading, duplicates)
    for key in dict.fromkeys(duplicates):
        reading.note(key, "this key stands twice in one object; the last one was taken", "warning")
    return clean(value, reading)


def _loads(text: str, reading: Reading, duplicates: list[str]) -> Any:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in items:
            if key in result:
                duplicates.append(key)
            result[key] = value
        return result

    def load(source: str) -> Any:
        duplicates.clear()
        try:
            return json.loads(source, object_pairs_hook=pairs)
        except RecursionError:
            raise reading.error("", f"nested deeper than {MAX_DEPTH} levels") from None

    try:
        return load(text)
    except ValueError as error:
        first = error
    repaired = _COMMAS.sub(lambda match: match[0] if match[0] != "," else " ", text)
    if repaired != text:
        try:
            value = load(repaired)
        except ValueError:
            pass  # the first error is the one to report
        else:
            reading.note("", "trailing commas were left out")
            return value
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.lstrip()[0] in "{[" for line in lines):
        try:
            return [load(line) for line in lines]
        except ValueError:
            pass  # not one value per line either
    if isinstance(first, json.JSONDecodeError):
        raise NotJson(f"line {first.lineno}, column {first.colno}: {first.msg}") from None
    raise NotJson(str(first)) from None


def clean(value: Any, reading: Reading, path: str = "", depth: int = 0) -> Any:
    """A copy with text keys and well-formed text.

    Raises:
        InputError: a number that is not finite, or nesting beyond :data:`MAX_DEPTH`.
    """
    if depth > MAX_DEPTH:
        raise reading.error("", f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        return {
            _well_formed(str(key), path, reading): clean(item, reading, join(path, str(key)), depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [clean(item, reading, f"{path}[{i}]", depth + 1) for i, item in enumerate(value)]
    if isinstance(value, str):
        return _well_formed(value, path, reading)
    if isinstance(value, float) and not math.isfinite(value):
        raise reading.error(path, f"{value} is not a finite number")
    return value


def _well_formed(text: str, path: str, reading: Reading) -> str:
    if not _SURROGATE.search(text):
        return text
    reading.note(_SURROGATE.sub("\ufffd", path), "half a character was replaced by \ufffd", "warning")
    return _SURROGATE.sub("\ufffd", text)


def parse_yaml(text: str, reading: Reading) -> Any:
    """One YAML document as plain values. ``no`` and ``1:30`` stay text, tags and aliases are refused.

    Raises:
        InputError: not YAML, more than one document, a tag, an alias, or beyond the limits.
    """
    import yaml

    from .yaml_loader import load_plain

    if len(text) > MAX_YAML_BYTES:
        raise reading.error("", f"YAML above {MAX_YAML_BYTES // 2**20} MB; write it as JSON")
    try:
        value = load_plain(text, reading, MAX_DEPTH)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise reading.error(place, f"not readable YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise reading.error("", f"not readable YAML: {str(error).splitlines()[0]}") from None
    return clean(value, reading)
