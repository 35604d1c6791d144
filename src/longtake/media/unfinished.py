"""Files that have their name only when they are whole."""

from __future__ import annotations

import os
import shutil
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


def forget_unfinished(folder: Path) -> None:
    """Remove what killed processes left in a folder; what a living one is writing stays."""
    for path in folder.glob(".*.partial.*"):
        owner = path.name.rsplit(".partial", 1)[0].rpartition(".")[2]
        if owner.isdigit() and not _lives(int(owner)):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with suppress(OSError):
                    path.unlink()


def _lives(process: int) -> bool:
    if os.name != "posix":
        return True  # cannot be asked there without harm
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # somebody else's
    return True


@contextmanager
def beside_it(path: Path) -> Iterator[Path]:
    """A folder beside ``path`` for what is only needed while it is written. Raises ``OutputError``."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(prefix=f".{path.stem}.{os.getpid()}.partial.", dir=path.parent)
    except OSError as error:
        raise _failed(path, error) from error
    with folder as name:
        yield Path(name)


def _failed(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"{path} cannot be written: {error.strerror or error}", hint="check the folder and the free space"
    )
