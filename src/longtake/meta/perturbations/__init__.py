"""Seeded damages with a record of exactly what they changed, and controls that should cost nothing."""

from ...core.changes import Change, ChangeRecord, Span
from .apply import draw, facts_of, join, perturb, reencode
from .base import Clip, Damage, FilmFacts, Insert, Perturbation, PoolSegment
from .registry import PERTURBATIONS, get, strength_of

__all__ = [
    "PERTURBATIONS",
    "Change",
    "ChangeRecord",
    "Clip",
    "Damage",
    "FilmFacts",
    "Insert",
    "Perturbation",
    "PoolSegment",
    "Span",
    "draw",
    "facts_of",
    "get",
    "join",
    "perturb",
    "reencode",
    "strength_of",
]
