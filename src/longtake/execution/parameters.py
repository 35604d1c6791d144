"""Parameters of evaluators, as a user sets them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from ..core.evaluator import Card, Parameter, Setting
from ..errors import UsageError


def settings_for(given: Mapping[str, str], cards: Sequence[Card]) -> dict[str, dict[str, Setting]]:
    """Values by evaluator and parameter of ``EVALUATOR.PARAMETER`` and text.

    Raises:
        UsageError: none of these evaluators has such a parameter, or it cannot have that value.
    """
    known = {f"{card.name}.{name}": (card, name) for card in cards for name in card.parameters}
    found: dict[str, dict[str, Setting]] = {}
    for path, text in given.items():
        if path not in known:
            near = difflib.get_close_matches(path, known, n=1)
            have = f"one of: {', '.join(known)}" if known else "none of the evaluators asked has any"
            raise UsageError(
                f"there is no parameter {path!r}", hint=f"did you mean {near[0]}?" if near else have
            )
        card, name = known[path]
        found.setdefault(card.name, {})[name] = _value(path, text, card.parameters[name])
    return found


def _value(path: str, text: str, parameter: Parameter) -> Setting:
    if isinstance(parameter.default, str):
        if parameter.choices and text not in parameter.choices:
            raise UsageError(f"{path} cannot be {text!r}", hint=f"one of: {', '.join(parameter.choices)}")
        return text
    kind = type(parameter.default)
    try:
        value = kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise UsageError(f"{path} is {what}, not {text!r}", hint=parameter.doc) from None
    low, high = parameter.low, parameter.high
    if value != value or (low is not None and value < low) or (high is not None and value > high):
        raise UsageError(f"{path} cannot be {text}", hint=f"from {low} to {high}: {parameter.doc}")
    return value
