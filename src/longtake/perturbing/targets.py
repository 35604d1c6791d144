"""Where the copies of a suite go, and how large they will be."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from ..core.changes import ChangeRecord
from ..core.model import tool_version
from ..core.video import Video
from ..meta.perturbations import facts_of

BITS_PER_PIXEL = 0.12
"""Of a film that is encoded whole at our settings, by which its size is foretold; seen on real clips."""


@dataclass(frozen=True)
class Target:
    """Where one damaged copy, its control and its change record go."""

    folder: Path
    operator: str
    strength: float

    def path(self, suffix: str) -> Path:
        """A file of this copy: ``.mp4``, ``.control.mp4``, ``.brief.json`` or ``.json``, the change record.

        The record is written last: what has one is whole.
        """
        return self.folder / f"{self.operator}-{self.strength:g}{suffix}"

    def made(self, source: str, seed: int, given: str) -> ChangeRecord | None:
        """The record of an earlier run, if it made just this and its files are still there."""
        try:
            record = ChangeRecord.model_validate_json(self.path(".json").read_bytes())
        except (OSError, ValueError):
            return None
        asked = (source, seed, given, tool_version())
        same = (record.source, record.seed, record.given, record.longtake) == asked
        there = all(self.path(suffix).is_file() for suffix in (".mp4", ".control.mp4"))
        return record if same and there else None


def folder_name(case: str) -> str:
    """A folder's name for a case: its id where that is one, else a likeness with a hash."""
    safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in case).strip(".")[:60]
    return safe if safe == case else f"{safe}-{hashlib.sha256(case.encode()).hexdigest()[:8]}"


def size(film: Video) -> int:
    """Bytes of a copy of a film, about: its own size or, if that is more, what encoding it whole gives."""
    facts = facts_of(film)
    whole = facts.duration * facts.fps * facts.width * facts.height * BITS_PER_PIXEL / 8
    return max(sum(p.path.stat().st_size for p in film.parts), round(whole))
