"""Maskers by name: real ones of the user's own, and the proxy that runs offline."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..core.ports import Masker
from . import catalog
from .named import Kind, opened

KINDS: Mapping[str, Kind] = {
    "dino": Kind(
        "grounding:DinoMasker", places=("FOLDER",), needs=("torch", "transformers", "PIL"), extra="torch"
    ),
    "rembg": Kind("onnx_matte:OnnxMatte", places=("MODEL.onnx",), needs=("onnxruntime",)),
}
PROXY = "grabcut"
ROLE: Mapping[str, Kind] = {
    PROXY: Kind("foreground:GrabCutMasker", entries=("yolov3-tiny",), stands_for="GroundingDINO and SAM-2"),
    **KINDS,
}
"""Those that fill a role: there the proxy has its weights, or is not there."""


def masker(name: str | None, root: Path, threads: int = 1) -> Masker:
    """The masker called ``name``; without a name the proxy, with what weights lie under the cache ``root``.

    Raises:
        UsageError, MissingError, InputError: there is no such masker, it or what runs it is not there, or it
            cannot be read.
    """

    def proxy() -> Masker:
        from .foreground import GrabCutMasker

        return GrabCutMasker(catalog.installed("yolov3-tiny", root))

    found: Masker = opened(name, KINDS, "masker", root, threads, proxy)
    return found
