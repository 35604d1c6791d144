"""Files that have their name only when they are whole."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from longtake.media.unfinished import forget_unfinished, unfinished


def test_files_get_their_names_together(tmp_path: Path) -> None:
    paths = [tmp_path / "a.mp4", tmp_path / "b.mp4"]
    with unfinished(*paths) as beside:
        for path in beside:
            path.write_bytes(b"x")
        assert not any(p.exists() for p in paths)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.mp4", "b.mp4"]


def test_nothing_is_left_after_an_error(tmp_path: Path) -> None:
    def stop_halfway() -> None:
        with unfinished(tmp_path / "a.mp4") as (beside,):
            beside.write_bytes(b"x")
            raise ValueError

    with pytest.raises(ValueError):
        stop_halfway()
    assert not list(tmp_path.iterdir())


def test_what_the_dead_left_is_forgotten_and_what_the_living_write_stays(tmp_path: Path) -> None:
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    left = tmp_path / f".a-0.5.control.{dead.stdout.strip()}.partial.mp4"
    mine = tmp_path / f".a-0.5.{os.getpid()}.partial.mp4"
    for path in (left, mine):
        path.write_bytes(b"x")
    forget_unfinished(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == [mine.name]
