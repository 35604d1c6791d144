"""Films of pairs, measured as ``evidence`` wants them, and the control in which captions are dealt anew."""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longtake.briefs.read import read_brief
from longtake.core.brief import Brief
from longtake.core.case import Case, Pair
from longtake.core.evaluator import MeasuredCase
from longtake.core.seeds import seed_for
from longtake.core.signal import Signals
from longtake.evaluators.evidence.evaluator import evidence
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.execution.text_picture import chosen as chosen_model
from longtake.execution.text_picture import with_text_picture
from longtake.media.open import open_video
from longtake.models.yolo import LEAST, Found, ObjectFinder
from longtake.signals import objects
from longtake.storage.cache import Cache

ROUNDS = 20
"""Random orders of the captions of each pair."""


class RememberingFinder(ObjectFinder):
    """Looks at a picture once: copies of one film share most of theirs, to the last bit.

    Two thirds of what measuring these films costs is this network. What it found in a picture is kept in
    ``folder``, by the picture's digest, for the other pairs of the film.
    """

    folder: Path

    def find(self, picture: NDArray[np.uint8], least: float = LEAST) -> list[Found]:
        """What the network finds, or found before."""
        digest = hashlib.sha256(picture.tobytes() + str((picture.shape, least)).encode()).hexdigest()
        path = self.folder / digest[:2] / f"{digest}.json"
        if path.exists():
            kept = json.loads(path.read_text(encoding="utf-8"))
            return [Found(label, score, tuple(box)) for label, score, box in kept]
        found = super().find(picture, least)
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = path.with_suffix(f".{os.getpid()}")
        whole.write_text(json.dumps([(f.label, f.score, f.box) for f in found]), encoding="utf-8")
        whole.rename(path)
        return found


def remember(folder: Path) -> None:
    """From now on this process keeps, and finds, in ``folder`` what was seen in which picture."""
    RememberingFinder.folder = folder
    objects.ObjectFinder = RememberingFinder  # type: ignore[misc]


def measured_sides(pair: Pair) -> list[tuple[Path, Path | None]]:
    """Film and brief of both sides."""
    return [(pair.a, pair.brief), (pair.b, pair.brief_b or pair.brief)]


def measured(path: Path, brief: Path | None) -> MeasuredCase:
    """The film with the signals that ``evidence`` needs, from the cache where they lie there."""
    video, cache = open_video(path), Cache()
    plan = read_brief(brief) if brief is not None else None
    found = measure(video, [n for n in evidence.card.needs if n != "text_picture"], cache=cache, workers=1)
    found = with_text_picture(video, found, plan, chosen_model(None, cache), cache)
    return MeasuredCase(Case(path.stem, path), video_entry(video, found, None), found.signals, plan, 0)


def dealt_anew(pairs: Sequence[Pair]) -> dict[str, tuple[int, int, int]]:
    """How often the undamaged film is preferred, of answers, of questions, with the captions in random order.

    Who understands captions is at chance then; who goes by anything else is not.
    """
    found: dict[str, list[str | None]] = defaultdict(list)
    for pair in pairs:
        if pair.brief is None or pair.brief_b is not None:
            continue
        cases = [measured(*side) for side in measured_sides(pair)]
        for number in range(ROUNDS):
            rng = np.random.default_rng(seed_for(pair.id, "dealt", number))
            order = rng.permutation(len(read_brief(pair.brief).shots))
            found[pair.aspect].append(evidence.prefer(*(_dealt(case, order) for case in cases)).choice)
    return {n: (c.count("a"), sum(x is not None for x in c), len(c)) for n, c in found.items()}


def _dealt(case: MeasuredCase, order: NDArray[np.int64]) -> MeasuredCase:
    assert case.brief is not None
    table = case.signals["text_picture"]
    texts = np.argsort(order)[np.asarray(table.columns["text"], np.int64)]
    shots = [
        s.model_copy(update={"text": case.brief.shots[i].text})
        for s, i in zip(case.brief.shots, order, strict=True)
    ]
    by_name = {**case.signals.by_name, table.name: replace(table, columns={**table.columns, "text": texts})}
    brief: Brief = case.brief.model_copy(update={"shots": shots})
    return replace(case, signals=Signals(by_name), brief=brief)
