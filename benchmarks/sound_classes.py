"""Fits the weights of ``sound`` (music, noise) on one set of sounds and reports on another.

    LONGTAKE_TEST_MEDIA=... LONGTAKE_CACHE=... python benchmarks/sound_classes.py [--write] [--more FOLDER]

Set A: music and noise made by ``tests/sounds.py``, read sentences over them at known levels, and half of the
clips with known sound; the weights are fixed on it, and written with ``--write``. Set B: other seeds,
timbres, kinds of noise, speakers and clips. It was looked at while the inputs of the models were chosen, so
its figures flatter a little; ``--seed`` draws what is made here anew. What a clip holds was read off its
spectrogram and the manifest, as nobody here can listen. FOLDER may hold more sounds to report on, named by
what they are: ``music_*``, ``noise_*``, ``speech_*``, ``sung_*``. Figures are per second: balanced accuracy
is the mean of the share found where it is and of the share not claimed where it is not.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import sounds
from longtake.models import weights as model_files
from longtake.signals.audio_rhythm import OnsetStrength
from longtake.signals.film import Film
from longtake.signals.sound_classes import (
    INPUTS,
    Logistic,
    Rows,
    as_logistic,
    frozen,
    heard,
    inputs,
    likelihoods,
    models,
)
from longtake.signals.sound_events import speech_over_music
from longtake.signals.sound_hearing import MODEL, SoundObserver
from longtake.signals.sound_rows import rows_of
from longtake.storage.cache import cache_root

ROOT = Path(__file__).resolve().parents[1]
Floats = NDArray[np.float64]
CLASSES = ("music", "speech", "noise")
RATE = sounds.RATE
RIDGE = 10.0
"""Weight of the squared weights beside the loss; large, as set A is no sample of the world."""
CLIP_WEIGHT = 3.0
"""What a second of a clip counts beside one made here."""
UNKNOWN = np.nan

TIMBRES = {"A": ("pluck", "pad", "organ", "strings"), "B": ("bell", "reed", "pluck", "strings")}
NOISES = {
    "A": ("pink", "white", "wind", "hum", "engine", "steps", "birds", "siren", "whine", "tone"),
    "B": ("rain", "beeps", "clatter", "engine", "wind", "birds", "siren", "hum", "whine", "tone"),
}
SPEECH = {
    "A": (
        "3_audio/sb_LJ050-0131.wav",
        "3_audio/sb_spk1_snt1.wav",
        "3_audio/sb_spk1_snt2.wav",
        "2_speaking/grid_bbaf2n.mpg",
        "2_speaking/grid_lbax4n.mpg",
        "2_speaking/grid_lrwp9a.mpg",
    ),
    "B": (
        "3_audio/whisper_jfk.flac",
        "3_audio/sb_spk1_snt3.wav",
        "3_audio/sb_VAD_train.wav",
        "2_speaking/grid_pwij3p.mpg",
        "2_speaking/grid_sbia1a.mpg",
        "2_speaking/grid_sbwe5n.mpg",
    ),
}
# What clips hold: music, speech, noise (1 yes, 0 no, None unknown), and the seconds that this is true of.
CLIPS: dict[str, dict[str, tuple[float | None, float | None, float | None, float, float]]] = {
    "A": {
        "4_formats/pop_trailer.mp4": (1, 0, 0, 0, 62),
        "4_formats/ae_example.mp4": (0, 1, 0, 1, 17),
        "8_footage/mla_frog.mp4": (0, None, 1, 0, 8),
        "8_footage/mla_pig.mp4": (0, None, 1, 0, 6),
        "8_footage/flt_bee.mp4": (0, None, 1, 1, 4),
        "8_footage/mdn_chroma_a.mp4": (0, None, None, 0, 12),
        "8_footage/wrtc_chrome_b.mp4": (0, 0, 1, 0, 9),
        "1_shots/mpy_failing_audio.mp4": (0, 0, 1, 0, 4),
        "8_footage/ovi_kitchen.mp4": (0, None, None, 0, 5),
        "8_footage/ovi_stage.mp4": (0, None, None, 0, 5),
    },
    "B": {
        "3_audio/mdn_guitar.mp3": (1, 0, 0, 1, 22),
        "1_shots/mpy_bbb_0_30.webm": (1, 0, None, 0, 20),
        "8_footage/wrtc_chrome_c.mp4": (1, 0, None, 3, 9),
        "1_shots/ax_sample.avi": (1, 0, None, 1, 4),
        "3_audio/mdn_countdown.mp3": (0, None, None, 0, 19),
        "2_speaking/mdn_friday.mp4": (0, None, None, 0, 6),
        "8_footage/fv_ltx2.mp4": (0, None, None, 0, 5),
        "8_footage/ovi_redshirt.mp4": (0, None, None, 0, 5),
        "8_footage/ovi_twomen.mp4": (0, None, None, 0, 5),
        "8_footage/ovi_twowomen.mp4": (0, None, None, 0, 5),
        "8_footage/mla_crystal.mp4": (0, 0, 1, 0, 12),
        "8_footage/mla_elf.mp4": (0, None, 1, 0, 8),
        "4_formats/mla_rabbit320.mp4": (0, None, 1, 0, 8),
        "8_footage/flt_butterfly.mp4": (0, 0, 1, 1, 7),
        "8_footage/mdn_chroma_b.mp4": (0, None, 1, 0, 12),
        "8_footage/wrtc_chrome_a.mp4": (0, None, None, 6, 10),
        "4_formats/mpy_fire2.mp4": (0, None, 1, 0, 2),
        "4_formats/ax_hdr10-av1.mp4": (0, None, 1, 0, 4),
        "8_footage/va_1B.mp4": (0, 0, 1, 0, 5),
    },
}
UNTOLD = ("8_footage/simpl_small_a.mp4", "8_footage/simpl_small_b.mp4", "8_footage/simpl_small_c.mp4")
UNTOLD += ("8_footage/tmh_bear.webm", "1_shots/gcs_chrome-clip.mp4")
"""Clips of which nobody wrote what is to be heard: printed, counted nowhere."""


@dataclass
class Piece:
    """A sound, its group in the report, and what each second holds (seconds, 3): 0, 1 or NaN."""

    group: str
    rows: Rows
    truth: Floats
    weight: float = 1.0
    given: Floats = field(default_factory=lambda: np.zeros((0, len(INPUTS))))


class Ears:
    """Runs the real observers over sounds and clips."""

    def __init__(self) -> None:
        chosen, why = model_files.choose((MODEL,), cache_root())
        if why:
            raise SystemExit(why)
        self._weights = model_files.load(chosen, cache_root(), 1)

    def hear(self, blocks: list[tuple[NDArray[np.float32], int, float]]) -> Rows:
        observer = SoundObserver(self._weights)
        onsets = OnsetStrength(blocks[0][1], blocks[0][2])
        for samples, rate, time in blocks:
            observer.hear(samples, rate, time)
            onsets.hear(samples)
        merged = observer.flush()
        at = [np.arange(first, first + len(v)) for first, v in onsets.frames]
        merged["audio_onsets.frame"] = np.concatenate([np.zeros(0, np.int64), *at])
        merged["audio_onsets.strength"] = np.concatenate(
            [np.zeros(0, np.float32), *(v for _, v in onsets.frames)]
        )
        end = blocks[-1][2] + blocks[-1][0].shape[1] / blocks[-1][1]
        film = Film(duration=end, times=np.zeros(0), frame_s=0.04, width=0, height=0, has_sound=True, end=end)
        return rows_of(merged, film)[0]

    def sound(self, sound: sounds.Sound) -> Rows:
        return self.hear([(sound[None, i : i + RATE], RATE, i / RATE) for i in range(0, len(sound), RATE)])

    def file(self, path: Path) -> Rows:
        return self.hear(blocks_of(path))


def blocks_of(path: Path) -> list[tuple[NDArray[np.float32], int, float]]:
    """All sound of a file, or of its pictures' file."""
    found, time = [], 0.0
    with av.open(str(path)) as container:
        graph = None
        for frame in container.decode(audio=0):
            graph = graph or av.AudioResampler("fltp", frame.layout.name, frame.sample_rate)
            for part in graph.resample(frame):
                samples = part.to_ndarray().astype(np.float32)
                found.append((samples, part.sample_rate, time))
                time += samples.shape[1] / part.sample_rate
    return found


