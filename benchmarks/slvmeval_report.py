"""The table of slvmeval_pairs.py, and the control in which captions are dealt anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

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
from longtake.storage.cache import Cache
from slvmeval_films import Made

HONEST = (
    *("temporal_flow", "spatial_relationship", "shuffle", "replace", "unrelated_brief"),
    *("comprehensiveness", "superfluous"),
)
"""What the issue calls honest ground. Read the cues beside each: length tells comprehensiveness, and the
other way ``superfluous``; blocks that begin within clips make ``shuffle`` and ``replace`` less smooth."""
CONTROLS = ("reencoded", "planned_cut")
GPT5 = {
    "aesthetics": 90.1,
    "technical_quality": 85.8,
    "appearance_style": 88.9,
    "background_consistency": 98.9,
    "object_removal": 72.0,
    "color": 84.3,
    "dynamics_degree": 35.3,
    "comprehensiveness": 51.3,
    "spatial_relationship": 59.7,
    "temporal_flow": 50.3,
}
CUES = ("cue.duration", "cue.bytes", "cue.frame_difference", "cue.smoothness", "constant", "random")
ROUNDS = 20
"""Random orders of the captions of each pair."""


def show(
    made: Sequence[Made],
    document: dict[str, Any],
    right: dict[str, Any],
    where: dict[str, Any],
    anew: dict[str, tuple[int, int, int]],
) -> None:
    """Print the table."""
    footage = {(c.path, c.start): c.length for f in made for c in f.clips}
    sources = {c.source for f in made for c in f.clips}
    photos = {c.source for f in made for c in f.clips if c.photo}
    print(
        f"{len(made)} films of {len({f.reel for f in made})} reels, {sum(footage.values()):.0f} distinct "
        f"seconds, {len(sources)} independent sources, {len(photos)} of them photographs"
    )
    strength = defaultdict(list)
    for answer in document["preferences"]:
        if answer["evaluator"] == "evidence":
            moved = (answer.get("facts") or {}).get("strength", 0.0)
            strength[answer["pair"].rpartition("/")[2]].append(abs(moved))
    real = median(
        [s for name, all_ in strength.items() if name not in (*CONTROLS, "clean_cut") for s in all_]
    )
    for name in strength:
        figures = right["evaluators"]["evidence"]["aspects"][name]
        wilson, boot = figures["wilson"], figures["accuracy"]
        found = where["evaluators"]["evidence"]["aspects"].get(name, {}).get("figures", {})
        cues = ", ".join(
            f"{cue} {_share(right['evaluators'][cue]['aspects'][name]['accuracy']['value'])}"
            for cue in CUES
            if cue in right["evaluators"]
        )
        print(f"{name}{' (honest ground)' if name in HONEST else ''}")
        print(
            f"  right {_share(wilson['value'])} of {figures['pairs_scored']}/{figures['pairs']}, Wilson "
            f"{_share(wilson['low'])}..{_share(wilson['high'])}, over reels {_share(boot['low'])}.."
            f"{_share(boot['high'])}; GPT-5 on other pairs {GPT5.get(name, '-')}"
        )
        print(f"  {cues}")
        told = {k: _value(found.get(k)) for k in ("pointed", "overlap", "false_per_five_minutes")}
        print("  localisation " + ", ".join(f"{k} {_number(v)}" for k, v in told.items()))
        if name in anew:
            a, answered, asked = anew[name]
            print(
                f"  captions dealt anew: {_share(a / answered if answered else None)} of {answered}/{asked}"
            )
        print(
            f"  moves it by {median(strength[name]):.1f}, {median(strength[name]) / real:.2f} of real damage"
        )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _value(figure: Any) -> float | None:
    found = figure["value"] if isinstance(figure, dict) else figure
    return None if found is None else float(found)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def dealt_anew(pairs: Sequence[Pair]) -> dict[str, tuple[int, int, int]]:
    """How often the undamaged film is preferred, of answers, of questions, with the captions in random order.

    Who understands captions is at chance then; who goes by anything else is not.
    """
    found: dict[str, list[str | None]] = defaultdict(list)
    for pair in pairs:
        if pair.aspect not in HONEST or pair.brief is None or pair.brief_b is not None:
            continue
        plan = read_brief(pair.brief)
        cases = [_case(path, plan) for path in (pair.a, pair.b)]
        for number in range(ROUNDS):
            order = np.random.default_rng(seed_for(pair.id, "dealt", number)).permutation(len(plan.shots))
            dealt = [_dealt(case, order) for case in cases]
            found[pair.aspect].append(evidence.prefer(*dealt).choice)
    return {n: (c.count("a"), sum(x is not None for x in c), len(c)) for n, c in found.items()}


def _case(path: Path, plan: Brief) -> MeasuredCase:
    video, cache = open_video(path), Cache()
    measured = measure(video, [n for n in evidence.card.needs if n != "text_picture"], cache=cache, workers=1)
    measured = with_text_picture(video, measured, plan, chosen_model(None, cache), cache)
    entry = video_entry(video, measured, None)
    return MeasuredCase(Case(path.stem, path), entry, measured.signals, plan, 0)


def _dealt(case: MeasuredCase, order: NDArray[np.int64]) -> MeasuredCase:
    assert case.brief is not None
    table = case.signals["text_picture"]
    texts = np.argsort(order)[np.asarray(table.columns["text"], np.int64)]
    shots = [
        s.model_copy(update={"text": case.brief.shots[i].text})
        for s, i in zip(case.brief.shots, order, strict=True)
    ]
    by_name = {**case.signals.by_name, table.name: replace(table, columns={**table.columns, "text": texts})}
    return replace(case, signals=Signals(by_name), brief=case.brief.model_copy(update={"shots": shots}))
