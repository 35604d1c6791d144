"""Does every rule fall with the damages that concern it, and with no other? Does it point at them?

    python benchmarks/rule_sensitivity.py MEDIA_FOLDER [--half A|B] [--groups NAME,...] [--write]

Films are those of ``rule_films.py``: controls that were encoded again, and damages at several strengths.
Rules' constants were fixed on half A; half B only reports, and ``--write`` puts its figures into
``diagnosis/rules/sensitivity.json`` and those of the cards into ``diagnosis/figures.json``. Studies are
those of ``longtake.meta.studies``, clustered by recording. Weights are those of the user's cache
(``longtake models pull``).
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from longtake.core.documents import VideoEntry
from longtake.core.signal import Signals
from longtake.core.studies import FamilySensitivity
from longtake.diagnosis.diagnose import gather
from longtake.diagnosis.rules import REPORT_RULES, RULES
from longtake.execution.entry import video_entry
from longtake.execution.measure import measure
from longtake.media.open import open_video
from longtake.meta.studies.localisation import LocalisationTable, localisation
from longtake.meta.studies.sensitivity import SensitivityOptions, SensitivityTable, sensitivity
from longtake.signals.registry import ORDER
from longtake.storage.cache import Cache, cache_root
from rule_films import CONCERNS, CONTROLS, GROUPS, SPARES, UNTRIED, Case, Source, Span

EVERY = {**RULES, **REPORT_RULES}
DIAGNOSIS = Path(__file__).parents[1] / "src" / "longtake" / "diagnosis"
COMMAND = "python benchmarks/rule_sensitivity.py MEDIA --half {half} --write"
WHAT = {
    "concerns": "which concerns it",
    "spares": "which it should not mind",
    "control": "a control",
}


@dataclass(frozen=True)
class Answer:
    """What a rule said of one film. ``found`` is ``None`` where it gave no value."""

    rule: str
    source: str
    recording: str
    family: str
    strength: float
    value: float | None
    changed: tuple[Span, ...]
    found: tuple[Span, ...] | None
    minutes: float


@dataclass(frozen=True)
class Job:
    """A source of a group; ``weights`` is where models are, ``kept`` where measured signals are kept."""

    group: str
    source: Source
    weights: Path
    kept: Path | None = None


Measured = list[tuple[Case, VideoEntry, Signals]]


def measured(job: Job) -> Measured:
    """A source's control and all its damaged films, measured; each film once."""
    chosen = next(g for g in GROUPS if g.name == job.group)
    names = sorted({s for r in chosen.rules for s in EVERY[r].needs if s in ORDER} - set(chosen.skips))
    seen: dict[Path | tuple[Path, ...], tuple[VideoEntry, Signals]] = {}
    out = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        cache = folder / "cache"
        cache.mkdir()
        (cache / "models").symlink_to(job.weights / "models", target_is_directory=True)
        for case in chosen.cases(job.source, folder):
            if case.path not in seen:
                video = open_video(list(case.path) if isinstance(case.path, tuple) else case.path)
                found = measure(video, names, cache=Cache(cache), workers=1)
                seen[case.path] = video_entry(video, found, None), found.signals
            out.append((case, *seen[case.path]))
    return out


def answers(job: Job) -> tuple[list[Answer], float]:
    """What the group's rules say of a source's films, and the CPU seconds it took."""
    cv2.setNumThreads(1)
    began = time.process_time()
    path = job.kept / f"{job.group} {job.source.name}.pickle" if job.kept else None
    if path and path.exists():
        found: Measured = pickle.loads(path.read_bytes())
    else:
        found = measured(job)
        if path:
            path.write_bytes(pickle.dumps(found))
    said = []
    for case, entry, signals in found:
        facts = gather(entry, signals, case.brief)
        for rule in next(g for g in GROUPS if g.name == job.group).rules:
            answer = EVERY[rule].function(facts)
            spans = tuple((e.start, e.end) for e in answer.evidence)
            said.append(
                Answer(
                    rule,
                    job.source.name,
                    job.source.recording,
                    case.family,
                    case.strength,
                    answer.value,
                    case.changed,
                    None if answer.value is None else spans,
                    entry.duration / 60,
                )
            )
    return said, time.process_time() - began


