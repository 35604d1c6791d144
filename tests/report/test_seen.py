"""Cast, transcript, text and likeness of shots in the report, as text. Chromium looks in test_browser."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from test_html import Tags

import report_sample as sample
from longtake.core.content import ShotLikeness, Utterance, Word
from longtake.core.signal import Event, Signal
from longtake.report import html
from longtake.report.content import GAP, pieces_of
from longtake.report.matrix import digits, full, matrix_of
from longtake.report.terminal import console_for, print_diagnosis
from longtake.report.told import lacking, told
from longtake.report.words import listed, surely

HEAVY = ("faces", "speech", "text", "sound", "scenes", "objects", "lipsync")


def rendered(doc, **more):
    return html.render(sample.data(document=doc, portraits=sample.portraits(doc), film=None, **more))


def unmeasured(reason):
    doc = sample.document()
    return sample.with_content(doc, **{n: Signal(n, 1, "skipped", reason) for n in HEAVY})


def test_everything_seen_and_heard_is_in_the_report():
    text = Tags(rendered(sample.with_content(sample.document()))).text
    for expected in (
        "3 people were told apart by the face (1 sure and 2 fairly sure)",
        "19 words were heard in English (sure), 142 a minute; 1 stretch of speech was not understood.",
        "Text stands in the picture 2 times (and 1 guess).",
        "Person 1",
        "Unidentified faces",
        "weather",
        "two voices at once",
        "HOTEL BELVEDERE",
        "1 guess, of which the reader was not sure",
        "How alike the shots are",
        "Models: centerface 1.5.0.",
        "Models: whisper-base 1.0.0.",
        "A proxy, no audio tagger",
        "The sound is 0.32 s late against the lips.",
        "2 stretches, 1 sure",
        "A weak detector",
    ):
        assert expected in text, expected
    assert "sha256:abab" not in text.split("How it was made")[0]


def test_each_appearance_has_a_button_that_says_who_where_and_how_sure():
    doc = sample.with_content(sample.document())
    buttons = [b for b in Tags(rendered(doc)).of("button") if b.get("class") == "face"]
    assert len(buttons) == sum(len(m.appearances) for m in doc.cast) == 6
    labels = {b["aria-label"]: float(b["data-t"]) for b in buttons}
    assert labels["Person 2, fairly sure, shot 2, 0:02.1 to 0:03.6"] == pytest.approx(2.1)
    assert any(label.startswith("Unidentified face, shot 4") for label in labels)


def test_what_was_not_measured_is_one_line_with_what_to_do():
    why = "the weights of x are absent (longtake models pull x)"
    text = rendered(unmeasured(why))
    section = Tags(text.split('id="content"')[1].split("</section>")[0]).text
    assert section.count(why) == 1
    assert "faces, speech, text in the picture, music, scenes, likeness of shots, things in the" in section
    for gone in ('id="transcript"', 'id="matrix"', 'class="cast"', "block face"):
        assert gone not in text


def test_a_diagnosis_from_before_these_signals_says_nothing_of_them():
    text = rendered(sample.document())
    assert 'id="content"' not in text
    assert 'href="#content"' not in text


def test_markup_in_words_and_in_text_stays_text():
    doc = sample.with_content(sample.document(), sample.HOSTILE)
    hostile, clean = rendered(doc), rendered(sample.with_content(sample.document()))
    page, expected = Tags(hostile), Tags(clean)
    assert len(page.of("script")) == 2
    assert not [a for a in page.of("img") if "onerror" in a]
    assert {t for t, _ in page.tags} == {t for t, _ in expected.tags}
    assert page.text.count("window.hacked = 1") > 20
    words = re.findall(r"<span data-t[^>]*>([^<]*)</span>", hostile)
    assert len(words) == len(sample.SPOKEN.split())
    assert "\u202e" not in "".join(words)  # elsewhere text stands in an element that isolates it


def test_a_long_film_of_many_words_and_faces_stays_small_and_says_what_is_left_out():
    doc = sample.with_content(sample.long_document(300, 36.0))
    words = [Word(text=f"word{i}", start=i / 3, end=i / 3 + 0.2, confidence=0.9) for i in range(20)]
    line = Utterance(start=0.0, end=7.0, text=" ".join(w.text for w in words), words=words)
    doc = doc.model_copy(update={"transcript": [line] * 2500, "cast": doc.cast * 60})
    text = rendered(doc, thumbnails=[])
    assert len(text.encode()) <= html.MAX_BYTES
    assert re.search(r"[\d,]+ more lines in the JSON", text)
    assert re.search(r"\d+ more people, less in view, in the JSON", text)


def test_two_hundred_shots_are_a_picture_below_a_megabyte():
    doc = sample.with_content(sample.long_document(200))
    text = rendered(doc)
    matrix = text.split('id="matrix"')[1].split("</svg>")[0]
    data = text.split('id="data"')[1]
    assert len(matrix) + len(data) < 1_000_000
    assert Tags("<p" + matrix).of("path")


def square_of(text, n):
    """Shades of the squares, -1 where nothing is drawn, read back from the paths of the picture."""
    square = np.full((n, n), -1)
    for shade, path in re.findall(r'<path class="s(\d)" d="([^"]*)"', text):
        for x, y, run in re.findall(r"M(\d+) (\d+)\.5h(\d+)", path):
            square[int(y), int(x) : int(x) + int(run)] = int(shade)
    return square


def test_the_picture_shows_each_pair_twice_and_nothing_that_was_not_compared():
    table = ShotLikeness(shots=[0, 1, 2], likeness=[[], [0.2], [None, 0.9]])
    matrix = matrix_of(table, sample.document().shots, [])
    assert matrix is not None
    assert square_of(str(matrix.picture), 3).tolist() == [[-1, 0, -1], [0, -1, 9], [-1, 9, -1]]
    assert full(table)[1] == [0.2, None, 0.9]
    assert "The two most alike are shots 2 and 3, 0.90" in str(matrix.picture)
    assert matrix.script["likeness"] == "020---090"


def test_nearly_equal_shots_do_not_look_different():
    table = ShotLikeness(shots=[0, 1, 2], likeness=[[], [0.90], [0.91, 0.92]])
    matrix = matrix_of(table, [], [])
    assert matrix is not None
    shades = square_of(str(matrix.picture), 3)
    assert shades[shades >= 0].min() >= 8
    assert matrix.high == 0.92


def test_a_single_shot_has_no_matrix():
    assert matrix_of(None, [], []) is None
    assert matrix_of(ShotLikeness(shots=[0], likeness=[[]]), [], []) is None


def test_three_characters_a_pair():
    assert digits([[], [1.0], [-0.5, None], [0.004, -7.0, 0.126]]) == "100-50---000-99013"


def test_the_text_of_a_line_is_kept_between_its_words():
    words = [Word(text=t, start=float(i), end=i + 0.5) for i, t in enumerate(("東", "京"))]
    pieces = pieces_of(Utterance(start=0, end=1.5, text="「東京」", words=words))
    assert [p[0] for p in pieces] == ["「", "東", "京", "」"]
    assert [p[1] for p in pieces] == [None, 0.0, 1.0, None]
    foreign = pieces_of(Utterance(start=0, end=1.5, text="other", words=words))
    assert foreign == [("東", 0.0, False), GAP, ("京", 1.0, False), GAP]


def test_certainty_in_words():
    assert [surely(v) for v in (1.0, 0.85, 0.7, 0.35, 0.1, None)] == [
        "sure",
        "sure",
        "fairly sure",
        "unsure",
        "very unsure",
        "certainty unknown",
    ]
    assert [listed(x) for x in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


def test_sentences_tell_nothing_of_what_was_not_measured():
    doc = unmeasured("absent")
    assert told(doc) == []
    empty = {
        "faces": Signal("faces", 1),
        "speech": Signal("speech", 1),
        "text": Signal("text", 1),
        "sound": Signal("sound", 1),
        "objects": Signal("objects", 1),
    }
    assert told(sample.with_content(sample.document(), **empty))[:3] == [
        "No face was seen.",
        "No speech was heard.",
        "No text was read in the picture.",
    ]
    failed = sample.with_content(sample.document(), faces=Signal("faces", 1, "failed", "it broke"))
    assert lacking(failed) == "Not measured: faces: failed, it broke."


@pytest.mark.parametrize(("likely", "said"), [(0.52, "No stretch surely"), (0.9, "Music seems to play")])
def test_only_likely_music_is_told_of(likely, said):
    sound = Signal("sound", 1, events=[Event("music", 6.0, 11.0, likely)])
    (sentence,) = [t for t in told(sample.with_content(sample.document(), sound=sound)) if "usic" in t]
    assert sentence.startswith(said)
    assert "proxy" in sentence


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"lag": -0.4, "in_sync": False}, "The sound is 0.40 s early against the lips."),
        ({"lag": 0.04, "in_sync": True}, "Lips move with the voice (lag +0.04 s)."),
        ({"lag": None, "in_sync": None}, "Whether lips move with the voice is not sure."),
    ],
)
def test_lips_and_voice_in_words(facts, said):
    columns = sample.seen()["lipsync"].columns
    doc = sample.with_content(sample.document(), lipsync=Signal("lipsync", 1, columns=columns, facts=facts))
    assert said in told(doc)


def test_the_terminal_tells_the_same_and_is_silent_on_what_nobody_asked_for():
    def printed(doc):
        stream = io.StringIO()
        print_diagnosis(doc, console_for(stream, 100))
        return " ".join(stream.getvalue().split())

    assert "19 words were heard in English" in printed(sample.with_content(sample.document()))
    assert "Not measured: faces" in printed(unmeasured("the weights are absent"))
    assert "Not measured" not in printed(unmeasured("not asked for"))
