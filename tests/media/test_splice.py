"""Partial re-encoding: what is copied is copied bit for bit, what is encoded is where it was planned."""

import itertools
import random
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from media_films import FPS, drifting
from splice_films import FRAMES, KINDS, Kind, Spliced, decoded, edited, make, packets_of, touched

from longtake.errors import OutputError
from longtake.media.h264_index import Unspliceable, index_of, needs_remux
from longtake.media.h264_sets import Avcc, Bits, picture_set_ids, read_avcc, sequence_set, units
from longtake.media.length import picture_length
from longtake.media.open import open_video
from longtake.media.read import Picture, ReadReport, read
from longtake.media.splice import remuxed, splice
from longtake.media.splice_plan import Piece, encoded_runs, encoded_share, plan
from longtake.media.splice_sound import copies_sound
from longtake.media.write import FilmWriter

SPANS = [(60, 75), (130, 131)]
PARTIAL = [name for name in KINDS if name not in ("one IDR", "open GOP")]
"""Films in which copying begins again."""


def runs_of(made: Spliced) -> set[int]:
    """Places of encoded frames in the output, hidden ones left out."""
    runs = encoded_runs(made.steps)
    return {i - made.index.hidden for first, last in runs for i in range(first, last)}


def check_copied(made: Spliced) -> None:
    """Everything that was not to be encoded is the source's, to the bit and the tick."""
    before, after = packets_of(made.source), packets_of(made.out)
    assert sorted(p.pts for p in after) == sorted(p.pts for p in before)
    if made.source.suffix == ".mp4":
        assert [p.dts for p in after] == [p.dts for p in before]
    same = [a.data == b.data for a, b in zip(before, after, strict=True)]
    encoded = runs_of(made)  # runs begin and end at clean cuts, where the two orders agree
    assert same == [i - made.index.hidden not in encoded for i in range(len(same))]
    assert packets_of(made.out, "audio") == packets_of(made.source, "audio")
    rounding = 0 if made.source.suffix == ".mp4" else Fraction(1, 1000)
    assert abs(picture_length(made.out) - picture_length(made.source)) <= rounding
    (was, was_at), (now, now_at) = decoded(made.source), decoded(made.out)
    assert now_at == was_at
    assert [i for i, (a, b) in enumerate(zip(was, now, strict=True)) if a != b] == sorted(encoded)


def slice_set_id(unit: bytes) -> int:
    """The id of the picture parameter set that a slice (NAL unit with its header byte) refers to."""
    bits = Bits(unit[1:32])
    bits.ue()
    bits.ue()
    return bits.ue()


@pytest.mark.parametrize("name", PARTIAL)
def test_all_but_the_runs_is_the_sources(tmp_path: Path, name: str) -> None:
    kind = KINDS[name]
    made = touched(make(tmp_path, kind), tmp_path / "out.mp4", SPANS)
    check_copied(made)
    wanted = sum(b - a for a, b in SPANS)
    longest = max(b - a for a, b in itertools.pairwise([*np.flatnonzero(made.index.idr), made.index.frames]))
    assert wanted <= len(runs_of(made)) <= wanted + len(SPANS) * (longest + 8)
    assert made.index.depth == {"no B-frames": 0, "B-frames that none leans on": 1}.get(
        name, 0 if kind.bframes == 0 else 2
    )
    with av.open(str(made.source)) as was, av.open(str(made.out)) as now:
        a, b = next(was.decode(video=0)), next(now.decode(video=0))
        assert a.rotation == b.rotation == (kind.rotation or 0)
        assert a.color_range == b.color_range
        assert was.streams.video[0].sample_aspect_ratio == now.streams.video[0].sample_aspect_ratio


@pytest.mark.parametrize(
    "spans",
    [
        [(0, 1)],
        [(0, 30)],
        [(FRAMES - 1, FRAMES)],
        [(100, 101)],
        [(50, 52), (56, 58)],
        [(50, 60), (60, 70)],
        [(96, 144)],
        [(0, FRAMES)],
        [],
    ],
    ids=str,
)
def test_spans_of_every_kind(tmp_path: Path, spans: list[tuple[int, int]]) -> None:
    made = touched(make(tmp_path, Kind()), tmp_path / "out.mp4", spans)
    check_copied(made)
    assert {i for a, b in spans for i in range(a, b)} <= runs_of(made)
    assert bool(spans) == bool(runs_of(made))


