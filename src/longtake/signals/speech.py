"""Speech: where somebody talks, what is said and when, in which language, and how good it sounds.

Sound is heard once, as a stream: brought to 16 kHz mono, given to the voice detector, and each segment is
transcribed as soon as it is closed. Who speaks is not told: no diarisation runs here without torch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.signal import Column, Signal, SignalSpec
from ..models.dnsmos import Dnsmos
from ..models.vad import SileroVad
from ..models.weights import Weights, Wish
from ..models.whisper import Transcript, Whisper, Word
from .film import Film
from .observer import Arrays, Merged
from .speech_facts import PHRASE, SEGMENT, UNSURE, WORD, facts_of, inside, lines, spans, table
from .speech_segments import ROW_S, Phrase, Segment, Segmenter
from .speech_stream import LEVEL_S, EvenRows, Mono, VoiceLevel, VoiceRows

WHISPERS = ("whisper-base", "whisper-tiny.en")
MODELS: tuple[Wish, ...] = ("silero-vad", WHISPERS, "dnsmos")

TOLERANCE_S = 0.02
"""A time stamp that is off by no more than this is rounding, not a gap."""
BRIDGED_S = 1.0
"""Gaps up to this are heard as silence: clips that are joined often have a little less sound than picture."""
REACH_S = 0.5
"""A word further than this from any voice is invented and left out."""
EDGE_S = 0.1
"""How far a word may reach beyond the phrase in which it lies: the model's times are loose in pauses."""
MOS_FROM_S = 0.5
"""Voice that a segment has to have for its quality to be rated: under that it is mostly repetition."""

SPEC = SignalSpec(
    name="speech",
    version=1,
    heavy=True,
    doc=(
        "Words with their times, where somebody speaks, the language and the quality of the sound; one row "
        "per word. Silero finds the voice, Whisper the words, DNSMOS the quality: each may err, so every "
        "word has a confidence. Speakers are unknown: nothing here tells one voice from another. Sung words "
        "may be found or not. Where two people speak at once, most words of one or both are lost. The small "
        "model, used where the larger one is absent, writes English whatever is spoken. Rows of the voice "
        "detector (`speech_vad`: time, probability, every 32 ms) and of the level between 200 and 4000 Hz "
        "(`speech_voice`: time, level in dBFS, every 20 ms) are kept for signals that come after."
    ),
    columns={
        "word": Column(type="str", doc="as the model writes it, digits and marks included"),
        "start": Column(type="float", unit="s", doc="beginning of the word; some 0.1 to 0.2 s early or late"),
        "end": Column(type="float", unit="s", doc="end of the word"),
        "confidence": Column(type="float", doc="probability that the model gives the word, 0..1"),
        "segment": Column(type="int", doc="number of the segment, from 0; see events of kind segment"),
    },
    event_kinds={
        "speech": "a span of text without a long pause; value: mean confidence of its words",
        "segment": "what was transcribed at once; value: probability of its language; text: the language",
        "voice": "somebody speaks, words or not; value: mean probability of a voice",
        "untold": "a segment with a voice whose words are not believed; text: why",
    },
    facts={
        "language": Column(
            type="str", doc="code of the language of most of the speech; none if the model knows one only"
        ),
        "language_confidence": Column(
            type="float", doc="mean probability of that language where it is spoken"
        ),
        "languages": Column(type="str", doc="all languages found, most of the speech first"),
        "words": Column(type="int", doc="words found"),
        "words_per_minute": Column(type="float", unit="1/min", doc="words per minute of told speech"),
        "confidence": Column(type="float", doc="mean confidence of all words"),
        "least_confidence": Column(type="float", doc="mean confidence of the least sure segment"),
        "unsure_words": Column(type="float", doc=f"share of words with a confidence under {UNSURE}"),
        "segments": Column(type="int", doc="segments with a voice"),
        "speech_seconds": Column(type="float", unit="s", doc="time in which somebody speaks"),
        "speech_share": Column(type="float", doc="the same as a share of the film"),
        "untold_seconds": Column(type="float", unit="s", doc="of that, speech whose words are not believed"),
        "mos_signal": Column(type="float", doc="quality of the voice, 1..5, DNSMOS, median of segments"),
        "mos_background": Column(type="float", doc="quality of the background, 1..5, the same"),
        "mos_overall": Column(type="float", doc="quality of both, 1..5, the same"),
        "speakers_reason": Column(type="str", doc="why speakers are not told"),
    },
)