def with_controls(said: Sequence[Answer]) -> list[Answer]:
    """All answers by family, the control's put at strength 0 of every family that has none of its own.

    A rule with a value for less than half of the controls (music is measured only where there is some) has no
    strength 0: its smallest stands for it.
    """
    clean = [a for a in said if a.family == "control"]
    asked = Counter(a.rule for a in clean)
    spoke = Counter(a.rule for a in clean if a.value is not None)
    speaks = {rule for rule, n in asked.items() if spoke[rule] >= n / 2}
    own = {(a.rule, a.family) for a in said if a.strength == 0 and a.family != "control"}
    kept = [a for a in said if a.family != "control"]
    controls = {(a.rule, a.source): a for a in clean}
    for rule, source, family in sorted({(a.rule, a.source, a.family) for a in kept}):
        if rule in speaks and (rule, family) not in own:
            a = controls[rule, source]
            kept.append(Answer(**{**vars(a), "family": family}))
    return kept


def studied(said: Sequence[Answer]) -> dict[str, dict[str, dict[str, Any]]]:
    """Figures by rule and damage. A rule is studied alone: others may speak at strengths where it cannot."""
    rows = with_controls(said)
    where = pointed(rows)
    out: dict[str, dict[str, dict[str, Any]]] = {}
    for rule in dict.fromkeys(a.rule for a in rows):
        for family, f in _sensitivity([a for a in rows if a.rule == rule]).items():
            kind = kind_of(rule, family)
            if kind is None:
                continue
            out.setdefault(rule, {})[family] = {
                "kind": kind,
                "verdict": f.verdict,
                "why": f.verdict_reason,
                "paper": f.paper_verdict,
                "films": f.units,
                "films_asked": f.units_asked,
                "recordings": f.sources,
                "strengths": [round(s, 4) for s in f.strengths],
                "means": [_round(p.mean.value) for p in f.points],
                "slope": _three(f.slope),
                "difference": _three(f.difference),
                "fall_share": _round(f.fall_share.value),
                "r_squared": _round(f.r_squared),
                **where.get((rule, family), {}),
            }
    return out


def _sensitivity(rows: Sequence[Answer]) -> dict[str, FamilySensitivity]:
    """One rule's figures by damage."""
    table = SensitivityTable(
        evaluator=np.array([a.rule for a in rows]),
        case=np.array([a.source for a in rows]),
        source=np.array([a.recording for a in rows]),
        family=np.array([a.family for a in rows]),
        strength=np.array([a.strength for a in rows]),
        score=np.array([np.nan if a.value is None else a.value for a in rows]),
    )
    options = SensitivityOptions(best={rows[0].rule: 1.0})
    return sensitivity(table, options).evaluators[rows[0].rule].families


def kind_of(rule: str, family: str) -> str | None:
    """What a damage is to a rule; nothing where it was made for other rules."""
    if family in CONCERNS[rule]:
        return "concerns"
    return "spares" if family in SPARES[rule] else "control" if family in CONTROLS else None


