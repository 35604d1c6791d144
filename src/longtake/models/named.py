"""Models that a user names: what is in the catalog, or ``KIND:PATH`` for one of the user's own."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BackendError, InputError, MissingError, NoMemoryError, UsageError
from . import catalog
from .memory import out_of_memory

if TYPE_CHECKING:
    from .weights import Weights

BLOCK = 1 << 20
IGNORED = (".md", ".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack", ".gitattributes")
"""Endings of files of a model folder that no model of ours reads: words, and pickles."""
FOLDER = "FOLDER"
"""How the word for a place ends that is a folder; the others are files."""
NOT_RUN = "not run on the real file"
"""Said of a kind whose code was only ever tried on random weights in the real format."""


@dataclass(frozen=True)
class Kind:
    """One kind of model: where its class is, and what it is made of.

    ``target`` is ``module:attribute`` within :mod:`longtake.models`, imported when the model is opened.
    It is called with the files of each of ``entries`` (catalog names), or with as many paths as ``places``
    names, and ``threads``. ``needs`` are modules, and ``extra`` the extra that installs them. ``stands_for``
    makes it a proxy: it says what it stands in for. ``licence`` is that of the weights, where it is known;
    ``note`` is what else must be said where its numbers are shown. ``beside`` names files that belong to it
    where they lie beside its path. ``form`` says in what way it is made of its entries: a word, which stands
    in its label, and a number that rises with every change; both count in its hash.
    """

    target: str
    entries: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    extra: str = "offline"
    stands_for: str = ""
    licence: str = ""
    note: str = ""
    beside: tuple[str, ...] = ()
    form: str = ""

    @property
    def licences(self) -> str:
        """The licence of its weights, its own or those of the catalog; empty where it is not known."""
        return self.licence or "; ".join(catalog.entry(entry).licence for entry in self.entries)

    def usage(self, kind: str) -> str:
        """How it is named on the command line."""
        return f"{kind}:{','.join(self.places)}" if self.places else kind


@dataclass(frozen=True)
class Named:
    """A model that was asked for by name and is there."""

    name: str
    kind: Kind
    paths: tuple[Path, ...] = ()

    @property
    def entries(self) -> tuple[str, ...]:
        """The catalog entries that it is made of; none for one of the user's own."""
        return self.kind.entries

    @cached_property
    def sha256(self) -> str:
        """What stands for its weights: the hash of the catalog's hashes, or of the user's files."""
        digest = hashlib.sha256(self.kind.form.encode())
        for entry in self.entries:
            digest.update("".join(f.sha256 for f in catalog.entry(entry).files).encode())
        for path in self.paths:
            for file in _files(path, self.kind.beside):
                digest.update(file.name.encode())
                with file.open("rb") as data:
                    while block := data.read(BLOCK):
                        digest.update(block)
        return digest.hexdigest()

    @property
    def licence(self) -> str:
        """The licence of its weights; empty where it is not known."""
        return self.kind.licences

    @property
    def label(self) -> str:
        """Name and hash, as results name a model; of a path only its last part. What is made of no files has
        the number of its form instead."""
        if not self.entries and not self.paths:
            return f"{self.name} {self.kind.form or 'v1'}"
        kind = self.name.partition(":")[0] if self.paths else self.name
        where = ",".join(path.name for path in self.paths) or self.kind.form.partition(" ")[0]
        return f"{kind}{':' if where else ''}{where} sha256:{self.sha256[:16]}"

    def open(self, weights: Weights) -> Any:
        """The model itself.

        Raises:
            NoMemoryError: there is not enough memory for it.
            BackendError: its files cannot be read.
        """
        module, _, attribute = self.kind.target.partition(":")
        made = getattr(import_module(f".{module}", __package__), attribute)
        given = [weights[entry] for entry in self.entries] if self.entries else list(self.paths)
        try:
            return made(*given, threads=weights.threads)
        except Exception as error:  # whatever the library raises
            if not out_of_memory(error):
                raise
            hint = "choose a smaller one, or a machine with more memory"
            raise NoMemoryError(f"there is not enough memory for {self.name}", hint=hint) from error


