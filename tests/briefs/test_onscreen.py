"""Text that a brief wants in the picture is found, in several languages; what somebody says is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.briefs.onscreen import asked_texts, quoted_texts


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ('A neon sign that reads "OPEN 24 HOURS" glows.', ["OPEN 24 HOURS"]),
        ('Title card: "The End".', ["The End"]),
        ("a poster with the words “Rock ’n’ Roll”", ["Rock ’n’ Roll"]),
        ('Caption at the bottom of the screen: "London, 1940"', ["London, 1940"]),
        ('a sign that says "Exit" beside a label "Poison"', ["Exit", "Poison"]),
        ('The woman at the sign says "Hello there".', []),
        ('He writes a text. "I am late", she says.', []),
        ('He reads the sign and shouts "no way".', []),
        ('"Come in", says the sign painter.', []),
        ('the text "..."', []),
        ('a sign that is 5" wide and 6" high', []),
        ('A neon "OPEN" sign over the door.', ["OPEN"]),
        ('"Hello", she says and signs the letter.', []),
        ("A promotional flyer reads: 'Join the Hike!' as people walk", ["Join the Hike"]),
        ("The boy's sign isn't his mother's.", []),
        ("Ein Schild mit der Aufschrift „Heute frisch“ hängt an der Tür.", ["Heute frisch"]),
        ("Sie steht am Schild und sagt „Guten Morgen“.", []),
        ("Une pancarte indiquant « Entrée libre » au mur.", ["Entrée libre"]),
        ("Elle lit le titre puis crie « Au secours ».", []),
        ('Un cartel que dice "Cerrado" en la puerta.', ["Cerrado"]),
        ('La mujer del cartel grita "Vamos".', []),
        ("Un'insegna con scritto «Pane caldo».", ["Pane caldo"]),
        ('O homem da placa grita "Proibido fumar".', []),
        ('Uma placa com o texto "Proibido fumar".', ["Proibido fumar"]),
        ("Een bord waarop “Gesloten” staat.", ["Gesloten"]),
        ("Вывеска с надписью «Хлеб» у двери.", ["Хлеб"]),
        ("招牌上写着“营业中”，她说“你好”。", ["营业中"]),
        ("看板に「本日休業」と書かれている。彼は「はい」と言う。", ["本日休業"]),
    ],
)
def test_text_to_be_shown(words: str, asked: list[str]) -> None:
    assert list(asked_texts(words)) == asked


def test_real_prompts_ask_for_few_texts(media: Path) -> None:
    """In a megabyte of prompts, by eye, these are to be seen, and one that is found is a gesture. All other
    quotes are speech and are left alone."""
    found: list[str] = []
    for file in sorted((media / "7_prompts").iterdir()):
        found += asked_texts(file.read_text("utf-8", errors="replace").replace('\\"', '"'))
    shown = {
        "air force missile test center. cape canaveral",
        "Office",
        "Indicator Demo: Hypothesis",
        "Family Reunion",
        "Welcome, Family",
        "Custom Cakes",
    }
    assert shown <= set(found)
    assert set(found) - shown <= {"just a pinch"}
    assert len(found) <= 8


def test_marks_at_the_end_belong_to_the_text_as_it_stands() -> None:
    assert list(quoted_texts('A banner reads "WE WON!" and a label "Salt."')) == ["WE WON!", "Salt."]
