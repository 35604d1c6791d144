"""The report in Chromium, from file://, as a reader has it."""

from __future__ import annotations

import shutil
import subprocess
import time
from fractions import Fraction

import av
import numpy as np
import pytest

import chromium
import report_sample as sample
from longtake.report import html
from longtake.report.data import Part

pytestmark = chromium.NEEDED


@pytest.fixture(scope="module")
def browser():
    with chromium.launched() as running:
        yield running


@pytest.fixture
def view(browser, tmp_path):
    """Opens a report and gives its page, with everything it logged or asked for."""
    contexts = []

    def show(data, *, width=1280, height=900, scheme="light", motion="no-preference"):
        html.write(data, tmp_path / "out" / "report.html")
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion=motion
        )
        contexts.append(context)
        context.set_default_timeout(60_000)  # a busy machine decodes slowly
        page = context.new_page()
        page.messages, page.asked = [], []
        page.on("console", lambda m: page.messages.append(m.text))
        page.on("pageerror", lambda e: page.messages.append(str(e)))
        page.on("request", lambda r: page.asked.append(r.url))
        page.goto((tmp_path / "out" / "report.html").as_uri())
        return page

    (tmp_path / "out").mkdir()
    yield show
    for context in contexts:
        context.close()


def make_film(path, seconds=12, codec="libx264"):
    """A small film; each second has its own brightness."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.gop_size = 5
        for i in range(seconds * 10):
            image = np.full((48, 64, 3), 20 * (i // 10), np.uint8)
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = i, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def wait_until(page, condition, seconds=60):
    """Until an expression holds. Asked from here: the page's own policy forbids it to evaluate text."""
    until = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < until, condition
        page.wait_for_timeout(50)


def settled(page):
    wait_until(
        page, "() => { const v = document.querySelector('video'); return v.readyState > 1 && !v.seeking; }"
    )
    return page.evaluate("document.querySelector('video').currentTime")


def test_a_finding_jumps_the_film_and_shows_itself(view, tmp_path):
    make_film(tmp_path / "50% #1 ü?.mp4")
    page = view(sample.data(film="../50% #1 ü?.mp4"))
    settled(page)
    page.locator(".mark.problem").first.click()
    assert settled(page) == pytest.approx(8.0, abs=0.01)
    assert "jumps by 14 %" in page.locator("#chosen").inner_text()
    page.keyboard.press("n")
    assert settled(page) == pytest.approx(10.5, abs=0.01)
    page.locator("#list .time").nth(1).click()
    assert settled(page) == pytest.approx(3.4, abs=0.01)
    page.locator("#ruler").focus()
    page.keyboard.press("ArrowRight")
    assert settled(page) == pytest.approx(4.4, abs=0.01)
    assert page.locator("#now").inner_text() == "0:04.4"
    page.locator("#in").click()
    page.locator("#in").click()
    assert page.evaluate("canvas.clientWidth / timeline.clientWidth") == pytest.approx(4, abs=0.1)
    assert page.messages == []
    assert {u.split("/")[-1] for u in page.asked if u.startswith("file:")} == {
        "report.html",
        "50%25%20%231%20%C3%BC%3F.mp4",
    }
    assert all(u.startswith(("file:", "data:")) for u in page.asked)


def test_clips_play_on_one_clock(view, tmp_path):
    make_film(tmp_path / "a.mp4", 6)
    make_film(tmp_path / "b.mp4", 6)
    page = view(sample.data(film=None, parts=[Part("../a.mp4", 0.0, 6.0), Part("../b.mp4", 6.0, 6.0)]))
    settled(page)
    page.locator(".mark.problem").first.click()
    wait_until(page, "document.querySelector('video').currentSrc.endsWith('b.mp4')")
    wait_until(page, "Math.abs(document.querySelector('video').currentTime - 2.0) < 0.05")
    page.locator(".mark.warning").first.click()
    wait_until(page, "document.querySelector('video').currentSrc.endsWith('a.mp4')")
    wait_until(page, "Math.abs(document.querySelector('video').currentTime - 3.4) < 0.05")
    assert page.messages == []


def test_without_the_film_the_thumbnails_take_its_place(view):
    page = view(sample.data())
    page.wait_for_selector("#noplay:not([hidden])")
    assert not page.locator("video").is_visible()
    page.locator(".mark.problem").first.click()
    assert "shot 5 at 0:07.4" in (page.locator("#still").get_attribute("alt") or "").lower()


def test_a_preview_that_is_missing_falls_back_to_the_film(view, tmp_path):
    make_film(tmp_path / "film.mp4")
    page = view(sample.data(film="../film.mp4", preview="gone.mp4"))
    wait_until(page, "document.querySelector('video').currentSrc.endsWith('film.mp4')")
    settled(page)
    page.locator(".mark.problem").first.click()
    assert settled(page) == pytest.approx(8.0, abs=0.01)


