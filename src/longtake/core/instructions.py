"""What an editor is asked to do: a small closed vocabulary, with a sentence for models that read words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ..errors import BackendError

Verb = Literal["erase", "recolour", "restyle", "background", "another"]
Style = Literal["oil", "cartoon", "pencil", "watercolour"]
STYLES: tuple[Style, ...] = get_args(Style)
USAGE = (
    "erase",
    "recolour DEGREES",
    f"restyle {'|'.join(STYLES)} SHARE",
    "background NUMBER",
    "another NUMBER",
)
"""Every instruction: take away what is masked; turn its hue; draw it in a style, mixed with the original by
SHARE (0 to 1); put landscape NUMBER there; make it another person or thing, in look NUMBER."""


@dataclass(frozen=True)
class Instruction:
    """A parsed instruction. ``amount`` is degrees, a share or a number, 0 for ``erase``; ``style`` belongs to
    ``restyle``; ``words`` say the same to a model that reads words, and are never empty."""

    verb: Verb
    amount: float = 0.0
    style: Style | None = None
    words: str = ""

    def __str__(self) -> str:
        amount = [] if self.verb == "erase" else [f"{self.amount:g}"]
        return " ".join([self.verb, *([self.style] if self.style else []), *amount]) + f": {self.words}"


def parse(text: str) -> Instruction:
    """``VERB ARGUMENTS``, or ``VERB ARGUMENTS: WORDS`` where something is to be said to models that read.

    Raises:
        BackendError: it is none of :data:`USAGE`.
    """
    order, _, words = text.partition(":")
    parts = order.split()
    try:
        return _checked(parts, words.strip() or order.strip())
    except (ValueError, IndexError):
        hint = f"one of: {'; '.join(USAGE)}"
        raise BackendError(f"no editor knows the instruction {order.strip()!r}", hint=hint) from None


def _checked(parts: list[str], words: str) -> Instruction:
    verb, *rest = parts
    if verb == "erase" and not rest:
        return Instruction("erase", words=words)
    if verb == "restyle" and rest[0] in STYLES and len(rest) == 2 and 0 <= float(rest[1]) <= 1:
        return Instruction("restyle", float(rest[1]), rest[0], words)
    if verb in ("recolour", "background", "another") and len(rest) == 1:
        amount = float(rest[0]) if verb == "recolour" else int(rest[0])
        if abs(amount) < 1e9:
            return Instruction(verb, amount, words=words)  # type: ignore[arg-type]
    raise ValueError(verb)
