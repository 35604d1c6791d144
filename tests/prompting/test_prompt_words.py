"""Words, shortening and likeness of texts, against values worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longtake.errors import UsageError
from longtake.prompting.cuts import shorten
from longtake.prompting.language import codes, language, written_in
from longtake.prompting.numbers import numbers, seconds_in
from longtake.prompting.words import (
    alike,
    plain_words,
    resemblance,
    sentences,
    size,
    unquoted,
)

EN, DE, ZH, HI = language("en"), language("de"), language("zh"), language("hi")
LONG = (
    "She lays the kilo at its place in the row and polishes the brass, while the hall is swept, last of all."
)


def test_a_text_is_cut_between_clauses() -> None:
    assert shorten(LONG, 12, EN) == "She lays the kilo at its place in the row"
    assert shorten(LONG, 14, EN) == "She lays the kilo at its place in the row and polishes the brass"
    assert shorten(LONG, None, EN) == LONG.rstrip(",")
    assert shorten("While she counts, a hand takes the weight, and nobody sees it.", 3, EN) == (
        "While she counts, a hand takes the weight"
    )
    assert shorten("Three red and white flags are hanging from the old roof of the hall", 3, EN).endswith(
        "hall"
    )
    assert shorten("a close view of the eyes in which the light is seen", 6, EN) == "a close view of the eyes"
    assert shorten("The pan sinks. Mr. Tetteh adds a weight, then another.", 8, EN) == (
        "The pan sinks. Mr. Tetteh adds a weight"
    )


@given(st.text(alphabet="ab ,.;:", min_size=1, max_size=80), st.integers(1, 20))
def test_what_is_kept_is_the_beginning(text: str, most: int) -> None:
    kept = shorten(text, most, EN)
    assert " ".join(text.split()).startswith(kept)
    assert len(kept) <= len(shorten(text, most + 1, EN))


def test_numbers_in_digits_and_words() -> None:
    found = numbers("a two-minute film of 1.5 and 12 shots, twenty of 3,5", EN)
    assert [n.value for n in found] == [2, 1.5, 12, 20, 3.5]
    assert seconds_in("two-minute, 90 s, 7 seconds, 4 stones, 1.5 sec.", EN) == [120, 90, 7, 1.5]
    assert seconds_in("94秒，1分钟，三个人", ZH) == [94, 60]
    assert seconds_in("साठ सेकंड और ११ सेकंड", HI) == [60, 11]


def test_forms_of_a_word() -> None:
    assert alike("climbs", "climbing")
    assert alike("polish", "polished")
    assert not alike("lamp", "lamb")
    assert not alike("stair", "start")


def test_everyday_words() -> None:
    assert plain_words("a slow push-in, static", EN, camera=True) == "a slow move closer, still"
    assert plain_words("train tracks and static electricity", EN) == "train tracks and static electricity"


def test_resemblance_by_hand() -> None:
    """{abc, bcd, cde} and {abc, bcd, cdx}: two of four runs in common (Broder 1997)."""
    assert resemblance("a b c d e", "a b c d x", EN) == pytest.approx(2 / 4)
    assert resemblance("A b, c!", "a b c", EN) == 1
    assert resemblance("a b c", "x y z", EN) == 0
    assert resemblance("a b", "a b", EN) == 1
    assert resemblance("a b", "a c", EN) == 0


def test_what_is_quoted_is_left_out() -> None:
    assert "secret" not in unquoted('she says “secret”, «secret», „secret“, 「secret」 and "secret"')


def test_sentences_do_not_end_after_a_title() -> None:
    assert sentences("Mr. Ama waits. She comes! Now?") == ["Mr. Ama waits.", "She comes!", "Now?"]


SAMPLES = {
    "en": "The girl walks over the bridge and waits for her brother in the rain.",
    "de": "Das Mädchen geht über die Brücke und wartet im Regen auf seinen Bruder.",
    "fr": "La fille traverse le pont et attend son frère sous la pluie.",
    "es": "La niña cruza el puente y espera a su hermano bajo la lluvia.",
    "it": "La ragazza attraversa il ponte e aspetta suo fratello sotto la pioggia.",
    "pt": "A menina atravessa a ponte e espera o seu irmão debaixo da chuva.",
    "zh": "女孩走过桥，在雨中等她的弟弟。",
    "ja": "少女は橋を渡り、雨の中で弟を待っている。",
    "ko": "소녀는 다리를 건너 빗속에서 동생을 기다린다.",
    "hi": "लड़की पुल पार करती है और बारिश में भाई की राह देखती है।",
    "ar": "تعبر الفتاة الجسر وتنتظر أخاها تحت المطر.",
}


@pytest.mark.parametrize("code", codes())
def test_each_language_is_told_from_the_others(code: str) -> None:
    assert written_in(SAMPLES[code]) == code
    assert size(SAMPLES[code], language(code)) > 4


def test_no_language_is_told_where_there_is_nothing_to_tell_it_by() -> None:
    assert written_in("") is None
    assert written_in("12 : 30") is None
    assert written_in("Kubrick Zanzibar") is None


def test_a_language_without_frames_is_said() -> None:
    with pytest.raises(UsageError, match="'sw'"):
        language("sw")


@pytest.mark.parametrize("code", codes())
def test_every_language_words_the_same_things(code: str) -> None:
    one = language(code)
    for name in ("film", "size", "acts", "base", "focus", "taste", "recognise"):
        assert getattr(one, name).keys() == getattr(EN, name).keys(), name
    assert one.styles.keys() == EN.styles.keys()
    assert one.constraints.keys() == EN.constraints.keys()
    for style in one.styles:
        for frame in ("make", "task", "shots", "shot", "keep", "music", "effects"):
            assert one.frame(style, frame), (style, frame)
        shot = one.frame(style, "shot").format(n="1", action="A", aside="B", lines="C")
        assert {"A", "B", "C"} <= set(shot)
