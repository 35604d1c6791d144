"""Encoders of the user's own as ONNX files: tiny ones with random weights, against the same sums in NumPy."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from longtake.core.embedding import Shape
from longtake.errors import BackendError, InputError, MissingError, UsageError
from longtake.models import embedders, maskers, onnx, text_picture
from longtake.models.movement import FLOWS, INTERPOLATORS
from longtake.models.named import Kind, find_kind
from longtake.models.picture_quality import IMAGING
from longtake.models.weights import Weights
from longtake.testing import check_embedder
from tiny_onnx import (
    LENGTH,
    MEAN,
    OF_PICTURES,
    OF_WORDS,
    SIDE,
    STD,
    WIDTH,
    clip_encoder,
    image_encoder,
    text_encoder,
    tokenizer,
)


@pytest.fixture
def pair(tmp_path: Path) -> str:
    image, text = image_encoder(tmp_path / "image.onnx"), text_encoder(tmp_path / "text.onnx")
    return f"onnx:{image},{text},{tokenizer(tmp_path / 'tokenizer.json')}"


def plain(rgb: tuple[int, int, int], height: int = 30, width: int = 44) -> np.ndarray:
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = rgb[::-1]
    return picture


def vector(rgb: tuple[int, int, int]) -> np.ndarray:
    return ((np.array(rgb) / 255 - MEAN) / STD) @ OF_PICTURES


def test_an_embedder_by_path(pair: str, tmp_path: Path) -> None:
    model = embedders.find(f"onnx:{tmp_path / 'image.onnx'}", tmp_path).open(Weights())
    colours = [(200, 30, 20), (0, 80, 240), (128, 128, 128)] * 4  # more than a batch
    found = model.pictures([plain(c) for c in colours])
    assert model.shape.dimension == WIDTH
    assert np.allclose(found, [vector(c) for c in colours], atol=1e-4)


def test_a_pair_by_path(pair: str, tmp_path: Path) -> None:
    model = text_picture.find(pair, tmp_path).open(Weights())
    assert (model.kind, model.stands_for) == ("model", "")
    texts = ["red", "sea night", "blue sea blue sea blue sea night night"]
    ids = [[2], [4, 5], [3, 4, 3, 4, 3, 4]]  # the third is cut off at six words
    of_texts = np.array([OF_WORDS[i].sum(axis=0) for i in ids])
    of_pictures = np.array([vector((200, 30, 20)), vector((0, 80, 240))])
    expected = (of_pictures / np.linalg.norm(of_pictures, axis=1, keepdims=True)) @ (
        of_texts / np.linalg.norm(of_texts, axis=1, keepdims=True)
    ).T
    found = model.similarity([plain((200, 30, 20)), plain((0, 80, 240), 90, 60)], texts)
    assert np.allclose(found, expected, atol=1e-4)


def test_what_is_said_of_names_that_name_nothing(pair: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no text-picture model called 'clap'"):
        text_picture.find("clap", tmp_path)
    with pytest.raises(UsageError, match="does not name"):
        text_picture.find("onnx:only.onnx", tmp_path)
    with pytest.raises(UsageError, match="does not name"):
        embedders.find("onnx:", tmp_path)
    with pytest.raises(MissingError, match="is not there"):
        embedders.find(f"onnx:{tmp_path / 'gone.onnx'}", tmp_path)
    with pytest.raises(MissingError):
        embedders.find("mobilenet-v2", tmp_path)  # an empty cache


def test_a_path_is_the_file_or_the_folder_that_is_wanted(pair: str, tmp_path: Path) -> None:
    folder, pipe = tmp_path / "folder.onnx", tmp_path / "pipe.onnx"
    folder.mkdir()
    os.mkfifo(pipe)  # nobody will ever write into it
    with pytest.raises(InputError, match=r"folder\.onnx is a folder, and IMAGE\.onnx is a file") as caught:
        embedders.find(f"onnx:{folder}", tmp_path)
    assert caught.value.hint == "write onnx:IMAGE.onnx"
    for path in (pipe, "/dev/null"):
        with pytest.raises(InputError, match=r"is a pipe or a device, and IMAGE\.onnx is a file"):
            embedders.find(f"onnx:{path}", tmp_path)
    with pytest.raises(InputError, match=r"is a pipe or a device, and TEXT\.onnx is a file"):
        text_picture.find(pair.replace("text.onnx", "pipe.onnx"), tmp_path)
    wanted = {"of": Kind("embedders.onnx:OnnxEmbedder", places=("MODEL_FOLDER",))}
    with pytest.raises(InputError, match=r"image\.onnx is a file, and MODEL_FOLDER is a folder"):
        find_kind(f"of:{tmp_path / 'image.onnx'}", wanted, "model", tmp_path)
    with pytest.raises(InputError, match="is a pipe or a device, and MODEL_FOLDER is a folder"):
        find_kind(f"of:{pipe}", wanted, "model", tmp_path)


def test_the_hint_at_a_file_that_cannot_be_run_is_that_of_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "x.onnx"
    path.write_bytes(b"no model")
    for kinds, word in (
        (maskers.KINDS, "rembg"),
        (FLOWS, "raft"),
        (INTERPOLATORS, "amt"),
        (IMAGING, "musiq"),
    ):
        with pytest.raises(InputError, match=r"x\.onnx cannot be run") as caught:
            find_kind(f"{word}:{path}", kinds, "model", tmp_path)
        assert caught.value.hint == "give an ONNX model as it was exported"
    with pytest.raises(BackendError, match="cannot be run") as fetched:
        onnx.session(path)
    assert fetched.value.hint == "fetch it again: longtake models pull"


def test_broken_files_are_errors_that_say_so(pair: str, tmp_path: Path) -> None:
    image = tmp_path / "image.onnx"
    whole = image.read_bytes()
    image.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"image\.onnx"):
        embedders.find(f"onnx:{image}", tmp_path)
    image.write_bytes(whole)
    for settings in (
        "{",
        "[]",
        "{}",
        '{"size": 0}',
        '{"size": 8, "std": [0, 1, 1]}',
        '{"size": 8, "mean": 1}',
    ):
        image.with_suffix(".json").write_text(settings, "utf-8")
        with pytest.raises(InputError, match=r"image\.json"):
            embedders.find(f"onnx:{image}", tmp_path)
    image.with_suffix(".json").write_text(json.dumps({"size": SIDE + 1}), "utf-8")
    with pytest.raises(InputError, match="cannot be run"):
        embedders.find(f"onnx:{image}", tmp_path)
    image_encoder(image)
    (tmp_path / "tokenizer.json").write_text("{}", "utf-8")
    with pytest.raises(InputError, match="tokenizer"):
        text_picture.find(pair, tmp_path)


def test_a_model_is_known_by_its_content(pair: str, tmp_path: Path) -> None:
    name = f"onnx:{tmp_path / 'image.onnx'}"
    before = embedders.find(name, tmp_path)
    assert before.label.startswith("onnx:image.onnx sha256:")
    assert embedders.find(name, tmp_path).sha256 == before.sha256
    (tmp_path / "image.json").write_text(json.dumps({"size": SIDE}), "utf-8")
    assert embedders.find(name, tmp_path).sha256 != before.sha256


def test_a_pair_keeps_to_the_port(pair: str, tmp_path: Path) -> None:
    model = text_picture.find(pair, tmp_path).open(Weights())
    check_embedder(model)
    assert model.shape == Shape(WIDTH, SIDE, tokens=LENGTH)
    assert model.tokens(["red", "", "blue sea " * 5]) == [1, 0, 10]
    alone = embedders.find(f"onnx:{tmp_path / 'image.onnx'}", tmp_path).open(Weights())
    check_embedder(alone)
    assert alone.shape == Shape(WIDTH, SIDE)


def test_an_encoder_of_clips_is_shown_all_frames_at_once(pair: str, tmp_path: Path) -> None:
    """As MobileViCLIP is: (n, frames, 3, size, size). Here each frame has a matrix of its own."""
    image = clip_encoder(tmp_path / "image.onnx", 4)
    model = find_kind(pair, embedders.VIDEO_TEXT, "embedder", tmp_path).open(Weights())
    assert model.shape == Shape(WIDTH, SIDE, 4, LENGTH, "the encoder's own, over all frames")
    colours = [(200, 30, 20), (0, 80, 240), (128, 128, 128), (9, 200, 90)]
    expected = sum(vector(c) * (1 + i) for i, c in enumerate(colours))
    clips = [[plain(c, 30 + 2 * i) for i, c in enumerate(colours)]] * 9  # more than a batch
    assert np.allclose(model.clips(clips), [expected] * 9, atol=1e-3)
    assert np.allclose(model.pictures([plain(colours[0])]), [vector(colours[0]) * 10], atol=1e-3)
    check_embedder(model)
    with pytest.raises(BackendError, match="clips of 4 frames, not of 3"):
        model.clips([clips[0][:3]])
    image.with_suffix(".json").write_text(json.dumps({"size": SIDE, "frames": "4"}), "utf-8")
    with pytest.raises(InputError, match=r"frames in image\.json is a whole number above 0, not '4'"):
        find_kind(pair, embedders.VIDEO_TEXT, "embedder", tmp_path)


def test_the_whole_picture_can_be_squeezed(pair: str, tmp_path: Path) -> None:
    picture = plain((200, 30, 20), 40, 80)
    picture[:, 40:] = (240, 80, 0)
    image = tmp_path / "image.onnx"
    settings = {"size": SIDE, "mean": MEAN, "std": STD, "whole": True}
    image.with_suffix(".json").write_text(json.dumps(settings), "utf-8")
    model = embedders.find(f"onnx:{image}", tmp_path).open(Weights())
    both = (np.array((200, 30, 20)) + np.array((0, 80, 240))) / 2
    assert np.allclose(model.pictures([picture]), [vector(tuple(both))], atol=1e-3)


def test_halves_of_two_models_are_no_pair(pair: str, tmp_path: Path) -> None:
    text_encoder(tmp_path / "text.onnx", WIDTH - 2)
    with pytest.raises(InputError, match="vectors of 5 and of 3 are not one space"):
        text_picture.find(pair, tmp_path)
