"""A generator without a generative model: the first picture flows, turns and changes its colours."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from ..core.ports import Kind

Picture = NDArray[np.uint8]
NAME = "warp-proxy"
ONSET = 0.6
"""Seconds until half of the change is there."""
REACH = 0.035
"""How far the picture flows, as a share of its width."""
CELLS = 6
"""Waves of the flow across the picture."""


class WarpGenerator:
    """Pictures that begin with the first one and flow away from it; what the prompt says only draws how.

    A proxy: it shows nothing that the prompt names.
    """

    kind: Kind = "proxy"
    stands_for = "image-to-video generation (Wan2.2)"
    name = NAME

    def generate(self, prompt: str, first: Picture, frames: int, fps: float, seed: int) -> Iterator[Picture]:
        """``frames`` pictures of the size of ``first``, which is the first of them."""
        words = int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:8], "big")
        draw = np.random.default_rng([abs(seed), words])
        height, width = first.shape[:2]
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        flow = [_field(draw, height, width) for _ in range(4)]
        grain = _field(draw, height, width, cells=40)
        turn, zoom = draw.choice([-1, 1]) * draw.uniform(2, 5), draw.uniform(0.04, 0.09)
        hue, rate = draw.choice([-1, 1]) * draw.uniform(50, 140), draw.uniform(0.25, 0.5)
        for i in range(frames):
            if i == 0:
                yield first.copy()
                continue
            time = i / fps
            share = float(1 - 2 ** (-time / ONSET))
            swing = 2 * np.pi * rate * time
            reach = REACH * width * share
            off_x = reach * (flow[0] * np.cos(swing) + flow[1] * np.sin(swing))
            off_y = reach * (flow[2] * np.cos(swing) + flow[3] * np.sin(swing))
            move = cv2.getRotationMatrix2D(
                (width / 2, height / 2), turn * time, 1 - zoom * share * min(time, 2)
            )
            from_x = move[0, 0] * x + move[0, 1] * y + move[0, 2] + off_x
            from_y = move[1, 0] * x + move[1, 1] * y + move[1, 2] + off_y
            shown = cv2.remap(
                first,
                from_x.astype(np.float32),
                from_y.astype(np.float32),
                cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REFLECT,
            )
            yield _coloured(np.asarray(shown, np.uint8), hue * share, np.roll(grain, i, axis=1) * share)


def _field(draw: np.random.Generator, height: int, width: int, cells: int = CELLS) -> NDArray[np.float32]:
    spots = draw.standard_normal((max(cells * height // width, 2), cells)).astype(np.float32)
    return np.asarray(cv2.resize(spots, (width, height), interpolation=cv2.INTER_CUBIC), np.float32)


def _coloured(picture: Picture, degrees: float, grain: NDArray[np.float32]) -> Picture:
    hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)
    hsv[..., 0] = (hsv[..., 0].astype(np.int16) + round(degrees / 2)) % 180
    hsv[..., 2] = np.clip(hsv[..., 2] * (1 + 0.12 * grain), 0, 255).astype(np.uint8)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), np.uint8)
