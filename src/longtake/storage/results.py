"""One output folder: a small SQLite with this run's rows and trace, beside its JSON and HTML."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..core.documents import DiagnosisDocument
from ..core.model import Document
from ..errors import InputError, OutputError
from .cache import check_writable, replacing
from .migrations import migrate

DATABASE = "longtake.sqlite"
DIAGNOSIS = "diagnosis"
STUDY = "study"
COHORT = "cohort"
_COMMANDS = {DIAGNOSIS: "diagnose", STUDY: "meta", COHORT: "cohort"}
"""What wrote a document of this name."""
Kept = TypeVar("Kept", bound=Document)


@dataclass(frozen=True)
class Lane:
    """A curve over time: ``times`` in seconds, ``values`` in ``unit``, ``None`` where not measured.

    ``low`` and ``high`` are the bounds worth drawing, in ``unit``; values outside are drawn at the bound.
    """

    name: str
    unit: str
    times: Sequence[float]
    values: Sequence[float | None]
    low: float
    high: float


@dataclass(frozen=True)
class Thumbnail:
    """A representative frame: index of its shot, time in seconds, JPEG bytes."""

    shot: int
    time: float
    jpeg: bytes


@dataclass(frozen=True)
class Portrait:
    """A face cut out of a kept frame: the track of the cast it shows, time of the frame, JPEG bytes."""

    track: int
    time: float
    jpeg: bytes


class Results:
    """What a run wrote into its output folder. ``longtake report`` needs nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / DATABASE

    @contextmanager
    def prepared(self) -> Iterator[None]:
        """Make the folder and prove that it can be written, before the long work in the block.

        If the block fails, folders that were made for it go away again, with what was written into them.

        Raises:
            OutputError: the folder cannot be written.
        """
        made: list[Path] = []
        try:
            made = [f for f in (self.folder, *self.folder.parents) if not os.path.lexists(f)]
            check_writable(self.folder, "the output folder")
            yield
        except BaseException:
            if self.folder in made:
                shutil.rmtree(self.folder, ignore_errors=True)
            for folder in made:
                with suppress(OSError):
                    folder.rmdir()
            raise

    def save(
        self,
        document: DiagnosisDocument,
        thumbnails: Iterable[Thumbnail],
        lanes: Iterable[Lane],
        portraits: Iterable[Portrait] = (),
    ) -> None:
        """Put this run in the place of what the folder holds: written beside, then renamed.

        Raises:
            OutputError: the folder or the database cannot be written.
        """
        self._replace(lambda db: _fill(db, document, thumbnails, lanes, portraits))

    def save_document(self, name: str, document: Document) -> None:
        """Put one document in the place of what the folder holds: written beside, then renamed.

        Raises:
            OutputError: the folder or the database cannot be written.
        """
        self._replace(lambda db: _insert(db, name, document))

    def _replace(self, fill: Callable[[sqlite3.Connection], object]) -> None:
        beside = self.folder / f".{DATABASE}.{os.getpid()}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(beside, timeout=10)) as db:
                db.execute("PRAGMA journal_mode = WAL")
                migrate(db)
                with db:
                    fill(db)
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            for old in self._side_files(self.database):
                old.unlink(missing_ok=True)
            os.replace(beside, self.database)
        except (OSError, sqlite3.Error) as error:
            raise OutputError(
                f"cannot write the results into {self.folder}: {error}",
                hint="free some space or choose another folder with --out",
            ) from error
        finally:
            for left in (beside, *self._side_files(beside)):
                with suppress(OSError):
                    left.unlink(missing_ok=True)

    @staticmethod
    def _side_files(database: Path) -> list[Path]:
        return [database.with_name(f"{database.name}{end}") for end in ("-wal", "-shm")]

    def write_text(self, name: str, text: str) -> Path:
        """Write one file of the output by rename; its path."""
        path = self.folder / name
        with replacing(path, "the output file") as file:
            file.write(text.encode("utf-8"))
        return path

    def diagnosis(self) -> DiagnosisDocument:
        """The stored diagnosis.

        Raises:
            InputError: the folder holds none, or it cannot be read.
        """
        return self.document(DIAGNOSIS, DiagnosisDocument)

    def document(self, name: str, kind: type[Kept]) -> Kept:
        """The stored document of this name.

        Raises:
            InputError: the folder holds none, or it cannot be read.
        """
        text = self._query("SELECT json FROM document WHERE name = ?", (name,))
        if not text:
            raise InputError(
                f"{self.folder} holds no finished {name}", hint=f"run longtake {_COMMANDS[name]} again"
            )
        try:
            return kind.model_validate_json(text[0][0])
        except ValueError as error:
            raise InputError(f"the {name} in {self.database} cannot be read: {error}") from error

    def holds(self) -> list[str]:
        """Names of the stored documents.

        Raises:
            InputError: this is no output folder.
        """
        return [name for (name,) in self._query("SELECT name FROM document ORDER BY name")]

    def thumbnails(self) -> list[Thumbnail]:
        """Representative frames in time order."""
        rows = self._query("SELECT shot, time, jpeg FROM thumbnail ORDER BY position")
        return [Thumbnail(shot, time, jpeg) for shot, time, jpeg in rows]

    def portraits(self) -> list[Portrait]:
        """Pictures of faces; none in a folder of an older layout that may not be written."""
        if not self._query("SELECT 1 FROM sqlite_master WHERE name = 'portrait'"):
            return []
        rows = self._query("SELECT track, time, jpeg FROM portrait ORDER BY track")
        return [Portrait(track, time, jpeg) for track, time, jpeg in rows]

    def lanes(self) -> list[Lane]:
        """Curves for the time line, in the order they were stored."""
        rows = self._query("SELECT name, unit, json FROM lane ORDER BY position")
        try:
            return [Lane(name, unit, *json.loads(text)) for name, unit, text in rows]
        except (ValueError, TypeError) as error:
            raise InputError(f"the curves in {self.database} cannot be read: {error}") from error

    def _query(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        if not self.database.is_file():
            raise InputError(
                f"{self.folder} is not an output folder of longtake (no {DATABASE} in it)",
                hint="give the folder that longtake diagnose wrote",
            )
        try:
            with closing(self._open_for_reading()) as db:
                return db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise InputError(f"{self.database} cannot be read: {error}") from error

    def _open_for_reading(self) -> sqlite3.Connection:
        """Brings an older layout up to date where the folder may be written.

        A write-ahead log leaves its side files behind a reader that may not write, so only then.
        """
        writable = os.access(self.folder, os.W_OK) and os.access(self.database, os.W_OK)
        mode = "mode=rw" if writable else "immutable=1"
        db = sqlite3.connect(f"{self.database.resolve().as_uri()}?{mode}", uri=True, timeout=10)
        if writable:
            migrate(db)
        return db


def _insert(db: sqlite3.Connection, name: str, document: Document) -> None:
    db.execute("INSERT INTO document VALUES (?, ?)", (name, document.model_dump_json(by_alias=True)))


def _fill(
    db: sqlite3.Connection,
    document: DiagnosisDocument,
    thumbnails: Iterable[Thumbnail],
    lanes: Iterable[Lane],
    portraits: Iterable[Portrait],
) -> None:
    _insert(db, DIAGNOSIS, document)
    db.executemany(
        "INSERT INTO checkpoint VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (c.id, c.submetric, c.dimension, c.status, c.value, c.reason, c.confidence, c.method)
            for c in document.checkpoints
        ],
    )
    db.executemany(
        "INSERT INTO trace VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (i, t.tool, t.status, t.reason, t.seconds, t.version, json.dumps(t.params), t.model)
            for i, t in enumerate(document.trace)
        ],
    )
    db.executemany(
        "INSERT INTO thumbnail VALUES (?, ?, ?, ?)",
        [(i, t.shot, t.time, t.jpeg) for i, t in enumerate(thumbnails)],
    )
    db.executemany(
        "INSERT INTO lane VALUES (?, ?, ?, ?)",
        [(x.name, i, x.unit, _lane_json(x)) for i, x in enumerate(lanes)],
    )
    db.executemany(
        "INSERT INTO portrait VALUES (?, ?, ?)",
        [(p.track, p.time, p.jpeg) for p in portraits],
    )


def _lane_json(lane: Lane) -> str:
    return json.dumps([list(lane.times), list(lane.values), lane.low, lane.high], allow_nan=False)
