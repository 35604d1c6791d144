"""Files that have their name only when they are whole."""

from __future__ import annotations

import os
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
        raise OutputError(
            f"{paths[0]} cannot be written: {error.strerror or error}",
            hint="check the folder and the free space",
        ) from error
    finally:
        for made in beside:
            with suppress(OSError):
                made.unlink(missing_ok=True)
