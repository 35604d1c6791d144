"""Seeded damages with a record of exactly what they changed, and controls that should cost nothing."""

from .apply import join, perturb, reencode
from .base import Change, ChangeRecord, Damage, FilmFacts, Perturbation, Span
from .registry import PERTURBATIONS, get, strength_of

__all__ = [
    "PERTURBATIONS",
    "Change",
    "ChangeRecord",
    "Damage",
    "FilmFacts",
    "Perturbation",
    "Span",
    "get",
    "join",
    "perturb",
    "reencode",
    "strength_of",
]
