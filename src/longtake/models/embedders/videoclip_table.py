"""What a checkpoint of VideoCLIP-XL must hold: weights alone are read, and every key and shape is checked."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from ...errors import BackendError
from ..torch_loading import loaded

FACTS = "videoclip_xl.yaml"
HINT = "the file is VideoCLIP-XL.bin or VideoCLIP-XL-v2.bin of alibaba-pai/VideoCLIP-XL"


@dataclass(frozen=True)
class Architecture:
    """Sizes of the network; what each is stands in ``videoclip_xl.yaml``, where the published ones are."""

    size: int
    patch: int
    frames: int
    dimension: int
    vision_width: int
    vision_layers: int
    vision_heads: int
    text_width: int
    text_layers: int
    text_heads: int
    tokens: int
    kept: int
    vocabulary: int


@cache
def _facts() -> dict[str, Any]:
    text = resources.files(__package__).joinpath(FACTS).read_text("utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def published() -> Architecture:
    """The sizes of the released model."""
    return Architecture(**_facts()["architecture"])


def shapes(of: Architecture) -> dict[str, tuple[int, ...]]:
    """The shape of every tensor of the checkpoint by its key."""
    facts = _facts()
    sizes = {**asdict(of), "places": (of.size // of.patch) ** 2 + 1}
    found = {key: _shape(lengths, sizes) for key, lengths in facts["tensors"].items()}
    for stem, part in facts["layers"].items():
        own = {**sizes, "width": sizes[f"{part}_width"]}
        for number in range(sizes[f"{part}_layers"]):
            found |= {f"{stem}.{number}.{key}": _shape(v, own) for key, v in facts["layer"].items()}
    return found


def _shape(lengths: Sequence[int | str], sizes: Mapping[str, int]) -> tuple[int, ...]:
    found = []
    for length in lengths:
        times, _, name = str(length).rpartition(" ")
        found.append(length if isinstance(length, int) else int(times or 1) * sizes[name])
    return tuple(found)


def read(path: Path, of: Architecture) -> dict[str, Any]:
    """The tensors of a checkpoint by key, on the processor. Nothing in the file is run.

    Raises:
        BackendError: it cannot be read, or its keys or shapes are not those of the table; in one line.
    """
    import torch

    if path.is_dir():
        raise BackendError(f"{path.name} is a folder: name the checkpoint in it", hint=HINT)
    # only the newer format can be mapped; an older one is read whole
    mapped = zipfile.is_zipfile(path)
    table = loaded(
        path,
        "VideoCLIP-XL checkpoint",
        lambda file, local_files_only: torch.load(
            str(file), map_location="cpu", weights_only=True, mmap=mapped
        ),
    )
    if not isinstance(table, Mapping) or not all(isinstance(t, torch.Tensor) for t in table.values()):
        raise BackendError(f"{path.name} is no table of tensors by key", hint=HINT)
    check(path.name, {str(key): tuple(tensor.shape) for key, tensor in table.items()}, of)
    return {str(key): tensor for key, tensor in table.items()}


def check(name: str, found: Mapping[str, tuple[int, ...]], of: Architecture) -> None:
    """Raises ``BackendError`` that names the first key that is missing, odd or of another shape."""
    wanted = shapes(of)
    if absent := [key for key in wanted if key not in found]:
        raise BackendError(
            f"{name} lacks {_first(absent)} (VideoCLIP-XL has {len(wanted)} tensors)", hint=HINT
        )
    if odd := [key for key in found if key not in wanted]:
        raise BackendError(f"{name} holds {_first(odd)}, which VideoCLIP-XL has not", hint=HINT)
    for key, shape in wanted.items():
        if found[key] != shape:
            raise BackendError(f"{key} in {name} has the shape {found[key]}, not {shape}", hint=HINT)


def _first(keys: Sequence[str]) -> str:
    return f"{keys[0]} and {len(keys) - 1} more" if len(keys) > 1 else keys[0]
