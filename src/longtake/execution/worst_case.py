"""How many tokens a question may come to, before anybody has counted them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from ..core.judge import Frame, Question

OVERHEAD = 300
"""Tokens of a request beside the question, its schema and its pictures: instructions, marks of turns."""
FRAME_OVERHEAD = 30
"""Tokens that say of a picture when it is shown."""
PATCH = 28
"""Pixels on a side of what is one token of a picture at the finest of Qwen2.5-VL (28) and Qwen3-VL (32)."""
LEAST_PICTURE = 1105
"""Tokens of a picture, however small: the most that OpenAI's rule of tiles gives (85, and 170 for each of
six tiles). Some models count more by far; the first reply tells (:class:`.budget.Spending`)."""


@dataclass(frozen=True)
class Tokens:
    """Tokens that go in and come out."""

    input: int
    output: int

    @property
    def all(self) -> int:
        """Both."""
        return self.input + self.output

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.input + other.input, self.output + other.output)


NONE = Tokens(0, 0)


def picture_tokens(width: int, height: int) -> int:
    """The most tokens that a picture of so many pixels is expected to be."""
    return FRAME_OVERHEAD + max(LEAST_PICTURE, math.ceil(width / PATCH) * math.ceil(height / PATCH))


def text_tokens(text: str) -> int:
    """The most tokens that a text can be: no tokeniser of bytes makes more of them than there are bytes."""
    return len(text.encode())


def worst_case(question: Question) -> Tokens:
    """What a question may come to: of its words one token a byte, which no text passes."""
    words = text_tokens(question.prompt) + text_tokens(json.dumps(question.schema))
    pictures = sum(_of(frame) for frame in question.frames)
    return Tokens(OVERHEAD + words + pictures, question.most_tokens)


def _of(frame: Frame) -> int:
    return picture_tokens(frame.width, frame.height)
