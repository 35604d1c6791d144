"""Text in the picture: error rates and tracks by hand, and films with text drawn on them: what was asked,
something else, text that melts, that stands still, that is replaced; and a real clip with a maker's mark."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

import films
import longtake
from longtake.core.brief import Brief, PlannedShot
from longtake.core.case import Case
from longtake.core.documents import VideoEntry
from longtake.core.evaluator import MeasuredCase
from longtake.core.measurement import Measurement
from longtake.core.signal import Signal, Signals
from longtake.evaluators.onscreen_text.evaluator import text_rendering, text_stability
from longtake.evaluators.onscreen_text.matching import best, distance, normal, rendered
from longtake.evaluators.onscreen_text.reading import cells_of
from longtake.evaluators.onscreen_text.tracks import steadiness, tracks, weighted
from longtake.execution.tools import FilmTools, Models
from longtake.media.open import open_video
from longtake.signals.text_lines import Line
from longtake.storage.cache import Cache

Picture = NDArray[np.uint8]
FPS = 8
WELCOME = "WELCOME HOME"


def slow_distance(one: str, other: str) -> int:
    """Levenshtein's recursion as it is written."""

    @cache
    def of(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return min(of(i - 1, j) + 1, of(i, j - 1) + 1, of(i - 1, j - 1) + (one[i - 1] != other[j - 1]))

    return of(len(one), len(other))


def test_distance_is_levenshteins() -> None:
    draw = random.Random(6)
    for _ in range(200):
        one, other = ("".join(draw.choices("ab cA", k=draw.randint(0, 9))) for _ in range(2))
        found = distance(one, other)
        assert found == slow_distance(one, other) == distance(other, one)
        # Letters outside of common blocks bound it from both sides.
        same = sum(b.size for b in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks())
        assert abs(len(one) - len(other)) <= found <= max(len(one), len(other))
        assert found <= len(one) + len(other) - 2 * same


def test_the_best_reading_may_be_a_part_and_go_over_lines() -> None:
    assert best("OPEN 24 HOURS", ["Joe's Diner", "OPEN 24", "HOURS a day"]) == (1, "OPEN 24 HOURS")
    assert best("OPEN", ["OPENING"]) == (1 - 3 / 4, "OPENING")  # a part of a word is not the word
    assert best("営業中", ["本日営業中です"]) == (1, "営業中")
    assert best("WELCOME HOME", ["WELCOMEHOME"]) == (pytest.approx(11 / 12), "WELCOMEHOME")
    assert best("Sold.", ["Sold"])[0] == best("Sold.", ["Sold."])[0] == best("Sold", ["Sold"])[0] == 1
    assert best("EXIT", []) == (0, "")
    assert rendered("Straße", "Strasse") == pytest.approx(1 - 2 / 6)
    assert normal(" Ａ\n b ") == "A b"


def line(text: str, x: float, y: float = 0.5, score: float = 0.99) -> Line:
    return Line(text, score, 0.9, (x, y, 0.2, 0.1))


def test_tracks_follow_a_place_and_not_what_is_said() -> None:
    frames = [
        (0.0, [line("ONE", 0.1), line("far", 0.7)]),
        (0.25, [line("0NE", 0.12)]),
        (0.5, [line("ONE", 0.14), line("far", 0.7)]),
        (5.0, [line("ONE", 0.14)]),
    ]
    found = tracks(frames, 1.0)
    assert [(t.times, t.texts) for t in found] == [
        ([0.0, 0.25, 0.5], ["ONE", "0NE", "ONE"]),
        ([0.0], ["far"]),
        ([0.5], ["far"]),
        ([5.0], ["ONE"]),
    ]
    assert steadiness(found[0].texts) == pytest.approx(2 / 3)
    # A shift by .1 of a box .2 wide leaves an overlap of 1/3, by .06 one of .54.
    assert len(tracks([(0.0, [line("A", 0.1)]), (0.25, [line("A", 0.2)])], 1.0)) == 2
    assert len(tracks([(0.0, [line("A", 0.1)]), (0.25, [line("A", 0.16)])], 1.0)) == 1
    assert weighted([], []) is None


def test_stretches_do_not_depend_on_who_asks() -> None:
    assert cells_of([(0.0, 4.0), (4.0, 11.0)]) == [0, 1, 2]
    assert cells_of([(7.0, 7.5)]) == [1]


def room(k: int) -> Picture:
    """A wall with moving light, so that every frame is another."""
    picture = np.full((360, 640, 3), (70, 60, 50), np.uint8)
    cv2.circle(picture, (60 + 6 * k, 320), 30, (40, 120, 160), -1)
    return picture


def written(picture: Picture, text: str, size: float = 1.4) -> Picture:
    """Letters that OpenCV draws alike everywhere, about the middle."""
    (width, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, size, 2)
    at = ((picture.shape[1] - width) // 2, 180)
    return np.asarray(cv2.putText(picture, text, at, cv2.FONT_HERSHEY_DUPLEX, size, (240, 240, 240), 2))


def melted(picture: Picture, amount: float) -> Picture:
    """Rows and columns shifted by waves of so many px."""
    height, width = picture.shape[:2]
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    wave = (x + amount * np.sin(y / 7)).astype(np.float32), (y + amount * np.sin(x / 11)).astype(np.float32)
    return np.asarray(cv2.remap(picture, *wave, cv2.INTER_LINEAR))


def film(path: Path, pictures: Iterator[Picture]) -> Path:
    films.write(path, pictures, films.Encoding(fps=FPS, options=(("crf", "12"), ("preset", "veryfast"))))
    return path


def case_of(path: Path, root: Path, brief: Brief | None, cuts: tuple[float, ...] = ()) -> MeasuredCase:
    video = open_video(path)
    import av

    with av.open(str(path)) as container:
        times = np.array([float(f.time or 0) for f in container.decode(video=0)])
    end = float(times[-1] + 1 / FPS)
    edges = np.array([0.0, *cuts, end])
    shots = Signal("shots", 1, columns={"start": edges[:-1], "end": edges[1:]})
    entry = VideoEntry(
        path=path.name,
        hash=video.hash,
        kind="file",
        duration=end,
        frames=len(times),
        width=640,
        height=360,
        fps=FPS,
        audio=False,
    )
    tools = FilmTools(video, times, Models(root), Cache(root))
    case = Case("x", path)
    return MeasuredCase(
        case, entry, Signals({"shots": shots}), brief, 0, tools=tools, settings={"seconds": 60}
    )


def wants(*texts: str, **times: float) -> Brief:
    return Brief(shots=[PlannedShot(index=i, text=text, **times) for i, text in enumerate(texts)])


SIGN = wants(f'A wall with a sign that reads "{WELCOME}".', duration=2)


def rendering(case: MeasuredCase) -> Measurement:
    (found,) = text_rendering.measure(case)
    return found


def stability(case: MeasuredCase) -> Measurement:
    (found,) = text_stability.measure(case)
    return found


def drawn(make: Callable[[int], Picture], seconds: float = 2) -> Iterator[Picture]:
    return (make(k) for k in range(int(seconds * FPS)))


def test_what_was_asked_something_else_nothing_and_melting(weights: Path, tmp_path: Path) -> None:
    """The asked text stands: 1 and 1. Another stands: low and 1. Nothing: 0, no text to be steady. It melts
    from half a second on: still there once, and no longer the same, as long as anything is read at all."""
    kinds: dict[str, Callable[[int], Picture]] = {
        "asked": lambda k: written(room(k), WELCOME),
        "other": lambda k: written(room(k), "BUY NOW"),
        "nothing": room,
        "melting": lambda k: melted(written(room(k), WELCOME), max(0, k - 4) * 1.5),
        "frozen": lambda k: written(room(0), WELCOME),
    }
    cases = {n: case_of(film(tmp_path / f"{n}.mp4", drawn(m)), weights, SIGN) for n, m in kinds.items()}
    there, steady = ({n: of(case) for n, case in cases.items()} for of in (rendering, stability))
    assert there["asked"].value == there["frozen"].value == there["melting"].value == 1
    assert there["asked"].evidence[0].what == f"“{WELCOME}” is there (planned shot 1)"
    assert there["asked"].facts["texts_right"] == 1
    assert there["other"].value is not None
    assert there["other"].value < 0.4
    assert there["nothing"].value == 0
    assert there["nothing"].evidence[0].what == f"“{WELCOME}” was not read (planned shot 1)"
    assert steady["asked"].value == steady["other"].value == steady["frozen"].value == 1
    assert steady["nothing"].status == "not_applicable"
    assert steady["melting"].value is not None
    assert steady["melting"].value < 0.9
    assert "readings of one text" in steady["melting"].evidence[0].what
    assert steady["asked"].facts["model"].startswith("ppocr sha256:")  # type: ignore[union-attr]


def test_a_text_is_looked_for_in_its_own_shot(weights: Path, tmp_path: Path) -> None:
    """Two shots of a second; the sign stands in the second one, and the brief wants it in the first."""
    path = film(tmp_path / "f.mp4", drawn(lambda k: written(room(k), WELCOME if k >= FPS else "CLOSED")))
    sign, label = f'A sign reads "{WELCOME}".', 'A label says. A label "CLOSED".'
    found = {
        "right": rendering(case_of(path, weights, wants(label, sign, duration=1), (1.0,))),
        "wrong": rendering(case_of(path, weights, wants(sign, label, duration=1), (1.0,))),
        "adrift": rendering(case_of(path, weights, wants(sign, label, "nobody"), (1.0,))),
    }
    assert found["right"].value == 1
    assert found["wrong"].value is not None
    assert found["wrong"].value < 0.4
    assert (found["adrift"].value, found["adrift"].facts["texts_not_placed"]) == (1, 2)
    assert [e.start for e in found["right"].evidence] == [0, 1]
    # A cut ends a text: neither changed within its shot. Without the cut it is one text that changed.
    assert stability(case_of(path, weights, None, (1.0,))).value == 1
    assert stability(case_of(path, weights, None)).value == pytest.approx(1)  # of other places: unlike boxes
    replaced = film(
        tmp_path / "g.mp4", drawn(lambda k: written(room(k), "HOT TEA" if k >= FPS else "HOT PIE"))
    )
    assert stability(case_of(replaced, weights, None)).value == pytest.approx(0.5)
    assert stability(case_of(replaced, weights, None, (1.0,))).value == 1


def test_who_cannot_be_asked_says_why(weights: Path, tmp_path: Path) -> None:
    path = film(tmp_path / "f.mp4", drawn(room, 1 / FPS))
    assert rendering(case_of(path, weights, None)).reason == "there is no brief"
    speech = wants('A woman at a sign says "Come in".')
    assert rendering(case_of(path, weights, speech)).status == "not_applicable"
    arabic = rendering(case_of(path, weights, wants('A sign reads "مخرج".')))
    assert (arabic.status, arabic.facts["texts_unreadable"]) == ("unscored", 1)
    assert rendering(case_of(path, weights, SIGN)).value == 0  # a film of one frame
    assert stability(case_of(path, weights, None)).status == "not_applicable"
    for found in (rendering(case_of(path, tmp_path, SIGN)), stability(case_of(path, tmp_path, None))):
        assert found.status == "unscored"
        assert "models pull" in (found.reason or "")


def test_a_mark_on_a_real_clip_is_read_and_no_other_sign(media: Path, weights: Path) -> None:
    """A maker's mark in the corner and a line of small print, by eye; the small print wavers."""
    for asked, right in (("Vidu", True), ("No Smoking", False)):
        brief = wants(f'A logo "{asked}" in the corner.')
        clip = media / "8_footage" / "va_3B.mp4"
        found = longtake.score(clip, ["text_rendering", "text_stability"], brief=brief, workers=1)
        there, steady = (result.measurements[0] for result in found.results)
        assert there.value is not None
        assert (there.value == 1) == right
        assert right or there.value < 0.5
        assert steady.value is not None
        assert steady.value >= 0.8
