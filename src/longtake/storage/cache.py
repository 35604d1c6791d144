"""The cache: what was measured or fetched once, keyed by content, written by rename."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ..errors import OutputError

ENVIRONMENT = "LONGTAKE_CACHE"
PROBE_BYTES = 1 << 16
"""Written to see whether a folder takes anything: a full disk may still take an empty file."""
WEIGHTS = "models"
"""Kind of the entries that hold model weights."""


def cache_root() -> Path:
    """The cache folder: ``LONGTAKE_CACHE``, else the platform's user cache. It may not exist yet."""
    given = os.environ.get(ENVIRONMENT)
    if given:
        return Path(given).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("longtake", appauthor=False)


CONTENTS = "cache.contents"
"""Array of an entry that lists the others, so that one that lost some reads as damaged."""


def _contents(arrays: Mapping[str, NDArray[np.generic]]) -> str:
    return " ".join(f"{name}{values.shape}" for name, values in sorted(arrays.items()))


@contextmanager
def replacing(path: Path, what: str) -> Iterator[IO[bytes]]:
    """A file that takes the place of ``path`` when the block ends well, and leaves nothing when it does not.

    Raises:
        OutputError: the folder cannot be made or the file cannot be written; ``what`` names it to the user.
    """
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        raise OutputError(
            f"cannot write {what} {path}: {error.strerror or error}", hint=_hint(error)
        ) from error
    finally:
        if temporary is not None:
            with suppress(FileNotFoundError):
                os.unlink(temporary)


def check_writable(folder: Path, what: str) -> None:
    """Make ``folder`` and write a file into it, before any long work relies on it.

    Raises:
        OutputError: it cannot be written; ``what`` names it to the user.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0" * PROBE_BYTES)
            file.flush()
    except OSError as error:
        raise OutputError(
            f"cannot write into {what} {folder}: {error.strerror or error}", hint=_hint(error)
        ) from error


def _hint(error: OSError) -> str:
    where = "choose another folder (--out for results, LONGTAKE_CACHE for the cache)"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"free some space, or {where}"
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return f"a file is in the way: {where}"
    return where


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@dataclass(frozen=True)
class CacheInfo:
    """Size of the cache: bytes and files per kind."""

    root: Path
    bytes: Mapping[str, int]
    files: Mapping[str, int]


class Cache:
    """Content-addressed entries under one folder. Readers see whole entries or none.

    An entry's address is ``kind/key``, where the key already names the content it was made from, the tool
    and its version. A damaged entry reads as missing and is removed.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = root if root is not None else cache_root()

    def path(self, kind: str, key: str, suffix: str) -> Path:
        """Where an entry lives; ``key`` may contain slashes."""
        return self.root / kind / f"{key}{suffix}"

    def get_arrays(self, kind: str, key: str) -> dict[str, NDArray[np.generic]] | None:
        """The stored arrays, or ``None`` if there are none or they are damaged."""
        path = self.path(kind, key, ".npz")
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            contents = arrays.pop(CONTENTS)
            if str(contents) != _contents(arrays):
                raise ValueError("an entry does not hold what was written")
            os.utime(path)
            return arrays
        except FileNotFoundError:
            return None
        except Exception:  # noqa: BLE001 - what numpy, zipfile and zlib make of such bytes is a list without end
            with suppress(OSError):
                path.unlink()
            return None

    def put_arrays(self, kind: str, key: str, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Store arrays under a key, whole or not at all."""
        with replacing(self.path(kind, key, ".npz"), "the cache entry") as file:
            np.savez(file, **arrays, **{CONTENTS: np.array(_contents(arrays))})  # type: ignore[arg-type]

    def get_text(self, kind: str, key: str) -> str | None:
        """The stored text, or ``None`` if there is none or it is damaged."""
        path = self.path(kind, key, ".json")
        try:
            entry = json.loads(path.read_bytes())
            text = entry["text"]
            if hashlib.sha256(text.encode()).hexdigest() != entry["sha256"]:
                raise ValueError("an entry does not hold what was written")
            os.utime(path)
            return str(text)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            with suppress(OSError):
                path.unlink()
            return None

    def put_text(self, kind: str, key: str, text: str) -> None:
        """Store a text under a key, whole or not at all."""
        entry = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "text": text}
        with replacing(self.path(kind, key, ".json"), "the cache entry") as file:
            file.write(json.dumps(entry, ensure_ascii=False).encode())

    def info(self) -> CacheInfo:
        """What the cache holds, by kind."""
        sizes: dict[str, int] = {}
        counts: dict[str, int] = {}
        for path, stat in self._entries():
            kind = self._kind(path)
            sizes[kind] = sizes.get(kind, 0) + stat.st_size
            counts[kind] = counts.get(kind, 0) + 1
        return CacheInfo(self.root, sizes, counts)

    def prune(self, max_bytes: int) -> int:
        """Remove the entries used longest ago until at most ``max_bytes`` are left; bytes freed.

        Weights have to be fetched again from a network, so they go last, and only where nothing else is left
        to remove.

        Raises:
            OutputError: an entry cannot be removed.
        """
        entries = sorted(self._entries(), key=lambda e: (self._kind(e[0]) == WEIGHTS, e[1].st_mtime))
        total = sum(stat.st_size for _, stat in entries)
        freed = 0
        for path, stat in entries:
            if total - freed <= max_bytes:
                break
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise OutputError(f"cannot remove {path}: {error.strerror or error}") from error
            freed += stat.st_size
        for folder in sorted((p for p in self.root.rglob("*") if p.is_dir()), reverse=True):
            with suppress(OSError):
                folder.rmdir()
        return freed

    def _kind(self, path: Path) -> str:
        return path.relative_to(self.root).parts[0]

    def _entries(self) -> list[tuple[Path, os.stat_result]]:
        found = []
        if self.root.is_dir():
            for path in self.root.rglob("*"):
                if path.is_file() and len(path.relative_to(self.root).parts) > 1:
                    with suppress(FileNotFoundError):
                        found.append((path, path.stat()))
        return found
