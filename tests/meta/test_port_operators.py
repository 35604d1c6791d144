"""Operators that ask for masks, edits and pictures: on drawn films with the proxies, and on real clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from longtake.core.brief import Brief, PlannedShot
from longtake.core.seeds import seed_for
from longtake.errors import InputError, UsageError
from longtake.media.open import open_video
from longtake.meta.perturbations import Clip, Damage, FilmFacts, facts_of, get
from longtake.meta.perturbations.following import Follower, overlap
from longtake.meta.perturbations.objects import colour_of, styles_asked, widened
from longtake.meta.perturbations.rewriting import another, surreal
from longtake.models.editors import editor
from longtake.models.generators import generator
from longtake.models.maskers import masker

WIDTH, HEIGHT, FPS, CLIP_S, CLIPS = 160, 96, 10.0, 1.5, 6
PER_CLIP = int(CLIP_S * FPS)
BALLS = ((30, 30, 210), (200, 60, 20), (40, 190, 40), (90, 90, 95), (30, 30, 210), (30, 190, 220))
TEXTS = ("a red ball", "a blue ball", "a green ball", "a grey ball", "a red ball and a hat", "a yellow ball")


def place(number: int) -> tuple[int, int]:
    """Where the ball is in picture ``number`` of the film."""
    return 50 + 3 * (number % PER_CLIP), 50


def picture(number: int) -> np.ndarray:
    number = min(number, CLIPS * PER_CLIP - 1)
    clip = number // PER_CLIP
    shown = np.random.default_rng(clip).integers(130, 142, (HEIGHT, WIDTH, 3), np.uint8)
    cv2.circle(shown, place(number), 18, BALLS[clip], -1)
    return shown


def truth(number: int) -> np.ndarray:
    there = np.zeros((HEIGHT, WIDTH), np.uint8)
    cv2.circle(there, place(number), 18, 1, -1)
    return there.astype(np.float32)


@pytest.fixture
def film(tmp_path: Path) -> FilmFacts:
    clips = tuple(Clip(i * CLIP_S, (i + 1) * CLIP_S, t) for i, t in enumerate(TEXTS))
    return FilmFacts(
        duration=CLIPS * CLIP_S,
        fps=FPS,
        width=WIDTH,
        height=HEIGHT,
        hash="drawn",
        clips=clips,
        look=lambda time: picture(int(time * FPS + 1e-6)),
        masker=masker(None, tmp_path),
        editor=editor(None, tmp_path),
        generator=generator(None, tmp_path),
    )


def made(film: FilmFacts, name: str, strength: float, seed: int = 1) -> Damage:
    return get(name).make(film, strength, np.random.default_rng(seed_for(film.hash, name, seed)))


def shown(damage: Damage) -> dict[int, np.ndarray]:
    """The pictures inside the damage's spans, as it makes them."""
    assert damage.picture is not None
    inside = [i for i in range(CLIPS * PER_CLIP) if any(a <= i / FPS + 1e-9 < b for a, b, _ in damage.spans)]
    return {i: damage.picture(picture(i), i / FPS) for i in inside}


def numbers(damage: Damage) -> set[int]:
    return {round(a / CLIP_S) for a, _, _ in damage.spans}


NAMES = ("background_consistency", "object_removal", "color", "appearance_style", "edition", "synthesis")


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_makes_the_same_damage_and_every_clip_changes(film: FilmFacts, name: str) -> None:
    operator = get(name)
    first, again = made(film, name, operator.medium), made(film, name, operator.medium)
    assert first.spans == again.spans
    assert first.facts == again.facts
    pictures, others = shown(first), shown(again)
    assert all(np.array_equal(pictures[i], others[i]) for i in pictures)
    assert all(p.shape == (HEIGHT, WIDTH, 3) and p.dtype == np.uint8 for p in pictures.values())
    for clip in numbers(first):
        changed = [
            i for i in pictures if i // PER_CLIP == clip and not np.array_equal(pictures[i], picture(i))
        ]
        assert len(changed) >= PER_CLIP - 1  # a block that is made anew begins with its own first picture
    outside = next(i for i in range(CLIPS * PER_CLIP) if i not in pictures)
    if name in ("edition", "synthesis"):
        assert first.picture is not None
        assert np.array_equal(first.picture(picture(outside), outside / FPS), picture(outside))


