"""Which models a measurement rests on, as its facts tell."""

from __future__ import annotations

from ...core.evaluator import RAN
from ...core.tools import Tools
from .measured import Fact


def models_ran(tools: Tools, *roles: str) -> dict[str, Fact]:
    """Facts of a measurement that rests on the models in these roles: their labels, whether one of them is a
    proxy, and the roles, by which tables and screen mark it. A role that nothing fills is left out."""
    used = [one for one in map(tools.used, roles) if one.label]
    return {
        "model": ", ".join(str(one.label) for one in used) or None,
        "proxy": any(one.kind == "proxy" for one in used),
        RAN: ", ".join(one.role for one in used),
    }
