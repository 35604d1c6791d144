"""Wishes about text, people and speech: on real footage that has or lacks them, and by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from by_hand import film, signals

from longtake.briefs.onscreen import readable
from longtake.core.brief import Brief, PlannedShot, SoundWishes
from longtake.core.signal import Event, Signal
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.rules.requirements import user_requirement_consistency
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.meta.perturbations import reencode
from longtake.storage.cache import Cache

Filmed = Callable[[Brief], Facts]


def missed(facts: Facts) -> list[str]:
    found = user_requirement_consistency(facts).facts
    return [str(what) for name, what in found.items() if name.startswith("missed_")]


def checkable(facts: Facts) -> int:
    found = user_requirement_consistency(facts).facts.get("checkable") or 0
    assert isinstance(found, int)
    return found


def whole(media: Path, root: Path, folder: Path, clip: str, span: tuple[int, int]) -> Filmed:
    """Facts of a film of these seconds of a clip with text, faces and speech measured."""
    (folder / "models").symlink_to(root / "models", target_is_directory=True)
    names = ["shots", "container", "audio", "text", "faces", "speech"]
    reencode(open_video(media / clip, start=span[0], end=span[1]), folder / "film.mp4")
    video = open_video(folder / "film.mp4")
    measured = measure(video, names, cache=Cache(folder), workers=1)
    return lambda brief: gather(video_entry(video, measured, None), measured.signals, brief)


@pytest.fixture(scope="module")
def speaker(media: Path, weights_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Filmed:
    """One man who says an English sentence before a plain backdrop."""
    clip = "2_speaking/grid_id2_swwp2s.mpg"
    return whole(media, weights_root, tmp_path_factory.mktemp("speaker"), clip, (0, 3))


@pytest.fixture(scope="module")
def page(media: Path, weights_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Filmed:
    """A page of printed text that scrolls; no sound."""
    clip = "8_footage/wrtc_mixed.mp4"
    return whole(media, weights_root, tmp_path_factory.mktemp("page"), clip, (4, 7))


def test_text_that_is_there_and_text_that_is_not(page: Filmed, speaker: Filmed) -> None:
    asked = Brief(instruction='A page with the words "Rabbit with pink eyes ran close by her."')
    assert checkable(page(asked)) == checkable(speaker(asked)) == 1
    assert not missed(page(asked))
    assert "not read" in missed(speaker(asked))[0]
    unrelated = Brief(instruction='A shop with a sign that reads "FRESH BREAD DAILY".')
    assert "FRESH BREAD DAILY" in missed(page(unrelated))[0]


def test_nobody_one_person_and_somebody_who_speaks(page: Filmed, speaker: Filmed) -> None:
    nobody, one = Brief(instruction="A landscape, no people."), Brief(instruction="Only one person talks.")
    assert "a face is seen" in missed(speaker(nobody))[0]
    assert not missed(page(nobody))
    assert not missed(speaker(one))
    dialogue = Brief(sound=SoundWishes(dialogue=True))
    assert not missed(speaker(dialogue))
    assert checkable(speaker(dialogue)) == 1
    assert "no sound" in missed(page(dialogue))[0]


def given(brief: Brief, *more: Signal, **fields: Any) -> Facts:
    return gather(film(**fields), signals(*more), brief)


def spoken(language: str | None = "en", sure: float = 0.95, seconds: float = 8.0) -> Signal:
    facts = {"language": language, "language_confidence": sure, "speech_seconds": seconds}
    return Signal("speech", 1, events=[Event("voice", 0, seconds)] if seconds else [], facts=facts)


def test_the_language_that_is_asked_for() -> None:
    english, german = (Brief(sound=SoundWishes(languages=[name])) for name in ("English", "German"))
    assert not missed(given(english, spoken()))
    assert missed(given(german, spoken())) == ["speech in German (it is en)"]
    # Not sure, hardly any speech, or a language nobody here knows: not checked.
    assert checkable(given(german, spoken(sure=0.6))) == 0
    assert checkable(given(german, spoken(seconds=2.0))) == 0
    assert checkable(given(Brief(sound=SoundWishes(languages=["Klingon"])), spoken())) == 0


def test_speech_that_is_asked_for_and_not_heard() -> None:
    asked = Brief(shots=[PlannedShot(index=0, text="", dialogue="Hello there.")])
    mute = given(asked, spoken(None, 0.0, 0.0), Signal("audio", 1, facts={"silent_share": 0.2}))
    assert "speech (no voice was heard)" in missed(mute)
    assert "speech (no voice was heard)" not in missed(given(asked, spoken()))
    unmeasured = given(asked, Signal("audio", 1, facts={"silent_share": 0.2}))
    assert checkable(unmeasured) == checkable(given(asked, spoken())) - 1


def faces(*rows: tuple[int, float, float, float, float]) -> Signal:
    """Person, start, end, how sure, how large."""
    names = ("person", "start", "end", "sure", "size")
    return Signal("faces", 1, columns={n: [row[i] for row in rows] for i, n in enumerate(names)})


def test_more_people_than_one_have_to_be_sure_and_seen_at_once() -> None:
    one = Brief(instruction="A room with a single person.")
    together = faces((0, 0, 5, 0.8, 0.3), (1, 3, 9, 0.8, 0.3))
    assert "2 are seen at once" in missed(given(one, together))[0]
    for harmless in (
        faces((0, 0, 5, 0.8, 0.3), (1, 6, 9, 0.8, 0.3)),  # one after the other: cannot be told from one role
        faces((0, 0, 5, 0.8, 0.3), (1, 3, 9, 0.3, 0.3)),
        faces((0, 0, 5, 0.8, 0.3), (1, 3, 9, 0.8, 0.03)),
    ):
        assert not missed(given(one, harmless))
    assert checkable(given(one, faces())) == 0


def test_text_that_may_have_been_misread_is_not_checked() -> None:
    asked = Brief(instruction='A sign that reads "OPEN ALL NIGHT".')

    def read(*texts: str) -> Facts:
        n = len(texts)
        columns = {"text": list(texts), "start": [1.0] * n, "end": [2.0] * n, "moved": [0.0] * n}
        columns["sure"] = [True] * n
        known = {"appearances": n, "unsure": 0, "looks": 20}
        return given(asked, Signal("text", 1, columns=columns, facts=known))

    assert not missed(read("open all", "night!"))
    assert checkable(read("0PEN A1L N1GHT")) == 0
    assert missed(read("CLOSED"))
    assert missed(read())


@pytest.mark.parametrize(
    ("words", "known"),
    [
        ("EXIT 21", True),
        ("出口 まで", True),
        ("ВЫХОД", False),
        ("مخرج", False),
        ("Café", False),
        ("Tiếng", False),
    ],
)
def test_text_in_letters_that_the_reader_does_not_know_is_not_checked(words: str, known: bool) -> None:
    assert readable(words) is known
    columns: dict[str, list[Any]] = {name: [] for name in ("text", "start", "end", "sure", "moved")}
    text = Signal("text", 1, columns=columns, facts={"looks": 9, "appearances": 0, "unsure": 0})
    brief = Brief(instruction=f'A door with a sign that says "{words}".')
    answer = user_requirement_consistency(gather(film(), signals(text), brief))
    assert (answer.value == 0) is known
