"""The vocabulary of editors: what is understood, what is refused, and that words come along."""

import pytest

from longtake.core.instructions import STYLES, Instruction, parse
from longtake.errors import BackendError


def test_words_follow_a_colon_and_are_the_order_itself_without_one() -> None:
    assert parse("recolour 120: make the cup green") == Instruction(
        "recolour", 120.0, words="make the cup green"
    )
    assert parse("erase").words == "erase"
    assert parse("restyle oil 0.4: as oil").style == "oil"


@pytest.mark.parametrize("style", STYLES)
def test_what_is_written_is_read_again(style: str) -> None:
    for text in ("erase: gone", f"restyle {style} 0.7: drawn", "background 12: far", "another 3: a man"):
        assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "paint",
        "erase 3",
        "recolour",
        "recolour red",
        "restyle oil",
        "restyle ink 1",
        "restyle oil 2",
        "background",
        "background x",
        "another 1 2",
        "recolour nan",
        "recolour inf",
    ],
)
def test_what_is_not_in_the_vocabulary_is_refused(text: str) -> None:
    with pytest.raises(BackendError, match="no editor knows"):
        parse(text)
