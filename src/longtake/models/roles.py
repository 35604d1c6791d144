"""The roles that models fill for evaluators, which kinds of model may fill each, and which does by default.

A role is asked for on the command line as ``--model ROLE=NAME``. The default runs offline and, where it is
not what the published metric runs on, is a proxy and called one.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import MissingError, UsageError
from . import embedders, maskers, movement, picture_quality, scorers
from .named import Kind, Named, find_kind


@dataclass(frozen=True)
class Role:
    """``doc`` says what the model is asked; ``default`` names the kind that runs where the user names none,
    ``None`` where nothing offline can. ``alone``: too large to be held by several processes at once."""

    doc: str
    kinds: Mapping[str, Kind]
    default: str | None = None
    alone: bool = False


ROLES: Mapping[str, Role] = {
    "ocr": Role(
        "lines of text in pictures",
        {"ppocr": Kind("ocr:opened", entries=("ppocr",), licence="Apache-2.0")},
        "ppocr",
    ),
    "video-text": Role("clips and texts in one space", embedders.VIDEO_TEXT, embedders.PROXY),
    "picture-text": Role("pictures and texts in one space", embedders.PICTURE_TEXT, embedders.PROXY),
    "subject": Role(
        "pictures by what is in them (DINO's part in VBench)", embedders.SUBJECT, embedders.DEFAULT
    ),
    "scene": Role("pictures by their scene, as CLIP in VBench", embedders.SCENE, embedders.DEFAULT),
    "interpolator": Role("the frame between two", movement.INTERPOLATORS, movement.DIS),
    "flow": Role("where each pixel went", movement.FLOWS, movement.DIS),
    "tracker": Role("where points went", movement.TRACKERS, movement.LK),
    "aesthetic": Role("how beautiful a picture is", picture_quality.AESTHETIC, picture_quality.PROXY_PICTURE),
    "imaging": Role("how undamaged a picture is", picture_quality.IMAGING, picture_quality.PROXY_BRISQUE),
    "masker": Role("where a thing is in a picture", maskers.ROLE, maskers.PROXY),
    "videoscore": Role("five scores of a film and its text", scorers.VIDEOSCORE, alone=True),
    "videoscore2": Role("three scores of a film and its text, in words", scorers.VIDEOSCORE2, alone=True),
}


def role(name: str) -> Role:
    """The role of that name. Raises ``UsageError``."""
    if name not in ROLES:
        near = difflib.get_close_matches(name, ROLES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"one of: {', '.join(ROLES)}"
        raise UsageError(f"no model has the role {name!r}", hint=hint)
    return ROLES[name]


def find(name: str, model: str | None, root: Path) -> Named | str:
    """The model for a role: the one named, else the default; or why there is none.

    Raises:
        UsageError: there is no such role or model.
        MissingError: the model that was asked for by name, or what runs it, is not here.
        InputError: the user's own files cannot be read.
        NoMemoryError: there is not enough memory for it.
    """
    one = role(name)
    if model is not None:
        return find_kind(model, one.kinds, f"model for {name}", root)
    if one.default is None:
        usages = ", ".join(kind.usage(k) for k, kind in one.kinds.items())
        return f"no model fills the role {name} (--model {name}=NAME, one of: {usages})"
    try:
        return find_kind(one.default, one.kinds, f"model for {name}", root)
    except MissingError as error:
        return f"the role {name} is not filled: {error.message}: {error.hint}"