class SpeechObserver:
    """Hears the film's sound as a stream; see :mod:`longtake.signals.speech` for what it keeps.

    It holds no more than 28 s of sound and a few bytes per second of film.
    """

    name = "speech"

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._vad: SileroVad | None = None
        self._whisper: Whisper | None = None
        self._dnsmos: Dnsmos | None = None
        self._stretch: _Stretch | None = None
        self._format = (0, 0)
        self._rows = (EvenRows(ROW_S), EvenRows(LEVEL_S))
        self._phrases: list[tuple[float, float, float, int]] = []
        self._segments: list[tuple[Any, ...]] = []
        self._words: list[tuple[str, float, float, float, int, int]] = []

    def hear(self, samples: NDArray[np.float32], rate: int, time: float) -> None:
        """Take in a block (channels, n) of float32; ``time`` is that of its first sample in seconds.

        Raises:
            BackendError: a model's file is not what it must be.
        """
        now = self._stretch
        if now is not None:
            if time < now.end - TOLERANCE_S:
                samples = samples[:, round((now.end - time) * rate) :]
            gap = max(time - now.end, 0.0)
            if gap > BRIDGED_S or (rate, len(samples)) != self._format:
                self._close()
                now = None
            elif gap > TOLERANCE_S:
                self._keep(now.hear(np.zeros((len(samples), round(gap * rate)), np.float32)))
        if not samples.shape[1]:
            return
        if now is None:
            if self._vad is None:
                weights = self._weights
                self._vad = SileroVad(weights["silero-vad"]["silero_vad_v6.onnx"], weights.threads)
            self._format = (rate, len(samples))
            now = self._stretch = _Stretch(rate, time, self._vad, self._rows)
        self._keep(now.hear(samples))

    def flush(self) -> Arrays:
        """Rows since the last flush."""
        self._close()
        rows: Arrays = {}
        for table_name, column, kept in zip(
            ("speech_vad", "speech_voice"), ("probability", "level"), self._rows, strict=True
        ):
            rows[f"{table_name}.time"], rows[f"{table_name}.{column}"] = kept.take()
        rows |= table("speech_phrases", PHRASE, self._phrases)
        rows |= table("speech_segments", SEGMENT, self._segments)
        rows |= table("speech_words", WORD, self._words)
        self._phrases, self._segments, self._words = [], [], []
        return rows

    def _close(self) -> None:
        if self._stretch is not None:
            self._keep(self._stretch.finish())
        self._stretch = None

    def _keep(self, segments: Iterable[Segment]) -> None:
        for segment in segments:
            self._tell(segment)

    def _tell(self, segment: Segment) -> None:
        """Transcribe and rate a closed segment."""
        if self._whisper is None or self._dnsmos is None:
            weights = self._weights
            chosen = next(name for name in WHISPERS if name in weights)
            self._whisper = Whisper(weights[chosen], weights.threads)
            self._dnsmos = Dnsmos(weights["dnsmos"]["sig_bak_ovr.onnx"], weights.threads)
        number = len(self._segments)
        found = self._whisper.transcribe(segment.sound)
        doubt = found.doubt
        words = [] if doubt else _placed(found.words, segment)
        if not words and not doubt:
            doubt = "no word lies where the voice is"
        voiced = sum(p.end - p.start for p in segment.phrases)
        mos = self._dnsmos.rate(segment.sound) if voiced >= MOS_FROM_S else (np.nan,) * 3
        self._segments.append((number, segment.start, segment.end, *_figures(found), *mos, doubt or ""))
        self._phrases += [(p.start, p.end, p.probability, number) for p in segment.phrases]
        self._words += [(w.text, w.start, w.end, w.probability, number, w.line) for w in words]


