"""What an evaluator may give after the quantities of its card, and where it is kept."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

import films
import longtake
from longtake.core.case import Case, Pair
from longtake.core.evaluator import Card, MeasuredCase, Quantity
from longtake.core.measurement import Measurement
from longtake.evaluators.registry import EVALUATORS
from longtake.execution import score_plan
from longtake.storage.manifest import write_manifest, write_pairs


class Giving:
    """Gives what it is told to."""

    def __init__(self, names: Sequence[str], details: str) -> None:
        self.card = Card(
            name="giving",
            version=1,
            question="?",
            quantities=(Quantity(name="one", doc=""),),
            details=details,
        )
        self._names = names

    def measure(self, case: MeasuredCase) -> Sequence[Measurement]:
        facts = {"kind": "part", "dimension": "visual"}
        return [Measurement(name=n, status="scored", value=0.5, facts=facts) for n in self._names]


@pytest.fixture
def film(tmp_path: Path) -> Path:
    films.write(tmp_path / "f.mp4", iter(films.drifting(1, 25)))
    return tmp_path / "f.mp4"


def giving(monkeypatch: pytest.MonkeyPatch, names: Sequence[str], details: str) -> None:
    one = Giving(names, details)
    monkeypatch.setattr(EVALUATORS, "chosen", lambda names: ["giving"])
    monkeypatch.setattr(
        score_plan, "asked", lambda names: [score_plan.Asked("giving", one, f"{names} {details}")]
    )


@pytest.mark.parametrize(
    ("names", "details", "wrong"),
    [
        (["one", "two", "three"], "parts", None),
        (["one"], "parts", None),
        (["one", "two"], "", "it gave one, two, its card says one"),
        (["two", "one"], "parts", "it gave two, one, its card says one"),
        (["one", "two", "two"], "parts", "it gave two twice"),
    ],
)
def test_details_come_after_the_score_and_only_where_the_card_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, film: Path, names: list[str], details: str,
    wrong: str | None,
) -> None:  # fmt: skip
    giving(monkeypatch, names, details)
    table = write_manifest(tmp_path / "t.csv", [Case("a", film, system="s", tags=("k=v", "other"))])
    document = longtake.score(table, ["giving"], out=tmp_path / "out")
    (result,) = document.results
    if wrong is not None:
        assert wrong in document.failures[0].reason
        assert (result.measurements[0].status, result.details) == ("unscored", [])
        return
    assert [m.name for m in result.measurements] == ["one"]
    assert [m.name for m in result.details] == names[1:]
    assert list(document.evaluators) == ["giving"]
    assert (tmp_path / "out" / "details.csv").is_file() == (len(names) > 1)
    if len(names) > 1:
        with (tmp_path / "out" / "details.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert [(r["detail"], r["kind"], r["score"], r["tags"]) for r in rows] == [
            (n, "part", "0.5", "k=v,other") for n in names[1:]
        ]
    again = longtake.score(table, ["giving"], out=tmp_path / "out")
    assert again.results == document.results


def test_details_are_in_no_table_of_pairs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, film: Path
) -> None:
    giving(monkeypatch, ["one", "two"], "parts")
    films.write(tmp_path / "g.mp4", iter(films.drifting(2, 25)))
    table = write_pairs(tmp_path / "p.csv", [Pair("p", "f", "speed", film, tmp_path / "g.mp4", strength=1.0)])
    document = longtake.score(table, ["giving"], out=tmp_path / "out")
    assert {p.evaluator for p in document.preferences} == {"giving"}
    assert all([m.name for m in r.details] == ["two"] for r in document.results)
    with (tmp_path / "out" / "sensitivity.csv").open(newline="") as file:
        assert {row["evaluator"] for row in csv.DictReader(file)} == {"giving"}
