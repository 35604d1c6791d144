"""Files of weights are read without PyTorch, and what they may not hold is refused before it runs."""

from __future__ import annotations

import io
import os
import pickle
import struct
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longtake.errors import BackendError
from longtake.models import pth


class Stored:
    def __init__(self, key: str, count: int) -> None:
        self.pid = ("storage", Named("torch", "FloatStorage"), key, "cpu", count)


class Named:
    """A name that the unpickler looks up."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name


def _global(pickler: Any, obj: Named) -> None:
    pickler.write(f"c{obj.module}\n{obj.name}\n".encode())


class PurePickler(pickle._Pickler):  # type: ignore[name-defined,misc]
    """Writes a storage as PyTorch does: by reference, with its kind as a name of torch's."""

    dispatch = {**pickle._Pickler.dispatch, Named: _global}  # type: ignore[attr-defined]

    def persistent_id(self, obj: Any) -> Any:
        return obj.pid if isinstance(obj, Stored) else None


class Tensor:
    """A tensor over a storage, as PyTorch pickles it."""

    def __init__(
        self, storage: Stored, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> None:
        self.args = (storage, offset, shape, strides, False, OrderedDict())


def _tensor(pickler: Any, obj: Tensor) -> None:
    _global(pickler, Named("torch._utils", "_rebuild_tensor_v2"))
    pickler.save(obj.args)
    pickler.write(pickle.REDUCE)


PurePickler.dispatch[Tensor] = _tensor


def dumped(*values: Any) -> bytes:
    out = io.BytesIO()
    for value in values:
        PurePickler(out, 2).dump(value)
    return out.getvalue()


NUMBERS = np.arange(12, dtype="<f4")
GOOD = {"w": Tensor(Stored("0", 12), 2, (2, 3), (1, 3))}
WANTED = np.array([[2, 5, 8], [3, 6, 9]], np.float32)


def zipped(path: Path, table: Any, data: bytes = NUMBERS.tobytes()) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", dumped(table))
        archive.writestr("archive/data/0", data)
    return path


def older(path: Path, table: Any, data: bytes = NUMBERS.tobytes()) -> Path:
    head = dumped(pth.MAGIC, pth.PROTOCOL, {"little_endian": True}, table, ["0"])
    path.write_bytes(head + struct.pack("<q", 12) + data)
    return path


@pytest.mark.parametrize("write", [zipped, older])
def test_a_tensor_is_read_with_its_offset_and_strides(tmp_path: Path, write: Any) -> None:
    found = pth.read(write(tmp_path / "w.pth", GOOD))
    assert list(found) == ["w"]
    np.testing.assert_array_equal(found["w"], WANTED)
    assert found["w"].flags.writeable


class Evil:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("write", [zipped, older])
def test_a_pickle_that_would_run_something_is_refused_and_does_not_run(tmp_path: Path, write: Any) -> None:
    mark = tmp_path / "ran"
    path = write(tmp_path / "w.pth", {"w": Evil(mark)})
    with pytest.raises(BackendError, match="it names"):
        pth.read(path)
    assert not mark.exists()


@pytest.mark.parametrize("name", ["builtins eval", "torch.serialization load", "torch load", "os system"])
def test_other_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BackendError, match="it names"):
        pth.read(zipped(tmp_path / "w.pth", {"w": Named(*name.split())}))


@pytest.mark.parametrize("write", [zipped, older])
@pytest.mark.parametrize(
    ("offset", "shape", "strides"),
    [
        (7, (2, 3), (1, 3)),  # the last element is one beyond the end
        (0, (100_000, 100_000), (0, 0)),  # much out of little
        (-1, (2,), (1,)),
        (0, (2,), (-1,)),
        (0, (2, 3), (1,)),
        (13, (0,), (1,)),
    ],
)
def test_no_tensor_reaches_beyond_its_storage(
    tmp_path: Path, write: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    path = write(tmp_path / "w.pth", {"w": Tensor(Stored("0", 12), offset, shape, strides)})
    with pytest.raises(BackendError, match="cannot be read"):
        pth.read(path)


@pytest.mark.parametrize("write", [zipped, older])
def test_a_storage_of_another_length_is_refused(tmp_path: Path, write: Any) -> None:
    with pytest.raises(BackendError, match="cannot be read"):
        pth.read(write(tmp_path / "w.pth", GOOD, NUMBERS[:11].tobytes()))


@pytest.mark.parametrize("write", [zipped, older])
def test_a_file_cut_off_anywhere_is_refused(tmp_path: Path, write: Any) -> None:
    whole = write(tmp_path / "w.pth", GOOD).read_bytes()
    short = tmp_path / "short.pth"
    for length in range(0, len(whole), 7):
        short.write_bytes(whole[:length])
        with pytest.raises(BackendError, match=r"short\.pth cannot be read"):
            pth.read(short)


@pytest.mark.parametrize("table", [["w"], {"w": 3}, {1: GOOD["w"]}, 7])
def test_what_is_no_table_of_tensors_is_refused(tmp_path: Path, table: Any) -> None:
    with pytest.raises(BackendError, match="cannot be read"):
        pth.read(zipped(tmp_path / "w.pth", table))


def test_a_file_that_is_not_there_is_a_failed_back_end(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="cannot be read"):
        pth.read(tmp_path / "none.pth")
