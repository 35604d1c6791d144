"""A question as the pipeline asks it, for tests of judges."""

from __future__ import annotations

import json
from typing import Any, Literal

import cv2
import numpy as np
from pydantic import Field

from longtake.core.judge import Frame, Material, Question
from longtake.core.model import Record

ID = "checkpoint.scene_order"


class Span(Record):
    start: float = Field(ge=0)
    end: float = Field(ge=0)


class Answer(Record):
    """An answer with everything that answers have."""

    id: Literal["checkpoint.scene_order"]
    score: int | None = Field(ge=1, le=5, description="None: cannot tell")
    share: float = Field(ge=0, le=1)
    reason: str = Field(min_length=1, max_length=60)
    spans: list[Span] = Field(max_length=5)
    pair: tuple[float, float] = (0.0, 1.0)
    clear: bool


GOOD: dict[str, Any] = {
    "id": ID,
    "score": 3,
    "share": 1,
    "reason": "the door is shut twice",
    "spans": [{"start": 1.5, "end": 2.0}],
    "pair": [1.0, 2.0],
    "clear": True,
}


def reply(**changed: Any) -> str:
    """A good reply with some fields changed."""
    return json.dumps({**GOOD, **changed})


def picture(time: float) -> Frame:
    """A frame of noise of its own."""
    pixels = np.random.default_rng(int(time * 100)).integers(0, 255, (48, 64, 3), np.uint8)
    return Frame(time, cv2.imencode(".jpg", pixels)[1].tobytes(), 64, 48)


def question(*frames: Frame, materials: tuple[Material, ...] = (), **changed: Any) -> Question:
    """A question about the order of scenes."""
    return Question(ID, "Are the scenes in order?", Answer, frames, materials, **changed)
