"""What a server complains of: its words and numbers, sorted by what can be done about them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from .door import MOST_SAID, one_line

LONGEST_WAIT_S = 3600.0
"""A server that wants to be left alone for longer is not waited for by its word."""
MOST_READ = 4000
"""Signs of a server's words that are looked at and kept: some servers repeat the question."""
PARAMETERS = ("max_completion_tokens", "max_tokens", "temperature", "seed")
"""Parameters of a question that servers may not know; the longer name is looked for first."""


@dataclass(frozen=True)
class Complaint:
    """An error as a server gave it: HTTP status, its words, its code and the parameter that it names."""

    status: int
    message: str
    code: str = ""
    parameter: str = ""

    @property
    def words(self) -> str:
        """All that the kinds are looked for in."""
        return f"{self.code} {self.parameter} {self.message}"[:MOST_READ]

    @property
    def told(self) -> str:
        """Its words on one line, not too long."""
        return one_line(self.message, MOST_SAID) or f"HTTP {self.status}"

    def says(self, kind: str) -> bool:
        """Whether these are the words of one kind in complaints.yaml."""
        return any(pattern.search(self.words) for pattern in _kinds()[kind])

    def refused_parameter(self) -> str | None:
        """The parameter that the server does not take, if that is the complaint."""
        if not self.says("not_taken"):
            return None
        if self.parameter in PARAMETERS:
            return self.parameter
        # OpenAI recommends the other name in the same breath: the first that is named is meant.
        found = re.search("|".join(PARAMETERS), self.message[:MOST_READ])
        return found[0] if found else None


def complaint(status: int, body: object) -> Complaint:
    """Read an error's body, of whichever server.

    ``{"error": {...}}`` (OpenAI, vLLM, llama.cpp, Ollama), the same without ``error`` (SGLang, older vLLM),
    ``{"error": "..."}``, ``{"detail": ...}``, or a text.
    """
    if not isinstance(body, dict):
        return Complaint(status, str(body or ""))
    inner = body.get("error", body)
    if not isinstance(inner, dict):
        return Complaint(status, str(inner))
    said = next((inner[key] for key in ("message", "detail", "error") if inner.get(key)), "")
    message = said if isinstance(said, str) else json.dumps(said)
    code = " ".join(str(inner[key]) for key in ("code", "type") if isinstance(inner.get(key), str))
    return Complaint(status, message, code, str(inner.get("param") or ""))


def error_in(body: dict[str, Any]) -> Complaint | None:
    """An error that came with HTTP status 200, as gateways do; its own code may say which it would be."""
    inner = body.get("error")
    if not inner and body.get("object") != "error":
        return None
    own = inner.get("code") if isinstance(inner, dict) else body.get("code")
    status = own if isinstance(own, int) and 400 <= own < 600 else 500
    return complaint(status, body)


def wait_asked_for(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that the server wants to be left alone: ``retry-after-ms``, else ``Retry-After``."""
    milliseconds, text = headers.get("retry-after-ms"), headers.get("retry-after", "").strip()
    try:
        seconds = float(milliseconds) / 1000 if milliseconds else float(text)
    except ValueError:
        try:
            date = parsedate_to_datetime(text)
            date = date if date.tzinfo else date.replace(tzinfo=UTC)
            seconds = (date - (now or datetime.now(UTC))).total_seconds()
        except (ValueError, OverflowError):  # a year, or an offset of the clock, that there cannot be
            return None
    return min(max(seconds, 0.0), LONGEST_WAIT_S) if seconds == seconds else None


@cache
def _kinds() -> dict[str, list[re.Pattern[str]]]:
    text = (files(__package__) / "data" / "complaints.yaml").read_text("utf-8")
    return {kind: [re.compile(p, re.IGNORECASE) for p in all_] for kind, all_ in yaml.safe_load(text).items()}
