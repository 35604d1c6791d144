"""Small films that checks are made on, drawn and encoded here: the same bytes on every call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..core.brief import Brief, PlannedShot

FPS = 12
WIDTH, HEIGHT = 160, 96
SHOT_S = 1.0
DARK_S = 2.0
RATE = 16000
Shown = tuple[str, tuple[int, int, int], tuple[int, int, int]]
SHOTS: tuple[Shown, ...] = (
    ("A red square moves to the right over a grey wall.", (150, 150, 150), (40, 40, 200)),
    ("A white square moves over a dark green field.", (40, 90, 30), (240, 240, 240)),
    ("A black square moves over a yellow floor.", (60, 200, 220), (10, 10, 10)),
    ("A blue square moves over white snow.", (245, 245, 245), (200, 80, 20)),
)
"""Text, ground and square (blue, green, red) of each shot."""


@dataclass(frozen=True)
class Films:
    """Paths: ``shots`` has four shots of a second and a tone, ``single`` is the first of them without sound,
    ``black`` one black frame without sound, ``dark`` two seconds of black without sound."""

    shots: Path
    single: Path
    black: Path
    dark: Path


def long_film(path: Path) -> tuple[Path, Brief]:
    """The four shots three times over, with a tone, for what needs many, and its brief.

    Raises ``OSError``.
    """
    _write(path, _moving(SHOTS * 3), tone=True)
    return path, _brief(SHOTS * 3)


def films(folder: Path) -> Films:
    """Write the films into a folder. Raises ``OSError``."""
    made = Films(folder / "shots.mp4", folder / "single.mp4", folder / "black.mp4", folder / "dark.mp4")
    _write(made.shots, _moving(SHOTS), tone=True)
    _write(made.single, _moving(SHOTS[:1]))
    nothing = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    _write(made.black, iter([nothing]))
    _write(made.dark, iter([nothing] * round(DARK_S * FPS)))
    return made


def brief_for(shots: int = len(SHOTS)) -> Brief:
    """A brief of the first so many shots, with their times; of no shots it has a text all the same."""
    return _brief(SHOTS[:shots])


def _brief(shots: Sequence[Shown]) -> Brief:
    return Brief(
        title="Squares",
        instruction="Squares of several colours move over plain grounds, one after another.",
        duration=max(len(shots), 1) * SHOT_S,
        shots=[
            PlannedShot(index=i, text=text, start=i * SHOT_S, end=(i + 1) * SHOT_S, duration=SHOT_S)
            for i, (text, _, _) in enumerate(shots)
        ],
    )


def _moving(shots: Sequence[Shown]) -> Iterator[NDArray[np.uint8]]:
    rng = np.random.default_rng(7)
    frames = round(SHOT_S * FPS)
    for _, ground, square in shots:
        grain = rng.integers(-6, 7, (HEIGHT, WIDTH, 1))
        for i in range(frames):
            picture = np.clip(np.array(ground) + grain, 0, 255).astype(np.uint8)
            left = 10 + i * 8
            picture[30:66, left : left + 36] = square
            yield picture


def _write(path: Path, pictures: Iterator[NDArray[np.uint8]], *, tone: bool = False) -> None:
    """MPEG-4 and AAC, which every build of FFmpeg encodes."""
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=Fraction(FPS), options={"qscale": "3"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        sound = container.add_stream("aac", rate=RATE, layout="mono") if tone else None
        count = 0
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
            count += 1
        container.mux(stream.encode(None))
        if sound is not None:
            seconds = np.arange(round(count / FPS * RATE)) / RATE
            wave = (0.2 * np.sin(2 * np.pi * 440 * seconds)).astype(np.float32)[None]
            frame = av.AudioFrame.from_ndarray(wave, format="fltp", layout="mono")
            frame.sample_rate = RATE
            container.mux(sound.encode(frame))
            container.mux(sound.encode(None))
