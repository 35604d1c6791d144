"""What a full answer takes and is not there."""

from __future__ import annotations

from collections.abc import Sequence

from .confidence import HEARD
from .facts import Facts
from .rubric import HEARD_OR_SEEN, SEES


def lacking(needs: Sequence[str], facts: Facts, *, judge: bool = False) -> list[str]:
    """Of what a full answer takes, what is not there: in the brief, among the signals, or a ``judge``.

    Of a film without sound nothing that is heard is lacking: there is nothing to hear.
    """
    brief = facts.brief
    has = {
        SEES: judge,
        "a brief": brief is not None,
        "a brief with shots": brief is not None and bool(brief.shots),
        "a brief with characters": brief is not None and bool(brief.characters),
        "a brief with lines": brief is not None
        and (bool(brief.lines) or any(s.dialogue or s.narration for s in brief.shots)),
        "a brief with an asked-for length": brief is not None and brief.planned_duration is not None,
        "a brief whose shots name their scenes": brief is not None and any(s.scene for s in brief.shots),
        "a brief whose shots name their characters": brief is not None
        and any(s.characters for s in brief.shots),
    }
    for need, signal in HEARD_OR_SEEN.items():
        has[need] = signal in facts.signals or (signal in HEARD and not facts.film.audio)
    return [need for need in needs if not has.get(need)]


def needs_told(what: Sequence[str]) -> str:
    """What is lacking, as a reason."""
    return f"needs {', '.join(what)}" if what else "has no rule yet"
