"""Tables in files: every form gives the same rows, and what is no table is refused with its place."""

import json
import math
import os
from pathlib import Path

import pytest

from longtake.core.cells import number
from longtake.errors import InputError
from longtake.storage.tables import read_rows, read_table, write_csv, write_parquet

ROWS = [
    {"pair": "p1", "score": 0.25, "n": 3, "kept": True, "note": 'says "no",\nthen; yes'},
    {"pair": "p2", "score": None, "n": None, "kept": None, "note": None},
    {"pair": "p3", "score": math.inf, "n": -1, "kept": False, "note": "É 影 \u2028"},
]


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_csv_of_any_make(tmp_path: Path, delimiter: str, ends: str, encoding: str) -> None:
    lines = [["pair", "a,b", "score"], ["p;1", "x", "0.5"], [], ["p2", "", " "]]
    text = ends.join(delimiter.join(f'"{c}"' if c.strip() else c for c in line) for line in lines)
    table = read_table(write(tmp_path / "t.csv", text, encoding))
    assert table.columns == ("pair", "a,b", "score")
    assert table.rows == [
        {"pair": "p;1", "a,b": "x", "score": "0.5"},
        {"pair": "p2", "a,b": None, "score": None},
    ]
    assert [table.where(i) for i in (0, 1)] == ["line 2", "line 4"]


def test_jsonl_and_a_json_list_are_one_table(tmp_path: Path) -> None:
    rows = [{"pair": "p1", "score": 1}, {"pair": "p\u2028", "spans": [[0, 1]], "score": ""}]
    lines = write(tmp_path / "t.jsonl", "\n".join(json.dumps(r, ensure_ascii=False) for r in rows) + "\r\n")
    whole = write(tmp_path / "t.json", json.dumps(rows, indent=1))
    expected = [rows[0], {**rows[1], "score": None}]
    assert read_rows(lines) == read_rows(whole) == expected
    assert read_table(lines).columns == ("pair", "score", "spans")
    assert (read_table(lines).where(1), read_table(whole).where(1)) == ("line 2", "row 2")


def test_one_object_over_lines_is_one_row(tmp_path: Path) -> None:
    assert read_rows(write(tmp_path / "t.json", '{\n "pair": "p1"\n}')) == [{"pair": "p1"}]


def test_parquet_keeps_types_and_what_is_not_finite(tmp_path: Path) -> None:
    path = tmp_path / "a[b]*?.parquet"
    write_parquet(path, ROWS)
    assert read_rows(path) == ROWS
    assert read_table(path).where(0) == "row 1"


def test_csv_and_parquet_hold_the_same(tmp_path: Path) -> None:
    rows = [*ROWS, {"pair": "p4", "score": math.nan, "n": 2, "kept": True, "note": "x"}]
    write_csv(tmp_path / "t.csv", rows)
    write_parquet(tmp_path / "t.parquet", rows)
    a, b = read_rows(tmp_path / "t.csv"), read_rows(tmp_path / "t.parquet")
    assert [r["note"] for r in a] == [r["note"] for r in b]
    for mine, theirs in zip(a, b, strict=True):
        x, y = number(mine["score"]), number(theirs["score"])
        assert x == y or (x is not None and y is not None and math.isnan(x) and math.isnan(y))


def test_nested_cells_are_written_as_json(tmp_path: Path) -> None:
    rows = [{"pair": "p1", "changed": [[0.5, 2.0]]}]
    write_csv(tmp_path / "t.csv", rows)
    write_parquet(tmp_path / "t.parquet", rows)
    for name in ("t.csv", "t.parquet"):
        assert json.loads(read_rows(tmp_path / name)[0]["changed"]) == [[0.5, 2.0]]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("t.csv", b"", "empty"),
        ("t.csv", b"a,b\n1,2\n1,2,3\n", "line 3: 3 cells under 2"),
        ("t.csv", b'a,b\n1,"2\n', "line 2"),
        ("t.csv", b'a,b\n1,"2"3\n', "line 2"),
        ("t.csv", b"a,a\n1,2\n", "two columns named 'a'"),
        ("t.csv", b"a,\n1,2\n", "column 2 has no name"),
        ("t.csv", b"a\n\xe9\n", "byte 3"),
        ("t.csv", b"a,b\n1,\x00\n", "NUL"),
        ("t.jsonl", b'{"a": 1}\n{"a": \n', "line 2 is not JSON"),
        ("t.jsonl", b'{"a": 1}\n[1]\n', "item 2 is not a row"),
        ("t.json", b"[1]", "item 1 is not a row"),
        ("t.json", b"[{]", "not JSON"),
        ("t.parquet", b"PAR1", "not a Parquet table"),
        ("t.parquet", b"a,b\n", "not a Parquet table"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_table(path)
    assert said in caught.value.message
    assert "\n" not in caught.value.message


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, said in (
        (tmp_path, "folder"),
        (tmp_path / "no.csv", "No such file"),
        (tmp_path / "pipe", "pipe"),
    ):
        with pytest.raises(InputError, match=said):
            read_table(path)
