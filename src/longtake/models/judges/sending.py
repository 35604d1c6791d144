"""What is sent to a server that speaks OpenAI's chat protocol, and in which dialect."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from ...core.judge import Frame, Question
from .complaints import Complaint
from .schemas import strict

THOUGHT_TOKENS = 4096
"""Tokens allowed beside the answer where the limit covers the model's thought too: models that want
``max_completion_tokens`` think first, and would be cut off before their first word."""


@dataclass(frozen=True)
class Dialect:
    """What this server takes, as far as it is known.

    ``structured``: a response schema. ``length``: the name of its token limit. It begins with ``max_tokens``,
    since every server either knows it or says that it does not; Ollama takes the newer name in silence and
    does not limit anything. ``left_out`` are parameters of the question that it was not told.
    """

    structured: bool = True
    length: str | None = "max_tokens"
    left_out: tuple[str, ...] = ()

    def without(self, name: str) -> Dialect:
        """What is left to try after ``name`` was refused; itself where that was known."""
        if not self.sends(name):
            return self
        if name == "response_format":
            return replace(self, structured=False)
        if name == self.length:
            other = "max_completion_tokens" if name == "max_tokens" else None
            return replace(self, length=other, left_out=self.left_out if other else (*self.left_out, name))
        return replace(self, left_out=(*self.left_out, name))

    def sends(self, name: str) -> bool:
        """Whether a parameter is told."""
        if name == "response_format":
            return self.structured
        return name == self.length if name.startswith("max_") else name not in self.left_out


def conversation(question: Question) -> tuple[str, list[str | Frame]]:
    """Our standing words, and what is said then: the question, the pictures with their times, the schema."""
    parts: list[str | Frame] = [question.prompt]
    for frame in question.frames:
        parts += [f"Picture{f' of {frame.film}' if frame.film else ''} at {frame.time:.2f} s:", frame]
    schema = json.dumps(question.schema, ensure_ascii=False)
    several = any(frame.film for frame in question.frames)
    system = f"{_prompt('several' if several else 'one')}\n\n{_prompt('system')}"
    return system, [*parts, f"{_prompt('answer')}\n{schema}"]


def messages(question: Question) -> list[dict[str, Any]]:
    """The conversation as the protocol has it."""
    system, said = conversation(question)
    # Templates of some servers join the parts without a space: each text ends its line.
    parts = [_picture(part) if isinstance(part, Frame) else _text(f"{part}\n") for part in said]
    return [{"role": "system", "content": system}, {"role": "user", "content": parts}]


def _picture(frame: Frame) -> dict[str, Any]:
    data = base64.b64encode(frame.jpeg).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{data}"}}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


@cache
def _prompt(name: str) -> str:
    return (files(__package__) / "prompts" / f"{name}.txt").read_text("utf-8").strip()


def request(model: str, question: Question, said: list[dict[str, Any]], dialect: Dialect) -> dict[str, Any]:
    """What is sent, in the server's dialect."""
    sent: dict[str, Any] = {"model": model, "messages": said}
    if dialect.sends("temperature"):
        sent["temperature"] = question.temperature
    if dialect.sends("seed"):
        sent["seed"] = question.draw
    if dialect.length is not None:
        thought = THOUGHT_TOKENS if dialect.length == "max_completion_tokens" else 0
        sent[dialect.length] = question.most_tokens + thought
    if dialect.structured:
        schema = {"name": "answer", "strict": True, "schema": strict(question.schema)}
        sent["response_format"] = {"type": "json_schema", "json_schema": schema}
    return sent


def refused(said: Complaint, dialect: Dialect) -> str | None:
    """What of the request the server does not take, if the complaint is about that."""
    if any(said.says(kind) for kind in ("no_pictures", "too_many_pictures", "too_long", "filtered")):
        return None
    if said.status in (401, 402, 403, 404, 429):
        return None
    name = said.refused_parameter()
    if name is not None and dialect.sends(name):
        return name
    return "response_format" if dialect.structured and said.says("no_schema") else None
