"""Every file of the test media's ``4_formats`` and its GIFs: facts or a clear error."""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from media_films import everything

from longtake.errors import InputError
from longtake.media.open import film_length, open_video
from longtake.media.planes import bgr_of, planes_of
from longtake.media.probe import probe
from longtake.media.read import Picture, ReadReport, read

LIMIT = 60.0
"""Seconds one file may take here, on a loaded machine; most take a tenth of one."""
LAST_SECONDS = 10
"""Of the six-minute film only this much is decoded, from the end."""

FRAMES = {
    "ae_SAR-2by3.mp4": (60, "2"),
    "ae_mov_text.mp4": (40, "2"),
    "ax_bbb_176x144_128kbps_15fps_h263.3gp": (15, "1"),
    "ax_bbb_800x640_768kbps_30fps_avc_2b_firstpts_10_sec.mp4": (120, "4"),
    "ax_bbb_642x642_768kbps_30fps_vp9.webm": (90, "3"),
    "ax_dolbyVision-hdr.MOV": (4, "0.1333"),
    "ax_hdr10-av1.mp4": (127, "4.2376"),
    "ax_hlg10-color-test.mp4": (9, "0.3001"),
    "ax_sample_android_slow_motion.mp4": (7, "0.5253"),
    "ax_sample_h264_mpeg_audio.ts": (3, "0.1001"),
    "ax_sample_shorter_audio.mp4": (72, "1.2"),
    "ax_sample_vvc.mp4": (120, "5"),
    "ax_silent-black-10s.mp4": (300, "10"),
    "intel_asl_again.mkv": (77, "2.567"),
    "mla_rabbit320.mp4": (234, "7.8"),
    "mpy_bitmap.mp4": (5, "5"),
    "mpy_fire2.mp4": (25, "2.3798"),
    "mpy_no_duration.webm": (74, "4.938"),
    "pop_trailer.mp4": (1549, "64.5417"),
    "tc_av1.mkv": (125, "5"),
    "tc_h265_10bits.mp4": (30, "1"),
    "fetv_cogvideo_404.gif": (33, "3.3"),
    "seine_spring_to_alien.gif": (16, "2.01"),
}
"""Frames a plain decode gives and where the last one ends (seconds)."""
CODES = {
    "ae_SAR-2by3.mp4": {"non_square_pixels"},
    "ae_example.mp4": set(),
    "ax_bbb_800x640_768kbps_30fps_avc_2b_firstpts_10_sec.mp4": {"start_offset", "non_square_pixels"},
    "ax_dolbyVision-hdr.MOV": {"rotation", "edit_list", "hdr"},
    "ax_sample_android_slow_motion.mp4": {"vfr", "full_range"},
    "ax_sample_empty_track.mp4": {"empty_track"},
    "ax_sample_missing_stsd.mp4": {"undecodable_audio"},
    "ax_sample_with_srt.mkv": set(),
    "mpy_fire2.mp4": {"vfr", "rotation"},
    "mpy_no_duration.webm": {"vfr", "missing_duration"},
}
SIZES = {
    "ae_SAR-2by3.mp4": (427, 360),
    "ax_dolbyVision-hdr.MOV": (720, 1280),
    "ax_sample_rotate_and_reflect.mp4": (720, 1080),
    "mpy_bitmap.mp4": (1, 1),
    "pop_trailer.mp4": (10, 6),
}


def files() -> Iterator[str]:
    """Names in the manifest, so that each file is a test of its own; one that skips where there is none."""
    given = os.environ.get("LONGTAKE_TEST_MEDIA")
    if not given or not (Path(given) / "MANIFEST.tsv").is_file():
        yield "none"
        return
    with (Path(given) / "MANIFEST.tsv").open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
            if (
                row["kind"] == "4_formats"
                or row["path"].startswith("4_formats/")
                or row["path"].endswith(".gif")
            ):
                yield row["path"]


@pytest.mark.media
@pytest.mark.parametrize("name", sorted(files()))
def test_file(media: Path, name: str) -> None:
    path = media / name
    began = time.monotonic()
    if "audio_only" in name:
        with pytest.raises(InputError, match="sound but no film"):
            open_video(path)
        return
    video = open_video(path)
    document = probe(video)
    report = ReadReport()
    times: list[Fraction] = []
    start = film_length(video) - LAST_SECONDS if "long_1080p" in name else None
    for item in read(video, report, start=start):
        if not isinstance(item, Picture):
            assert item.time >= 0
            assert 1 <= item.samples.shape[0] <= 8
            continue
        if not times:
            assert planes_of(item.image, 128).y.shape[1] == 128
            assert bgr_of(item.image, 160, item.rotation).shape[1] == 160
        times.append(item.time)
    assert time.monotonic() - began < LIMIT
    if start is None:
        assert times[0] == 0
    else:
        assert film_length(video) == Fraction(10883, 30)
        assert {t for t in times if t >= start} == {Fraction(i, 30) for i in range(10583, 10883)}
    assert all(a < b for a, b in pairwise(times))
    assert times[-1] < film_length(video)
    assert (report.decode_errors, report.missing_times, report.gaps) == (0, 0, [])
    assert document.video is not None
    assert document.duration == pytest.approx(float(film_length(video)))
    if path.name in FRAMES:
        count, length = FRAMES[path.name]
        assert len(times) == report.frames == count
        assert document.duration == pytest.approx(float(length), abs=0.001)
    if path.name in CODES:
        assert {p.code for p in document.problems} == CODES[path.name]
    if path.name in SIZES:
        assert (document.video.width, document.video.height) == SIZES[path.name]


@pytest.mark.media
def test_a_turned_phone_clip_is_shown_upright(media: Path) -> None:
    pictures, _, _ = everything(open_video(media / "4_formats/ax_dolbyVision-hdr.MOV"), sound=False)
    shown = bgr_of(pictures[0].image, 72, pictures[0].rotation)
    assert shown.shape == (128, 72, 3)
    assert shown[:20].mean() > shown[-40:].mean() + 20  # sky above roofs
