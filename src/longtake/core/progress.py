"""The port to whoever shows how far the work is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Shows what is being done, how far, and how long it will take."""

    def begin(self, what: str, total: float) -> None:
        """A stage of ``total`` seconds of film begins."""

    def at(self, done: float) -> None:
        """So many seconds of film are done."""
