"""Manifests: what is read is what was written, and what contradicts itself is refused with its row."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longtake.core.case import Case, Pair
from longtake.core.changes import Span
from longtake.errors import InputError
from longtake.storage.manifest import read_manifest, write_manifest, write_pairs

Write = Callable[..., Path]


@pytest.fixture
def films(tmp_path: Path) -> Path:
    """A folder with things that exist; a manifest does not look into them."""
    (tmp_path / "films").mkdir()
    for name in ("a.mp4", "b.mp4", "plan.json"):
        (tmp_path / "films" / name).write_bytes(b"x")
    return tmp_path


def table(path: Path, *rows: dict[str, Any]) -> Path:
    """A table as CSV or JSONL, by the ending of its name."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        names = list(dict.fromkeys(name for row in rows for name in row))
        cells = [",".join('"' + str(row.get(n, "")).replace('"', '""') + '"' for n in names) for row in rows]
        path.write_text("\n".join([",".join(names), *cells]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["m.csv", "m.jsonl"])
def test_cases_come_back_as_they_were_written(films: Path, name: str) -> None:
    cases = [
        Case(
            "007",
            films / "films" / "a.mp4",
            brief=films / "films" / "plan.json",
            system="one, two",
            duration=12.5,
            tags=("a", "b, c"),
        ),
        Case("two", films / "films" / "b.mp4", prompt='a "quoted"\nprompt, with commas', profile="neutral"),
        Case("3", films / "films" / "b.mp4"),
    ]
    found = read_manifest(write_manifest(films / "tables" / name, cases))
    assert found.pairs == ()
    assert found.notes == ()
    seen = [
        (c.id, c.video.resolve(), c.brief and c.brief.resolve(), c.prompt, c.system, c.profile, c.duration)
        for c in found.cases
    ]
    assert seen == [(c.id, c.video, c.brief, c.prompt, c.system, c.profile, c.duration) for c in cases]
    assert [c.tags for c in found.cases] == [c.tags for c in cases]


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl"])
def test_pairs_come_back_as_they_were_written(films: Path, name: str) -> None:
    a, b = films / "films" / "a.mp4", films / "films" / "b.mp4"
    pairs = [
        Pair(
            "001",
            "s",
            "color",
            a,
            b,
            brief=films / "films" / "plan.json",
            brief_b=films / "films" / "plan.json",
            strength=0.4,
            changed=(Span(start=1.25, end=4.0), Span(start=9.0, end=9.0)),
            share_changed=0.5,
            duration=60.0,
            kept=False,
            suffer=("color", "color_consistency"),
            spared=("scene_order",),
            extra={"family": "slvmeval"},
        ),
        Pair("002", "s", "color", a, b, changed=()),
        Pair("003", "t", "color", a, b, kept=True),
    ]
    found = read_manifest(write_pairs(films / name, pairs))
    assert found.cases == ()
    assert list(found.pairs) == pairs
    assert found.notes == ("columns that are kept, but not read: family",)


def test_parquet_is_read(films: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = films / "m.parquet"
    duckdb.sql(
        "COPY (SELECT '01' AS \"case\", 'films/a.mp4' AS video, 2.5::DOUBLE AS duration, ['x','y'] AS tags)"
        f" TO '{path}' (FORMAT parquet)"
    )
    (case,) = read_manifest(path).cases
    assert (case.id, case.duration, case.tags) == ("01", 2.5, ("x", "y"))
    assert case.video == films / "films" / "a.mp4"


def test_an_entry_of_a_suite_is_a_brief(films: Path) -> None:
    path = table(films / "m.csv", {"video": "films/a.mp4", "brief": "films/plan.json#two"})
    (case,) = read_manifest(path).cases
    assert case.id == "films/a.mp4"
    assert str(case.brief).endswith("plan.json#two")


def test_unknown_columns_are_noted(films: Path) -> None:
    found = read_manifest(table(films / "m.csv", {"video": "films/a.mp4", "rating": 4}))
    assert found.notes == ("columns that are not read: rating",)


V, W = "films/a.mp4", "films/b.mp4"
P = {"pair": "1", "source": "s", "aspect": "color", "video_a": V, "video_b": W}
BAD: dict[str, tuple[list[dict[str, Any]], str]] = {
    "no film column": ([{"film": V}], "is no manifest"),
    "half a pair": ([{"pair": "1", "video_a": V, "video_b": W}], "without source, aspect"),
    "a missing film": ([{"video": V}, {"video": "films/no.mp4"}], "video .films/no.mp4. is not there"),
    "a missing brief": ([{"video": V, "brief": "no.json"}], "brief .no.json. is not there"),
    "a missing film of a pair": ([{**P, "video_b": "no.mp4"}], "video_b .no.mp4. is not there"),
    "no film in a row": ([{"video": V, "case": "1"}, {"video": "", "case": "2"}], "video is empty"),
    "brief and prompt": (
        [{"video": V, "brief": "films/plan.json", "prompt": "x"}],
        "both brief and prompt",
    ),
    "a case twice": (
        [{"case": "x", "video": V}, {"case": "y", "video": V}, {"case": "x", "video": W}],
        "case 'x' is that of line",
    ),
    "a film twice without ids": (
        [{"video": V}, {"video": V}],
        "case 'films/a.mp4' is that of line",
    ),
    "a pair twice": ([P, P], "pair '1' is that of line"),
    "a duration in words": ([{"video": V, "duration": "long"}], "duration is 'long', not a number"),
    "a negative duration": ([{"video": V, "duration": "-1"}], "duration is -1"),
    "no finite strength": ([{**P, "strength": "nan"}], "strength is nan"),
    "a share over one": ([{**P, "share_changed": 1.5}], "share_changed is 1.5"),
    "spans that are none": ([{**P, "changed": "[1, 2]"}], "changed holds no spans"),
    "a span backwards": ([{**P, "changed": "[[4, 2]]"}], "changed has a span from 4 to 2"),
    "a doubtful truth": ([{**P, "kept": "perhaps"}], "kept is 'perhaps', neither true"),
}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_is_told_with_its_row(films: Path, what: str, suffix: str) -> None:
    rows, message = BAD[what]
    with pytest.raises(InputError, match=message):
        read_manifest(table(films / f"m{suffix}", *rows))


def test_the_place_of_a_row_is_its_line_in_the_file(films: Path) -> None:
    path = films / "m.csv"
    path.write_text('video,prompt\nfilms/a.mp4,"two\nlines"\nfilms/no.mp4,x\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"m\.csv, line 4: video"):
        read_manifest(path)


def test_an_unreadable_row_is_told(films: Path) -> None:
    path = films / "m.jsonl"
    path.write_text('{"video": "films/a.mp4"}\n{"video": \n', encoding="utf-8")
    with pytest.raises(InputError, match="2"):
        read_manifest(path)


def test_a_table_without_rows_is_refused(films: Path) -> None:
    path = films / "m.csv"
    path.write_text("case,video\n", encoding="utf-8")
    with pytest.raises(InputError):
        read_manifest(path)


@pytest.mark.parametrize("name", ["m.csv", "m.jsonl"])
def test_a_built_in_brief_is_named_not_looked_for(films: Path, name: str) -> None:
    row = {"video": "films/a.mp4", "brief": "suite:narrative-room-tone"}
    case = read_manifest(table(films / name, row)).cases[0]
    assert case.brief == Path("suite:narrative-room-tone")
    again = read_manifest(write_manifest(films / f"again-{name}", [case])).cases[0]
    assert again.brief == case.brief
