"""The evaluators ``text_rendering`` and ``text_stability`` (dynamiceval-and-others.md, B; both are ours)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.evaluator import Card, MeasuredCase
from ...core.measurement import Evidence, Measurement
from ..cards import own_card
from ..shared.measured import Fact, all_not_applicable, all_unscored, scored
from ..shared.showing import chosen
from ..shared.spans import measured_spans
from .matching import best
from .reading import CELL_S, PER_SECOND, ROLE, Frame, cells_of, frames
from .tracks import Track, steadiness, tracks, weighted
from .wanted import Wanted, wanted_texts

WORST = 5
"""Unsteady texts that are told."""
STEP_S = 1 / PER_SECOND
NEXT_S = CELL_S / 2
"""Frames farther apart than this are not next to each other: something between them was not read."""
HAIR = 1e-6


@dataclass(frozen=True)
class Met:
    """What became of a wanted text: the best value, the reading that gave it, and when it was first and last
    shown; ``None`` where nothing like it was read. ``cells`` stretches of ``of`` were read."""

    value: float = 0.0
    read: str = ""
    span: tuple[float, float] | None = None
    cells: int = 0
    of: int = 0


@dataclass(frozen=True)
class TextRendering:
    """Mean over the texts that the brief wants in the picture of 1 - min(1, character error rate) of the best
    reading in its shot."""

    card: Card

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """Its measurement. Raises ``BackendError`` where the reader cannot be run."""
        if case.brief is None:
            return all_not_applicable(self.card, "there is no brief")
        wanted = wanted_texts(case)
        if not wanted:
            return all_not_applicable(self.card, "the brief asks for no text in the picture")
        assert case.tools is not None
        if (why := case.tools.lacks(ROLE)) is not None:
            return all_unscored(self.card, why)
        known = [one for one in wanted if one.readable]
        facts: dict[str, Fact] = {
            **case.tools.used(ROLE).facts,
            "texts": len(wanted),
            "texts_unreadable": len(wanted) - len(known),
        }
        if not known:
            why = "the reader does not know the letters of any text that is asked for"
            return all_unscored(self.card, why, facts)
        most = max(1, int(case.settings["seconds"]) // CELL_S)
        found = [_met(case, one, most) for one in known]
        facts |= {
            "texts_right": sum(met.value == 1 for met in found),
            "texts_missing": sum(met.span is None for met in found),
            "texts_not_placed": sum(not one.placed for one in known),
            "texts_read_in_part": sum(met.cells < met.of and met.value < 1 for met in found),
        }
        evidence = [_rendered(one, met) for one, met in zip(known, found, strict=True)]
        value = sum(met.value for met in found) / len(found)
        return [scored(self.card.quantities[0], value, evidence=evidence, facts=facts)]


@dataclass(frozen=True)
class TextStability:
    """Share of a text's frames that say what most of them say, over texts by their seconds."""

    card: Card

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """Its measurement. Raises ``BackendError`` where the reader cannot be run."""
        assert case.tools is not None
        if (why := case.tools.lacks(ROLE)) is not None:
            return all_unscored(self.card, why)
        shots = measured_spans(case)
        cells = cells_of(shots)
        read = chosen(cells, max(1, int(case.settings["seconds"]) // CELL_S))
        seen = list(frames(case, read))
        if not seen:
            return all_unscored(self.card, "no picture of it could be read")
        found = [t for start, end in shots for t in tracks(_within(seen, start, end), NEXT_S)]
        kept = [track for track in found if len(track.times) > 1 and track.sure]
        facts: dict[str, Fact] = {
            **case.tools.used(ROLE).facts,
            "frames": len(seen),
            "texts": len(kept),
            "texts_of_one_frame": sum(len(track.times) == 1 for track in found),
            "share_read": round(len(read) / len(cells), 4),
        }
        shares = [steadiness(track.texts) for track in kept]
        value = weighted(shares, [_seconds(track) for track in kept])
        if value is None:
            return all_not_applicable(self.card, "no text was read in two frames one after the other")
        return [scored(self.card.quantities[0], value, evidence=_unsteady(kept, shares), facts=facts)]


def _met(case: MeasuredCase, one: Wanted, most: int) -> Met:
    """The best reading of a text where it is wanted. Once it is right, no more is read."""
    cells = cells_of([one.span])
    met = Met(of=len(cells))
    for count, cell in enumerate(chosen(cells, most), 1):
        seen = list(frames(case, [cell]))
        # A shot in which no frame of the grid begins is looked at in the one that is being shown.
        for time, lines in _within(seen, *one.span) or [f for f in seen if f[0] < one.span[1]][-1:]:
            value, read = best(one.text, [line.text for line in lines])
            end = min(time + STEP_S, one.span[1])
            if value > met.value:
                met = Met(value, read, (time, max(time, end)), count, len(cells))
            elif value == met.value > 0 and met.span is not None:
                met = Met(value, met.read, (met.span[0], max(time, end)), count, len(cells))
        met = Met(met.value, met.read, met.span, count, len(cells))
        if met.value == 1:
            break
    return met


def _within(seen: Sequence[Frame], start: float, end: float) -> list[Frame]:
    """Frames that begin to be shown in this span."""
    return [frame for frame in seen if start - HAIR <= frame[0] < end - HAIR]


def _seconds(track: Track) -> float:
    return track.times[-1] - track.times[0] + STEP_S


def _rendered(one: Wanted, met: Met) -> Evidence:
    start, end = met.span or one.span
    if met.span is None:
        what = f"“{one.text}” was not read ({one.whose})"
    elif met.value == 1:
        what = f"“{one.text}” is there ({one.whose})"
    else:
        what = f"“{one.text}” was read as “{met.read}”, {met.value:.2f} ({one.whose})"
    return Evidence(start=start, end=end, what=what, about=f"the text “{one.text}”")


def _unsteady(kept: Sequence[Track], shares: Sequence[float]) -> list[Evidence]:
    """The texts that change, those with most changed seconds first."""
    order = sorted(range(len(kept)), key=lambda i: -(1 - shares[i]) * _seconds(kept[i]))
    found = []
    for i in order[:WORST]:
        if shares[i] == 1:
            break
        track = kept[i]
        different = list(dict.fromkeys(track.texts))
        shown = ", ".join(f"“{text[:40]}”" for text in different[:3])
        what = f"{len(different)} readings of one text in {len(track.times)} frames: {shown}"
        found.append(Evidence(start=track.times[0], end=track.times[-1] + STEP_S, what=what))
    return found


text_rendering = TextRendering(own_card("text_rendering", __file__))
text_stability = TextStability(own_card("text_stability", __file__))
