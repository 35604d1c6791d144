"""A study for people: sentences, tables, figures, and the page in Chromium as a reader has it."""

from __future__ import annotations

import io
import random
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import chromium
from longtake.core.interval import Interval
from longtake.core.meta import MetaDocument
from longtake.core.table import Table
from longtake.meta.studies.run import Asked, run
from longtake.report.studies.drawing import TITLE, title
from longtake.report.studies.figures import figures
from longtake.report.studies.output import write
from longtake.report.studies.rows import figure_rows
from longtake.report.studies.sentences import verdicts
from longtake.report.studies.tables import tables
from longtake.report.studies.terminal import folded, print_study, shares
from longtake.report.studies.words import figure, number, percent, probability, r_squared

ODD = "odd <b>&\"'$x_1$</b>\u202e"
"""A name that would break a page, an SVG or a drawing library's formulas."""


def table(rows: list[dict[str, Any]]) -> Table:
    return Table("t.csv", "csv", tuple(rows[0]), rows, range(2, 2 + len(rows)))


def study(name: str) -> MetaDocument:
    draw = random.Random(7)
    rows: list[dict[str, Any]] = []
    if name == "sensitivity":
        for i in range(12):
            for family in ("shuffle", ODD):
                for s in (0, 0.5, 1):
                    value = 0.8 - 0.4 * s + draw.gauss(0, 0.05)
                    rows.append({"case": f"c{i}", "family": family, "strength": s, "score": value})
    elif name == "pairwise":
        for e, share in ((ODD, 0.85), ("poor", 0.2), ("cue.bytes", 0.9)):
            for i in range(60):
                rows.append(
                    {
                        "evaluator": e,
                        "pair": f"p{i}",
                        "source": f"s{i // 2}",
                        "aspect": ("color", "style")[i % 2],
                        "order": None,
                        "choice": "a" if draw.random() < share else "b",
                        "duration": 20 + 3 * i,
                        "share_changed": 0.1,
                        "kept": i % 3 > 0,
                    }
                )
    elif name == "localisation":
        for i in range(12):
            found = [[1, 4]] if i % 4 else []
            control = [[7, 8]] if i == 0 else []
            rows.append(
                {
                    "pair": f"p{i}",
                    "aspect": ODD,
                    "strength": 1,
                    "changed": [[1, 5]],
                    "found": found,
                    "control_found": control,
                    "minutes": 1,
                }
            )
    elif name == "correlation":
        for i in range(30):
            for s in ("x", "y", "z"):
                human = draw.uniform(1, 5)
                rows.append(
                    {
                        "evaluator": ODD,
                        "case": f"{s}{i}",
                        "brief": f"b{i}",
                        "system": s,
                        "score": human + draw.gauss(0, 1),
                        "human": human,
                    }
                )
    else:
        for i in range(12):
            for r in range(3):
                vote = "ABC"[0 if i < 6 else 1 if i < 9 else 2]
                rows.append({"pair": f"p{i}", "aspect": ODD, "rater": f"r{r}", "vote": vote})
    return run(name, table(rows), Asked(draws=200))  # type: ignore[arg-type]


STUDIES = ("sensitivity", "pairwise", "localisation", "correlation", "filter")


@pytest.fixture(scope="module")
def documents() -> dict[str, MetaDocument]:
    return {name: study(name) for name in STUDIES}


def test_numbers_as_they_are_said() -> None:
    said = [number(x) for x in (None, 0.0, 0.5, -0.1234, 0.9999, 1.0, 12.345, 123.4, 0.00123, 1e6)]
    assert said == ["–", "0", "0.500", "−0.123", "1.00", "1.00", "12.3", "123", "0.0012", "1e+06"]
    assert (percent(0.5), percent(None), percent(-0.031)) == ("50.0 %", "–", "−3.1 %")
    assert [probability(p) for p in (None, 0.5, 1.0, 0.99997, 1e-6)] == ["–", ".5000", "1", "1", "< .0001"]
    assert (number(1.5e-17), number(-1.5e-17), percent(-1e-6)) == ("0", "0", "0.0 %")
    whole = Interval(n=9, n_asked=10, value=0.5, low=0.25, high=0.75, method="x")
    assert (figure(whole), figure(whole, share=True)) == ("0.500 (0.250 to 0.750)", "50.0 % (25.0 to 75.0)")
    alone = Interval(n=2, n_asked=10, value=0.5, method="x", reason="too few")
    assert figure(alone) == "0.500"
    assert figure(Interval(n=0, n_asked=1, value=None, method="x", reason="none")) == "–"


