"""Sheets of frames before and after: what is in their cells."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from longtake.core.changes import ChangeRecord
from longtake.core.video import Video
from longtake.errors import OutputError, UsageError
from longtake.media.open import open_video
from longtake.meta.perturbations import perturb
from longtake.perturbing.sheets import CELL, GAP, LABEL, MOMENTS, write_sheet
from square_films import FPS, HEIGHT, WIDTH, clip_picture, film

CELL_HEIGHT = round(HEIGHT * CELL / WIDTH)
ROW = 2 * LABEL + CELL_HEIGHT + GAP


@pytest.fixture
def video(tmp_path: Path) -> Video:
    return open_video(film(tmp_path / "film.mp4", 12))


def damaged(video: Video, operator: str, strength: float, folder: Path) -> ChangeRecord:
    return perturb(video, operator, strength, 1, folder / "a.mp4", control=folder / "b.mp4")


def frames(path: Path | str) -> list[NDArray[np.uint8]]:
    with av.open(str(path)) as container:
        return [f.to_ndarray(format="bgr24") for f in container.decode(video=0)]


def cells(path: Path, row: int) -> list[NDArray[np.uint8]]:
    """The six pictures of a row (from 0), before and after in turn, as they lie on the sheet."""
    sheet = cv2.imread(str(path))
    assert sheet is not None
    top = LABEL + GAP + row * ROW + 2 * LABEL
    return [
        np.asarray(sheet[top : top + CELL_HEIGHT, i * (CELL + GAP) : i * (CELL + GAP) + CELL], np.uint8)
        for i in range(6)
    ]


def fitted(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.resize(bgr, (CELL, CELL_HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)


def distance(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> float:
    return float(np.abs(a.astype(float) - b).mean())


def test_cells_are_the_sources_and_the_copys_frames(video: Video, tmp_path: Path) -> None:
    record = damaged(video, "black_frames", 3, tmp_path)
    write_sheet(video, record, tmp_path / "s.png")
    span = record.changed[0].source
    assert span is not None
    source, copy = frames(video.path), frames(record.output)
    for n, share in enumerate(MOMENTS):
        at = int((span.start + share * (span.end - span.start)) * FPS + 1e-6)
        before, after = cells(tmp_path / "s.png", 0)[2 * n : 2 * n + 2]
        assert distance(before, fitted(source[at])) < 1
        assert distance(after, fitted(copy[at])) < 1
        # What the film was drawn as says the same of both, without any decoder of ours.
        assert distance(before, fitted(clip_picture(at // 10, at % 10))) < 4
        assert after.mean() < 3 < before.mean()


def test_a_part_of_a_film_shows_that_part(tmp_path: Path, video: Video) -> None:
    part = open_video(video.path, start=Fraction(4), end=Fraction(10))
    record = damaged(part, "black_frames", 1, tmp_path)
    write_sheet(part, record, tmp_path / "s.png")
    span = record.changed[0].source
    assert span is not None
    assert span.start > 4  # on the film's own clock
    middle = int((span.start + span.end) / 2 * FPS + 1e-6)
    assert distance(cells(tmp_path / "s.png", 0)[2], fitted(frames(video.path)[middle])) < 1


def test_what_is_gone_has_no_picture_after(video: Video, tmp_path: Path) -> None:
    record = damaged(video, "drop_frames", 2, tmp_path)
    write_sheet(video, record, tmp_path / "s.png")
    shown = cells(tmp_path / "s.png", 0)
    bare = [bool((c[: CELL * 9 // 16] == 60).all()) for c in shown]
    assert bare == [False, True] * 3


def test_one_row_for_each_of_the_first_ten_spans(video: Video, tmp_path: Path) -> None:
    for count, rows in ((3, 3), (14, 10)):
        record = damaged(video, "stray_frame", count, tmp_path)
        assert len(record.changed) == count
        write_sheet(video, record, tmp_path / "s.jpg")
        sheet = cv2.imread(str(tmp_path / "s.jpg"))
        assert sheet is not None
        assert sheet.shape[0] == LABEL + GAP + rows * ROW


@pytest.mark.parametrize("name", ["s.gif", "s", "s.mp4"])
def test_another_suffix_is_refused(name: str, video: Video, tmp_path: Path) -> None:
    record = damaged(video, "noise", 4, tmp_path)
    with pytest.raises(UsageError, match="sheet"):
        write_sheet(video, record, tmp_path / name)
    assert not (tmp_path / name).exists()


def test_a_sheet_that_cannot_be_written_is_said_and_nothing_is_left(video: Video, tmp_path: Path) -> None:
    record = damaged(video, "noise", 4, tmp_path)
    (tmp_path / "s.png").mkdir()
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "s.png", tmp_path / "file" / "s.png"):
        with pytest.raises(OutputError, match="the sheet"):
            write_sheet(video, record, path)
    assert not list(tmp_path.glob(".s.png*"))
