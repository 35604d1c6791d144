"""The signal text_picture: what it holds, what it rests on, and what it says when it cannot be made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import films
import longtake
from longtake.core.brief import Brief, PlannedShot
from longtake.errors import BackendError, InputError, MissingError, UsageError
from longtake.execution.measure import Measured, measure
from longtake.execution.text_picture import MOST_TEXTS, chosen, with_text_picture
from longtake.media.open import open_video
from longtake.models.embedders.onnx import OnnxPair
from longtake.storage.cache import Cache
from tiny_onnx import OF_PICTURES, OF_WORDS, image_encoder, text_encoder, tokenizer


def plan(*texts: str) -> Brief:
    return Brief(shots=[PlannedShot(index=i, text=text) for i, text in enumerate(texts)])


def colours(path: Path) -> Path:
    """Two seconds of red, then two of blue."""
    shots = [np.full((72, 128, 3), bgr, np.uint8) for bgr in ((10, 10, 230), (230, 10, 10))]
    films.write(path, (shot for shot in shots for _ in range(50)))
    return path


@pytest.fixture
def pair(tmp_path: Path) -> str:
    image, text = image_encoder(tmp_path / "image.onnx"), text_encoder(tmp_path / "text.onnx")
    return f"onnx:{image},{text},{tokenizer(tmp_path / 'tokenizer.json')}"


@pytest.fixture
def red_blue(tmp_path: Path) -> tuple[Path, Measured, Cache]:
    path, cache = colours(tmp_path / "film.mp4"), Cache(tmp_path / "cache")
    return path, measure(open_video(path), ["shots", "frames"], cache=cache, workers=1), cache


def compared(made: tuple[Path, Measured, Cache], brief: Brief | None, name: str | None) -> Measured:
    path, measured, cache = made
    return with_text_picture(open_video(path), measured, brief, chosen(name, cache), cache)


def test_a_model_by_path_compares_every_frame_with_every_text(
    red_blue: tuple[Path, Measured, Cache], pair: str
) -> None:
    found = compared(red_blue, plan("red", "", "sea night", "blue"), pair).signals["text_picture"]
    frames = red_blue[1].signals["frames"]
    assert (found.status, found.facts["kind"], found.facts["stands_for"]) == ("ok", "model", None)
    assert found.facts["texts"] == 3
    assert list(found.columns["text"][:3]) == [0, 2, 3]
    assert len(found) == 3 * len(frames)
    scores = np.asarray(found.columns["similarity"]).reshape(-1, 3)
    mean, std = (np.array(v) for v in ([0.5, 0.4, 0.3], [0.2, 0.25, 0.3]))
    red = ((np.array([230, 10, 10]) / 255 - mean) / std) @ OF_PICTURES
    texts = np.array([OF_WORDS[2], OF_WORDS[4] + OF_WORDS[5], OF_WORDS[3]])
    expected = texts @ red / np.linalg.norm(texts, axis=1) / np.linalg.norm(red)
    assert np.allclose(scores[0], expected, atol=0.03)  # JPEG and H.264 move the colour a little
    ranks = np.asarray(found.columns["rank"]).reshape(-1, 3)
    assert (np.sort(ranks, axis=1) == [1, 2, 3]).all()
    assert (ranks.argmin(axis=1) == scores.argmax(axis=1)).all()


def test_the_second_run_reads_the_cache(red_blue: tuple[Path, Measured, Cache], pair: str) -> None:
    first = compared(red_blue, plan("red", "blue"), pair).signals["text_picture"]
    stored = sorted((red_blue[2].root / "text-picture").rglob("*.npz"))
    before = [file.stat().st_ino for file in stored]  # a new entry would take its place by rename
    second = compared(red_blue, plan("red", "blue"), pair).signals["text_picture"]
    assert np.array_equal(first.columns["similarity"], second.columns["similarity"])
    assert len(before) == 1
    assert [file.stat().st_ino for file in stored] == before
    compared(red_blue, plan("red", "sea"), pair)
    assert len(list((red_blue[2].root / "text-picture").rglob("*.npz"))) == 2


def test_a_broken_file_is_told_before_anything_is_measured(pair: str, tmp_path: Path) -> None:
    (tmp_path / "text.onnx").write_bytes(b"not a model")
    with pytest.raises(InputError, match=r"text\.onnx"):
        chosen(pair, Cache(tmp_path / "cache"))


def test_a_model_that_breaks_costs_this_signal_alone(
    red_blue: tuple[Path, Measured, Cache], pair: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(self: OnnxPair, pictures: object, texts: object) -> None:
        raise BackendError("no such picture")

    monkeypatch.setattr(OnnxPair, "similarity", crash)
    made = compared(red_blue, plan("red", "blue"), pair)
    assert made.signals["text_picture"].status == "failed"
    assert "no such picture" in (made.signals["text_picture"].reason or "")
    assert made.signals.trace[-1].status == "failed"
    assert made.signals["frames"].usable


def test_what_is_said_when_there_is_nothing_to_compare(
    red_blue: tuple[Path, Measured, Cache], pair: str
) -> None:
    for brief, why in ((None, "no brief"), (plan(), "no texts"), (plan("", " "), "no texts")):
        found = compared(red_blue, brief, pair).signals["text_picture"]
        assert found.status == "skipped"
        assert why in (found.reason or "")
    absent = compared(red_blue, plan("red"), None).signals["text_picture"]
    assert absent.status == "skipped"
    assert "longtake models pull" in (absent.reason or "")


def test_of_very_many_texts_evenly_spread_ones_are_compared(
    red_blue: tuple[Path, Measured, Cache], pair: str
) -> None:
    texts = ["red" if i % 2 else "blue" for i in range(MOST_TEXTS + 50)]
    found = compared(red_blue, plan(*texts), pair).signals["text_picture"]
    assert (found.facts["texts"], found.facts["left_out"]) == (MOST_TEXTS, 50)
    assert found.columns["text"][MOST_TEXTS - 1] == MOST_TEXTS + 49


def test_the_proxy_says_that_it_is_one(media: Path, weights: Path, tmp_path: Path) -> None:
    pictures = [
        films.pictures_of(media / "8_footage" / n, limit=50) for n in ("lav_panda.mp4", "flt_bee.mp4")
    ]
    films.write(tmp_path / "film.mp4", (p for shot in pictures for p in shot))
    texts = ["a giant panda on grass", "a bee on a thistle", "whatever they would rather not"]
    document = longtake.diagnose(tmp_path / "film.mp4", brief=plan(*texts), signals="shots,frames,embeddings")
    entry = next(e for e in document.trace if e.tool == "text_picture")
    assert (entry.status, entry.model is not None) == ("fallback", True)
    assert "proxy" in (entry.reason or "")
    assert "conse-proxy" in (entry.model or "")
    cache = Cache()
    film = open_video(tmp_path / "film.mp4")
    measured = measure(film, ["shots", "frames"], cache=cache, workers=1)
    found = with_text_picture(film, measured, plan(*texts), chosen(None, cache), cache).signals[
        "text_picture"
    ]
    assert (found.facts["kind"], found.facts["stands_for"]) == ("proxy", "a text-picture model such as CLIP")
    rows = found.rows()
    assert (
        {r["similarity"] for r in rows if r["text"] == 2}
        == {None}
        == {r["rank"] for r in rows if r["text"] == 2}
    )
    best = [r for r in rows if r["rank"] == 1]
    assert all(r["text"] == r["shot"] for r in best)
    assert 0.5 < found.facts["answered"] < 0.7


def test_light_runs_make_none_and_names_are_looked_up_first(tmp_path: Path, pair: str) -> None:
    path = colours(tmp_path / "film.mp4")
    light = longtake.diagnose(path, brief=plan("red", "blue"), signals="light")
    assert "text_picture" not in {e.tool for e in light.trace}
    named = longtake.diagnose(path, brief=plan("red", "blue"), signals="light", text_picture=pair)
    assert next(e.status for e in named.trace if e.tool == "text_picture") == "ok"
    with pytest.raises(MissingError):
        longtake.diagnose(path, text_picture=f"clip:{tmp_path / 'gone'}")
    with pytest.raises(UsageError):
        longtake.diagnose(path, text_picture="nonsense")


def test_a_missing_model_ends_the_command_with_4(tmp_path: Path) -> None:
    path = colours(tmp_path / "film.mp4")
    for command in (
        ["diagnose", str(path), "--text-picture", "conse-proxy"],
        ["diagnose", str(path), "--embedder", "onnx:gone.onnx"],
        ["signals", str(path), "--embedder", "mobilenet-v2"],
    ):
        done = subprocess.run([sys.executable, "-m", "longtake", *command], capture_output=True, text=True)
        assert done.returncode == 4, done.stderr
        assert "Traceback" not in done.stderr