class _Stretch:
    """Sound without a gap, of one rate and one number of channels. ``rows`` take probabilities and levels."""

    def __init__(self, rate: int, start: float, vad: SileroVad, rows: tuple[EvenRows, EvenRows]) -> None:
        self._rate = rate
        self._start = start
        self._heard = 0
        self._mono = Mono(rate)
        self._voice = VoiceRows(vad)
        self._level = VoiceLevel()
        self._segmenter = Segmenter(start)
        self._probabilities, self._levels = rows
        self._probabilities.begin(start)
        self._levels.begin(start)

    @property
    def end(self) -> float:
        """Seconds, counted in samples from the start."""
        return self._start + self._heard / self._rate

    def hear(self, samples: NDArray[np.float32]) -> Iterator[Segment]:
        """The next samples; segments that they close."""
        self._heard += samples.shape[1]
        sound = self._mono.hear(samples)
        if len(sound):
            yield from self._follow(sound)

    def finish(self) -> Iterator[Segment]:
        """What is left. Nothing may be heard after that."""
        yield from self._follow(self._mono.finish(), last=True)
        yield from self._segmenter.finish()

    def _follow(self, sound: NDArray[np.float32], *, last: bool = False) -> Iterator[Segment]:
        self._levels.add(self._level.levels(sound))
        if last:
            self._levels.add(self._level.finish())
        whole, probabilities = self._voice.rows(sound, last=last)
        self._probabilities.add(probabilities)
        yield from self._segmenter.take(whole, probabilities)


def _figures(found: Transcript) -> tuple[str, float, float, float, float]:
    sure = found.language_probability
    return (
        found.language,
        np.nan if sure is None else sure,
        found.log_probability,
        found.no_speech,
        found.repetition,
    )


def _placed(words: Sequence[Word], segment: Segment) -> list[Word]:
    """Words on the film's clock, none in a pause: each is cut to the phrase in which most of it lies."""
    placed = []
    for word in words:
        start, end = segment.start + word.start, segment.start + word.end
        home = min(segment.phrases, key=lambda p: _away(p, start, end))
        if _away(home, start, end) > REACH_S:
            continue
        begin = min(max(start, home.start - EDGE_S), home.end)
        stop = max(min(end, home.end + EDGE_S), begin)
        placed.append(word._replace(start=begin, end=stop))
    return placed


def _away(phrase: Phrase, start: float, end: float) -> float:
    """Seconds between a span and a phrase; negative where they overlap: the more, the lower."""
    return max(phrase.start, start) - min(phrase.end, end)


def assemble(merged: Merged, film: Film, done: Mapping[str, Signal]) -> Signal:
    """The signal from the rows. Status ``skipped`` without a sound track."""
    if not film.has_sound:
        return Signal(SPEC.name, SPEC.version, "skipped", "no sound track")
    if not len(merged.get("speech_vad.time", ())):
        return Signal(SPEC.name, SPEC.version, "failed", "the sound track gave no sound within the film")
    words = inside("speech_words", WORD, merged, film)
    phrases = inside("speech_phrases", PHRASE, merged, film)
    segments = inside("speech_segments", SEGMENT, merged, film)
    columns = {
        "word": np.char.strip(words["text"]),
        "start": words["start"],
        "end": words["end"],
        "confidence": words["confidence"].astype(np.float64),
        "segment": words["segment"],
    }
    events = [*lines(words), *spans(phrases, segments)]
    events.sort(key=lambda e: (e.start, e.kind))
    facts = facts_of(words, phrases, segments, film)
    return Signal(SPEC.name, SPEC.version, columns=columns, events=events, facts=facts)
