"""The built-in suite as it stands, the rewordings that it must not hold, and how it is named."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from longtake.briefs.checking import checked, checked_suite, listed
from longtake.briefs.likeness import ALIKE, alike_pairs, likeness, story
from longtake.briefs.read import read_brief, read_brief_value
from longtake.briefs.suite import suite_brief, suite_ids, suite_text
from longtake.core.brief import Brief
from longtake.core.briefs import BriefsDocument
from longtake.errors import InputError, UsageError

REWORDED = sorted((Path(__file__).parent / "reworded").glob("*.yaml"))


@pytest.fixture(scope="module")
def document() -> BriefsDocument:
    return checked_suite()


def test_no_brief_of_the_suite_has_a_problem(document: BriefsDocument) -> None:
    assert [p for p in document.problems if p.brief] == []


def test_the_suite_is_whole(document: BriefsDocument) -> None:
    assert document.problems == []
    assert len(document.briefs) == 80
    kinds = Counter(fact.video_type for fact in document.briefs)
    assert len(kinds) == 7
    assert kinds.most_common(1) == [("narrative", 26)]
    assert len({fact.language for fact in document.briefs}) == 11
    assert len(document.grounded) == 40
    assert min(document.grounded.values()) >= 20


def test_every_brief_is_its_file(document: BriefsDocument) -> None:
    assert [fact.id for fact in document.briefs] == list(suite_ids())
    for fact in document.briefs:
        assert suite_brief(fact.id).source == "text", "written by hand in our own schema"
        assert fact.id.startswith(f"{fact.video_type}-")


def test_no_two_of_the_suite_are_nearly_alike() -> None:
    briefs = [suite_brief(id_) for id_ in suite_ids()]
    assert alike_pairs(briefs) == []


@pytest.mark.parametrize("path", REWORDED, ids=[p.stem for p in REWORDED])
def test_a_brief_told_again_in_other_words_is_caught(path: Path) -> None:
    again = read_brief(path)
    assert likeness(again, suite_brief(path.stem)) >= ALIKE
    others = [likeness(again, suite_brief(id_)) for id_ in suite_ids() if id_ != path.stem]
    assert max(others) < ALIKE


def test_rewordings_share_no_shot() -> None:
    assert len(REWORDED) == 5
    for path in REWORDED:
        mine = {shot.text for shot in read_brief(path).shots}
        assert not mine & {shot.text for shot in suite_brief(path.stem).shots}


def test_likeness_is_one_for_the_same_and_nothing_for_strangers() -> None:
    one = Brief(instruction="kettle kettle stove")
    assert likeness(one, one) == pytest.approx(1.0)
    assert likeness(one, Brief(instruction="violin")) == 0.0
    # by hand: counts 2, 1 and 1, 1 weigh 1 + ln 2, 1 and 1, 1; one word is shared
    other = Brief(instruction="stove violin")
    expected = 1 / ((1 + 0.6931471805599453) ** 2 + 1) ** 0.5 / 2**0.5
    assert likeness(one, other) == pytest.approx(expected)
    assert likeness(other, one) == likeness(one, other)
    assert likeness(Brief(title="電車の夜"), Brief(title="電車の朝")) == pytest.approx(2 / 3)


def test_camera_and_light_are_not_the_story() -> None:
    brief = suite_brief(suite_ids()[0])
    bare = brief.model_copy(
        update={"shots": [s.model_copy(update={"camera": None, "lighting": None}) for s in brief.shots]}
    )
    assert story(bare) == story(brief)


def test_a_built_in_brief_is_read_by_its_name() -> None:
    id_ = suite_ids()[0]
    assert read_brief(f"suite:{id_}") == suite_brief(id_)
    assert read_brief(Path(f"suite:{id_}")).id == id_
    with pytest.raises(InputError, match="no brief 'nothing' in the suite"):
        read_brief("suite:nothing")
    with pytest.raises(InputError) as error:
        read_brief(f"suite:{id_[:-1]}")
    assert error.value.hint == f"did you mean suite:{id_}?"


def test_the_list_is_filtered() -> None:
    all_of_them = listed().briefs
    some = listed(kind="narrative", language="de").briefs
    assert 0 < len(some) < len(all_of_them)
    assert {(f.video_type, f.language) for f in some} == {("narrative", "de")}
    with pytest.raises(UsageError, match="opera"):
        listed(kind="opera")
    with pytest.raises(UsageError, match="tlh"):
        listed(language="tlh")


def test_briefs_of_anybodys(tmp_path: Path) -> None:
    id_ = suite_ids()[0]
    (tmp_path / "one.yaml").write_text(suite_text(id_), "utf-8")
    (tmp_path / "two.txt").write_text("A film about a kettle.", "utf-8")
    (tmp_path / "three.json").write_text("{", "utf-8")
    (tmp_path / "clip.mp4").write_bytes(b"")
    document = checked([str(tmp_path), f"suite:{id_}"])
    assert [fact.shots for fact in document.briefs] == [
        len(suite_brief(id_).shots),
        0,
        len(suite_brief(id_).shots),
    ]
    errors = [p.message for p in document.problems if p.level == "error"]
    assert len(errors) == 3, "one that is not JSON, one id twice, one story twice"
    assert "not readable JSON" in errors[0]
    with pytest.raises(InputError, match="not readable JSON"):
        checked([str(tmp_path / "three.json")])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no briefs"):
        checked([str(tmp_path / "empty")])


def test_what_is_read_from_elsewhere_is_warned_about_not_refused() -> None:
    brief = read_brief_value({"prompt": "A dog crosses a bridge.", "shots": ["A dog.", "A bridge."]})
    from longtake.briefs.validate import check_brief

    assert {p.level for p in check_brief(brief)} == {"warning"}
