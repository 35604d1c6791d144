"""The evaluator ``clipscore``: the centre picture of each clip against its caption, and the whole prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.evaluator import Card, MeasuredCase
from ...core.measurement import Measurement
from ...core.tools import FilmEmbedder
from ..cards import own_card
from ..shared import fits
from ..shared.black import black_film, black_of
from ..shared.measured import Fact, all_not_applicable, all_unscored, not_applicable, scored, unscored
from ..shared.spans import Span, measured_spans, planned_spans
from ..shared.whole_text import whole_text
from .pairing import captions_for

NAME = "clipscore"
ROLE = "picture-text"


@dataclass(frozen=True)
class Clips:
    """Clips of a film as spans in seconds, and the caption of each. ``by`` says how they were paired: by the
    brief's ``times`` or ``lengths``, one to one with the shots ``detected``, or by ``relative position``;
    ``unused`` captions go with no clip."""

    spans: tuple[Span, ...]
    texts: tuple[str, ...]
    by: str
    unused: int = 0


@dataclass(frozen=True)
class ClipScore:
    """Mean over clips of the cosine of the centre picture and a text (SLVMEval, CVPR 2026, its baseline).

    ``clipscore`` (EachTrunc) takes the clip's own caption, ``ign_max`` the whole prompt, each cut at the
    model's tokens: here the cut is the definition, so there is no policy to choose. The cosine is left as it
    is, see docs/decisions/0019-text-in-films.md.
    """

    card: Card

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """Its measurements. Raises ``BackendError`` where the model cannot be run."""
        if case.brief is None:
            return all_not_applicable(self.card, "there is no brief")
        assert case.tools is not None
        captions = [shot.text for shot in case.brief.shots if shot.text.strip()]
        whole = whole_text(case.brief)
        if not whole:
            return all_not_applicable(self.card, "the brief has no text")
        if (why := black_film(case) or case.tools.lacks(ROLE)) is not None:
            return all_unscored(self.card, why)
        embedder = case.tools.embedder(ROLE)
        clips = paired(case, captions)
        seen = embedder.pictures([(start + end) / 2 for start, end in clips.spans])
        dark = sum(black_of(case, clips.spans))
        facts: dict[str, Fact] = {"paired_by": clips.by, "clips_black": dark}
        if clips.by == "relative position":
            facts |= {"clips": len(clips.spans), "captions": len(captions), "captions_unused": clips.unused}
        own = (
            self._scored(0, embedder, clips, clips.texts, seen, facts)
            if captions
            else not_applicable(self.card.quantities[0], "the brief has no captions of shots")
        )
        return [
            own,
            self._scored(1, embedder, clips, [whole] * len(clips.spans), seen, {"clips_black": dark}),
        ]

    def _scored(
        self,
        quantity: int,
        embedder: FilmEmbedder,
        clips: Clips,
        texts: Sequence[str],
        seen: Any,
        facts: dict[str, Fact],
    ) -> Measurement:
        """One of the two: each clip against its text of ``texts``."""
        different = list(dict.fromkeys(texts))
        said = embedder.texts(different, "cut")
        values = fits.cosines(seen, np.asarray(said.vectors)[[different.index(text) for text in texts]])
        found = fits.mean(values)
        known = facts | fits.facts_of(embedder.used, values, said) | {"token_limit": embedder.shape.tokens}
        if found is None:
            return unscored(self.card.quantities[quantity], "no picture of it could be read", facts=known)
        evidence = fits.worst(clips.spans, values, texts)
        return scored(self.card.quantities[quantity], found, evidence=evidence, facts=known)


def paired(case: MeasuredCase, captions: Sequence[str]) -> Clips:
    """The clips of a film with their captions; without captions its shots, with no text each."""
    planned = planned_spans(case)
    if planned.spans is not None:
        return Clips(planned.spans, tuple(shot.text for shot in planned.shots), planned.source)
    spans = tuple(measured_spans(case))
    if not captions:
        return Clips(spans, ("",) * len(spans), "no captions")
    places = captions_for(len(spans), len(captions))
    unused = len(captions) - len(set(places))
    return Clips(spans, tuple(captions[i] for i in places), "relative position", unused)


clipscore = ClipScore(own_card(NAME, __file__))
