"""Embedders by name: one port for pictures, clips and texts, and which kinds may fill which role.

:mod:`.mobilenet` and :mod:`.proxy` run on the catalog's weights, :mod:`.transformers`, :mod:`.videoclip_xl`
and :mod:`.onnx` on files of the user's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ...core.embedding import Embedder
from ..named import NOT_RUN, Kind, Named, find_kind
from ..weights import Weights
from .mobilenet import NAME as DEFAULT
from .mobilenet import NAMES, MobileNet

__all__ = ["DEFAULT", "KINDS", "PROXY", "MobileNet", "find", "opened"]

PROXY = "proxy"
_TORCH = ("torch", "transformers", "PIL")
_OWN: Mapping[str, Kind] = {
    "clip": Kind("embedders.transformers:Clip", places=("FOLDER",), needs=_TORCH, extra="torch"),
    "siglip": Kind("embedders.transformers:Siglip", places=("FOLDER",), needs=_TORCH, extra="torch"),
    "dinov2": Kind("embedders.transformers:Dinov2", places=("FOLDER",), needs=_TORCH, extra="torch"),
    "dino": Kind("embedders.transformers:Dino", places=("FOLDER",), needs=_TORCH, extra="torch"),
    "onnx": Kind("embedders.onnx:OnnxEmbedder", places=("IMAGE.onnx",), needs=("onnxruntime",)),
}
_PAIR = Kind(
    "embedders.onnx:OnnxPair",
    places=("IMAGE.onnx", "TEXT.onnx", "TOKENIZER.json"),
    needs=("onnxruntime", "tokenizers"),
)
_MOBILENET = Kind("embedders.mobilenet:MobileNet", entries=(DEFAULT, NAMES))
_CONSE = Kind("embedders.proxy:ProxyEmbedder", entries=(DEFAULT, NAMES, "minilm"), form="conse 2")

KINDS: Mapping[str, Kind] = {DEFAULT: _MOBILENET, **_OWN}
"""What ``--embedder`` may name, for the signal ``embeddings``."""
SUBJECT: Mapping[str, Kind] = {DEFAULT: replace(_MOBILENET, stands_for="DINO"), **_OWN}
SCENE: Mapping[str, Kind] = {DEFAULT: replace(_MOBILENET, stands_for="CLIP"), **_OWN}
PICTURE_TEXT: Mapping[str, Kind] = {
    PROXY: replace(_CONSE, stands_for="CLIP"),
    "clip": _OWN["clip"],
    "siglip": _OWN["siglip"],
    "onnx": _PAIR,
}
VIDEO_TEXT: Mapping[str, Kind] = {
    **PICTURE_TEXT,
    PROXY: replace(_CONSE, stands_for="VideoCLIP-XL"),
    "videoclip-xl": Kind(
        "embedders.videoclip_xl:VideoClipXL",
        places=("FILE",),
        beside=("tokenizer.json", "vocab.json", "merges.txt"),
        needs=("torch", "transformers"),
        extra="torch",
        licence="CC BY-NC-SA 4.0",
        note=NOT_RUN,
    ),
}


def find(name: str, root: Path) -> Named:
    """The embedder of that name. Raises ``UsageError`` and ``MissingError``."""
    return find_kind(name, KINDS, "embedder", root)


def opened(weights: Weights) -> Embedder:
    """The embedder that a run chose, the default where it named none. Raises ``BackendError``."""
    if weights.embedder is not None:
        made: Embedder = weights.embedder.open(weights)
        return made
    return MobileNet(weights[DEFAULT], weights[NAMES], weights.threads)