def test_sentences_say_what_was_found(documents: dict[str, MetaDocument]) -> None:
    said = {name: " ".join(s for _, s in verdicts(d)) for name, d in documents.items()}
    assert said["sensitivity"].startswith("sensitive to 2 of 2 damages (odd")
    assert "all of them also after Holm's correction" in said["sensitivity"]
    assert "prefers the intact one: right in " in said["pairwise"]
    assert "prefers the damaged one: right in " in said["pairwise"]
    assert "a blind cue is right at least as often in" in said["pairwise"]
    assert re.search(
        r"points at 75\.0 % \(.*\) of 12 changed spans, where spans as long", said["localisation"]
    )
    assert "(the whole film: 0.067)" in said["localisation"]
    assert "goes along with people: Spearman 0." in said["correlation"]
    assert "6 of 12 pairs are kept (50.0 %), by 36 votes of 3 raters." in said["filter"]
    assert "cue.bytes" not in [name for name, _ in verdicts(documents["pairwise"])]


@pytest.mark.parametrize("name", STUDIES)
def test_the_terminal_has_a_sentence_and_every_table(documents: dict[str, MetaDocument], name: str) -> None:
    out = io.StringIO()
    print_study(documents[name], Console(file=out, width=100, no_color=True, highlight=False))
    text = out.getvalue()
    for shown in tables(documents[name]):
        assert (shown.title in text) == (not shown.detail)
        assert all(len(row.cells) == len(shown.columns) for row in shown.rows)
    assert max(map(len, text.splitlines())) <= 100
    assert "\u202e" not in text


@pytest.mark.parametrize("name", STUDIES)
def test_every_interval_is_a_row(documents: dict[str, MetaDocument], name: str) -> None:
    def count(value: Any) -> int:
        if isinstance(value, dict):
            own = {"n", "n_asked", "value", "method"} <= set(value)
            return int(own) or sum(count(v) for v in value.values())
        return sum(count(v) for v in value) if isinstance(value, list) else 0

    rows = figure_rows(documents[name])
    plain = documents[name].to_json()
    asked = count([plain["evaluators"], plain["differences"], plain["agreement"]])
    assert asked > 0
    assert sum("method" in row for row in rows) == asked
    places = [(r.get("evaluator"), r.get("second"), r.get("part"), r.get("at"), r["figure"]) for r in rows]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("name", STUDIES)
def test_figures_are_whole_the_same_each_time_and_have_words(
    documents: dict[str, MetaDocument], name: str
) -> None:
    drawn, again = figures(documents[name]), figures(documents[name])
    assert [f.svg for f in drawn] == [f.svg for f in again]
    assert len({f.name for f in drawn}) == len(drawn) > 0
    for f in drawn:
        assert re.fullmatch(r"[a-z0-9_-]+", f.name.lower())
        ET.fromstring(f.svg)
        inline = f.inline()
        root = ET.fromstring(inline)
        assert root.get("role") == "img"
        assert root.get("aria-label") == f.said
        ids = re.findall(r'\bid="([^"]*)"', inline)
        assert len(ids) == len(set(ids))
        assert all(i.startswith(f"{f.name}-") for i in ids)
        used = re.findall(r'(?:href="#|url\(#)([^")]+)', inline)
        assert set(used) <= set(ids)
        assert "#1d1c1a" not in inline


@pytest.mark.filterwarnings("error")
def test_names_in_any_letters_are_drawn_without_noise() -> None:
    name = "\u5224\u5b9a \U0001f3ac \u05e9\u05d5\u05e4\u05d8 \u0928\u094d\u092f\u093e\u092f"
    (drawn,) = figures(unlike({name: True}, aspect=name))
    assert name in drawn.svg
    assert drawn.title.startswith(name)


def unlike(names: dict[str, bool], pairs: int = 12, aspect: str = "color") -> MetaDocument:
    """A localisation study of evaluators that were scored or not."""
    rows = [
        {
            "evaluator": name,
            "pair": f"p{i}",
            "aspect": aspect,
            "changed": [[1, 5]],
            "found": [[1, 4]] if scored else None,
            "control_found": [] if scored else None,
            "minutes": 1,
            "status": "scored" if scored else "unscored",
            "reason": None if scored else "no speech was measured",
        }
        for name, scored in names.items()
        for i in range(pairs)
    ]
    return run("localisation", table(rows), Asked(draws=200))


