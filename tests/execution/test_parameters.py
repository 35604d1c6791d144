"""Parameters that a user sets: typed, bounded, and told with the nearest where they are not."""

from __future__ import annotations

import pytest

from longtake.core.evaluator import Card, Parameter, Quantity
from longtake.errors import UsageError
from longtake.execution.parameters import settings_for

CARDS = [
    Card(
        name="one",
        version=1,
        question="?",
        quantities=(Quantity(name="one", doc="x"),),
        parameters={
            "mode": Parameter(doc="how", default="mean", choices=("mean", "max")),
            "free": Parameter(doc="a text", default="a"),
            "frames": Parameter(doc="frames of a shot", default=8, low=1, high=64),
            "share": Parameter(doc="a share", default=0.5, low=0, high=1),
        },
    ),
    Card(name="two", version=1, question="?", parameters={"mode": Parameter(doc="how", default="x")}),
    Card(name="none", version=1, question="?"),
]


def test_values_have_the_type_of_the_default() -> None:
    given = {"one.mode": "max", "one.free": "a=b", "one.frames": "16", "one.share": "1", "two.mode": "y"}
    found = settings_for(given, CARDS)
    assert found == {
        "one": {"mode": "max", "free": "a=b", "frames": 16, "share": 1.0},
        "two": {"mode": "y"},
    }
    assert type(found["one"]["frames"]) is int
    assert type(found["one"]["share"]) is float
    assert settings_for({}, CARDS) == {}


@pytest.mark.parametrize(
    ("path", "text", "said", "hint"),
    [
        ("one.mod", "max", "there is no parameter 'one.mod'", "did you mean one.mode?"),
        ("mode", "max", "there is no parameter 'mode'", "did you mean two.mode?"),
        ("three.mode", "max", "there is no parameter 'three.mode'", "mode"),
        ("one.mode", "min", "one.mode cannot be 'min'", "one of: mean, max"),
        ("one.frames", "0", "one.frames cannot be 0", "from 1"),
        ("one.frames", "65", "one.frames cannot be 65", "to 64"),
        ("one.frames", "8.5", "one.frames is a whole number, not '8.5'", "frames of a shot"),
        ("one.share", "much", "one.share is a number, not 'much'", "a share"),
        ("one.share", "nan", "one.share cannot be nan", "from 0"),
        ("one.share", "inf", "one.share cannot be inf", "from 0"),
        ("one.share", "-0.1", "one.share cannot be -0.1", "from 0"),
    ],
)
def test_what_cannot_be_is_a_mistake_with_a_hint(path: str, text: str, said: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        settings_for({path: text}, CARDS)
    assert said in caught.value.message
    assert hint in (caught.value.hint or "")
    assert caught.value.exit_code == 2


def test_where_nobody_has_any_it_is_said() -> None:
    with pytest.raises(UsageError, match="there is no parameter") as caught:
        settings_for({"none.mode": "x"}, CARDS[2:])
    assert caught.value.hint == "none of the evaluators asked has any"
