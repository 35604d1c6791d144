"""An editor without a generative model: hole filling, hues, drawing styles, drawn landscapes, moved faces."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..core.instructions import Instruction, parse
from ..core.ports import Kind
from ..errors import BackendError
from .landscapes import Picture, landscape
from .other_face import FaceChanger, Matte, head, other_face
from .retouching import dressed, erased, mixed, turned, window
from .styles import DRAWN

NAME = "opencv-proxy"
LANDSCAPES = 1_000_003
"""Landscapes of one seed are numbered apart from those of the next by this."""


class OpenCvEditor:
    """Every instruction of :mod:`longtake.core.instructions`, on single pictures, by OpenCV.

    A proxy: what is erased leaves a smooth patch, a recoloured thing keeps its texture, and another person
    is the same one with features moved. A picture and a seed always give the same result.
    """

    kind: Kind = "proxy"
    stands_for = "inpainting, Qwen-Image-Edit and VACE"

    def __init__(self, centerface: Mapping[str, Path] | None = None, threads: int = 1) -> None:
        """``centerface`` are the files of that catalog entry: without it faces change with what they are on.

        Raises:
            BackendError: the weights cannot be used.
        """
        self.name = NAME + ("" if centerface else " without centerface")
        self._faces = FaceChanger(centerface, threads) if centerface else None

    def edit(self, picture: Picture, mask: Matte | None, instruction: str, seed: int) -> Picture:
        """``picture`` changed where ``mask`` is above 0 (everywhere without one): a new picture."""
        asked = parse(instruction)
        if asked.verb == "erase":
            if mask is None:
                raise BackendError("to erase something, a mask of it is needed")
            return mixed(picture, erased(picture, mask), np.minimum(mask * 1.5, 1))
        return mixed(picture, self._changed(picture, mask, asked, seed), mask)

    def _changed(self, picture: Picture, mask: Matte | None, asked: Instruction, seed: int) -> Picture:
        height, width = picture.shape[:2]
        if asked.verb == "recolour":
            if mask is None:
                return turned(picture, asked.amount)
            shown, there = picture.copy(), window(mask)
            if picture[there].size:
                shown[there] = turned(picture[there], asked.amount)
            return shown
        if asked.verb == "restyle" and asked.style:
            share = np.full((height, width), asked.amount, np.float32)
            return mixed(picture, DRAWN[asked.style](picture), share)
        if asked.verb == "background":
            return landscape(abs(seed) * LANDSCAPES + int(asked.amount), width, height)
        return self._another(picture, mask, [abs(seed), int(asked.amount)])

    def _another(self, picture: Picture, mask: Matte | None, draws: list[int]) -> Picture:
        """Faces changed, all but heads in other clothes; without a mask, faces alone if there are any."""
        faces = self._faces.find(picture) if self._faces else np.zeros((0, 15), np.float32)
        shown = picture
        for face in faces:  # all by the same draws: who is found first may change from frame to frame
            shown = other_face(shown, face, np.random.default_rng(draws))
        if len(faces) and mask is None:
            return shown
        heads = np.max([head(picture.shape[:2], face) for face in faces], axis=0) if len(faces) else None
        clothes = dressed(picture, np.random.default_rng(draws))
        return clothes if heads is None else mixed(clothes, shown, heads)
