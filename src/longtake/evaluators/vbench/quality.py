"""Aesthetic and imaging quality: what a model of single pictures says of frames taken by time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.evaluator import Card, MeasuredCase
from ...core.measurement import Measurement
from ...core.ports import PictureQuality
from ...core.tools import Tools
from ..shared.black import is_black
from ..shared.measured import all_unscored, lacks
from . import aggregate
from .shots import HAIR, Shot, named, shots_of
from .told import BLACK, UNREAD, Moment, Shots, ShotValue

VERSION = 1
UNJUDGED = "without a frame that the model judges"


@dataclass(frozen=True)
class PictureDimension:
    """Mean over frames of what the model of ``role`` says of a picture, black frames left out."""

    card: Card
    role: str

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """The one quantity. Raises ``BackendError`` and ``InputError``."""
        tools = case.tools
        assert tools is not None
        if (why := lacks(case, "shots") or tools.lacks(self.role)) is not None:
            return all_unscored(self.card, why)
        rate = float(case.settings["rate"])
        shots = shots_of(case)
        found = tools.kept(
            f"vbench-{self.role}",
            VERSION,
            lambda: _judged(tools, self.role, shots, rate),
            roles=(self.role,),
            rate=rate,
            shots=named(shots),
        )
        rows = np.asarray(found["rows"], np.float64)
        values, clipped = Shots(), 0
        for shot in shots:
            own = rows[rows[:, 0] == shot.index]
            shown = own[own[:, 2] == 0]
            judged = shown[np.isfinite(shown[:, 3])]
            if not len(own):
                values.leave(UNREAD)
            elif not len(shown):
                values.leave(BLACK)
            elif not len(judged):
                values.leave(UNJUDGED)
            else:
                each = np.clip(judged[:, 3], 0.0, 1.0)
                clipped += int((each != judged[:, 3]).sum())
                moments = [
                    _moment(shot, float(t), float(v), rate) for t, v in zip(judged[:, 1], each, strict=True)
                ]
                value = aggregate.mean([m.value for m in moments])
                values.values.append(ShotValue(shot, value, len(moments), moments))
        facts = tools.used(self.role).facts | {"rate": rate, "clipped": clipped}
        return [values.film(self.card.quantities[0], facts, "{value:.3f} here, the lowest of the film")]


def _moment(shot: Shot, time: float, value: float, rate: float) -> Moment:
    half = 0.5 / rate
    return Moment(max(shot.start, time - half), min(shot.end, time + half), value)


def _judged(tools: Tools, role: str, shots: Sequence[Shot], rate: float) -> dict[str, Any]:
    """Rows: shot, time, whether it is black, what the model says. One picture is held at a time."""
    model: PictureQuality = tools.model(role)
    wanted = [(t, shot.index) for shot in shots for t in shot.spread(rate)]
    times = np.array([t for t, _ in wanted], np.float64)
    rows = []
    for time, picture in tools.footage.at([t for t, _ in wanted], model.short_side):
        at = min(int(np.searchsorted(times, time - HAIR)), len(wanted) - 1)
        black = is_black(picture)
        value = float("nan") if black else float(model.quality([picture])[0])
        rows.append((wanted[at][1], time, float(black), value))
    return {"rows": np.array(rows, np.float64).reshape(-1, 4)}
