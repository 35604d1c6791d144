"""A small film, its brief, and the environment of a command that asks a judge's server on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from judge_server import JudgeServer
from longtake.media.write import FilmWriter

SECRET = "sk-nobody-may-see-this-0123456789"
BRIEF = {
    "schema": "longtake.brief/1",
    "title": "A square that drifts",
    "instruction": "A coloured square drifts over a plain ground.",
    "duration": 3,
    "consistency": ["the square keeps its colour"],
    "characters": [{"name": "Square", "description": "a coloured square"}],
    "shots": [{"index": 0, "start": 0, "end": 3, "text": "The square drifts to the right"}],
}


def write_film(path: Path, frames: int) -> Path:
    """A square that drifts over a plain ground, 24 pictures a second, without sound."""
    with FilmWriter(path, 96, 64, 24) as film:
        for i in range(frames):
            picture = np.full((64, 96, 3), 60, np.uint8)
            picture[20:44, 4 + i // 2 : 28 + i // 2] = (40, 180, 220)
            film.picture(picture)
    return path


def world(server: JudgeServer | None, tmp_path: Path, **more: str) -> dict[str, str]:
    """The environment of a command: a cache of its own, and where the judge is."""
    known = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "LONGTAKE_CONFIG"))}
    known |= {"LONGTAKE_CACHE": str(tmp_path / "c"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    if server is not None:
        known |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": SECRET, "OPENAI_MODEL": server.model}
    return {**known, **more}
