"""Test vectors: what a function has to give, as data, with where the expected value comes from.

``vectors.yaml`` is a list of ``{of: "module:function", given: {...}, expect: VALUE or {raises: NAME}, within:
1e-6, source: text}``. ``module`` is relative to the package of its folder; ``.nan`` is a number that is none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from ..core.model import Record
from ..errors import told
from ..evaluators.code import VECTORS
from .problems import Problems


class Vector(Record):
    """One test vector. ``within`` is how far a number may be off."""

    of: str = Field(pattern=r"^[\w.]+:[\w.]+$")
    given: dict[str, Any] = {}
    expect: Any
    within: float = 1e-6
    source: str = Field(min_length=1)

    model_config = {**Record.model_config, "allow_inf_nan": True}


def check_vectors(folder: Path, package: str, problems: Problems | None = None) -> int:
    """Run the vectors of a folder whose modules lie in ``package``; how many there were.

    Raises:
        ConformanceError: one of them does not hold, or the file cannot be read; with ``problems`` they are
            added there instead.
    """
    import yaml

    told_to = problems if problems is not None else Problems(f"{folder.name}/{VECTORS}")
    try:
        given = yaml.safe_load((folder / VECTORS).read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        told_to.add(f"{VECTORS} cannot be read: {error}")
        given = None
    if given is not None and not isinstance(given, list):
        told_to.add(f"{VECTORS} is no list")
        given = None
    for number, item in enumerate(given or (), 1):
        try:
            vector = Vector.model_validate(item)
        except ValidationError as error:
            told_to.add(f"{VECTORS}, vector {number}: {'; '.join(str(error).splitlines()[1:3])}")
            continue
        if (why := _wrong(vector, package)) is not None:
            told_to.add(f"{VECTORS}, vector {number}, {vector.of}: {why} ({vector.source})")
    if problems is None:
        told_to.settle()
    return len(given or ())


def _wrong(vector: Vector, package: str) -> str | None:
    module, _, attribute = vector.of.partition(":")
    raises = vector.expect.get("raises") if isinstance(vector.expect, dict) else None
    try:
        found: Any = import_module(f"{package}.{module}" if package else module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        return f"cannot be found: {error}"
    try:
        value = found(**vector.given)
    except Exception as error:  # noqa: BLE001 - what it raises is what is asked
        if raises is not None and raises in {kind.__name__ for kind in type(error).__mro__}:
            return None
        name, said = type(error).__name__, told(error)
        return f"it raised {said if said.startswith(name) else f'{name}: {said}'}"
    if raises is not None:
        return f"it gave {value!r} and should raise {raises}"
    return None if same(value, vector.expect, vector.within) else f"it gave {value!r}, not {vector.expect!r}"


def same(value: Any, expect: Any, within: float) -> bool:
    """Whether a value is the expected one: numbers within a tolerance, sequences and arrays by element, of an
    object the named fields. NaN is NaN, and ``None`` is only ``None``."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(expect, dict):
        if isinstance(value, Mapping):
            return set(value) == set(expect) and all(same(value[k], e, within) for k, e in expect.items())
        return all(hasattr(value, k) and same(getattr(value, k), e, within) for k, e in expect.items())
    if isinstance(expect, list):
        if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != len(expect):
            return False
        return all(same(v, e, within) for v, e in zip(value, expect, strict=True))
    if isinstance(expect, bool) or isinstance(value, bool):
        return value is expect
    if isinstance(expect, int | float) and isinstance(value, int | float):
        if math.isnan(expect) or math.isnan(value):
            return math.isnan(expect) and math.isnan(value)
        return abs(value - expect) <= within
    return bool(value == expect)