def _files(path: Path, beside: Sequence[str] = ()) -> list[Path]:
    """The files that make up a model: itself with its settings beside it, or those of its folder."""
    if path.is_dir():
        inside = (p for p in path.rglob("*") if p.is_file() and not p.name.endswith(IGNORED))
        return sorted(
            p for p in inside if not any(part.startswith(".") for part in p.relative_to(path).parts)
        )
    settings = path.with_suffix(".json")
    others = [settings, *(path.with_name(name) for name in beside)]
    return [path, *(file for file in others if file != path and file.is_file())]


def _check_form(path: Path, place: str, usage: str) -> None:
    """A pipe would be waited on for ever, and what a library says of a folder is riddles."""
    wanted = "folder" if place.endswith(FOLDER) else "file"
    if path.is_dir() if wanted == "folder" else path.is_file():
        return
    found = "folder" if path.is_dir() else "file" if path.is_file() else "pipe or a device"
    raise InputError(f"{path} is a {found}, and {place} is a {wanted}", hint=f"write {usage}")


def find_kind(name: str, kinds: Mapping[str, Kind], what: str, root: Path, *, tried: bool = True) -> Named:
    """The model called ``name`` among ``kinds``; ``what`` says in a message what kind of model is meant.

    One of the user's own is opened once to see whether it can be, unless ``tried`` is false because the
    caller opens it at once.

    Raises:
        UsageError: there is no such kind, or the name lacks its path.
        MissingError: its path, its weights under the cache ``root``, or what runs it is not there.
        InputError: its path is no file where one is wanted, or no folder; or the user's own files cannot be
            read: better now than after the film was measured.
        NoMemoryError: there is not enough memory for it.
    """
    word, colon, rest = (name, "", "") if name in kinds else name.partition(":")
    usages = ", ".join(kind.usage(k) for k, kind in kinds.items())
    if word not in kinds:
        near = difflib.get_close_matches(word, kinds, n=1)
        hint = f"did you mean {kinds[near[0]].usage(near[0])}?" if near else f"one of: {usages}"
        raise UsageError(f"there is no {what} called {name!r}", hint=hint)
    kind = kinds[word]
    places = tuple(Path(part).expanduser() for part in rest.split(",")) if colon else ()
    if len(places) != len(kind.places) or any(part == Path() for part in places):
        raise UsageError(f"{name!r} does not name any {what}", hint=f"write {kind.usage(word)}")
    if gone := [str(path) for path in places if not path.exists()]:
        raise MissingError(f"{', '.join(gone)} is not there", hint=f"write {kind.usage(word)}")
    for path, place in zip(places, kind.places, strict=True):
        _check_form(path, place, kind.usage(word))
    if absent := [module for module in kind.needs if find_spec(module) is None]:
        hint = f"pip install 'longtake[{kind.extra}]'"
        raise MissingError(f"{word} needs {', '.join(absent)}, which is not installed", hint=hint)
    if (why := catalog.lacking(kind.entries, root)) is not None:
        raise MissingError(f"{name} cannot be used", hint=why)
    named = Named(name, kind, places)
    if tried and not kind.entries:
        from .weights import Weights

        _read(named, Weights())
    return named


def _read(named: Named, weights: Weights) -> Any:
    """The model; what is wrong with the user's own files is an ``InputError``."""
    try:
        return named.open(weights)
    except NoMemoryError:
        raise
    except BackendError as error:
        raise InputError(error.message, hint=error.hint) from error


def opened(
    name: str | None, kinds: Mapping[str, Kind], what: str, root: Path, threads: int, proxy: Callable[[], Any]
) -> Any:
    """The model called ``name``, opened; ``proxy()`` without a name.

    Raises:
        UsageError, MissingError, InputError, NoMemoryError: as :func:`find_kind`.
    """
    if name is None:
        return proxy()
    named = find_kind(name, kinds, what, root, tried=False)
    from .weights import Weights

    return _read(named, Weights(threads=threads))
