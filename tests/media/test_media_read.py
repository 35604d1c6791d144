"""Every trap of reading film: times, order, seeking, sound, holes, damage."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from media_films import RATE, drifting, everything, hashes, write_film

from longtake.media.open import film_length, open_video
from longtake.media.planes import pixel_aspect
from longtake.media.probe import SAMPLED, probe
from longtake.media.read import Sound, read
from longtake.media.report import ReadReport, Wound
from longtake.media.write import FilmWriter

OPEN_GOP = {"x264-params": "open-gop=1:keyint=12:min-keyint=12:scenecut=0:bframes=3:b-adapt=0"}
KINDS: dict[str, dict[str, Any]] = {
    "bframes.mp4": {"gop": 12, "bframes": 3},
    "open_gop.mp4": {"options": OPEN_GOP},
    "open_gop.ts": {"options": OPEN_GOP},
    "intra_refresh.mp4": {"options": {"x264-params": "intra-refresh=1:keyint=24:bframes=0"}},
    "bframes.mkv": {"gop": 12, "bframes": 2},
    "vp9.webm": {
        "codec": "libvpx-vp9",
        "audio_codec": "libopus",
        "gop": 12,
        "options": {
            "b:v": "300k",
            "deadline": "realtime",
            "cpu-used": "8",
            "auto-alt-ref": "1",
            "lag-in-frames": "8",
        },
    },
    "bframes.avi": {"gop": 12, "bframes": 2, "audio_codec": "libmp3lame"},
    "raw.h264": {"gop": 12, "sound": False},
}


@pytest.mark.parametrize("name", KINDS)
def test_any_start_gives_the_frames_of_the_whole(name: str, tmp_path: Path) -> None:
    video = open_video(write_film(tmp_path / name, 60, **KINDS[name]))
    pictures, sound, report = everything(video)
    whole = hashes(pictures)
    times = list(whole)
    assert len(times) == 60
    assert all(a < b for a, b in pairwise(times))
    assert report.decode_errors == 0
    assert abs(film_length(video) - Fraction(60, 24)) < Fraction(1, 100) or name == "raw.h264"
    for start in times[::9]:
        end = start + Fraction(1, 3)
        some, heard, _ = everything(video, start=start, end=end, threads=1 if start < 1 else 2)
        part = hashes(some)
        assert all(whole[t] == h for t, h in part.items()), f"{name}: other pictures from {float(start)} s"
        assert {t for t in part if start <= t < end} == {t for t in times if start <= t < end}
        assert len([t for t in part if t >= end]) == (1 if times[-1] >= end else 0)
        if sound:
            assert min(s.time for s in heard) <= start
            last = max(s.time + Fraction(s.samples.shape[1], s.rate) for s in heard)
            assert last >= min(end, times[-1] - Fraction(1, 10))


def test_bounds_through_a_film_of_clips(tmp_path: Path) -> None:
    clips = [write_film(tmp_path / f"{i}.mp4", 24) for i in range(3)]
    pictures, sound, _ = everything(open_video(clips), start=Fraction(3, 2), end=Fraction(9, 4))
    times = [p.time for p in pictures]
    assert min(times) >= 1
    assert max(times) == Fraction(9, 4)
    assert min(s.time for s in sound) >= 1
    assert {p.part for p in pictures} == {1, 2}


@pytest.mark.parametrize("bframes", [2, 3, 4, 5])
def test_a_long_film_with_reordered_frames_is_even(tmp_path: Path, bframes: int) -> None:
    options = {"x264-params": f"keyint=900:scenecut=0:bframes={bframes}:b-adapt=0:b-pyramid=1"}
    with FilmWriter(tmp_path / "even.mp4", 32, 32, 25, options=options) as film:
        for i in range(SAMPLED + 50):
            film.picture(np.full((32, 32, 3), (i * 7) % 256, np.uint8))
    document = probe(open_video(tmp_path / "even.mp4"))
    assert document.video is not None
    assert document.video.vfr is False


def test_times_are_exact_for_uneven_frames(tmp_path: Path) -> None:
    times = [Fraction(t) for t in ("0", "0.04", "0.12", "0.13", "0.5", "0.52", "1.75")]
    with FilmWriter(tmp_path / "vfr.mp4", 96, 64, 25, bframes=2) as film:
        for time, picture in zip(times, drifting(len(times)), strict=True):
            film.picture(picture, time)
    video = open_video(tmp_path / "vfr.mp4")
    pictures, _, report = everything(video)
    assert [p.time for p in pictures] == times
    document = probe(video)
    assert document.video is not None
    assert document.video.vfr
    assert "vfr" in {p.code for p in document.problems}
    assert report.missing_times == 0


@pytest.mark.parametrize(("rate", "frames"), [("24000/1001", 30), ("30000/1001", 30), ("60", 9), ("12.5", 9)])
def test_constant_rates_are_exact(rate: str, frames: int, tmp_path: Path) -> None:
    fps = Fraction(rate)
    video = open_video(write_film(tmp_path / "a.mp4", frames, fps=fps, sound=False))
    pictures, _, _ = everything(video)
    assert [p.time for p in pictures] == [i / fps for i in range(frames)]
    assert film_length(video) == frames / fps
    document = probe(video)
    assert document.video is not None
    assert document.video.fps == pytest.approx(float(fps))
    assert document.video.vfr is False


def shifted(
    source: Path, out: Path, seconds: Fraction, *, drop: frozenset[int] = frozenset(), **options: str
) -> Path:
    """A copy without re-encoding whose picture packets are moved in time; ``drop`` leaves some out."""
    with av.open(str(source)) as given, av.open(str(out), "w", options=options) as made:
        old = given.streams.video[0]
        new = made.add_stream_from_template(old)
        for packet in given.demux(old):
            if packet.dts is None or packet.pts is None or packet.time_base is None:
                continue
            packet.pts += round(seconds / packet.time_base)
            packet.dts += round(seconds / packet.time_base)
            packet.stream = new
            made.mux(packet)
    return out


def test_the_clock_starts_with_the_first_picture(tmp_path: Path) -> None:
    source = write_film(tmp_path / "a.mp4", 24, sound=False, bframes=2)
    video = open_video(shifted(source, tmp_path / "late.ts", Fraction(100)))
    pictures, _, _ = everything(video)
    assert [p.time for p in pictures] == [Fraction(i, 24) for i in range(24)]
    document = probe(video)
    assert document.start == pytest.approx(100, abs=2)
    assert "start_offset" in {p.code for p in document.problems}


def test_edit_list_hides_frames(tmp_path: Path) -> None:
    """A cut made by copying: the packets before the cut are there, the edit list hides them."""
    source = write_film(tmp_path / "a.mp4", 48, sound=False, gop=48, bframes=0)
    video = open_video(shifted(source, tmp_path / "cut.mp4", Fraction(-1)))
    pictures, _, report = everything(video)
    packets = sum(p.size > 0 for p in av.open(str(tmp_path / "cut.mp4")).demux(video=0))
    assert packets == 48
    assert len(pictures) == report.frames == 24
    assert pictures[0].time == 0
    assert film_length(video) == 1
    assert "edit_list" in {p.code for p in probe(video).problems}


def test_a_hole_in_time_is_kept_and_reported(tmp_path: Path) -> None:
    with FilmWriter(tmp_path / "a.mkv", 96, 64, 24, bframes=0) as film:
        for i, picture in enumerate(drifting(48)):
            film.picture(picture, Fraction(i, 24) + (2 if i >= 24 else 0))
    pictures, _, report = everything(open_video(tmp_path / "a.mkv"))
    assert pictures[-1].time == pytest.approx(47 / 24 + 2, abs=0.001)
    assert [(float(a), float(b)) for a, b in report.gaps] == [
        (pytest.approx(1, abs=0.01), pytest.approx(3, abs=0.01))
    ]


def test_missing_times_are_made_up_and_counted(tmp_path: Path) -> None:
    pictures, _, report = everything(open_video(write_film(tmp_path / "raw.h264", 24, sound=False)))
    steps = {b.time - a.time for a, b in pairwise(pictures)}
    assert len(pictures) == report.missing_times == 24
    assert len(steps) == 1
    assert min(steps) > 0


def test_sound_is_native_and_in_place(tmp_path: Path) -> None:
    """A click at 1 s in the right channel only stays there, at the film's own rate."""
    sound = np.zeros((2, 2 * 44100), np.float32)
    sound[1, 44100:44110] = 0.9
    with FilmWriter(tmp_path / "a.mp4", 96, 64, 24, sample_rate=44100, channels=2) as film:
        for picture in drifting(48):
            film.picture(picture)
        film.sound(sound)
    _, blocks, _ = everything(open_video(tmp_path / "a.mp4"), pictures=False)
    assert {b.rate for b in blocks} == {44100}
    assert {b.samples.dtype for b in blocks} == {np.dtype(np.float32)}
    assert {b.samples.shape[0] for b in blocks} == {2}
    loud = max(blocks, key=lambda b: float(np.abs(b.samples[1]).max()))
    at = loud.time + Fraction(int(np.abs(loud.samples[1]).argmax()), loud.rate)
    assert abs(at - 1) < Fraction(1, 1000)
    assert max(float(np.abs(b.samples[0]).max()) for b in blocks) < 0.1


