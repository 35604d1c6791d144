"""Short films with words in the picture that their briefs ask for, of the first clips of a reel's film."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import av
import cv2
import numpy as np

from longtake.core.brief import Brief
from longtake.media.planes import bgr_of
from longtake.media.write import FilmWriter
from slvmeval_films import FPS, HEIGHT, WIDTH, Made, Picture

CLIPS, SIGN_S = 6, 3.0
"""Clips of a film, and the seconds of each that are shown."""
WORDS = (
    *("Exit 7", "Noon train", "Open late", "Room 214", "Fresh bread", "No parking", "Gate B12", "Harbour"),
    *("Level 3", "Quiet please", "Tickets", "Platform 9", "Mind the step", "Museum", "Bus 52", "For sale"),
)
SCALE, WEIGHT = 0.9, 2
"""Size and weight of OpenCV's plain letters: capitals about 20 px high, a fourteenth of the picture."""


def signed(film: Made, number: int, folder: Path) -> Made:
    """The film of that number's first clips, each with words that its caption asks for."""
    shots = film.brief.shots[:CLIPS]
    words = [WORDS[(number * CLIPS + i) % len(WORDS)] for i in range(len(shots))]
    out = folder / f"{film.name}-signs.mp4"
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        first = [round(float(shot.start or 0) * FPS) for shot in shots]
        with av.open(str(film.path)) as source, FilmWriter(out, WIDTH, HEIGHT, FPS, crf=12) as made:
            for n, frame in enumerate(source.decode(video=0)):
                shown = [i for i, start in enumerate(first) if start <= n < start + SIGN_S * FPS]
                if shown:
                    made.picture(_with(bgr_of(frame, frame.width, 0), words[shown[0]]))
    planned = [
        shot.model_copy(
            update={
                "text": f'{shot.text} A sign reads "{word}".',
                "start": i * SIGN_S,
                "end": (i + 1) * SIGN_S,
            }
        )
        for i, (shot, word) in enumerate(zip(shots, words, strict=True))
    ]
    clips = tuple(replace(clip, end=clip.start + SIGN_S) for clip in film.clips[:CLIPS])
    return Made(f"{film.name}-signs", out, Brief(shots=planned), film.reel, clips)


def _with(picture: Picture, word: str) -> Picture:
    shown = picture.copy()
    for colour, weight in (((0, 0, 0), WEIGHT + 4), ((255, 255, 255), WEIGHT)):
        cv2.putText(
            shown, word, (40, HEIGHT - 40), cv2.FONT_HERSHEY_SIMPLEX, SCALE, colour, weight, cv2.LINE_AA
        )
    return np.asarray(shown, np.uint8)
