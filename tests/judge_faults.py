"""What may go wrong with a judge's server, for ``JudgeServer(faults=...)``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Fault:
    """What goes wrong instead of, or in, a reply.

    With a ``status`` other than 200 or a ``body``, that is all that comes (a dict is sent as JSON, a text as
    HTML). ``half`` sends half of the body as if it were all, ``cut`` breaks off in the middle, ``stall``
    waits there so many seconds; ``hang`` waits before it; ``drop`` closes without a word. The rest changes a
    good reply: its model, its finish reason, its refusal, its text.
    """

    status: int = 200
    body: dict[str, Any] | str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    half: bool = False
    cut: bool = False
    hang: float = 0.0
    stall: float = 0.0
    drop: bool = False
    model: str | None = None
    finish: str | None = None
    refusal: str | None = None
    content: str | None = None


def failed(status: int, message: str = "", code: str | None = None, **headers: str) -> Fault:
    """An error in OpenAI's form; ``retry_after="2"`` becomes a header."""
    said = message or {429: "Rate limit reached", 503: "The engine is overloaded"}.get(status, "Server error")
    named = {key.replace("_", "-").title(): value for key, value in headers.items()}
    return Fault(status, {"error": {"message": said, "type": "error", "param": None, "code": code}}, named)


def too_many(after: str = "1") -> Fault:
    """429 with Retry-After: seconds, or a date of HTTP."""
    return failed(429, retry_after=after)


HTML = Fault(200, "<!DOCTYPE html><html><body>Welcome to the gateway</body></html>")
HALF = Fault(half=True)
CUT = Fault(cut=True)
HANG = Fault(hang=30.0)
DROP = Fault(drop=True)
REFUSED = Fault(refusal="I can't help with that.", content="")
FILTERED = Fault(finish="content_filter", content="")
LENGTH = Fault(finish="length", content='{"id": "x", "sc')
