"""From a path to a film: kinds, order, hashes, bounds, and clear refusals."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from media_films import everything, write_film

from longtake.errors import InputError, UsageError
from longtake.media.open import (
    duplicate_numbers,
    film_length,
    missing_numbers,
    natural_key,
    open_video,
    parse_time,
)
from longtake.media.probe import probe


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_film(tmp_path_factory.mktemp("clip") / "clip.mp4", 24)


def test_file(clip: Path) -> None:
    video = open_video(clip)
    assert video.kind == "file"
    assert video.hash == hashlib.sha256(clip.read_bytes()).hexdigest()
    assert film_length(video) == 1


def test_folder_of_clips_in_natural_order(clip: Path, tmp_path: Path) -> None:
    other = write_film(tmp_path / "other.mp4", 12, sound=False, fps=12, width=64)
    folder = tmp_path / "shots"
    folder.mkdir()
    for name, source in (("shot_10.mp4", clip), ("shot_2.mp4", other), ("Shot_1.mp4", clip)):
        shutil.copy(source, folder / name)
    (folder / ".shot_0.mp4").write_bytes(b"hidden")
    (folder / "notes.txt").write_text("not a clip")
    video = open_video(folder)
    assert video.kind == "clips"
    assert [p.path.name for p in video.parts] == ["Shot_1.mp4", "shot_2.mp4", "shot_10.mp4"]
    assert [p.offset for p in video.parts] == [0, 1, 2]
    pictures, sound, report = everything(video)
    times = [p.time for p in pictures]
    assert times == [Fraction(i, 24) for i in range(24)] + [1 + Fraction(i, 12) for i in range(12)] + [
        2 + Fraction(i, 24) for i in range(24)
    ]
    assert [p.part for p in pictures] == [0] * 24 + [1] * 12 + [2] * 24
    assert max(s.time + Fraction(s.samples.shape[1], s.rate) for s in sound if s.time < 1) <= 1
    assert {s.time >= 2 for s in sound} == {False, True}
    assert (report.decode_errors, report.missing_times, report.gaps) == (0, 0, [])
    codes = {p.code for p in probe(video).problems}
    assert codes == {"mixed_sizes", "mixed_rates", "mixed_sound"}


def test_a_list_keeps_its_order_and_its_hash(clip: Path, tmp_path: Path) -> None:
    other = write_film(tmp_path / "a.mp4", 6)
    one, two = open_video([clip, other]), open_video([other, clip])
    assert [p.path for p in one.parts] == [clip, other]
    assert one.hash != two.hash
    assert one.hash == open_video([clip, shutil.copy(other, tmp_path / "renamed.mp4")]).hash


def write_pictures(folder: Path, numbers: list[int]) -> Path:
    folder.mkdir()
    for n in numbers:
        cv2.imwrite(str(folder / f"frame_{n}.png"), np.full((20, 30, 3), n % 256, np.uint8))
    return folder


def test_numbered_pictures(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "pictures", [8, 9, 10, 12])
    with pytest.raises(UsageError) as refused:
        open_video(folder)
    assert refused.value.hint == "give --fps"
    video = open_video(folder, fps="30000/1001")
    assert video.kind == "pictures"
    pictures, sound, _ = everything(video)
    assert [p.time for p in pictures] == [i * Fraction(1001, 30000) for i in range(4)]
    assert [int(p.image.to_ndarray(format="bgr24")[0, 0, 0]) for p in pictures] == [8, 9, 10, 12]
    assert {p.part for p in pictures} == {0}
    assert sound == []
    assert [(p.code, p.message.endswith("11")) for p in probe(video).problems] == [("missing_pictures", True)]
    assert video.hash != open_video(folder, fps=24).hash


def test_a_broken_picture_is_counted(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "pictures", [1, 2, 3])
    (folder / "frame_2.png").write_bytes(b"not a png")
    pictures, _, report = everything(open_video(folder, fps=10))
    assert [p.time for p in pictures] == [0, Fraction(1, 5)]
    assert report.decode_errors == 1


def test_mixed_folder_and_single_picture(clip: Path, tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "mixed", [1, 2])
    shutil.copy(clip, folder / "a.mp4")
    with pytest.raises(InputError, match="mixes"):
        open_video(folder, fps=24)
    with pytest.raises(InputError, match="is a picture"):
        open_video(folder / "frame_1.png", fps=24)
    with pytest.raises(UsageError, match="--fps"):
        open_video(clip, fps=24)


def test_bounds(clip: Path) -> None:
    video = open_video(clip, start="0.25", end="00:00:00.75")
    assert (video.start, video.end) == (Fraction(1, 4), Fraction(3, 4))
    assert video.hash == open_video(clip).hash
    for start, end in ((0.5, 0.5), (0.8, 0.2), (1, None), (None, 1.5), (-1, None), (None, 0)):
        with pytest.raises(UsageError):
            open_video(clip, start=start, end=end)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("75.5", "75.5"),
        ("1:15.5", "75.5"),
        ("01:00:00.001", "3600.001"),
        ("0", "0"),
        (" 90 ", "90"),
        (".5", "0.5"),
    ],
)
def test_times(text: str, seconds: str) -> None:
    assert parse_time(text) == Fraction(seconds)


@pytest.mark.parametrize(
    "text", ["", "1:60", "1:2:3:4", "-3", "1e3", "nan", "one", "1:75:00", "1;5", "9" * 400, "0." + "1" * 999]
)
def test_not_times(text: str) -> None:
    with pytest.raises(UsageError):
        parse_time(text)


def test_natural_key() -> None:
    assert sorted(["s10", "S2", "s1b", "s1", "1"], key=natural_key) == ["1", "s1", "s1b", "S2", "s10"]


def refused(path: Path) -> str:
    with pytest.raises(InputError) as error:
        open_video(path)
    assert error.value.hint
    return error.value.message


def test_what_is_not_a_film(clip: Path, tmp_path: Path) -> None:
    assert "does not exist" in refused(tmp_path / "missing.mp4")
    (tmp_path / "empty.mp4").touch()
    assert "is empty" in refused(tmp_path / "empty.mp4")
    (tmp_path / "text.txt").write_text("Fade in.\n" * 100)
    assert "is text" in refused(tmp_path / "text.txt")
    (tmp_path / "cut.mp4").write_bytes(clip.read_bytes()[: clip.stat().st_size // 2])
    assert "damaged" in refused(tmp_path / "cut.mp4")
    (tmp_path / "folder").mkdir()
    assert "holds no clips" in refused(tmp_path / "folder")
    os.mkfifo(tmp_path / "pipe.mp4")
    assert "not a file" in refused(tmp_path / "pipe.mp4")


def test_unreadable_file(clip: Path, tmp_path: Path) -> None:
    path = tmp_path / "locked.mp4"
    shutil.copy(clip, path)
    path.chmod(0)
    if os.access(path, os.R_OK):
        path.chmod(stat.S_IRUSR)
        pytest.skip("this user may read everything")
    assert "cannot be read" in refused(path)


def test_encrypted(tmp_path: Path) -> None:
    muxer = {
        "encryption_scheme": "cenc-aes-ctr",
        "encryption_key": "76a6c65c5ea762046bd749a2e632ccbb",
        "encryption_kid": "a7e61c373e219033c21091fa607bf3b8",
    }
    path = write_film(tmp_path / "locked.mp4", 12, sound=False, muxer=muxer)
    assert "is encrypted" in refused(path)


def test_sound_only(tmp_path: Path) -> None:
    path = tmp_path / "song.m4a"
    with av.open(str(path), "w", format="ipod") as container:
        stream = container.add_stream("aac", rate=48000, layout="mono")
        block = av.AudioFrame.from_ndarray(np.zeros((1, 48000), np.float32), format="fltp", layout="mono")
        block.sample_rate = 48000
        container.mux(stream.encode(block))
        container.mux(stream.encode(None))
    assert "sound but no film" in refused(path)


def test_a_play_list_opens_nothing_else(clip: Path, tmp_path: Path) -> None:
    path = tmp_path / "list.m3u8"
    path.write_text("#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/clip.ts\n#EXT-X-ENDLIST\n")
    refused(path)


@pytest.mark.parametrize(
    "rate",
    [
        *("1e999999999", "1e-9999", "1e5", "nan", "-24", "0", "24/0", "1/1e9", "9" * 5000, "1001", "0.0001"),
        *(float("inf"), 10**5000, -1.0),
    ],
    ids=lambda rate: None if isinstance(rate, float) else "number" if isinstance(rate, int) else rate[:12],
)
def test_rates_that_make_no_sense(rate: float | str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="rate") as error:
        open_video(write_pictures(tmp_path / "pictures", [1]), fps=rate)
    assert error.value.hint
    assert len(error.value.message) < 100


@pytest.mark.parametrize("rate", ["24", " 23.976 ", "30000/1001", 12.5, Fraction(30000, 1001), 0.1])
def test_rates(rate: Fraction | float | str, tmp_path: Path) -> None:
    video = open_video(write_pictures(tmp_path / "pictures", [1]), fps=rate)
    assert video.fps == Fraction(str(rate).strip())


@pytest.mark.parametrize(
    "time",
    [10**400, Fraction(10**400), 1e300, float("nan"), float("inf"), -1, "9" * 5000],
    ids=range(7),
)
def test_bounds_beyond_all_films(time: float | str, clip: Path) -> None:
    for bounds in ({"start": time}, {"end": time}):
        with pytest.raises(UsageError) as error:
            open_video(clip, **bounds)
        assert error.value.hint


def test_numbers_are_counted_not_walked(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "pictures", [1, 10**22 - 1])
    message = probe(open_video(folder, fps=24)).problems[0].message
    assert message.endswith(f": 2, 3, 4, 5, 6 and {10**22 - 3 - 5} more")
    assert missing_numbers([Path(f"f{n}.png") for n in (1, 2, 4, 7, 100)]) == (95, [3, 5, 6, 8, 9])
    assert missing_numbers([Path("a.png")]) == (0, [])


def test_two_pictures_with_one_number(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "pictures", [1, 2])
    shutil.copy(folder / "frame_1.png", folder / "frame_0001.png")
    (problem,) = probe(open_video(folder, fps=24)).problems
    assert problem.code == "duplicate_numbers"
    assert "frame_0001.png and frame_1.png" in problem.message
    assert duplicate_numbers([Path("a_1.png"), Path("b_1.png"), Path("a_2.png"), Path("a.png")]) == []


def write_stills(path: Path, container: str, codec: str, pixels: str, count: int) -> Path:
    with av.open(str(path), "w", format=container) as out:
        stream = out.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = 32, 24, pixels
        for i in range(count):
            image = av.VideoFrame.from_ndarray(np.full((24, 32, 3), 40 * i, np.uint8), format="rgb24")
            image = image.reformat(format=pixels)
            image.pts = i
            out.mux(stream.encode(image))
        out.mux(stream.encode(None))
    return path


@pytest.mark.parametrize(
    ("container", "codec", "pixels"),
    [
        ("image2pipe", "png", "rgb24"),
        ("image2pipe", "mjpeg", "yuvj420p"),
        ("image2pipe", "bmp", "bgr24"),
        ("image2pipe", "tiff", "rgb24"),
        ("webp", "libwebp", "yuv420p"),
        ("apng", "apng", "rgb24"),
    ],
)
def test_a_picture_is_told_by_its_content(container: str, codec: str, pixels: str, tmp_path: Path) -> None:
    path = write_stills(tmp_path / "film.mp4", container, codec, pixels, 1)
    assert "is a picture" in refused(path)


@pytest.mark.parametrize(
    ("container", "codec", "pixels"),
    [("gif", "gif", "rgb8"), ("apng", "apng", "rgb24"), ("image2pipe", "png", "rgb24")],
)
def test_animations_are_films(container: str, codec: str, pixels: str, tmp_path: Path) -> None:
    path = write_stills(tmp_path / "film.mp4", container, codec, pixels, 5)
    assert len(everything(open_video(path))[0]) == 5


def test_an_empty_path_is_not_the_current_folder(clip: Path) -> None:
    for path in ("", [clip, ""]):
        with pytest.raises(UsageError, match="empty"):
            open_video(path)


def test_names_that_are_no_text_and_no_names(clip: Path, tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff\xfe.mp4"))
    shutil.copy(clip, odd)
    video = open_video(odd)
    assert probe(video).path.endswith("bad\ufffd\ufffd.mp4")
    assert video.name == "bad\ufffd\ufffd"
    json.dumps(probe(open_video([odd, clip])).to_json(), ensure_ascii=False).encode()
    (tmp_path / "empty").mkdir()
    broken = Path(os.fsdecode(os.fsencode(tmp_path) + b"/empty/\xff.mp4"))
    broken.write_bytes(b"no film")
    refused(broken).encode()
    for name in ("a" * 5000, "a\0b", "\ud800.mp4"):
        refused(tmp_path / name).encode()


def test_a_picture_in_a_film_s_box(tmp_path: Path) -> None:
    path = write_film(tmp_path / "film.mp4", 1, sound=False)
    data = bytearray(path.read_bytes())
    assert data[4:8] == b"ftyp"
    data[8:12] = b"avif"
    path.write_bytes(data)
    assert "is a picture" in refused(path)
