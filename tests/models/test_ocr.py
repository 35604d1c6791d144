"""The text reader: known words in, known words out, on the exact weights, in silence, without a network."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from longtake.errors import BackendError
from longtake.models import catalog
from longtake.models.ocr import LINES, TextReader


@pytest.fixture
def reader(weights: Path) -> TextReader:
    files = catalog.require("ppocr", weights)
    return TextReader(files["det.onnx"], files["rec.onnx"])


def drawn() -> NDArray[np.uint8]:
    """Two lines in strokes that OpenCV draws alike everywhere."""
    picture = np.full((360, 640, 3), (60, 50, 40), np.uint8)
    cv2.putText(picture, "Longtake 2026", (140, 300), cv2.FONT_HERSHEY_DUPLEX, 1.2, (240, 240, 240), 2)
    cv2.putText(picture, "SECOND LINE", (40, 60), cv2.FONT_HERSHEY_SIMPLEX, 1, (0, 220, 255), 2)
    return picture


def test_drawn_lines_come_back_with_their_places_and_scores(reader: TextReader) -> None:
    found = reader.read(drawn())
    assert [r.text for r in found] == ["SECOND LINE", "Longtake 2026"]
    assert [r.score for r in found] == pytest.approx([0.9994, 0.9997], abs=0.002)
    assert [r.found for r in found] == pytest.approx([0.8412, 0.8478], abs=0.02)
    corners = np.array([[37.3, 31.1], [250.7, 31.1], [250.7, 66.8], [37.3, 66.8]])
    assert np.abs(found[0].quad - corners).max() < 3


def test_the_same_places_are_read_again_in_another_picture(reader: TextReader) -> None:
    picture = drawn()
    quads = [r.quad for r in reader.read(picture)]
    empty = np.full_like(picture, 60)
    assert [text for text, _ in reader.lines(picture, quads)] == ["SECOND LINE", "Longtake 2026"]
    assert [text for text, _ in reader.lines(empty, quads)] == ["", ""]
    assert reader.lines(picture, []) == []


def test_mirrored_and_upside_down_lines_are_no_sure_reading(reader: TextReader) -> None:
    picture = drawn()
    for turned in (picture[:, ::-1], picture[::-1, ::-1]):
        found = reader.read(np.ascontiguousarray(turned))
        assert all(r.score < 0.93 or len(r.text) == 1 for r in found), found


def test_a_picture_too_small_and_one_of_one_colour_hold_nothing(reader: TextReader) -> None:
    assert reader.read(np.zeros((6, 10, 3), np.uint8)) == []
    assert reader.read(np.full((400, 31, 3), 255, np.uint8)) == []
    assert reader.read(np.full((360, 640, 3), 90, np.uint8)) == []


def test_a_page_of_small_print_is_read_in_part(reader: TextReader) -> None:
    page = np.full((1080, 800, 3), 250, np.uint8)
    for i in range(60):
        cv2.putText(page, f"line number {i}", (20, 18 * i + 14), cv2.FONT_HERSHEY_DUPLEX, 0.5, (0, 0, 0), 1)
    found = reader.read(page)
    assert 10 < len(found) <= LINES


def test_nothing_is_said_or_written(
    reader: TextReader, capfd: pytest.CaptureFixture[str], weights: Path
) -> None:
    import rapidocr

    folder = Path(rapidocr.__file__).parent
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file() and p.suffix != ".pyc"}
    capfd.readouterr()
    files = catalog.require("ppocr", weights)
    TextReader(files["det.onnx"], files["rec.onnx"]).read(drawn())
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")
    assert before == {
        p: p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file() and p.suffix != ".pyc"
    }


@pytest.mark.parametrize("broken", ["det.onnx", "rec.onnx"])
def test_a_model_that_is_cut_off_is_named(weights: Path, tmp_path: Path, broken: str) -> None:
    files = dict(catalog.require("ppocr", weights))
    short = tmp_path / broken
    shutil.copyfile(files[broken], short)
    os.truncate(short, short.stat().st_size // 2)
    files[broken] = short
    with pytest.raises(BackendError, match=broken):
        TextReader(files["det.onnx"], files["rec.onnx"])


def test_a_model_without_an_alphabet_is_no_reader(weights: Path) -> None:
    detector = catalog.require("ppocr", weights)["det.onnx"]
    with pytest.raises(BackendError, match="names no letters"):
        TextReader(detector, detector)