def test_what_was_not_scored_is_one_line_and_no_figure() -> None:
    document = unlike({"cue.bytes": True, "rule.seen": True, **{f"rule.dumb_{i}": False for i in range(6)}})
    said = verdicts(document)
    assert [name for name, _ in said] == ["rule.seen", "6 evaluators"]
    assert "rule.dumb_0, rule.dumb_1" in said[1][1]
    shown = tables(document)
    assert [row.cells[0] for row in shown[0].rows] == ["rule.seen", "cue.bytes", "whole-film"]
    assert [row.kind for row in shown[0].rows] == ["", "quiet", "quiet"]
    assert shown[-1].title == "Why rows were not scored"
    assert [f.name for f in figures(document)] == ["localisation-01-rule-seen"]
    ((_, sentence),) = verdicts(unlike({"alone": False}))
    assert sentence == "nothing can be said: no speech was measured (12 times)."


def test_false_spans_of_what_may_compare_two_films_are_not_praised() -> None:
    ((_, sentence),) = verdicts(unlike({"judge": True}))
    assert "says nothing if it compares the two films: no pair has spans in both" in sentence


def with_controls(aspects: dict[str, bool]) -> dict[str, MetaDocument]:
    """Studies of a judge that sees everything; ``aspects`` tells in which nothing ought to suffer."""
    one = {"changed": [[1, 5]], "found": [[1, 4]], "control_found": [], "minutes": 1}
    rows = [
        {"pair": f"{a}{i}", "aspect": a, "order": None, "choice": "a", "control": c, **one}
        for a, c in aspects.items()
        for i in range(12)
    ]
    return {name: run(name, table(rows), Asked(draws=200)) for name in ("pairwise", "localisation")}  # type: ignore[arg-type]


def test_controls_are_marked_and_said_apart() -> None:
    documents = with_controls({"color": False, "reencoded": True})
    said = {name: verdicts(d)[0][1] for name, d in documents.items()}
    assert "of 12 answers; on controls, where nothing ought to suffer" in said["pairwise"]
    assert re.search(r"it prefers the original in reencoded 100\.0 % \(.*\)\.$", said["pairwise"])
    assert "of 12 changed spans" in said["localisation"]
    assert re.search(r"; 2\.50 .*where nothing ought to suffer \(reencoded\)\.$", said["localisation"])
    for name, document in documents.items():
        assert any("12 of 24 pairs are controls" in note for note in document.notes)
        cells = {cell for t in tables(document) for row in t.rows for cell in row.cells}
        assert "reencoded (control)" in cells
        assert "color (control)" not in cells
        assert "reencoded (control)" in figures(document)[0].svg, name


def test_a_study_of_controls_only_says_so(tmp_path: Path) -> None:
    for name, document in with_controls({"reencoded": True}).items():
        ((_, said),) = verdicts(document)
        assert said.startswith("it was asked about controls only"), name
        assert "100.0 %" in said or "2.50" in said
        write(document, tmp_path / name)
        assert "reencoded (control)" in (tmp_path / name / "study.html").read_text("utf-8")


def test_no_whisker_is_drawn_where_there_is_no_interval() -> None:
    few, many = (figures(unlike({"e": True}, n))[0].svg for n in (3, 30))
    assert many.count("LineCollection") == few.count("LineCollection")
    paths = [len(re.findall(r'<path d="M [^"]*"', svg)) for svg in (few, many)]
    assert paths[0] < paths[1]


def test_a_few_durations_make_no_figure_against_duration() -> None:
    def names(durations: int) -> list[str]:
        rows = [
            {
                "pair": f"p{i}",
                "aspect": "x",
                "order": None,
                "choice": "ab"[i % 3 == 0],
                "duration": 60 + i % durations,
            }
            for i in range(60)
        ]
        return [f.name for f in figures(run("pairwise", table(rows), Asked(draws=200)))]

    assert "pairwise-duration" not in names(2)
    assert "pairwise-duration" in names(30)


def test_columns_that_are_printed_are_those_that_are_explained(documents: dict[str, MetaDocument]) -> None:
    out = io.StringIO()
    print_study(documents["sensitivity"], Console(file=out, width=100, no_color=True, highlight=False))
    assert "luck" not in out.getvalue()
    (shown,) = [t for t in tables(documents["sensitivity"]) if t.title == "Slopes and verdicts"]
    assert "luck" in shown.more


def test_words_are_not_broken_where_there_is_room() -> None:
    rows = [
        {
            "evaluator": "rule.background_consistency",
            "pair": f"p{i}",
            "aspect": "x",
            "order": o,
            "choice": "a",
        }
        for i in range(10)
        for o in ("ab", "ba")
    ]
    out = io.StringIO()
    document = run("pairwise", table(rows), Asked(draws=200))
    print_study(document, Console(file=out, width=120, no_color=True, highlight=False))
    heads = out.getvalue().split("All pairs, baselines below")[1].split("─")[0]
    assert "consistency" in heads
    assert re.search(r"^ *rule\.background_consistency +\d", out.getvalue(), re.MULTILINE)
    assert folded("rule.background_consistency", 20) == ["rule.background_", "consistency"]
    assert folded("unbroken", 4) == ["unbr", "oken"]
    assert shares([3, 40, 40], 50) == [3, 23, 24]


