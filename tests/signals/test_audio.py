"""Sound against constructed truth, standards' test cases, independent references and real recordings."""

from __future__ import annotations

import io
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import signal as reference

from longtake.core.signal import Signal
from longtake.signals.audio import SPEC, AudioObserver, assemble
from longtake.signals.audio_meters import FLOOR_DB, TruePeak, integrated
from longtake.signals.audio_rhythm import SURE
from longtake.signals.film import Film

Sound = NDArray[np.float32]
Block = tuple[Sound, int, float]
RATE = 48000


def film(end: float, start: float = 0.0, *, has_sound: bool = True) -> Film:
    return Film(
        duration=end - start,
        times=np.arange(start, end, 0.04),
        frame_s=0.04,
        width=64,
        height=64,
        has_sound=has_sound,
        start=start,
        end=end,
    )


def blocks(sound: Sound, rate: int = RATE, start: float = 0.0, size: int = 1024) -> list[Block]:
    return [(sound[:, i : i + size], rate, start + i / rate) for i in range(0, sound.shape[1], size)]


def measured(
    heard: Iterable[Block], end: float | None = None, start: float = 0.0, *, levels_only: bool = False
) -> Signal:
    observer = AudioObserver(levels_only=levels_only)
    last = 0.0
    for samples, rate, time in heard:
        observer.hear(samples, rate, time)
        last = time + samples.shape[1] / rate
    return assemble(observer.flush(), film(end or last, start), {})


def sine(
    seconds: float, hertz: float = 1000.0, db: float = -20.0, channels: int = 2, rate: int = RATE
) -> Sound:
    """``db`` is the level of the peak."""
    wave = 10 ** (db / 20) * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)
    return np.tile(wave.astype(np.float32), (channels, 1))


def column(found: Signal, name: str) -> NDArray[np.float64]:
    return np.asarray(found.columns[name], np.float64)


def recording(path: Path) -> tuple[Sound, int]:
    """All sound of a file, decoded by PyAV alone."""
    parts, rate = [], 0
    with av.open(str(path)) as container:
        for frame in container.decode(audio=0):
            values = frame.to_ndarray()
            if values.dtype.kind == "i":
                values = values / 2.0 ** (8 * values.dtype.itemsize - 1)
            if not frame.format.is_planar:
                values = values.reshape(-1, frame.layout.nb_channels).T
            parts.append(values.astype(np.float32))
            rate = frame.sample_rate
    return np.concatenate(parts, axis=1), rate


def through_aac(sound: Sound, rate: int) -> tuple[Sound, int]:
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("aac", rate=rate)
        stream.layout = "stereo" if len(sound) == 2 else "mono"
        stream.bit_rate = 128_000
        for i in range(0, sound.shape[1], 1024):
            part = np.ascontiguousarray(sound[:, i : i + 1024])
            frame = av.AudioFrame.from_ndarray(part, format="fltp", layout=stream.layout.name)
            frame.sample_rate, frame.pts, frame.time_base = rate, i, Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    file.seek(0)
    return recording_of(file)


def recording_of(file: io.BytesIO) -> tuple[Sound, int]:
    with av.open(file) as container:
        parts = [frame.to_ndarray() for frame in container.decode(audio=0)]
        return np.concatenate(parts, axis=1), container.streams.audio[0].rate


# --- level and the clock ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [8000, 11025, 44100, 48000, 96000])
def test_level_of_a_sine(rate: int) -> None:
    found = measured(blocks(sine(2.0, hertz=500.0, rate=rate), rate))
    assert len(found) == 20
    assert column(found, "rms_db") == pytest.approx(-20 - 3.0103, abs=0.05)
    assert column(found, "peak_db") == pytest.approx(-20, abs=0.1)
    assert list(column(found, "time")) == pytest.approx([i / 10 for i in range(20)])


def test_level_is_the_mean_over_channels() -> None:
    sound = sine(1.0)
    sound[1] = 0
    assert column(measured(blocks(sound)), "rms_db") == pytest.approx(-20 - 6.0206, abs=0.05)


