"""How well the captions of a brief fit the kept frames of a film, by several weak signs together.

Each sign is a table, frames by captions, of which only differences count: some captions fit everything, some
frames are fitted by everything. The signs: the text-picture signal; things and people that were found, and
are named; colours that are named, against the mean colour; grey and black-and-white, against how little
colour there is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from ...core.brief import Brief
from ...core.signal import Signals

Numbers = NDArray[np.float64]
Span = tuple[float, float]
"""From and to, seconds."""
SIGNS = ("text_picture", "things", "people", "colours", "grey")
LEAST_SCORE = 0.25
"""Detections below it are left out."""


@dataclass(frozen=True)
class Words:
    """The word lists, by what they stand for."""

    things: Mapping[str, frozenset[str]]
    colours: Mapping[tuple[float, float], frozenset[str]]
    colourless: frozenset[str]
    goes: frozenset[str]
    looks: frozenset[str]


@cache
def words() -> Words:
    """The lists of ``words.yaml``."""
    read: dict[str, Any] = yaml.safe_load((files(__package__) / "words.yaml").read_text(encoding="utf-8"))
    colours = {(float(k.split()[0]), float(k.split()[1])): frozenset(v) for k, v in read["colours"].items()}
    things = {k: frozenset(v) for k, v in read["things"].items()}
    return Words(things, colours, *(frozenset(read[name]) for name in ("colourless", "goes", "looks")))


def split(text: str) -> list[str]:
    """Lower-case words of a caption, hyphens kept."""
    return re.findall(r"[a-z]+(?:-[a-z]+)*", text.casefold())


def captions(brief: Brief) -> list[int]:
    """Indices of the planned shots that have a text."""
    return [i for i, shot in enumerate(brief.shots) if shot.text.strip()]


def signs(signals: Signals, brief: Brief, texts: Sequence[int]) -> tuple[Numbers, Numbers]:
    """Times of the kept frames (s) and every sign of them: shape (signs, frames, ``texts``).

    A sign that has no answer for a frame or a caption is NaN there.
    """
    frames = np.asarray(signals["frames"].columns["time"], np.float64)
    said = [split(brief.shots[i].text) for i in texts]
    found = [_text_picture(signals, frames, texts), *_things(signals, frames, said)]
    return frames, np.stack([*found, *_colours(signals, frames, said)])


def _text_picture(signals: Signals, frames: Numbers, texts: Sequence[int]) -> Numbers:
    signal = signals["text_picture"]
    table = np.full((len(frames), len(texts)), np.nan)
    if not signal.usable or not len(signal):
        return table
    row = np.searchsorted(frames, np.asarray(signal.columns["time"], np.float64) - 1e-6)
    place = {text: i for i, text in enumerate(texts)}
    column = np.array([place.get(int(t), -1) for t in signal.columns["text"]])
    good = (column >= 0) & (row < len(frames))
    table[row[good], column[good]] = np.asarray(signal.columns["similarity"], np.float64)[good]
    return table


def _things(signals: Signals, frames: Numbers, said: Sequence[Sequence[str]]) -> tuple[Numbers, Numbers]:
    """How surely what a caption names was found, of things and of people."""
    signal = signals["objects"]
    shape = (len(frames), len(said))
    if not signal.usable:
        return np.full(shape, np.nan), np.full(shape, np.nan)
    row = np.searchsorted(frames, np.asarray(signal.columns["time"], np.float64) - 1e-6)
    labels, scores = signal.columns["label"], np.asarray(signal.columns["confidence"], np.float64)
    named = {k: np.array([bool(ws & set(s)) for s in said], float) for k, ws in words().things.items()}
    tables = {False: np.zeros(shape), True: np.zeros(shape)}
    for i, label, score in zip(row, labels, scores, strict=True):
        if score >= LEAST_SCORE and i < len(frames) and str(label) in named:
            table = tables[str(label) == "person"]
            table[i] = np.maximum(table[i], score * named[str(label)])
    return tables[False], tables[True]


def _colours(signals: Signals, frames: Numbers, said: Sequence[Sequence[str]]) -> list[Numbers]:
    """Agreement of the mean colour with words of colour, and of how grey it is with words of grey."""
    signal = signals["picture"]
    if not signal.usable:
        return [np.full((len(frames), len(said)), np.nan)] * 2
    at = np.asarray(signal.columns["time"], np.float64)
    near = np.clip(np.searchsorted(at, frames + 1e-6) - 1, 0, len(at) - 1)
    saturation, u, v = (
        np.asarray(signal.columns[c], np.float64)[near] for c in ("saturation", "chroma_u", "chroma_v")
    )
    lists = words()
    hues = np.zeros((len(said), 2))
    grey = np.array([any(w in lists.colourless for w in text) for text in said], float)
    for i, text in enumerate(said):
        for direction, forms in lists.colours.items():
            hues[i] += np.array(direction) * sum(w in forms for w in text)
    hues /= np.maximum(1, np.linalg.norm(hues, axis=1, keepdims=True))
    return [
        np.stack([u, v], axis=1) @ hues.T / 16,
        -saturation[:, None] * 4 * grey,
    ]
