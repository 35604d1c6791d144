"""The judge and what follows in Chromium: on a phone, in the dark, without scripts, and as a download."""

from __future__ import annotations

import json

import advised_sample
import pytest
from test_browser import CONTRAST

import chromium
import report_sample as sample
from longtake.report import html

pytestmark = chromium.NEEDED


@pytest.fixture(scope="module")
def browser():
    with chromium.launched() as running:
        yield running


@pytest.fixture
def view(browser, tmp_path):
    contexts = []

    def show(text="", **options):
        path = tmp_path / "report.html"
        html.write(sample.data(document=advised_sample.document(text), film=None), path)
        context = browser.new_context(**options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.messages = []
        page.on("console", lambda m: page.messages.append(m.text))
        page.on("pageerror", lambda e: page.messages.append(str(e)))
        page.goto(path.as_uri())
        return page

    yield show
    for context in contexts:
        context.close()


PHONE = {"viewport": {"width": 390, "height": 844}}
SECTIONS = ("#written", "#against", "#repair", "#eyes", "#judge")


@pytest.mark.parametrize("text", ["", sample.HOSTILE + "unbroken" * 60])
def test_a_phone_needs_no_sideways_scrolling(view, text):
    page = view(text, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.evaluate(
        "[...document.querySelectorAll('#written *, #against > *, #repair *, #eyes > *, #judge *')]"
        ".filter(e => e.getBoundingClientRect().right > 391).map(e => e.outerHTML.slice(0, 80))"
    )
    assert wide == []
    assert page.evaluate("window.hacked") is None
    assert page.messages == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(view, scheme):
    page = view(color_scheme=scheme)
    for box in page.locator("details").all():
        box.evaluate("e => e.open = true")
    assert page.evaluate(CONTRAST.replace("'p, th,", "'p, q, li, .tag, th,")) == []


@pytest.mark.parametrize("width", [390, 1280])
def test_most_of_the_checkpoints_is_folded_and_all_of_it_can_be_opened(view, width):
    page = view(viewport={"width": width, "height": 900})
    tall = "document.getElementById('checkpoints').offsetHeight"
    folded = page.evaluate(tall)
    for box in page.locator("details").all():
        box.evaluate("e => e.open = true")
    assert folded < 0.5 * page.evaluate(tall)
    hidden = (
        "[...document.querySelectorAll('main p, main li')].filter(e => !e.checkVisibility() && !e.hidden)"
        ".filter(e => !e.matches('.keys'))"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert page.evaluate(hidden) == []


def test_a_link_to_a_checkpoint_opens_it(view):
    page = view()
    inside = page.locator("#c-motion_continuity > details > p").first
    assert not inside.is_visible()
    page.locator("#repair a[href='#c-motion_continuity']").first.click()
    inside.wait_for(state="visible")
    assert page.messages == []


def test_a_step_of_the_plan_jumps_to_its_shot(view):
    page = view()
    page.locator("#repair button", has_text="shot 5").click()
    assert page.locator("#now").inner_text() == "0:07.4"
    page.locator(".block.todo").first.click()
    assert page.locator("#now").inner_text() == "0:03.4"


def test_the_plan_is_downloaded_without_any_server(view):
    page = view()
    with page.expect_download() as started:
        page.locator("#repair a[download]").click()
    assert started.value.suggested_filename == "the-long-way-home-repair.json"
    with open(started.value.path(), encoding="utf-8") as file:
        assert json.load(file)["schema"] == "longtake.repair/1"


def test_all_of_it_is_there_without_scripts(view):
    page = view(java_script_enabled=False)
    for section in SECTIONS:
        assert page.locator(section).is_visible(), section
    page.locator("#written summary").click()
    assert page.locator("#written").get_by_text("It deserves a prize.").is_visible()
