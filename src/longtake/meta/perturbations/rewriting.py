"""New prompts for blocks that are made anew, by a few drawn rules: no model is asked."""

from __future__ import annotations

import re

import numpy as np

SWAPS = (
    ("woman", "man"),
    ("girl", "boy"),
    ("lady", "gentleman"),
    ("mother", "father"),
    ("women", "men"),
    ("girls", "boys"),
    ("she", "he"),
    ("her", "his"),
    ("dog", "cat"),
    ("horse", "camel"),
    ("car", "tractor"),
)
"""Words that take each other's place where somebody or something becomes another."""
LOOKS = (
    "with grey hair and a green coat",
    "with short red hair and a blue uniform",
    "in a yellow raincoat and a black hat",
    "in silver armour",
)
"""What a person or thing that no word could be changed of looks like instead."""
SURREAL = (
    "everything slowly melts and flows like wax",
    "gravity points sideways and things drift away",
    "all surfaces turn into moving water",
    "the scene is made of glowing coral that grows",
    "giant flowers of glass unfold from the ground",
    "the sky is upside down and full of fish",
)
"""What happens in a scene that is made surreal."""
NOTHING = "the scene"
"""What stands for a block of which nobody said what it shows."""


def another(text: str, rng: np.random.Generator) -> str:
    """``text`` with who or what it is about changed: by :data:`SWAPS` where one of these words is in it, else
    by one of :data:`LOOKS`."""
    look = str(rng.choice(LOOKS))
    words = {a: b for pair in SWAPS for a, b in (pair, pair[::-1])}
    changed, count = re.subn(
        rf"\b({'|'.join(words)})\b", lambda m: _as(m[0], words[m[0].lower()]), text, flags=re.IGNORECASE
    )
    subject = (changed if count else text).strip().rstrip(".") or NOTHING
    return f"{subject}, {look if not count else 'same place, same movement'}"


def surreal(text: str, rng: np.random.Generator) -> str:
    """``text`` with one of :data:`SURREAL` happening in it."""
    return f"{text.strip().rstrip('.') or NOTHING}, but {rng.choice(SURREAL)}"


def _as(word: str, other: str) -> str:
    return other.capitalize() if word[0].isupper() else other
