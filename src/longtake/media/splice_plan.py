"""Which packets of a film can be copied and which frames must be encoded anew. Pure: no file is opened.

Places are ranks in display order. At a clean cut the first packets are the first frames, so that there a rank
is a place in decoding order as well.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MOST_ENCODED = 0.5
"""Share of a film's frames from which on it is encoded whole: little is then left to copy, and it is found
where a film has next to no place at which copying can begin again."""


@dataclass(frozen=True)
class Piece:
    """Frames ``first`` to ``last`` (exclusive) of the source, in the order of the output.

    ``mark`` is ``None`` for what is to be copied, else says what happens to the frames: negative for frames
    that are only encoded anew (:data:`TOUCH`), otherwise whatever the caller means by it.
    """

    first: int
    last: int
    mark: int | None = None

    def __len__(self) -> int:
        return self.last - self.first


TOUCH = -1
"""The mark of frames that are encoded anew as they are."""


@dataclass(frozen=True)
class Step:
    """A run of the output: packets that are copied (``pieces`` is one, unmarked) or encoded."""

    pieces: tuple[Piece, ...]

    @property
    def copied(self) -> bool:
        """Whether its packets are the source's."""
        return self.pieces[0].mark is None

    def __len__(self) -> int:
        return sum(map(len, self.pieces))


def plan(pieces: Sequence[Piece], idr: Sequence[bool], clean: Sequence[bool]) -> list[Step]:
    """Runs for an edit list of pieces.

    Copying begins at an IDR picture at a clean cut and ends at a clean cut; what a copied piece has before
    and after that is encoded. The end of the film is a clean cut.
    """
    starts = [i for i, (a, b) in enumerate(zip(idr, clean, strict=True)) if a and b]
    cuts = [*(i for i, is_cut in enumerate(clean) if is_cut), len(clean)]
    split: list[Piece] = []
    for piece in _merged(pieces):
        split += [piece] if piece.mark is not None else _copied(piece, starts, cuts)
    steps: list[Step] = []
    for piece in _merged(split):
        if piece.mark is not None and steps and not steps[-1].copied:
            steps[-1] = Step((*steps[-1].pieces, piece))
        else:
            steps.append(Step((piece,)))
    return steps


def control_of(steps: Sequence[Step], frames: int) -> list[Piece]:
    """The edit list of a control that keeps the source's order and encodes in place what ``steps`` encode."""
    pieces, at = [], 0
    for piece in sorted((p for s in steps if not s.copied for p in s.pieces), key=lambda p: p.first):
        pieces += [Piece(at, piece.first), piece]
        at = piece.last
    return [p for p in [*pieces, Piece(at, frames)] if len(p)]


def encoded_share(steps: Sequence[Step]) -> float:
    """Share of the frames that are encoded, in [0, 1]."""
    total = sum(map(len, steps))
    return sum(len(s) for s in steps if not s.copied) / total if total else 0.0


def encoded_runs(steps: Sequence[Step]) -> list[tuple[int, int]]:
    """Encoded frames as places in the output's display order, end exclusive."""
    runs, at = [], 0
    for step in steps:
        if not step.copied:
            runs.append((at, at + len(step)))
        at += len(step)
    return runs


def _copied(piece: Piece, starts: list[int], cuts: list[int]) -> list[Piece]:
    place = bisect_left(starts, piece.first)
    begin = starts[place] if place < len(starts) else piece.last
    place = bisect_left(cuts, piece.last + 1) - 1
    end = cuts[place] if place >= 0 else 0
    if begin >= end:
        return [Piece(piece.first, piece.last, TOUCH)]
    parts = [Piece(piece.first, begin, TOUCH), Piece(begin, end), Piece(end, piece.last, TOUCH)]
    return [p for p in parts if len(p)]


def _merged(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Pieces that follow each other in the source with the same mark, as one; empty ones left out."""
    held: Piece | None = None
    for piece in pieces:
        if not len(piece):
            continue
        if held is not None and held.last == piece.first and held.mark == piece.mark:
            held = Piece(held.first, piece.last, piece.mark)
            continue
        if held is not None:
            yield held
        held = piece
    if held is not None:
        yield held
