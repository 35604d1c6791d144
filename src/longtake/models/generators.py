"""Generators by name: real ones of the user's own, and the proxy that runs offline."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..core.ports import Generator
from .named import Kind, opened

KINDS: Mapping[str, Kind] = {
    "wan": Kind(
        "wan:WanGenerator",
        places=("FOLDER",),
        needs=("torch", "transformers", "diffusers", "PIL", "ftfy"),
        extra="diffusers",
    ),
}


def generator(name: str | None, root: Path, threads: int = 1) -> Generator:
    """The generator called ``name``; without a name the proxy.

    Raises:
        UsageError, MissingError, InputError: there is no such generator, it or what runs it is not there, or
            it cannot be read.
    """

    def proxy() -> Generator:
        from .proxy_generator import WarpGenerator

        return WarpGenerator()

    found: Generator = opened(name, KINDS, "generator", root, threads, proxy)
    return found