def test_no_sound_is_nan_and_digital_silence_is_the_floor() -> None:
    sound = sine(3.0)
    sound[:, RATE : 2 * RATE] = 0
    level = column(measured(blocks(sound, start=1.05), end=5.0), "rms_db")
    assert np.isnan(level[:10]).all()
    assert level[10] == pytest.approx(-23, abs=0.1), "half a row of sound has the level of that half"
    assert (level[21:30] == FLOOR_DB).all()
    assert np.isnan(level[41:]).all()
    assert np.isnan(column(measured(blocks(sound, start=1.05), end=5.0), "momentary_lufs")[:13]).all()


def test_sound_before_and_after_the_film_is_not_counted() -> None:
    loud, quiet = sine(2.0, db=-3.0), sine(4.0, db=-30.0)
    heard = blocks(loud, start=-2.0) + blocks(quiet) + blocks(loud, start=4.0)
    found = measured(heard, end=4.0)
    assert len(found) == 40
    assert column(found, "rms_db").max() == pytest.approx(-33, abs=0.1)


def test_a_gap_between_time_stamps_is_a_gap_and_the_rest_stays_in_its_place() -> None:
    heard = blocks(sine(2.0)) + blocks(sine(2.0, db=-40.0), start=3.0)
    level = column(measured(heard), "rms_db")
    assert np.isnan(level[20:30]).all()
    assert level[19] == pytest.approx(-23, abs=0.1)
    assert level[30] == pytest.approx(-43, abs=0.1)


def test_rounded_time_stamps_leave_no_trace() -> None:
    sound = sine(3.0)
    rounded = [(s, r, round(t, 2)) for s, r, t in blocks(sound)]
    plain, found = measured(blocks(sound)), measured(rounded, end=3.0)
    np.testing.assert_array_equal(column(found, "rms_db"), column(plain, "rms_db"))
    assert not [e for e in found.events if e.kind != "onset"]


def test_clips_of_different_sound_are_one_film_and_overlap_is_left_out() -> None:
    padding = sine(0.0213, db=0.0, rate=44100, channels=1)
    first = np.concatenate([sine(2.0, rate=44100, channels=1), padding], axis=1)
    heard = blocks(first, 44100) + blocks(sine(2.0, db=-30.0), start=2.0)
    found = measured(heard)
    level = column(found, "rms_db")
    assert level[19] == pytest.approx(-23, abs=0.1)
    assert level[21:40] == pytest.approx(-33, abs=0.1)
    assert not np.isnan(level).any()
    assert (found.facts["sample_rate"], found.facts["channels"]) == (44100, 1)


@pytest.mark.parametrize("size", [160, 1024, 9999, 10**6])
def test_block_sizes_and_flushes_change_nothing(size: int) -> None:
    random = np.random.default_rng(3)
    sound = (random.standard_normal((2, 6 * RATE)) * 0.01).astype(np.float32)
    sound[:, ::RATE] += 0.7
    sound[:, 2 * RATE : 2 * RATE + 2000] = 0
    sound[:, 4 * RATE : 4 * RATE + 50] = 1
    sound[:, round(4.5 * RATE) :] *= 1e-3
    plain = measured(blocks(sound, size=4800))
    assert {"dropout", "click", "clipping", "silence", "onset"} <= {e.kind for e in plain.events}
    observer, chunks = AudioObserver(), []
    for i, block in enumerate(blocks(sound, size=size)):
        observer.hear(*block)
        if i % 7 == 3:
            chunks.append(observer.flush())
    chunks.append(observer.flush())
    merged = {name: np.concatenate([c[name] for c in chunks]) for name in chunks[0]}
    found = assemble(merged, film(6.0), {})
    for name in SPEC.columns:
        np.testing.assert_allclose(column(found, name), column(plain, name), atol=0.002)
    assert [(e.kind, e.start, e.end) for e in found.events] == [
        (e.kind, e.start, e.end) for e in plain.events
    ]
    for name, value in plain.facts.items():
        assert found.facts[name] == (pytest.approx(value, abs=1e-3) if isinstance(value, float) else value)