def mono(path: Path) -> sounds.Sound:
    """A file's sound at 16 kHz."""
    graph, parts = av.AudioResampler("flt", "mono", RATE), []
    with av.open(str(path)) as container:
        for frame in container.decode(audio=0):
            parts += [p.to_ndarray().ravel() for p in graph.resample(frame)]
        parts += [p.to_ndarray().ravel() for p in graph.resample(None)]
    return np.concatenate(parts).astype(np.float32)


def voiced_seconds(sound: sounds.Sound) -> Floats:
    """1 for seconds of clean speech with at least 0.3 s near its level, 0 for pauses, NaN between."""
    loud = tenths(sound) > sounds.level(sound) - 20
    counts = np.array([loud[i : i + 10].sum() for i in range(0, len(loud), 10)])
    return np.where(counts >= 3, 1.0, np.where(counts == 0, 0.0, UNKNOWN))


def _piece(ears: Ears, group: str, sound: sounds.Sound, music: float, speech: object, noise: float) -> Piece:
    rows = ears.sound(sound)
    truth = np.full((len(heard(rows)), 3), UNKNOWN)
    truth[:, 0], truth[:, 2] = music, noise
    said = np.broadcast_to(np.asarray(speech, np.float64), len(truth)) if np.ndim(speech) == 0 else speech
    truth[: len(said), 1] = said[: len(truth)]  # type: ignore[index]
    return Piece(group, rows, truth)


