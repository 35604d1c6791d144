"""The evaluator ``video-text``: each shot against its own text, in the mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from ...core.embedding import Policy, Sampling
from ...core.evaluator import Card, MeasuredCase
from ...core.measurement import Measurement
from ..cards import own_card
from ..shared import fits
from ..shared.black import black_film, black_of
from ..shared.measured import all_not_applicable, all_unscored, scored
from ..shared.spans import planned_spans

NAME = "video-text"
ROLE = "video-text"


@dataclass(frozen=True)
class VideoText:
    """Mean over shots of cos(f_v(s_i), f_t(c_i)): Long-CODE's short-video baseline VideoText.

    It asks for the same embeddings as ``dsa`` with the same settings, of which it is the mean of s^v in the
    form ``dsa.shot``.
    """

    card: Card

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        """Its measurement. Raises ``BackendError`` where the model cannot be run."""
        if case.brief is None:
            return all_not_applicable(self.card, "there is no brief")
        planned = planned_spans(case)
        if not planned.shots:
            return all_not_applicable(self.card, planned.reason)
        if (why := black_film(case)) is not None:
            return all_unscored(self.card, why)
        if planned.spans is None:
            return all_unscored(self.card, planned.reason)
        assert case.tools is not None
        if (why := case.tools.lacks(ROLE)) is not None:
            return all_unscored(self.card, why)
        embedder = case.tools.embedder(ROLE)
        texts = [shot.text.strip() for shot in planned.shots]
        seen = embedder.clips(planned.spans, cast("Sampling", case.settings["sampling"]))
        said = embedder.texts(texts, cast("Policy", case.settings["policy"]))
        values = fits.cosines(seen.vectors, said.vectors)
        facts = fits.facts_of(embedder.used, values, said) | {
            "placed_by": planned.source,
            "sampling": case.settings["sampling"],
            "frames_asked": embedder.shape.frames,
            "shots_black": sum(black_of(case, planned.spans)),
            "shots_padded": sum(n < embedder.shape.frames for n in seen.frames),
        }
        found = fits.mean(values)
        if found is None:
            return all_unscored(self.card, "no picture of it could be read", facts)
        evidence = fits.worst(planned.spans, values, texts)
        return [scored(self.card.quantities[0], found, evidence=evidence, facts=facts)]


video_text = VideoText(own_card(NAME, __file__))
