"""What an evaluator may run on the film of its case: frames, models by role, and results that are kept.

Everything here is lazy and kept by content, so that evaluators that ask for the same get it from one
computation, in this run and in the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from .embedding import ClipVectors, Policy, Sampling, Shape, TextVectors
from .model import Record
from .ports import Kind


class ModelUsed(Record):
    """The model that filled a role in a run.

    ``kind`` is ``None`` where there was none, and ``reason`` says why; ``stands_for`` says what a proxy
    stands in for; ``label`` is its name with the hash of its weights; ``note`` is what must be said where its
    numbers are shown, as that it was never run on the real file.
    """

    role: str
    name: str | None = None
    kind: Kind | None = None
    stands_for: str = ""
    label: str | None = None
    licence: str = ""
    note: str = ""
    reason: str | None = None

    @property
    def facts(self) -> dict[str, float | int | str | bool | None]:
        """Facts of a measurement that rests on it: which model it was, and whether that is a proxy."""
        return {"model": self.label, "proxy": self.kind == "proxy"}


class Footage(Protocol):
    """The pictures of one film. Pictures are BGR uint8, shape (height, width, 3), as shown, never enlarged;
    with ``short_side`` scaled down by area so that the shorter side has so many px. Times are seconds on the
    film's clock."""

    @property
    def times(self) -> Any:
        """When each frame of the film begins to be shown: float64, ascending."""

    def at(self, times: Sequence[float], short_side: int | None = None) -> Iterator[tuple[float, Any]]:
        """The pictures shown at these moments, in time order, each once, with when it begins to be shown.
        A moment at which nothing can be decoded is left out.

        Raises:
            InputError: the film can no longer be read.
        """

    def between(self, start: float, end: float, short_side: int | None = None) -> Iterator[tuple[float, Any]]:
        """All pictures that begin within ``start <= t < end``, one at a time. Raises ``InputError``."""


class FilmEmbedder(Protocol):
    """An embedder bound to one film; vectors have length 1."""

    @property
    def used(self) -> ModelUsed:
        """Which model it is."""

    @property
    def shape(self) -> Shape:
        """What the model reads and gives."""

    def clips(self, spans: Sequence[tuple[float, float]], sampling: Sampling = "centre") -> ClipVectors:
        """One vector for each span (start, end) in seconds. Raises ``BackendError`` and ``InputError``."""

    def pictures(self, times: Sequence[float]) -> Any:
        """One vector for the picture shown at each time: shape (n, dimension), NaN where there is none.

        Raises:
            BackendError: the model cannot be run.
            InputError: the film can no longer be read.
        """

    def texts(self, texts: Sequence[str], policy: Policy) -> TextVectors:
        """Texts as vectors. Raises ``BackendError`` where the model reads none or cannot be run."""


class Tools(Protocol):
    """What a case's evaluator may run. ``roles`` are those of its card."""

    @property
    def footage(self) -> Footage:
        """The pictures of the film."""

    def used(self, role: str) -> ModelUsed:
        """Which model fills a role; opens nothing."""

    def lacks(self, *roles: str) -> str | None:
        """Why one of these roles cannot be filled, in words; ``None`` where all can."""

    def model(self, role: str) -> Any:
        """The model that fills a role, opened once in a run.

        Raises:
            MissingError: there is none.
            BackendError: it cannot be read.
        """

    def embedder(self, role: str) -> FilmEmbedder:
        """The embedder that fills a role, bound to the film. Raises as :meth:`model`."""

    def kept(
        self,
        what: str,
        version: int,
        make: Callable[[], Mapping[str, Any]],
        *,
        roles: Sequence[str] = (),
        **parameters: str | float | int | bool | None,
    ) -> Mapping[str, Any]:
        """Arrays that ``make`` gives of this film, made once and kept under the film's content, ``what``,
        ``version``, the models of ``roles`` and the parameters: everything they depend on must be named.

        Raises:
            OutputError: the cache cannot be written.
        """
