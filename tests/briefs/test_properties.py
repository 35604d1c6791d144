"""For all briefs and for all values: the round trip, and nothing but a Brief or an InputError."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import pairwise
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from longtake.briefs import read_brief_text, read_brief_value
from longtake.core.brief import Act, Brief, Character, Note, PlannedShot, SoundWishes
from longtake.errors import InputError

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
MAYBE = st.none() | TEXT
PLAIN = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6) | TEXT
EXTRA = st.dictionaries(
    TEXT, st.recursive(PLAIN, lambda x: st.lists(x, max_size=3), max_leaves=5), max_size=3
)


@st.composite
def briefs(draw: st.DrawFn) -> Brief:
    """Briefs that do not contradict themselves."""
    count = draw(st.integers(0, 4))
    timed = draw(st.booleans())
    shots = []
    clock = 0
    for index in range(count):
        start = clock + draw(st.integers(0, 3000))
        clock = start + draw(st.integers(1, 5000))
        times = {"start": start / 1000, "end": clock / 1000} if timed else {}
        shots.append(
            PlannedShot(
                index=index,
                id=draw(st.none() | st.just(f"s{index}")),
                text=draw(TEXT),
                scene=draw(MAYBE),
                camera=draw(MAYBE),
                characters=draw(st.lists(TEXT, max_size=2)),
                extra=draw(EXTRA),
                **times,
            )
        )
    total = draw(st.none() | st.integers(clock + 1, clock + 9000))
    return Brief(
        source=draw(st.sampled_from(["text", "vimax", "longtake"])),
        title=draw(MAYBE),
        instruction=draw(TEXT) + "!",
        duration=None if total is None else total / 1000,
        shots=shots,
        acts=[Act(name="a", text=draw(TEXT))],
        characters=[Character(name=draw(TEXT))],
        sound=SoundWishes(
            dialogue=draw(st.none() | st.booleans()), languages=draw(st.lists(TEXT, max_size=2))
        ),
        notes=[Note(path="x", message="kept")],
        extra=draw(EXTRA),
    )


def _without_fresh_notes(brief: Brief, notes: list[Note]) -> Brief:
    return brief.model_copy(update={"notes": brief.notes[: len(notes)]})


@settings(max_examples=60, deadline=None)
@given(briefs())
def test_round_trip(brief: Brief) -> None:
    for text in (json.dumps(brief.to_json()), yaml.safe_dump(json.loads(json.dumps(brief.to_json())))):
        again = read_brief_text(text)
        assert _without_fresh_notes(again, brief.notes) == brief
        assert not any("kept in extra" in note.message for note in again.notes)


@settings(max_examples=60, deadline=None)
@given(briefs())
def test_reading_twice_changes_nothing(brief: Brief) -> None:
    once = read_brief_value(brief.to_json())
    assert read_brief_value(once.to_json()) == once


KEYS = st.sampled_from(
    [
        "shots",
        "prompt",
        "start",
        "end",
        "duration",
        "id",
        "text",
        "caption",
        "meta",
        "data",
        "clips",
        "scenes",
        "stories",
        "modality_details",
        "visual",
        "audio",
        "script",
        "shot_id",
        "story_overview",
        "shot_descriptions",
        "schema",
        "timestamp",
        "video fragment id",
        "序号",
        "time",
        "sound",
        "characters",
        "acts",
        "name",
        "event_list",
        "class",
        "OTIO_SCHEMA",
        "extra",
        "index",
        "dialogue",
        "story_arc",
        "notes",
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["longtake.brief/1", "1:30", "3s", "no", "Timeline.1", "\ud800"])
)
VALUES = st.recursive(
    LEAVES,
    lambda x: st.lists(x, max_size=4) | st.dictionaries(KEYS | st.text(max_size=4), x, max_size=5),
    max_leaves=25,
)


@settings(max_examples=400, deadline=None)
@given(VALUES)
def test_a_brief_or_an_input_error(value: Any) -> None:
    try:
        brief = read_brief_value(value)
    except InputError:
        return
    assert [s.index for s in brief.shots] == list(range(len(brief.shots)))
    json.dumps(brief.to_json(), allow_nan=False, ensure_ascii=False).encode()
    ends = [(s.start, s.end) for s in brief.shots if s.start is not None and s.end is not None]
    assert all(b[0] >= a[1] - 0.0011 for a, b in pairwise(ends))


FRAGMENTS = st.lists(
    st.sampled_from(
        [
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            '"',
            '"text"',
            "1",
            "\n",
            "-->",
            "00:00:01,000",
            "WEBVTT",
            "Shot 1:",
            "2.",
            "- ",
            "start,end",
            ";",
            "prompt: ",
            "&a",
            "*a",
            "!!x",
            "---",
            "<fcpxml>",
            "TITLE: X",
            "```",
            "\t",
            " ",
            "null",
            "\ufeff",
        ]
    )
    | st.text(max_size=4),
    max_size=25,
).map("".join)


@settings(max_examples=400, deadline=None)
@given(FRAGMENTS)
def test_any_text_is_a_brief_or_an_input_error(text: str) -> None:
    with suppress(InputError):
        assert isinstance(read_brief_text(text), Brief)