def test_every_sample_format_has_one_scale(tmp_path: Path) -> None:
    """Half-scale sound in WAV-like codecs of different widths comes out at one half."""
    for codec in ("pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le"):
        path = tmp_path / f"{codec}.mkv"
        with FilmWriter(path, 96, 64, 24, sample_rate=8000, audio_codec=codec) as film:
            for picture in drifting(24):
                film.picture(picture)
            film.sound(np.full((1, 8000), 0.5, np.float32))
        _, blocks, _ = everything(open_video(path))
        samples = np.concatenate([b.samples for b in blocks], axis=1)
        assert samples.shape == (1, 8000), codec
        assert np.abs(samples - 0.5).max() < 0.02, codec


def test_sound_keeps_its_offset_to_the_picture(tmp_path: Path) -> None:
    """The picture starts half a second after the sound: that half second is before the film's clock."""
    with FilmWriter(tmp_path / "a.mkv", 96, 64, 24, sample_rate=RATE, audio_codec="pcm_s16le") as film:
        film.sound(np.linspace(0, 0.9, RATE, dtype=np.float32)[None])
        for i, picture in enumerate(drifting(12)):
            film.picture(picture, Fraction(1, 2) + Fraction(i, 24))
    video = open_video(tmp_path / "a.mkv")
    pictures, blocks, _ = everything(video)
    assert pictures[0].time == 0
    assert blocks[0].time == pytest.approx(0, abs=0.002)
    assert blocks[0].samples[0, 0] == pytest.approx(0.45, abs=0.01)
    assert "sound_offset" in {p.code for p in probe(video).problems}


