"""A real clip whole and with its contrast taken, and a judge's server for evaluators that ask one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import films
from judge_asked import Asked
from judge_server import JudgeServer
from judge_world import world

CLIP = "1_shots/skv_bikes.mp4"
"""Bicycles in a street, 10 s of 640 x 272."""
SIZE = (320, 136)
BRIEF = {
    "schema": "longtake.brief/1",
    "title": "Bicycles",
    "instruction": "People ride bicycles through a street in a city by day.",
    "duration": 3,
    "shots": [
        {"index": 0, "start": 0, "end": 1.5, "text": "A man on a bicycle rides towards the camera"},
        {"index": 1, "start": 1.5, "end": 3, "text": "A car passes behind parked bicycles"},
    ],
}


def clip(media: Path, folder: Path, seconds: float = 3.0, skip: int = 0) -> Path:
    """Some seconds of the real clip, smaller."""
    frames = films.pictures_of(media / CLIP, SIZE)[skip : skip + round(25 * seconds)]
    return _written(folder / f"clip {skip} {seconds:g}.mp4", frames)


def flattened(film: Path) -> Path:
    """The same film darker and with little contrast."""
    frames = [np.uint8(30 + 0.3 * frame.astype(float)) for frame in films.pictures_of(film, SIZE)]
    return _written(film.with_name(f"{film.stem} flat.mp4"), frames)


def _written(path: Path, frames: list[Any]) -> Path:
    films.write(path, iter(frames))
    return path


def write_brief(path: Path, **more: Any) -> Path:
    """The brief of the clip as a file, with more or other fields."""
    path.write_text(json.dumps({**BRIEF, **more}))
    return path


def at(server: JudgeServer, folder: Path, patch: pytest.MonkeyPatch) -> JudgeServer:
    """Make this server the judge of the process."""
    for name, value in world(server, folder).items():
        patch.setenv(name, value)
    return server


def contrast(jpeg: bytes) -> float:
    """Standard deviation of grey levels of a picture."""
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert picture is not None
    return float(np.std(picture))


def by_film(asked: Asked) -> dict[str, list[bytes]]:
    """The pictures of a question by the film that the line before each names; its time is left aside."""
    named = re.findall(r"^Picture of (film \d) at ", asked.text, re.MULTILINE)
    assert len(named) == len(asked.images)
    found: dict[str, list[bytes]] = {}
    for name, image in zip(named, asked.images, strict=True):
        found.setdefault(name, []).append(image)
    return found


def about(server: JudgeServer, pattern: str) -> Iterator[Asked]:
    """The requests whose question's id the pattern matches."""
    return (asked for asked in server.requests if re.fullmatch(pattern, asked.id))
