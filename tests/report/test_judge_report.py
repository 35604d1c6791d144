"""The judge, its words and what follows from them, in the report, the terminal and the lists of markers."""

from __future__ import annotations

import base64
import io
import json
import re
import xml.etree.ElementTree as ET

import advised_sample
import opentimelineio as otio
import pytest
import sample
from test_html import Tags

from longtake.core.documents import RepairDocument
from longtake.core.judgement import ConfidenceParts, JudgeFacts
from longtake.report import advice, html, judged
from longtake.report.markers import write_list
from longtake.report.terminal import console_for, print_diagnosis

BLOCK = re.compile(r"(</?(?:p|td|th|tr|li|div|summary|h\d|dt|dd|button)\b)")


def page(document=None):
    """The report's tags and text, with a blank between what stands in two places."""
    text = html.render(sample.data(document=document or advised_sample.document(), film=None))
    return Tags(BLOCK.sub(r" \1", text))


def printed(document, width=100):
    stream = io.StringIO()
    print_diagnosis(document, console_for(stream, width))
    return stream.getvalue()


def test_a_checkpoint_tells_who_decides_who_answered_and_all_that_was_said():
    text = " ".join(page().text.split())
    for expected in (
        "a judge decides, and did",
        "a judge decides; a rule answered in place of a judge",
        "measurement decides, and a rule measured",
        "The judge: The story stalls.",
        "3 draws: 0.50, refused, 0.75 · spread 0.12 · 8 pictures shown · model seen-vl-8b",
        "2 other draws",
        "Draw 2, refused: I cannot help with this.",
        "Draw 3, 0.75: The story wanders.",
        "The rule says 0.95 (disagrees); shown beside, never blended in.",
        "Confidence 0.53 from availability 1.00 × agreement of draws 0.88 × agreement of evidence 0.60",
        "The judge gave no answer: the model refused",
    ):
        assert expected in text, expected
    # Each once at its checkpoint; the one that is a weak point also there.
    assert text.count("(disagrees)") == 2
    assert text.count("disputed") == 3


def test_the_judge_has_a_box_with_what_left_the_machine():
    text = " ".join(page().text.split())
    for expected in (
        "openai:seen-vl-8b",
        "41 of 45 questions answered (12 calls this time, 30 from kept replies); 1 refused and 3 not asked",
        "12 requests with 96 pictures of the film went to judge.example.org.",
        "41,200 tokens in, 3,100 tokens out, 0.25 at the given prices",
        "The budget of 12 calls is spent",
        "1 result without an answer of the judge, and why",
        "0.41 to 0.52 (95 %, n = 3): bootstrap over draws; bias is not in it.",
    ):
        assert expected in text, expected


def test_nothing_is_said_to_have_left_that_did_not():
    facts = JudgeFacts(name="transformers:x", asked=5, answered=5, calls=5, frames=9)
    assert judged.left(facts) == "Nothing left this machine."
    cached = facts.model_copy(update={"sends_to": "h.example", "calls": 0, "cached": 5, "frames": 0})
    assert judged.left(cached) == "Nothing was sent this time; questions would go to h.example."
    words = cached.model_copy(update={"calls": 1})
    assert judged.left(words) == "1 request with no picture went to h.example."
    assert judged.cost(facts) == "the server did not say"


def test_a_rules_confidence_is_not_told_as_agreement_of_draws():
    parts = ConfidenceParts(availability=0.5, agreement=0.9, evidence=0.9)
    assert "separation in its controls 0.90" in judged.parts(parts, "rule")
    single = parts.model_copy(update={"single_draw": True})
    assert judged.parts(single, "judge").endswith("a single draw, which can agree with nothing")


def test_without_a_judge_there_is_no_trace_of_one():
    made = page(sample.document())
    ids = {a.get("id") for _, a in made.tags}
    assert not ids & {"judge", "written", "repair", "against"}
    assert "eyes" in ids
    assert not [a for a in made.of("a") if "download" in a]


def test_a_written_summary_links_what_it_rests_on_and_lists_what_was_taken_out():
    made = page()
    links = {a["href"] for a in made.of("a") if a.get("href", "").startswith("#")}
    ids = {a["id"] for _, a in made.tags if a.get("id")}
    assert {link.removeprefix("#") for link in links} <= ids
    text = " ".join(made.text.split())
    assert "Movement breaks at 3.4 s. (Motion continuity)" in text
    assert "names and numbers were checked, its meaning was not" in text
    assert "1 sentence was taken out It deserves a prize. names no result" in text