def test_what_is_under_the_rule_is_not_said_to_reach_it() -> None:
    assert [r_squared(x) for x in (None, 0.5996, 0.6, 1.0)] == ["–", "0.599", "0.600", "1.000"]


def test_titles_fit_their_panels() -> None:
    name = "rule.background_consistency_of_long_films"
    lines = title(name, 4).splitlines()
    assert len(lines) == 2
    assert max(map(len, lines)) <= TITLE // 4
    assert title("color", 4) == "color"


def test_votes_and_options_are_said_in_words(documents: dict[str, MetaDocument], tmp_path: Path) -> None:
    assert [name for name, _ in verdicts(documents["filter"])] == ["the voters"]
    assert tables(documents["filter"])[0].columns[0] == "aspect"
    write(documents["sensitivity"], tmp_path)
    page = (tmp_path / "study.html").read_text()
    assert "<dt>lower is better of</dt>" in page
    assert "higher is better" not in page


def test_the_best_baseline_has_its_n_and_how_many_it_is_the_best_of() -> None:
    rows = [
        {"evaluator": e, "pair": f"p{i}", "aspect": "x", "order": None, "choice": c, "reason": why}
        for e in ("mine", "cue.bytes")
        for i, (c, why) in enumerate([("a", None), ("a", None), (None, "no faces")])
    ]
    document = run("pairwise", table(rows), Asked(draws=200))
    (by_aspect,) = [t for t in tables(document) if t.title == "By aspect"]
    assert by_aspect.rows[0].cells[:3] == ("x", "mine", "cue.bytes 100.0 % of 2, best of 3")
    ((_, sentence),) = verdicts(document)
    assert "right in 100.0 % of 2 answers (3 asked)" in sentence
    assert sentence.endswith("unanswered: no faces.")


def test_between_systems_is_of_just_these(documents: dict[str, MetaDocument]) -> None:
    ((_, sentence),) = verdicts(documents["correlation"])
    assert "between just these 3 systems" in sentence


def test_a_study_without_a_control_says_so() -> None:
    rows = [
        {"case": f"c{i}", "family": "x", "strength": s, "score": 3 - s + i} for i in range(9) for s in (1, 2)
    ]
    ((_, sentence),) = verdicts(run("sensitivity", table(rows), Asked(draws=200)))
    assert sentence.endswith("; no control (strength 0): strength 1 stands for it.")


def test_a_study_of_too_little_has_a_page_too(tmp_path: Path) -> None:
    rows = [{"pair": "p", "aspect": "x", "order": None, "choice": None}]
    document = write(run("pairwise", table(rows), Asked(draws=200)), tmp_path / "o")
    assert "nothing can be said" in (tmp_path / "o/study.html").read_text()
    assert document.report == str(tmp_path / "o" / "study.html")


@pytest.fixture(scope="module")
def browser() -> Any:
    with chromium.launched() as running:
        yield running


@chromium.needed
@pytest.mark.parametrize("name", STUDIES)
def test_the_page_in_a_browser(
    browser: Any, documents: dict[str, MetaDocument], tmp_path: Path, name: str
) -> None:
    document = write(documents[name], tmp_path / "out")
    for scheme, width in (("light", 1280), ("dark", 360)):
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        context.set_default_timeout(60_000)
        page = context.new_page()
        messages: list[str] = []
        asked: list[str] = []
        page.on("console", lambda m, to=messages: to.append(m.text))
        page.on("pageerror", lambda e, to=messages: to.append(str(e)))
        page.on("request", lambda r, to=asked: to.append(r.url))
        page.goto((tmp_path / "out" / "study.html").as_uri())
        assert messages == []
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        text = page.inner_text("body")
        for _, sentence in verdicts(document):
            assert " ".join(sentence.split()).replace("\u202e", "") in " ".join(text.split())
        first = tables(document)[0]
        shown = [" ".join(t.split()) for t in page.locator("tbody").first.locator("th, td").all_inner_texts()]
        assert shown == [" ".join(c.replace("\u202e", "").split()) for row in first.rows for c in row.cells]
        drawn = page.locator(".drawing svg")
        assert drawn.count() == len(figures(document))
        ink = page.evaluate("getComputedStyle(document.querySelector('.drawing svg text')).fill")
        assert _light(ink) == (scheme == "dark"), ink
        context.close()


def _light(colour: str) -> bool:
    parts = [int(x) for x in re.findall(r"\d+", colour)[:3]]
    return sum(parts) > 3 * 128
