"""Kinds of models that were trained on people's scores of films.

Each evaluator of theirs has a role of its own: their scores, prompts and answers have nothing in common.
"""

from __future__ import annotations

from collections.abc import Mapping

from .named import NOT_RUN, Kind

NEEDS = ("torch", "transformers")
VIDEOSCORE: Mapping[str, Kind] = {
    "videoscore": Kind(
        "videoscore:VideoScore",
        places=("FOLDER",),
        needs=NEEDS,
        extra="torch",
        licence="MIT (TIGER-Lab/VideoScore-v1.1)",
        note=NOT_RUN,
    )
}
VIDEOSCORE2: Mapping[str, Kind] = {
    "videoscore2": Kind(
        "videoscore2:VideoScore2",
        places=("FOLDER",),
        needs=NEEDS,
        extra="torch",
        licence="Apache-2.0 (TIGER-Lab/VideoScore2)",
        note=NOT_RUN,
    )
}
