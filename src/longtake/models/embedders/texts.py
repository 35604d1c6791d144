"""Texts longer than an embedder reads: never cut without being told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...core.embedding import Policy, TextVectors
from ..vectors import unit

if TYPE_CHECKING:
    from ...core.embedding import Embedder

SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？｡])\s*|\n+")
"""Where a sentence ends: after a full stop and a space, so that 3.5 is no two, after a full stop of writing
without spaces, and at the end of a line."""


def embedded(model: Embedder, texts: Sequence[str], policy: Policy) -> TextVectors:
    """Texts as unit vectors, those beyond the model's token limit as ``policy`` says.

    Raises:
        BackendError: the model reads no texts, or cannot be run.
    """
    tokens = model.tokens(texts)
    parts = [pieces(model, text, policy) for text in texts]
    flat = [part for group in parts for part in group]
    limit = model.shape.tokens
    read = model.tokens(flat)
    found = unit(np.asarray(model.texts(flat))) if flat else np.zeros((0, model.shape.dimension), np.float32)
    vectors, dropped, at = [], [], 0
    for group in parts:
        end = at + len(group)
        one = found[at] if end == at + 1 else unit(found[at:end].mean(axis=0, keepdims=True))[0]
        vectors.append(one)
        dropped.append(sum(max(0, n - limit) for n in read[at:end]) if limit is not None else 0)
        at = end
    return TextVectors(np.stack(vectors) if vectors else found, tuple(tokens), tuple(dropped), policy)


def pieces(model: Embedder, text: str, policy: Policy) -> list[str]:
    """What is read of a text in place of it: itself, its sentences, or parts of about the same length, as few
    as the limit allows. Together they hold all of its words, in order; white space between them is lost.

    Only ``cut``, and a single sign of more tokens than the limit, make a piece that is longer than the limit.
    """
    if policy == "cut":
        return [text]
    if policy == "sentences":
        sentences = [part.strip() for part in SENTENCE.split(text) if part.strip()] or [text]
        return [piece for sentence in sentences for piece in _parts(model, sentence)]
    return _parts(model, text)


def _parts(model: Embedder, text: str) -> list[str]:
    """Parts of a text that each have no more tokens than the model reads.

    Filled to the limit one after the other the last might be a word or two, which would weigh as much as all
    the rest; so they share the tokens out.
    """
    limit = model.shape.tokens
    count = model.tokens([text])[0]
    if limit is None or count <= limit:
        return [text]
    marks = model.tokens([""])[0]
    words, costs = _words(model, text, limit, marks)
    middles = np.cumsum(costs) - costs / 2
    for n in range(-(-(count - marks) // max(1, limit - marks)), len(words)):
        owners = np.minimum((middles * n / costs.sum()).astype(int), n - 1)
        found = ["".join(words[i] for i in np.flatnonzero(owners == k)).strip() for k in np.unique(owners)]
        if max(model.tokens(found)) <= limit:
            return found
    return [word.strip() for word in words]


def _words(model: Embedder, text: str, limit: int, marks: int) -> tuple[list[str], NDArray[np.float64]]:
    """The words of a text, each with the white space before it, and the tokens of each; one too long to be
    read at once, as in writing without spaces, is taken as its signs."""
    words = re.findall(r"\s*\S+", text)
    costs = model.tokens([word.strip() for word in words])
    found = [
        sign
        for word, cost in zip(words, costs, strict=True)
        for sign in ([word] if cost <= limit else re.findall(r"\s*\S", word))
    ]
    each = np.array(model.tokens([word.strip() for word in found]), np.float64) - marks
    return found, np.maximum(each, 1.0)
