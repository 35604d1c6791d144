"""What Long-CODE is made of: fusion, rounds, references without leakage, which pictures are shown."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from random import Random
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

import longtake.evaluators.long_code as package
from longtake.core.bank import Bank, Reference, ReferencePicture
from longtake.core.brief import Brief, PlannedShot
from longtake.core.judge import Frame
from longtake.errors import InputError
from longtake.evaluators.long_code import stages, views
from longtake.evaluators.long_code.evaluator import fused, long_code
from longtake.evaluators.long_code.mllm import of_rounds, share
from longtake.evaluators.long_code.references import drawn, open_bank, third_of
from longtake.models.judges.parse import verdict
from longtake.testing import check_vectors

JPEG = base64.b64encode(b"\xff\xd8\xff\xe0 a picture").decode()


def reference(number: int, score: float, film: str = "", brief: str = "") -> Reference:
    picture = ReferencePicture(time=1.0, width=8, height=6, jpeg=JPEG)
    return Reference(
        case=f"case {number}",
        film=film or f"film {number}",
        brief=brief or f"brief {number}",
        score=score,
        summary="It tells a story.",
        pictures=[picture],
    )


banks = st.lists(st.integers(4, 20).map(lambda n: n / 4), min_size=3, max_size=20).map(
    lambda scores: Bank(references=[reference(i, s) for i, s in enumerate(scores)])
)


def test_vectors() -> None:
    assert check_vectors(Path(package.__file__).parent, package.__name__) >= 9


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_fused_score_lies_between_its_halves(first: float, second: float, alpha: float) -> None:
    found = fused(first, second, alpha)
    assert min(first, second) - 1e-12 <= found <= max(first, second) + 1e-12
    assert fused(first, second, 1.0) == pytest.approx(first)
    assert fused(first, second, 0.0) == pytest.approx(second)


@given(st.lists(st.none() | st.floats(1, 5), min_size=3, max_size=3))
def test_rounds_that_gave_no_number_are_not_taken_for_one(scores: list[float | None]) -> None:
    known = [s for s in scores if s is not None]
    found = of_rounds(scores)
    assert found == ((fmean(known), pstdev(known)) if len(known) >= 2 else None)
    if found is not None:
        assert 0 <= share(found[0]) <= 1


@given(banks, st.integers(0, 19), st.integers(0, 19), st.integers(0, 99))
def test_references_never_leak(bank: Bank, film: int, brief: int, dice: int) -> None:
    found = drawn(bank, f"film {film}", f"brief {brief}", 3)
    scores = [r.score for r in bank.references]
    if isinstance(found, str):
        assert found.startswith("no_references")
        free = [r for r in bank.references if r.case not in (f"case {film}", f"case {brief}")]
        assert {third_of(r.score, min(scores), max(scores)) for r in free} != {0, 1, 2}
        return
    for one in found:
        assert [third_of(r.score, min(scores), max(scores)) for r in one] == [0, 1, 2]
        assert not {r.case for r in one} & {f"case {film}", f"case {brief}"}
    turned = list(bank.references)
    Random(dice).shuffle(turned)
    assert drawn(Bank(references=turned), f"film {film}", f"brief {brief}", 3) == found


def test_each_round_has_others_while_there_are_any() -> None:
    bank = Bank(references=[reference(i, 1 + i % 3 * 2) for i in range(15)])
    found = drawn(bank, "a film", "a brief", 3)
    assert not isinstance(found, str)
    assert len({r.case for one in found for r in one}) == 9
    small = drawn(Bank(references=[reference(i, 1 + 2 * i) for i in range(3)]), "a film", "a brief", 3)
    assert not isinstance(small, str)
    assert len({r.case for one in small for r in one}) == 3
    assert drawn(bank, "a film", "another brief", 3) != found
    assert drawn(bank, "another film", "a brief", 3) == found


def test_damaged_copies_share_the_brief_of_a_reference() -> None:
    shared = [reference(i, 1 + 2 * i, brief="the brief") for i in range(3)]
    assert isinstance(drawn(Bank(references=shared), "a damaged copy", "the brief", 3), str)
    same = "no_references: all references of the bank have the score 3"
    assert drawn(Bank(references=[reference(i, 3.0) for i in range(9)]), "f", "b", 3) == same


@given(st.integers(1, 400))
def test_every_shot_is_described_once_and_no_more_than_the_bound(count: int) -> None:
    spans = [(float(i), float(i + 1)) for i in range(count)]
    groups = views.grouped(spans)
    assert len(groups) == min(count, views.MOST_SHOTS)
    assert [i for a, b in groups for i in range(a, b + 1)] == list(range(count))
    sizes = {b - a for a, b in groups}
    assert max(sizes) - min(sizes) <= 1


@given(st.none() | st.integers(1, 256), st.booleans(), st.integers(1, 100))
def test_pictures_beside_a_score_keep_to_the_limit(limit: int | None, references: bool, count: int) -> None:
    own, each = views.shares(limit, references)
    assert 1 <= own <= views.FILM_PICTURES
    assert own + views.REFERENCES * each <= (36 if limit is None else limit)
    spans = [(2.0 * i, 2.0 * i + 2) for i in range(count)]
    times = views.of_film(spans, (0.0, 2.0 * count), own)
    assert len(times) == own
    assert times == sorted({*times})
    middles = {a + 1 for a, _ in spans}
    assert middles <= {*times} if count <= own else {*times} <= middles
    assert len(views.of_shot((0.0, 2.0), limit)) == min(4, limit or 4)


def test_scores_are_numbers_from_1_to_5_and_nothing_else() -> None:
    asked = stages.score(0, (), (), (), 0)
    said = {"id": "long-code.score", "reason": "It breaks once."}
    for value in (1, 5, 3.5, 2):
        assert verdict(asked, json.dumps({**said, "score": value})).status == "answered"
    for value in (0, 5.5, -1):
        assert verdict(asked, json.dumps({**said, "score": value})).status == "out_of_range"
    for value in ("4", None, True, [4]):
        assert verdict(asked, json.dumps({**said, "score": value})).status == "wrong_schema"


def test_an_error_names_shots_that_there_are() -> None:
    asked = stages.think(3, ())
    found = dict.fromkeys(stages.PERSPECTIVES, "Nothing.")
    error = {"shots": [1, 3], "perspective": "logic", "what": "The glass is whole again."}
    said = {"id": "long-code.think", **found, "errors": [error], "summary": "A glass breaks."}
    told = verdict(asked, json.dumps(said))
    assert told.status == "answered"
    assert told.value is not None
    assert "- shots 1, 3 (logic): The glass is whole again." in stages.written(told.value)
    error["shots"] = [4]
    assert verdict(asked, json.dumps(said)).status == "out_of_range"


def test_questions_of_three_rounds_differ_and_those_beside_references_say_whose_pictures_they_are() -> None:
    frames = [Frame(1.0, b"\xff\xd8\xff", 8, 6)]
    plain = [stages.score(n, frames, (), (), 0) for n in range(3)]
    assert [q.temperature for q in plain] == [0.3, 0.4, 0.5]
    assert len({q.key for q in plain}) == 3
    assert plain[0].frames[0].film == ""
    beside = stages.score(0, frames, (), [reference(1, 2.5)], 4)
    assert [f.film for f in beside.frames] == ["the film to score", "reference 1"]
    assert [m.label for m in beside.materials] == ["reference 1"]
    assert beside.materials[0].text.startswith("people's score: 2.50")
    without = stages.score(0, frames, (), [reference(1, 2.5)], 0)
    assert [f.film for f in without.frames] == [""]
    assert "$" not in beside.text + without.text + plain[0].text + stages.think(2, ()).text


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{", "is no bank"),
        ('{"schema": "longtake.bank/1", "references": []}', "references"),
        ('{"schema": "longtake.score/1", "results": []}', "is no bank"),
    ],
)
def test_a_file_that_is_no_bank_is_refused(tmp_path: Path, text: str, wrong: str) -> None:
    path = tmp_path / "bank.json"
    path.write_text(text)
    with pytest.raises(InputError, match=wrong):
        open_bank(str(path))
    with pytest.raises(InputError, match="cannot be read"):
        open_bank(str(tmp_path / "none.json"))
    assert open_bank("") is None


def test_a_reference_needs_a_picture_and_a_score_of_the_scale() -> None:
    good = reference(1, 3.0).model_dump()
    for wrong in ({"score": 0.5}, {"score": 5.1}, {"pictures": []}, {"summary": ""}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Reference.model_validate({**good, **wrong})
    for jpeg in ("no base64!", base64.b64encode(b"GIF89a").decode()):
        with pytest.raises(ValueError, match="jpeg"):
            ReferencePicture(time=0, width=1, height=1, jpeg=jpeg)


def test_what_a_bank_holds_is_part_of_what_answers_rest_on(tmp_path: Path) -> None:
    settings = {"references": str(tmp_path / "bank.json")}
    seen = {long_code.rests_on({"references": ""})}
    for score in (2.0, 3.0):
        bank = Bank(references=[reference(1, score)])
        (tmp_path / "bank.json").write_text(bank.model_dump_json(by_alias=True))
        seen.add(long_code.rests_on(settings))
    assert len(seen) == 3


@pytest.mark.parametrize(
    ("shots", "duration", "most"),
    [
        ([PlannedShot(index=i, text="A.", start=i, end=i + 1) for i in range(9)], 9.0, 9),
        ([PlannedShot(index=i, text="A.", duration=1) for i in range(9)], 9.5, 9),
        ([PlannedShot(index=i, text="A.", duration=1) for i in range(9)], 20.0, 60),
        ([PlannedShot(index=i, text="A.", start=i, end=i + 1) for i in range(9)], 5.0, 60),
        ([PlannedShot(index=i, text="A.") for i in range(9)], 9.0, 60),
        ([PlannedShot(index=i, text="A.", start=i, end=i + 1) for i in range(99)], 99.0, 60),
    ],
)
def test_how_many_shots_are_described_at_most_is_known_beforehand(
    shots: list[PlannedShot], duration: float, most: int
) -> None:
    assert views.most_described(Brief(shots=shots), duration) == most


def test_nothing_is_asked_of_a_film_without_texts_of_shots() -> None:
    assert long_code.outline(None, 60.0, {"references": ""}).questions == 0
    assert long_code.outline(Brief(instruction="A film."), 60.0, {"references": ""}).questions == 0
