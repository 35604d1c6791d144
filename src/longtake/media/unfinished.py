"""Files that have their name only when they are whole."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import OutputError


@contextmanager
def unfinished(*paths: Path) -> Iterator[list[Path]]:
    """Names beside ``paths`` to write under; the files get their own names together when the block ends well.

    After an error none of them is left. Raises ``OutputError`` where a folder cannot be written.
    """
    beside = [p.with_name(f".{p.stem}.{os.getpid()}.partial{p.suffix}") for p in map(Path, paths)]
    try:
        for path in beside:
            path.parent.mkdir(parents=True, exist_ok=True)
        yield beside
        for made, path in zip(beside, paths, strict=True):
            os.replace(made, path)
    except OSError as error:
        raise _failed(paths[0], error) from error
    finally:
        for made in beside:
            with suppress(OSError):
                made.unlink(missing_ok=True)


@contextmanager
def beside_it(path: Path) -> Iterator[Path]:
    """A folder beside ``path`` for what is only needed while it is written. Raises ``OutputError``."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(prefix=f".{path.stem}.", dir=path.parent)
    except OSError as error:
        raise _failed(path, error) from error
    with folder as name:
        yield Path(name)


def _failed(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"{path} cannot be written: {error.strerror or error}", hint="check the folder and the free space"
    )
