"""The most that Long-CODE's MLLM part may ask about a film, before anybody has looked at it."""

from __future__ import annotations

from ...core.brief import Brief
from ...core.judge import Material, Outline
from ..shared.bounds import outlined
from . import stages, views
from .references import OpenBank

LONGEST_S = 99_999.0
"""Stands for times, which are written in the questions: more than a day."""
WRITTEN_ANALYSIS = (
    len(stages.PERSPECTIVES) * (stages.MOST_FOUND + 30)
    + stages.MOST_ERRORS * (stages.MOST_WHAT + 100)
    + stages.MOST_SUMMARY
)
"""Signs of an analysis as text at most."""
WRITTEN_SHOT = 40
"""Signs that say which shot a description is of."""


def most_asked(brief: Brief | None, duration: float, bank: OpenBank | None) -> Outline:
    """Questions, pictures and words at most; nothing for a film whose brief has no texts of shots."""
    shots = [shot for shot in brief.shots if shot.text.strip()] if brief is not None else []
    if brief is None or not shots:
        return Outline()
    count = views.most_described(brief, duration)
    rounds = len(stages.TEMPERATURES)
    span = (LONGEST_S, LONGEST_S)
    meant = stages.meant(shots, [span] * len(shots))
    seen = stages.seen([span] * count, [" "] * count)
    described = count * (stages.MOST_DESCRIPTION + WRITTEN_SHOT)
    own, each = views.shares(None, bank is not None)
    longest = sorted(bank.bank.references, key=lambda r: -len(r.summary)) if bank is not None else []
    references = longest[: views.REFERENCES]
    materials = [meant, seen, Material("analysis", "")]
    scores = stages.score(0, (), materials, references, each)
    pictures = own + views.REFERENCES * each
    return (
        outlined(stages.caption(count, span, ()), times=count, pictures=views.CAPTION_PICTURES)
        + outlined(stages.think(count, [meant, seen]), signs=described)
        + outlined(scores, times=rounds, pictures=pictures, signs=described + WRITTEN_ANALYSIS)
    )