@pytest.mark.parametrize("name", NAMES)
def test_what_stands_in_for_a_model_is_said(film: FilmFacts, name: str) -> None:
    operator, damage = get(name), made(film, name, get(name).weak)
    assert damage.proxies
    assert all(" for " in text for text in damage.proxies)
    assert any("proxy" in text for text in damage.proxies)
    assert {"clips", "captions"} & set(operator.needs)
    assert operator.aspects
    assert not set(operator.aspects) & set(operator.spared)
    assert operator.low <= operator.weak <= operator.medium <= operator.strong <= operator.high


@pytest.mark.parametrize(("name", "strengths"), [("edition", (1, 2, 4)), ("synthesis", (1, 2, 4))])
def test_fewer_blocks_are_a_subset_of_more(film: FilmFacts, name: str, strengths: Sequence[int]) -> None:
    hit = [numbers(made(film, name, s)) for s in strengths]
    assert [len(h) for h in hit] == list(strengths)
    assert hit[0] < hit[1] < hit[2]
    with pytest.raises(InputError, match="7 blocks"):
        made(film, name, 7)
    with pytest.raises(UsageError, match="whole"):
        made(film, name, 1.5)


@pytest.mark.parametrize("name", ["background_consistency", "object_removal", "color", "appearance_style"])
def test_all_strengths_hit_the_same_clips_and_half_at_most(film: FilmFacts, name: str) -> None:
    hit = [numbers(made(film, name, getattr(get(name), s))) for s in ("weak", "medium", "strong")]
    assert hit[0] == hit[1] == hit[2]
    assert 1 <= len(hit[0]) <= CLIPS // 2


@pytest.mark.parametrize("degrees", [60, 120, 180])
def test_color_turns_the_hue_of_the_named_thing_alone(film: FilmFacts, degrees: float) -> None:
    damage = made(film, "color", degrees)
    assert 3 not in numbers(damage)  # nothing to turn in a grey ball
    for i, after in shown(damage).items():
        inner = cv2.erode(truth(i), np.ones((7, 7)))
        turn = colour_of(after, inner)[1] - colour_of(picture(i), inner)[1]
        assert abs((turn - degrees + 180) % 360 - 180) < 8
        far = cv2.dilate(truth(i), np.ones((13, 13))) == 0
        assert np.array_equal(after[far], picture(i)[far])