def test_columns_events_and_facts_are_those_of_the_spec() -> None:
    found = measured(blocks(sine(4.0)))
    assert list(found.columns) == list(SPEC.columns)
    assert set(found.facts) == set(SPEC.facts)
    silent = measured(blocks(sine(4.0) * 0))
    assert set(silent.facts) == set(SPEC.facts)


def test_levels_only_gives_the_same_levels() -> None:
    sound = sine(2.0)
    observer = AudioObserver(levels_only=True)
    for block in blocks(sound):
        observer.hear(*block)
    found = assemble(observer.flush(), film(2.0), {})
    np.testing.assert_array_equal(column(found, "rms_db"), column(measured(blocks(sound)), "rms_db"))
    assert np.isnan(column(found, "momentary_lufs")).all()


# --- loudness --------------------------------------------------------------------------------------------


def sequence(*spans: tuple[float, float]) -> Sound:
    return np.concatenate([sine(seconds, db=db) for db, seconds in spans], axis=1)


@pytest.mark.parametrize(
    ("spans", "lufs"),
    [  # EBU Tech 3341, cases 1 to 5
        ([(-23, 20)], -23),
        ([(-33, 20)], -33),
        ([(-36, 10), (-23, 60), (-36, 10)], -23),
        ([(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)], -23),
        ([(-26, 20), (-20, 20.1), (-26, 20)], -23),
    ],
)
def test_integrated_loudness_of_the_standards_cases(spans: list[tuple[float, float]], lufs: float) -> None:
    found = measured(blocks(sequence(*spans), size=RATE))
    assert found.facts["integrated_lufs"] == pytest.approx(lufs, abs=0.1)


@pytest.mark.parametrize(
    ("spans", "lu"),
    [  # EBU Tech 3342, cases 1 to 4
        ([(-20, 20), (-30, 20)], 10),
        ([(-20, 20), (-15, 20)], 5),
        ([(-40, 20), (-20, 20)], 20),
        ([(-50, 20), (-35, 20), (-20, 20), (-35, 20), (-50, 20)], 15),
    ],
)
def test_loudness_range_of_the_standards_cases(spans: list[tuple[float, float]], lu: float) -> None:
    found = measured(blocks(sequence(*spans), size=RATE))
    assert found.facts["loudness_range"] == pytest.approx(lu, abs=1)


def test_momentary_and_short_term_loudness_of_a_steady_tone() -> None:
    found = measured(blocks(sine(5.0, db=-23.0)))
    momentary, short_term = column(found, "momentary_lufs"), column(found, "short_term_lufs")
    assert np.isnan(momentary[:3]).all()
    assert np.isnan(short_term[:29]).all()
    assert momentary[3:] == pytest.approx(-23, abs=0.1)
    assert short_term[29:] == pytest.approx(-23, abs=0.1)


def test_loudness_of_a_recording_is_that_of_the_meter_itself(media: Path) -> None:
    sound, rate = recording(media / "8_footage" / "mdn_chroma_a.mp4")
    graph = av.filter.Graph()
    source = graph.add_abuffer(sample_rate=rate, format="fltp", layout="stereo", time_base=Fraction(1, rate))
    meter, sink = graph.add("ebur128", "metadata=1:peak=true:framelog=quiet"), graph.add("abuffersink")
    source.link_to(meter)
    meter.link_to(sink)
    graph.configure()
    frame = av.AudioFrame.from_ndarray(sound, format="fltp", layout="stereo")
    frame.sample_rate, frame.pts, frame.time_base = rate, 0, Fraction(1, rate)
    source.push(frame)
    told: dict[str, str] = {}
    while True:
        try:
            told = sink.pull().metadata
        except (av.BlockingIOError, av.EOFError):
            break
    facts = measured(blocks(sound, rate)).facts
    assert facts["integrated_lufs"] == pytest.approx(float(told["lavfi.r128.I"]), abs=0.05)
    assert facts["loudness_range"] == pytest.approx(float(told["lavfi.r128.LRA"]), abs=0.2)
    true_peak = 20 * np.log10(float(told["lavfi.r128.true_peak"]))
    assert facts["true_peak_db"] == pytest.approx(true_peak, abs=0.1)