@pytest.mark.parametrize("name", ["a.ts", "a.mkv"])
def test_damage_in_the_middle_is_counted_and_the_rest_is_read(name: str, tmp_path: Path) -> None:
    path = write_film(tmp_path / name, 96, gop=12)
    data = bytearray(path.read_bytes())
    rng = np.random.default_rng(1)
    for i in range(len(data) // 3, len(data) // 2):
        if rng.random() < 0.3:
            data[i] = int(rng.integers(256))
    path.write_bytes(data)
    pictures, _, report = everything(open_video(path))
    times = [p.time for p in pictures]
    assert times[-1] > Fraction(7, 2)
    assert 48 <= len(times) <= 96
    assert all(a < b for a, b in pairwise(times))
    assert report.decode_errors + report.sound_errors > 0
    assert report.messages
    holes = sorted(report.gaps + report.damaged)
    assert Fraction(1, 2) < holes[0][0] < holes[-1][1] < Fraction(7, 2)


@pytest.mark.parametrize("kind", ["video", "audio"])
@pytest.mark.parametrize("threads", [1, 2])
def test_where_data_is_damaged(kind: str, threads: int, tmp_path: Path) -> None:
    path = write_film(tmp_path / "a.mp4", 96, gop=12, bframes=2)
    data = bytearray(path.read_bytes())
    with av.open(str(path)) as container:
        for packet in container.demux(container.streams.get(**{kind: 0})):
            if packet.size and 1 <= packet.pts * packet.time_base < 2:
                data[packet.pos : packet.pos + packet.size] = b"\xff" * packet.size
    path.write_bytes(data)
    _, _, report = everything(open_video(path), threads=threads)
    assert report.decode_errors + report.sound_errors > 0
    damaged, other = report.damaged, report.damaged_sound
    if kind == "audio":
        damaged, other = other, damaged
    assert other == []
    assert 0.9 < damaged[0][0] < 1.1
    assert 1.9 < damaged[-1][1] < 2.1
    assert all(a < b for a, b in damaged)


def test_a_picture_that_cannot_be_read_is_damage(tmp_path: Path) -> None:
    for i in range(3):
        (tmp_path / f"f_{i}.png").write_bytes(b"\x89PNG no picture")
        if i != 1:
            av.VideoFrame(32, 32, "rgb24").save(tmp_path / f"f_{i}.png")
    _, _, report = everything(open_video(tmp_path, fps=10))
    assert report.damaged == [(Fraction(1, 10), Fraction(2, 10))]


def test_where_damage_begins_and_ends() -> None:
    report = ReadReport()
    wound = Wound(report, sound=False)
    for time in (0, 1, 2):
        wound.good(Fraction(time), Fraction(time))
    wound.bad(Fraction(4))
    wound.good(Fraction(3), Fraction(3))  # late out of the decoder
    wound.bad(Fraction(6))
    wound.good(Fraction(5), Fraction(5))  # between two bad ones
    wound.good(Fraction(7), Fraction(7))
    wound.bad(None)
    wound.good(Fraction(9), Fraction(9))
    wound.bad(Fraction(10))
    wound.close(Fraction(12))
    wound.close()
    assert report.damaged == [(3, 7), (7, 9), (9, 12)]


def test_a_truncated_film_ends_where_it_ends(tmp_path: Path) -> None:
    path = write_film(tmp_path / "a.mp4", 96, sound=False, gop=12, muxer={"movflags": "faststart"})
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    video = open_video(path)
    pictures, _, _ = everything(video)
    assert 24 < len(pictures) < 72
    assert abs(film_length(video) - pictures[-1].time) < Fraction(1, 4)
    assert "short_picture" in {p.code for p in probe(video).problems}


def test_one_frame(tmp_path: Path) -> None:
    video = open_video(write_film(tmp_path / "a.mp4", 1, sound=False))
    pictures, _, _ = everything(video)
    assert [p.time for p in pictures] == [0]
    assert film_length(video) == Fraction(1, 24)
    assert probe(video).problems == []


def test_two_picture_tracks(tmp_path: Path) -> None:
    """The larger track is the film; the other is named."""
    path = tmp_path / "two.mkv"
    with av.open(str(path), "w") as container:
        streams: list[Any] = []
        for size in ((64, 48), (96, 64)):
            stream: Any = container.add_stream("libx264", rate=24)
            stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
            streams.append(stream)
        for stream in streams:
            for picture in drifting(12, stream.width, stream.height):
                container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
            container.mux(stream.encode(None))
    video = open_video(path)
    pictures, _, _ = everything(video)
    assert {(p.image.width, p.image.height) for p in pictures} == {(96, 64)}
    assert len(pictures) == 12
    assert [p.code for p in probe(video).problems] == ["several_pictures"]


def test_pixel_aspect_reaches_the_pictures(tmp_path: Path) -> None:
    path = write_film(tmp_path / "a.mp4", 6, sound=False, options={"x264-params": "sar=4/3"})
    video = open_video(path)
    pictures, _, _ = everything(video)
    assert pixel_aspect(pictures[0].image) == Fraction(4, 3)
    document = probe(video)
    assert document.video is not None
    assert (document.video.width, document.video.height) == (128, 64)
    assert "non_square_pixels" in {p.code for p in document.problems}


def test_reading_does_not_keep_what_it_gave(tmp_path: Path) -> None:
    """Frames are freed as they are dropped: what is alive does not grow with the film."""
    import gc

    from longtake.media.read import Picture, ReadReport, read

    video = open_video(write_film(tmp_path / "a.mp4", 96))
    alive = []
    for i, item in enumerate(read(video, ReadReport())):
        if isinstance(item, Picture) and i % 20 == 0:
            gc.collect()
            alive.append(sum(isinstance(o, Picture) for o in gc.get_objects()))
    assert max(alive) <= 2


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30])
def test_sound_that_is_no_number_is_damage_and_silent(tmp_path: Path, value: float) -> None:
    path = tmp_path / "odd.mkv"
    with FilmWriter(path, 32, 32, 25, sample_rate=8000, audio_codec="pcm_f32le") as film:
        for i in range(50):
            film.picture(np.full((32, 32, 3), i, np.uint8))
            block = np.full((1, 320), 0.1, np.float32)
            if 20 <= i < 30:
                block[:] = value
            film.sound(block)
    report = ReadReport()
    blocks = [s for s in read(open_video(path), report) if isinstance(s, Sound)]
    samples = np.concatenate([s.samples for s in blocks], axis=1)[0]
    assert np.isfinite(samples).all()
    assert np.abs(samples).max() <= 0.11
    assert report.sound_errors
    ((start, end),) = report.damaged_sound
    assert 0.6 <= float(start) <= 0.8  # from the end of the last block without any
    assert float(end) == pytest.approx(1.2, abs=0.15)