@pytest.mark.parametrize("name", ["one IDR", "open GOP"])
def test_where_copying_never_begins_again_all_the_rest_is_encoded(tmp_path: Path, name: str) -> None:
    made = touched(make(tmp_path, KINDS[name]), tmp_path / "out.mp4", [(60, 75)])
    assert sum(made.index.idr) == 1
    assert made.steps[-1].pieces[-1].last == FRAMES
    assert encoded_share(made.steps) > 0.6


@pytest.mark.parametrize("suffix", [".ts", ".h264"])
def test_a_byte_stream_is_brought_into_an_mp4_first(tmp_path: Path, suffix: str) -> None:
    source = make(tmp_path, Kind())
    stream = tmp_path / f"film{suffix}"
    with av.open(str(source)) as film, av.open(str(stream), "w") as copy:
        streams = film.streams.video if suffix == ".h264" else film.streams
        ways = {s.index: copy.add_stream_from_template(s) for s in streams}
        for packet in film.demux(list(streams)):
            if packet.dts is not None:
                packet.stream = ways[packet.stream_index]
                copy.mux(packet)
    assert needs_remux(stream)
    assert not needs_remux(source)
    with pytest.raises(Unspliceable, match="avcC"):
        index_of(stream)
    if suffix == ".h264":
        with pytest.raises(Unspliceable, match="no time"):
            remuxed(stream, tmp_path / "lengths.mp4")
        return
    remuxed(stream, tmp_path / "lengths.mp4")
    made = touched(tmp_path / "lengths.mp4", tmp_path / "out.mp4", SPANS)
    check_copied(made)
    assert decoded(stream)[0] == decoded(made.source)[0]


def test_both_sets_stand_in_the_header_and_slices_name_theirs(tmp_path: Path) -> None:
    made = touched(make(tmp_path, Kind()), tmp_path / "out.mp4", SPANS)
    with av.open(str(made.out)) as film:
        avcc = read_avcc(bytes(film.streams.video[0].codec_context.extradata))
    old = read_avcc(bytes(made.index.avcc.encoded()))
    assert old == made.index.avcc
    assert avcc.sequence_sets[:-1] == old.sequence_sets
    assert avcc.picture_sets[:-1] == old.picture_sets
    ids = [sequence_set(s).id for s in avcc.sequence_sets]
    assert len(set(ids)) == len(ids) == 2
    assert [picture_set_ids(p)[1] for p in avcc.picture_sets] == ids
    encoded = runs_of(made)
    pts = sorted(p.pts for p in packets_of(made.out))
    for packet in packets_of(made.out):
        own = pts.index(packet.pts) in encoded
        for unit in units(packet.data, avcc.length_size):
            if unit[0] & 31 in (1, 5):
                assert slice_set_id(bytes(unit)) == ids[own]
            assert unit[0] & 31 not in (7, 8, 9)


def test_with_the_sources_ids_copied_frames_would_be_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = make(tmp_path, KINDS["baseline"])
    monkeypatch.setattr(Avcc, "free_id", lambda self: 0)
    made = touched(source, tmp_path / "out.mp4", SPANS)
    try:
        with av.open(str(made.out)) as film:
            now = [f.to_ndarray().tobytes() for f in film.decode(video=0)]
    except av.error.FFmpegError:
        now = []
    with av.open(str(source)) as film:
        was = [f.to_ndarray().tobytes() for f in film.decode(video=0)]
    wrong = [i for i, (a, b) in enumerate(zip(was, now, strict=False)) if a != b and i not in runs_of(made)]
    assert wrong or len(now) != len(was)


def test_a_reader_lands_right_around_every_join(tmp_path: Path) -> None:
    made = touched(make(tmp_path, Kind()), tmp_path / "out.mp4", SPANS)
    hashes, times = decoded(made.out)
    joins = [edge for run in encoded_runs(made.steps) for edge in run]
    places = [j + d for j in joins for d in (-3, -1, 0, 1, 5) if 0 <= j + d < FRAMES]
    random.Random(1).shuffle(places)
    whole = {p.time: p.image.to_ndarray() for p in read(open_video(made.out), ReadReport(), sound=False)}  # type: ignore[union-attr]
    assert len(whole) == len(hashes) == FRAMES
    for place in places:
        time = times[place]
        found = next(
            p
            for p in read(open_video(made.out), ReadReport(), sound=False, start=time, end=time)
            if isinstance(p, Picture) and p.time == time
        )
        assert np.array_equal(found.image.to_ndarray(), whole[time])