def test_true_peak_between_samples() -> None:
    # 12 kHz at 48 kHz, 45 degrees off: every sample is 3 dB under the crest. A hard start would overshoot.
    count = RATE
    fade = np.minimum(1, np.minimum(np.arange(count), np.arange(count)[::-1]) / 4800)
    wave = (0.5 * fade * np.sin(np.pi / 2 * np.arange(count) + np.pi / 4)).astype(np.float32)[None]
    found = measured(blocks(wave))
    assert found.facts["true_peak_db"] == pytest.approx(-6.02, abs=0.1)
    assert column(found, "peak_db").max() == pytest.approx(-9.03, abs=0.1)


def test_true_peak_of_noise_against_resampling() -> None:
    noise = (np.random.default_rng(5).standard_normal(RATE) * 0.2).astype(np.float32)[None]
    smooth = reference.lfilter(*reference.butter(4, 0.7), noise).astype(np.float32)
    meter = TruePeak()
    for part in np.array_split(smooth, 37, axis=1):
        meter.hear(part, float(np.abs(part).max()))
    oversampled = float(np.abs(reference.resample_poly(smooth[0], 4, 1)).max())
    assert 20 * np.log10(meter.value / oversampled) == pytest.approx(0, abs=0.2)


def test_nothing_above_the_gate_is_no_loudness() -> None:
    assert integrated(np.full(100, -75.0)) is None
    facts = measured(blocks(sine(4.0, db=-80.0))).facts
    assert facts["integrated_lufs"] is None
    assert "gate" in facts["loudness_reason"]


def test_a_short_film_has_loudness_but_no_range() -> None:
    facts = measured(blocks(sine(2.0))).facts
    assert facts["integrated_lufs"] == pytest.approx(-20, abs=0.1)
    assert facts["loudness_range"] is None
    assert "3 s" in facts["loudness_reason"]


# --- missing and silent ----------------------------------------------------------------------------------


def test_no_sound_track() -> None:
    found = assemble(AudioObserver().flush(), film(3.0, has_sound=False), {})
    assert (found.status, found.reason) == ("skipped", "no sound track")
    assert len(found) == 0


def test_a_sound_track_without_any_sound() -> None:
    found = assemble(AudioObserver().flush(), film(3.0), {})
    assert found.status == "failed"
    assert found.reason


def test_a_silent_track_has_no_tempo_and_no_loudness() -> None:
    found = measured(blocks(sine(4.0) * 0))
    assert found.status == "ok"
    assert [(e.kind, e.start, e.end) for e in found.events] == [("silence", 0.0, pytest.approx(4.0))]
    assert found.events[0].what == "digital silence"
    for name in ("integrated_lufs", "true_peak_db", "tempo_bpm", "tempo_confidence"):
        assert found.facts[name] is None
    assert "silent" in found.facts["tempo_reason"]


# --- rhythm ----------------------------------------------------------------------------------------------


def click_track(bpm: float, seconds: float, rate: int = 44100) -> tuple[Sound, NDArray[np.float64]]:
    """Short decaying tones with a faint hiss, and their times."""
    sound = 1e-3 * np.random.default_rng(0).standard_normal(round(seconds * rate))
    at = np.arange(round(0.02 * rate))
    tone = 0.6 * np.exp(-at / (0.004 * rate)) * np.sin(2 * np.pi * 1500 * at / rate)
    times = np.arange(0.37, seconds - 0.1, 60 / bpm)
    for time in times:
        sound[round(time * rate) :][: len(tone)] += tone
    return sound.astype(np.float32)[None], times


@pytest.mark.parametrize("seconds", [12, 65])
@pytest.mark.parametrize("bpm", [60, 72.5, 85, 100, 119, 140, 160, 180])
def test_tempo_and_beats_of_click_tracks(bpm: float, seconds: float) -> None:
    sound, times = click_track(bpm, seconds)
    found = measured(blocks(sound, 44100))
    assert found.facts["tempo_bpm"] == pytest.approx(bpm, rel=0.02)
    assert found.facts["tempo_confidence"] > 0.8
    beats = np.array([e.start for e in found.events_of("beat")])
    assert len(beats) == pytest.approx(len(times), abs=1)
    assert np.abs(beats[:, None] - times).min(axis=1).max() <= 0.05
    onsets = np.array([e.start for e in found.events_of("onset")])
    assert len(onsets) == len(times)
    assert np.abs(onsets - times).max() <= 0.02
    assert not found.events_of("click", "dropout", "clipping")


