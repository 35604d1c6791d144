"""What was seen and heard, from signals to documents, and pictures of faces out of kept frames."""

from __future__ import annotations

import base64
import shutil
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

import longtake
from longtake.content import (
    LIKENESS_SHOTS,
    LISTS,
    cast_of,
    content_of,
    likeness_of,
    things_of,
    transcript_of,
)
from longtake.core.content import Appearance, CastMember
from longtake.core.signal import Event, Signal, Signals, TraceEntry
from longtake.portraits import IN_ALL, PER_PERSON, portraits
from longtake.storage.results import DATABASE, Results


def track(person: int | None, start: float, end: float, sure: float | None = 0.9, **more: object) -> dict:
    return {"person": person, "shot": 0, "start": start, "end": end, "sure": sure, **more}


def test_a_list_without_its_signal_is_empty_and_has_the_reason() -> None:
    why = "the weights of whisper-base are absent (longtake models pull whisper-base)"
    fields = content_of(Signals({"speech": Signal("speech", 1, "skipped", why)}))
    assert fields["transcript"] == []
    assert fields["basis"]["transcript"].reason == why
    assert fields["basis"]["transcript"].note is None
    assert fields["basis"]["cast"].reason == "not asked for"
    assert set(fields["basis"]) == set(LISTS)


def test_a_result_names_its_models_and_how_far_it_goes() -> None:
    found = Signal("objects", 1, columns={c: np.zeros(0) for c in ("time", "label", "confidence")})
    trace = [TraceEntry(tool="objects", status="ok", model="yolov3-tiny 0.0.5")]
    basis = content_of(Signals({"objects": found}, trace))["basis"]["things"]
    assert basis.model == "yolov3-tiny 0.0.5"
    assert "weak detector" in basis.note


def test_the_cast_is_longest_in_view_first_and_the_unidentified_last() -> None:
    rows = [
        track(-1, 0.0, 50.0, None),
        track(0, 0.0, 2.0),
        track(3, 0.0, 4.0, 1.0),
        track(3, 3.0, 6.0, 0.5),
        track(0, 9.0, 9.5),
    ]
    cast = cast_of(rows)
    assert [m.person for m in cast] == [3, 0, None]
    assert cast[0].seconds == 6.0
    assert cast[0].sure == pytest.approx((4 * 1.0 + 3 * 0.5) / 7, abs=1e-3)
    assert cast[2].sure is None
    assert [a.track for a in cast[1].appearances] == [1, 4]


def word(text: str, start: float, segment: int = 0, confidence: float = 0.9) -> dict:
    return {"word": text, "start": start, "end": start + 0.3, "segment": segment, "confidence": confidence}


def test_words_lie_in_the_stretch_that_holds_them_or_in_their_segment() -> None:
    rows = [word(" go", 0.0), word("home", 0.5, confidence=0.5), word("now", 2.0), word("then", 5.0, 1)]
    events = [
        Event("speech", 0.0, 0.9, 0.7, "Go home."),
        Event("speech", 1.9, 2.4, 0.9, "Now!"),
        Event("untold", 3.0, 4.0, what="two voices"),
    ]
    lines = transcript_of(rows, events)
    assert [u.text for u in lines] == ["Go home.", "Now!", "", "then"]
    assert [len(u.words) for u in lines] == [2, 1, 0, 1]
    assert lines[0].words[0].text == "go"
    assert lines[0].confidence == 0.7
    assert lines[2].reason == "two voices"


def test_things_are_counted_by_looks_and_weak_detections_do_not_count() -> None:
    found = ((1.0, 0.7), (1.0, 0.9), (3.0, 0.65), (4.0, 0.5))
    rows = [{"time": t, "label": "dog", "confidence": c} for t, c in found]
    rows.append({"time": 2.0, "label": "person", "confidence": 0.39})
    (dog,) = things_of(rows)
    assert (dog.looks, dog.first, dog.last, dog.confidence) == (2, 1.0, 3.0, 0.9)


def scenes_signal(pairs: list[tuple[int, int, float]]) -> Signal:
    a, b, likeness = (np.array(column) for column in zip(*pairs, strict=True))
    return Signal("scenes", 1, columns={"a": a, "b": b, "likeness": likeness})


def test_likeness_is_a_triangle_with_gaps_where_nothing_was_compared() -> None:
    table = likeness_of(scenes_signal([(0, 2, 0.25), (5, 2, -0.5)]))
    assert table is not None
    assert table.shots == [0, 2, 5]
    assert table.likeness == [[], [0.25], [None, -0.5]]
    assert table.same_scene == []
    assert likeness_of(Signal("scenes", 1)) is None


