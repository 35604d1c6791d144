"""What one reading of a brief carries along: the name of its source and the notes it collects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..core.brief import Note
from ..errors import InputError

SAME_ID = "give every entry an id of its own, or leave the ids out"
JSON_HINT = "mend it there, or look for a missing comma, quote or bracket just before"
MAX_NOTES = 500
"""Notes kept; a large file with the same unknown key in every shot would drown the rest."""


def join(path: str, key: str) -> str:
    """``path.key``, or ``key`` at the root."""
    return f"{path}.{key}" if path else key


@dataclass
class Reading:
    """Notes and refusals of one source.

    ``name`` is shown to people (a file name, or ``prompt``); ``fps`` is the caller's frame rate for edit
    lists that do not state one. ``folder``: this is a file of a folder, and its notes begin with its name.
    """

    name: str
    folder: bool = False
    fps: float | None = None
    notes: list[Note] = field(default_factory=list)
    unlisted: int = 0

    def note(self, path: str, message: str, level: Literal["info", "warning"] = "info") -> None:
        """Keep a remark about ``path`` (empty for the whole source)."""
        if self.folder:
            path = self.name + (path if path.startswith("[") else f": {path}" if path else "")
        if len(self.notes) < MAX_NOTES:
            self.notes.append(Note(path=path, message=message, level=level))
        else:
            self.unlisted += 1

    def error(self, path: str, message: str, hint: str | None = None) -> InputError:
        """An :class:`InputError` that names the source and the place in it; the caller raises it."""
        if path:
            return InputError(
                f"{self.name}: {path}: {message}", hint=hint or f"correct {path} in {self.name}"
            )
        return InputError(f"{self.name}: {message}", hint=hint or f"correct {self.name}")

    def all_notes(self) -> list[Note]:
        """The notes, and how many more there would have been."""
        if not self.unlisted:
            return list(self.notes)
        more = Note(path="", message=f"{self.unlisted} more notes of the same kinds are not listed")
        return [*self.notes, more]
