"""What lies in the safetensors of a model folder, by their headers, before anything is loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import BackendError

INDEX, SINGLE = "model.safetensors.index.json", "model.safetensors"


def shapes(folder: Path) -> Mapping[str, tuple[int, ...]]:
    """The shape of every weight in the folder, by name.

    Raises:
        BackendError: there are no safetensors, a part is missing or cut off, or lacks what the index says.
    """
    files, wanted = _files(folder)
    found: dict[str, tuple[int, ...]] = {}
    for file in files:
        found |= _shapes(file)
    if absent := sorted(set(wanted) - set(found)):
        raise BackendError(
            f"{folder} holds no whole model: {len(absent)} weights are missing, {absent[0]} among them"
        )
    return found


def tensor(folder: Path, name: str) -> Any:
    """One weight of the folder, as a tensor of torch. Raises ``BackendError`` where it is not there."""
    from safetensors import safe_open

    for file in _files(folder)[0]:
        try:
            with safe_open(file, framework="pt") as part:
                if name in part.keys():  # noqa: SIM118 - no mapping
                    return part.get_tensor(name)
        except Exception as error:  # whatever a broken file makes the library raise
            raise BackendError(f"{file} cannot be read: {error}") from error
    raise BackendError(f"{folder} has no weight {name}")


def _files(folder: Path) -> tuple[list[Path], list[str]]:
    """The files of weights, and the names that they should hold, as far as an index says."""
    index = folder / INDEX
    if index.is_file():
        try:
            named = json.loads(index.read_text("utf-8"))["weight_map"]
            files = [folder / Path(str(part)).name for part in dict.fromkeys(named.values())]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BackendError(f"{index} cannot be read: {error}") from error
        wanted = list(named)
    else:
        files, wanted = [folder / SINGLE], []
    if gone := [file.name for file in files if not file.is_file()]:
        hint = "weights are read from safetensors alone"
        raise BackendError(f"{folder} holds no whole model: {gone[0]} is missing", hint=hint)
    return files, wanted


def _shapes(file: Path) -> dict[str, tuple[int, ...]]:
    from safetensors import safe_open

    try:
        with safe_open(file, framework="pt") as part:
            return {name: tuple(part.get_slice(name).get_shape()) for name in part.keys()}  # noqa: SIM118
    except Exception as error:  # whatever a broken file makes the library raise
        raise BackendError(f"{file} cannot be read: {error}") from error
