"""Text-picture models by name: real ones of the user's own, and the labelled proxy that runs offline."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .named import Kind, Named, find_kind

PROXY = "conse-proxy"
_TORCH = ("torch", "transformers", "PIL")
KINDS: Mapping[str, Kind] = {
    PROXY: Kind("conse:ConseProxy", entries=("mobilenet-v2", "imagenet-names", "minilm")),
    "clip": Kind("torch_encoders:ClipEncoder", places=("PATH",), needs=_TORCH, extra="torch"),
    "siglip": Kind("torch_encoders:SiglipEncoder", places=("PATH",), needs=_TORCH, extra="torch"),
    "onnx": Kind(
        "onnx_encoders:OnnxPair",
        places=("IMAGE.onnx", "TEXT.onnx", "TOKENIZER.json"),
        needs=("onnxruntime", "tokenizers"),
    ),
}


def find(name: str, root: Path) -> Named:
    """The text-picture model of that name. Raises ``UsageError`` and ``MissingError``."""
    return find_kind(name, KINDS, "text-picture model", root)
