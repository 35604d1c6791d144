"""Converted networks give what the originals gave in PyTorch, on the exact weights; others are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from longtake.errors import BackendError
from longtake.models import catalog, mobilenet, pth, transnet
from longtake.models.onnx import session


@pytest.fixture
def mobilenet_files(weights: Path) -> dict[str, Path]:
    return catalog.require("mobilenet-v2", weights)


@pytest.fixture
def transnet_files(weights: Path) -> dict[str, Path]:
    return catalog.require("transnet-v2", weights)


def test_the_picture_has_the_known_embedding_and_classes(mobilenet_files: dict[str, Path]) -> None:
    model = session(mobilenet_files["mobilenet_v2.onnx"])
    picture = mobilenet.known_picture()
    embedding, logits = model.run(["emb", "logits"], {"image": np.concatenate([picture, picture * 0])})
    assert embedding.shape == (2, 1280)
    assert logits.shape == (2, 1000)
    np.testing.assert_allclose(embedding[0, :16], mobilenet.KNOWN_EMBEDDING, atol=1e-3)
    np.testing.assert_allclose(logits[0, :16], mobilenet.KNOWN_LOGITS, atol=1e-3)
    # The five likeliest classes of the same picture in PyTorch.
    assert np.argsort(-logits[0])[:5].tolist() == [915, 549, 879, 858, 579]


def test_the_film_has_its_cut_and_its_dissolve(transnet_files: dict[str, Path]) -> None:
    centre, all_of_it = transnet.TransNet(transnet_files["transnetv2.onnx"])(transnet.known_film())
    np.testing.assert_allclose(np.log(centre / (1 - centre)), transnet.KNOWN_CENTRE, atol=1e-2)
    np.testing.assert_allclose(np.log(all_of_it / (1 - all_of_it)), transnet.KNOWN_ALL, atol=1e-2)
    assert np.flatnonzero(centre > 0.5).tolist() == [4, 11]
    assert np.flatnonzero(all_of_it > 0.5).tolist() == [4, *range(9, 16)]


def test_colours_are_compared_by_their_histograms() -> None:
    frames = np.zeros((3, 27, 48, 3), np.uint8)
    frames[1, :, :24] = 255
    frames[2] = 255
    found = transnet.colours(frames)
    half = np.sqrt(0.5)
    np.testing.assert_allclose(found, [[1, half, 0], [half, 1, half], [0, half, 1]], atol=1e-6)


def test_other_weights_than_the_known_ones_are_refused(
    mobilenet_files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pth.read(mobilenet_files["mobilenet_v2.pth"])
    table["features.7.conv.0.0.weight"] *= 1.05
    monkeypatch.setattr(pth, "read", lambda path: table)
    with pytest.raises(BackendError, match="the converted model is wrong"):
        mobilenet.convert(tmp_path, tmp_path / "out.onnx")
    del table["features.7.conv.0.0.weight"]
    with pytest.raises(BackendError, match=r"has no 'features\.7"):
        mobilenet.convert(tmp_path, tmp_path / "out.onnx")


def test_the_same_file_is_made_every_time(mobilenet_files: dict[str, Path], tmp_path: Path) -> None:
    made = [tmp_path / name for name in ("one.onnx", "two.onnx")]
    for target in made:
        mobilenet.convert(mobilenet_files["mobilenet_v2.pth"].parent, target)
    assert made[0].read_bytes() == made[1].read_bytes()
