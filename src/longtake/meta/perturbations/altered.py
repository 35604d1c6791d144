"""Whether a damage really altered something: no copy may pass for damaged that is as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ...errors import InputError
from ...media.splice_plan import Piece
from .base import Damage, Perturbation, Picture, Samples
from .timeline import rank_at

HINT = "Take another film, a greater strength or another seed."


class Watched:
    """A damage that notes whether it altered any frame or sample; ``damage`` is the one to be done.

    Raises :class:`InputError` where a damage of the film's frames has a span in which no frame begins.
    """

    def __init__(
        self, operator: Perturbation, damage: Damage, pieces: Sequence[Piece], edges: Sequence[Fraction]
    ) -> None:
        self._operator, self._made = operator, damage
        self._altered = bool(damage.brief) or any(i.sound for i in damage.inserts)
        self._altered |= _order_changed(pieces, len(edges) - 1)
        self.damage = replace(
            damage,
            picture=self._picture if damage.picture else None,
            sound=self._sound if damage.sound else None,
        )
        if damage.picture or damage.removed or damage.order or damage.inserts:
            for start, end, _ in damage.spans:
                if rank_at(start, edges) >= rank_at(end, edges):
                    raise InputError(
                        f"{operator.name} would alter nothing from {start:.3f} to {end:.3f} s: "
                        "no frame begins there.",
                        hint=HINT,
                    )

    def require(self) -> None:
        """Raise :class:`InputError` where all is as it was, though something ought to suffer."""
        if self._operator.aspects and not self._altered:
            raise InputError(f"{self._operator.name} would alter nothing of this film.", hint=HINT)

    def _picture(self, bgr: Picture, time: float) -> Picture:
        make = self._made.picture
        assert make is not None
        if self._altered:
            return make(bgr, time)
        before = bgr.copy()
        after = make(bgr, time)
        self._altered = not np.array_equal(before, after)
        return after

    def _sound(self, samples: Samples, time: float, rate: int) -> Samples:
        make = self._made.sound
        assert make is not None
        if self._altered:
            return make(samples, time, rate)
        before = samples.copy()
        after = make(samples, time, rate)
        self._altered = not np.array_equal(before, after)
        return after


def _order_changed(pieces: Sequence[Piece], frames: int) -> bool:
    """Whether frames are missing, in another order or of another film (marks from 1 on)."""
    shown = [(p.first, p.last) for p in pieces if len(p)]
    bounds = [0, *(last for _, last in shown)]
    ordered = all(first == at for (first, _), at in zip(shown, bounds, strict=False))
    return not ordered or bounds[-1] != frames or any(p.mark for p in pieces)
