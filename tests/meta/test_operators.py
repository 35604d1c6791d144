"""Operators on made pictures and sound: they damage what they say, where they say, always the same way."""

from dataclasses import replace

import numpy as np
import pytest

from longtake.core.seeds import seed_for
from longtake.errors import InputError, UsageError
from longtake.meta.perturbations import PERTURBATIONS, Clip, Damage, FilmFacts, get
from longtake.meta.perturbations.registry import strength_of

FILM = FilmFacts(duration=16.0, fps=12.5, width=128, height=96, sample_rate=8000)
FRAMES = 200


def made(name: str, strength: float, seed: int = 1) -> Damage:
    return get(name).make(FILM, strength, np.random.default_rng(seed_for("film", name, seed)))


def pictures() -> list[np.ndarray]:
    noise = np.random.default_rng(0).integers(60, 190, (96, 128, 3), dtype=np.uint8)
    return [np.roll(noise, i, axis=1) for i in range(FRAMES)]


def shown(damage: Damage) -> list[np.ndarray]:
    assert damage.picture is not None
    return [damage.picture(p.copy(), i / FILM.fps) for i, p in enumerate(pictures())]


def changed_frames(damage: Damage) -> list[int]:
    pairs = zip(pictures(), shown(damage), strict=True)
    return [i for i, (a, b) in enumerate(pairs) if not np.array_equal(a, b)]


ALONE = {n: p for n, p in PERTURBATIONS.items() if not set(p.needs) - {"sound"} and p.family != "control"}
PICTURE_OPERATORS = [n for n, p in ALONE.items() if made(n, p.medium).picture is not None]
SOUND_OPERATORS = [n for n, p in PERTURBATIONS.items() if p.needs == ("sound",)]


@pytest.mark.parametrize("name", PICTURE_OPERATORS)
def test_changes_stay_inside_the_recorded_spans(name: str) -> None:
    damage = made(name, get(name).medium)
    frames = changed_frames(damage)
    assert frames
    for frame in frames:
        assert any(a <= frame / FILM.fps <= b for a, b, _ in damage.spans)


@pytest.mark.parametrize("name", PICTURE_OPERATORS)
def test_same_seed_same_pictures_other_seed_other_record_or_pictures(name: str) -> None:
    strength = get(name).strong
    first, again = shown(made(name, strength)), shown(made(name, strength))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


@pytest.mark.parametrize(
    "name", ["freeze", "drop_frames", "stray_frame", "color_temperature", "broken_blocks"]
)
def test_places_follow_the_seed(name: str) -> None:
    assert made(name, get(name).medium, 1).spans != made(name, get(name).medium, 2).spans


@pytest.mark.parametrize("name", PICTURE_OPERATORS)
def test_stronger_changes_more(name: str) -> None:
    def amount(strength: float) -> float:
        pairs = zip(pictures(), shown(made(name, strength)), strict=True)
        return float(np.mean([np.abs(a.astype(float) - b).mean() for a, b in pairs]))

    operator = get(name)
    assert amount(operator.weak) < amount(operator.medium) < amount(operator.strong)


ROOM = {"freeze": 11.2, "drop_frames": 11.2, "black_frames": 11.2, "sound_gap": 11.2}
"""Of 16 s 15 % are kept free at both ends."""


@pytest.mark.parametrize(("name", "most"), ROOM.items())
def test_a_length_that_does_not_fit_is_refused_and_the_longest_told(name: str, most: float) -> None:
    with pytest.raises(InputError, match=r"60 s does not fit: at most 11\.2 s"):
        made(name, 60)
    with pytest.raises(InputError):
        made(name, most + 0.001)
    ((start, end, _),) = made(name, most).spans
    assert end - start == pytest.approx(most)


def test_each_of_several_places_is_as_long_as_asked_for_or_refused() -> None:
    # four places share 11.2 s, and each fills 4/5 of its 2.8 s at most
    assert [b - a for a, b, _ in made("sound_dropout", 2.24).spans] == [pytest.approx(2.24)] * 4
    with pytest.raises(InputError, match=r"at most 2\.24 s"):
        made("sound_dropout", 2.25)
    with pytest.raises(InputError, match=r"at most 2\.24 s"):
        made("sound_dropout", 10)
    cuts = replace(FILM, cuts=(4.0, 5.0, 9.0))
    with pytest.raises(InputError, match="at most 1 s"):
        get("sound_dropout").make(cuts, 1.5, np.random.default_rng(0))


def test_a_delay_leaves_some_of_the_sound() -> None:
    short = replace(FILM, duration=2.0)
    assert get("sound_shift").make(short, 1.4, np.random.default_rng(0)).sound
    with pytest.raises(InputError, match=r"at most 1\.4 s"):
        get("sound_shift").make(short, 1.5, np.random.default_rng(0))


@pytest.mark.parametrize("name", ["flash", "stray_frame"])
def test_single_frames_are_as_many_as_asked_for_or_refused(name: str) -> None:
    assert len(changed_frames(made(name, 100))) == 100  # 16 s have room for 112 of them
    assert len({a for a, _, _ in made(name, 100).spans}) == 100
    short = replace(FILM, duration=10.0)
    with pytest.raises(InputError, match="at most 70 places"):
        get(name).make(short, 71, np.random.default_rng(0))
    with pytest.raises(InputError, match="at most 0 places"):
        get(name).make(replace(FILM, duration=0.08), 1, np.random.default_rng(0))
    with pytest.raises(InputError, match="at most 2 places"):
        get(name).make(replace(FILM, cuts=(4.0, 9.0)), 3, np.random.default_rng(0))
    with pytest.raises(UsageError, match="whole"):
        made(name, 1.5)


