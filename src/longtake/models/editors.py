"""Editors by name: real ones of the user's own, and the proxy that runs offline."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..core.ports import Editor
from . import catalog
from .named import Kind, opened

_DIFFUSERS = ("torch", "transformers", "diffusers", "PIL")
_WAN = (*_DIFFUSERS, "ftfy")
KINDS: Mapping[str, Kind] = {
    "inpaint": Kind(
        "diffusers_editors:InpaintEditor", places=("FOLDER",), needs=_DIFFUSERS, extra="diffusers"
    ),
    "qwen": Kind("diffusers_editors:QwenEditor", places=("FOLDER",), needs=_DIFFUSERS, extra="diffusers"),
    "vace": Kind("vace:VaceEditor", places=("FOLDER", "DEPTH_FOLDER"), needs=_WAN, extra="diffusers"),
}


def editor(name: str | None, root: Path, threads: int = 1) -> Editor:
    """The editor called ``name``; without a name the proxy, with what weights lie under the cache ``root``.

    Raises:
        UsageError, MissingError, InputError: there is no such editor, it or what runs it is not there, or it
            cannot be read.
    """

    def proxy() -> Editor:
        from .proxy_editor import OpenCvEditor

        usable = catalog.lacking(["centerface"], root) is None
        return OpenCvEditor(catalog.installed("centerface", root) if usable else None, threads)

    found: Editor = opened(name, KINDS, "editor", root, threads, proxy)
    return found
