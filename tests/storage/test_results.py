"""An output folder: migrations, and clear words for folders that are none."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from longtake.errors import InputError, OutputError
from longtake.storage.migrations import MIGRATIONS, migrate
from longtake.storage.results import DATABASE, Results


def test_migrations_run_once(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "db")) as db:
        migrate(db)
        migrate(db)
        assert [n for (n,) in db.execute("SELECT name FROM applied")] == [m.__name__ for m in MIGRATIONS]


def test_a_folder_of_something_else_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not an output folder"):
        Results(tmp_path).diagnosis()


def test_a_damaged_database_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(b"not a database" * 100)
    with pytest.raises(InputError, match="cannot be read"):
        Results(tmp_path).diagnosis()


def test_an_unfinished_folder_says_so(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db:
        migrate(db)
    with pytest.raises(InputError, match="no finished diagnosis"):
        Results(tmp_path).diagnosis()


def test_prepare_needs_a_folder_that_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError), Results(tmp_path / "file" / "out").prepared():
        pytest.fail("the block ran")
    with Results(tmp_path / "out").prepared():
        assert list((tmp_path / "out").iterdir()) == []


def test_a_failure_takes_the_folders_made_for_it_away(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(RuntimeError), Results(tmp_path / "there" / "a" / "b").prepared():
        raise RuntimeError
    assert list(tmp_path.rglob("*")) == [tmp_path / "there"]


def test_a_folder_from_before_portraits_is_read_and_brought_up_to_date(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db:
        db.execute("CREATE TABLE applied (name TEXT PRIMARY KEY)")
        MIGRATIONS[0](db)
        db.execute("INSERT INTO applied VALUES (?)", (MIGRATIONS[0].__name__,))
        db.commit()
    assert Results(tmp_path).portraits() == []
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db:
        assert db.execute("SELECT count(*) FROM portrait").fetchone() == (0,)
