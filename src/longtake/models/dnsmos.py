"""How good speech sounds to listeners: DNSMOS P.835, without its package."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import BackendError
from . import onnx

RATE = 16000
WINDOW = 144160
"""Samples that the model takes: 9.01 s."""
_CURVES = {
    "signal": (-0.08397278, 1.22083953, 0.0052439),
    "background": (-0.13166888, 1.60915514, -0.39604546),
    "overall": (-0.06766283, 1.11546468, 0.04602535),
}
"""From what the model gives to opinion scores: quadratics, highest power first (Reddy et al., 2022)."""


class Opinion(NamedTuple):
    """Mean opinion scores as listeners would give them, about 1 (bad) to 5 (excellent)."""

    signal: float
    background: float
    overall: float


class Dnsmos:
    """Guesses the opinion of listeners about the voice, the background and both."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` if the file is not the model."""
        self._session = onnx.session(path, threads, lean=True)
        inputs = self._session.get_inputs()
        if len(inputs) != 1 or inputs[0].shape[-1] != WINDOW:
            raise BackendError(f"{path.name} is not the speech quality model it should be")
        self._input = inputs[0].name

    def rate(self, samples: NDArray[np.float32]) -> Opinion:
        """The mean opinion over windows of 9.01 s, none of which overlap.

        ``samples``: shape (n,), at 16 kHz in [-1, 1], n > 0. What is shorter than a window, or left over
        when it is at least half a window, is repeated until it fills one.
        """
        whole, rest = divmod(len(samples), WINDOW)
        windows = [samples[i * WINDOW : (i + 1) * WINDOW] for i in range(whole)]
        if not whole or rest >= WINDOW // 2:
            windows.append(np.resize(samples[whole * WINDOW :], WINDOW))
        raw = np.concatenate(
            [self._session.run(None, {self._input: w[None].astype(np.float32)})[0] for w in windows]
        ).astype(np.float64)
        scores = [np.polyval(curve, raw[:, i]).mean() for i, curve in enumerate(_CURVES.values())]
        return Opinion(*(float(s) for s in scores))
