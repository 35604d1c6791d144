"""Reads PyTorch's ``.pth`` files of weights without PyTorch, and without running what a pickle may ask for.

Both formats are read: the older one (five pickles, then the numbers) and the zip archive. The pickles may
name an ordered dictionary, the functions that rebuild tensors and parameters, and kinds of storage; none of
these is PyTorch's own, and a pickle that names anything else is refused.
"""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import BackendError

MAGIC = 0x1950A86A20F9469CFC6C
"""First pickle of the older format."""
PROTOCOL = 1001
"""Second pickle of the older format."""
STORAGES = {
    "DoubleStorage": "<f8",
    "FloatStorage": "<f4",
    "HalfStorage": "<f2",
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "ShortStorage": "<i2",
    "CharStorage": "<i1",
    "ByteStorage": "<u1",
    "BoolStorage": "|b1",
}
"""NumPy's code of each kind of storage."""

Fetch = Callable[["_Storage"], bytes]


class _Storage(NamedTuple):
    """Where numbers lie: a key, NumPy's code of their kind and how many there are."""

    key: str
    code: str
    length: int


class _Tensor(NamedTuple):
    """A view into a storage, in elements."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def read(path: Path) -> dict[str, NDArray[Any]]:
    """The named tensors of a file of weights, as arrays of their own.

    Raises:
        BackendError: the file is cut off, damaged, names what a file of weights does not need, or holds
            anything but named tensors.
    """
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return _read_zip(archive)
        return _read_older(io.BytesIO(path.read_bytes()))
    except (
        OSError, ValueError, TypeError, KeyError, IndexError, AttributeError, EOFError, OverflowError,
        MemoryError, NotImplementedError, RuntimeError, struct.error, pickle.UnpicklingError,
        zipfile.BadZipFile,
    ) as error:  # fmt: skip
        hint = "fetch it again: longtake models pull"
        raise BackendError(f"{path.name} cannot be read: {error or 'it is cut off'}", hint=hint) from error


class _Unpickler(pickle.Unpickler):
    """Knows five names and leaves the numbers where they are."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return lambda storage, offset, shape, strides, *_: _Tensor(storage, offset, shape, strides)
        if (module, name) == ("torch._utils", "_rebuild_parameter"):
            return lambda tensor, *_: tensor
        if module == "torch" and name in STORAGES:
            return STORAGES[name]
        raise pickle.UnpicklingError(f"it names {module}.{name}")

    def persistent_load(self, pid: Any) -> _Storage:
        kind, code, key, _place, count, *rest = pid
        if kind != "storage" or code not in STORAGES.values() or any(rest):
            raise pickle.UnpicklingError("it refers to something that is no storage")
        return _Storage(str(key), code, int(count))


def _read_zip(archive: zipfile.ZipFile) -> dict[str, NDArray[Any]]:
    index = next((name for name in archive.namelist() if name.rpartition("/")[2] == "data.pkl"), None)
    if index is None:
        raise ValueError("it has no data.pkl")
    folder = index.removesuffix("data.pkl")
    order = f"{folder}byteorder"
    if order in archive.namelist() and archive.read(order) != b"little":
        raise ValueError("its numbers are not little-endian")

    def fetch(storage: _Storage) -> bytes:
        member = archive.getinfo(f"{folder}data/{storage.key}")
        if member.file_size != _size(storage):
            raise ValueError(f"storage {storage.key} is not as long as it says")
        return archive.read(member)

    return _arrays(_Unpickler(io.BytesIO(archive.read(index))).load(), fetch)


def _read_older(file: io.BytesIO) -> dict[str, NDArray[Any]]:
    if _Unpickler(file).load() != MAGIC or _Unpickler(file).load() != PROTOCOL:
        raise ValueError("it is no file of weights")
    if not _Unpickler(file).load().get("little_endian"):
        raise ValueError("its numbers are not little-endian")
    table = _Unpickler(file).load()
    starts: dict[str, int] = {}
    counts: dict[str, int] = {}
    codes = {str(t.storage.key): t.storage for t in table.values() if isinstance(t, _Tensor)}
    for key in _Unpickler(file).load():
        (counts[key],) = struct.unpack("<q", file.read(8))
        starts[key] = file.tell()
        file.seek(_size(codes[key]), io.SEEK_CUR)

    def fetch(storage: _Storage) -> bytes:
        file.seek(starts[storage.key])
        data = file.read(_size(storage))
        if counts[storage.key] != storage.length or len(data) != _size(storage):
            raise ValueError(f"storage {storage.key} is not as long as it says")
        return data

    return _arrays(table, fetch)


def _size(storage: _Storage) -> int:
    if storage.length < 0:
        raise ValueError(f"storage {storage.key} is not as long as it says")
    return storage.length * np.dtype(storage.code).itemsize


def _arrays(table: Any, fetch: Fetch) -> dict[str, NDArray[Any]]:
    if not isinstance(table, dict) or not all(
        isinstance(name, str) and isinstance(tensor, _Tensor) for name, tensor in table.items()
    ):
        raise ValueError("it holds more than named tensors")
    return {name: _array(tensor, fetch) for name, tensor in table.items()}


def _array(tensor: _Tensor, fetch: Fetch) -> NDArray[Any]:
    storage, offset, shape, strides = tensor
    if len(shape) != len(strides) or offset < 0 or min((*shape, *strides), default=0) < 0:
        raise ValueError("a tensor has a shape that cannot be")
    # A stride of zero would make much of little: no tensor is larger than its storage.
    size = int(np.prod(shape, dtype=object))
    last = offset + sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) if size else offset
    if size > storage.length or last >= max(storage.length, 1):
        raise ValueError("a tensor reaches beyond its storage")
    flat = np.frombuffer(fetch(storage), storage.code)
    steps = tuple(step * flat.itemsize for step in strides)
    return np.lib.stride_tricks.as_strided(flat[offset:], shape, steps).copy()