def test_grey_films_cannot_be_recoloured(film: FilmFacts) -> None:
    grey = replace(film, clips=tuple(replace(c, text="a grey ball") for c in film.clips))
    with pytest.raises(InputError, match="colour"):
        made(grey, "color", 120)
    pale = replace(film, look=lambda time: (picture(int(time * FPS + 1e-6)) // 8 + 110).astype(np.uint8))
    with pytest.raises(InputError, match="colour"):
        made(pale, "color", 120)


def test_object_removal_takes_the_ball_away(film: FilmFacts) -> None:
    damage = made(film, "object_removal", 1)
    assert damage.facts["instances"]
    for i, after in shown(damage).items():
        inside = truth(i) > 0
        assert np.abs(after[inside].astype(float) - 136).max() < 30
        assert np.abs(picture(i)[inside].astype(float) - 136).max() > 40
        far = widened(cv2.dilate(truth(i), np.ones((9, 9)))) == 0
        assert np.array_equal(after[far], picture(i)[far])


def test_one_half_or_all_of_several_things(film: FilmFacts) -> None:
    places = ((30, 50), (80, 50), (130, 50))

    def three(time: float) -> np.ndarray:
        out = np.full((HEIGHT, WIDTH, 3), 136, np.uint8)
        for x, radius in zip(places, (12, 15, 18), strict=True):
            cv2.circle(out, x, radius, (30, 30, 210), -1)
        return out

    clips = (Clip(0, 2, "three red pillows"), Clip(2, 4, "three red pillows"))
    balls = replace(film, look=three, clips=clips, duration=4.0)
    left = []
    for strength in (0.1, 0.5, 1):
        damage = made(balls, "object_removal", strength)
        assert damage.picture is not None
        after = damage.picture(three(0), damage.spans[0][0])
        left.append([bool(after[y, x, 2] > 180) for x, y in places])
    assert left == [[True, True, False], [True, False, False], [False, False, False]]


def test_background_is_replaced_outside_the_foreground_alone(film: FilmFacts) -> None:
    damage = made(film, "background_consistency", 2)
    for i, after in shown(damage).items():
        inner = cv2.erode(truth(i), np.ones((9, 9))) > 0
        assert np.abs(after[inner].astype(int) - picture(i)[inner]).max() <= 2
        far = cv2.dilate(truth(i), np.ones((15, 15))) == 0
        assert np.abs(after[far].astype(int) - picture(i)[far]).mean() > 15


def test_landscapes_change_as_often_as_asked(film: FilmFacts) -> None:
    def scenes(strength: float) -> int:
        corner = [
            p[:8, :8].tobytes() for i, p in shown(made(film, "background_consistency", strength)).items()
        ]
        return len(set(corner[:PER_CLIP]))

    assert scenes(0.05) == 1
    assert scenes(2) == 3  # 1.5 s of one per half second


def test_the_weakest_is_one_landscape_however_long_a_clip_is(film: FilmFacts) -> None:
    # Two clips of 40 s, a picture a second: at a twentieth a second there would be two landscapes in each.
    slow = replace(
        film,
        fps=1.0,
        duration=80.0,
        clips=(Clip(0, 40, "a ball"), Clip(40, 80, "a ball")),
        look=lambda time: picture(int(time) % PER_CLIP),
    )
    weak = made(slow, "background_consistency", get("background_consistency").weak)
    (chosen,) = (int(a) for a, _, _ in weak.spans)
    assert weak.picture is not None
    shown = [weak.picture(picture(i % PER_CLIP), float(chosen + i)) for i in range(0, 40, 3)]
    assert len({p[:8, :8].tobytes() for p in shown}) == 1
    assert weak.facts["landscapes"] == f"{chosen // 40}: 1"
    medium = made(slow, "background_consistency", get("background_consistency").medium)
    assert medium.facts["landscapes"] == f"{chosen // 40}: 20"


def test_clips_too_short_for_a_second_landscape_tell_that_they_have_one(film: FilmFacts) -> None:
    told = [made(film, "background_consistency", s).facts["landscapes"] for s in (0.05, 0.5, 2)]
    assert told[0] == told[1] != told[2]


def test_foregrounds_of_a_wrong_size_are_skipped(film: FilmFacts) -> None:
    plain = replace(film, look=lambda time: np.full((HEIGHT, WIDTH, 3), 136, np.uint8))
    with pytest.raises(InputError, match="5 to 80"):
        made(plain, "background_consistency", 1)


def test_a_style_the_brief_speaks_of_is_not_taken(film: FilmFacts) -> None:
    said = "An oil painting, a cartoon and a pencil sketch"
    brief = Brief(title=said, shots=[PlannedShot(index=0, text="a ball")])
    assert styles_asked(brief) == {"oil", "cartoon", "pencil"}
    taken = {made(replace(film, brief=brief), "appearance_style", 1, s).facts["style"] for s in range(6)}
    assert taken == {"watercolour"}
    assert len({made(film, "appearance_style", 1, s).facts["style"] for s in range(12)}) > 1
    with pytest.raises(InputError, match="every style"):
        made(replace(film, brief=Brief(title=f"{said} in watercolor")), "appearance_style", 1)


def test_more_style_changes_more(film: FilmFacts) -> None:
    def far(strength: float) -> float:
        pairs = shown(made(film, "appearance_style", strength)).items()
        return float(np.mean([np.abs(p.astype(int) - picture(i)).mean() for i, p in pairs]))

    assert far(0.4) < far(0.7) < far(1)


def test_synthesis_begins_with_the_block_s_own_picture(film: FilmFacts) -> None:
    damage = made(film, "synthesis", 2)
    pictures = shown(damage)
    for clip in numbers(damage):
        assert np.array_equal(pictures[clip * PER_CLIP], picture(clip * PER_CLIP))
        last = (clip + 1) * PER_CLIP - 1
        assert np.abs(pictures[last].astype(int) - picture(last)).mean() > 5
    assert "but" in str(damage.facts["prompts"])


class Inverter:
    """An editor of whole blocks: turns each picture into its negative, and counts what it was given."""

    name, kind, stands_for = "inverter", "model", ""

    def __init__(self) -> None:
        self.given: list[int] = []

    def edit(self, picture: Any, mask: Any, instruction: str, seed: int) -> Any:
        raise AssertionError("a block is edited as a whole")

    def edit_block(self, pictures: Sequence[Any], masks: Any, instruction: str, seed: int) -> Any:
        self.given.append(len(pictures))
        return (255 - p for p in pictures)


def test_edition_gives_an_editor_of_blocks_the_whole_block(film: FilmFacts) -> None:
    inverter = Inverter()
    damage = made(replace(film, editor=inverter, masker=None), "edition", 2)
    assert damage.proxies == ()
    for i, after in shown(damage).items():
        assert np.array_equal(after, 255 - picture(i))
    assert inverter.given == [PER_CLIP, PER_CLIP]


def test_edition_keeps_the_layout(film: FilmFacts) -> None:
    for i, after in shown(made(film, "edition", 3)).items():
        far = cv2.dilate(truth(i), np.ones((15, 15))) == 0
        assert np.array_equal(after[far], picture(i)[far])
        inner = cv2.erode(truth(i), np.ones((7, 7))) > 0
        assert np.abs(after[inner].astype(int) - picture(i)[inner]).mean() > 20


def test_a_mask_stays_on_a_moving_thing_and_is_seldom_looked_for() -> None:
    looked = []

    def find(bgr: np.ndarray, before: np.ndarray | None) -> np.ndarray:
        looked.append(before is not None)
        return (cv2.cvtColor(bgr, cv2.COLOR_BGR2HSV)[..., 1] > 120).astype(np.float32)

    follower = Follower(find)
    for i in range(PER_CLIP):
        assert overlap(follower.mask(picture(i), i / FPS), truth(i)) > 0.8
    assert len(looked) <= 4
    assert looked[:2] == [False, True]
    same = follower.mask(picture(PER_CLIP - 1), (PER_CLIP - 1) / FPS)
    assert np.array_equal(same, follower.mask(picture(PER_CLIP - 1), (PER_CLIP - 1) / FPS))


def test_a_single_false_look_does_not_move_the_mask() -> None:
    calls = 0

    def find(bgr: np.ndarray, before: np.ndarray | None) -> np.ndarray:
        nonlocal calls
        calls += 1
        wrong = np.zeros((HEIGHT, WIDTH), np.float32)
        wrong[70:90, 5:40] = 1
        seen = (cv2.cvtColor(bgr, cv2.COLOR_BGR2HSV)[..., 1] > 120).astype(np.float32)
        return wrong if calls == 2 else seen

    follower = Follower(find)
    for i in range(PER_CLIP):
        assert overlap(follower.mask(picture(i), i / FPS), truth(i)) > 0.7
    assert calls > 2


def test_prompts_are_rewritten_by_rule() -> None:
    draw = np.random.default_rng(1)
    assert another("A woman lifts her dog.", draw).startswith("A man lifts his cat")
    assert another("", draw).startswith("the scene, ")
    assert another("A frog.", draw) != "A frog."
    assert surreal("A frog.", draw).startswith("A frog, but ")


def clip_film(media: Path, root: Path, name: str, text: str, pieces: int = 4) -> FilmFacts:
    """A real clip, cut into ``pieces``."""
    film = facts_of(open_video(media / "8_footage" / name))
    step = film.duration / pieces
    clips = tuple(Clip(i * step, (i + 1) * step, text) for i in range(pieces))
    return replace(
        film,
        clips=clips,
        masker=masker(None, root),
        editor=editor(None, root),
        generator=generator(None, root),
    )


def test_real_caps_are_recoloured_and_nothing_else(media: Path, tmp_path: Path) -> None:
    film = clip_film(media, tmp_path, "intel_bottle_a.mp4", "bottles with blue caps on a table", 8)
    damage = made(film, "color", 120)
    assert damage.picture is not None
    assert film.look is not None
    start = damage.spans[0][0]
    for i in range(4):
        time = start + i / film.fps
        before = film.look(time)
        after = damage.picture(before.copy(), time)
        changed = np.abs(after.astype(int) - before).max(axis=2) > 12
        assert 0.001 < changed.mean() < 0.02
        saturation, hue = colour_of(before, changed.astype(np.float32))
        assert saturation > 0.4
        assert 200 < hue < 250
        assert abs((colour_of(after, changed.astype(np.float32))[1] - hue - 120 + 180) % 360 - 180) < 10


def test_another_person_is_cut_in_from_where_people_are_seen(media: Path, weights: Path) -> None:
    film = clip_film(media, weights, "intel_asl_book.mkv", "a woman signs", 3)
    other = open_video(media / "8_footage" / "intel_pose_m.mp4")
    damage = made(replace(film, other=other), "other_person", 2)
    assert damage.picture is None
    assert len(damage.inserts) == 2
    for insert, (start, end, _) in zip(damage.inserts, damage.spans, strict=True):
        assert (insert.start, insert.end, insert.sound) == (start, end, False)
        assert 0 <= insert.at <= 5.167 - (end - start)
    weaker = made(replace(film, other=other), "other_person", 1)
    assert set(weaker.inserts) < set(damage.inserts)
    frog = open_video(media / "8_footage" / "mla_frog.mp4")
    with pytest.raises(InputError, match="shows people for no"):
        made(replace(film, other=frog), "other_person", 1)
    bare = clip_film(media, weights, "mla_frog.mp4", "a frog", 3)
    with pytest.raises(InputError, match="people are seen in 0"):
        made(replace(bare, other=other), "other_person", 1)
