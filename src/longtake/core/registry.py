"""Names of things that are imported when they are first used: ours and those of installed packages alike."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar, cast

from ..errors import LongtakeError, MissingError, UsageError

T = TypeVar("T")


@dataclass(frozen=True)
class Named:
    """A name, ``module:attribute`` that it stands for (the attribute may have dots), and who defines it."""

    name: str
    target: str
    where: str

    @property
    def module(self) -> str:
        """The module that is imported when the thing is used."""
        return self.target.partition(":")[0]


class Registry(Generic[T]):
    """Things of one kind by name. Nothing is imported before :meth:`load`.

    ``kind`` names them to people ("evaluator"), ``group`` is the entry point group in which installed
    packages list theirs, ``built_in`` lists ours in the same form, a name and ``module:attribute``.
    """

    def __init__(self, kind: str, group: str, built_in: Mapping[str, str]) -> None:
        self.kind = kind
        self.group = group
        self._built_in = built_in
        self._known: dict[str, Named] | None = None
        self._loaded: dict[str, T] = {}

    def entries(self) -> Mapping[str, Named]:
        """All that there are, ours first, those of packages in the order of their names.

        Raises:
            LongtakeError: two packages define the same name.
        """
        if self._known is None:
            known = {name: Named(name, target, "longtake") for name, target in self._built_in.items()}
            for point in sorted(entry_points(group=self.group), key=lambda p: (p.name, p.value)):
                found = Named(point.name, point.value, _where(point))
                before = known.setdefault(point.name, found)
                if before.target != found.target:
                    raise LongtakeError(
                        f"two {self.kind}s are named {point.name!r}: {before.target} of {before.where}, "
                        f"and {found.target} of {found.where}",
                        hint="uninstall one of the two packages, or rename its entry point",
                    )
            self._known = known
        return self._known

    def entry(self, name: str) -> Named:
        """What a name stands for. Raises ``UsageError`` with the nearest names where there is none."""
        known = self.entries()
        if name in known:
            return known[name]
        near = difflib.get_close_matches(name, known, n=3)
        hint = f"did you mean {', '.join(near)}?" if near else f"there are: {', '.join(known)}"
        raise UsageError(f"there is no {self.kind} called {name!r}", hint=hint)

    def chosen(self, patterns: Sequence[str]) -> list[str]:
        """Names that these names and patterns (``rule.*``) mean, each once, in the order asked for.

        Raises:
            UsageError: one of them means nothing.
        """
        found: dict[str, None] = {}
        for pattern in patterns:
            if set(pattern) & set("*?["):
                matching = fnmatch.filter(self.entries(), pattern)
                if not matching:
                    hint = f"there are: {', '.join(self.entries())}"
                    raise UsageError(f"no {self.kind} is called like {pattern!r}", hint=hint)
                found.update(dict.fromkeys(matching))
            else:
                found[self.entry(pattern).name] = None
        return list(found)

    def load(self, name: str) -> T:
        """The thing itself; a class is called without arguments, once.

        Raises:
            UsageError: there is none of that name.
            MissingError: its module needs a package that is not installed.
            LongtakeError: it cannot be imported.
        """
        if name not in self._loaded:
            entry = self.entry(name)
            try:
                found = import_module(entry.module)
                for part in entry.target.partition(":")[2].split("."):
                    found = getattr(found, part)
                self._loaded[name] = cast("T", found() if isinstance(found, type) else found)
            except ModuleNotFoundError as error:
                raise MissingError(
                    f"the {self.kind} {name!r} of {entry.where} cannot be used: {error}",
                    hint=f"install what {entry.where} needs for it",
                ) from error
            except Exception as error:
                raise LongtakeError(
                    f"the {self.kind} {name!r} of {entry.where} cannot be loaded from {entry.target}: "
                    f"{type(error).__name__}: {error}"
                ) from error
        return self._loaded[name]


def _where(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "an unknown package"
