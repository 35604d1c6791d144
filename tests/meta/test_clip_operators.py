"""Operators that work on clips, on made pictures: they do what they say, to the clips that they name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from longtake.core.brief import Brief, PlannedShot
from longtake.core.seeds import seed_for
from longtake.core.video import Part, Video
from longtake.diagnosis.rubric import load_rubric
from longtake.errors import InputError, UsageError
from longtake.meta.perturbations import PERTURBATIONS, Damage, FilmFacts, get
from longtake.meta.perturbations.base import Clip, PoolSegment, Samples
from longtake.meta.perturbations.clips import blocks

W, H, FPS = 64, 48, 10.0
SUITE = {"slvmeval", "long-code"}


def shown(time: float) -> np.ndarray:
    """What the made film shows: a texture of its own every second, moving within it."""
    noise = np.random.default_rng(int(time)).integers(30, 220, (H, W, 3), dtype=np.uint8)
    return np.roll(noise, round(time % 1 * FPS), axis=1)


def film(count: int = 20, text: str = "A dog on the left runs.", **more: object) -> FilmFacts:
    clips = tuple(Clip(i * 2.0, i * 2.0 + 2.0, text) for i in range(count))
    return replace(
        FilmFacts(count * 2.0, FPS, W, H, 8000, clips=clips, hash="f" * 64, look=shown),
        **more,  # type: ignore[arg-type]
    )


def other(name: str, hash_: str = "") -> Video:
    return Video("file", (Part(Path(f"{name}.mp4"), hash_ or name * 64),), path=Path(f"{name}.mp4"))


def pooled(count: int = 20, segments: int = 40, seed: int = 0, length: float = 2.0) -> FilmFacts:
    drawn = np.random.default_rng(seed).standard_normal((count + segments, 8)).astype(np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    pool = tuple(
        PoolSegment(other("ab"[i % 2]), i // 2 * length, i // 2 * length + length, drawn[count + i])
        for i in range(segments)
    )
    return film(count, vectors=drawn[:count], pool=pool)


def made(name: str, strength: float | None = None, of: FilmFacts | None = None, seed: int = 1) -> Damage:
    operator = get(name)
    number = operator.strong if strength is None else strength
    return operator.make(of or film(), number, np.random.default_rng(seed_for("f" * 64, name, seed)))


def numbers(damage: Damage) -> list[int]:
    return [int(n) for n in str(damage.facts["clips"]).split(",")]


def pictures(damage: Damage, of: FilmFacts) -> list[tuple[float, np.ndarray]]:
    """The frames of the spans as the engine would ask for them: in time order, inside spans only."""
    assert damage.picture is not None
    times = [i / FPS for i in range(round(of.duration * FPS))]
    inside = [t for t in times if any(a - 1e-9 <= t < b - 1e-9 for a, b, _ in damage.spans)]
    return [(t, damage.picture(shown(t), t)) for t in inside]


def luma(bgr: np.ndarray) -> np.ndarray:
    return bgr.astype(float) @ np.array([0.114, 0.587, 0.299])


CLIPPED = [
    n
    for n, p in PERTURBATIONS.items()
    if p.family in SUITE and not {"mask", "edit", "generate"} & set(p.needs)
]


def facts_for(name: str) -> FilmFacts:
    return pooled() if "pool" in get(name).needs else film()


@pytest.mark.parametrize("name", CLIPPED)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_weaker_clips_are_among_stronger_ones(name: str, seed: int) -> None:
    operator = get(name)
    weak, medium, strong = (
        set(numbers(made(name, s, facts_for(name), seed)))
        for s in (operator.weak, operator.medium, operator.strong)
    )
    assert weak <= medium <= strong


@pytest.mark.parametrize("name", CLIPPED)
def test_one_item_is_the_same_whatever_ran_before_and_differs_by_seed(name: str) -> None:
    first = made(name, of=facts_for(name))
    for earlier in CLIPPED:
        made(earlier, of=facts_for(earlier), seed=5)
    again = made(name, of=facts_for(name))
    assert (first.spans, first.order, first.facts, first.removed) == (
        again.spans,
        again.order,
        again.facts,
        again.removed,
    )
    assert len({str(made(name, of=facts_for(name), seed=s).spans) for s in range(5)}) > 1


@pytest.mark.parametrize("name", CLIPPED)
def test_no_operator_works_on_a_film_that_is_not_cut_into_clips(name: str) -> None:
    with pytest.raises(InputError):
        made(name, of=replace(facts_for(name), clips=()))


@pytest.mark.parametrize("name", ["aesthetics", "technical_quality", "dynamics_degree"])
def test_five_clips_but_at_most_half_of_them(name: str) -> None:
    assert len(numbers(made(name))) == 5
    assert len(numbers(made(name, of=film(7)))) == 3
    with pytest.raises(InputError, match="half"):
        made(name, of=film(1))


@pytest.mark.parametrize("name", ["comprehensiveness", "temporal_flow"])
def test_a_film_of_fewer_than_ten_clips_is_refused(name: str) -> None:
    made(name, of=film(10))
    with pytest.raises(InputError, match="10 clips or more; this one has 9"):
        made(name, of=film(9))


@pytest.mark.parametrize("strength", [0.3, 0.5, 0.65])
def test_aesthetics_keeps_the_mean_and_scales_the_rest_about_it(strength: float) -> None:
    damage, kept = made("aesthetics", strength), 1 - strength
    for number in numbers(damage):
        clip = film().clips[number]
        of_clip = [(t, p) for t, p in pictures(damage, film()) if clip.start <= t < clip.end - 1e-9]
        before = np.stack([shown(t) for t, _ in of_clip]).astype(float)
        after = np.stack([p for _, p in of_clip]).astype(float)
        assert abs(luma(before).mean() - luma(after).mean()) < 0.5
        assert luma(after).std() / luma(before).std() == pytest.approx(kept, abs=0.01)
        chroma = [x[..., 2] - luma(x) for x in (before, after)]
        assert chroma[1].std() / chroma[0].std() == pytest.approx(kept, abs=0.01)
        slope, level = np.polyfit(before.ravel(), after.ravel(), 1)
        assert slope == pytest.approx(kept, abs=0.01)
        assert level / (1 - slope) == pytest.approx(luma(before).mean(), abs=2)


def test_aesthetics_does_not_flicker() -> None:
    """One grey level stays one grey level through a clip, however bright the frames around it are."""
    of = film(look=lambda time: np.full((H, W, 3), round(time * 9) % 200, np.uint8))
    damage = made("aesthetics", of=of)
    assert damage.picture is not None
    clip = of.clips[numbers(damage)[0]]
    out = [damage.picture(np.full((H, W, 3), 77, np.uint8), clip.start + i / FPS)[0, 0, 0] for i in range(20)]
    assert len(set(out)) == 1


@pytest.mark.parametrize("times", [2, 4, 8])
def test_technical_quality_is_area_down_and_cubic_up(times: int) -> None:
    damage = made("technical_quality", times)
    for time, picture in pictures(damage, film())[:30]:
        bgr = shown(time).astype(float)
        means = bgr.reshape(H // times, times, W // times, times, 3).mean(axis=(1, 3))  # area, by hand
        small = np.round(means).astype(np.uint8)
        assert (
            np.abs(cv2.resize(small, (W, H), interpolation=cv2.INTER_CUBIC).astype(float) - picture).max()
            <= 2
        )
        assert picture.shape == bgr.shape


@pytest.mark.parametrize(("strength", "frames"), [(1 / 3, 7), (2 / 3, 13), (1, 20)])
def test_dynamics_holds_the_middle_frame_round_the_middle(strength: float, frames: int) -> None:
    damage = made("dynamics_degree", strength)
    for number in numbers(damage):
        clip = film().clips[number]
        held = [(t, p) for t, p in pictures(damage, film()) if clip.start - 1e-9 <= t < clip.end - 1e-9]
        assert abs(len(held) - frames) <= 1
        assert all(np.array_equal(p, shown(clip.start + 1.0)) for _, p in held)
        assert (held[0][0] + held[-1][0]) / 2 == pytest.approx(clip.start + 0.95, abs=0.06)
    assert damage.sound is None


def test_dynamics_takes_clips_with_a_verb_of_motion_or_any_without_captions() -> None:
    texts = ["A dog runs.", "A man sits.", "", "Not a dog moves."] * 5
    clips = tuple(replace(c, text=t) for c, t in zip(film().clips, texts, strict=True))
    damage = made("dynamics_degree", of=film(clips=clips))
    assert all(n % 4 == 0 for n in numbers(damage))
    assert damage.facts["n_eligible"] == 5
    assert str(damage.facts["words"]).count("runs") == 5
    bare = made("dynamics_degree", of=film(text=""))
    assert bare.facts["n_eligible"] == 20
    assert "words" not in bare.facts


@pytest.mark.parametrize("name", ["dynamics_degree", "spatial_relationship"])
def test_captions_that_speak_of_something_else_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="no clip of this film mentions"):
        made(name, of=film(text="He left a chair in a room."))


def test_fewer_eligible_clips_than_asked_for_are_taken_and_counted() -> None:
    clips = tuple(
        replace(c, text="" if i != 7 else "A cat to the right.") for i, c in enumerate(film().clips)
    )
    damage = made("spatial_relationship", 5, film(clips=clips))
    assert (damage.facts["n_clips"], damage.facts["n_eligible"], damage.facts["clips"]) == (1, 1, "7")
    assert damage.facts["words"] == "7: right"


def test_spatial_relationship_mirrors() -> None:
    damage = made("spatial_relationship")
    assert len(numbers(damage)) == 5
    for time, picture in pictures(damage, film()):
        assert np.array_equal(picture, np.fliplr(shown(time)))
        assert not np.array_equal(picture, shown(time))


def test_mirrored_text_is_told_of() -> None:
    chosen = numbers(made("spatial_relationship"))
    start = film().clips[chosen[1]].start
    assert made("spatial_relationship").facts["has_text"] is None
    assert made("spatial_relationship", of=film(written=())).facts["has_text"] is False
    told = made("spatial_relationship", of=film(written=((start + 0.5, start + 0.7),))).facts
    assert (told["has_text"], told["clips_with_text"]) == (True, str(chosen[1]))


@pytest.mark.parametrize("count", [1, 3, 5])
def test_comprehensiveness_leaves_out_whole_clips(count: int) -> None:
    damage = made("comprehensiveness", count)
    assert len(damage.removed) == count
    assert list(damage.removed) == [(film().clips[i].start, film().clips[i].end) for i in numbers(damage)]
    assert damage.picture is damage.sound is None


@pytest.mark.parametrize("count", [3, 4, 5])
@pytest.mark.parametrize("seed", range(5))
def test_temporal_flow_moves_every_one_of_clips_in_a_row(count: int, seed: int) -> None:
    damage = made("temporal_flow", count, seed=seed)
    chosen = numbers(damage)
    assert chosen == list(range(chosen[0], chosen[0] + count))
    played = [int(t // 2) for a, b in damage.order for t in np.arange(a, b, 2.0)]
    assert sorted(played) == list(range(20))
    assert [i for i, n in enumerate(played) if i != n] == chosen


@pytest.mark.parametrize(("share", "count"), [(0.2, 4), (0.4, 8), (0.8, 16)])
@pytest.mark.parametrize("seed", range(5))
def test_shuffle_moves_a_share_and_every_block_of_it(share: float, count: int, seed: int) -> None:
    damage = made("shuffle", share, seed=seed)
    played = [int(t // 2) for a, b in damage.order for t in np.arange(a, b, 2.0)]
    assert sorted(played) == list(range(20))
    moved = [i for i, n in enumerate(played) if i != n]
    assert moved == numbers(damage)
    assert len(moved) == count
    assert str(damage.facts["in_their_place"]).split(",") == [str(played[i]) for i in moved]


def test_shuffle_of_less_than_two_blocks_is_refused_and_says_how_many_it_takes() -> None:
    of = FilmFacts(90, 25, 64, 48, clips=blocks(90))
    with pytest.raises(InputError) as caught:
        made("shuffle", 0.2, of)
    assert "10 blocks" in (caught.value.hint or "")
    made("shuffle", 0.2, FilmFacts(100, 25, 64, 48, clips=blocks(100)))


@pytest.mark.parametrize("count", [2, 4, 8, 16])
def test_replace_takes_the_likest_segment_once(count: int) -> None:
    of = pooled()
    damage = made("replace", count, of)
    assert len(damage.inserts) == count
    used = [(i.video.hash, round(i.at, 6)) for i in damage.inserts]
    assert len(set(used)) == count
    assert [(i.start, i.end) for i in damage.inserts] == [(a, b) for a, b, _ in damage.spans]
    assert all(i.picture and i.sound for i in damage.inserts)
    # of all segments that no block took, none is liker to a block than the one it got
    assert of.vectors is not None
    free = [s for s in of.pool if (s.video.hash, s.start) not in used]
    for insert, number in zip(damage.inserts, numbers(damage), strict=True):
        got = next(s for s in of.pool if (s.video.hash, s.start) == (insert.video.hash, round(insert.at, 6)))
        assert got.vector is not None
        best = max(float(of.vectors[number] @ s.vector) for s in free if s.vector is not None)
        assert float(of.vectors[number] @ got.vector) >= best - 1e-6


def test_replace_finds_the_one_that_is_the_same() -> None:
    of = pooled()
    assert of.vectors is not None
    number = numbers(made("replace", 1, of))[0]
    twin = replace(of.pool[11], vector=of.vectors[number])
    damage = made("replace", 1, replace(of, pool=(*of.pool[:11], twin, *of.pool[12:])))
    assert damage.inserts[0].video.hash == twin.video.hash
    assert damage.inserts[0].at == pytest.approx(twin.start)
    assert damage.facts["mean_cosine"] == pytest.approx(1, abs=1e-5)


def test_replace_does_not_depend_on_the_order_of_the_pool() -> None:
    of = pooled()
    assert made("replace", 8, of).inserts == made("replace", 8, replace(of, pool=of.pool[::-1])).inserts


def test_replace_never_takes_from_the_film_itself() -> None:
    of = pooled()
    own = tuple(replace(s, video=other("f")) for s in of.pool if s.video.hash == "b" * 64)
    rest = tuple(s for s in of.pool if s.video.hash == "a" * 64)
    damage = made("replace", 16, replace(of, pool=rest + own))
    assert {i.video.hash for i in damage.inserts} == {"a" * 64}
    with pytest.raises(InputError):
        made("replace", 2, replace(of, pool=own))


def test_a_pool_that_is_too_small_says_what_it_takes() -> None:
    with pytest.raises(InputError, match="8 segments of other films are needed"):
        made("replace", 8, pooled(segments=7))
    made("replace", 8, pooled(segments=8))


def test_replace_needs_as_many_blocks_as_it_replaces_and_embeddings() -> None:
    with pytest.raises(InputError, match="the film has 7"):
        made("replace", 8, pooled(count=7))
    with pytest.raises(InputError, match="embeddings"):
        made("replace", 2, replace(pooled(), vectors=None))


def test_replace_leaves_blocks_that_no_segment_fills() -> None:
    of = pooled(count=6)
    long = (*of.clips[:-1], Clip(10.0, 12.9))
    damage = made("replace", 5, replace(of, clips=long, duration=12.9))
    assert 5 not in numbers(damage)
    assert damage.facts["n_eligible"] == 5
    with pytest.raises(InputError):
        made("replace", 6, replace(of, clips=long, duration=12.9))


@pytest.mark.parametrize(
    "name", ["comprehensiveness", "spatial_relationship", "temporal_flow", "replace", "reencoded"]
)
def test_half_a_clip_is_no_strength(name: str) -> None:
    with pytest.raises(UsageError, match="whole"):
        made(name, 2.5, facts_for(name))


def test_frozen_shows_the_first_frame_of_each_clip() -> None:
    damage = made("frozen", 1)
    assert numbers(damage) == list(range(20))
    for time, picture in pictures(damage, film()):
        assert np.array_equal(picture, shown(time // 2 * 2))
    assert len(numbers(made("frozen", 0.25))) == 5
    assert set(numbers(made("frozen", 0.25))) < set(numbers(made("frozen", 0.5)))


@pytest.mark.parametrize(("clips", "share"), [(1, 0.5), (1, 0.25), (2, 0.25), (20, 0.01)])
def test_frozen_refuses_where_whole_clips_miss_the_share_by_far(clips: int, share: float) -> None:
    with pytest.raises(InputError, match=f"of {clips} clip"):
        made("frozen", share, film(clips))


@pytest.mark.parametrize(
    ("clips", "share", "count"), [(1, 1, 1), (2, 0.5, 1), (3, 0.5, 2), (4, 0.25, 1), (10, 0.25, 2)]
)
def test_frozen_takes_the_number_of_clips_nearest_to_the_share(clips: int, share: float, count: int) -> None:
    assert len(made("frozen", share, film(clips)).spans) == count


def test_unrelated_brief_changes_the_brief_and_nothing_else() -> None:
    own = Brief(shots=[PlannedShot(index=0, text="A dog.")])
    unlike = Brief(shots=[PlannedShot(index=0, text="A ship.")])
    damage = made("unrelated_brief", 1, film(brief=own, other_brief=unlike))
    assert damage.brief is unlike
    assert (damage.spans, damage.picture, damage.sound, damage.inserts) == ([], None, None, ())
    with pytest.raises(InputError, match="own"):
        made("unrelated_brief", 1, film(brief=own, other_brief=own))
    with pytest.raises(InputError):
        made("unrelated_brief", 1, film(brief=own))


def test_reencoded_changes_no_picture() -> None:
    damage = made("reencoded", 5)
    assert len(damage.spans) == 5
    assert all(np.array_equal(p, shown(t)) for t, p in pictures(damage, film()))
    assert get("reencoded").aspects == ()


def test_a_flash_is_no_cutaway() -> None:
    short = tuple(Clip(i / 2, i / 2 + 0.5) for i in range(20))
    with pytest.raises(InputError, match="flash"):
        made("clean_cut", 1, film(clips=short, other=other("a")))


def test_another_film_is_another() -> None:
    for name in ("clean_cut", "other_sound"):
        with pytest.raises(InputError, match="very film"):
            made(name, 1, film(other=other("f")))
        with pytest.raises(InputError, match="another film"):
            made(name, 1, film())


@pytest.mark.parametrize("share", [0.25, 0.5, 1])
def test_sound_removed_is_silent_for_a_share_whatever_the_blocks(share: float) -> None:
    sound: Samples = np.full((2, 320_000), 0.5, np.float32)

    def heard(block: int) -> np.ndarray:
        run: Callable[[Samples, float, int], Samples] | None = made("sound_removed", share).sound
        assert run is not None
        parts = [run(sound[:, a : a + block].copy(), a / 8000, 8000) for a in range(0, 320_000, block)]
        return np.concatenate(parts, axis=1)

    silent = heard(1000) == 0
    assert silent.mean() == pytest.approx(share, abs=1e-4)
    assert np.array_equal(heard(1000), heard(320_000))
    start, end, _ = made("sound_removed", share).spans[0]
    assert np.flatnonzero(silent[0])[[0, -1]] / 8000 == pytest.approx([start, end], abs=1e-3)


def test_stretches_of_sound_nest() -> None:
    spans = [made("sound_removed", s).spans[0] for s in (0.25, 0.5, 1)]
    assert spans[0][0] >= spans[1][0] >= spans[2][0]
    assert spans[0][1] <= spans[1][1] <= spans[2][1]


def test_every_operator_declares_itself() -> None:
    for name, operator in PERTURBATIONS.items():
        assert operator.doc.strip(), name
        assert operator.low <= operator.weak <= operator.medium <= operator.strong <= operator.high, name
        assert operator.spared, name
        assert not set(operator.aspects) & set(operator.spared), name
        assert operator.aspects or operator.family == "control", name


SLVMEVAL = {
    "aesthetics",
    "technical_quality",
    "appearance_style",
    "background_consistency",
    "temporal_flow",
    "comprehensiveness",
    "object_removal",
    "spatial_relationship",
    "dynamics_degree",
    "color",
}


def test_declared_aspects_are_checkpoints_rules_of_reports_or_slvmeval_aspects() -> None:
    rubric = load_rubric()
    known = SLVMEVAL | {c.id for c in rubric.checkpoints} | {m.id for m in rubric.report_metrics}
    for name, operator in PERTURBATIONS.items():
        assert set(operator.aspects) | set(operator.spared) <= known, name
    slvmeval = {n: p for n, p in PERTURBATIONS.items() if p.family == "slvmeval"}
    assert all(name in operator.aspects for name, operator in slvmeval.items())
