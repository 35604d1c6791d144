"""Encoders of the user's own as ONNX files: tiny ones with random weights, against the same sums in NumPy."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from longtake.errors import InputError, MissingError, UsageError
from longtake.models import embedders, text_picture
from longtake.models.weights import Weights
from tiny_onnx import MEAN, OF_PICTURES, OF_WORDS, SIDE, STD, WIDTH, image_encoder, text_encoder, tokenizer


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
