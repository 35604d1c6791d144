"""Facts in words."""

from __future__ import annotations

import re

from lighthouse import BRIEF

from longtake.briefs.suite import suite_brief, suite_ids
from longtake.prompting.facts import facts_of
from longtake.prompting.language import language
from longtake.prompting.naming import beginning, counted, named
from longtake.prompting.room import room_for

FACTS = facts_of(BRIEF, language("en"), 12)


def test_every_fact_has_a_name_in_words() -> None:
    by_id = {f.id: named(f) for f in FACTS.items}
    assert by_id["action.2"] == "what happens in shot 2 (She polishes the great lens with a cloth)"
    assert by_id["said.2.1"] == "line 1 of shot 2 (One more night.)"
    assert by_id["spoken.en"] == "the spoken language English"
    for name in list(suite_ids())[::10]:
        facts = room_for(suite_brief(name))
        for fact in (*facts.items, *facts.left_out):
            assert not re.search(r"\b[a-z_]+\.\d", named(fact)), named(fact)


def test_beginnings_end_with_words() -> None:
    assert beginning("A brown bear opens a honey jar, licks the lid and yawns") == (
        "A brown bear opens a honey jar, licks …"
    )
    assert beginning("short") == "short"
    assert len(beginning("字" * 200)) <= 62


def test_counts() -> None:
    assert counted(["light.1", "act.1", "light.2", "tone"]) == "light of shots (2), acts (1), tone (1)"
