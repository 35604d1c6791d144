"""What is to be judged: a film with what it was meant to be, and pairs of such films."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .changes import Span
from .video import display_path


@dataclass(frozen=True)
class Case:
    """One row of a manifest: a film and its brief. ``id`` is unique in the manifest.

    ``brief`` is a path in any shape we read, ``prompt`` a brief as plain text; at most one is given.
    ``duration`` is seconds as the manifest states them, ``None`` where it does not.
    """

    id: str
    video: Path
    brief: Path | None = None
    prompt: str | None = None
    system: str | None = None
    profile: str | None = None
    duration: float | None = None
    tags: tuple[str, ...] = ()

    @property
    def brief_name(self) -> str | None:
        """How tables name its brief: the path, or ``prompt``; ``None`` where it has none."""
        if self.brief is not None:
            return display_path(self.brief)
        return "prompt" if self.prompt is not None else None


@dataclass(frozen=True)
class Pair:
    """One row of a pair manifest: the same film undamaged (a) and damaged (b) in one aspect.

    ``source`` names the undamaged film: pairs of one source are not independent. ``changed`` are spans of the
    damaged film's clock (for what was removed, an empty span where it is missing), ``share_changed`` their
    share of it, ``duration`` seconds, ``brief_b`` the brief of b where that was changed (scored as one of its
    own), ``kept`` whether people kept the pair; ``None`` where not stated. ``suffer`` and ``spared`` name
    checkpoints and aspects that ought to suffer from the damage, and that ought not to; empty where not
    stated.
    """

    id: str
    source: str
    aspect: str
    a: Path
    b: Path
    brief: Path | None = None
    brief_b: Path | None = None
    strength: float | None = None
    changed: tuple[Span, ...] | None = None
    share_changed: float | None = None
    duration: float | None = None
    kept: bool | None = None
    suffer: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def control(self) -> bool | None:
        """Whether nothing ought to suffer; ``None`` where the pair does not say. See ``is_control``."""
        return is_control(bool(self.suffer), bool(self.spared))


def is_control(suffer: bool, spared: bool) -> bool | None:
    """Whether a pair that names what suffers, or what is spared, is one where nothing ought to suffer.

    Tables cannot tell an empty cell from one that was not filled in, so ``suffer`` counts as known to be
    empty where ``spared`` is filled. ``None`` where the pair names neither.
    """
    return False if suffer else True if spared else None
