"""A film of people who say known sentences, made and measured once for all rules that listen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from by_hand import Spoken

from longtake.core.brief import Brief
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.facts import Facts
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.meta.perturbations import join, perturb
from longtake.storage.cache import Cache
from sentences import SENTENCES


@pytest.fixture(scope="session")
def spoken(media: Path, weights_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Spoken:
    """Facts of the GRID clips as one film, whole or damaged, from these signals."""
    folder = tmp_path_factory.mktemp("spoken")
    (folder / "models").symlink_to(weights_root / "models", target_is_directory=True)
    whole = folder / "whole.mp4"
    join([open_video(media / "2_speaking" / f"grid_{name}.mpg") for name in SENTENCES], whole)

    def facts(
        names: Sequence[str], operator: str | None = None, strength: float = 0, brief: Brief | None = None
    ) -> Facts:
        path = whole if operator is None else folder / f"{operator}_{strength}.mp4"
        if not path.exists():
            perturb(open_video(whole), str(operator), strength, 1, path)
        video = open_video(path)
        measured = measure(video, names, cache=Cache(folder), workers=1)
        return gather(video_entry(video, measured, None), measured.signals, brief)

    return facts