def made(ears: Ears, media: Path, which: str, seed: int) -> list[Piece]:
    """Music, noise, speech and their mixes, from seeds."""
    random = np.random.default_rng(seed)
    pieces = []
    for n, style in enumerate(sounds.STYLES * 3):
        timbre = None if style == "pad" else TIMBRES[which][n % 4]
        pieces.append(_piece(ears, f"made {style}", sounds.music(seed + n, 12, style, timbre), 1, 0.0, 0))
    for n, kind in enumerate(NOISES[which] * 2):
        pieces.append(_piece(ears, f"made {kind}", sounds.noise(seed + n, 12, kind), 0, 0.0, 1))
    lines = [sounds.at_level(mono(media / name)) for name in SPEECH[which]]
    voice = sounds.joined(lines, 0.4)
    said = voiced_seconds(voice)
    seconds = len(voice) / RATE
    pieces.append(_piece(ears, "speech", voice, 0, said, 0))
    for n, db in enumerate((20, 15, 10, 5, 0, 20, 15, 10, 5, 0)):
        back = sounds.music(
            seed + 100 + n, seconds, str(random.choice(sounds.STYLES[:5])), TIMBRES[which][n % 4]
        )
        made_here = sounds.mixed(voice, back, db)
        pieces.append(_piece(ears, f"speech +{db} dB over music", made_here, 1, said, 0))
    for n, db in enumerate((20, 10, 5, 0, 20, 10, 5, 0)):
        kind = NOISES[which][n % len(NOISES[which])]
        made_here = sounds.mixed(voice, sounds.noise(seed + 200 + n, seconds, kind), db)
        pieces.append(
            _piece(ears, f"speech +{db} dB over noise", made_here, 0, said, 1 if db <= 10 else UNKNOWN)
        )
    for n, db in enumerate((20, 10, 0, -5) * 4):
        kind = NOISES[which][(n * 3) % len(NOISES[which])]
        front = sounds.music(seed + 300 + n, 12, sounds.STYLES[n % 5], TIMBRES[which][n % 4])
        made_here = sounds.mixed(front, sounds.noise(seed + 400 + n, 12, kind), db)
        pieces.append(
            _piece(ears, f"music {db:+d} dB over noise", made_here, 1, 0.0, 1 if db <= 10 else UNKNOWN)
        )
    return pieces


