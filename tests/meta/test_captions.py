"""Words of captions: what counts and, more telling, what does not. All captions are made up."""

from __future__ import annotations

import pytest

from longtake.meta.perturbations.captions import Coloured, coloured, hues, motions, objects, sides

PLACES = [
    ("A dog sits to the left of a cat.", ["left"]),
    ("On the right sits a woman with a parcel.", ["right"]),
    ("She raises her right hand.", ["right"]),
    ("The camera pans left.", ["left"]),
    ("The camera turns right at the corner.", ["right"]),
    ("Birds fly from left to right.", ["left", "right"]),
    ("Slow left-to-right slide along the shelf.", ["left", "right"]),
    ("A bicycle left of a car, front view.", ["left"]),
    ("The lamp stands slightly right of centre.", ["right"]),
    ("A tripod in the foreground left, a bench in the background.", ["left"]),
    ("The leftmost runner stumbles.", ["leftmost"]),
    ("Left: a man reads. Right: a woman paints.", ["left", "right"]),
    ("A scar above his left eyebrow.", ["left"]),
    ("The man on the left left the room.", ["left"]),
    ("She stands on the right next to the door.", ["right"]),
    ("He sits to the left behind the couch.", ["left"]),
    ("The case is on her immediate right.", ["right"]),
]
NO_PLACES = [
    "He left the room.",
    "She has left, and the door is open.",
    "Two apples are left.",
    "Only smoke and ash left from the fire.",
    "The dog was left behind.",
    "What is left of the castle stands on a hill.",
    "He eats the left-over food.",
    "Everything is all right.",
    "He gets up right away.",
    "They leave right now.",
    "The right tool for the job.",
    "The bus stops at the right moment.",
    "Bread bakes at the right temperature.",
    "The right to rule the land.",
    "The train is on the right track.",
    "A letter to the right person.",
    "Human rights are read aloud.",
    "He looks right at the camera.",
    "She walks right past the shop.",
    "A bright light over the copyright office.",
    "Nobody stands on the left.",
    "There is nothing to the right of the tree.",
    "The cat is not on the left.",
    "",
]


@pytest.mark.parametrize(("text", "found"), PLACES)
def test_left_and_right_as_places(text: str, found: list[str]) -> None:
    assert sides(text) == found


@pytest.mark.parametrize("text", NO_PLACES)
def test_left_and_right_that_are_no_places(text: str) -> None:
    assert sides(text) == []


MOVING = [
    ("A man runs along the beach.", ["runs"]),
    ("Two girls are dancing on a stage.", ["dancing"]),
    ("A man in red runs.", ["runs"]),
    ("A dog that runs.", ["runs"]),
    ("Timelapse of moving clouds.", ["moving"]),
    ("The camera zooms in on a flower.", ["zooms"]),
    ("A man with no hat rides a horse.", ["rides"]),
    ("A woman in black kicks a ball.", ["kicks"]),
    ("A running dog in the rain.", ["running"]),
    ("The horse ran and the wheel spun.", ["ran", "spun"]),
]
STILL = [
    "A statue of a galloping horse.",
    "A painting of people dancing.",
    "A boy is not moving.",
    "The car doesn't move.",
    "A dog sits without moving.",
    "No cars moving in the street.",
    "Nobody moves.",
    "The rain stops falling.",
    "He is about to jump.",
    "She wants to dance.",
    "A pair of running shoes on a shelf.",
    "An empty swimming pool.",
    "A walk in the park.",
    "The big waves.",
    "The race and the ride.",
    "A rolled towel beside a basin.",
    "Two frying pans on a stove.",
    "Cards for playing.",
    "A parked car in a quiet street.",
    "A man sits in a chair.",
]


@pytest.mark.parametrize(("text", "found"), MOVING)
def test_motion_that_happens(text: str, found: list[str]) -> None:
    assert motions(text) == found


@pytest.mark.parametrize("text", STILL)
def test_motion_that_does_not_happen(text: str) -> None:
    assert motions(text) == []


COLOURED = [
    ("A red car.", [Coloured("red", "car", "vehicles")]),
    ("A red and white striped shirt.", [Coloured("red", "shirt", "clothes")]),
    ("The car is painted bright red.", [Coloured("red", "car", "vehicles")]),
    ("A red fire truck.", [Coloured("red", "truck", "vehicles")]),
    (
        "An orange cat with a blue ball.",
        [Coloured("orange", "cat", "animals"), Coloured("blue", "ball", "things")],
    ),
    ("A greenish bottle.", [Coloured("green", "bottle", "things")]),
    ("An orange coloured fish.", [Coloured("orange", "fish", "animals")]),
]
COLOURLESS = [
    "She peels an orange.",
    "A bottle of red wine.",
    "A black car and a white dog.",  # no hue to turn
    "The Red Cross and the Red Sea.",
    "The light is green.",
    "No red car in sight.",
    "A greenhouse full of plants.",
    "Bluebells in a redwood forest.",
    "A gold medal.",
    "Blue is her favourite.",
]


@pytest.mark.parametrize(("text", "found"), COLOURED)
def test_things_with_a_hue(text: str, found: list[Coloured]) -> None:
    assert coloured(text) == found
    assert hues(text) == [f"{c.hue} {c.thing}" for c in found]


@pytest.mark.parametrize("text", COLOURLESS)
def test_hues_of_nothing_that_could_be_turned(text: str) -> None:
    assert coloured(text) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Two dogs and a cat.", ["dog", "cat"]),
        ("Three women hold knives.", ["woman", "knife"]),
        ("There is no car on the road.", ["road"]),
        ("A street without cars.", ["street"]),
        ("A man with no hat.", ["man"]),
        ("People watch the sea.", ["person", "sea"]),
        ("A small black watch.", ["watch"]),
        ("They train hard.", []),
        ("A hot dog on a plate.", ["plate"]),
        ("An apple tree beside a car door.", ["tree", "door"]),
        ("He ducks; a duck swims.", ["duck"]),
        ("Nothing but fog.", []),
    ],
)
def test_things_that_are_there(text: str, names: list[str]) -> None:
    assert [m.name for m in objects(text)] == names


def test_places_of_mentions_follow_the_text() -> None:
    found = objects("A cat, a dog and a cat.")
    assert [m.group for m in found] == ["animals"] * 3
    assert [m.at for m in found] == sorted(m.at for m in found)
