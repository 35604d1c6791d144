"""The most that questions to a judge may come to, before they are asked."""

from __future__ import annotations

import json
from collections import Counter

from ...core.judge import Outline, Question

SIGN_BYTES = 6
"""Bytes that a sign of a text may take as material at most: ``\\u003c``."""


def outlined(question: Question, *, times: int = 1, pictures: int = 0, signs: int = 0) -> Outline:
    """The most that this question comes to when it is asked ``times`` times, each time with ``pictures``
    pictures, and with ``signs`` more signs in its materials than it has here."""
    words = len(question.prompt.encode()) + len(json.dumps(question.schema).encode()) + signs * SIGN_BYTES
    return Outline(
        questions=times,
        pictures=times * pictures,
        labels={label: times * n for label, n in Counter(m.label for m in question.materials).items()},
        bytes=times * words,
        output=times * question.most_tokens,
    )
