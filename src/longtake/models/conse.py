"""The offline proxy for a text-picture model: ImageNet classes of a picture against the words of a text.

ConSE (Norouzi et al., ICLR 2014): a picture is placed among sentences as the mean of its likeliest classes'
sentences, weighted by their probabilities. It knows 1,000 nouns: no actions, relations, counts, styles, and
hardly people or places. It can warn that a picture shows something else than a text names; it cannot rank
films, nor say how well a text is met.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..core.ports import Kind
from .embedders.mobilenet import MobileNet
from .minilm import MiniLM
from .vectors import unit

NAME = "conse-proxy"
STANDS_FOR = "a text-picture model such as CLIP"
TOP = 20
"""Likeliest classes that make up a picture's place. Of 1, 3, 5, 10 and 20 the most accurate on the first of
two halves of 82 test clips that a sentence describes: those with even numbers in the order of their names."""
LEAST_PROBABILITY = 0.1
"""A picture whose likeliest class is below it is like nothing in ImageNet: no answer. Higher ones answer for
fewer clips of that half without being right more often."""
LEAST_COSINE = 0.4
"""A text that no class comes closer to has no word that ImageNet knows: no answer. On that half the right
description beats that of another clip in .90 of pairs with both limits (27 of 41 clips are answered), in .86
without them; on the other half in .94 (30 of 41) and .91. Seen with benchmarks/text_picture.py."""
BATCH = 16
_CLASSES: dict[tuple[Path, ...], NDArray[np.float32]] = {}
"""Sentences of the classes, by the files that make them: a second film need not wait for them again."""


class ConseProxy:
    """MobileNetV2's classes and MiniLM's sentences in place of a text-picture model."""

    name = NAME
    kind: Kind = "proxy"
    stands_for = STANDS_FOR

    def __init__(
        self,
        images: Mapping[str, Path],
        names: Mapping[str, Path],
        sentences: Mapping[str, Path],
        threads: int = 1,
    ) -> None:
        """Files of the catalog entries ``mobilenet-v2``, ``imagenet-names`` and ``minilm``.

        Raises:
            BackendError: one of them is broken.
        """
        self._images = MobileNet(images, names, threads)
        self._sentences = MiniLM(sentences, threads)
        self._files = (*names.values(), *sentences.values())
        self._classes: NDArray[np.float32] | None = _CLASSES.get(self._files)

    def similarity(self, pictures: Sequence[NDArray[np.uint8]], texts: Sequence[str]) -> NDArray[np.float32]:
        """How far each text is nearer to a picture than to pictures at large, in standard deviations.

        Shape (n_pictures, n_texts). Texts that resemble everything lose their mean over a neutral bank: one
        picture of each class. On clips described in a sentence right descriptions had .7 to 3.9, wrong ones
        -.7 to 2.2 (5 to 95 %). NaN where the picture or the text is outside of what ImageNet knows.
        """
        found = np.full((len(pictures), len(texts)), np.nan, np.float32)
        if not len(pictures) or not len(texts):
            return found
        if self._classes is None:
            self._classes = self._sentences.embed([f"a photo of a {name}" for name in self._images.classes])
            _CLASSES[self._files] = self._classes
        wanted = self._sentences.embed(texts)
        bank = self._classes @ wanted.T
        mean, spread, nearest = bank.mean(axis=0), bank.std(axis=0), bank.max(axis=0)
        for i in range(0, len(pictures), BATCH):
            odds = self._images.look(pictures[i : i + BATCH])[1]
            scores = (self._places(odds) @ wanted.T - mean) / spread
            scores[odds.max(axis=1) < LEAST_PROBABILITY] = np.nan
            found[i : i + BATCH] = scores
        found[:, nearest < LEAST_COSINE] = np.nan
        return found

    def _places(self, odds: NDArray[np.float32]) -> NDArray[np.float32]:
        """Where pictures lie among sentences, shape (n, 384), from class probabilities (n, 1000)."""
        assert self._classes is not None
        top = np.argpartition(-odds, TOP, axis=1)[:, :TOP]
        weight = np.take_along_axis(odds, top, axis=1)
        return unit((self._classes[top] * weight[..., None]).sum(axis=1))
