"""What is announced of films that nobody has measured covers what a judge is asked about them."""

from __future__ import annotations

from collections import Counter

import pytest
from by_hand import RUBRIC, everything, film
from juror import BRIEF, EVERY, Juror, Shown, answered

from longtake.core.brief import Brief, PlannedShot
from longtake.core.judge import MOST_OF_CONTENT, MOST_PICTURES, Questioning
from longtake.diagnosis.bound import Sketch, most_asked
from longtake.diagnosis.graph import run
from longtake.diagnosis.profiles import load_profile
from longtake.diagnosis.wished import MOST_SHOTS
from longtake.diagnosis.work import Work
from longtake.execution.worst_case import text_tokens

LINES = [PlannedShot(index=i, start=i / 4, end=(i + 1) / 4, text=f"<{i}> 門 opens") for i in range(80)]
BRIEFS = {
    "none": None,
    "whole": BRIEF,
    "a prompt": Brief(instruction="A door opens."),
    "many shots": BRIEF.model_copy(update={"shots": LINES, "camera": ["pan"] * 40}),
    "no wishes": BRIEF.model_copy(update={"consistency": []}),
}


def bound(brief: Brief | None, draws: int, most: int) -> list[Sketch]:
    content = min(most, MOST_OF_CONTENT)
    return most_asked(RUBRIC, [brief], draws=draws, most_pictures=most, most_of_content=content)


@pytest.mark.parametrize("name", BRIEFS)
@pytest.mark.parametrize(("draws", "most"), [(1, MOST_PICTURES), (3, 2)])
def test_it_covers_what_is_asked(name: str, draws: int, most: int) -> None:
    brief = BRIEFS[name]
    facts = everything(brief)
    juror = Juror(answered)
    content = min(most, MOST_OF_CONTENT)
    asked = Questioning(juror, Shown(), draws=draws, most_pictures=most, most_of_content=content)
    run(Work(film(), facts.signals, brief, load_profile(), RUBRIC, EVERY, questioning=asked))
    questions = [q for q in juror.asked if q.id != "written_summary"]
    assert len(questions) > 15
    found = bound(brief, draws, most)
    assert len(questions) <= sum(one.draws for one in found)
    assert sum(len(q.frames) for q in questions) <= sum(one.draws * one.pictures for one in found)
    labels = Counter(m.label for q in questions for m in q.materials)
    most_labels = Counter(dict.fromkeys(labels, 0))
    for one in found:
        most_labels.update({n: one.draws * k for n, k in Counter(one.labels).items()})
    assert labels <= most_labels
    words = sum(text_tokens(q.prompt) + text_tokens(str(q.schema)) for q in questions)
    assert words <= sum(one.draws * one.words for one in found)
    assert sum(q.most_tokens for q in questions) <= sum(one.draws * one.most_tokens for one in found)


def test_what_a_brief_does_not_ask_for_is_not_announced() -> None:
    whole, none = bound(BRIEF, 1, 16), bound(None, 1, 16)
    assert len(none) < len(whole)
    assert not any("brief" in label for one in none for label in one.labels)
    many = bound(BRIEFS["many shots"], 1, 16)
    assert sum("brief: this shot" in one.labels for one in many) == MOST_SHOTS


def test_films_add_up() -> None:
    both = most_asked(RUBRIC, [BRIEF, None], draws=2, most_pictures=16, most_of_content=24)
    one, other = (
        most_asked(RUBRIC, [brief], draws=2, most_pictures=16, most_of_content=24) for brief in (BRIEF, None)
    )
    assert both == [*one, *other]
