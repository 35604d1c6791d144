"""Speech on real clips whose words are known, and on sound without any."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hearing import GRID, Sound, film_of_sound, heard, sound, speech_weights, told
from words import edits, error_rate, plain

from longtake.core.signal import Signal
from longtake.errors import BackendError
from longtake.models.weights import Weights
from longtake.signals import speech
from longtake.signals.observer import Arrays
from longtake.signals.speech_facts import PHRASE, SEGMENT, WORD, table
from longtake.signals.speech_segments import LONGEST_S, PAD_S, ROW_S, Segment, Segmenter
from sentences import CLIP_S, READ

APART_S = 4.0
NOTHING = ("3_audio/mdn_guitar.mp3", "8_footage/simpl_small_a.mp4", "4_formats/ax_silent-black-10s.mp4")


def mono(rate: int, samples: np.ndarray) -> tuple[Sound, int]:
    return samples.astype(np.float32)[None], rate


@pytest.fixture(scope="module")
def grid(weights_root: Path, media: Path) -> tuple[Signal, Arrays]:
    """The seven GRID clips one after the other: one segment."""
    clips = [sound(media / "2_speaking" / f"{name}.mpg") for name in GRID]
    pieces = [(s[:, : round(CLIP_S * r)], r, i * CLIP_S) for i, (s, r) in enumerate(clips)]
    return told(weights_root, pieces)


def test_words_of_the_grid_sentences(grid: tuple[Signal, Arrays]) -> None:
    signal, _ = grid
    said = " ".join(GRID.values())
    found = " ".join(signal.columns["word"])
    rate = error_rate(said, found)
    print(f"GRID, 7 sentences: word error rate {rate:.3f}: {found}")
    assert rate <= 0.15
    assert signal.facts["language"] == "en"
    assert signal.facts["language_confidence"] > 0.8
    assert signal.facts["segments"] == 1
    assert 9.0 < signal.facts["speech_seconds"] < 13.0
    assert signal.facts["speakers_reason"]


def test_wrong_words_are_the_unsure_ones(grid: tuple[Signal, Arrays]) -> None:
    """The words found that are in no sentence are less sure than the others."""
    signal, _ = grid
    known = {word for text in GRID.values() for word in plain(text)}
    right = np.array([set(plain(str(w))) <= known for w in signal.columns["word"]])
    confidence = np.asarray(signal.columns["confidence"])
    assert right.mean() > 0.8
    if not right.all():
        assert np.median(confidence[~right]) < np.median(confidence[right])


def test_times_of_words_are_those_of_the_alignment(grid: tuple[Signal, Arrays], media: Path) -> None:
    signal, _ = grid
    lines = (media / "2_speaking" / "grid_swwp2s.align").read_text().split("\n")
    aligned = [(float(a) / 25000, float(b) / 25000, w) for a, b, w in map(str.split, filter(None, lines))]
    known = {w: a for a, _, w in aligned if w in ("set", "white", "with", "soon")}
    offset = CLIP_S * list(GRID).index("grid_id2_swwp2s")
    starts = {
        plain(str(w))[0]: float(t) - offset
        for w, t in zip(signal.columns["word"], signal.columns["start"], strict=True)
        if t >= offset
    }
    away = {w: round(starts[w] - known[w], 3) for w in known}
    print(f"starts of words against the alignment, seconds: {away}")
    assert max(map(abs, away.values())) <= 0.2


def test_words_lie_where_the_voice_is(grid: tuple[Signal, Arrays]) -> None:
    signal, rows = grid
    phrases = list(zip(rows["speech_phrases.start"], rows["speech_phrases.end"], strict=True))
    for start, end in zip(signal.columns["start"], signal.columns["end"], strict=True):
        assert start <= end
        assert any(a - 0.11 <= start and end <= b + 0.11 for a, b in phrases)


def test_rows_for_other_signals_lie_on_the_clock(grid: tuple[Signal, Arrays]) -> None:
    _, rows = grid
    vad, voice = rows["speech_vad.time"], rows["speech_voice.time"]
    assert np.allclose(vad, np.arange(len(vad)) * 0.032, atol=1e-3)
    assert np.allclose(voice, np.arange(len(voice)) * 0.02, atol=1e-3)
    assert abs(voice[-1] + 0.02 - len(GRID) * CLIP_S) < 0.1


def test_read_sentences_and_a_speech(weights_root: Path, media: Path) -> None:
    pieces, spans, at = [], {}, 0.0
    for name in READ:
        samples, rate = sound(media / "3_audio" / name)
        pieces.append((samples, rate, at))
        spans[name] = (at, at + samples.shape[1] / rate)
        at = spans[name][1] + APART_S
    signal, rows = told(weights_root, pieces)
    wrong = words = 0
    for name, said in READ.items():
        found = heard(signal, *spans[name])
        wrong, words = wrong + edits(plain(said), plain(found)), words + len(plain(said))
        print(f"{name}: word error rate {error_rate(said, found):.3f}: {found}")
    print(f"read and spoken: word error rate {wrong / words:.3f}")
    assert wrong / words <= 0.12
    assert signal.facts["segments"] == len(READ)
    assert 110 < signal.facts["words_per_minute"] < 220
    assert signal.facts["untold_seconds"] == 0.0
    background = rows["speech_segments.mos_background"]
    assert background[-1] < background[0], "the speech in a hall has more noise than the reading"


def test_a_scene_of_a_film_with_three_speakers(weights_root: Path, media: Path) -> None:
    """1940, three people talk fast over noise: half of it at best, and less sure than a reading."""
    samples, rate = sound(media / "2_speaking" / "mdn_friday.mp4")
    signal, _ = told(weights_root, [(samples, rate, 0.0)])
    lines = (media / "2_speaking" / "mdn_friday.vtt").read_text().split("\n")
    said = " ".join(x for x in lines[1:] if x and "-->" not in x)
    found = " ".join(signal.columns["word"])
    rate_found = error_rate(said, found)
    print(f"His Girl Friday: word error rate {rate_found:.3f}: {found}")
    assert rate_found <= 0.65
    assert signal.facts["confidence"] < 0.8
    assert signal.facts["language_confidence"] < 0.9
    assert signal.facts["mos_overall"] < 2.2


def test_nothing_is_invented_where_nobody_speaks(weights_root: Path, media: Path) -> None:
    """A guitar, wind on a bicycle, silence; noise, a tone, and a tenth of a second of a voice."""
    pieces, at = [], 0.0
    rng = np.random.default_rng(3)
    grid, rate = sound(media / "2_speaking" / "grid_lbax4n.mpg")
    drawn = [
        mono(16000, rng.normal(0, 0.1, 80000)),
        mono(48000, 0.3 * np.sin(np.arange(240000) * 2 * np.pi * 300 / 48000)),
        mono(16000, np.zeros(80000)),
        (grid[:, rate : rate + rate // 10], rate),
    ]
    for samples, own in [*(sound(media / name) for name in NOTHING), *drawn]:
        pieces.append((samples, own, at))
        at += samples.shape[1] / own + APART_S
    signal, _ = told(weights_root, pieces)
    assert list(signal.columns["word"]) == []
    assert signal.facts["speech_seconds"] == 0.0
    assert signal.facts["words"] == 0
    for unknown in ("language", "words_per_minute", "confidence", "mos_overall"):
        assert signal.facts[unknown] is None


def test_voices_without_words_are_kept_as_speech(weights_root: Path, media: Path) -> None:
    """A wordless tune that the detector takes for a voice: its text repeats itself and is not believed."""
    samples, rate = sound(media / "8_footage" / "wrtc_chrome_a.mp4")
    signal, _ = told(weights_root, [(samples, rate, 0.0)])
    assert list(signal.columns["word"]) == []
    assert signal.facts["untold_seconds"] == pytest.approx(signal.facts["speech_seconds"])
    assert [e.what for e in signal.events_of("untold")] == ["the text found repeats itself"]
    assert signal.facts["words_per_minute"] is None


def test_two_voices_at_once_are_less_sure(
    weights_root: Path, media: Path, grid: tuple[Signal, Arrays]
) -> None:
    first, rate = sound(media / "2_speaking" / "grid_lbax4n.mpg")
    second, _ = sound(media / "2_speaking" / "grid_pwij3p.mpg")
    both = first[:, : 3 * rate] + second[:, : 3 * rate]
    signal, _ = told(weights_root, [(both, rate, 0.0)])
    confidence = signal.facts["confidence"]
    assert confidence is None or confidence < grid[0].facts["confidence"] - 0.15


def test_a_cut_off_model_is_named(weights_root: Path, tmp_path: Path) -> None:
    good = speech_weights(weights_root)
    short = tmp_path / "model.bin"
    short.write_bytes(good["whisper-base"]["model.bin"].read_bytes()[:100_000])
    files = {}
    for name, path in good["whisper-base"].items():
        files[name] = short if name == "model.bin" else tmp_path / name
        if name != "model.bin":
            files[name].write_bytes(path.read_bytes())
    from longtake.models.whisper import Whisper

    with pytest.raises(BackendError, match="cannot be run"):
        Whisper(files)
    onnx = tmp_path / "silero_vad_v6.onnx"
    onnx.write_bytes(good["silero-vad"]["silero_vad_v6.onnx"].read_bytes()[:5000])
    observer = speech.SpeechObserver(Weights({**good.files, "silero-vad": {onnx.name: onnx}}, 1))
    with pytest.raises(BackendError, match="silero_vad_v6"):
        observer.hear(np.zeros((1, 16000), np.float32), 16000, 0.0)


def test_long_speech_is_cut_where_it_is_quiet() -> None:
    """A minute of voice without a pause but for a soft half second at 20 s: the first cut is there."""
    rng = np.random.default_rng(0)
    rows = round(60 / ROW_S)
    samples = rng.normal(0, 0.1, rows * 512).astype(np.float32)
    samples[round(20.0 * 16000) : round(20.5 * 16000)] *= 0.05
    segmenter = Segmenter(100.0)
    found = []
    for first in range(0, rows, 125):
        part = slice(first * 512, (first + 125) * 512)
        count = len(samples[part]) // 512
        found += segmenter.take(samples[part], np.full(count, 0.9, np.float32))
    found += segmenter.finish()
    assert 120.0 < found[0].end < 120.5
    assert max(s.end - s.start for s in found) <= LONGEST_S + ROW_S
    assert found[0].phrases[-1].end == pytest.approx(found[1].phrases[0].start)
    assert sum(p.end - p.start for s in found for p in s.phrases) == pytest.approx(rows * ROW_S, abs=0.1)


@pytest.mark.parametrize("seed", range(12))
def test_segments_of_any_voice_hold_together(seed: int) -> None:
    """Ten minutes of probabilities that wander: segments in order, none too long, each with its own sound."""
    rng = np.random.default_rng(seed)
    rows = round(600 / ROW_S)
    steps = np.repeat(rng.random(rows // 8 + 1), rng.integers(1, 16, rows // 8 + 1))[:rows]
    probabilities = (steps ** rng.choice([0.3, 1.0, 3.0])).astype(np.float32)
    rows = len(probabilities)
    samples = np.repeat(np.arange(rows, dtype=np.float32), 512)
    segmenter = Segmenter(7.0)
    found: list[Segment] = []
    at = 0
    while at < rows:
        size = int(rng.integers(1, 200))
        found += segmenter.take(samples[at * 512 : (at + size) * 512], probabilities[at : at + size])
        at += size
        assert len(segmenter._sound) <= (LONGEST_S + 8) * 16000
    found += segmenter.finish()
    assert found
    for before, after in pairwise(found):
        assert before.end <= after.start + 1e-9
    for segment in found:
        assert segment.end - segment.start <= LONGEST_S + 2 * PAD_S
        assert len(segment.sound) == round((segment.end - segment.start) * 16000)
        assert segment.sound[0] == round((segment.start - 7.0) / ROW_S)
        for phrase in segment.phrases:
            assert segment.start - 1e-9 <= phrase.start < phrase.end <= segment.end + 1e-9
        assert all(a.end <= b.start for a, b in pairwise(segment.phrases))


def test_blocks_of_any_size_give_the_same_rows(weights_root: Path, media: Path) -> None:
    """Without a voice, so that only the stream is at work."""
    samples, rate = sound(media / "8_footage" / "mla_elf.mp4")
    results = []
    for size in (700, 50_000):
        observer = speech.SpeechObserver(speech_weights(weights_root))
        for first in range(0, samples.shape[1], size):
            observer.hear(samples[:, first : first + size], rate, first / rate)
        results.append(observer.flush())
    for name in ("speech_vad.probability", "speech_voice.level", "speech_voice.time"):
        assert len(results[0][name]) == len(results[1][name])
        assert np.allclose(
            results[0][name].astype(float), results[1][name].astype(float), atol=0.02, equal_nan=True
        )


def test_the_language_of_an_english_model_is_not_a_finding() -> None:
    """The small model writes English whatever is spoken: that it is English was not measured."""
    film = film_of_sound(5.0)
    one = [("hello", 1.0, 1.5, 0.9, 0, 0)]
    for probability, language in ((np.nan, None), (0.8, "en")):
        segment = [(0, 0.5, 2.0, "en", probability, -0.3, 0.1, 1.0, 3.0, 3.0, 3.0, "")]
        rows = {
            "speech_vad.time": np.zeros(1),
            **table("speech_words", WORD, one),
            **table("speech_segments", SEGMENT, segment),
            **table("speech_phrases", PHRASE, [(1.0, 1.5, 0.9, 0)]),
        }
        signal = speech.assemble(rows, film, {})
        assert signal.facts["language"] == language
        assert signal.facts["words_per_minute"] == pytest.approx(120.0)
        assert signal.facts["speech_share"] == pytest.approx(0.1)
        assert [e.what for e in signal.events_of("segment")] == [language or ""]


def test_without_a_sound_track_it_is_skipped() -> None:
    film = film_of_sound(5.0)
    object.__setattr__(film, "has_sound", False)
    signal = speech.assemble({}, film, {})
    assert (signal.status, signal.reason) == ("skipped", "no sound track")


@pytest.mark.parametrize(
    ("said", "found", "rate"),
    [
        ("one two three", "one two three", 0.0),
        ("one two three", "1, 2 3!", 0.0),
        ("set blue with e five now", "Set blue with E5 now.", 0.0),
        ("a b c d", "a c d", 0.25),
        ("a b c d", "a x c d e", 0.5),
        ("a b", "", 1.0),
        ("don't", "Dont", 0.0),
    ],
)
def test_word_error_rate_by_hand(said: str, found: str, rate: float) -> None:
    assert error_rate(said, found) == rate
