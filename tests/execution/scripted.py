"""Questions with pictures, and a judge in this process that answers as a test says. Not a test file."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Literal

from longtake.core.judge import Frame, Material, Question, Usage, Verdict
from longtake.core.model import Record, Share


class Answer(Record):
    """What a question about order wants."""

    id: Literal["checkpoint.scene_order"]
    value: Share
    says: str


def frame(time: float = 0.0, size: int = 900, width: int = 512, height: int = 288) -> Frame:
    """A picture, or what stands for one where nobody looks at it."""
    return Frame(time, f"{time}".encode().ljust(size, b"\xd8"), width, height)


def question(
    n: int = 0, *, frames: int = 2, label: str = "brief", draw: int = 0, tokens: int = 200
) -> Question:
    """The ``n``-th question."""
    return Question(
        id="checkpoint.scene_order",
        text=f"Is scene {n} where the brief has it?",
        answer=Answer,
        frames=tuple(frame(i + n / 100) for i in range(frames)),
        materials=(Material(label, f"scene {n}"),),
        draw=draw,
        temperature=0.7 if draw else 0.0,
        most_tokens=tokens,
    )


def answered(asked: Question, value: float = 0.5, usage: Usage | None = None) -> Verdict:
    """A good verdict."""
    reply = {"id": asked.id, "value": value, "says": "because"}
    return Verdict(
        id=asked.id,
        question=asked.key,
        draw=asked.draw,
        status="answered",
        value=reply,
        raw=json.dumps(reply),
        model="m-1",
        usage=usage or Usage(input_tokens=1000, output_tokens=50),
        seconds=0.01,
    )


class Scripted:
    """A judge: ``script(question, n)`` gives the verdict of the ``n``-th call (from 0) or raises."""

    name, identity, sends_to = "scripted:m", "scripted at nowhere", "judge.example"

    def __init__(
        self, script: Callable[[Question, int], Verdict] | None = None, *, delay: float = 0.0
    ) -> None:
        self.script = script or (lambda asked, n: answered(asked))
        self.delay = delay
        self.asked: list[Question] = []
        self.times: list[float] = []
        self.open = self.most_open = 0
        self._lock = threading.Lock()

    def ask(self, question: Question) -> Verdict:
        """Ask once."""
        with self._lock:
            n = len(self.asked)
            self.asked.append(question)
            self.times.append(time.monotonic())
            self.open += 1
            self.most_open = max(self.most_open, self.open)
        try:
            time.sleep(self.delay)
            return self.script(question, n)
        finally:
            with self._lock:
                self.open -= 1
