"""What a brief says is to be seen, as phrases that a masker can be asked for."""

from __future__ import annotations

from ...core.brief import Brief

KEYS = ("objects", "subjects", "props")
"""Words of a brief's ``extra`` under which readers leave lists of things: texts, or mappings of ``name`` and
``description``."""
ON = 0.5
"""A mask's value from which a pixel belongs to the thing."""


def phrases(brief: Brief | None) -> tuple[tuple[str, str], ...]:
    """Name and phrase of each character and object of a brief, each once, in its order; none without a brief.

    The phrase is what the thing looks like where the brief tells, else its name.
    """
    if brief is None:
        return ()
    found = {one.name: one.description.strip() or one.name for one in brief.characters}
    for key in KEYS:
        listed = brief.extra.get(key)
        for one in listed if isinstance(listed, list) else ():
            name = one.get("name") if isinstance(one, dict) else one
            told = one.get("description") if isinstance(one, dict) else None
            if isinstance(name, str) and name.strip():
                found.setdefault(name, told.strip() if isinstance(told, str) and told.strip() else name)
    return tuple((name, phrase) for name, phrase in found.items() if phrase.strip())
