"""What is written is whole or not there, and is read back as it was given."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
from media_films import drifting, everything, write_film

from longtake.errors import OutputError
from longtake.media.length import picture_length
from longtake.media.open import film_length, open_video
from longtake.media.planes import bgr_of
from longtake.media.probe import probe
from longtake.media.write import FilmWriter, preview


@pytest.mark.parametrize("size", [(96, 64), (95, 63), (2, 2)])
def test_pictures_come_back(size: tuple[int, int], tmp_path: Path) -> None:
    ramp = [np.full((size[1], size[0], 3), (40 + 10 * i, 90, 200 - 5 * i), np.uint8) for i in range(12)]
    with FilmWriter(tmp_path / "a.mp4", *size, 24, crf=4) as film:
        for picture in ramp:
            film.picture(picture)
    pictures, _, _ = everything(open_video(tmp_path / "a.mp4"))
    assert len(pictures) == 12
    for got, given in zip(pictures, ramp, strict=True):
        assert (got.image.width, got.image.height) == size
        assert np.abs(bgr_of(got.image, size[0], 0).mean(axis=(0, 1)) - given[0, 0]).max() <= 6


def test_decoded_frames_can_be_written_again(tmp_path: Path) -> None:
    """Frames keep their own clock and are not forced into the source's frame types."""
    source = open_video(write_film(tmp_path / "a.mp4", 24, gop=6, sound=False))
    pictures, _, _ = everything(source)
    with FilmWriter(tmp_path / "b.mp4", 96, 64, 24, gop=24) as film:
        for picture in pictures:
            before = picture.image.pts
            film.picture(picture.image, picture.time)
            assert picture.image.pts == before
    again, _, _ = everything(open_video(tmp_path / "b.mp4"))
    assert [p.time for p in again] == [p.time for p in pictures]
    assert sum(p.image.key_frame for p in again) == 1


def test_the_same_input_gives_the_same_film(tmp_path: Path) -> None:
    one, two = (write_film(tmp_path / f"{n}.mp4", 12) for n in "ab")
    assert open_video(one).hash == open_video(two).hash


def test_times_must_grow(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not later"), FilmWriter(tmp_path / "a.mp4", 96, 64, 24) as film:  # noqa: PT012
        film.picture(drifting(1)[0], 1)
        film.picture(drifting(1)[0], 1)
    assert list(tmp_path.iterdir()) == []


def test_an_error_leaves_nothing_and_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), FilmWriter(path, 96, 64, 24) as film:  # noqa: PT012
        for picture in drifting(30):
            film.picture(picture)
        raise KeyboardInterrupt
    assert [f.name for f in tmp_path.iterdir()] == ["a.mp4"]
    assert path.read_bytes() == b"old"


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(OutputError, match="cannot be written"),
        FilmWriter(tmp_path / "file/a.mp4", 96, 64, 24),
    ):
        pass


def test_a_full_disk(tmp_path: Path) -> None:
    """/dev/full refuses every byte; the writer says so and is gone."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full on this system")
    film = FilmWriter(tmp_path / "a.mkv", 96, 64, 24)
    film._partial.unlink(missing_ok=True)
    film._partial.symlink_to(full)
    with pytest.raises(OutputError, match="cannot be written"), film:  # noqa: PT012
        for picture in drifting(200):
            film.picture(picture)
    assert list(tmp_path.iterdir()) == []


def test_preview_is_upright_square_and_in_step(tmp_path: Path) -> None:
    path = write_film(tmp_path / "a.mp4", 24, width=96, options={"x264-params": "sar=4/3"})
    other = write_film(tmp_path / "b.mp4", 24, width=48, height=64, sound=False)
    out = preview(open_video([path, other, path]), tmp_path / "p.mp4", width=64)
    video = open_video(out)
    pictures, sound, _ = everything(video)
    document = probe(video)
    assert document.video is not None
    assert (document.video.width, document.video.height, document.video.codec) == (64, 32, "h264")
    assert len(pictures) == 72
    assert film_length(video) == 3
    loud = np.concatenate(
        [float(s.time) + np.flatnonzero(np.abs(s.samples).max(axis=0) > 0.1) / s.rate for s in sound]
    )
    assert not ((loud > 1.1) & (loud < 1.9)).any()
    assert (loud > 2).any()
    assert av.open(str(out)).streams.audio[0].codec_context.layout.name == "stereo"


@pytest.mark.parametrize("name", ["a.mp4", "a.mov", "a.mkv"])
def test_the_last_picture_lasts_until_the_stated_end(name: str, tmp_path: Path) -> None:
    times = [0.0, 0.05, 0.3, 0.35, 0.5, 0.75]
    with FilmWriter(tmp_path / name, 64, 48, 10, bframes=0) as film:
        for time in times:
            film.picture(np.full((48, 64, 3), 90, np.uint8), time)
        film.ends(0.99)
    assert float(picture_length(tmp_path / name)) == pytest.approx(0.99, abs=2e-3)
    with av.open(str(tmp_path / name)) as written:
        assert [f.time for f in written.decode(video=0)] == pytest.approx(times, abs=1e-3)


def test_a_single_picture_has_a_length_too(tmp_path: Path) -> None:
    with FilmWriter(tmp_path / "a.mp4", 64, 48, 10) as film:
        film.picture(np.zeros((48, 64, 3), np.uint8))
        film.ends(2)
    assert float(picture_length(tmp_path / "a.mp4")) == pytest.approx(2)
