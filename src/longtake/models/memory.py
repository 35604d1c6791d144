"""Whether memory ran out: what libraries raise then, on whichever device."""

from __future__ import annotations

SAID = ("out of memory", "can't allocate memory", "failed to allocate memory", "bad_alloc", "bad allocation")
"""Words of torch on a graphics card and on the processor, of onnxruntime, and of C++ itself, in small
letters. Types alone do not do: torch raises a plain ``RuntimeError`` on the processor, onnxruntime types that
it does not export."""


def out_of_memory(error: BaseException | None) -> bool:
    """Whether memory ran out, as the error or what caused it says. Imports nothing."""
    if error is None:
        return False
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    said = str(error).lower()
    return any(words in said for words in SAID) or out_of_memory(error.__cause__)