def pointed(rows: Sequence[Answer]) -> dict[tuple[str, str], dict[str, Any]]:
    """Localisation by rule and damage."""
    clean: dict[tuple[str, str, str], Answer] = {}
    for a in sorted(rows, key=lambda a: a.strength):
        clean.setdefault((a.rule, a.source, a.family), a)
    pairs = [a for a in rows if a.family in CONCERNS[a.rule]]
    pairs = [a for a in pairs if a is not clean[a.rule, a.source, a.family]]
    whole = [clean[a.rule, a.source, a.family] for a in pairs]
    result = localisation(
        LocalisationTable(
            evaluator=np.array([a.rule for a in pairs]),
            pair=np.array([f"{a.source} {a.family} {a.strength:g}" for a in pairs]),
            source=np.array([a.recording for a in pairs]),
            aspect=np.array([a.family for a in pairs]),
            strength=np.array([a.strength for a in pairs]),
            changed=[_spans(a.changed) for a in pairs],
            found=[None if a.found is None else _spans(a.found) for a in pairs],
            control_found=[None if a.found is None else _spans(a.found) for a in whole],
            minutes=np.array([a.minutes for a in whole]),
        )
    )
    return {
        (rule, aspect): {
            "spans": f.figures.pointed.n,
            "pointed": _three(f.figures.pointed),
            "hits": _three(f.figures.hits),
            "false_per_minute": _round(f.figures.false_per_minute.value),
            "control_minutes": _round(f.figures.control_minutes),
        }
        for rule, found in result.evaluators.items()
        for aspect, f in found.aspects.items()
    }


def _spans(spans: Sequence[Span]) -> np.ndarray:
    return np.array(spans, np.float64).reshape(-1, 2)


def _three(found: Any) -> list[float | None]:
    return [_round(found.low), _round(found.value), _round(found.high)]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def falls(found: dict[str, Any]) -> bool:
    """Whether a rule falls with a damage: by the slope's interval, or in every film of too few for one."""
    if found["verdict"] is None:
        return found["fall_share"] == 1.0
    return bool(found["verdict"] == "sensitive")


def verdict(damages: dict[str, dict[str, Any]]) -> tuple[str, str]:
    """One word for a rule, and why."""
    own = {k: d for k, d in damages.items() if d["kind"] == "concerns"}
    seen = sorted(k for k, d in own.items() if falls(d))
    others = sorted(k for k, d in damages.items() if d["kind"] == "spares" and falls(d))
    missed = sorted(set(own) - set(seen))
    few = all(own[k]["verdict"] is None for k in seen)
    told = " in every film, of too few recordings for an interval" if few else ""
    if not seen:
        return "not sensitive", f"does not fall with {', '.join(missed)}"
    if others:
        return "not specific", f"falls with {', '.join(others)}, which it should not mind"
    if missed:
        return "partly sensitive", f"falls with {', '.join(seen)}{told}, not with {', '.join(missed)}"
    return ("sensitive, few recordings" if few else "sensitive"), f"falls with {', '.join(seen)}{told}"


def entry(rule: str, said: Sequence[Answer], damages: dict[str, dict[str, Any]], half: str) -> dict[str, Any]:
    """What is kept of a rule."""
    group = next(g for g in GROUPS if rule in g.rules)
    clean = [a for a in said if a.rule == rule and a.family == "control"]
    word, why = verdict(damages)
    names = {a.recording for a in clean}
    return {
        "verdict": word,
        "why": why,
        "films": group.about,
        "material": group.material or f"half {half}",
        "recordings": len(names),
        "controls": len(clean),
        "controls_scored": sum(a.value is not None for a in clean),
        "damages": dict(sorted(damages.items(), key=lambda d: (list(WHAT).index(d[1]["kind"]), d[0]))),
    }


