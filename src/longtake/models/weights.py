"""The weights that a run has at hand: chosen once, handed to every observer that asked for models."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import catalog
from .fetch import damaged
from .named import Named

Wish = str | tuple[str, ...]
"""A catalog entry, or several of which the first that is here will do."""


@dataclass(frozen=True)
class Weights:
    """Files of catalog entries by entry and file name, and the threads that one model may use.

    ``embedder`` is the image embedder that the user named; without one it is the catalog's.
    """

    files: Mapping[str, Mapping[str, Path]] = field(default_factory=dict)
    threads: int = 1
    embedder: Named | None = None

    def __contains__(self, name: str) -> bool:
        return name in self.files

    def __getitem__(self, name: str) -> Mapping[str, Path]:
        return self.files[name]


def choose(wishes: Sequence[Wish], root: Path) -> tuple[tuple[str, ...], str | None]:
    """The entries that fulfil all wishes, and why they cannot be used; ``None`` where they can."""
    chosen = tuple(_first(wish, root) for wish in wishes)
    return chosen, catalog.lacking(chosen, root)


def standing_in(wishes: Sequence[Wish], chosen: Sequence[str], root: Path) -> str | None:
    """Which of the chosen entries stand in for better ones, and why; ``None`` if none does."""
    reasons = [
        f"{name} stands in for {wish[0]}: {catalog.lacking([wish[0]], root)}"
        for wish, name in zip(wishes, chosen, strict=True)
        if not isinstance(wish, str) and name != wish[0]
    ]
    return "; ".join(reasons) or None


def _first(wish: Wish, root: Path) -> str:
    names = (wish,) if isinstance(wish, str) else wish
    return next((n for n in names if catalog.lacking([n], root) is None), names[0])


def digest(names: Sequence[str]) -> str:
    """Eight hexadecimal digits that stand for these entries' files in a cache key."""
    hashes = ",".join(f.sha256 for name in names for f in catalog.entry(name).files)
    return hashlib.sha256(hashes.encode()).hexdigest()[:8]


def wrong(names: Iterable[str], root: Path) -> dict[str, str]:
    """Of these installed entries those whose files are damaged, each with what to do."""
    found = {name: damaged(name, root) for name in names}
    return {
        name: f"{', '.join(files)} of {name} is damaged (longtake models pull {name})"
        for name, files in found.items()
        if files
    }


def load(names: Iterable[str], root: Path, threads: int) -> Weights:
    """The files of these entries. Raises ``MissingError`` for one that is not here."""
    return Weights({name: catalog.require(name, root) for name in sorted(set(names))}, threads)
