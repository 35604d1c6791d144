"""The prompt that a model was trained with. It is part of the model, not ours: it comes from its folder."""

from __future__ import annotations

import ast
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from ..errors import BackendError

OWN, RELEASED = "prompt.txt", "README.md"
QUOTED = re.compile(r'"""(?:[^\\]|\\.)*?"""', re.DOTALL)


@dataclass(frozen=True)
class TrainedPrompt:
    """``text`` around the one ``hole`` that a film's own text goes into."""

    text: str
    hole: str

    def filled(self, text: str) -> str:
        """The prompt about ``text``."""
        return self.text.replace(self.hole, text)

    @property
    def hash(self) -> str:
        """16 hexadecimal digits that stand for it."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


def trained_prompt(folder: Path, hole: str) -> TrainedPrompt:
    """The prompt of the model in ``folder``: its ``prompt.txt``, to the letter, else the one text in triple
    quotes with ``hole`` in it within the ``README.md`` that the weights are released with.

    Raises:
        BackendError: there is none, or not just one.
    """
    hint = f"put the release's {RELEASED} beside the weights, or its prompt with {hole} in it into {OWN}"
    own, released = folder / OWN, folder / RELEASED
    try:
        if own.is_file():
            found, where = [own.read_text("utf-8")], own
        elif released.is_file():
            quoted = [str(ast.literal_eval(text)) for text in QUOTED.findall(released.read_text("utf-8"))]
            found, where = list(dict.fromkeys(text for text in quoted if hole in text)), released
        else:
            message = f"{folder} lacks the prompt that the model was trained with"
            raise BackendError(message, hint=hint)
    except (OSError, ValueError, SyntaxError) as error:
        raise BackendError(f"the prompt in {folder} cannot be read: {error}", hint=hint) from error
    if len(found) != 1 or found[0].count(hole) != 1:
        raise BackendError(f"{where} has no prompt with one {hole} in it", hint=hint)
    return TrainedPrompt(found[0], hole)
