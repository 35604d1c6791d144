"""Points followed by a network of the user's own, saved as TorchScript: CoTracker and others like it.

The file is one of ``torch.jit.save``. It is always called with the same shapes, so that it may be traced:

- ``video``: float32, (1, ``WINDOW``, 3, ``HEIGHT``, ``WIDTH``), red, green, blue, 0 to 255;
- ``queries``: float32, (1, ``POINTS``, 3), each the number of a frame, x and y in px;

and gives a pair: ``tracks``, (1, ``WINDOW``, ``POINTS``, 2), px, and ``visible``, (1, ``WINDOW``,
``POINTS``), a truth or a likelihood.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.ports import Kind, Tracked
from ..errors import BackendError
from .torch_loading import device

Picture = NDArray[np.uint8]
Seen = tuple[NDArray[np.float64], NDArray[np.bool_]]
WINDOW = 48
"""Frames that the network sees at once; a shorter stretch is filled up with its last one. The last frame of
one window is the first of the next, and its points are what is asked there: what a network knew of points
that were hidden in it is lost. Ours: a bound on memory."""
HEIGHT, WIDTH = 384, 512
"""Size, px, that CoTracker itself works at."""
POINTS = 64
"""Points that are asked at once; fewer are filled up with the first of them."""
VISIBLE = 0.5
"""Likelihood from which a point is seen; ours for networks that do not decide it themselves."""
TAKES = 3
"""What its ``forward`` takes: itself, the video and the queries."""


class ScriptTracker:
    """Implements :class:`..core.ports.Tracker`. A point that is not seen may be seen again."""

    kind: Kind = "model"
    stands_for = ""

    def __init__(self, path: Path, threads: int = 1) -> None:
        """Raises ``BackendError`` where the file is no such network."""
        import torch

        self.name = f"cotracker:{path.name}"
        torch.set_num_threads(threads)
        self._device = device()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # it is the format that can be traced
                self._model: Any = torch.jit.load(str(path), map_location=self._device).eval()
            takes = len(self._model.forward.schema.arguments)
        except Exception as error:  # whatever is in the user's file
            hint = "docs/how-to/own-models.md says how it is saved"
            raise BackendError(
                f"{self.name} cannot be read as TorchScript: {_line(error)}", hint=hint
            ) from error
        if takes != TAKES:
            raise BackendError(
                f"{self.name} takes {takes - 1} arguments, not a video and queries",
                hint="docs/how-to/own-models.md says how it is saved",
            )

    def track(self, pictures: Iterable[Picture], points: NDArray[np.float64]) -> Iterator[Tracked]:
        """See the port; ``WINDOW`` pictures are held."""
        held: list[Picture] = []
        asked, begun = np.asarray(points, np.float64).reshape(-1, 2), False
        for picture in pictures:
            held.append(picture)
            if len(held) == WINDOW:
                asked = yield from self._window(held, asked, skip=int(begun))
                held, begun = [held[-1]], True
        if len(held) > int(begun):
            yield from self._window(held, asked, skip=int(begun))

    def _window(
        self, pictures: Sequence[Picture], points: NDArray[np.float64], *, skip: int
    ) -> Generator[Tracked, None, NDArray[np.float64]]:
        """What is seen in each picture but the first ``skip``; returns where the points are in the last."""
        height, width = pictures[0].shape[:2]
        scale = np.array([(WIDTH - 1) / max(1, width - 1), (HEIGHT - 1) / max(1, height - 1)])
        fitted = [cv2.resize(p[..., ::-1], (WIDTH, HEIGHT), interpolation=cv2.INTER_LINEAR) for p in pictures]
        video = np.stack([*fitted, *fitted[-1:] * (WINDOW - len(fitted))]).transpose(0, 3, 1, 2)[None]
        parts = [
            self._run(video, points[at : at + POINTS] * scale) for at in range(0, max(1, len(points)), POINTS)
        ]
        tracks, visible = (np.concatenate(one, axis=1) for one in zip(*parts, strict=True))
        for i in range(skip, len(pictures)):
            yield Tracked(tracks[i] / scale, visible[i])
        return np.asarray(tracks[len(pictures) - 1] / scale)

    def _run(self, video: Any, points: NDArray[np.float64]) -> Seen:
        import torch

        count = len(points)
        queries = np.zeros((1, POINTS, 3), np.float32)
        if count:
            queries[0, :, 1:] = points[0]
            queries[0, :count, 1:] = points
        given = [
            torch.from_numpy(np.ascontiguousarray(v, np.float32)).to(self._device) for v in (video, queries)
        ]
        try:
            with torch.inference_mode():
                tracks, visible = (np.asarray(part.float().cpu()) for part in self._model(*given))
        except Exception as error:  # whatever the user's network raises
            raise BackendError(f"{self.name} cannot be run: {_line(error)}") from error
        expected = ((1, WINDOW, POINTS, 2), (1, WINDOW, POINTS))
        if (tracks.shape, visible.shape) != expected or not np.isfinite(tracks).all():
            raise BackendError(
                f"{self.name} gives {tracks.shape} and {visible.shape}, not finite numbers of "
                f"{expected[0]} and {expected[1]}"
            )
        return tracks[0, :, :count].astype(np.float64), visible[0, :, :count] > VISIBLE


def _line(error: Exception) -> str:
    said = str(error).strip().splitlines()
    return said[-1] if said else type(error).__name__
