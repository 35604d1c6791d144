"""Texts longer than an embedder reads: never cut without being told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...core.embedding import Policy, TextVectors
from ..vectors import unit

if TYPE_CHECKING:
    from ...core.embedding import Embedder

SENTENCE = re.compile(r"(?<=[.!?。！？])\s*")


def embedded(model: Embedder, texts: Sequence[str], policy: Policy) -> TextVectors:
    """Texts as unit vectors, those beyond the model's token limit as ``policy`` says.

    Raises:
        BackendError: the model reads no texts, or cannot be run.
    """
    tokens = model.tokens(texts)
    limit = model.shape.tokens
    parts = [
        [text] if policy == "cut" or limit is None or (policy == "chunks" and count <= limit)
        else _pieces(model, text, limit, policy)
        for text, count in zip(texts, tokens, strict=True)
    ]  # fmt: skip
    flat = [part for pieces in parts for part in pieces]
    read = model.tokens(flat)
    found = unit(np.asarray(model.texts(flat))) if flat else np.zeros((0, model.shape.dimension), np.float32)
    vectors, dropped, at = [], [], 0
    for pieces in parts:
        end = at + len(pieces)
        vectors.append(found[at:end].mean(axis=0))
        dropped.append(sum(max(0, n - limit) for n in read[at:end]) if limit is not None else 0)
        at = end
    whole = unit(np.stack(vectors)) if vectors else found
    return TextVectors(whole, tuple(tokens), tuple(dropped), policy)


def _pieces(model: Embedder, text: str, limit: int, policy: Policy) -> list[str]:
    """Sentences, or of ``chunks`` as many words at a time as the limit holds."""
    if policy == "sentences":
        return [s for s in SENTENCE.split(text.strip()) if s] or [text]
    pieces: list[str] = []
    for word in text.split():
        grown = f"{pieces[-1]} {word}" if pieces else word
        if pieces and model.tokens([grown])[0] <= limit:
            pieces[-1] = grown
        else:
            pieces.append(word)
    return pieces or [text]
