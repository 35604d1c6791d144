"""What is said: Whisper by CTranslate2, from a folder of weights and without any network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import BackendError

RATE = 16000
LONGEST_S = 30.0
"""What the model hears at once; a call costs about the same for less."""
UNSURE_LANGUAGE = 0.6
"""Under this probability of the first guess the next ones are tried as well."""
RIVAL_LANGUAGE = 0.15
"""Least probability of a language that is tried as well."""
REPEATING = 2.4
"""Compression ratio (gzip) of a text above which it repeats itself, as in Radford et al., 2022."""
UNSURE_TEXT = -1.0
"""Mean log probability of the tokens under which a text is a guess, as in Radford et al., 2022."""
NO_SPEECH = 0.6
"""Probability of no speech above which a text is invented, as in Radford et al., 2022."""
TOKENS_PER_S = 24
"""Tokens that a second of sound may have at most; a text that repeats itself without end is stopped there."""
_MOST_TOKENS = 400
_PEAK = 0.9
_MOST_GAIN = 100.0


class Word(NamedTuple):
    """``text`` with the space or the marks that belong to it; ``start`` and ``end`` in seconds from the
    beginning of the sound; ``probability`` is the mean of its tokens, 0..1; ``line`` numbers the phrase."""

    text: str
    start: float
    end: float
    probability: float
    line: int


@dataclass(frozen=True)
class Transcript:
    """Words, and how sure the model is of them.

    ``language`` is an ISO 639 code, its probability ``None`` where the model knows one language only.
    ``log_probability`` is the mean over all tokens, ``no_speech`` the probability that nobody speaks,
    ``repetition`` the compression ratio of the text; NaN without any text. ``doubt`` says why the words
    ought not to be believed.
    """

    language: str
    language_probability: float | None
    words: tuple[Word, ...] = ()
    log_probability: float = float("nan")
    no_speech: float = float("nan")
    repetition: float = float("nan")

    @property
    def doubt(self) -> str | None:
        if not self.words:
            return "no words were found"
        if self.repetition > REPEATING:
            return "the text found repeats itself"
        if self.no_speech > NO_SPEECH:
            return "the model doubts that anybody speaks"
        if self.log_probability < UNSURE_TEXT:
            return "the words found are a guess"
        return None


class Whisper:
    """Transcribes up to 30 s of sound. The same sound gives the same words: nothing is drawn by chance."""

    def __init__(self, files: Mapping[str, Path], threads: int = 1) -> None:
        """``files`` hold ``model.bin``, ``config.json``, ``tokenizer.json`` and a vocabulary, in one folder.

        Raises:
            BackendError: they are not what they must be.
        """
        from faster_whisper import WhisperModel

        folder = files["model.bin"].parent
        if not files["tokenizer.json"].is_file():  # it would be looked for on the network
            raise BackendError(f"{folder.name} has no tokenizer.json", hint="longtake models pull")
        try:
            self._model = WhisperModel(
                str(folder), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
            )
        except Exception as error:  # CTranslate2 and the tokenizer raise types of their own
            hint = "fetch it again: longtake models pull"
            raise BackendError(f"{folder.name} cannot be run: {error}", hint=hint) from error

    def transcribe(self, samples: NDArray[np.float32]) -> Transcript:
        """Words in ``samples``: shape (n,), at 16 kHz in [-1, 1], at most 30 s.

        Sound is brought to one level first. Where the language is unsure, the text that the model finds
        likelier in one of the probable languages is taken.
        """
        peak = float(np.abs(samples).max(initial=0.0))
        if peak == 0.0:
            return Transcript("", None)
        sound = samples * np.float32(min(_PEAK / peak, _MOST_GAIN))
        first, info = self._heard(sound, None)
        probabilities = dict(info.all_language_probs or ())
        if not probabilities:
            return first
        if first.language_probability is not None and first.language_probability >= UNSURE_LANGUAGE:
            return first
        rivals = [n for n, p in probabilities.items() if p >= RIVAL_LANGUAGE and n != first.language]
        tried = [first, *(self._heard(sound, name, probabilities[name])[0] for name in rivals)]
        return max(tried, key=_likely)

    def _heard(
        self, sound: NDArray[np.float32], language: str | None, probability: float | None = None
    ) -> tuple[Transcript, Any]:
        found, info = self._model.transcribe(
            sound,
            language=language,
            beam_size=5,
            temperature=0.0,
            condition_on_previous_text=False,
            word_timestamps=True,
            max_new_tokens=min(round(TOKENS_PER_S * (1 + len(sound) / RATE)), _MOST_TOKENS),
        )
        lines = list(found)
        if language is None and info.all_language_probs:
            probability = float(info.language_probability)
        words = tuple(
            Word(word.word, float(word.start), float(word.end), float(word.probability), number)
            for number, line in enumerate(lines)
            for word in line.words or ()
        )
        if not words:
            return Transcript(info.language, probability), info
        weights = [len(line.tokens) for line in lines]
        return Transcript(
            info.language,
            probability,
            words,
            float(np.average([line.avg_logprob for line in lines], weights=weights)),
            float(np.average([line.no_speech_prob for line in lines], weights=weights)),
            max(float(line.compression_ratio) for line in lines),
        ), info


def _likely(transcript: Transcript) -> tuple[bool, float]:
    usable = bool(transcript.words) and transcript.repetition <= REPEATING
    return usable, transcript.log_probability if transcript.words else -np.inf
