"""The cache holds whole entries or none, and what was used longest ago goes first."""

from __future__ import annotations

import os
import random
from pathlib import Path

import numpy as np
import pytest

from longtake.errors import OutputError
from longtake.storage.cache import Cache, cache_root, replacing


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    arrays = {"t.a": np.arange(5), "t.b": np.array([1.5, np.nan])}
    cache.put_arrays("signals", "ab/cd", arrays)
    back = cache.get_arrays("signals", "ab/cd")
    assert back is not None
    assert back.keys() == arrays.keys()
    for name, values in arrays.items():
        np.testing.assert_array_equal(back[name], values)


@pytest.mark.parametrize("kept", [0, 10, 200])
def test_a_damaged_entry_is_missing_and_goes_away(tmp_path: Path, kept: int) -> None:
    cache = Cache(tmp_path)
    cache.put_arrays("signals", "key", {"a": np.arange(1000)})
    path = cache.path("signals", "key", ".npz")
    path.write_bytes(path.read_bytes()[:kept])
    assert cache.get_arrays("signals", "key") is None
    assert not path.exists()


def test_one_flipped_byte_is_never_an_error_and_never_other_data(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    arrays = {"a": np.arange(50.0), "b": np.ones((4, 3), np.float32), "s": np.array(["x", "yy"])}
    cache.put_arrays("tools", "key", arrays)
    path = cache.path("tools", "key", ".npz")
    whole = path.read_bytes()
    # Whether a part is locked and how it is packed are fields of the list at the end (zip, 4.3.12).
    listed = [at for at in range(len(whole)) if whole.startswith(b"PK\x01\x02", at)]
    flips = [(at + 8, 0x01) for at in listed] + [(at + 10, 0x20) for at in listed]
    chance = random.Random(7)
    flips += [(chance.randrange(len(whole)), 1 << chance.randrange(8)) for _ in range(400)]
    read = 0
    for at, bit in flips:
        damaged = bytearray(whole)
        damaged[at] ^= bit
        path.write_bytes(damaged)
        found = cache.get_arrays("tools", "key")
        assert path.exists() == (found is not None)
        if found is None:
            continue
        read += 1
        assert found.keys() == arrays.keys()
        for name, values in arrays.items():
            assert found[name].dtype == values.dtype
            np.testing.assert_array_equal(found[name], values)
    assert 0 < read < len(flips) - 2 * len(listed)  # dates and the like do no harm, the rest is found


def test_a_text_comes_back_as_it_was(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.get_text("judge", "ab/cd") is None
    text = '{"a": "\u2028 \n <|x|> é 映画"}'
    cache.put_text("judge", "ab/cd", text)
    assert Cache(tmp_path).get_text("judge", "ab/cd") == text
    assert cache.info().files == {"judge": 1}


def test_a_damaged_text_is_missing_and_goes_away(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put_text("judge", "key", "0.25 of the answer")
    path = cache.path("judge", "key", ".json")
    whole = path.read_bytes()
    for damaged in (
        b"",
        whole[: len(whole) // 2],
        whole.replace(b"0.25", b"0.75"),
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 200_000,
    ):
        assert damaged != whole
        path.write_bytes(damaged)
        assert cache.get_text("judge", "key") is None
        assert not path.exists()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail() -> None:
        with replacing(path, "it") as file:
            file.write(b"new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_made_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with (
        pytest.raises(OutputError, match="cannot write the thing"),
        replacing(tmp_path / "file" / "x", "the thing"),
    ):
        pass


def test_prune_removes_what_was_used_longest_ago(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for i, name in enumerate(("old", "middle", "new")):
        cache.put_arrays("signals", name, {"a": np.zeros(1000)})
        os.utime(cache.path("signals", name, ".npz"), (i, i))
    one = cache.path("signals", "old", ".npz").stat().st_size
    assert cache.prune(2 * one) == one
    assert [cache.get_arrays("signals", n) is not None for n in ("old", "middle", "new")] == [
        False,
        True,
        True,
    ]
    assert sum(cache.info().files.values()) == 2
    cache.prune(0)
    assert cache.info().files == {}


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGTAKE_CACHE", str(tmp_path / "elsewhere"))
    assert cache_root() == tmp_path / "elsewhere"


def test_weights_go_last(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    weights = tmp_path / "models" / "x-1" / "w"
    weights.parent.mkdir(parents=True)
    weights.write_bytes(b"w" * 1000)
    os.utime(weights, (1, 1))
    cache.put_arrays("signals", "new", {"a": np.zeros(1000)})
    cache.prune(1000)
    assert weights.exists()
    assert cache.get_arrays("signals", "new") is None
    cache.prune(0)
    assert not weights.exists()


def test_an_entry_that_lost_rows_is_damaged(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put_arrays("signals", "key", {"a": np.arange(10), "b": np.arange(10)})
    path = cache.path("signals", "key", ".npz")
    with np.load(path) as stored:
        kept = {name: stored[name] for name in stored.files if name != "b"}
    np.savez(path, **kept)
    assert cache.get_arrays("signals", "key") is None
