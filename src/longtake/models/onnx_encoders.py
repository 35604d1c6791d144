"""Image encoders, and pairs of image and text encoders, as ONNX files of the user's own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.ports import Kind
from ..errors import BackendError
from . import onnx
from .preparing import Preparation, prepared
from .vectors import cosines

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

BATCH = 8
TOKENS = 77
"""Tokens of a text that are read where the settings name no other ``length``."""


class OnnxEmbedder:
    """An image encoder: one input (n, 3, size, size), its first output of shape (n, d) is the vector.

    Beside ``encoder.onnx`` lies ``encoder.json`` with the ``size`` in px of its square input, and optionally
    ``shorter`` (the length in px that the shorter side is scaled to before the middle is cut out, ``size``
    without it), ``mean`` and ``std`` of red, green and blue in [0, 1] (those of ImageNet without them).
    """

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` where the model or its settings cannot be read."""
        self.name = f"onnx:{path.name}"
        self._how = _preparation(path.with_suffix(".json"))
        self._session = onnx.session(path, threads)
        self._input = self._session.get_inputs()[0].name
        self.dimension = int(self.embed([np.zeros((self._how.side, self._how.side, 3), np.uint8)]).shape[1])

    def embed(self, pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Vectors, shape (n, dimension)."""
        found = [
            _run(self._session, {self._input: prepared(pictures[i : i + BATCH], self._how)}, self.name)
            for i in range(0, len(pictures), BATCH)
        ]
        return np.concatenate(found) if found else np.zeros((0, self.dimension), np.float32)


class OnnxPair:
    """An image encoder and a text encoder whose vectors lie in one space, with the text's tokenizer.

    The image encoder and its settings are as in :class:`OnnxEmbedder`. The text encoder takes ``input_ids``
    and, if it has such inputs, ``attention_mask`` and ``token_type_ids``: int64, shape (n, length). The
    ``length`` is read from the settings beside the text encoder (77 without them); texts are padded with
    ``pad`` (an id, 0 without it) and cut off there.
    """

    kind: Kind = "model"
    stands_for = ""

    def __init__(self, image: Path, text: Path, tokenizer: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` where a file cannot be read."""
        from tokenizers import Tokenizer

        self._image = OnnxEmbedder(image, threads)
        self._text = onnx.session(text, threads)
        self.name = f"onnx:{image.name},{text.name}"
        settings = _settings(text.with_suffix(".json"), missing={})
        try:
            self._tokens = Tokenizer.from_file(str(tokenizer))
            length, pad = int(settings.get("length", TOKENS)), int(settings.get("pad", 0))
            self._tokens.enable_truncation(length)
            self._tokens.enable_padding(length=length, pad_id=pad)
        except Exception as error:  # the library raises bare exceptions
            raise BackendError(f"{tokenizer.name} is no tokenizer that can be used: {error}") from error

    def similarity(self, pictures: Sequence[NDArray[np.uint8]], texts: Sequence[str]) -> NDArray[np.float32]:
        """Cosines, shape (n_pictures, n_texts)."""
        return cosines(self._image.embed(pictures), self._vectors(texts))

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        wanted = [i.name for i in self._text.get_inputs()]
        found = []
        for i in range(0, len(texts), BATCH):
            read = self._tokens.encode_batch(list(texts[i : i + BATCH]))
            inputs = {
                "input_ids": np.array([r.ids for r in read], np.int64),
                "attention_mask": np.array([r.attention_mask for r in read], np.int64),
                "token_type_ids": np.array([r.type_ids for r in read], np.int64),
            }
            found.append(_run(self._text, {k: v for k, v in inputs.items() if k in wanted}, self.name))
        return np.concatenate(found) if found else np.zeros((0, self._image.dimension), np.float32)


def _run(session: InferenceSession, inputs: dict[str, NDArray[Any]], name: str) -> NDArray[np.float32]:
    """The first output of two axes."""
    try:
        outputs = session.run(None, inputs)
    except Exception as error:  # the library raises types of its own, which it does not export
        raise BackendError(f"{name} cannot be run: {error}") from error
    flat = [np.asarray(o, np.float32) for o in outputs if np.ndim(o) == 2]
    if not flat:
        raise BackendError(f"{name} has no output of shape (n, d)")
    return flat[0]


def _settings(path: Path, missing: dict[str, Any] | None = None) -> dict[str, Any]:
    if missing is not None and not path.is_file():
        return missing
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        hint = (
            f'write {{"size": 224}} into it, and "mean" and "std" if they are not those of ImageNet ({path})'
        )
        raise BackendError(f"the settings {path.name} cannot be read: {error}", hint=hint) from error
    if not isinstance(found, dict):
        raise BackendError(f"{path.name} is no JSON object")
    return found


def _preparation(path: Path) -> Preparation:
    found = _settings(path)
    try:
        side = int(found["size"])
        plain = Preparation()
        mean, std = (tuple(float(v) for v in found.get(k, getattr(plain, k))) for k in ("mean", "std"))
        if side < 1 or len(mean) != 3 or len(std) != 3 or min(std) <= 0:
            raise ValueError("size and std are above 0, mean and std have three values")
        return Preparation(side, int(found.get("shorter", side)), mean, std)
    except (KeyError, TypeError, ValueError) as error:
        raise BackendError(f"{path.name} does not say how pictures are prepared: {error}") from error