def clips(ears: Ears, media: Path, which: str) -> list[Piece]:
    """Real recordings."""
    pieces = []
    for name, (music, speech, noise, begin, end) in CLIPS[which].items():
        rows = ears.file(media / name)
        truth = np.full((len(heard(rows)), 3), UNKNOWN)
        told = [UNKNOWN if v is None else v for v in (music, speech, noise)]
        truth[int(begin) : int(end)] = told
        pieces.append(Piece(f"clip {Path(name).name}", rows, truth, CLIP_WEIGHT))
    return pieces


def more(ears: Ears, folder: Path) -> list[Piece]:
    """Sounds named by what they are; a piece's first and last second are left out."""
    pieces = []
    told = {"music": (1, 0, UNKNOWN), "sung": (1, UNKNOWN, 0), "speech": (0, 1, UNKNOWN), "noise": (0, 0, 1)}
    for path in sorted(folder.iterdir()):
        kind = path.name.split("_")[0]
        rows = ears.file(path)
        truth = np.tile(np.array(told[kind], np.float64), (len(heard(rows)), 1))
        truth[[0, -1]] = UNKNOWN
        group = "more sampled" if "sampled" in path.name else f"more {path.stem}"
        pieces.append(Piece(group, rows, truth))
    return pieces


def balance(ears: Ears, media: Path, seed: int) -> None:
    """How far the measured level of speech over music is from the one it was mixed at."""
    voice = sounds.joined([sounds.at_level(mono(media / name)) for name in SPEECH["B"]], 0.8)
    print("\nSpeech over music, by the level at which it was mixed:")
    for db in (20, 15, 10, 5, 0, -5):
        errors = []
        for n, style in enumerate(sounds.STYLES[:5]):
            music = sounds.music(seed + 600 + n, len(voice) / RATE, style, TIMBRES["B"][n % 4])
            rows = ears.sound(sounds.mixed(voice, music, db))
            levels = tenths(sounds.mixed(voice, music, db))
            found = speech_over_music(rows, levels, likelihoods(rows)["music"], 0.0)
            spoken, under = tenths(voice), tenths(sounds.at_level(music, sounds.level(voice) - db))
            for phrase in found:
                part = slice(round(phrase.start * 10), round(phrase.end * 10))
                near = slice(max(0, part.start - 20), part.stop + 20)
                truth = loudness(spoken[part]) - loudness(under[near])
                errors.append(phrase.over_music_db - truth)
        if errors:
            print(
                f"  {db:+3d}: error median {np.median(errors):+.1f} dB, "
                f"90 % within {np.percentile(np.abs(errors), 90):.1f} dB, {len(errors)} phrases"
            )


