"""The deterministic summary through every pair of eyes: other words and order, the same facts."""

from __future__ import annotations

import re

import pytest
from advised import diagnosis, see, weak
from by_hand import RUBRIC

from longtake.core.documents import DiagnosisDocument, Score
from longtake.diagnosis.profiles import profiles
from longtake.diagnosis.summary import spelt_out, summary_of
from longtake.diagnosis.synthesis import overall_score

WEAK = ("motion_continuity", "light_direction", "event_chain_logic", "color_consistency")


def film() -> DiagnosisDocument:
    """Weak in the picture, in the script and in stability; two scores of low confidence."""
    document = diagnosis()
    for i, name in enumerate(WEAK):
        what = f"fault number {i + 31}"
        document = weak(document, name, see(2.5 + i, 3.0 + i, what), value=0.1 + i / 10, low_confidence=i > 1)
    return document


def through(name: str) -> list[str]:
    return summary_of(film().model_copy(update={"profile": profiles()[name].describe()}))


def facts(sentences: list[str]) -> set[str]:
    """Which checkpoints are told, and every number, but for the profile's own weight and the overall."""
    said = [s for s in sentences if " of 1)" not in s and "of the whole)" not in s]
    text = " ".join(s for s in said if not s.startswith(("Overall", "There is no overall")))
    named = {c.id for c in RUBRIC.checkpoints if spelt_out(c.id) in text or c.question in text}
    return named | set(re.findall(r"\d+\.\d+|\d+", text.replace(" of 1;", ";")))


def test_every_profile_is_told_the_same_facts() -> None:
    told = facts(through("neutral"))
    first = film().bottlenecks[:3]
    assert set(first) <= told
    assert len(told - set(first)) > 6
    assert film().bottlenecks[3] not in told
    for name in profiles():
        assert facts(through(name)) == told, name


def test_what_a_profile_weighs_more_is_told_first_and_named() -> None:
    def order(name: str) -> list[str]:
        text = " ".join(through(name))
        places = {c: text.find(spelt_out(c)) for c in WEAK}
        return sorted((c for c in WEAK if places[c] >= 0), key=lambda c: places[c])

    assert order("neutral") == film().bottlenecks[:3]
    assert order("story-first")[0] == "event_chain_logic"
    assert order("visual-heavy")[0] in ("light_direction", "motion_continuity")
    assert any("the script (0.55 of 1)" in s for s in through("story-first"))
    assert not any(" of 1)" in s for s in through("neutral"))


def test_a_novice_reads_questions_and_an_expert_names() -> None:
    novice, expert = " ".join(through("quick-and-natural")), " ".join(through("sync-perfectionist"))
    question = RUBRIC.checkpoint("light_direction").question
    assert question in novice
    assert question not in expert
    assert "light direction 0.20 (3.5 s: fault number 32)" in expert


@pytest.mark.parametrize("name", list(profiles()))
def test_sentences_are_for_people_in_any_profile(name: str) -> None:
    for sentence in through(name):
        assert "_" not in sentence
        assert "{" not in sentence
        assert not sentence[0].islower()
        assert sentence.endswith(".")


def test_what_the_profile_insists_on_comes_before_what_is_weak() -> None:
    document = film().model_copy(update={"profile": profiles()["visual-heavy"].describe()})
    broken = [{"id": "beautiful_lighting", "status": "violated", "checkpoints": ["light_direction"]}]
    data = document.to_json() | {"constraints": broken}
    said = summary_of(DiagnosisDocument.model_validate(data))
    breaks = next(i for i, s in enumerate(said) if "insists on: beautiful lighting" in s)
    assert breaks < next(i for i, s in enumerate(said) if "motion continuity" in s)


def test_what_falls_short_of_what_an_overall_needs_is_said_to() -> None:
    document = diagnosis()
    part = Score(value=0.8, status="scored", n_scored=3, n_active=4, covered_weight=0.7467)
    score = overall_score({"visual": 1.0}, {"visual": part})
    assert score.reason == "covered weight 0.74 is below 0.75"
    told = summary_of(document.model_copy(update={"overall": score}))[0]
    assert "only 74 % of what counts" in told
    assert "needs 75 %" in told