def test_single_frames_are_frames_of_the_film_however_uneven() -> None:
    frames = (0.0, 0.1, 5.0, 5.1, 9.0, 9.1, 12.0, 16.0)
    film = replace(FILM, frames=frames)
    ((start, end, _),) = get("flash").make(film, 1, np.random.default_rng(0)).spans
    assert end == frames[frames.index(start) + 1]
    with pytest.raises(InputError, match="a frame of its own"):
        get("flash").make(film, 20, np.random.default_rng(0))


def test_what_has_a_fixed_length_becomes_shorter_where_there_is_no_room_and_tells() -> None:
    short = replace(FILM, duration=1.0)
    for name in ("repeat_frames", "broken_blocks"):
        damage = get(name).make(short, get(name).medium, np.random.default_rng(1))
        assert damage.facts["seconds"] == pytest.approx(0.7)
    assert made("reencoded", 50).facts["seconds"] == pytest.approx(11.2 * 0.8)


def test_in_clips_too_short_for_it_damage_is_refused() -> None:
    clips = tuple(Clip(i * 2.0, i * 2.0 + 2.0) for i in range(8))
    of = replace(FILM, clips=clips)
    ((start, end, _),) = get("freeze").make(of, 1.6, np.random.default_rng(1)).spans
    assert end - start == pytest.approx(1.6)  # 0.2 s are kept from both cuts
    with pytest.raises(InputError, match=r"at most 1\.6 s inside one clip"):
        get("freeze").make(of, 1.7, np.random.default_rng(1))


@pytest.mark.parametrize("name", [n for n, p in ALONE.items() if p.extent] + ["reencoded"])
def test_a_strength_that_is_an_extent_shows_in_spans_or_facts(name: str) -> None:
    operator = get(name)
    told = [
        (d.spans, d.facts) for d in (made(name, s) for s in (operator.weak, operator.medium, operator.strong))
    ]
    assert told[0] != told[1] != told[2]


def test_freeze_holds_one_frame_for_its_length() -> None:
    damage = made("freeze", 1.0)
    out = shown(damage)
    start, end, _ = damage.spans[0]
    held = [i for i in range(FRAMES) if start <= i / FILM.fps < end]
    assert len(held) in (12, 13)
    assert all(np.array_equal(out[i], out[held[0]]) for i in held)
    assert not np.array_equal(out[held[-1] + 1], out[held[0]])


def test_stray_frames_are_single_and_as_many_as_asked() -> None:
    frames = changed_frames(made("stray_frame", 3))
    assert len(frames) == 3
    assert min(np.diff(frames)) > 5


@pytest.mark.parametrize("name", SOUND_OPERATORS)
def test_sound_damage_does_not_depend_on_the_blocks(name: str) -> None:
    sound = (np.random.default_rng(0).standard_normal((1, 128_000)) * 0.1).astype(np.float32)

    def heard(block: int) -> np.ndarray:
        damage = made(name, get(name).medium)
        assert damage.sound is not None
        parts = [
            damage.sound(sound[:, a : a + block].copy(), a / 8000, 8000) for a in range(0, 128_000, block)
        ]
        return np.concatenate(parts, axis=1)

    whole, small = heard(128_000), heard(1024)
    assert not np.array_equal(whole, sound)
    assert np.array_equal(whole, small)
    spans = made(name, get(name).medium).spans
    for at in np.flatnonzero((whole != sound).any(axis=0)):
        assert any(a - 0.001 <= at / 8000 <= b + 0.001 for a, b, _ in spans)


def test_places_are_the_cuts_where_cuts_are_given() -> None:
    film = FilmFacts(16.0, 12.5, 64, 48, 8000, cuts=(4.0, 9.0, 12.0))
    damage = get("sound_dropout").make(film, 0.1, np.random.default_rng(0))
    assert [a for a, _, _ in damage.spans] == [4.0, 9.0, 12.0]


def test_unknown_operator_is_told_its_neighbours() -> None:
    with pytest.raises(UsageError) as caught:
        get("freezes")
    assert "freeze" in (caught.value.hint or "")


@pytest.mark.parametrize("strength", ["huge", "1000", -3])
def test_strength_out_of_range_is_a_usage_error(strength: str | float) -> None:
    with pytest.raises(UsageError):
        strength_of(get("freeze"), strength)


def test_strength_names_and_numbers_agree() -> None:
    assert strength_of(get("freeze"), "medium") == (1.0, "medium")
    assert strength_of(get("freeze"), 1) == (1.0, "medium")
    assert strength_of(get("freeze"), 1.5) == (1.5, None)


WITHIN = sorted(n for n, p in PERTURBATIONS.items() if p.within)


@pytest.mark.parametrize("name", WITHIN)
@pytest.mark.parametrize("seed", range(8))
def test_damage_of_a_shots_course_crosses_no_cut(name: str, seed: int) -> None:
    film = replace(FILM, clips=(Clip(0, 5), Clip(5, 5.5), Clip(5.5, 16)))
    damage = get(name).make(film, get(name).medium, np.random.default_rng(seed))
    for start, end, _ in damage.spans:
        assert end > start
        assert any(c.start < start and end < c.end for c in film.clips)
