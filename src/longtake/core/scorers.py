"""Ports of models that were trained on people's scores of films. Pictures are NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .ports import Kind


@dataclass(frozen=True)
class Rated:
    """Scores in the order of the model's dimensions. ``tokens`` is all that it read, pictures included;
    ``left_out`` how many characters at the end of the text it was not given."""

    scores: tuple[float, ...]
    tokens: int
    left_out: int = 0


class VideoScorer(Protocol):
    """Scores a film from pictures of it and the text it was made of, by a head on top of a language model.

    ``runs_on`` names device and number type, ``prompt`` is the hash of the prompt it was trained with.
    ``kind`` and ``stands_for`` as for :class:`~.ports.TextPicture`.
    """

    name: str
    kind: Kind
    stands_for: str
    runs_on: str
    prompt: str

    def rate(self, pictures: Iterable[Any], text: str, most_tokens: int | None = None) -> Rated:
        """Scores of ``pictures`` (BGR uint8, shape (height, width, 3)), in time order, for ``text``.

        Of a text that does not fit into ``most_tokens`` the end is left out; ``None`` leaves out nothing.

        Raises:
            BackendError: the model cannot be run, or does not hold that much.
        """


@dataclass(frozen=True)
class Review:
    """A reply in words. ``finished`` tells that the model ended it itself. ``odds`` says, for each place in
    ``reply`` where a digit was written as a token of its own, how probable each of the digits 1 to 5 was
    there by the model's whole distribution (they need not add up to 1). ``tokens`` is all that it read."""

    reply: str
    finished: bool
    odds: Mapping[int, tuple[float, ...]]
    tokens: int


class VideoReviewer(Protocol):
    """Thinks about a film aloud and then scores it in words. Attributes as for :class:`VideoScorer`."""

    name: str
    kind: Kind
    stands_for: str
    runs_on: str
    prompt: str

    def review(
        self,
        pictures: Iterable[Any],
        count: int,
        rate: float,
        text: str,
        *,
        temperature: float = 0.0,
        seed: int = 0,
        most_tokens: int,
    ) -> Review:
        """Its reply to ``count`` ``pictures`` (BGR uint8, shape (height, width, 3)), in time order, as a film
        of ``rate`` pictures a second that was made of ``text``. They are scaled as for so many, even if fewer
        can be read.

        At temperature 0 each token is the likeliest one; above it, tokens are drawn, the same for the same
        ``seed`` on the same device. The reply is cut off after ``most_tokens``.

        Raises:
            BackendError: the model cannot be run, or does not hold that much.
        """
