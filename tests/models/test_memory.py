"""What running out of memory looks like, as libraries really say it."""

from __future__ import annotations

import numpy as np
import pytest

from longtake.errors import BackendError, InputError
from longtake.models.memory import out_of_memory


def test_numpy_without_memory() -> None:
    with pytest.raises(MemoryError) as caught:
        np.empty(2**60, np.uint8)
    assert out_of_memory(caught.value)
    wrapped = BackendError("it cannot be run")
    wrapped.__cause__ = caught.value
    assert out_of_memory(wrapped)


def test_torch_without_memory() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**50)
    assert out_of_memory(caught.value)
    assert out_of_memory(torch.OutOfMemoryError("no room"))


@pytest.mark.parametrize("said", ["CUDA out of memory. Tried to allocate 2 GiB", "std::bad_alloc"])
def test_libraries_that_have_no_type_for_it_are_read_by_their_words(said: str) -> None:
    assert out_of_memory(RuntimeError(said))


@pytest.mark.parametrize("error", [None, RuntimeError("shapes do not fit"), InputError("cannot be read")])
def test_other_failures_are_no_lack_of_memory(error: Exception | None) -> None:
    assert not out_of_memory(error)
