"""What the study of the rules found stands beside them, names all of them, and decides what is scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import longtake.diagnosis
from longtake.core.evaluator import Figure
from longtake.diagnosis.rules import REPORT_RULES, RULES, trials
from longtake.evaluators.cards import card_of

EVERY = sorted({**RULES, **REPORT_RULES})
FALLS = ("sensitive", "sensitive, few recordings")
STANDS_ALL_THE_SAME: dict[str, str] = {
    "motion_continuity": "falls with freezes and repeats; its blind spots tell of most leaps",
    "scene_presence": "unscored offline: no text-picture model comes with longtake",
    "scene_order": "unscored offline: no text-picture model comes with longtake",
}
"""Rules that are asked although the study does not show that they fall, and why."""


def test_every_rule_was_asked_or_says_why_not() -> None:
    assert sorted(trials()) == EVERY


@pytest.mark.parametrize("rule", EVERY)
def test_a_rule_falls_with_what_concerns_it_or_is_told_here(rule: str) -> None:
    found = trials()[rule]
    assert found["date"]
    assert "rule_sensitivity.py" in found["command"]
    assert found["why"]
    assert (found["verdict"] in FALLS) != (rule in STANDS_ALL_THE_SAME), found["why"]
    if found["verdict"] == "not tried":
        assert found["recordings"] == 0
        return
    kinds = [d["kind"] for d in found["damages"].values()]
    assert kinds.count("concerns") >= 1
    assert kinds.count("spares") >= 2
    assert found["recordings"] >= 5


@pytest.mark.parametrize("rule", EVERY)
def test_a_verdict_follows_from_its_figures(rule: str) -> None:
    """No rule is said to fall where an interval reaches 0, nor to spare what lowers it."""
    for name, d in trials()[rule]["damages"].items():
        low, slope, high = d["slope"]
        falls = d["verdict"] == "sensitive"
        assert falls == (high is not None and high < 0), name
        assert len(d["means"]) in (0, len(d["strengths"])), name
        assert 0 <= d["films"] <= d["films_asked"], name
        assert (slope is None) == (d["films"] == 0 or len(d["strengths"]) < 2), name
        if d["kind"] == "spares":
            assert not falls, name
        if d["kind"] == "concerns" and trials()[rule]["verdict"] in FALLS:
            assert falls or (low is None and d["fall_share"] == 1), name


def test_cards_have_the_same_figures() -> None:
    cards = json.loads((Path(longtake.diagnosis.__file__).parent / "figures.json").read_text("utf-8"))
    for rule, found in trials().items():
        figures = card_of(f"rule.{rule}").figures
        assert list(figures) == [Figure.model_validate(f) for f in cards.get(f"rule.{rule}", ())]
        slopes = [f for f in figures if f.study == "sensitivity"]
        assert [f.value for f in slopes] == [d["slope"][1] for d in found["damages"].values()]
        assert {f.date for f in figures} <= {found["date"]}
