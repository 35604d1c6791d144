"""Which models a run has for the signals that it was asked for, and what it has to do without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..models import weights as models
from ..models.weights import Weights
from ..signals.registry import models_of


@dataclass(frozen=True)
class Equipment:
    """The catalog entries chosen for each heavy signal, and why others are absent, by signal."""

    root: Path
    chosen: dict[str, tuple[str, ...]]
    absent: dict[str, str]

    @property
    def digests(self) -> dict[str, str]:
        """What stands for each signal's weights in cache keys."""
        return {name: models.digest(entries) for name, entries in self.chosen.items() if entries}

    def weights(self, names: Iterable[str], threads: int) -> Weights:
        """The weights that these signals use."""
        entries = {entry for name in names for entry in self.chosen.get(name, ())}
        return models.load(entries, self.root, threads)

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
        return Equipment(self.root, chosen, {**self.absent, **absent})


def equip(names: Sequence[str], root: Path) -> Equipment:
    """Choose models for these signals among those in the cache ``root``."""
    chosen: dict[str, tuple[str, ...]] = {}
    absent: dict[str, str] = {}
    for name in names:
        wishes = models_of(name)
        if wishes:
            entries, why = models.choose(wishes, root)
            if why is None:
                chosen[name] = entries
            else:
                absent[name] = why
    return Equipment(root, chosen, absent)
