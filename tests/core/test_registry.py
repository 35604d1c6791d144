"""The registry: lazy, refusing collisions, and telling who defines what."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from longtake.core.registry import Registry
from longtake.errors import LongtakeError, MissingError, UsageError

GROUP = "longtake.test_things"


def package(folder: Path, name: str, points: str, code: str = "") -> None:
    """An installed package as the import system sees one."""
    info = folder / f"{name}-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{points}\n")
    if code:
        (folder / f"{name}.py").write_text(code)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def things() -> Registry[object]:
    return Registry("thing", GROUP, {"pi": "math:pi", "tree.top": "xml.etree.ElementTree:Element"})


def test_nothing_is_imported_before_it_is_used(site: Path) -> None:
    package(site, "lazy_thing", "lazy = lazy_thing:thing", "thing = 41 + 1")
    registry = things()
    assert set(registry.entries()) == {"pi", "tree.top", "lazy"}
    assert registry.entry("lazy").where == "lazy_thing 2.0"
    assert registry.entry("pi").where == "longtake"
    assert "lazy_thing" not in sys.modules
    assert registry.load("lazy") == 42
    assert "lazy_thing" in sys.modules


def test_an_attribute_may_have_dots_and_a_class_is_made_once(site: Path) -> None:
    package(site, "made_thing", "made = made_thing:Home.Thing", "class Home:\n class Thing: pass")
    registry = things()
    assert type(registry.load("made")).__name__ == "Thing"
    assert registry.load("made") is registry.load("made")


def test_two_that_claim_one_name_are_refused(site: Path) -> None:
    package(site, "rival_thing", "pi = rival_thing:pi")
    with pytest.raises(
        LongtakeError, match="two things are named 'pi': math:pi of longtake, and rival_thing:pi"
    ):
        things().entries()


def test_the_same_entry_seen_twice_is_one(site: Path) -> None:
    package(site, "twice_thing", "pi = math:pi")
    assert things().entry("pi").where == "longtake"


def test_an_unknown_name_brings_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        things().entry("tree.tip")
    assert caught.value.hint == "did you mean tree.top?"


def test_patterns_choose_in_order_and_once() -> None:
    assert things().chosen(["t*", "pi", "tree.top"]) == ["tree.top", "pi"]
    with pytest.raises(UsageError, match=r"no thing is called like 'x\*'"):
        things().chosen(["x*"])


def test_what_cannot_be_loaded_is_told_with_its_package(site: Path) -> None:
    package(site, "poor_thing", "poor = poor_thing:thing", "import a_package_that_nobody_has")
    package(site, "bad_thing", "bad = bad_thing:thing", "thing = 1 / 0")
    package(site, "bare_thing", "bare = bare_thing:thing", "other = 1")
    with pytest.raises(MissingError, match=r"'poor' of poor_thing 2\.0 .*a_package_that_nobody_has"):
        things().load("poor")
    with pytest.raises(LongtakeError, match=r"'bad' of bad_thing 2\.0 cannot .*ZeroDivisionError"):
        things().load("bad")
    with pytest.raises(LongtakeError, match=r"'bare' of bare_thing 2\.0 cannot .*AttributeError"):
        things().load("bare")
