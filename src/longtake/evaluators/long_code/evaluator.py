"""Long-CODE (arXiv 2604.17428): structural alignment and a judge's score, fused (eq. 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from ...core.brief import Brief
from ...core.evaluator import CUT_OFF, MeasuredCase, Quantity, Setting
from ...core.judge import Outline
from ...core.measurement import Measurement
from ..cards import own_card
from ..code import code_of
from ..dsa.evaluator import NO_BRIEF, Form
from ..dsa.evaluator import measured as aligned
from ..shared.measured import Fact, all_not_applicable, scored, unscored
from ..shared.spans import planned_spans
from .bound import most_asked
from .mllm import measured as rated
from .references import open_bank

TOLD = ("judge_asked", "judge_answered", "judge_not_answered", "models", CUT_OFF)
"""Facts of the MLLM part that the fused score has too."""


def fused(alignment: float, rating: float, alpha: float) -> float:
    """Eq. 7: alpha M_DSA + (1 - alpha) M_MLLM, all of them shares."""
    return alpha * alignment + (1 - alpha) * rating


class LongCodeEvaluator:
    """The fused score with its two halves beside it. Where one half is missing there is no fused score."""

    def __init__(self) -> None:
        self.card = own_card("long-code", __file__)

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        if case.brief is None:
            return all_not_applicable(self.card, NO_BRIEF)
        planned = planned_spans(case)
        whole, alignment, rating = self.card.quantities
        form = cast("Form", case.settings["form"])
        (first,) = aligned(case, planned, case.settings, {form: alignment})
        second = rated(case, planned, case.settings, rating)
        return [_fusion(whole, first, second, float(case.settings["alpha"]), form), first, second]

    def rests_on(self, settings: Mapping[str, Setting]) -> str:
        """The code of DSA and the content of the bank of references.

        Raises:
            InputError: the bank cannot be read.
        """
        bank = open_bank(str(settings["references"]))
        return f"dsa {code_of('dsa')} references {bank.sha256 if bank is not None else 'none'}"

    def outline(self, brief: Brief | None, duration: float, settings: Mapping[str, Setting]) -> Outline:
        """The most that the judge is asked about one film."""
        return most_asked(brief, duration, open_bank(str(settings["references"])))


def _fusion(
    quantity: Quantity, first: Measurement, second: Measurement, alpha: float, form: Form
) -> Measurement:
    facts: dict[str, Fact] = {"alpha": alpha, "form": form}
    facts |= {name: first.facts[name] for name in ("model", "proxy") if name in first.facts}
    facts |= {name: second.facts[name] for name in TOLD if name in second.facts}
    if first.value is not None and second.value is not None:
        evidence = [*first.evidence, *second.evidence]
        value = fused(first.value, second.value, alpha)
        return scored(quantity, min(1.0, max(0.0, value)), evidence=evidence, facts=facts)
    missing = [f"{m.name}: {m.reason}" for m in (first, second) if m.value is None]
    if {first.status, second.status} == {"not_applicable"}:
        return first.model_copy(update={"name": quantity.name})
    which = "both halves are missing" if len(missing) == 2 else "one half is missing"
    return unscored(quantity, f"{which}: {'; '.join(missing)}", facts=facts)


long_code = LongCodeEvaluator()
