"""The words around every question: their version rises with them, and they agree with what is asked."""

from __future__ import annotations

import hashlib
from importlib.resources import files

from longtake.core.judge import PROMPT_VERSION, Question
from longtake.evaluators.pairwise.answers import answer_in_spans
from longtake.models.judges.sending import conversation

FOLDER = files("longtake.models.judges") / "prompts"
VERSIONS = {2: "357967105941deb4"}
"""What the standing words were at a version. Whoever changes a word has to add the next one: replies that are
kept would else be taken for answers to other words."""


def test_a_change_of_the_standing_words_is_a_new_version() -> None:
    words = [file.read_text("utf-8") for file in sorted(FOLDER.iterdir(), key=lambda file: file.name)]
    assert hashlib.sha256("\0".join(words).encode()).hexdigest()[:16] == VERSIONS[PROMPT_VERSION]


def test_a_question_without_a_way_out_is_not_told_that_a_guess_is_a_bad_answer() -> None:
    """Two films are compared by choosing one in any case: the schema takes nothing else."""
    asked = Question("pairwise.video", "Choose one in any case.", answer_in_spans("pairwise.video"))
    assert asked.schema["properties"]["answer"]["enum"] == ["1", "2"]
    system, _ = conversation(asked)
    (about,) = (said for said in system.split(". ") if "guess" in said)
    assert "the question provides a way to say so" in about
    assert "Where it provides none, give the answer that is most likely." in system
