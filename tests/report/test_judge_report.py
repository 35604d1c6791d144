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
from test_html import Tags

import report_sample as sample
from longtake.core.advice import PointChange
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
        "answered by the judge, which counts here",
        "a rule answered in place of a judge, whose answer would count",
        "measured by a rule, which counts here",
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
        "If the judge were asked again, the overall would lie between 0.41 and 0.52 (95 % sure; 3 of 3"
        " results of the judge were drawn more than once). How far the judge itself is off is not in it.",
        "Interval of the overall 0.41 to 0.52, bootstrap over draws; bias is not in it",
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
    assert "× a single draw 0.90 ×" in judged.parts(single, "judge")


def test_without_a_judge_there_is_no_trace_of_one():
    made = page(sample.document())
    ids = {a.get("id") for _, a in made.tags}
    assert not ids & {"judge", "written", "against"}
    assert "single draw" not in made.text
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


def test_what_a_single_draw_is_worth_is_said_once():
    document = advised_sample.document()
    once = ConfidenceParts(availability=1.0, agreement=0.8, evidence=0.9, single_draw=True)
    changed = {"confidence_from": once, "method": "judge", "confidence": 0.7}
    points = [c.model_copy(update=changed) if c.value is not None else c for c in document.checkpoints]
    text = " ".join(page(document.model_copy(update={"checkpoints": points})).text.split())
    assert text.count("whether it would say the same again is not known") == 1
    assert text.count("a single draw 0.80") > 1


def test_a_summary_of_which_nothing_is_left_takes_one_small_line():
    document = advised_sample.document()
    why = "no sentence of the reply is borne by the results"
    gone = document.written.model_copy(update={"status": "unscored", "claims": [], "reason": why})
    text = html.render(sample.data(document=document.model_copy(update={"written": gone}), film=None))
    box = text.split('id="written"')[1].split("</div>")[0]
    assert "<h3>" not in box
    assert box.index("<details>") < box.index("No sentence of the reply")
    said = " ".join(Tags("<div" + BLOCK.sub(r" \1", box)).text.split())
    assert said.startswith("Nothing is left of the judge’s own summary: 1 sentence was taken out")
    silent = gone.model_copy(update={"removed": [], "reason": "the judge gave no reply"})
    text = " ".join(page(document.model_copy(update={"written": silent})).text.split())
    assert "No summary in the judge’s words: the judge gave no reply." in text


def test_a_value_between_levels_is_told_by_both_where_draws_differ():
    document = advised_sample.document()
    levels = {"id": "pacing_structure", "levels": ["No", "Yes"]}
    (point,) = [c for c in document.checkpoints if c.id == "pacing_structure"]
    answer = advised_sample.judgement("", 1.0, 0.0, 1.0)
    mixed = point.model_copy(update={"value": 2 / 3, "anchor": "Yes", "judgement": answer})

    def shown(result):
        points = [result if c.id == result.id else c for c in document.checkpoints]
        rubric = {**document.rubric, "checkpoints": [levels]}
        made = document.model_copy(update={"checkpoints": points, "rubric": rubric})
        text = html.render(sample.data(document=made, film=None))
        item = text.split('id="c-pacing_structure"')[1].split("</summary>")[0]
        return " ".join(Tags("<li" + item).text.split())

    assert shown(mixed).endswith("The draws differ, between: No / Yes")
    agreed = advised_sample.judgement("", 1.0, 1.0)
    assert shown(mixed.model_copy(update={"value": 1.0, "judgement": agreed})).endswith("1.00 Yes")
    rule = mixed.model_copy(update={"method": "rule", "judgement": None})
    assert shown(rule).endswith("Nearest to: Yes")


def test_a_weak_point_and_all_its_steps_stand_in_one_place():
    document = advised_sample.document()
    first = document.repair[0]
    more = [first.model_copy(update={"directive": f"Do this. Found: fault {i}."}) for i in range(6)]
    points = advice.points(document.model_copy(update={"repair": [*document.repair, *more]}), 100)
    assert [p.result.id for p in points[: len(document.bottlenecks)]] == document.bottlenecks
    by_id = {p.result.id: p for p in points}
    assert len(by_id) == len(points)
    assert [s.lead for s in by_id[first.checkpoint].steps] == [first.directive, *["Do this."] * 6]
    assert by_id[first.checkpoint].steps[-1].rest == "Found: fault 5."
    made = page(document.model_copy(update={"repair": [*document.repair, *more]}))
    assert " ".join(made.text.split()).count("fault 5") == 1
    assert "5 more steps, and why" in " ".join(made.text.split())
    long = more[0].model_copy(update={"directive": "y " * 400})
    (step,) = [s for p in advice.points(document.model_copy(update={"repair": [long]}), 9) for s in p.steps]
    assert len(step.lead) <= advice.LEAD
    assert step.rest == long.directive


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


def test_a_reason_that_several_changes_share_is_told_once():
    document = advised_sample.document()
    once = "a version was judged in a single draw"
    fields = {"kind": "checkpoint", "reason": once}
    changes = [PointChange(id=f"x_{i}", change="mended", old=0.4, new=0.9, **fields) for i in range(9)]
    fields["reason"] = "has_dialogue is false"
    changes.append(PointChange(id="y_a", change="appeared", old=None, new=0.9, **fields))
    changes.append(PointChange(id="y_b", change="vanished", old=0.9, new=None, **fields))
    against = document.against.model_copy(update={"changes": changes})
    text = html.render(sample.data(document=document.model_copy(update={"against": against}), film=None))
    section = text.split('id="against"')[1].split("</section>")[0]
    said = " ".join(Tags("<section" + BLOCK.sub(r" \1", section)).text.split())
    assert said.count(once) == 1
    assert f"9 results: {once}." in said
    assert section.count('href="#note-1"') == 9
    assert "Not scored now: there is no dialogue" in said
    assert "not scored before: there is no dialogue" in said
    assert section.index("Newly scored: 1") > section.rindex("</table>")
    assert "1 more change " in said  # what was mended or broken is told at once, however much it is


def test_what_a_mended_result_still_points_to_is_not_told_as_new():
    document = advised_sample.document()
    came = [advised_sample.see(1.4, 1.6, "a shadow")]
    mended = document.against.changes[0].model_copy(update={"came": came})
    against = document.against.model_copy(update={"changes": [mended]})
    said = " ".join(printed(document.model_copy(update={"against": against})).split())
    assert "mended: exposure stability 0.40 → 0.92" in said
    assert "0:01.4" not in said.split("mended: exposure")[1].split("The two runs")[0]


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
        "broken: motion continuity 0.90 → 0.31, seen at 0:08.0",
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
