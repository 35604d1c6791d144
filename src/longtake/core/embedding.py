"""Embedders: models that put pictures, clips and texts into one space, so that a cosine compares them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from .ports import Kind

Sampling = Literal["centre", "stride"]
"""Which frames of a clip are read, of N frames where n are asked for: ``centre`` the middle one of each of n
equal parts; ``stride`` every (N // n)-th from the first on, as VideoCLIP-XL's released code does, which never
sees the rest of the division at the end."""
Policy = Literal["cut", "chunks", "sentences"]
"""What is done with a text beyond the token limit: ``cut`` reads its beginning, as published; ``chunks``
reads it in as few parts as the limit allows, of about the same length; ``sentences`` reads any text sentence
by sentence, long sentences in such parts; both take the mean of the unit vectors."""


@dataclass(frozen=True)
class Shape:
    """What an embedder reads and gives.

    ``dimension`` numbers a vector; pictures are brought to ``size`` x ``size`` px; of a clip ``frames`` are
    read and ``pooling`` says how they become one vector; ``tokens`` is how many of a text are read, marks of
    begin and end included, ``None`` where it reads no texts.
    """

    dimension: int
    size: int
    frames: int = 8
    tokens: int | None = None
    pooling: str = "mean of the frames' unit vectors"


class Embedder(Protocol):
    """Turns pictures, clips and texts into vectors: float32, shape (n, dimension), of any length.

    ``kind`` and ``stands_for`` as for :class:`.ports.TextPicture`; ``licence`` is that of the weights, empty
    where it is not known. Pictures are BGR uint8, shape (height, width, 3). A batch gives the same as one by
    one, within 1e-5 of a unit vector in single precision and 1e-2 in half.
    """

    name: str
    kind: Kind
    stands_for: str
    licence: str
    shape: Shape

    def pictures(self, pictures: Sequence[Any]) -> Any:
        """Vectors of single pictures. Raises ``BackendError`` where the model cannot be run."""

    def clips(self, clips: Sequence[Sequence[Any]]) -> Any:
        """Vectors of clips, each of ``shape.frames`` pictures in time order. Raises ``BackendError``."""

    def texts(self, texts: Sequence[str]) -> Any:
        """Vectors of texts; tokens beyond ``shape.tokens`` are not read, so callers count them first.

        Raises:
            BackendError: the model cannot be run, or reads no texts.
        """

    def tokens(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, marks of begin and end included, before anything is cut."""


@dataclass(frozen=True)
class TextVectors:
    """Texts as unit vectors, shape (n, dimension), with the tokens of each and how many were not read."""

    vectors: Any
    tokens: tuple[int, ...]
    dropped: tuple[int, ...]
    policy: Policy


@dataclass(frozen=True)
class ClipVectors:
    """Spans of a film as unit vectors, shape (n, dimension), NaN where nothing could be decoded; ``frames``
    is how many of its own frames each span gave: with fewer than asked for the last one was repeated."""

    vectors: Any
    frames: tuple[int, ...]
