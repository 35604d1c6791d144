"""Where somebody speaks: Silero's voice activity detector, version 6."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import BackendError
from . import onnx

RATE = 16000
STEP = 512
"""Samples per probability: 32 ms."""
_BEFORE = 64
"""Samples of the window before that the model sees again."""
_STATE = (1, 1, 128)


class SileroVad:
    """Probability that each 32 ms of a stream of sound hold a voice; the model remembers what went before.

    Singing may count as a voice and whispering may not: the model was trained on speech.
    """

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` if the file is not the model."""
        self._session = onnx.session(path, threads)
        if [i.name for i in self._session.get_inputs()] != ["input", "h", "c"]:
            raise BackendError(f"{path.name} is not the voice activity detector it should be")
        self.reset()

    def reset(self) -> None:
        """Forget what was heard: the next sound begins anew."""
        self._h = np.zeros(_STATE, np.float32)
        self._c = np.zeros(_STATE, np.float32)
        self._tail = np.zeros(_BEFORE, np.float32)

    def probabilities(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        """Probabilities, shape (n,), of n x 512 samples at 16 kHz in [-1, 1]. The next call goes on.

        Raises:
            ValueError: the count of samples is no multiple of 512.
        """
        windows = samples.astype(np.float32, copy=False).reshape(-1, STEP)
        if not len(windows):
            return np.zeros(0, np.float32)
        before = np.concatenate([self._tail[None], windows[:-1, -_BEFORE:]])
        given = {"input": np.concatenate([before, windows], axis=1), "h": self._h, "c": self._c}
        found, self._h, self._c = self._session.run(None, given)
        self._tail = windows[-1, -_BEFORE:].copy()
        return np.asarray(found, np.float32).reshape(-1)
