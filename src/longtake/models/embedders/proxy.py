"""The offline proxy embedder: pictures and clips among sentences, by their ImageNet classes (ConSE)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...core.embedding import Shape
from ...core.ports import Kind
from ..conse import TOP
from ..minilm import TOKENS, MiniLM
from .base import ByFrames
from .mobilenet import MobileNet


class ProxyEmbedder(ByFrames):
    """MobileNetV2's classes and MiniLM's sentences in one space of 384 numbers.

    A picture is the mean of its likeliest classes' sentences, weighted by their probabilities, less the mean
    over all classes, so that a text which resembles everything gains nothing by it.
    """

    name = "proxy:conse"
    kind: Kind = "proxy"
    stands_for = "a text-video model such as VideoCLIP-XL or CLIP"
    licence = "Apache-2.0"
    shape = Shape(384, 224, frames=8, tokens=TOKENS)

    def __init__(
        self,
        images: Mapping[str, Path],
        names: Mapping[str, Path],
        sentences: Mapping[str, Path],
        threads: int = 1,
    ) -> None:
        """Files of the catalog entries ``mobilenet-v2``, ``imagenet-names`` and ``minilm``. Raises
        ``BackendError``."""
        self._images = MobileNet(images, names, threads)
        self._sentences = MiniLM(sentences, threads)
        self._classes = self._sentences.embed([f"a photo of a {name}" for name in self._images.classes])
        self._bank = self._classes.mean(axis=0)

    def pictures(self, pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Shape (n, 384)."""
        odds = self._images.look(pictures)[1]
        top = np.argpartition(-odds, TOP, axis=1)[:, :TOP]
        weight = np.take_along_axis(odds, top, axis=1)
        places = (self._classes[top] * weight[..., None]).sum(axis=1) / weight.sum(axis=1, keepdims=True)
        return np.asarray(places - self._bank, np.float32)

    def texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (n, 384)."""
        return self._sentences.embed(texts)

    def tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of MiniLM's tokenizer."""
        return self._sentences.count(texts)