def test_the_plan_of_repair_jumps_to_its_shots_and_is_inside_as_json():
    document = advised_sample.document()
    made = page(document)
    text = " ".join(made.text.split())
    assert "Regenerate shots 3 and 5 so that movement carries on." in text
    labels = [a.get("aria-label") for a in made.of("button")]
    assert "Go to shot 3" in labels
    assert sum((label or "").startswith("To do, ") for label in labels) == 2
    (link,) = [a for a in made.of("a") if "download" in a]
    assert link["download"] == "the-long-way-home-repair.json"
    data = base64.b64decode(link["href"].removeprefix("data:application/json;base64,"))
    assert RepairDocument.model_validate_json(data).repairs == document.repair
    assert {s["index"] for s in json.loads(data)["shots"]} == {2, 3, 4}


def test_a_plan_too_long_to_be_inside_is_beside():
    document = advised_sample.document()
    long = document.repair[0].model_copy(update={"directive": "x" * advice.MOST_EMBEDDED})
    longer = document.model_copy(update={"repair": [long]})
    assert advice.download(longer) is None
    assert "is in repair.json beside this file" in " ".join(page(longer).text.split())


def test_the_profiles_view_has_weights_both_scores_and_every_profile():
    text = " ".join(page().text.split())
    order = [
        text.index(row) for row in ("Picture 0.50 ours 0.63", "Interplay 0.25", "Script 0.15", "Sound 0.10")
    ]
    assert order == sorted(order)
    for expected in (
        "The summary tells what is weak in this order: Picture, Interplay, Script, Sound.",
        "Stability beside 0.76",
        "1 violated constraint: overall 0.46 with the penalty, 0.66 without it.",
        "Expertise expert",
        "3 of 4 profiles give an overall score",
        "the released code's weights, what is unscored left out",
    ):
        assert expected in text, expected


def test_what_was_mended_and_broken_is_told_with_spans_on_their_own_clocks():
    made = page()
    text = " ".join(made.text.split())
    assert "Held against first cut.mp4: 1 mended, 1 broken, 1 not comparable, 1 the same." in text
    assert "The two runs differ in judge, models." in text
    assert text.index("Exposure stability Mended") < text.index("Motion continuity Broken")
    assert "Gone, on the earlier version's clock: 0:02.3–0:03.0 flicker" in text
    times = [a["data-t"] for a in made.of("button") if a.get("class") == "time"]
    assert "8.0" in times
    assert "2.34" not in times  # a place in the earlier film is no place in this one


def test_hostile_words_of_a_judge_stay_words():
    made = page(advised_sample.document(sample.HOSTILE))
    assert len(made.of("script")) == 2
    assert all("onerror" not in a for a in made.of("img"))
    # Once in each of: reason, two draws, evidence, model, written, removed, repair, against, stopped ...
    assert made.text.count("window.hacked = 1") > 20


def test_a_terminal_tells_the_same_in_short_and_without_control_sequences():
    text = printed(advised_sample.document("\x1b[31mred\x07\u202e [bold]x[/bold]"), width=60)
    assert not set("\x1b\x07\u202e") & set(text)
    assert all(len(line) <= 60 for line in text.splitlines())
    said = " ".join(printed(advised_sample.document()).split())
    for expected in (
        "Against first cut.mp4: 1 mended, 1 broken, 1 not comparable, 1 the same.",
        "broken: motion continuity 0.90 → 0.31, new at 0:08.0",
        "Judge openai:seen-vl-8b: 41 of 45 questions answered",
        "went to judge.example.org.",
        "Judge and rule disagree on pacing structure, scene presence.",
        "1 sentence of the judge was taken out",
        "1. Regenerate shots 3 and 5",
    ):
        assert expected in said, expected


def test_editors_get_the_plan_as_markers():
    document = advised_sample.document()
    timeline = otio.adapters.read_from_string(write_list(document, "otio"), "otio_json")
    (clip,) = timeline.find_clips()
    plans = [m for m in clip.markers if m.metadata["longtake"]["kind"] == "repair"]
    assert len(plans) == 2
    assert len(clip.markers) == 2 + len(document.findings)
    assert plans[0].marked_range.start_time.value == round(3.4 * 25)
    root = ET.fromstring(write_list(document, "fcpxml"))
    notes = [m.get("note") for m in root.iter("marker")]
    assert "repair regenerate motion_continuity" in notes
    assert len(notes) == 2 + len(document.findings)


@pytest.mark.parametrize("kind", ["mended", "same", "not_comparable"])
def test_every_change_has_a_name(kind):
    assert re.fullmatch(r"[A-Z][a-z ]+", advice.CHANGES[kind])
