"""Texts against pictures: by numbers made by hand, and by a tiny pair of encoders on films of plain colours.

No real text-picture model can be had offline; what such a model gives is not tested here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from by_hand import film, shots, signals

import films
from longtake.core.brief import Brief, PlannedShot
from longtake.core.measurement import Measurement
from longtake.core.signal import Signal
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.facts import Facts
from longtake.diagnosis.rules.described import scene_order, scene_presence
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.execution.text_picture import chosen, with_text_picture
from longtake.media.open import open_video
from longtake.storage.cache import Cache
from tiny_onnx import MEAN, OF_PICTURES, OF_WORDS, STD, WORDS, image_encoder, text_encoder, tokenizer

COUNT = 8
ABOUT = [f"text {i}" for i in range(COUNT)]


def asked(texts: Sequence[str]) -> Brief:
    return Brief(shots=[PlannedShot(index=i, text=t, start=i, end=i + 1) for i, t in enumerate(texts)])


def compared(table: np.ndarray, kind: str = "model", texts: Sequence[str] = tuple(ABOUT)) -> Facts:
    """Facts of as many shots of a second as the table has rows, with one frame each."""
    rows, columns = table.shape
    signal = Signal(
        "text_picture",
        1,
        columns={
            "time": np.repeat(np.arange(rows) + 0.5, columns),
            "text": np.tile(np.arange(columns), rows),
            "similarity": table.ravel(),
        },
        facts={"kind": kind, "model": "by hand"},
    )
    return gather(film(duration=rows), signals(shots(*[1.0] * rows), signal), asked(texts))


def noise(seed: int, size: int = COUNT) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.01, (size, size)) + 0.2


def value(answer: Measurement) -> float:
    assert answer.value is not None, answer.reason
    return answer.value


def test_scenes_that_are_there_in_their_order() -> None:
    there = compared(noise(1) + 0.05 * np.eye(COUNT))
    assert value(scene_presence(there)) > 0.95
    assert value(scene_order(there)) == 1
    assert (scene_presence(there).confidence or 0) <= 0.5
    assert scene_presence(there).facts["chance"] == pytest.approx(0, abs=0.01)


def test_what_fits_everything_weighs_nothing() -> None:
    """A text and a picture that are likely whatever they are compared with."""
    table = noise(2) + 0.05 * np.eye(COUNT)
    biased = table + np.linspace(0, 1, COUNT)[:, None] + np.linspace(1, 0, COUNT) ** 2
    assert value(scene_presence(compared(biased))) == value(scene_presence(compared(table)))
    assert value(scene_order(compared(biased))) == 1


def test_chance_gives_little() -> None:
    unrelated = [scene_presence(compared(noise(seed))) for seed in range(40)]
    assert sum(value(answer) > 0 for answer in unrelated) <= 4
    assert max(value(answer) for answer in unrelated) < 0.6
    orders = [scene_order(compared(noise(seed))) for seed in range(40)]
    assert sum(answer.status == "scored" for answer in orders) <= 4
    frozen = compared(np.tile(noise(3)[:1], (COUNT, 1)))
    assert value(scene_presence(frozen)) == 0
    assert scene_order(frozen).status == "unscored"


def test_another_order() -> None:
    backward = compared(noise(4) + 0.05 * np.eye(COUNT)[::-1])
    assert value(scene_order(backward)) == 0
    assert value(scene_presence(backward)) < 0.2
    assert scene_order(backward).evidence
    one_late = np.eye(COUNT)[[1, 0, *range(2, COUNT)]]
    swapped = scene_order(compared(noise(5) + 0.05 * one_late))
    assert 0.8 < value(swapped) < 1
    assert [e.what for e in swapped.evidence] == [
        "planned shot 2 is seen here",
        "planned shot 1 is seen here",
    ]


def test_no_answer_without_a_real_model_or_enough_texts() -> None:
    proxy = compared(noise(6) + 0.05 * np.eye(COUNT), kind="proxy")
    for rule in (scene_presence, scene_order):
        assert rule(proxy).status == "unscored"
        assert "not enough" in (rule(proxy).reason or "")
        assert rule(compared(np.eye(3), texts=ABOUT[:3])).status == "unscored"
        assert rule(compared(np.eye(COUNT), texts=["the same"] * COUNT)).status == "unscored"
        assert rule(gather(film(), signals(), asked(ABOUT))).status == "unscored"


TEXTS = [*WORDS[2:], "red night", "blue blue sea"]


def vectors() -> np.ndarray:
    """What the text encoder makes of TEXTS, at length 1."""
    sums = np.array([sum(OF_WORDS[WORDS.index(word)] for word in text.split()) for text in TEXTS])
    return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True))


def colours() -> list[tuple[int, int, int]]:
    """A colour (RGB) for each text that the encoders find nearer to it than to the others."""
    grid = np.stack(np.meshgrid(*[np.arange(10, 250, 30)] * 3), -1).reshape(-1, 3)
    seen = ((grid / 255 - MEAN) / STD) @ OF_PICTURES
    fit = seen / np.linalg.norm(seen, axis=1, keepdims=True) @ vectors().T
    best = (fit - fit.mean(axis=1, keepdims=True)).argmax(axis=0)
    return [(int(r), int(g), int(b)) for r, g, b in grid[best]]


@pytest.mark.parametrize(("order", "least", "most"), [(range(6), 0.6, 1.0), ([3, 4, 5, 0, 1, 2], 0.0, 0.1)])
def test_a_pair_of_encoders_on_plain_colours(
    tmp_path: Path, order: Sequence[int], least: float, most: float
) -> None:
    pictures = [np.full((72, 128, 3), colours()[i][::-1], np.uint8) for i in order]
    path, cache = tmp_path / "film.mp4", Cache(tmp_path / "cache")
    films.write(path, (picture for picture in pictures for _ in range(25)))
    image, text = image_encoder(tmp_path / "image.onnx"), text_encoder(tmp_path / "text.onnx")
    model = chosen(f"onnx:{image},{text},{tokenizer(tmp_path / 'tokenizer.json')}", cache)
    video, brief = open_video(path), asked(TEXTS)
    measured = measure(video, ["shots", "frames"], cache=cache, workers=1)
    measured = with_text_picture(video, measured, brief, model, cache)
    facts = gather(video_entry(video, measured, None), measured.signals, brief)
    assert least <= value(scene_presence(facts)) <= most