def tenths(sound: sounds.Sound) -> Floats:
    """Level per 0.1 s, dBFS."""
    power = np.mean(sound[: len(sound) // 1600 * 1600].reshape(-1, 1600).astype(np.float64) ** 2, axis=1)
    return np.asarray(10 * np.log10(power + 1e-12))


def loudness(levels: Floats) -> float:
    """Level (dB) of the mean power of rows; of speech its pauses count as well."""
    return float(10 * np.log10(np.mean(10 ** (levels / 10))))


def fit(pieces: list[Piece], which: int) -> dict[str, object]:
    """A logistic model of class ``which``: Newton's steps on the loss with a ridge, classes in balance."""
    given = np.concatenate([p.given for p in pieces])
    truth = np.concatenate([p.truth[:, which] for p in pieces])
    weight = np.concatenate([np.full(len(p.truth), p.weight) for p in pieces])
    use = np.isfinite(truth) & np.concatenate([heard(p.rows) for p in pieces])
    given, truth, weight = given[use], truth[use], weight[use]
    for value in (0, 1):
        weight[truth == value] *= len(truth) / 2 / weight[truth == value].sum()
    mean, spread = np.round(given.mean(axis=0), 4), np.round(np.maximum(given.std(axis=0), 0.01), 4)
    scaled = np.hstack([((given - mean) / spread).clip(-4, 4), np.ones((len(given), 1))])
    ridge = np.diag([RIDGE] * len(INPUTS) + [0.0])
    found = np.zeros(scaled.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (weight * (likely - truth)) + ridge @ found
        bend = (scaled * (weight * likely * (1 - likely))[:, None]).T @ scaled + ridge
        found -= np.linalg.solve(bend, slope)
    table = {
        name: [float(mean[i]), float(spread[i]), round(float(found[i]), 4)] for i, name in enumerate(INPUTS)
    }
    return {"bias": round(float(found[-1]), 4), "inputs": table}


def report(title: str, pieces: list[Piece], tools: dict[str, Logistic]) -> None:
    """Shares found per group, and balanced accuracy of the whole set."""
    print(f"\n{title}: share of seconds in which each is claimed (truth)")
    groups: dict[str, list[tuple[Floats, Floats]]] = defaultdict(list)
    for piece in pieces:
        told = heard(piece.rows)
        found = likelihoods(piece.rows)
        guess = np.stack(
            [
                np.where(frozen(piece.given), 0.0, tools["music"].likelihood(piece.given)),
                found["speech"],
                tools["noise"].likelihood(piece.given),
            ],
            1,
        )
        groups[piece.group].append((guess[told], piece.truth[told]))
    for name, parts in groups.items():
        guess, truth = (np.concatenate(c) for c in zip(*parts, strict=True))
        cells = []
        for i, kind in enumerate(CLASSES):
            known = np.isfinite(truth[:, i])
            true = f"{truth[known, i].mean():.2f}" if known.any() else " ?  "
            cells.append(
                f"{kind} {(guess[:, i] >= 0.5)[known if known.any() else slice(None)].mean():.2f} ({true})"
            )
        print(f"  {name:34s} {len(guess):4d} s  " + "  ".join(cells))
    for scope in ("made", "clip", "speech", ""):
        parts = [p for name, ps in groups.items() if name.startswith(scope) for p in ps]
        if not parts:
            continue
        guess, truth = (np.concatenate(c) for c in zip(*parts, strict=True))
        line = []
        for i, kind in enumerate(CLASSES):
            yes, no = truth[:, i] == 1, truth[:, i] == 0
            if yes.any() and no.any():
                hit, calm = (guess[yes, i] >= 0.5).mean(), (guess[no, i] < 0.5).mean()
                line.append(f"{kind} {(hit + calm) / 2:.3f} (found {hit:.3f}, false {1 - calm:.3f})")
        print(f"  balanced accuracy, {scope or 'all'}: " + "; ".join(line))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="fit anew and write the weights")
    parser.add_argument("--more", type=Path)
    parser.add_argument("--seed", type=int, default=5000, help="of what is made for set B")
    given = parser.parse_args()
    media = Path(os.environ["LONGTAKE_TEST_MEDIA"])
    ears = Ears()
    seeds = {"A": 0, "B": given.seed}
    sets = {name: [*made(ears, media, name, seed), *clips(ears, media, name)] for name, seed in seeds.items()}
    if given.more:
        sets["B"] += more(ears, given.more)
    for pieces in sets.values():
        for piece in pieces:
            piece.given = inputs(piece.rows)
    if given.write:
        fitted = {"music": fit(sets["A"], 0), "noise": fit(sets["A"], 2)}
        target = ROOT / "src" / "longtake" / "signals" / "sound_weights.json"
        target.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")
        tools = {name: as_logistic(model) for name, model in fitted.items()}  # type: ignore[arg-type]
    else:
        tools = models()
    report("Set A (fitted)", sets["A"], tools)
    report("Set B (reported)", sets["B"], tools)
    balance(ears, media, given.seed)
    print("\nNobody wrote what these hold:")
    for name in UNTOLD:
        rows = ears.file(media / name)
        figures = {k: float(np.nanmean(v)) for k, v in likelihoods(rows).items()}
        print(f"  {name:34s} " + "  ".join(f"{k} {v:.2f}" for k, v in figures.items()))


if __name__ == "__main__":
    main()