def test_likeness_of_very_many_shots_is_thinned_evenly_and_says_so() -> None:
    n = LIKENESS_SHOTS + 100
    table = likeness_of(scenes_signal([(i, i + 1, 0.5) for i in range(n - 1)]))
    assert table is not None
    assert len(table.shots) == LIKENESS_SHOTS
    assert (table.shots[0], table.shots[-1], table.left_out) == (0, n - 1, 100)


def test_of_very_many_shots_those_compared_with_all_others_are_told() -> None:
    n, leading = LIKENESS_SHOTS + 100, range(0, LIKENESS_SHOTS + 100, 8)
    pairs = {(i, i + 1) for i in range(n - 1)} | {(a, b) for a in leading for b in leading if a < b}
    table = likeness_of(scenes_signal([(a, b, 0.5) for a, b in sorted(pairs)]))
    assert table is not None
    assert table.shots == list(leading)
    assert all(v == 0.5 for row in table.likeness for v in row)


BOX = (0.25, 0.25, 0.25, 0.25)


def draw(path: Path, seconds: int = 4) -> None:
    """Grey film, 384x288, with a white square that stands where ``BOX`` is."""
    picture = np.full((288, 384, 3), 90, np.uint8)
    cv2.rectangle(picture, (96, 72), (191, 143), (255, 255, 255), -1)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 384, 288, "yuv420p"
        for i in range(seconds * 10):
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = i, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def member(person: int | None, tracks: list[tuple[int, float, float, float]]) -> CastMember:
    x, y, width, height = BOX
    found = [
        Appearance(track=n, shot=0, start=a, end=b, time=t, x=x, y=y, width=width, height=height, sure=0.9)
        for n, a, b, t in tracks
    ]
    return CastMember(person=person, seconds=1.0, appearances=found)


def test_a_portrait_is_cut_out_of_the_kept_frame_nearest_to_the_best_view(tmp_path: Path) -> None:
    draw(tmp_path / "film.mp4")
    measured = longtake.measure(tmp_path / "film.mp4", ["frames"])
    cast = [member(0, [(7, 0.4, 3.2, 2.3), (9, 3.4, 3.6, 3.5)])]
    (portrait,) = portraits(measured, cast)  # the second track is too short to have a kept frame
    assert portrait.track == 7
    assert portrait.time == pytest.approx(2.0)
    picture = cv2.imdecode(np.frombuffer(portrait.jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    white = picture > 200
    assert 0.15 < white.mean() < 0.5
    rows, columns = np.nonzero(white)
    height, width = picture.shape
    assert abs(rows.mean() / height - 0.5) < 0.12
    assert abs(columns.mean() / width - 0.5) < 0.12


def test_portraits_of_a_crowd_are_bounded_and_everybody_has_one(tmp_path: Path) -> None:
    draw(tmp_path / "film.mp4")
    measured = longtake.measure(tmp_path / "film.mp4", ["frames"])
    people = IN_ALL // 4
    cast = [member(p, [(100 * p + i, 0.0, 3.9, 1.0) for i in range(30)]) for p in range(people)]
    found = portraits(measured, cast)
    assert len(found) == IN_ALL
    counts = np.bincount([p.track // 100 for p in found])
    assert counts.min() >= 1
    assert counts.max() <= PER_PERSON


def test_a_face_outside_of_the_picture_has_no_portrait(tmp_path: Path) -> None:
    draw(tmp_path / "film.mp4")
    measured = longtake.measure(tmp_path / "film.mp4", ["frames"])
    gone = member(0, [(0, 0.0, 3.0, 1.0)]).appearances[0].model_copy(update={"x": 2.0})
    assert portraits(measured, [CastMember(person=0, seconds=1.0, appearances=[gone])]) == []


def test_a_talking_clip_comes_out_with_its_speaker_and_words(
    media: Path, weights: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    found = longtake.diagnose(
        media / "2_speaking" / "grid_pwij3p.mpg", out=out, signals="frames,faces,speech", workers=1
    )
    assert [m.person for m in found.cast] == [0]
    assert "white" in found.transcript[0].text.lower()
    assert found.basis["transcript"].facts["language"] == "en"
    assert found.basis["on_screen_text"].reason == "not asked for"
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(out / DATABASE, alone)
    again = longtake.write_report(alone)
    assert again.cast == found.cast
    assert again.transcript == found.transcript
    (portrait,) = Results(alone).portraits()
    assert portrait.track == found.cast[0].appearances[0].track
    page = (alone / "report.html").read_text("utf-8")
    assert "1 person was told apart by the face" in page
    assert base64.b64encode(portrait.jpeg).decode() in page
