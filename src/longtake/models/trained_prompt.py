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
    quotes with ``hole`` in it within the ``README.md`` that the weights are released with, or else within a
    file of the released code that was put beside them (``*.py``, of which nothing is run).

    Raises:
        BackendError: there is none, or not just one.
    """
    hint = f"put the release's {RELEASED} or code beside the weights, or its prompt with {hole} into {OWN}"
    own = folder / OWN
    found: list[str] = []
    try:
        if own.is_file():
            found = [own.read_text("utf-8")]
        for place in [] if found else [folder / RELEASED, *sorted(folder.glob("*.py"))]:
            quoted = QUOTED.findall(place.read_text("utf-8")) if place.is_file() else []
            texts = [str(ast.literal_eval(one)) for one in quoted]
            found = list(dict.fromkeys(text for text in texts if hole in text))
            if found:
                break
    except (OSError, ValueError, SyntaxError) as error:
        raise BackendError(f"the prompt in {folder} cannot be read: {error}", hint=hint) from error
    if not found:
        raise BackendError(f"{folder} lacks the prompt that the model was trained with", hint=hint)
    if len(found) != 1 or found[0].count(hole) != 1:
        raise BackendError(f"{folder} has no single prompt with one {hole} in it", hint=hint)
    return TrainedPrompt(found[0], hole)
