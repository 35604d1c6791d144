"""How well an embedder of clips and texts finds the description of a clip.

    LONGTAKE_TEST_MEDIA=... LONGTAKE_CACHE=... python benchmarks/embedders.py [--model NAME]

The clips and descriptions of :mod:`text_picture`, by a kind of the role ``video-text``, the ``proxy`` by
default. The clips with an even number in the order of their names are those on which the form of the proxy
was chosen; the others are reported. Printed are the share of pairs in which the right description is nearer
to a clip than another clip's (chance is one half), the mean rank of the right one among those of the half,
and how the cosines of right and of other descriptions lie. Parts of one recording are not set against each
other.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

from longtake.models import embedders, weights
from longtake.models.named import find_kind
from longtake.models.vectors import cosines
from longtake.storage.cache import cache_root
from stills import Picture, stills
from text_picture import described


def frames_of(path: Path, wanted: int) -> list[Picture]:
    """The middle picture of each of so many equal parts of a clip's stills, the last repeated if too few."""
    shown = [picture for _, picture in stills(path)]
    if len(shown) <= wanted:
        return shown + shown[-1:] * (wanted - len(shown))
    return [shown[i] for i in ((np.arange(wanted) + 0.5) * len(shown) / wanted).astype(int)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default=embedders.PROXY)
    media = Path(os.environ["LONGTAKE_TEST_MEDIA"])
    named = find_kind(parser.parse_args().model, embedders.VIDEO_TEXT, "embedder", cache_root())
    model = named.open(weights.load(named.entries, cache_root(), 2))
    paths, texts, recording = described(media)
    clips = np.concatenate([model.clips([frames_of(path, model.shape.frames)]) for path in paths])
    found = cosines(clips, model.texts(texts))
    other = np.array([[a != b for b in recording] for a in recording])
    print(f"{named.label}: a {model.kind}{' for ' + model.stands_for if model.stands_for else ''}")
    for half, what in ((0, "chosen on"), (1, "reported")):
        own = np.arange(half, len(paths), 2)
        scores, asked = found[np.ix_(own, own)], other[np.ix_(own, own)]
        right = np.diag(scores)[:, None]
        wins = (right > scores) + 0.5 * (right == scores)
        ranks = 1 + ((right < scores) & asked).sum(axis=1)
        print(
            f"{what}: right before another's in {wins[asked].mean():.3f} of {asked.sum()} pairs; mean rank "
            f"{ranks.mean():.1f} of {len(own)}; cosines right {np.percentile(right, (5, 50, 95)).round(2)}, "
            f"others {np.percentile(scores[asked], (5, 50, 95)).round(2)}"
        )


if __name__ == "__main__":
    main()
