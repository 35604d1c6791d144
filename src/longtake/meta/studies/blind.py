"""What pointing blindly would reach: at the whole film, or anywhere for as long as an evaluator points."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...core.studies import WHOLE_FILM
from .spans import Spans

if TYPE_CHECKING:
    from .localisation import LocalisationTable


def film_seconds(minutes: float, *spans: Spans | None) -> float:
    """The damaged film's length: the control's, or to the last span where that is later; NaN if unknown."""
    ends = [float(s[:, 1].max()) for s in spans if s is not None and len(s)]
    return float("nan") if np.isnan(minutes) else max(60 * minutes, *ends, 0.0)


def touched_by_chance(changed: Spans, found: Spans, seconds: float, moment_s: float) -> float:
    """How many changed spans are expected to be touched by spans of the lengths of the ``found`` ones.

    Each is put by itself anywhere in a film of ``seconds`` where it fits as a whole. A span of length
    l touches a changed one of [s, e] if it starts between s - l and e, which is the share of the starts from
    0 to ``seconds`` - l that lie there; no span of n touches it with the product of the n complements.
    ``moment_s`` widens changed spans of no length, as in ``localisation``. NaN where the length is unknown.
    """
    if np.isnan(seconds):
        return float("nan")
    start, end = changed[:, :1], changed[:, 1:]
    near = np.where(end > start, 0.0, moment_s)
    long = found[:, 1] - found[:, 0]
    room = np.maximum(seconds - long, 0.0)
    within = np.minimum(end + near, room) - np.maximum(start - near - long, 0.0)
    fits = room > 0
    share = np.where(fits, np.clip(within, 0.0, None) / np.where(fits, room, 1.0), 1.0)
    return float((1 - np.prod(1 - np.clip(share, 0.0, 1.0), axis=1)).sum())


def with_whole_film(table: LocalisationTable) -> tuple[LocalisationTable, list[str]]:
    """The table with the baseline ``whole-film`` on every pair of known length; notes where it cannot be.

    It points at all of every film: it misses nothing, and overlaps as little as was changed.
    """
    if WHOLE_FILM in table.evaluator:
        return table, [f"the table has an evaluator {WHOLE_FILM!r}, so the baseline of that name is its own"]
    rows: dict[tuple[str, str], int] = {}
    for i, key in enumerate(zip(table.aspect.tolist(), table.pair.tolist(), strict=True)):
        if np.isfinite(table.minutes[i]):
            rows.setdefault(key, i)
    if not rows:
        return table, ["no film's length is known, so nothing tells what pointing blindly would reach"]
    at = np.array(list(rows.values()))

    def whole(seconds: float) -> Spans:
        return np.array([[0.0, seconds]])

    lengths = [film_seconds(table.minutes[i], table.changed[i]) for i in at]
    columns = {
        name: np.concatenate([getattr(table, name), getattr(table, name)[at]])
        for name in ("pair", "source", "aspect", "strength", "minutes", "control")
        if getattr(table, name) is not None
    }
    return replace(
        table,
        **columns,
        evaluator=np.concatenate([table.evaluator, np.full(len(at), WHOLE_FILM)]),
        changed=[*table.changed, *(table.changed[i] for i in at)],
        found=[*table.found, *map(whole, lengths)],
        control_found=[*table.control_found, *(whole(60 * table.minutes[i]) for i in at)],
    ), []
