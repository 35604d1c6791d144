"""What was scored already, in one small SQLite of the output folder: a stopped run goes on from it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..errors import OutputError
from .cache import check_writable
from .migrations import migrate

DATABASE = "scores.sqlite"


def m001_scored(db: sqlite3.Connection) -> None:
    """One row per question that was answered; its key stands for all that the answer depends on."""
    db.execute("CREATE TABLE scored (key TEXT PRIMARY KEY, evaluator TEXT NOT NULL, json TEXT NOT NULL)")


MIGRATIONS = (m001_scored,)


class ScoreStore:
    """Answers by key, each kept as soon as it is there. Without a folder they are kept in memory.

    A context manager.
    """

    def __init__(self, folder: Path | None) -> None:
        self._path = folder / DATABASE if folder is not None else None
        self._db: sqlite3.Connection | None = None

    def __enter__(self) -> ScoreStore:
        """Open it.

        Raises:
            OutputError: the folder or the database cannot be written.
        """
        if self._path is not None:
            check_writable(self._path.parent, "the output folder")
        with self._told():
            self._db = sqlite3.connect(self._path or ":memory:", timeout=60)
            self._db.execute("PRAGMA journal_mode = WAL")
            migrate(self._db, MIGRATIONS)
        return self

    def __exit__(self, *error: object) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def get(self, key: str) -> str | None:
        """The answer kept under a key, as JSON. Raises ``OutputError``."""
        with self._told() as db:
            row = db.execute("SELECT json FROM scored WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def put(self, rows: Sequence[tuple[str, str, str]]) -> None:
        """Keep answers as (key, evaluator, JSON), all or none. Raises ``OutputError``."""
        with self._told() as db, db:
            db.executemany("INSERT OR REPLACE INTO scored VALUES (?, ?, ?)", rows)

    @contextmanager
    def _told(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._db  # type: ignore[misc]  # opened by now
        except sqlite3.Error as error:
            raise OutputError(
                f"cannot keep results in {self._path}: {error}",
                hint="free some space, remove that file, or choose another folder with --out",
            ) from error