def test_encoded_frames_look_like_the_source(tmp_path: Path) -> None:
    made = touched(make(tmp_path, Kind()), tmp_path / "out.mp4", SPANS)
    with av.open(str(made.source)) as was, av.open(str(made.out)) as now:
        pairs = list(zip(was.decode(video=0), now.decode(video=0), strict=True))
    for i in runs_of(made):
        a, b = (f.to_ndarray().astype(float) for f in pairs[i])
        assert 10 * np.log10(255**2 / np.mean((a - b) ** 2)) > 32, i


def test_deleted_frames_leave_an_exact_length_and_even_steps(tmp_path: Path) -> None:
    source = make(tmp_path, Kind(sound=False))
    made = edited(source, tmp_path / "out.mp4", [Piece(0, 50), Piece(110, 180), Piece(185, FRAMES)])
    kept = [*range(50), *range(110, 180), *range(185, FRAMES)]
    (was, _), (now, times) = decoded(source), decoded(made.out)
    assert len(now) == len(kept)
    assert picture_length(made.out) == Fraction(len(kept), FPS)
    assert {b - a for a, b in itertools.pairwise(times)} == {Fraction(1, FPS)}
    encoded = runs_of(made)
    assert 0 < len(encoded) < len(kept) / 2
    assert [i for i, k in enumerate(kept) if was[k] != now[i]] == sorted(encoded)


@pytest.mark.parametrize("name", ["B-frames that others lean on", "Matroska", "edit list", "no B-frames"])
def test_reordered_frames_keep_their_lengths(tmp_path: Path, name: str) -> None:
    source = make(tmp_path, KINDS[name]._replace(sound=False))
    hidden = index_of(source).hidden
    bounds = [hidden, 60, 100, 160, FRAMES]
    order = [0, 3, 1, 2]
    pieces = [Piece(bounds[i], bounds[i + 1]) for i in order]
    made = edited(source, tmp_path / "out.mp4", pieces)
    ranks = [r for p in pieces for r in range(p.first, p.last)]
    (was, was_at), (now, now_at) = decoded(source), decoded(made.out)
    ends = [*was_at, was_at[0] + picture_length(source)]
    lasts = [ends[r - hidden + 1] - ends[r - hidden] for r in ranks]
    assert [t - now_at[0] for t in now_at] == [0, *itertools.accumulate(lasts[:-1])]
    assert abs(picture_length(made.out) - picture_length(source)) <= Fraction(name == "Matroska", 1000)
    runs = {i for a, b in encoded_runs(made.steps) for i in range(a, b)}
    assert [i for i, r in enumerate(ranks) if was[r - hidden] != now[i]] == sorted(runs)


def test_a_length_that_cannot_be_kept_is_noticed(tmp_path: Path) -> None:
    # An MP4 cannot say how long a last frame lasts that is not decoded last.
    source = make(tmp_path, KINDS["uneven"]._replace(sound=False))
    pieces = [Piece(0, 60), Piece(160, FRAMES), Piece(60, 100), Piece(100, 160)]
    with pytest.raises(Unspliceable, match="length"):
        edited(source, tmp_path / "out.mp4", pieces)


def test_what_was_reordered_can_be_put_back(tmp_path: Path) -> None:
    source = make(tmp_path, Kind(sound=False))
    there = edited(source, tmp_path / "a.mp4", [Piece(48, 96), Piece(0, 48), Piece(96, FRAMES)])
    back = edited(there.out, tmp_path / "b.mp4", [Piece(48, 96), Piece(0, 48), Piece(96, FRAMES)])
    assert runs_of(there) == runs_of(back) == set()
    assert decoded(back.out)[0] == decoded(source)[0]


def test_what_is_drawn_is_shown(tmp_path: Path) -> None:
    source = make(tmp_path, Kind())
    index = index_of(source)
    steps = plan([Piece(0, 60), Piece(60, 70, 0), Piece(70, FRAMES)], index.idr, index.clean)
    seen = []

    def draw(mark: int, shown: Picture) -> av.VideoFrame:
        seen.append((mark, shown.time))
        grey = av.VideoFrame.from_ndarray(np.full((64, 96, 3), 128, np.uint8), format="bgr24")
        return grey.reformat(format="yuv420p")

    splice(open_video(source), index, steps, draw, tmp_path / "out.mp4", sound=True)
    assert seen == [(0, Fraction(i, FPS)) for i in range(60, 70)]
    with av.open(str(tmp_path / "out.mp4")) as film:
        spread = [f.to_ndarray(format="gray").std() for f in film.decode(video=0)]
    assert [i for i, s in enumerate(spread) if s < 3] == list(range(60, 70))


