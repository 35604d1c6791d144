"""Which form of the proxy embedder finds the descriptions of clips best, on the half that it is chosen on.

    LONGTAKE_TEST_MEDIA=... LONGTAKE_CACHE=... python benchmarks/proxy_forms.py

A form is how the classes are named, how far common directions of the texts' space are shrunk, how many of the
likeliest classes count, by which power of their probabilities, and how the frames of a clip are pooled. Clips
and halves are those of :mod:`embedders`; printed are the best by the first half, with both halves' share of
pairs, and the form with none of it.
"""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embedders import frames_of
from longtake.models import weights
from longtake.models.embedders import MobileNet
from longtake.models.minilm import MiniLM
from longtake.storage.cache import cache_root
from text_picture import described

FRAMES = 8
NAMED = ("{}", "a photo of a {}")
SPACES = ("as it is", "from the middle", 8, 32)
TOPS = (1, 5, 10, 20, 50, 1000)
POWERS = (0.5, 1.0)
POOLS = ("frames", "odds", "log odds")
PLAIN = ("a photo of a {}", "as it is", 20, 1.0, "frames")
SHOWN = 10
Numbers = NDArray[np.float64]


def unit(vectors: Numbers) -> Numbers:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


def spaces(classes: Numbers, texts: Numbers, space: str | int) -> tuple[Numbers, Numbers]:
    """Classes and texts in one space."""
    middle = classes.mean(axis=0)
    if space == "as it is":
        return classes - middle, texts
    if not isinstance(space, int):
        return classes - middle, texts - middle
    _, spreads, directions = np.linalg.svd(classes - middle, full_matrices=False)
    variances = spreads**2 / len(classes)
    axes = (directions.T / np.sqrt(variances + variances[space])) @ directions
    return (classes - middle) @ axes, (texts - middle) @ axes


def clips_of(odds: Numbers, classes: Numbers, top: int, power: float, pool: str) -> Numbers:
    """Vectors of clips from the class probabilities of their frames, (clips, frames, classes)."""
    odds = odds**power
    if pool == "odds":
        odds = odds.mean(axis=1, keepdims=True)
    elif pool == "log odds":
        odds = np.exp(np.log(odds + 1e-8).mean(axis=1, keepdims=True))
    chosen = np.argsort(-odds, axis=-1)[..., :top]
    weight = np.take_along_axis(odds, chosen, -1)
    places = (classes[chosen] * weight[..., None]).sum(axis=-2) / weight.sum(axis=-1, keepdims=True)
    return unit(places).mean(axis=1)


def main() -> None:
    media = Path(os.environ["LONGTAKE_TEST_MEDIA"])
    given = weights.load(["mobilenet-v2", "imagenet-names", "minilm"], cache_root(), 2)
    images = MobileNet(given["mobilenet-v2"], given["imagenet-names"], 2)
    sentences = MiniLM(given["minilm"], 2)
    paths, told, recording = described(media)
    odds = np.stack([images.look(frames_of(path, FRAMES))[1] for path in paths]).astype(float)
    texts = sentences.embed(told).astype(float)
    other = np.array([[a != b for b in recording] for a in recording])
    found = {}
    for naming in NAMED:
        classes = sentences.embed([naming.format(name) for name in images.classes]).astype(float)
        for space in SPACES:
            places, words = spaces(classes, texts, space)
            for top, power, pool in product(TOPS, POWERS, POOLS):
                scores = unit(clips_of(odds, places, top, power, pool)) @ unit(words).T
                found[naming, space, top, power, pool] = [right(scores, other, half) for half in (0, 1)]
    best = sorted(found, key=lambda form: -found[form][0])
    for form in (*best[:SHOWN], PLAIN):
        print(f"{found[form][0]:.3f} chosen on, {found[form][1]:.3f} reported: {form}")
    print(f"{len(found)} forms")


def right(scores: Numbers, other: NDArray[np.bool_], half: int) -> float:
    """In how many pairs of a half the right description is nearer than another clip's."""
    own = np.arange(half, len(scores), 2)
    table, asked = scores[np.ix_(own, own)], other[np.ix_(own, own)]
    diagonal = np.diag(table)[:, None]
    return float(((diagonal > table) + 0.5 * (diagonal == table))[asked].mean())


if __name__ == "__main__":
    main()
