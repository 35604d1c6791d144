"""The HTML report as text: its size, its escaping, what it says. Chromium looks at it in test_browser."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser

import pytest

import report_sample as sample
from longtake.core.documents import DiagnosisDocument
from longtake.errors import OutputError
from longtake.report import html
from longtake.report.data import Part, Thumbnail, lane_of
from longtake.report.view import Frames, Mark, by_importance, shown_findings, stacked, url_of


class Tags(HTMLParser):
    """Collects elements, their attributes and the text outside of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open_script = False
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open_script = tag in ("script", "style")

    def handle_endtag(self, tag):
        self.open_script = False

    def handle_data(self, data):
        if not self.open_script:
            self.text += data

    def of(self, tag):
        return [a for t, a in self.tags if t == tag]


def test_every_part_of_a_diagnosis_is_in_the_report():
    page = Tags(html.render(sample.data()))
    doc = sample.document()
    assert all((doc.checkpoints, doc.findings, doc.brief.shots, doc.summary))
    for expected in (
        *(c.question for c in doc.checkpoints),
        *(f.what.strip() for f in doc.findings),
        *(p.text.strip() for p in doc.brief.shots),
        *doc.summary,
        "low confidence",
        "in place of a judge",
        "clean footage 0.88–1.00, median 0.97 (n = 24)",
        "Needs a judge, and none was asked",
        "1 of 2 scored, 31 % of the weight, partial",
        "8 of 12 checkpoints that apply are scored (40 in the rubric)",
        "Without the penalty for violated constraints: 0.66",
        "violated",
        "story-first",
        "not understood, kept",
        "weights are absent",
        "2 packets were damaged",
        "ab12ab12ab12…",
    ):
        assert expected in page.text, expected


def test_nothing_outside_the_file_is_asked_for():
    text = html.render(sample.data())
    page = Tags(text)
    assert not re.search(r"https?://", text)
    sources = [a.get("src") or a.get("href") for _, a in page.tags if a.get("src") or a.get("href")]
    assert sources
    assert all(s.startswith(("data:", "#", "./")) for s in sources)
    assert "default-src 'none'" in page.of("meta")[1]["content"]


def test_markup_from_files_stays_text():
    doc = sample.document(sample.HOSTILE, path=f"a {sample.HOSTILE}.mp4".replace("/", "\u2215"))
    clean, text = (
        html.render(sample.data()),
        html.render(sample.data(document=doc, film=f"x{sample.HOSTILE}.mp4")),
    )
    page, expected = Tags(text), Tags(clean)
    assert len(page.of("script")) == 2
    assert not [a for a in page.of("img") if "onerror" in a]
    assert sorted({t for t, _ in page.tags}) == sorted({t for t, _ in expected.tags})
    assert page.text.count("window.hacked = 1") > 8
    assert "{{7*7}}" in page.text
    payload = text.split('id="data">')[1].split("</script>")[0]
    assert not set("<>&\u2028\u2029") & set(payload)


def test_json_in_the_page_cannot_end_its_element():
    out = html.json_text({"a": "</script><!--\u2028&'"})
    assert str(out) == '{"a": "\\u003c/script\\u003e\\u003c!--\\u2028\\u0026\\u0027"}'


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("../a b/50%#1?.mp4", "./../a%20b/50%25%231%3F.mp4"),
        ("javascript:alert(1)", "./javascript%3Aalert%281%29"),
        ("https://example.org/x.mp4", "./https%3A//example.org/x.mp4"),
        ("//example.org/x.mp4", "/example.org/x.mp4"),
        ("/tmp/é.mp4", "/tmp/%C3%A9.mp4"),
        ("C:\\film\\a b.mp4", "file:///C:/film/a%20b.mp4"),
        ("bad\udcff.mp4", "./bad%FF.mp4"),
    ],
)
def test_a_path_becomes_a_url_of_that_file_only(path, url):
    assert url_of(path) == url


def test_a_large_report_stays_under_ten_megabytes_and_says_what_it_leaves_out():
    pictures = [sample.jpeg(i, 320, 60) for i in range(6)]
    thumbnails = [Thumbnail(i % 6, i / 50, pictures[i % 6]) for i in range(600)]
    assert sum(len(t.jpeg) for t in thumbnails) > html.MAX_BYTES
    text = html.render(sample.data(document=sample.document(findings=2000), thumbnails=thumbnails))
    shown = text.count("data:image/jpeg")
    assert html.MAX_BYTES * 0.8 < len(text.encode()) <= html.MAX_BYTES
    assert 100 < shown < 600
    assert f"{600 - shown} of 600 thumbnails are left out" in text
    assert text.count('<li id="f-') == 2000


def test_a_document_too_long_by_itself_is_shortened_with_a_note():
    doc = sample.document("long text " * 400, findings=2000)
    text = html.render(sample.data(document=doc), max_bytes=1_000_000)
    assert len(text.encode()) <= 1_000_000
    assert re.search(r"\d+ less severe findings are left out here", text)