def test_filters_hide_in_the_list_and_on_the_time_line(view):
    page = view(sample.data(film=None))
    page.locator("[data-severity=problem]").click()
    assert page.locator("#list > li:visible").count() == 3
    assert page.locator(".mark.problem:visible").count() == 0
    assert page.locator("#count").inner_text() == "3 of 5 findings"
    page.locator("#dimension").select_option("stability")
    assert page.locator("#list > li:visible").count() == 1
    assert page.messages == []


@pytest.mark.parametrize("text", ["", sample.HOSTILE * 3, "unbroken" * 60])
def test_a_phone_needs_no_sideways_scrolling(view, text):
    page = view(sample.data(document=sample.document(text), film=None), width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.evaluate(
        "[...document.querySelectorAll('main > *')].filter(e => e.getBoundingClientRect().right > 391).length"
    )
    assert wide == 0


def test_the_findings_scroll_with_the_page_on_a_phone_and_in_a_box_on_a_desk(view):
    data = sample.data(document=sample.document(findings=60), film=None)
    inside = "list.scrollHeight > list.clientHeight + 1"
    assert view(data, width=1280).evaluate(inside)
    assert not view(data, width=390, height=844).evaluate(inside)


def test_a_link_to_a_folded_checkpoint_opens_it(view):
    page = view(sample.data(film=None))
    row = page.locator("#c-char_face_consistency")
    assert not row.is_visible()
    page.evaluate("location.hash = 'c-char_face_consistency'")
    row.wait_for(state="visible")
    assert page.messages == []


def test_marks_of_one_time_can_all_be_clicked(view):
    doc = sample.document()
    same = [doc.findings[0].model_copy(update={"id": f"s{i}", "what": f"jump {i}"}) for i in range(4)]
    page = view(sample.data(film=None, document=doc.model_copy(update={"findings": same})))
    marks = page.locator(".mark.problem")
    assert marks.count() == 4
    for i in range(4):
        marks.nth(i).click(timeout=5000)
        assert page.locator("#chosen").inner_text().startswith(f"Jump {i}")


def test_hostile_text_stays_text(view):
    doc = sample.document(sample.HOSTILE, path=sample.HOSTILE)
    page = view(sample.data(document=doc, film=sample.HOSTILE))
    page.wait_for_selector("#noplay:not([hidden])")
    page.locator(".mark.info").click()
    assert "window.hacked = 1" in page.locator("#chosen").inner_text()
    assert page.evaluate("window.hacked") is None
    assert page.locator("script").count() == 2


def seen(**more):
    """A report with everything seen and heard in it."""
    doc = more.pop("document", None) or sample.with_content(sample.document())
    return sample.data(document=doc, portraits=sample.portraits(doc), **({"film": None} | more))


def test_a_word_a_face_and_a_line_jump_the_film(view, tmp_path):
    make_film(tmp_path / "film.mp4")
    page = view(seen(film="../film.mp4"))
    settled(page)
    page.locator("#lines button.time").nth(1).click()
    line = page.locator("#lines li").nth(1)
    assert settled(page) == pytest.approx(float(line.get_attribute("data-t")), abs=0.1)
    wait_until(page, "document.querySelector('#lines li.here') === document.querySelectorAll('#lines li')[1]")
    page.locator("#lines span[data-t]", has_text="weather").click()
    said = float(page.locator("#lines span[data-t]", has_text="weather").get_attribute("data-t"))
    assert settled(page) == pytest.approx(said, abs=0.1)
    page.locator(".face").nth(1).click()
    assert settled(page) == pytest.approx(
        float(page.locator(".face").nth(1).get_attribute("data-t")), abs=0.1
    )
    page.locator(".block.text").last.click()
    assert settled(page) == pytest.approx(10.0, abs=0.1)
    assert page.messages == []


def test_the_transcript_is_searched_by_keyboard_without_the_film(view):
    page = view(seen())
    find = page.locator("#find")
    find.focus()
    page.keyboard.type("HOLD it")
    assert page.locator("#hits").inner_text() == "1 match"
    assert page.locator("#lines li:visible").count() == 1
    assert page.locator(".hit").all_inner_texts() == ["hold,", "it"]
    page.keyboard.press("Enter")
    assert page.locator("#hits").inner_text() == "match 1 of 1"
    said = float(page.locator(".hit.at").first.get_attribute("data-t"))
    assert abs(float(page.locator("#ruler").get_attribute("aria-valuenow")) - said) < 0.01
    page.keyboard.press("Escape")
    assert page.locator("#lines li:visible").count() == 3
    assert page.locator(".hit").count() == 0
    page.keyboard.type("will")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert page.locator("#hits").inner_text() == "match 2 of 2"
    page.keyboard.press("Shift+Enter")
    assert page.locator("#hits").inner_text() == "match 1 of 2"
    page.keyboard.type("xyz")
    assert page.locator("#hits").inner_text() == "no matches"
    assert page.locator("#find-next").is_disabled()
    assert page.messages == []


def test_the_squares_say_which_shots_and_how_alike(view):
    doc = sample.with_content(sample.document())
    table = doc.shot_likeness
    page = view(seen(document=doc))
    box = page.locator("#matrix svg").bounding_box()
    page.locator("#matrix svg").click(position={"x": box["width"] * 1.5 / 6, "y": box["height"] * 4.5 / 6})
    assert table.same_scene[4][1] > 0.9
    expected = f"Shots 5 and 2: likeness {table.likeness[4][1]:.2f}, likely one place"
    assert page.locator("#pair p").inner_text() == expected
    page.locator("#matrix").focus()
    page.keyboard.press("ArrowRight")
    assert (
        page.locator("#pair p").inner_text().startswith(f"Shots 5 and 3: likeness {table.likeness[4][2]:.2f}")
    )
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert page.locator("#pair p").inner_text() == "Shot 5: itself"
    page.keyboard.press("ArrowUp")
    page.locator("#pair .frame").last.click()
    assert page.locator("#now").inner_text() == "0:07.4"
    assert page.messages == []


@pytest.mark.parametrize("shots", [1, 60])
def test_a_phone_shows_all_that_was_seen_without_sideways_scrolling(view, shots):
    doc = sample.with_content(sample.long_document(shots), sample.HOSTILE * 2 + "unbroken" * 30)
    page = view(seen(document=doc), width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.evaluate(
        "[...document.querySelectorAll('#content > :not(.alike), #transcript > *')]"
        ".filter(e => e.getBoundingClientRect().right > 391).map(e => e.outerHTML.slice(0, 80))"
    )
    assert wide == []


def test_hostile_words_and_text_stay_text(view):
    page = view(seen(document=sample.with_content(sample.document(), sample.HOSTILE)))
    page.locator("#find").fill("window.hacked")
    page.keyboard.press("Enter")
    assert page.locator(".hit").count() > 10
    assert page.evaluate("window.hacked") is None
    assert page.locator("script").count() == 2
    assert page.messages == []


CONTRAST = """() => {
  const linear = (v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((v) => linear(Number(v) / 255));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (!colour.endsWith(', 0)')) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const texts = 'p, th, td, a, h1, h2, h3, h4, button, summary, dt, dd, code, .value, .state, .cap';
  const poor = [];
  for (const e of document.querySelectorAll(texts)) {
    if (!e.innerText || !e.checkVisibility()) continue;
    const a = light(getComputedStyle(e).color), b = light(ground(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) poor.push(ratio.toFixed(2) + ' ' + e.className + ' ' + e.innerText.slice(0, 40));
  }
  return poor;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(view, scheme):
    page = view(seen(), scheme=scheme)
    page.locator("#find").fill("will")
    assert page.evaluate(CONTRAST) == []
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(27, 27, 29)") == (scheme == "dark")


def test_everything_has_a_name_for_those_who_cannot_see_it(view):
    page = view(seen())
    nameless = page.evaluate(
        "[...document.querySelectorAll('button, a, input, svg[role=img], img:not([hidden]), video,"
        " [role=slider]')]"
        ".filter(e => !(e.getAttribute('aria-label') || e.getAttribute('alt') || e.innerText ||"
        " e.querySelector('img') || e.closest('label') || e.closest('button[aria-label]')))"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert nameless == []


def test_reduced_motion_scrolls_at_once(view):
    page = view(sample.data(film=None), motion="reduce")
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_paper_has_every_section_and_nothing_folded(view, tmp_path):
    page = view(seen(document=sample.with_content(sample.document(findings=60))))
    page.locator("#find").fill("weather")
    page.pdf(path=str(tmp_path / "report.pdf"), prefer_css_page_size=True)
    text = subprocess.run(
        ["pdftotext", "-layout", str(tmp_path / "report.pdf"), "-"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    for heading in ("Look here first", "Time line", "Findings", "The plan", "Checkpoints", "How it was made"):
        assert heading in text, heading
    assert "Longest freeze s" in text
    for told in ("Person 1", "HOTEL BELVEDERE", "it never does up here.", "Most like", "two voices at once"):
        assert told in text, told
    assert text.count("Much softer than its neighbours") == 12
    assert "Previous finding" not in text
