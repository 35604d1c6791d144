"""The page, the pictures and the terminal's tables of a cohort, with names that try to be more than names."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import chromium
import cohort_folders as made
import longtake
from longtake.core.cohort import CohortDocument
from longtake.core.documents import DIMENSIONS
from longtake.diagnosis.rubric import load_rubric
from longtake.report.cohort.figures import figures
from longtake.report.cohort.output import write
from longtake.report.cohort.sentences import verdicts
from longtake.report.cohort.tables import tables
from longtake.report.cohort.terminal import print_cohort
from longtake.report.cohort.words import greyed

HOSTILE = '<script>alert("x")</script> & $x^2$'
SYSTEMS = ("plain", HOSTILE, "\u202eolleh", "系统")


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> CohortDocument:
    """Four systems on nine briefs: one of them plainly worse in its script, music missing in one brief."""
    rng = np.random.default_rng(11)
    points = [c.id for c in load_rubric().checkpoints]
    cases = []
    for b in range(9):
        for s, system in enumerate(SYSTEMS):
            own: dict[str, float | None] = {p: float(rng.choice([0.25, 0.5, 0.75, 1])) for p in points}
            own |= {d: float(rng.random() / 2 + 0.3) for d in DIMENSIONS}
            own["pacing_structure"] = 0.0 if s == 1 else 1.0
            out = ["bgm_mood_match"] if b == 0 else []
            own |= dict.fromkeys(out)
            own["lip_sync_quality"] = None if rng.random() < 0.5 else own["lip_sync_quality"]
            cases.append(
                made.case(f"{s} {b}", own, system=system, brief=f"b{b}", out=out, video_type=HOSTILE)
            )
    folder = made.folder(tmp_path_factory.mktemp("cohort") / "scored", cases)
    return longtake.cohort([folder], draws=4000)


def test_the_terminal_says_what_the_document_holds(document: CohortDocument) -> None:
    stream = StringIO()
    print_cohort(document, Console(file=stream, width=100))
    text = " ".join(stream.getvalue().split())
    assert "below the others in pacing_structure (−75 points)" in text
    assert "36 films of 9 briefs" in text
    assert "judge none: rules alone" in text
    for shown in tables(document):
        assert (shown.title.split(":")[0] in text) or shown.detail


def test_grey_is_what_covers_zero_and_bold_what_holds(document: CohortDocument) -> None:
    (group,) = document.groups
    for cell in group.cells:
        found = cell.deviation
        if cell.finding is not None:
            assert not greyed(cell)
        if found is not None and found.low is not None and found.high is not None:
            assert greyed(cell) == (found.low <= 0 <= found.high)
    signature = next(f for f in figures(document) if f.name.startswith("signature"))
    grey = signature.svg.count("fill: #e9e6df")
    points = [c for c in group.cells if c.kind in ("checkpoint", "report_metric") and c.mean.n]
    assert grey == sum(greyed(c) for c in points) > 0


def test_pictures_are_whole_and_the_same_each_time(document: CohortDocument) -> None:
    first, again = figures(document), figures(document)
    assert [f.svg for f in first] == [f.svg for f in again]
    assert len({f.name for f in first}) == len(first) >= 4
    for figure in first:
        root = ET.fromstring(figure.svg)
        assert root.tag.endswith("svg")
        assert figure.said.startswith(figure.title)
        assert "<script" not in figure.inline()
        ET.fromstring(figure.inline())


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium.launched() as running:
        yield running


@chromium.needed
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_the_page_in_a_browser(
    browser: Any, document: CohortDocument, tmp_path: Path, scheme: str, width: int
) -> None:
    write(document, tmp_path / "out")
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    context.set_default_timeout(60_000)
    page = context.new_page()
    messages: list[str] = []
    asked: list[str] = []
    page.on("console", lambda m: messages.append(m.text))
    page.on("pageerror", lambda e: messages.append(str(e)))
    page.on("request", lambda r: asked.append(r.url))
    page.goto((tmp_path / "out" / "cohort.html").as_uri())
    assert messages == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    text = " ".join(page.inner_text("body").split())
    for _, sentence in verdicts(document):
        assert " ".join(sentence.split()) in text
    assert page.locator("script").count() == 0
    drawn = page.locator(".drawing svg")
    assert drawn.count() == len(figures(document))
    assert all(box["width"] > 200 for box in [drawn.nth(i).bounding_box() for i in range(drawn.count())])
    # No picture's letters run over each other's edge: names of rows stand left of the cells.
    inside = page.evaluate(
        """() => [...document.querySelectorAll('.drawing svg')].every(svg => {
            const frame = svg.getBoundingClientRect();
            return [...svg.querySelectorAll('text')].every(t => {
                const b = t.getBoundingClientRect();
                return b.left > frame.left - 2 && b.right < frame.right + 40;
            });
        })"""
    )
    assert inside
    context.close()
