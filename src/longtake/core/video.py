"""What was made: one film."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

VideoKind = Literal["file", "clips", "pictures"]


def display_path(path: Path | str) -> str:
    """A path as text that any document can hold: bytes that are not UTF-8 become U+FFFD.

    For people and documents only; a file is opened by the path itself.
    """
    try:
        raw = os.fsencode(path)
    except UnicodeEncodeError:  # a text that names no file on this system
        raw = str(path).encode("utf-8", "replace")
    return raw.decode("utf-8", "replace")


@dataclass(frozen=True)
class Part:
    """One file of a film: the film itself, one shot clip, or one picture.

    ``sha256`` is the hash of its bytes (64 hex digits). ``offset`` and ``duration`` are seconds on the
    film's clock: where the part begins and how long it is shown.
    """

    path: Path
    sha256: str
    offset: Fraction = Fraction(0)
    duration: Fraction | None = None


@dataclass(frozen=True)
class Video:
    """One film: a file, an ordered list of files joined in time, or numbered pictures with a rate.

    Identified by the hash of its content, never by its name. ``start`` and ``end`` select a part on the
    film's own clock (seconds); times stay on that clock and frames count from the part's first frame.
    """

    kind: VideoKind
    parts: tuple[Part, ...]
    fps: Fraction | None = None
    start: Fraction | None = None
    end: Fraction | None = None
    path: Path = Path()

    @property
    def hash(self) -> str:
        """SHA-256 of the file, or of the ordered list of part hashes and the fps; not of the bounds."""
        if self.kind == "file":
            return self.parts[0].sha256
        text = "\n".join([*(p.sha256 for p in self.parts), f"fps={self.fps}" if self.fps else ""])
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def bounds(self) -> str:
        """The selected part as text for cache keys: ``start-end``, ``-`` for the whole film."""
        return f"{self.start if self.start is not None else ''}-{self.end if self.end is not None else ''}"

    @property
    def name(self) -> str:
        """For people and folder names only."""
        return display_path(self.path.stem if self.kind == "file" else self.path.name)