def told(rule: str, found: dict[str, Any]) -> Iterator[str]:
    """A rule's figures for the terminal."""
    yield f"{rule}: {found['verdict']} ({found['why']}); {found['recordings']} recordings"
    yield f"    controls scored {found['controls_scored']} of {found['controls']}"
    for name, d in found["damages"].items():
        means = " ".join("-" if m is None else f"{m:.2f}" for m in d["means"])
        low, value, high = d["slope"]
        slope = "no slope" if value is None else f"slope {value:.3g} ({low}..{high})"
        where = ""
        if "pointed" in d:
            where = f"; pointed {d['pointed'][1]} hits {d['hits'][1]} false/min {d['false_per_minute']}"
        yield (
            f"    {d['kind']} {name}: {d['verdict']} [{d['paper']}], {means} at {d['strengths']}, "
            f"{slope}, fall {d['fall_share']}, n {d['films']}/{d['films_asked']} ({d['recordings']}){where}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("media", type=Path)
    parser.add_argument("--half", choices=("A", "B"), default="B")
    parser.add_argument("--groups", default=",".join(g.name for g in GROUPS))
    parser.add_argument("--keep", type=Path, help="folder of measured signals, to ask changed rules again")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    began, wanted = time.perf_counter(), arguments.groups.split(",")
    jobs = [
        Job(g.name, source, cache_root(), arguments.keep)
        for g in (g for name in wanted for g in GROUPS if g.name == name)
        for source in g.sources(arguments.media, arguments.half)
    ]
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    said: list[Answer] = []
    spent: Counter[str] = Counter()
    # Not forked: making films starts threads here, and a fork would wait for them for ever.
    with ProcessPoolExecutor(max_workers=os.cpu_count(), mp_context=get_context("spawn")) as pool:
        for job, (found, seconds) in zip(jobs, pool.map(answers, jobs), strict=True):
            said += found
            spent[job.group] += round(seconds)
            print(f"{job.group}: {job.source.name}, {seconds:.0f} s of CPU", file=sys.stderr, flush=True)
    print(
        f"half {arguments.half}: {len(jobs)} sources, {time.perf_counter() - began:.0f} s; CPU {dict(spent)}"
    )
    figures = studied(said)
    report = {rule: entry(rule, said, figures[rule], arguments.half) for rule in EVERY if rule in figures}
    for rule, found in report.items():
        print("\n".join(told(rule, found)))
    if arguments.write:
        keep(report, arguments.half)


def keep(report: dict[str, Any], half: str) -> None:
    """Write what was found, and the figures of the cards; rules that were not asked keep what is there."""
    target = DIAGNOSIS / "rules" / "sensitivity.json"
    kept = json.loads(target.read_text(encoding="utf-8"))["rules"] if target.exists() else {}
    stamp = {"date": datetime.now(UTC).date().isoformat(), "command": COMMAND.format(half=half)}
    found = {rule: {**entry, **stamp} for rule, entry in report.items()}
    untried = {
        rule: {"verdict": "not tried", "why": why, "recordings": 0, "damages": {}, **stamp}
        for rule, why in UNTRIED.items()
    }
    every = {**kept, **untried, **found}
    _write(target, {"rules": {rule: every[rule] for rule in EVERY if rule in every}})
    cards = DIAGNOSIS / "figures.json"
    figures = json.loads(cards.read_text(encoding="utf-8")) if cards.exists() else {}
    _write(cards, {**figures, **{f"rule.{rule}": list(on_card(entry)) for rule, entry in found.items()}})


def _write(path: Path, found: dict[str, Any]) -> None:
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def on_card(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A rule's figures as its card has them: slopes, and where it pointed."""
    common = {"command": found["command"], "date": found["date"]}
    for name, d in found["damages"].items():
        low, value, high = d["slope"]
        what = WHAT[d["kind"]]
        on = f"{found['films']}, {d['recordings']} recordings of {found['material']}"
        means = ", ".join(f"{m:g}" for m in d["means"])
        strengths = ", ".join(f"{s:g}" for s in d["strengths"])
        note = f"{d['verdict'] or d['why']}; means {means} at {strengths}" if means else d["why"]
        yield {
            "study": "sensitivity",
            "about": f"slope against {name}, {what}",
            "value": value,
            "low": low,
            "high": high,
            "n": d["films"],
            "on": on,
            **common,
            "note": note,
        }
        if d.get("pointed") and d["pointed"][1] is not None:
            yield {
                "study": "localisation",
                "about": f"share of the spans of {name} pointed at",
                "value": d["pointed"][1],
                "low": d["pointed"][0],
                "high": d["pointed"][2],
                "n": d["spans"],
                "on": on,
                **common,
                "note": f"{d['false_per_minute']:g} false spans a minute of the controls",
            }


if __name__ == "__main__":
    main()
