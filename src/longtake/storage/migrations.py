"""Steps that bring a result file to the newest layout, in order. A step, once released, never changes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence


def m001_first(db: sqlite3.Connection) -> None:
    """Documents as they were written, with rows of their own for what is asked for most."""
    for statement in (
        "CREATE TABLE document (name TEXT PRIMARY KEY, json TEXT NOT NULL)",
        "CREATE TABLE checkpoint (id TEXT PRIMARY KEY, submetric TEXT, dimension TEXT, status TEXT NOT NULL,"
        " value REAL, reason TEXT, confidence REAL, method TEXT)",
        "CREATE TABLE trace (position INTEGER PRIMARY KEY, tool TEXT NOT NULL, status TEXT NOT NULL,"
        " reason TEXT, seconds REAL, version TEXT, params TEXT, model TEXT)",
        "CREATE TABLE thumbnail (position INTEGER PRIMARY KEY, shot INTEGER NOT NULL, time REAL NOT NULL,"
        " jpeg BLOB NOT NULL)",
        "CREATE TABLE lane (name TEXT PRIMARY KEY, position INTEGER NOT NULL, unit TEXT NOT NULL,"
        " json TEXT NOT NULL)",
    ):
        db.execute(statement)


def m002_portraits(db: sqlite3.Connection) -> None:
    """Pictures of faces, by the track of the cast that they show."""
    db.execute("CREATE TABLE portrait (track INTEGER PRIMARY KEY, time REAL NOT NULL, jpeg BLOB NOT NULL)")


Step = Callable[[sqlite3.Connection], None]
MIGRATIONS: Sequence[Step] = (m001_first, m002_portraits)


def migrate(db: sqlite3.Connection, steps: Sequence[Step] = MIGRATIONS) -> None:
    """Apply the steps a file has not seen yet, each in one transaction with its own record."""
    db.execute("CREATE TABLE IF NOT EXISTS applied (name TEXT PRIMARY KEY)")
    done = {name for (name,) in db.execute("SELECT name FROM applied")}
    for step in steps:
        if step.__name__ not in done:
            with db:
                db.execute("BEGIN IMMEDIATE")
                step(db)
                db.execute("INSERT INTO applied VALUES (?)", (step.__name__,))
