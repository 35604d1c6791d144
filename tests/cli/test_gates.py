"""``--fail-under``: what is said of a gate that is not met, in the user's words."""

from __future__ import annotations

import pytest

import report_sample as sample
from longtake.cli.diagnose import check_gates, known_gates, parse_gate
from longtake.errors import GateError, UsageError


def test_a_gate_is_told_by_the_name_that_tables_show_and_the_one_of_documents() -> None:
    with pytest.raises(
        GateError, match=r"^sound \(audio\) is unscored; picture \(visual\) is 0\.\d+, below 1$"
    ):
        check_gates(sample.document(), [parse_gate("sound=0.2"), parse_gate("Picture=1")])


def test_a_gate_that_is_just_missed_is_not_told_as_met() -> None:
    doc = sample.document()
    doc = doc.model_copy(update={"overall": doc.overall.model_copy(update={"value": 0.59996})})
    with pytest.raises(GateError, match=r"^overall is 0\.599, below 0\.6$"):
        check_gates(doc, [("overall", 0.6)])


def test_the_hint_for_an_unknown_gate_knows_the_overall() -> None:
    known_gates(["overall", "visual"], None)
    with pytest.raises(UsageError) as close:
        known_gates(["overal"], None)
    assert close.value.hint == "Did you mean 'overall'?"
    with pytest.raises(UsageError) as far:
        known_gates(["overall", "qwertz"], None)
    assert "There is also overall." in (far.value.hint or "")