def test_the_least_severe_findings_and_second_frames_go_first():
    doc = sample.document(findings=50)
    kept = shown_findings(doc.findings, 20)
    assert {f.severity for f in kept} == {"problem"}
    assert [f.start for f in kept] == sorted(f.start for f in kept)
    thumbnails = [Thumbnail(i // 3, float(i), b"") for i in range(24)]
    order = by_importance(thumbnails)
    assert sorted(order) == list(range(24))
    assert sorted(order[:8]) == [0, 3, 6, 9, 12, 15, 18, 21]
    assert sorted(order[:2]) == [0, 12]


def test_unscored_axes_are_gaps_and_never_zero():
    text = html.render(sample.data())
    radar = text.split('<svg class="radar"')[1].split("</svg>")[0]
    assert radar.count('class="dot"') == 3
    assert radar.count('class="hollow"') == 2
    assert (
        radar.count('class="edge"') == 2
    )  # stability-script and script-visual are neighbours that are scored
    assert "Sound not scored" in radar
    assert "Script 0.58" in radar


def test_numbered_pictures_have_no_player_and_a_clip_list_has_all_clips():
    assert not Tags(html.render(sample.data(film=None))).of("video")
    parts = [Part("clips/1 a.mp4", 0.0, 6.0), Part("clips/2.mp4", 6.0, 6.0)]
    text = html.render(sample.data(film=None, parts=parts, preview="p.mp4"))
    assert '"start": 6.0' in text
    assert Tags(text).of("video")[0]["src"] == "./p.mp4"


def test_a_bare_diagnosis_renders():
    fields = sample.document().to_json()
    for name in ("findings", "shots", "transitions", "bottlenecks", "trace", "attributes", "report_metrics"):
        fields[name] = []
    for name in ("constraints", "submetrics", "checkpoints", "summary"):
        fields[name] = []
    fields |= {"brief": None, "dimensions": {}, "by_profile": {}, "profile": {}}
    fields["overall"] |= {"value": None, "status": "unscored", "reason": "low_coverage", "grade": None}
    fields["overall_without_penalty"] = fields["overall"]
    bare = DiagnosisDocument.model_validate(fields)
    text = html.render(sample.data(document=bare, thumbnails=[], lanes=[], film=None))
    assert "No overall score" in text
    assert "Too little of what counts could be measured" in text


def test_a_lane_keeps_peaks_and_gaps():
    values = [0.0] * 10_000
    values[7777] = 9.0
    values[0:100] = [float("nan")] * 100
    lane = lane_of("motion", "", [i / 10 for i in range(10_000)], values, 0, 10)
    assert len(lane.times) == len(lane.values) == 2000
    assert max(v for v in lane.values if v is not None) == 9.0
    assert lane.values[:20] == [None] * 20


def test_a_report_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    with pytest.raises(OutputError, match="cannot be written"):
        html.write(sample.data(), tmp_path / "no" / "report.html")
    html.write(sample.data(), tmp_path / "report.html")
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_thumbnails_are_whole():
    picture = sample.jpeg(1)
    text = html.render(sample.data(thumbnails=[Thumbnail(0, 0.0, picture)]))
    assert base64.b64encode(picture).decode() in text


def test_the_head_names_the_profile_and_the_damage():
    text = Tags(html.render(sample.data())).text
    assert "profile visual-heavy (the picture above all)" in text
    assert "2 packets were damaged and could not be decoded." in text
    whole = sample.document().model_copy(deep=True)
    whole = whole.model_copy(update={"video": whole.video.model_copy(update={"decode_errors": 0})})
    assert "could not be decoded" not in Tags(html.render(sample.data(document=whole))).text


def test_how_it_was_made_is_folded_and_without_raw_json():
    record = html.render(sample.data()).split('id="record"')[1].split("</main>")[0]
    assert "{" not in record.replace("{{7*7}}", "")
    assert "<summary title=" in record
    assert f"<code>{'ab12' * 16}</code>" in record
    assert record.index("<details>") < record.index("shots")
    assert f"sha256:{'cd' * 6}…" in record
    assert "16" in Tags(record.split("Rubric")[1]).text


def test_unscored_checkpoints_are_folded_and_say_what_they_lack_once():
    text = html.render(sample.data())
    item = text.split('id="c-char_face_consistency"')[1].split("</li>")[0]
    assert Tags("<p" + item).text.count("face or person detection") == 1
    assert "Cannot tell whether there are characters (needs face or person detection)" in item
    assert "Also needs" in item
    assert "faces followed across shots" in item
    before = text.split('id="c-char_face_consistency"')[0]
    assert before.rindex('<details class="fold"') > before.rindex("</details>")
    assert "2 not scored" in before


def test_overlapping_marks_are_stacked_and_others_are_not():
    marks = [Mark(float(x), 0.1, x, x, "") for x in (10, 10, 10.2, 10.3, 10.4, 50)]
    assert [m.row for m in stacked(marks)] == [0, 1, 2, 3, 0, 0]
    assert [m.row for m in stacked([Mark(0.0, 60.0, 0, 60, ""), Mark(30.0, 1.0, 30, 31, "")])] == [0, 1]


def test_frame_numbers_are_told_only_where_they_are_exact():
    doc = sample.document()
    assert Frames(doc).at(8.04) == 201
    assert Frames(doc).at(8.05) is None
    assert Frames(doc).at(11.96) == 299
    assert Frames(doc).at(12.0) is None
    uneven = [s.model_copy(update={"last_frame": s.last_frame + 3}) for s in doc.shots]
    frames = Frames(doc.model_copy(update={"shots": uneven}))
    assert frames.at(8.04) is None
    assert frames.at(7.4) == 185


def test_every_link_inside_the_page_has_a_target_and_findings_begin_with_a_capital():
    doc = sample.document()
    wish = doc.findings[0].model_copy(
        update={"id": "w", "what": "not met: speech", "checkpoint": "user_requirement_consistency"}
    )
    text = html.render(sample.data(document=doc.model_copy(update={"findings": [*doc.findings, wish]})))
    page = Tags(text)
    targets = {a["href"][1:] for a in page.of("a")}
    assert "c-user_requirement_consistency" in targets
    assert targets <= {a["id"] for _, a in page.tags if "id" in a}
    assert "Not met: speech" in page.text
    assert 'data-s="problem" data-d="cross_modal"' in text
