"""Image or video encoders, and pairs of them with text encoders, as ONNX files of the user's own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.embedding import Shape
from ...core.ports import Kind
from ...errors import BackendError
from .. import onnx
from ..preparing import Preparation, prepared
from .base import ByFrames, Comparing, NoTexts

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Picture = NDArray[np.uint8]
BATCH = 8
"""Pictures, clips or texts that go through an encoder at once."""
TOKENS = 77
"""Tokens of a text that are read where the settings name no other ``length``."""


class _Pictures(ByFrames):
    """An encoder of pictures, or of clips, and its settings."""

    kind: Kind = "model"
    stands_for = ""
    licence = ""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` where the model or its settings cannot be read."""
        self.name = f"onnx:{path.name}"
        settings = _settings(path.with_suffix(".json"))
        self._how = _preparation(settings, path.with_suffix(".json").name)
        self._frames = _whole(settings, "frames", path.with_suffix(".json").name)
        self._session = onnx.session(path, threads, own=True)
        self._input = self._session.get_inputs()[0].name
        black = np.zeros((self._how.side, self._how.side, 3), np.uint8)
        self.shape = Shape(0, self._how.side)
        self.shape = replace(self.shape, dimension=int(self.pictures([black]).shape[1]))
        if self._frames is not None:
            own = "the encoder's own, over all frames"
            self.shape = replace(self.shape, frames=self._frames, pooling=own)

    def pictures(self, pictures: Sequence[Picture]) -> NDArray[np.float32]:
        """Vectors, shape (n, dimension); an encoder of clips is shown a clip of one picture repeated."""
        if self._frames is not None:
            return self.clips([[picture] * self._frames for picture in pictures])
        found = [
            _run(self._session, {self._input: prepared(pictures[i : i + BATCH], self._how)}, self.name)
            for i in range(0, len(pictures), BATCH)
        ]
        return np.concatenate(found) if found else np.zeros((0, self.shape.dimension), np.float32)

    def clips(self, clips: Sequence[Sequence[Picture]]) -> NDArray[np.float32]:
        """Vectors, shape (n, dimension)."""
        if self._frames is None:
            return super().clips(clips)
        if odd := next((len(clip) for clip in clips if len(clip) != self._frames), None):
            raise BackendError(f"{self.name} reads clips of {self._frames} frames, not of {odd}")
        found = []
        for i in range(0, len(clips), BATCH):
            frames = np.stack([prepared(clip, self._how) for clip in clips[i : i + BATCH]])
            found.append(_run(self._session, {self._input: frames}, self.name))
        return np.concatenate(found) if found else np.zeros((0, self.shape.dimension), np.float32)


class OnnxEmbedder(_Pictures, NoTexts):
    """An encoder of pictures: one input (n, 3, size, size), its first output of shape (n, d) is the vector.

    Beside ``encoder.onnx`` lies ``encoder.json`` with the ``size`` in px of its square input, and optionally
    ``shorter`` (the length in px that the shorter side is scaled to before the middle is cut out, ``size``
    without it) or ``whole`` (true: the whole picture is squeezed into the square), ``mean`` and ``std`` of
    red, green and blue in [0, 1] (those of ImageNet without them), and ``frames``: of an encoder that reads
    so many at once, with an input (n, frames, 3, size, size).
    """


class OnnxPair(_Pictures, Comparing):
    """An encoder of pictures or clips and one of texts whose vectors lie in one space, with the tokenizer.

    The first and its settings are as in :class:`OnnxEmbedder`. The text encoder takes ``input_ids``
    and, if it has such inputs, ``attention_mask`` and ``token_type_ids``: int64, shape (n, length). The
    ``length`` is read from the settings beside the text encoder (77 without them); texts are padded with
    ``pad`` (an id, 0 without it) and cut off there.
    """

    def __init__(self, image: Path, text: Path, tokenizer: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` where a file cannot be read, or the encoders' vectors differ in length."""
        from tokenizers import Tokenizer

        super().__init__(image, threads)
        self._text = onnx.session(text, threads, own=True)
        self.name = f"onnx:{image.name},{text.name}"
        settings = _settings(text.with_suffix(".json"), missing={})
        length = _whole(settings, "length", text.with_suffix(".json").name) or TOKENS
        try:
            self._tokens, self._uncut = (Tokenizer.from_file(str(tokenizer)) for _ in range(2))
            self._tokens.enable_truncation(length)
            self._tokens.enable_padding(length=length, pad_id=int(settings.get("pad", 0)))
            self._uncut.no_truncation()
            self._uncut.no_padding()
        except Exception as error:  # the library raises bare exceptions
            raise BackendError(f"{tokenizer.name} is no tokenizer that can be used: {error}") from error
        self.shape = replace(self.shape, tokens=length)
        seen, read = self.shape.dimension, self.texts(["a"]).shape[1]
        if seen != read:
            raise BackendError(f"{self.name}: vectors of {seen} and of {read} are not one space")

    def texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors, shape (n, dimension)."""
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
        return np.concatenate(found) if found else np.zeros((0, self.shape.dimension), np.float32)

    def tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of the pair's tokenizer."""
        return [len(read.ids) for read in self._uncut.encode_batch(list(texts))]


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


def _whole(settings: dict[str, Any], key: str, name: str) -> int | None:
    """A whole number above 0 of the settings, or none. Raises ``BackendError``."""
    value = settings.get(key)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise BackendError(f"{key} in {name} is a whole number above 0, not {value!r}")
    return value


def _preparation(found: dict[str, Any], name: str) -> Preparation:
    try:
        side = int(found["size"])
        plain = Preparation()
        mean, std = (tuple(float(v) for v in found.get(k, getattr(plain, k))) for k in ("mean", "std"))
        if side < 1 or len(mean) != 3 or len(std) != 3 or min(std) <= 0:
            raise ValueError("size and std are above 0, mean and std have three values")
        return Preparation(side, int(found.get("shorter", side)), mean, std, found.get("whole") is True)
    except (KeyError, TypeError, ValueError) as error:
        raise BackendError(f"{name} does not say how pictures are prepared: {error}") from error
