"""All that a brief says a film shows, as one text: what generators of short clips call its prompt."""

from __future__ import annotations

from ...core.brief import Brief


def whole_text(brief: Brief) -> str:
    """The texts of the planned shots, joined by blanks; its instruction where there are none."""
    captions = [shot.text.strip() for shot in brief.shots if shot.text.strip()]
    return " ".join(captions) if captions else (brief.instruction or "").strip()
