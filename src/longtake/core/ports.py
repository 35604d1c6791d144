"""Ports: what longtake asks of a model, whatever stands behind it. Pictures and vectors are NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

Kind = Literal["model", "proxy"]
"""Whether a model does what it is asked, or something smaller stands in for one that would."""


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


class Masker(Protocol):
    """Finds a thing in a picture. ``kind`` and ``stands_for`` as for :class:`TextPicture`."""

    name: str
    kind: Kind
    stands_for: str

    def mask(self, picture: Any, phrase: str | None) -> Any:
        """Where ``phrase`` is in ``picture`` (BGR uint8, shape (height, width, 3)), the foreground without
        one: float32, shape (height, width), 0 to 1; all 0 where there is nothing of the kind.

        Raises:
            BackendError: the model cannot be run.
        """

    def instances(self, picture: Any, phrase: str) -> Sequence[Any]:
        """One mask as above for each thing that ``phrase`` names, the surest first; empty if there is none.

        Raises:
            BackendError: the model cannot be run.
        """


class Editor(Protocol):
    """Changes a picture inside a mask as a phrase says. ``kind`` and ``stands_for`` as for
    :class:`TextPicture`."""

    name: str
    kind: Kind
    stands_for: str

    def edit(self, picture: Any, mask: Any | None, instruction: str, seed: int) -> Any:
        """``picture`` (BGR uint8, (height, width, 3)) changed where ``mask`` (float32, 0 to 1, (height,
        width); ``None`` for everywhere) is above 0. The same seed gives the same change on every frame.
        Instructions are those of :mod:`longtake.core.instructions`.

        Raises:
            BackendError: the model cannot be run, or does not know the instruction.
        """


@runtime_checkable
class BlockEditor(Editor, Protocol):
    """An editor that looks at a stretch of film at once, so that what it makes holds together in time."""

    def edit_block(
        self, pictures: Sequence[Any], masks: Sequence[Any] | None, instruction: str, seed: int
    ) -> Any:
        """As many pictures as given, each changed as by :meth:`Editor.edit`; an iterable, in order.

        Raises:
            BackendError: as for :meth:`Editor.edit`.
        """


class Generator(Protocol):
    """Makes pictures from a prompt. ``kind`` and ``stands_for`` as for :class:`TextPicture`."""

    name: str
    kind: Kind
    stands_for: str

    def generate(self, prompt: str, first: Any, frames: int, fps: float, seed: int) -> Any:
        """An iterable of ``frames`` pictures in the size of ``first`` (BGR uint8), the first frame given.

        Raises:
            BackendError: the model cannot be run.
        """


class Flow(Protocol):
    """Dense optical flow. ``kind`` and ``stands_for`` as for :class:`TextPicture`."""

    name: str
    kind: Kind
    stands_for: str

    def flow(self, first: Any, second: Any) -> Any:
        """Where each pixel of ``first`` is in ``second`` (BGR uint8, shape (height, width, 3), of one size):
        its displacement, float32, shape (height, width, 2), px, x (right) then y (down).

        Raises:
            BackendError: the model cannot be run.
        """


@dataclass(frozen=True)
class Middle:
    """The picture half way between two (float32, (height, width, 3), BGR, 0 to 255), and the flow from the
    one before to the one after and back, as :meth:`Flow.flow` gives it, where the model has one."""

    picture: Any
    forward: Any | None = None
    backward: Any | None = None


class Interpolator(Protocol):
    """Predicts the picture between two. ``kind`` and ``stands_for`` as for :class:`TextPicture`."""

    name: str
    kind: Kind
    stands_for: str

    def middle(self, before: Any, after: Any) -> Middle:
        """What is seen half way between two pictures (BGR uint8, shape (height, width, 3), of one size).

        Raises:
            BackendError: the model cannot be run.
        """


@dataclass(frozen=True)
class Tracked:
    """Where points are in one picture: ``points`` float64, shape (n, 2), px, x then y; ``seen`` bool,
    shape (n,). The place of a point that is not seen means nothing."""

    points: Any
    seen: Any


class Tracker(Protocol):
    """Follows points through pictures. ``kind`` and ``stands_for`` as for :class:`TextPicture`."""

    name: str
    kind: Kind
    stands_for: str

    def track(self, pictures: Iterable[Any], points: Any) -> Iterator[Tracked]:
        """Follows ``points`` (shape (n, 2), px, x then y, in the first picture) through ``pictures`` (BGR
        uint8, shape (height, width, 3), all of one size), in order: one answer for each picture, the first
        included. Pictures are read as they are needed; no more of them are held than a bounded window.

        Raises:
            BackendError: the model cannot be run.
        """


class ReadLine(Protocol):
    """A line of text in a picture: what it says, how sure the recogniser is of its letters (``score``) and
    the detector of its place (``found``), both in [0, 1], and the corners (x, y) in px of its place from the
    top left clockwise, shape (4, 2)."""

    @property
    def text(self) -> str: ...

    @property
    def score(self) -> float: ...

    @property
    def found(self) -> float: ...

    @property
    def quad(self) -> Any: ...


class TextReader(Protocol):
    """Reads printed text in pictures. ``kind`` and ``stands_for`` as for :class:`TextPicture`."""

    name: str
    kind: Kind
    stands_for: str

    def read(self, picture: Any) -> Sequence[ReadLine]:
        """Lines in ``picture`` (BGR uint8, shape (height, width, 3)), from top to bottom.

        Raises:
            BackendError: the model cannot be run.
        """


class PictureQuality(Protocol):
    """Says how good one picture is. ``kind`` and ``stands_for`` as for :class:`TextPicture`; ``short_side``
    is the size in px of the shorter side that it is to be given, ``None`` for the film's own."""

    name: str
    kind: Kind
    stands_for: str
    short_side: int | None

    def quality(self, pictures: Sequence[Any]) -> Any:
        """How good each of ``pictures`` (BGR uint8, shape (height, width, 3)) is: float64, shape (n,), about
        0 to 1, higher is better, NaN where the model cannot say.

        Raises:
            BackendError: the model cannot be run.
        """
