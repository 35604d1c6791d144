"""How often a text-picture model prefers a clip's description to that of another clip.

    LONGTAKE_TEST_MEDIA=... LONGTAKE_CACHE=... python benchmarks/text_picture.py [--model NAME]

The clips of ``8_footage`` and the words of the manifest's column ``shows``, without notes on how they were
made. Clips with an even number in the order of their names are those on which the limits of the proxy
(``conse-proxy``, the default) were fixed; the others are reported. A pair counts where the model answers for
both texts; parts of one recording are not set against each other. Chance is one half.
"""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

import numpy as np

from longtake.models import text_picture, weights
from longtake.storage.cache import cache_root
from stills import manifest, stills

LEFT_OUT = ("lav_teaser", "wrtc", "ffp_in", "fv_kand")
"""Films of several shots, a countdown, and a clip that shows nothing."""
RECORDINGS = (
    "intel_asl",
    "intel_pose",
    "intel_walk",
    "mla",
    "va_1",
    "va_3",
    "simpl_dancer",
    "simpl_small",
    "tmh_stream",
    "intel_bottle",
    "intel_car",
    "intel_onebyone",
    "mdn_chroma",
    "ovi_tw",
)
"""Beginnings of names that stand for one recording, or for clips that one description would fit."""


def told(shows: str) -> str:
    """A description without who made it and how it was cut."""
    text = re.sub(r"^[A-Z][\w .-]{1,24}( \([^)]*\))?: ", "", shows)
    text = re.sub(r"; ([^;]*audio|excerpt|re-encoded|sound|maker|static|handheld).*$", "", text)
    return re.sub(r"\(.*?\)", "", text).strip()


def described(media: Path) -> tuple[list[Path], list[str], list[str]]:
    """The clips, their descriptions, and what names the recording that each is part of."""
    rows = [r for r in manifest(media) if r["path"].startswith("8_footage/")]
    rows = [r for r in rows if not Path(r["path"]).name.startswith(LEFT_OUT)]
    names = [Path(r["path"]).name for r in rows]
    recording = [next((k for k in RECORDINGS if n.startswith(k)), n) for n in names]
    return [media / r["path"] for r in rows], [told(r["shows"]) for r in rows], recording


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default=text_picture.PROXY)
    media = Path(os.environ["LONGTAKE_TEST_MEDIA"])
    named = text_picture.find(parser.parse_args().model, cache_root())
    model = named.open(weights.load(named.entries, cache_root(), 2))
    paths, texts, recording = described(media)
    clips = []
    for path in paths:
        found = model.similarity([picture for _, picture in stills(path)], texts)
        with np.errstate(invalid="ignore"):
            answered = np.isfinite(found).sum(axis=0)
            clips.append(np.where(answered, np.nansum(found, axis=0) / np.maximum(answered, 1), np.nan))
    scores = np.array(clips)
    print(f"{named.label}: a {model.kind}{' for ' + model.stands_for if model.stands_for else ''}")
    for half, what in ((0, "fixed on"), (1, "reported")):
        own = [i for i in range(len(paths)) if i % 2 == half]
        pairs = [(i, j) for i in own for j in own if recording[i] != recording[j]]
        asked = [(scores[i, i], scores[i, j]) for i, j in pairs if np.isfinite(scores[i, [i, j]]).all()]
        right = np.mean([(a > b) + 0.5 * (a == b) for a, b in asked])
        clear = sum(bool(np.isfinite(scores[i, i])) for i in own)
        print(
            f"{what}: {right:.3f} of {len(asked)} of {len(pairs)} pairs; {clear} of {len(own)} clips answered"
        )


if __name__ == "__main__":
    main()
