"""Films of which all is black: nobody who looks at pictures has a value for them, and no judge is asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import longtake
from judge_server import JudgeServer
from judged_films import at
from longtake.core.brief import Brief, PlannedShot
from longtake.core.case import Case, Pair
from longtake.core.documents import VideoEntry
from longtake.core.evaluator import MeasuredCase
from longtake.core.signal import Event, Signal, Signals
from longtake.evaluators.shared.black import BLACK, black_film, black_of, is_black
from longtake.storage.manifest import write_pairs
from longtake.testing.films import Films, films

MEASURES = (
    *("dsa", "clipscore", "video-text", "long-code", "tracker_fg", "ms_debias", "video-qa", "video-bench"),
    *("videoscore", "videoscore2"),
)
PAIRS = ("pairwise.video", "pairwise.text")
BRIEF = Brief(
    instruction="Squares move.",
    shots=[PlannedShot(index=i, text=f"Square {i} moves.", start=i / 2, end=(i + 1) / 2) for i in range(4)],
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Films:
    return films(tmp_path_factory.mktemp("black"))


def case_of(black_share: float | None, dark: Sequence[tuple[float, float]] = ()) -> MeasuredCase:
    film = VideoEntry(
        path="f.mp4", hash="0", kind="file", duration=4, frames=8, width=64, height=36, fps=2, audio=False
    )
    events = tuple(Event("black", a, b, 0.0, "") for a, b in dark)
    known = Signal("picture", 2, facts={"black_share": black_share}, events=events)
    told = {} if black_share is None else {"picture": known}
    return MeasuredCase(Case("x", Path("f.mp4")), film, Signals(told), None, 1000)


def test_a_film_is_black_where_every_frame_is() -> None:
    assert black_film(case_of(1.0)) == BLACK
    assert black_film(case_of(0.999)) is None
    assert black_film(case_of(None)) is None  # not measured, so not known


def test_a_stretch_is_black_but_for_a_frame_at_its_ends() -> None:
    spans = [(0.0, 1.0), (1.0, 2.0), (2.0, 4.0)]
    assert black_of(case_of(0.3, [(1.03, 2.0)]), spans) == [False, True, False]
    assert black_of(case_of(0.3, [(1.2, 2.0)]), spans) == [False, False, False]
    assert black_of(case_of(0.7, [(0.0, 1.0), (2.0, 4.0)]), spans) == [True, False, True]
    assert black_of(case_of(None), spans) == [False] * 3


def test_black_is_neither_light_nor_texture() -> None:
    black = np.zeros((36, 64, 3), np.uint8)
    assert is_black(black)
    assert is_black(black + np.uint8(8))
    assert not is_black(black + np.uint8(12))
    lamp = black.copy()
    lamp[10:14, 10:14] = 200  # a light in the dark
    assert not is_black(lamp)


@pytest.mark.parametrize("film", ["black", "dark"])
def test_nobody_scores_a_black_film_and_no_judge_is_asked(
    film: str, made: Films, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with JudgeServer("vllm") as server:
        at(server, tmp_path, monkeypatch)
        found = longtake.score(getattr(made, film), MEASURES, brief=BRIEF, judge="openai", signals="light")
    assert [r.evaluator for r in found.results] == list(MEASURES)
    for result in found.results:
        for m in result.measurements:
            assert (m.status, m.value) == ("unscored", None), (result.evaluator, m.name)
            assert BLACK in str(m.reason), (result.evaluator, m.name, m.reason)
    assert server.requests == []


def test_a_pair_with_a_black_film_has_no_choice(
    made: Films, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brief = tmp_path / "brief.json"
    brief.write_text(BRIEF.model_dump_json(exclude_none=True))
    table = write_pairs(tmp_path / "p.csv", [Pair("p", "s", "aesthetics", made.shots, made.dark, brief)])
    with JudgeServer("vllm") as server:
        at(server, tmp_path, monkeypatch)
        found = longtake.score(table, PAIRS, judge="openai", signals="light")
    assert {(p.evaluator, p.order): p.reason for p in found.preferences if p.evaluator in PAIRS} == {
        (name, order): f"film {place}: {BLACK}" for name in PAIRS for order, place in (("ab", 2), ("ba", 1))
    }
    assert server.requests == []
