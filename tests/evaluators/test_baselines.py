"""Blind cues against numbers known beforehand, and controls that must know nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest

import films
from longtake.core.case import Case
from longtake.core.documents import VideoEntry
from longtake.core.evaluator import MeasuredCase
from longtake.core.signal import Signals
from longtake.evaluators.baselines.evaluator import RandomEvaluator, constant
from longtake.evaluators.registry import BASELINES, EVALUATORS
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.media.open import open_video


def film_entry(digest: str) -> VideoEntry:
    return VideoEntry(
        path="film.mp4",
        hash=digest,
        kind="file",
        duration=2.0,
        frames=50,
        width=64,
        height=36,
        fps=25,
        audio=False,
    )


def by_hand(digest: str) -> MeasuredCase:
    """A film of which nothing is known but its content's hash."""
    return MeasuredCase(Case("x", Path("film.mp4")), film_entry(digest), Signals({}), None, 1000)


def measured(path: Path) -> MeasuredCase:
    video = open_video(path)
    found = measure(video, ("motion", "picture"), workers=1)
    return MeasuredCase(
        Case("x", path), video_entry(video, found, None), found.signals, None, path.stat().st_size
    )


def value(name: str, case: MeasuredCase) -> float | None:
    (found,) = EVALUATORS.load(name).measure(case)  # type: ignore[union-attr]
    return found.value


def grey_film(path: Path, levels: list[int]) -> Path:
    """Even pictures of these grey levels, without loss."""
    lossless = films.Encoding(options=(("crf", "0"), ("preset", "veryfast")))
    films.write(path, (np.full((72, 128, 3), level, np.uint8) for level in levels), lossless)
    return path


def test_cues_of_a_film_whose_numbers_are_known(tmp_path: Path) -> None:
    """Even grey that goes up and down: the change of every frame is what a decoder says of its luma."""
    path = grey_film(tmp_path / "f.mp4", [100, 120] * 25)
    case = measured(path)
    with av.open(str(path)) as container:
        luma = [float(frame.to_ndarray()[0, 0]) for frame in container.decode(video=0)]
    step = float(np.abs(np.diff(luma)).mean()) * 255 / 219  # from 16..235 to 0..255
    assert 18 < step < 23
    assert value("cue.duration", case) == pytest.approx(2.0)
    assert value("cue.bytes", case) == (tmp_path / "f.mp4").stat().st_size
    found = value("cue.frame_difference", case)
    assert found == pytest.approx(step, abs=0.6)
    assert value("cue.flicker", case) == pytest.approx(found, abs=0.1)
    assert value("cue.smoothness", case) == pytest.approx(0, abs=0.3)
    assert value("cue.contrast", case) == pytest.approx(0, abs=0.3)


def test_each_cue_prefers_what_its_name_says(tmp_path: Path) -> None:
    steady = measured(grey_film(tmp_path / "steady.mp4", [100] * 50))
    restless = measured(grey_film(tmp_path / "restless.mp4", [100, 100, 130, 130, 90] * 10))
    better = {q: EVALUATORS.load(q).card.quantities[0].higher_is_better for q in BASELINES}
    expected = {"cue.frame_difference": restless, "cue.smoothness": steady, "cue.flicker": steady}
    for name, wins in expected.items():
        scores = [value(name, case) for case in (steady, restless)]
        assert None not in scores
        best = (max if better[name] else min)(score for score in scores if score is not None)
        assert (steady, restless)[scores.index(best)] is wins, name
        assert scores[0] != scores[1]


def test_a_cue_without_its_signal_is_unscored_with_the_reason() -> None:
    (found,) = EVALUATORS.load("cue.flicker").measure(by_hand("00"))  # type: ignore[union-attr]
    assert (found.status, found.value) == ("unscored", None)
    assert found.reason == "needs motion: skipped, not asked for"


def test_the_constant_is_one_number() -> None:
    assert {constant.measure(by_hand(f"{i:02x}"))[0].value for i in range(20)} == {0.5}


def test_the_coin_is_fair_keyed_by_content_and_minds_no_order() -> None:
    coin = EVALUATORS.load("random")
    assert isinstance(coin, RandomEvaluator)
    pairs = [(by_hand(f"a{i}"), by_hand(f"b{i}")) for i in range(2000)]
    ahead = [coin.prefer(a, b).choice for a, b in pairs]
    assert abs(ahead.count("a") / 2000 - 0.5) < 3.3 * 0.5 / 2000**0.5
    turned = {"a": "b", "b": "a"}
    assert [coin.prefer(b, a).choice for a, b in pairs] == [turned[str(c)] for c in ahead]
    moved = [(replace(a, case=Case("y", Path("z.mp4"))), b) for a, b in pairs]
    assert [coin.prefer(a, b).choice for a, b in moved] == ahead
    # Pairs that share a film do not share their luck: no film of 200 wins or loses against all others.
    shared = [coin.prefer(by_hand("a"), by_hand(f"b{i}")).choice for i in range(200)]
    assert 60 < shared.count("a") < 140
    drawn = [coin.measure(by_hand(f"{i}"))[0].value or 0.0 for i in range(2000)]
    assert abs(float(np.mean(drawn)) - 0.5) < 3.3 * (1 / 12) ** 0.5 / 2000**0.5
