"""Which models a run has for the signals that it was asked for, and what it has to do without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..models import catalog
from ..models import weights as models
from ..models.embedders import find
from ..models.named import Named
from ..models.weights import Weights
from ..signals.registry import models_of

EMBEDDINGS = "embeddings"
"""The signal whose model the user may choose."""


@dataclass(frozen=True)
class Equipment:
    """The catalog entries chosen for each heavy signal, why others are absent, and which stand in for better
    ones (``instead``), by signal.

    ``embedder`` is an image embedder of the user's own, which the signal ``embeddings`` then uses.
    """

    root: Path
    chosen: dict[str, tuple[str, ...]]
    absent: dict[str, str]
    instead: dict[str, str]
    embedder: Named | None = None

    @property
    def digests(self) -> dict[str, str]:
        """What stands for each signal's weights in cache keys."""
        found = {name: models.digest(entries) for name, entries in self.chosen.items() if entries}
        return found | ({EMBEDDINGS: self.embedder.sha256[:8]} if self.embedder is not None else {})

    def weights(self, names: Iterable[str], threads: int) -> Weights:
        """The weights that these signals use."""
        entries = {entry for name in names for entry in self.chosen.get(name, ())}
        return replace(models.load(entries, self.root, threads), embedder=self.embedder)

    def label(self, name: str) -> str | None:
        """The models of a signal as results name them."""
        labels = [catalog.entry(found).label for found in self.chosen.get(name, ())]
        if name == EMBEDDINGS and self.embedder is not None:
            labels.append(self.embedder.label)
        return ", ".join(labels) or None

    def checked(self, names: Iterable[str]) -> Equipment:
        """The same without those of these signals whose weights are damaged, by their hashes."""
        used = {name: self.chosen[name] for name in names if name in self.chosen}
        wrong = models.wrong(sorted({e for entries in used.values() for e in entries}), self.root)
        absent = {
            name: "; ".join(wrong[e] for e in entries if e in wrong)
            for name, entries in used.items()
            if any(e in wrong for e in entries)
        }
        chosen = {name: entries for name, entries in self.chosen.items() if name not in absent}
        return replace(self, chosen=chosen, absent={**self.absent, **absent})


def equip(names: Sequence[str], root: Path, embedder: str | None = None) -> Equipment:
    """Choose models for these signals among those in the cache ``root``.

    ``embedder`` names another image embedder than the default one. Raises ``UsageError`` where there is none
    of that name, and ``MissingError`` where it is not here.
    """
    named = find(embedder, root) if embedder is not None else None
    own = named if named is not None and not named.entries else None
    chosen: dict[str, tuple[str, ...]] = {}
    absent: dict[str, str] = {}
    instead: dict[str, str] = {}
    for name in names:
        wishes = () if own is not None and name == EMBEDDINGS else models_of(name)
        if wishes:
            entries, why = models.choose(wishes, root)
            if why is None:
                chosen[name] = entries
                if poorer := models.standing_in(wishes, entries, root):
                    instead[name] = poorer
            else:
                absent[name] = why
    return Equipment(root, chosen, absent, instead, own)
