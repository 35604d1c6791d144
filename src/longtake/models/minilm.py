"""MiniLM: sentences as vectors, by what they mean. English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import BackendError
from . import onnx
from .vectors import unit

BATCH = 32
TOKENS = 256
"""Longer texts are cut off here, as in training."""


class MiniLM:
    """all-MiniLM-L6-v2 in int8 (Wang et al., NeurIPS 2020): 384 numbers per sentence, at length 1."""

    dimension = 384

    def __init__(self, files: Mapping[str, Path], threads: int = 1) -> None:
        """``files`` hold ``model.onnx`` and ``tokenizer.json``. Raises ``BackendError`` for a broken one."""
        from tokenizers import Tokenizer

        self._session = onnx.session(files["model.onnx"], threads)
        try:
            self._tokens = Tokenizer.from_file(str(files["tokenizer.json"]))
        except Exception as error:  # the library raises bare exceptions
            raise BackendError(f"MiniLM's tokenizer cannot be read: {error}") from error
        self._tokens.enable_truncation(TOKENS)
        self._tokens.enable_padding()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors, shape (n, 384): the mean over a text's tokens, at length 1."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))  # like lengths need little padding
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for i in range(0, len(order), BATCH):
            chosen = order[i : i + BATCH]
            read = self._tokens.encode_batch([texts[n] for n in chosen])
            ids = np.array([r.ids for r in read], np.int64)
            mask = np.array([r.attention_mask for r in read], np.int64)
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            try:
                hidden = self._session.run(["last_hidden_state"], inputs)[0]
            except Exception as error:  # the library raises types of its own, which it does not export
                raise BackendError(f"MiniLM cannot be run: {error}") from error
            vectors[chosen] = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1)[:, None]
        return unit(vectors)

    def count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, marks of begin and end included, before anything is cut off."""
        read = self._tokens.encode_batch(list(texts))
        return [sum(r.attention_mask) + sum(sum(o.attention_mask) - 2 for o in r.overflowing) for r in read]
