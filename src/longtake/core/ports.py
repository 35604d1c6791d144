"""Ports: what longtake asks of a model, whatever stands behind it. Pictures and vectors are NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

Kind = Literal["model", "proxy"]
"""Whether a model does what it is asked, or something smaller stands in for one that would."""


class Embedder(Protocol):
    """Turns pictures into vectors: the more alike two pictures, the higher the cosine of theirs."""

    name: str
    dimension: int

    def embed(self, pictures: Sequence[Any]) -> Any:
        """Vectors of ``pictures`` (BGR uint8, shape (height, width, 3)): float32, shape (n, dimension).

        Raises:
            BackendError: the model cannot be run.
        """


class TextPicture(Protocol):
    """Says how well a text describes a picture.

    ``kind`` is ``proxy`` for what runs in place of a real text-picture model; ``stands_for`` then says what
    it stands in for, and is empty for a model. Whoever prints a number prints these with it.
    """

    name: str
    kind: Kind
    stands_for: str

    def similarity(self, pictures: Sequence[Any], texts: Sequence[str]) -> Any:
        """How alike each picture and each text are: float32, shape (n_pictures, n_texts), NaN where the
        model abstains. Higher is better; only numbers of the same model may be compared.

        ``pictures`` are BGR uint8, shape (height, width, 3).

        Raises:
            BackendError: the model cannot be run.
        """
