"""Damaged copies in which only what changes is encoded, and their controls, on real clips."""

import hashlib
import os
import signal
import subprocess
import sys
import time as clock
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from longtake.core.brief import Brief
from longtake.core.video import Video
from longtake.errors import InputError, OutputError, UsageError
from longtake.media.h264_index import Unspliceable, index_of
from longtake.media.length import picture_length
from longtake.media.open import open_video
from longtake.media.soundtrack import SoundTrack
from longtake.media.times import frame_times
from longtake.media.write import FilmWriter
from longtake.meta.perturbations import ChangeRecord, Damage, Insert, draw, facts_of, perturb
from longtake.meta.perturbations import apply as applying
from longtake.meta.perturbations.base import Perturbation

SOUNDING = "8_footage/wrtc_chrome_b.mp4"
"""Ten seconds, six IDR pictures, B-frames, stereo."""
LONG = "4_formats/ae_example.mp4"
"""42 seconds, 22 IDR pictures."""


def done(
    damage: Damage,
    video: Video,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> ChangeRecord:
    """A record of ``damage`` done to a film as an operator would do it."""
    operator = Perturbation("some", "", "", 1, 2, 3, 0, 9, ("x",), lambda film, strength, rng: damage)
    monkeypatch.setattr(applying, "get", lambda name: operator)
    return perturb(video, "some", 1, 0, tmp_path / "a.mp4", control=tmp_path / "b.mp4")


def negative(bgr: np.ndarray, time: float) -> np.ndarray:
    return 255 - bgr


def frames(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as film:
        return [f.to_ndarray() for f in film.decode(video=0)]


def times(path: Path) -> list[Fraction]:
    index = index_of(path)
    return [index.time(r) for r in range(index.hidden, index.frames)]


def packets(path: Path, kind: str) -> list[str]:
    with av.open(str(path)) as film:
        stream = next(s for s in film.streams if s.type == kind)
        return [hashlib.sha256(bytes(p)).hexdigest() for p in film.demux(stream) if p.size]


def inside(record: ChangeRecord, time: Fraction) -> bool:
    return any(s.start - 1e-6 <= time < s.end - 1e-6 for s in record.encoded)


@pytest.mark.parametrize(
    ("clip", "operator"),
    [
        (SOUNDING, "stray_frame"),
        (SOUNDING, "freeze"),
        ("8_footage/mdn_chroma_b.mp4", "flash"),
        ("1_shots/gcs_chrome-clip.mp4", "broken_blocks"),
    ],
)
def test_all_outside_the_runs_is_the_source_in_both_copies(
    media: Path, tmp_path: Path, clip: str, operator: str
) -> None:
    source = media / clip
    record = perturb(open_video(source), operator, "weak", 1, tmp_path / "a.mp4", control=tmp_path / "b.mp4")
    assert (record.mode, record.why_full, record.sound) == ("partial", None, "copied")
    before, at = frames(source), times(source)
    encoded = [inside(record, t) for t in at]
    assert 0 < sum(encoded) < len(at) / 2
    for copy in (tmp_path / "a.mp4", tmp_path / "b.mp4"):
        after = frames(copy)
        assert times(copy) == at
        assert [not np.array_equal(a, b) for a, b in zip(before, after, strict=True)] == encoded
        assert sum(a == b for a, b in zip(packets(source, "video"), packets(copy, "video"), strict=True)) == (
            index_of(source).frames - sum(encoded)
        )
        assert packets(copy, "audio") == packets(source, "audio")
        assert picture_length(copy) == picture_length(source)
    assert record.duration_in == record.duration_out == pytest.approx(float(picture_length(source)))


def test_nothing_but_the_damage_tells_the_copies_apart(
    media: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = media / SOUNDING
    damage = Damage([(3.0, 4.0, "negative")], negative)
    record = done(damage, open_video(source), tmp_path, monkeypatch)
    before, damaged, control = (frames(p) for p in (source, tmp_path / "a.mp4", tmp_path / "b.mp4"))
    for at, a, b, c in zip(times(source), before, damaged, control, strict=True):
        if 3 <= at < 4:
            assert np.abs(c.astype(int) - b).mean() > 20
        else:
            assert np.abs(b.astype(int) - c).mean() < 1.5
        noise = np.mean((a.astype(float) - c) ** 2)
        assert noise == 0 or 10 * np.log10(255**2 / noise) > 34
    recorded = record.changed[0].source
    assert recorded is not None
    assert record.share_changed == pytest.approx((recorded.end - recorded.start) / record.duration_in)
    assert record.changed[0].source == record.changed[0].output


def test_pictures_are_only_asked_for_inside_the_spans(
    media: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def picture(bgr: np.ndarray, time: float) -> np.ndarray:
        asked.append(time)
        return 255 - bgr

    source = media / SOUNDING
    done(Damage([(1.0, 1.5, "a"), (6.0, 6.2, "b")], picture), open_video(source), tmp_path, monkeypatch)
    assert asked == [float(t) for t in times(source) if 1 <= t < 1.5 or 6 <= t < 6.2]


def test_removed_spans_are_gone_to_the_frame_and_sound_stays_in_step(
    media: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = media / SOUNDING
    damage = Damage([(3.0, 4.5, "gone")], removed=((3.0, 4.5),))
    record = done(damage, open_video(source), tmp_path, monkeypatch)
    assert (record.mode, record.sound, record.changed[0].output) == ("partial", "encoded", None)
    at = times(source)
    kept = [i for i, t in enumerate(at) if not 3 <= t < 4.5]
    before, damaged, control = (frames(p) for p in (source, tmp_path / "a.mp4", tmp_path / "b.mp4"))
    assert len(damaged) == len(kept)
    assert len(control) == len(before)
    length = picture_length(tmp_path / "a.mp4")
    assert length == Fraction(len(kept) * 1001, 30000)
    assert record.duration_out == float(length)
    same = [np.array_equal(before[k], damaged[i]) for i, k in enumerate(kept)]
    assert [not s for s in same] == [inside(record, t) for t in times(tmp_path / "a.mp4")]
    assert sum(same) > len(kept) / 2
    for i, k in enumerate(kept):  # what one copy had to encode, the other did as well
        assert same[i] or not np.array_equal(before[k], control[k])
    cut = next(t for t in at if t >= Fraction(9, 2)) - next(t for t in at if t >= 3)
    assert abs(lag(tmp_path / "a.mp4", source, 6.0, 6.0 + float(cut))) < 0.003
    assert abs(lag(tmp_path / "a.mp4", source, 1.0, 1.0)) < 0.003
    assert abs(lag(tmp_path / "b.mp4", source, 6.0, 6.0)) < 0.003


def lag(one: Path, other: Path, here: float, there: float) -> float:
    """Seconds by which the sound of ``one`` at ``here`` is late against ``other`` at ``there``."""
    rate = 44_100
    a = SoundTrack(open_video(one), rate, 1).take(round(here * rate), rate // 2)[0]
    b = SoundTrack(open_video(other), rate, 1).take(round(there * rate) - 4000, rate // 2 + 8000)[0]
    fit = np.correlate(b, a, "valid")
    return (4000 - int(np.argmax(fit))) / rate


def test_an_order_moves_picture_and_sound_together(
    media: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = media / LONG
    end = facts_of(open_video(source)).duration
    order = ((10.0, 16.0), (4.0, 10.0), (16.0, end), (0.0, 4.0))
    damage = Damage([(a, b, "elsewhere") for a, b in order], order=order)
    record = done(damage, open_video(source), tmp_path, monkeypatch)
    assert (record.mode, record.sound) == ("partial", "encoded")
    assert record.duration_out == record.duration_in
    for change, (a, b) in zip(record.changed, order, strict=True):
        assert change.source is not None
        assert change.output is not None
        assert change.source.start == pytest.approx(a, abs=0.04)
        assert change.source.end == pytest.approx(b, abs=0.04)
        middle = a + 2
        moved = middle + change.output.start - change.source.start
        if a < 16:  # later on this film is silent
            assert abs(lag(tmp_path / "a.mp4", source, moved, middle)) < 0.005
        was = facts_of(open_video(source)).look
        now = facts_of(open_video(tmp_path / "a.mp4")).look
        assert was is not None
        assert now is not None
        assert np.abs(now(moved).astype(int) - was(middle)).mean() < 2
    assert len(frames(tmp_path / "a.mp4")) == len(frames(tmp_path / "b.mp4")) == index_of(source).frames


def test_an_insert_takes_the_place_of_frames_and_sound(
    media: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, other = media / SOUNDING, open_video(media / "8_footage" / "mla_elf.mp4")
    damage = Damage([(4.0, 6.0, "another film")], inserts=(Insert(4.0, 6.0, other, 2.5),))
    record = done(damage, open_video(source), tmp_path, monkeypatch)
    assert (record.mode, record.sound) == ("partial", "encoded")
    assert times(tmp_path / "a.mp4") == times(source)
    film = facts_of(open_video(source))
    shown, there = facts_of(open_video(tmp_path / "a.mp4")).look, facts_of(other).look
    assert shown is not None
    assert there is not None
    for at in (4.1, 5.0, 5.9):
        seen = shown(at).astype(int).mean(axis=(0, 1))
        expected = there(at - 1.5)
        high = round(expected.shape[1] * film.height / film.width)  # the shape is kept, the rest cut off
        top = (expected.shape[0] - high) // 2
        assert np.abs(seen - expected[top : top + high].astype(int).mean(axis=(0, 1))).max() < 4
    assert abs(lag(tmp_path / "a.mp4", Path(other.parts[0].path), 4.5, 3.0)) < 0.005
    assert abs(lag(tmp_path / "a.mp4", source, 8.0, 8.0)) < 0.003
    assert abs(lag(tmp_path / "b.mp4", source, 4.5, 4.5)) < 0.003


def test_sound_alone_leaves_every_picture_packet(media: Path, tmp_path: Path) -> None:
    source = media / SOUNDING
    record = perturb(open_video(source), "sound_gap", 1, 1, tmp_path / "a.mp4", control=tmp_path / "b.mp4")
    assert (record.mode, record.sound, record.encoded) == ("partial", "encoded", [])
    assert packets(tmp_path / "a.mp4", "video") == packets(tmp_path / "b.mp4", "video")
    assert packets(tmp_path / "a.mp4", "video") == packets(source, "video")
    assert packets(tmp_path / "a.mp4", "audio") != packets(tmp_path / "b.mp4", "audio")


@pytest.mark.parametrize(
    ("clip", "operator", "why"),
    [
        ("8_footage/intel_worker.mp4", "noise", "100% of its frames"),
        ("8_footage/intel_bolts.mp4", "flash", "of its frames"),
        ("1_shots/los_test1.mp4", "flash", "interlaced"),
    ],
)
def test_where_little_could_be_copied_both_copies_are_whole(
    media: Path, tmp_path: Path, clip: str, operator: str, why: str
) -> None:
    video = open_video(media / clip)
    record = perturb(video, operator, "weak", 1, tmp_path / "a.mp4", control=tmp_path / "b.mp4")
    assert record.mode == "full"
    assert why in (record.why_full or "")
    assert [(s.start, s.end) for s in record.encoded] == [(0, record.duration_out)]
    lengths = {picture_length(tmp_path / f"{name}.mp4") for name in "ab"}
    assert len(lengths) == 1
    assert abs(float(lengths.pop()) - record.duration_out) < 0.5 / facts_of(video).fps


@pytest.mark.parametrize("suffix", [".mkv", ".mp4"])
def test_a_part_and_another_container_are_encoded_whole(media: Path, tmp_path: Path, suffix: str) -> None:
    start = Fraction(1) if suffix == ".mp4" else None
    video = open_video(media / SOUNDING, start=start)
    record = perturb(video, "flash", 1, 1, tmp_path / f"a{suffix}")
    assert record.mode == "full"
    assert record.why_full


def test_whole_and_partial_copies_have_the_same_frames_and_sound(
    media: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, other = media / SOUNDING, open_video(media / "8_footage" / "mla_elf.mp4")
    damage = Damage(
        [(1.0, 2.0, "negative"), (3.0, 4.0, "gone"), (6.0, 7.0, "another")],
        negative,
        removed=((3.0, 4.0),),
        inserts=(Insert(6.0, 7.0, other, 1.0),),
    )
    (tmp_path / "whole").mkdir()
    partial = done(damage, open_video(source), tmp_path, monkeypatch)
    monkeypatch.setattr("longtake.meta.perturbations.partial.MOST_ENCODED", -1)
    whole = done(damage, open_video(source), tmp_path / "whole", monkeypatch)
    assert (partial.mode, whole.mode) == ("partial", "full")
    assert partial.changed == whole.changed
    assert partial.duration_out == whole.duration_out
    for name in ("a.mp4", "b.mp4"):
        one, two = frames(tmp_path / name), frames(tmp_path / "whole" / name)
        assert max(np.abs(a.astype(int) - b).mean() for a, b in zip(one, two, strict=True)) < 3
        assert picture_length(tmp_path / name) == pytest.approx(picture_length(tmp_path / "whole" / name))
        assert packets(tmp_path / name, "audio") == packets(tmp_path / "whole" / name, "audio")


def test_a_transport_stream_is_copied_in_part(media: Path, tmp_path: Path) -> None:
    stream = tmp_path / "film.ts"
    with av.open(str(media / SOUNDING)) as film, av.open(str(stream), "w") as copy:
        ways = {
            s.index: copy.add_stream_from_template(s) for s in film.streams if s.type in ("video", "audio")
        }
        for packet in film.demux(*[film.streams[i] for i in ways]):
            if packet.dts is not None:
                packet.stream = ways[packet.stream_index]
                copy.mux(packet)
    record = perturb(open_video(stream), "flash", 1, 1, tmp_path / "a.mp4", control=tmp_path / "b.mp4")
    assert (record.mode, record.sound) == ("partial", "copied")
    before, after = frames(stream), frames(tmp_path / "a.mp4")
    at = times(tmp_path / "a.mp4")
    assert [not np.array_equal(a, b) for a, b in zip(before, after, strict=True)] == [
        inside(record, t) for t in at
    ]
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == ["a.mp4", "b.mp4", "film.ts"]


def test_the_same_seed_gives_the_same_bytes(media: Path, tmp_path: Path) -> None:
    video = open_video(media / SOUNDING)
    for name in ("a", "b"):
        perturb(video, "broken_blocks", "weak", 7, tmp_path / f"{name}.mp4")
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()
    assert draw(video, "freeze", "weak", 1).spans != draw(video, "freeze", "weak", 2).spans


def test_another_brief_goes_beside_the_copy(
    media: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brief = Brief(duration=3.0)
    record = done(Damage([(0, 1, "x")], brief=brief), open_video(media / SOUNDING), tmp_path, monkeypatch)
    assert record.brief == str(tmp_path / "a.brief.json")
    assert Brief.model_validate_json(Path(record.brief).read_bytes()) == brief


def test_what_an_operator_lacks_is_told(media: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    video = open_video(media / SOUNDING)
    for need in ("clips", "captions", "pool", "other", "mask", "edit", "generate"):
        operator = Perturbation("some", "", "", 1, 2, 3, 0, 9, (), lambda *_: Damage([]), needs=(need,))
        monkeypatch.setattr(applying, "get", lambda name, chosen=operator: chosen)
        with pytest.raises(InputError):
            perturb(video, "some", 1, 0, tmp_path / "a.mp4")
    assert not list(tmp_path.iterdir())


def test_a_film_of_which_nothing_would_be_left_is_told(
    media: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="nothing"):
        done(Damage([], removed=((0.0, 99.0),)), open_video(media / SOUNDING), tmp_path, monkeypatch)


def test_a_folder_that_cannot_be_written_is_told(media: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OutputError):
        perturb(open_video(media / SOUNDING), "flash", 1, 1, tmp_path / "file" / "a.mp4")


def test_a_killed_run_leaves_no_file_under_the_final_name(media: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from longtake.media.open import open_video;"
        "from longtake.meta.perturbations import perturb;"
        "perturb(open_video(sys.argv[1]), 'black_frames', 9, 1, Path(sys.argv[2]), control=Path(sys.argv[3]))"
    )
    names = [str(tmp_path / "a.mp4"), str(tmp_path / "b.mp4")]
    process = subprocess.Popen([sys.executable, "-c", code, str(media / LONG), *names])
    until = clock.monotonic() + 60
    while not list(tmp_path.glob(".*.partial.mp4")) and clock.monotonic() < until:
        clock.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert list(tmp_path.glob(".*.partial.mp4"))
    assert not [name for name in names if Path(name).exists()]


def test_looking_into_a_film(media: Path) -> None:
    video = open_video(media / SOUNDING)
    film = facts_of(video)
    assert film.look is not None
    assert film.hash == video.hash
    all_frames = frames(media / SOUNDING)
    with av.open(str(media / SOUNDING)) as source:
        shown = [f.to_ndarray(format="bgr24") for f in source.decode(video=0)]
    for at, rank in ((0.0, 0), (3.35, 100), (9.99, 299), (50.0, 299)):
        assert np.abs(film.look(at).astype(int) - shown[rank]).mean() < 2
    assert len(all_frames) == 300
    part = facts_of(replace(video, start=Fraction(3)))
    assert part.look is not None
    assert np.abs(part.look(0.35).astype(int) - shown[100]).mean() < 2


def uneven(path: Path, times: list[float], *, sound: bool = False) -> Path:
    """A film whose frames, each of another grey, are shown at ``times``; the last one lasts 0.1 s."""
    with FilmWriter(path, 64, 48, 10, bframes=0, gop=1000, sample_rate=8000 if sound else None) as film:
        for i, time in enumerate(times):
            film.picture(np.full((48, 64, 3), 40 + 150 * i // len(times), np.uint8), time)
        if sound:
            film.sound(np.zeros((1, round((times[-1] + 0.1) * 8000)), np.float32))
        film.ends(times[-1] + 0.1)
    return path


LONG_FRAME = [i / 10 for i in range(5)] + [9.4 + i / 10 for i in range(5)]
"""Ten frames, of which one lasts nine of ten seconds."""


@pytest.mark.parametrize(
    "operator", ["freeze", "drop_frames", "black_frames", "broken_blocks", "repeat_frames"]
)
@pytest.mark.parametrize("mode", ["partial", "full"])
def test_damage_in_which_no_frame_begins_is_refused(tmp_path: Path, operator: str, mode: str) -> None:
    video = open_video(uneven(tmp_path / "film.mp4", LONG_FRAME))
    suffix = ".mp4" if mode == "partial" else ".mkv"
    with pytest.raises(InputError, match="would alter nothing from"):
        perturb(video, operator, "weak", 1, tmp_path / f"a{suffix}", control=tmp_path / f"b{suffix}")
    assert [p.name for p in tmp_path.iterdir()] == ["film.mp4"]


@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
def test_damage_that_leaves_each_frame_or_sample_as_it_was_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    video = open_video(uneven(tmp_path / "film.mp4", [i / 10 for i in range(40)], sound=True))
    targets = [tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"]
    targets[0].write_bytes(b"of before")
    for damage in (
        Damage([(1.0, 1.1, "a freeze of one frame")], lambda bgr, time: bgr),
        Damage([(1.0, 2.0, "a hole in silence")], sound=lambda samples, time, rate: samples * 0),
        Damage([(0.0, 4.0, "the same order")], order=((0.0, 2.0), (2.0, 4.0))),
    ):
        operator = Perturbation("some", "", "", 1, 2, 3, 0, 9, ("x",), lambda *_, made=damage: made)
        monkeypatch.setattr(applying, "get", lambda name, chosen=operator: chosen)
        with pytest.raises(InputError, match="would alter nothing"):
            perturb(video, "some", 1, 0, targets[0], control=targets[1])
    assert targets[0].read_bytes() == b"of before"
    assert sorted(p.name for p in tmp_path.iterdir()) == [targets[0].name, "film.mp4"]


def test_a_control_that_claims_nothing_may_leave_all_as_it_was(media: Path, tmp_path: Path) -> None:
    record = perturb(open_video(media / SOUNDING), "reencoded", 1, 1, tmp_path / "a.mp4")
    assert record.encoded
    assert record.changed


@pytest.mark.parametrize("suffix", [".mp4", ".mov", ".mkv"])
def test_whole_copies_of_an_uneven_film_are_as_long_as_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    times = [0.0]
    for i in range(60):
        times.append(times[-1] + (0.02, 0.24, 0.05, 0.13)[i % 4])
    video = open_video(uneven(tmp_path / "film.mp4", times))
    end = float(picture_length(tmp_path / "film.mp4"))
    cut = times[18]
    damage = Damage([(0.0, cut, "last"), (cut, end, "first")], order=((cut, end), (0.0, cut)))
    operator = Perturbation("some", "", "", 1, 2, 3, 0, 9, ("x",), lambda *_: damage)
    monkeypatch.setattr(applying, "get", lambda name: operator)
    monkeypatch.setattr("longtake.meta.perturbations.partial.MOST_ENCODED", -1)
    out, control = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    record = perturb(video, "some", 1, 0, out, control=control)
    assert (record.mode, record.duration_out) == ("full", pytest.approx(end, abs=1e-6))
    assert float(picture_length(out)) == pytest.approx(end, abs=1e-3)
    assert float(picture_length(control)) == pytest.approx(end, abs=1e-3)
    lasts = np.diff([*times, end])
    found = [float(t) for t in frame_times(open_video(out))]
    assert np.diff(found) == pytest.approx([*lasts[18:], *lasts[:18]], abs=1e-3)


def test_a_whole_copy_of_another_length_than_recorded_is_not_handed_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "film.mp4"
    with FilmWriter(path, 64, 48, 10, bframes=0) as film:
        for i in range(30):
            film.picture(np.full((48, 64, 3), i * 5, np.uint8))
        film.ends(7)
    video = open_video(path)
    monkeypatch.setattr(FilmWriter, "ends", lambda *_: None)  # a writer that loses the last frame's length
    with pytest.raises(OutputError, match=r"should have 30 of 7\.000 s"):
        perturb(video, "noise", "strong", 1, tmp_path / "a.mkv", control=tmp_path / "b.mkv")
    assert [p.name for p in tmp_path.iterdir()] == ["film.mp4"]


def test_copied_sound_from_a_matroska_film_keeps_its_last_packet(tmp_path: Path) -> None:
    film, out, control = (tmp_path / n for n in ("film.mkv", "a.mp4", "b.mp4"))
    rng = np.random.default_rng(0)
    with av.open(str(film), "w") as target:
        picture = target.add_stream("libx264", rate=10, options={"bf": "0", "g": "5"})
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        sound = target.add_stream("aac", rate=48_000, layout="mono")
        for i in range(240):
            grey = np.full((48, 64, 3), 40 + i % 150, np.uint8)
            target.mux(picture.encode(av.VideoFrame.from_ndarray(grey, "bgr24")))
        target.mux(picture.encode(None))  # so much before any sound that nobody sees how long its packets are
        for i in range(240):
            noise = (rng.standard_normal((1, 4800)) * 0.1).astype(np.float32)
            block = av.AudioFrame.from_ndarray(noise, "fltp", "mono")
            block.sample_rate, block.pts = 48_000, i * 4800
            target.mux(sound.encode(block))
        target.mux(sound.encode(None))
    with av.open(str(film)) as source:
        assert not any(p.duration for p in source.demux(audio=0))
    record = perturb(open_video(film), "flash", 1, 1, out, control=control)
    assert (record.mode, record.sound) == ("partial", "copied")
    for path in (out, control):
        assert packets(path, "audio") == packets(film, "audio")


def test_a_copy_that_is_made_whole_after_all_is_damaged_all_the_same(
    media: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise Unspliceable("it is checked too late")

    monkeypatch.setattr("longtake.meta.perturbations.partial.check", refuse)
    video = open_video(media / SOUNDING)
    record = perturb(video, "flash", 3, 1, tmp_path / "a.mp4", control=tmp_path / "b.mp4")
    assert record.why_full == "it is checked too late"
    pairs = zip(frames(tmp_path / "a.mp4"), frames(tmp_path / "b.mp4"), strict=True)
    assert sum(np.abs(a.astype(int) - b).mean() > 20 for a, b in pairs) == 3


def test_the_share_is_that_of_the_recorded_spans(media: Path, tmp_path: Path) -> None:
    record = perturb(open_video(media / SOUNDING), "flash", 3, 1, tmp_path / "a.mp4")
    spans = [c.source for c in record.changed if c.source]
    assert len(spans) == 3
    total = sum(s.end - s.start for s in spans)
    assert total == pytest.approx(3 / 29.97, rel=1e-3)  # one frame each
    assert record.share_changed == pytest.approx(total / record.duration_in)


@pytest.mark.parametrize("name", ["a.webm", "a.txt", "a", ".mp4", "folder.mp4", "null"])
def test_a_name_that_is_none_of_a_film_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "folder.mp4").mkdir()
    film = uneven(tmp_path / "film.mp4", [0.0, 0.1, 0.2])
    monkeypatch.setattr(applying, "draw", lambda *_, **__: pytest.fail("work was done"))
    for out, control in ((name, "b.mp4"), ("a.mp4", name)):
        with pytest.raises(UsageError) as caught:
            perturb(open_video(film), "noise", 8, 1, tmp_path / out, control=tmp_path / control)
        assert ".mp4, .m4v, .mov or .mkv" in (caught.value.hint or "")


def test_what_a_killed_run_left_is_gone_after_the_next(tmp_path: Path) -> None:
    film = uneven(tmp_path / "film.mp4", [i / 10 for i in range(20)])
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    ).stdout.strip()
    (tmp_path / f".a.{gone}.partial.mp4").write_bytes(b"x")
    left = tmp_path / f".a.{gone}.partial.x1y2"
    left.mkdir()
    (left / "film.mp4").write_bytes(b"x")
    perturb(open_video(film), "noise", 8, 1, tmp_path / "a.mp4")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.mp4", "film.mp4"]


def test_frames_that_cannot_be_decoded_are_counted(tmp_path: Path) -> None:
    film = tmp_path / "film.mp4"
    with FilmWriter(film, 64, 48, 10, bframes=0, gop=1) as writer:
        for i in range(20):
            writer.picture(np.full((48, 64, 3), 40 + 5 * i, np.uint8))
    with av.open(str(film)) as source:
        spoilt = [(p.pos, p.size) for p in source.demux(video=0) if p.size][8]
    with film.open("r+b") as file:
        file.seek(spoilt[0])
        file.write(bytes(spoilt[1]))
    record = perturb(open_video(film), "noise", 8, 1, tmp_path / "a.mp4", control=tmp_path / "b.mp4")
    assert (record.mode, record.facts["frames_not_decoded"]) == ("full", 1)
    assert len(frames(tmp_path / "a.mp4")) == len(frames(tmp_path / "b.mp4")) == 19
    assert float(picture_length(tmp_path / "a.mp4")) == record.duration_out == 2
