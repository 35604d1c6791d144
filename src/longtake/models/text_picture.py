"""Text-picture models by name: the embedders that read pictures and texts, and the labelled proxy that runs
offline and abstains where it knows nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from . import embedders
from .named import Kind, Named, find_kind

PROXY = "conse-proxy"
KINDS: Mapping[str, Kind] = {
    PROXY: Kind("conse:ConseProxy", entries=("mobilenet-v2", "imagenet-names", "minilm")),
    **{name: kind for name, kind in embedders.PICTURE_TEXT.items() if name != embedders.PROXY},
}


def find(name: str, root: Path) -> Named:
    """The text-picture model of that name. Raises ``UsageError`` and ``MissingError``."""
    return find_kind(name, KINDS, "text-picture model", root)
