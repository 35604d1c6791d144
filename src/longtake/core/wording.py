"""Whether a text says anything."""

from __future__ import annotations

import unicodedata

UNWRITTEN = ("C", "Z")
"""Unicode's kinds of signs that say nothing: controls, signs without width, spaces."""
FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Signs that are letters to Unicode and look like spaces."""


def silent(text: str) -> bool:
    """Whether no sign of it would be seen; so of an empty one."""
    return all(unicodedata.category(sign)[0] in UNWRITTEN or sign in FILLERS for sign in text)