@pytest.mark.parametrize("rate", [8000, 16000, 48000])
def test_tempo_does_not_depend_on_the_rate(rate: int) -> None:
    sound, _ = click_track(96, 15, rate)
    assert measured(blocks(sound, rate)).facts["tempo_bpm"] == pytest.approx(96, rel=0.02)


def test_clicks_at_random_have_no_sure_tempo() -> None:
    rate = 16000
    times = np.cumsum(np.random.default_rng(2).uniform(0.2, 1.0, 60))
    sound = np.zeros(round((times[-1] + 1) * rate), np.float32)
    for time in times:
        sound[round(time * rate) :][:200] += np.hanning(200) * np.sin(np.arange(200))
    found = measured(blocks(sound[None], rate))
    assert found.facts["tempo_confidence"] < SURE
    assert not found.events_of("beat")
    assert "confidence" in found.facts["tempo_reason"]


def test_music_is_more_regular_than_speech(media: Path) -> None:
    confidence = {
        name: measured(blocks(*recording(media / "3_audio" / name))).facts["tempo_confidence"]
        for name in ("mdn_guitar.mp3", "whisper_jfk.flac", "sb_LJ050-0131.wav")
    }
    music = confidence.pop("mdn_guitar.mp3")
    assert music > max(confidence.values()) + 0.05
    assert max(confidence.values()) < SURE


# --- defects ---------------------------------------------------------------------------------------------

SPEECH = ("3_audio", "whisper_jfk.flac")
MUSIC = ("3_audio", "mdn_guitar.mp3")
CLEAN = [
    SPEECH,
    MUSIC,
    ("3_audio", "sb_LJ050-0131.wav"),
    ("3_audio", "sb_VAD_train.wav"),
    ("3_audio", "sb_spk1_snt1.wav"),
    ("3_audio", "mdn_countdown.mp3"),
    ("8_footage", "ovi_kitchen.mp4"),
    ("8_footage", "ovi_redshirt.mp4"),
    ("8_footage", "ovi_twomen.mp4"),
    ("8_footage", "fv_ltx2.mp4"),
    ("8_footage", "mdn_chroma_a.mp4"),
    ("8_footage", "simpl_small_c.mp4"),
]


@pytest.mark.parametrize("name", CLEAN, ids=lambda n: n[1])
def test_clean_recordings_have_no_defect(name: tuple[str, str], media: Path) -> None:
    found = measured(blocks(*recording(media.joinpath(*name))))
    assert found.events_of("click", "dropout", "clipping") == []


