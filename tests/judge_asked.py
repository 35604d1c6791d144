"""A chat request as a judge's server sees it."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Asked:
    """One chat request: its body, its headers without the key, and what is in it.

    ``schema`` is the one asked for, ``by_format`` whether it came in ``response_format``. ``turn`` counts the
    requests that came before and were not refused for their form, ``nth`` those about the same question.
    """

    turn: int
    body: dict[str, Any]
    headers: dict[str, str]
    with_key: bool
    schema: dict[str, Any] | None
    by_format: bool
    texts: tuple[str, ...]
    images: tuple[bytes, ...]
    nth: int = 0

    @property
    def text(self) -> str:
        """All texts of the request, system first, a line between them."""
        return "\n".join(self.texts)

    @property
    def id(self) -> str:
        """The question's id: the literal of the answer's field ``id``; empty where there is none."""
        return id_of(self.schema)


def parts(messages: list[dict[str, Any]]) -> tuple[tuple[str, ...], tuple[bytes, ...]]:
    """All texts and pictures of a conversation; pictures have to be data URLs of JPEGs."""
    texts: list[str] = []
    images: list[bytes] = []
    for message in messages:
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text":
                texts.append(part["text"].removesuffix("\n"))  # each ends its line
                continue
            head, _, data = part["image_url"]["url"].partition(",")
            if head != "data:image/jpeg;base64":
                raise ValueError(f"not a data URL of a JPEG: {head[:40]}")
            images.append(base64.b64decode(data, validate=True))
    return tuple(texts), tuple(images)


def written(text: str) -> dict[str, Any] | None:
    """The schema that the last text of a question contains, if it does: the last JSON object at a line's
    start that has properties."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            try:
                found = json.loads(line)
            except ValueError:
                continue
            if isinstance(found, dict) and "properties" in found:
                return found
    return None


def id_of(schema: dict[str, Any] | None) -> str:
    return str((schema or {}).get("properties", {}).get("id", {}).get("const", ""))
