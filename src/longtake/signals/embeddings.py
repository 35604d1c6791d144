"""Image embeddings of the kept frames, and what an ImageNet classifier takes them for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.signal import Column, Signal, SignalSpec
from ..models.embedders import MobileNet, opened
from ..models.vectors import unit
from ..models.weights import Weights, Wish
from .observer import Arrays, Merged

if TYPE_CHECKING:
    from ..core.embedding import Embedder
    from .film import Film

BATCH = 8
"""Pictures that go through the network at once."""
COLOUR_SIZE = (128, 72)
"""Width and height in px at which colours are counted."""
COLOUR_BINS = (6, 8, 8)
"""Bins of lightness and of the two colour axes (CIELAB)."""

SPEC = SignalSpec(
    name="embeddings",
    version=1,
    doc="What the kept frames look like to an image network. Vectors stay in the cache (signals.embeddings."
    "vectors); the rows say which ImageNet class is likeliest: 1,000 things and animals, some places; no "
    "people, actions or styles, and always one of them, however unlike.",
    columns={
        "time": Column(type="float", unit="s", doc="time of the frame"),
        "shot": Column(type="int", doc="index of the shot"),
        "top": Column(type="str", doc="likeliest ImageNet class; empty with an embedder that has no classes"),
        "top_probability": Column(type="float", doc="of that class, 0..1; low for what ImageNet lacks"),
    },
    facts={
        "frames": Column(type="int", doc="frames that were embedded"),
        "dimension": Column(type="int", doc="numbers per frame"),
        "embedder": Column(type="str", doc="by what: a catalog entry, or KIND:PATH"),
    },
    heavy=True,
)
MODELS: tuple[Wish, ...] = ("mobilenet-v2", "imagenet-names")


class EmbeddingObserver:
    """Embeds every kept frame, a few at a time. Vectors are kept as float16."""

    name = SPEC.name

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._embedder: Embedder | None = None
        self._waiting: list[NDArray[np.uint8]] = []
        self._times: list[float] = []
        self._vectors: list[NDArray[np.float16]] = []
        self._colours: list[NDArray[np.float16]] = []
        self._tops: list[str] = []
        self._odds: list[float] = []

    def look(self, picture: NDArray[np.uint8], time: float) -> None:
        self._times.append(time)
        self._colours.append(_colours(picture))
        self._waiting.append(picture)
        if len(self._waiting) == BATCH:
            self._embed()

    def flush(self) -> Arrays:
        if self._waiting:
            self._embed()
        rows: Arrays = {
            "embeddings.time": np.array(self._times, np.float64),
            "embeddings.top": np.array(self._tops, np.str_),
            "embeddings.top_probability": np.array(self._odds, np.float32),
        }
        if self._vectors:
            rows["embeddings.vector"] = np.concatenate(self._vectors)
            rows["embeddings.colour"] = np.stack(self._colours)
        if self._embedder is not None:
            rows["embeddings_by.name"] = np.array([self._embedder.name])
        for kept in (self._times, self._tops, self._odds, self._vectors, self._colours):
            kept.clear()
        return rows

    def _embed(self) -> None:
        if self._embedder is None:
            self._embedder = opened(self._weights)
        if isinstance(self._embedder, MobileNet):
            vectors, odds = self._embedder.look(self._waiting)
            best = odds.argmax(axis=1)
            self._tops += [self._embedder.classes[i] for i in best]
            self._odds += [float(row[i]) for row, i in zip(odds, best, strict=True)]
        else:
            vectors = self._embedder.pictures(self._waiting)
            self._tops += [""] * len(vectors)
            self._odds += [float("nan")] * len(vectors)
        self._vectors.append(unit(vectors).astype(np.float16))
        self._waiting.clear()


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """One row per kept frame."""
    times, rows = vectors(merged)
    if not len(times):
        return Signal(SPEC.name, SPEC.version, "skipped", "no pictures")
    return Signal(
        SPEC.name,
        SPEC.version,
        columns={
            "time": times,
            "shot": _shot_of(times, film, done["shots"]),
            "top": merged["embeddings.top"],
            "top_probability": np.asarray(merged["embeddings.top_probability"], np.float64),
        },
        facts={
            "frames": len(times),
            "dimension": rows.shape[1],
            "embedder": str(merged["embeddings_by.name"][0]),
        },
    )


def vectors(merged: Merged) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Times of the kept frames (s) and their vectors at length 1, shape (n, dimension); both may be empty."""
    times = np.asarray(merged.get("embeddings.time", ()), np.float64)
    if not len(times):
        return times, np.zeros((0, 0), np.float32)
    return times, np.asarray(merged["embeddings.vector"], np.float32)


def of_shots(merged: Merged, film: Film, shots: Signal) -> NDArray[np.float32]:
    """Mean vector of each shot's kept frames at length 1, shape (shots, dimension), NaN where it has none."""
    return _means(vectors(merged)[1], merged, film, shots)


def colours_of_shots(merged: Merged, film: Film, shots: Signal) -> NDArray[np.float32]:
    """The same of colours: roots of a histogram's shares, so that a cosine of 1 is the same distribution."""
    return _means(np.asarray(merged.get("embeddings.colour", np.zeros((0, 0)))), merged, film, shots)


def _means(rows: NDArray[np.floating[Any]], merged: Merged, film: Film, shots: Signal) -> NDArray[np.float32]:
    means = np.full((len(shots), rows.shape[1]), np.nan, np.float32)
    owner = _shot_of(vectors(merged)[0], film, shots)
    for shot in np.unique(owner):
        means[shot] = unit(rows[owner == shot].mean(axis=0, dtype=np.float32, keepdims=True))[0]
    return means


def _shot_of(times: NDArray[np.float64], film: Film, shots: Signal) -> NDArray[np.int64]:
    """Index of the shot that each frame belongs to."""
    firsts = np.asarray(shots.columns["first_frame"], np.int64)
    return np.asarray(np.searchsorted(firsts, film.index_of(times), side="right") - 1, np.int64)


def _colours(picture: NDArray[np.uint8]) -> NDArray[np.float16]:
    small = cv2.resize(picture, COLOUR_SIZE, interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB)
    counts = cv2.calcHist([lab], [0, 1, 2], None, list(COLOUR_BINS), [0, 256] * 3).ravel()
    return np.sqrt(counts / counts.sum()).astype(np.float16)
