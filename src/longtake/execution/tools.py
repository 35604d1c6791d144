"""What evaluators may run on a film: its frames, models by role, and arrays that are kept by content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..core.tools import ModelUsed
from ..core.video import Video
from ..errors import MissingError, NoMemoryError
from ..models import roles, weights
from ..models.named import Named
from ..storage.cache import Cache, cache_root
from .film_embedder import FilmEmbedding
from .footage import FilmFootage

KIND = "tools"


@dataclass
class Models:
    """The models of a run by role: those that the user named (``named``), the default for the others. Each is
    opened once. ``failed`` are roles for whose model there was no memory, with the reason."""

    root: Path = field(default_factory=cache_root)
    named: Mapping[str, str] = field(default_factory=dict)
    threads: int = 1
    failed: dict[str, str] = field(default_factory=dict)
    _found: dict[str, Named | str] = field(default_factory=dict)
    _open: dict[tuple[str, str], Any] = field(default_factory=dict)

    def check(self) -> None:
        """See that every model that was named is there. One without memory for it leaves its role empty.

        Raises:
            UsageError, MissingError, InputError: as :func:`.models.roles.find`.
        """
        for role in self.named:
            self.found(role)

    def found(self, role: str) -> Named | str:
        """The model for a role, or why there is none."""
        if role not in self._found:
            try:
                found = roles.find(role, self.named.get(role), self.root)
            except NoMemoryError as error:
                found = self.failed[role] = f"the role {role} is not filled: {error.message}"
            if isinstance(found, Named) and (wrong := weights.wrong(found.entries, self.root)):
                found = "; ".join(wrong.values())
            self._found[role] = found
        return self._found[role]

    def used(self, role: str) -> ModelUsed:
        """What fills a role."""
        found = self.found(role)
        if isinstance(found, str):
            return ModelUsed(role=role, reason=found)
        proxy = found.kind.stands_for
        return ModelUsed(
            role=role,
            name=found.label.rpartition(" ")[0],
            kind="proxy" if proxy else "model",
            stands_for=proxy,
            label=found.label,
            licence=found.licence,
            note=found.kind.note,
        )

    def state(self, role: str) -> str:
        """What stands for it in keys."""
        label = self.used(role).label
        return f"{role} {label or ('no memory' if role in self.failed else 'absent')}"

    def open(self, role: str) -> Any:
        """The model itself. Raises ``MissingError`` and ``BackendError``."""
        found = self.found(role)
        if isinstance(found, str):
            raise MissingError(found)
        key = found.name, found.kind.target  # one name may mean another model in another role
        if key not in self._open:
            given = weights.load(found.entries, self.root, self.threads)
            self._open[key] = found.open(given)
        return self._open[key]


class FilmTools:
    """Implements :class:`..core.tools.Tools` for one film."""

    def __init__(self, film: Video, times: Any, models: Models, cache: Cache) -> None:
        self.footage = FilmFootage(film, np.asarray(times, np.float64))
        self._film = f"{film.hash}/{film.bounds}"
        self._models, self._cache = models, cache

    def used(self, role: str) -> ModelUsed:
        """See the port."""
        return self._models.used(role)

    def lacks(self, *names: str) -> str | None:
        """See the port."""
        found = [used.reason for name in names if (used := self.used(name)).reason is not None]
        return "; ".join(filter(None, found)) or None

    def model(self, role: str) -> Any:
        """See the port."""
        return self._models.open(role)

    def embedder(self, role: str) -> FilmEmbedding:
        """See the port."""
        return FilmEmbedding(self.model(role), self.used(role), self._film, self.footage, self._cache)

    def kept(
        self,
        what: str,
        version: int,
        make: Callable[[], Mapping[str, Any]],
        *,
        roles: Sequence[str] = (),
        **parameters: str | float | int | bool | None,
    ) -> Mapping[str, Any]:
        """See the port."""
        named = [f"{name}={value!r}" for name, value in sorted(parameters.items())]
        whole = [self._film, what, str(version), *map(self._models.state, roles), *named]
        digest = hashlib.sha256("\0".join(whole).encode()).hexdigest()
        key = f"{what}/{digest[:2]}/{digest[:32]}"
        stored = self._cache.get_arrays(KIND, key)
        if stored is None:
            stored = {name: np.asarray(value) for name, value in make().items()}
            self._cache.put_arrays(KIND, key, stored)
        return stored
