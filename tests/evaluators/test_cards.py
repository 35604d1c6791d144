"""Cards: true to the evaluators they speak of, and readable without them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from longtake.core.evaluator import Card, Quantity
from longtake.diagnosis.evaluators import needs_of
from longtake.diagnosis.rubric import load_rubric
from longtake.diagnosis.rules import REPORT_RULES, RULES
from longtake.errors import LongtakeError
from longtake.evaluators.cards import card_of, own_card, read_card
from longtake.evaluators.code import code_files, code_of, hash_of_files
from longtake.evaluators.registry import BASELINES, BUILT_IN, EVALUATORS
from longtake.evaluators.registry import RULES as NAMED_RULES


def test_every_rule_is_an_evaluator() -> None:
    assert set(NAMED_RULES) == {*RULES, *REPORT_RULES}


@pytest.mark.parametrize("name", NAMED_RULES)
def test_a_rules_card_says_what_the_rule_needs_and_asks(name: str) -> None:
    card = card_of(f"rule.{name}")
    items = [*load_rubric().checkpoints, *load_rubric().report_metrics]
    assert card.needs == needs_of(name)
    assert card.question == next(item.question for item in items if item.id == name)
    assert [q.name for q in card.quantities] == [name]
    judged = any(p.id == name and p.authority == "judged" for p in load_rubric().checkpoints)
    assert bool(card.proxy) == judged


def test_the_diagnosis_judges_the_whole_rubric_and_a_dimension_its_part() -> None:
    items = [*load_rubric().checkpoints, *load_rubric().report_metrics]
    card = card_of("diagnosis")
    assert card.judged(0) == {item.id for item in items}
    for index, quantity in enumerate(card.quantities[1:], 1):
        assert card.judged(index) == {item.id for item in items if item.dimension == quantity.name}


def test_who_judges_what() -> None:
    assert card_of("rule.scene_order").judged() == {"scene_order"}
    assert card_of("evidence").judged() == set()  # it is told no aspect
    own = Quantity(name="one", doc="")
    judge = Card(name="x", version=1, question="?", quantities=(own, own), judges=("color", "aesthetics"))
    assert judge.judged() == {"one", "color", "aesthetics"}
    assert judge.judged(1) == {"one"}


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_card_on_the_shelf_is_the_evaluators_own(name: str) -> None:
    evaluator = EVALUATORS.load(name)
    assert evaluator.card == card_of(name)
    assert evaluator.card.name == name
    assert evaluator.card.prefers == hasattr(evaluator, "prefer")
    assert evaluator.card.failure_modes


@pytest.mark.parametrize("name", BUILT_IN)
def test_papers_are_named_in_one_form(name: str) -> None:
    paper = card_of(name).paper
    assert paper is None or re.match(r"[\w-]+, arXiv \d{4}\.\d{5}(\W|$)", paper), paper


def test_all_baselines_stand_in_the_registry() -> None:
    assert {name for name in BUILT_IN if not name.startswith(("rule.", "diagnosis"))} >= set(BASELINES)


def test_cards_are_read_without_importing_the_evaluators() -> None:
    code = (
        "import sys; from longtake.evaluators.cards import known_evaluators\n"
        "print(len(known_evaluators().evaluators)); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, modules = done.stdout.splitlines()
    assert int(count) >= len(BUILT_IN)
    loaded = set(modules.split())
    assert not loaded & {
        "numpy",
        "cv2",
        "longtake.diagnosis.evaluators",
        "longtake.evaluators.baselines.evaluator",
    }


def test_figures_lie_beside_the_cards(tmp_path: Path) -> None:
    (tmp_path / "cards.yaml").write_text("one:\n  version: 2\n  question: Which?\n")
    figure = {
        "study": "pairwise",
        "about": "color",
        "value": 0.5,
        "low": 0.4,
        "high": 0.6,
        "n": 80,
        "on": "made pairs",
        "command": "longtake meta pairwise x.csv",
        "date": "2026-01-01",
    }
    (tmp_path / "figures.json").write_text(json.dumps({"one": [figure]}))
    card = read_card("one", tmp_path)
    assert card is not None
    assert (card.version, card.figures[0].low, card.figures[0].n) == (2, 0.4, 80)
    assert read_card("two", tmp_path) is None


def test_a_card_that_is_wrong_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "cards.yaml").write_text("one:\n  version: 2\n  qestion: Which?\n")
    with pytest.raises(LongtakeError, match=r"the card of one in .*cards\.yaml"):
        read_card("one", tmp_path)
    with pytest.raises(LongtakeError, match="has no card of two"):
        own_card("two", str(tmp_path / "x.py"))


def test_evaluators_of_one_room_share_their_code_and_others_do_not() -> None:
    assert code_of("diagnosis") == code_of("rule.scene_order") != code_of("constant")
    assert len(code_of("constant")) == 16


def test_code_data_and_prompts_stand_for_an_evaluator_and_its_figures_and_vectors_do_not(
    tmp_path: Path,
) -> None:
    (tmp_path / "prompts").mkdir()
    for name in ("evaluator.py", "words.yaml", "prompts/ask.txt", "figures.json", "vectors.yaml"):
        (tmp_path / name).write_text("as it was")
    hashes = [hash_of_files(code_files(tmp_path))]
    for name in ("figures.json", "vectors.yaml", "prompts/ask.txt", "words.yaml", "evaluator.py"):
        (tmp_path / name).write_text("changed")
        hashes.append(hash_of_files(code_files(tmp_path)))
    assert hashes[0] == hashes[1] == hashes[2]
    assert len(set(hashes)) == 4
    (tmp_path / "prompts/ask.txt").rename(tmp_path / "prompts/tell.txt")  # who reads it reads another file
    assert hash_of_files(code_files(tmp_path)) not in hashes