def test_the_same_again_gives_the_same_file(tmp_path: Path) -> None:
    source = make(tmp_path, Kind())
    first = touched(source, tmp_path / "a.mp4", SPANS).out
    assert first.read_bytes() == touched(source, tmp_path / "b.mp4", SPANS).out.read_bytes()


def test_a_full_disk_or_a_missing_folder_is_told(tmp_path: Path) -> None:
    source = make(tmp_path, Kind())
    with pytest.raises(OutputError):
        touched(source, tmp_path / "none" / "out.mp4", SPANS)


REFUSED = {
    "interlaced": ({"x264-params": "interlaced=1"}, "interlaced"),
    "4:4:4": ({"pix_fmt": "yuv444p"}, "4:2:0"),
    "hevc": ({"codec": "libx265"}, "only H.264"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_spliced_says_why(tmp_path: Path, name: str) -> None:
    settings, reason = REFUSED[name]
    more = {k: v for k, v in settings.items() if k != "x264-params"}
    options = {k: v for k, v in settings.items() if k == "x264-params"}
    with FilmWriter(tmp_path / "a.mp4", 96, 64, FPS, options=options, **more) as film:
        for picture in drifting(10):
            film.picture(picture)
    with pytest.raises(Unspliceable, match=reason):
        index_of(tmp_path / "a.mp4")


def test_two_pictures_of_one_time_are_refused(tmp_path: Path) -> None:
    source = make(tmp_path, Kind(sound=False, bframes=0), frames=20)
    with av.open(str(source)) as film, av.open(str(tmp_path / "a.mkv"), "w") as copy:
        out = copy.add_stream_from_template(film.streams.video[0], opaque=True)
        for i, packet in enumerate(p for p in film.demux(video=0) if p.size):
            packet.stream = out
            if i == 8:
                packet.pts = packet.dts = packet.pts - packet.duration
            copy.mux(packet)
    with pytest.raises(Unspliceable, match="same time"):
        index_of(tmp_path / "a.mkv")


def test_sound_that_an_mp4_cannot_hold_is_known(media: Path) -> None:
    assert copies_sound(media / "8_footage" / "mla_elf.mp4") == (True, 0)
    assert copies_sound(media / "8_footage" / "sam_dog.mp4") == (True, 1)  # a track with a time code
    assert copies_sound(media / "8_footage" / "sam_dog.mp4", one=True) == (True, 1)


REAL = [
    "8_footage/wrtc_chrome_b.mp4",
    "8_footage/mdn_chroma_a.mp4",
    "8_footage/ffp_in.mp4",
    "1_shots/gcs_chrome-clip.mp4",
    "2_speaking/mdn_friday.mp4",
    "8_footage/intel_fruit.mp4",
    "4_formats/mla_rabbit320.mp4",
]


@pytest.mark.parametrize("name", REAL)
def test_films_from_the_wild(media: Path, tmp_path: Path, name: str) -> None:
    source = media / name
    frames = index_of(source).frames
    made = touched(source, tmp_path / "out.mp4", [(frames // 3, frames // 3 + 3)])
    assert encoded_share(made.steps) < 0.5
    encoded = runs_of(made)
    (was, was_at), (now, now_at) = decoded(source), decoded(made.out)
    assert now_at == was_at
    assert [i for i, (a, b) in enumerate(zip(was, now, strict=True)) if a != b] == sorted(encoded)
    before, after = packets_of(source), packets_of(made.out)
    same = sum(a.data == b.data for a, b in zip(before, after, strict=True))
    assert same == len(before) - len(encoded)
    sounds = packets_of(source, "audio"), packets_of(made.out, "audio")
    assert [p.data for p in sounds[0]] == [p.data for p in sounds[1]]
    assert [p.pts for p in sounds[0]] == [p.pts for p in sounds[1]]


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
def test_ffmpeg_has_nothing_to_say(tmp_path: Path) -> None:
    made = touched(make(tmp_path, Kind()), tmp_path / "out.mp4", SPANS)
    command = ["ffmpeg", "-v", "error", "-i", str(made.out), "-f", "null", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout + done.stderr == ""