def loud_moments(sound: Sound, rate: int, count: int) -> list[float]:
    """Times at which sound has been loud for a while and stays so."""
    step = rate // 10
    level = np.abs(sound[:, : sound.shape[1] // step * step]).mean(axis=0).reshape(-1, step).mean(axis=1)
    fit = [i for i in range(8, len(level) - 8) if level[i - 1 : i + 4].min() > 0.02]
    return [fit[round(k * (len(fit) - 1) / (count - 1))] / 10 + 0.03 for k in range(count)]


@pytest.mark.parametrize("name", [SPEECH, MUSIC], ids=lambda n: n[1])
@pytest.mark.parametrize(("seconds", "coded"), [(0.008, False), (0.06, False), (0.06, True), (0.15, True)])
def test_a_drop_out_is_found(name: tuple[str, str], seconds: float, coded: bool, media: Path) -> None:
    sound, rate = recording(media.joinpath(*name))
    times = loud_moments(sound, rate, 4)
    for time in times:
        sound[:, round(time * rate) : round((time + seconds) * rate)] = 0
    found = measured(blocks(*(through_aac(sound, rate) if coded else (sound, rate))))
    gaps = found.events_of("dropout")
    assert [g.start for g in gaps] == pytest.approx(times, abs=0.005)
    assert [g.end - g.start for g in gaps] == pytest.approx([seconds] * 4, abs=0.005)
    assert [g.value for g in gaps] == pytest.approx([1000 * seconds] * 4, abs=5)


def test_a_gap_that_fades_is_a_pause(media: Path) -> None:
    sound, rate = recording(media.joinpath(*MUSIC))
    fade = np.linspace(1, 0, round(0.08 * rate), dtype=np.float32) ** 2
    gain = np.concatenate([fade, np.zeros(round(0.1 * rate), np.float32), fade[::-1]])
    begin = round(loud_moments(sound, rate, 4)[1] * rate)
    sound[:, begin : begin + len(gain)] *= gain
    assert not measured(blocks(sound, rate)).events_of("dropout")


@pytest.mark.parametrize("name", [SPEECH, MUSIC], ids=lambda n: n[1])
def test_a_click_is_found(name: tuple[str, str], media: Path) -> None:
    sound, rate = recording(media.joinpath(*name))
    times = loud_moments(sound, rate, 4)
    for time in times:
        sound[:, round(time * rate)] += 0.4
    clicks = measured(blocks(sound, rate)).events_of("click")
    assert [c.start for c in clicks] == pytest.approx(times, abs=0.003)


def test_a_click_survives_a_lossy_codec(media: Path) -> None:
    sound, rate = recording(media.joinpath(*MUSIC))
    times = loud_moments(sound, rate, 4)
    for time in times:
        sound[:, round(time * rate)] += 0.4
    clicks = measured(blocks(*through_aac(sound, rate))).events_of("click")
    assert [c.start for c in clicks] == pytest.approx(times, abs=0.005)


def test_clipping_gain_is_found_where_it_is(media: Path) -> None:
    sound, rate = recording(media.joinpath(*SPEECH))
    begin, end = 3 * rate, 5 * rate
    sound[:, begin:end] = np.clip(sound[:, begin:end] * 6, -1, 1)
    clipped = measured(blocks(sound, rate)).events_of("clipping")
    assert clipped
    assert clipped[0].start >= 3.0 - 1e-6
    assert clipped[-1].end <= 5.0 + 1e-6
    assert sum(c.value or 0 for c in clipped) > 100


def test_two_samples_at_full_scale_are_a_peak_and_three_are_clipped() -> None:
    sound = sine(1.0, db=-6.0, channels=1)
    sound[0, 10_000:10_002] = 1
    assert not measured(blocks(sound)).events_of("clipping")
    sound[0, 30_718:30_723] = -1  # over the border of two blocks
    (clipped,) = measured(blocks(sound)).events_of("clipping")
    assert (clipped.start, clipped.value) == (pytest.approx(0.6), 3)


def test_silence_is_found_and_short_pauses_are_not(media: Path) -> None:
    sound, rate = recording(media.joinpath(*SPEECH))
    sound[:, round(2.0 * rate) : round(2.3 * rate)] = 0
    sound[:, round(4.0 * rate) : round(5.0 * rate)] *= 1e-5
    (silence,) = measured(blocks(sound, rate)).events_of("silence")
    assert (silence.start, silence.end) == (pytest.approx(4.0, abs=0.1), pytest.approx(5.0, abs=0.1))
    assert silence.what == "silence"


def test_levels_alone_give_levels_and_say_so() -> None:
    sound = sine(4.0)
    sound[:, round(1.0 * RATE) : round(2.0 * RATE)] = 0
    found = measured(blocks(sound), levels_only=True)
    whole = measured(blocks(sound))
    np.testing.assert_array_equal(found.columns["rms_db"], whole.columns["rms_db"])
    assert np.isnan(found.columns["momentary_lufs"]).all()
    assert (found.status, found.reason) == ("fallback", "only levels were measured")
    assert found.facts["integrated_lufs"] is found.facts["tempo_bpm"] is None
    assert found.facts["loudness_reason"] == found.facts["tempo_reason"] == "only levels were measured"
    assert found.facts["silent_share"] == whole.facts["silent_share"]
    assert [e.kind for e in found.events] == ["silence"]
