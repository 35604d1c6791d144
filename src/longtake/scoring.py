"""Scores of films and of pairs of films by any evaluators: ``longtake score`` and ``longtake.score``."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from .api import VideoLike, chosen_signals, default_out, open_film
from .core.progress import Progress
from .core.scores import ScoreDocument
from .core.video import Video, display_path
from .documents import run_record
from .errors import InputError, UsageError
from .judging import JudgeOptions, judging, outlined, planned_for

if TYPE_CHECKING:
    from .core.brief import Brief
    from .core.judge import Judge, Outline
    from .execution.score_plan import Asked, Plan, SignalPlan
    from .execution.tools import Models
    from .storage.cache import Cache
    from .storage.manifest import Manifest
    from .storage.scores import ScoreStore

DIAGNOSIS = "diagnosis"
DEFAULT = (DIAGNOSIS,)
JSON_FILE = "score.json"


def score(
    target: VideoLike,
    evaluators: Sequence[str] = DEFAULT,
    *,
    brief: str | os.PathLike[str] | Brief | None = None,
    profile: str | None = None,
    out: str | os.PathLike[str] | None = None,
    signals: str | None = None,
    embedder: str | None = None,
    text_picture: str | None = None,
    start: Fraction | None = None,
    end: Fraction | None = None,
    fps: Fraction | None = None,
    workers: int | None = None,
    judge: str | Judge | JudgeOptions | None = None,
    models: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> ScoreDocument:
    """Ask evaluators about a film, about the films of a manifest, or about the pairs of a pair manifest.

    ``target`` is a film as :func:`longtake.diagnose` takes it, or the path of a table. ``evaluators`` are
    names or patterns (``rule.*``); of pairs the cues, ``constant`` and ``random`` are asked as well.
    ``brief``, bounds and ``fps`` go with a film; ``profile`` is for cases that name none. With ``out``
    answers are kept there as they come, so that a stopped run goes on, and the tables that ``longtake meta``
    reads are written; without, nothing is written but the cache. ``judge`` is asked by the evaluators whose
    cards say so, as :func:`longtake.diagnose` asks it; its budget is that of the whole run. ``models`` names
    the model for each role (``{"video-text": "clip:FOLDER"}``) where it is not the default, ``settings`` sets
    parameters of evaluators (``{"dsa.text": "concat"}``).

    Raises:
        UsageError: an unknown evaluator, signal, model or profile, or films where all judge pairs only.
        InputError: the table cannot be read or contradicts itself, or no film of it can be read.
        MissingError: a model or package that was asked for by name is not there.
        OutputError: ``out`` or the cache cannot be written.
        Stopped: Ctrl-C; what was answered is kept.
    """
    from .evaluators.registry import BASELINES, EVALUATORS
    from .execution.parameters import settings_for
    from .execution.score import score as ask
    from .execution.score_plan import asked
    from .execution.score_tables import document_of, write_tables
    from .report.reasons import reason
    from .storage.cache import Cache
    from .storage.scores import ScoreStore

    manifest = _manifest(target)
    whole_film = {"brief": brief, "start": start, "end": end, "fps": fps}
    if manifest is not None and (given := [name for name, value in whole_film.items() if value is not None]):
        raise UsageError(f"{', '.join(given)}: for a single film, not for a table", hint="leave it out")
    _check_profiles([profile, *(case.profile for case in manifest.cases)] if manifest else [profile])
    paired = manifest is not None and bool(manifest.pairs)
    names = EVALUATORS.chosen([*evaluators, *(BASELINES if paired else ())])
    chosen = asked(names)
    notes = [*(manifest.notes if manifest else ()), *([] if paired else _pairs_only(chosen))]
    cache = Cache()
    available = _signal_plan(chosen, cache, signals, embedder, text_picture)
    available = replace(
        available,
        models=_models(models or {}, chosen, cache),
        settings=settings_for(settings or {}, [one.card for one in chosen]),
    )
    folder = Path(out) if out is not None else None
    options = judge if isinstance(judge, JudgeOptions) or judge is None else JudgeOptions(judge)
    _check_asking(options, chosen)
    if manifest is not None:
        plan = _plan_of(manifest, chosen, profile, progress)
    else:
        film = open_film(target, fps=fps, start=start, end=end)
        plan = _plan_of_film(film, chosen, brief, profile)
    _refuse_unread(plan, {item.name: item.reason for item in plan.items if item.reason})
    with ScoreStore(folder) as store, ExitStack() as stack:
        judged = stack.enter_context(judging(options, folder, progress)) if options else None
        available = replace(available, judge=judged.state if judged else None)
        if judged is not None:
            planned = planned_for(_to_diagnose(plan, available, store), judged)
            judged.asking.plan(planned + outlined(_outlines(plan, available, store), judged))
        answers = ask(
            plan,
            available,
            store,
            cache,
            embedder=embedder,
            workers=workers,
            progress=progress,
            question=judged.of if judged else None,
        )
        _refuse_unread(plan, answers.unread)
        document = document_of(plan, available, answers, notes)
        document = document.model_copy(
            update={
                "run": run_record(
                    evaluators=names,
                    target=display_path(manifest.path.name) if manifest else None,
                    signals=signals,
                    embedder=embedder,
                    text_picture=text_picture,
                    profile=profile,
                    judge=judged.asking.name if judged else None,
                    models=dict(models or {}) or None,
                    settings=dict(settings or {}) or None,
                ),
                "judge": judged.facts(answers.kept_facts) if judged else None,
                "out": display_path(folder) if folder else None,
            }
        )
        if folder is not None:
            write_tables(folder, plan, document, reason)
            _write_json(folder / JSON_FILE, document)
    return document


def _to_diagnose(plan: Plan, available: SignalPlan, store: ScoreStore) -> list[Brief | None]:
    """The briefs of the films that the diagnosis is asked about and has not answered yet."""
    own = [one for one in plan.evaluators if one.name == DIAGNOSIS]
    films = [item for item in plan.items if item.film is not None]
    return [i.brief for one in own for i in films if store.get(available.key(one, (i,))) is None]


def _outlines(plan: Plan, available: SignalPlan, store: ScoreStore) -> list[Outline]:
    """The most that evaluators other than the diagnosis ask about what they have not answered yet."""
    from .core.evaluator import Outlines
    from .execution.score import questions
    from .media.probe import probe

    found = []
    lengths: dict[str, float] = {}
    for one, items, order, aspect in questions(plan):
        if not isinstance(one.evaluator, Outlines) or any(item.film is None for item in items):
            continue
        if store.get(available.key(one, items, order, aspect)) is not None:
            continue
        for item in items:
            if item.name not in lengths and item.film is not None:
                lengths[item.name] = probe(item.film).duration or 0.0
        longest = max(lengths[item.name] for item in items)
        found.append(one.evaluator.outline(items[0].brief, longest, available.settings_of(one.card)))
    return found


def _models(named: Mapping[str, str], chosen: Sequence[Asked], cache: Cache) -> Models:
    """The models of the run. Raises ``UsageError`` where none of the evaluators has such a role."""
    from .execution.tools import Models
    from .models.roles import role

    used = {name for one in chosen for name in one.card.models}
    for name in named:
        role(name)
        if name not in used:
            raise UsageError(
                f"none of the evaluators asked runs a model as {name}",
                hint=f"their roles are: {', '.join(sorted(used)) or 'none'}",
            )
    models = Models(cache.root, dict(named))
    models.check()
    return models


def _check_asking(options: JudgeOptions | None, chosen: Sequence[Asked]) -> None:
    if options is not None and not any(one.card.asks for one in chosen):
        names = ", ".join(one.name for one in chosen)
        raise UsageError(f"none of {names} asks a judge", hint="leave --judge out, or ask diagnosis")


def _pairs_only(chosen: Sequence[Asked]) -> list[str]:
    """Who cannot be asked about single films, as notes. Raises ``UsageError`` where nobody else is asked."""
    idle = [one.name for one in chosen if not one.measures]
    if not idle:
        return []
    said = f"{', '.join(idle)} can only judge two films beside each other, and no pairs are given"
    if len(idle) == len(chosen):
        hint = "give a table of pairs, as longtake perturb --suite writes one"
        raise UsageError(said, hint=hint)
    return [f"not asked: {said}"]


def _refuse_unread(plan: Plan, reasons: Mapping[str, str]) -> None:
    if reasons and len(reasons) == len(plan.items):
        reason = next(iter(reasons.values()))
        raise InputError(reason if len(reasons) == 1 else f"no film can be read, the first: {reason}")


def default_score_out(target: Sequence[str], film: Video | None) -> Path:
    """``longtake-out/<name>-<hash8>`` of a film or of a table. Raises ``InputError``."""
    from .storage.tables import table_bytes

    if film is not None:
        return default_out(film)
    path = Path(target[0])
    digest = hashlib.sha256(table_bytes(path)).hexdigest()
    return Path("longtake-out") / f"{display_path(path.stem)[:80]}-{digest[:8]}"


def is_table(target: VideoLike) -> bool:
    """Whether this names a table of films and not a film, which its ending tells."""
    from .storage.manifest import SUFFIXES

    if isinstance(target, Video) or not isinstance(target, (str, os.PathLike)):
        return False
    path = Path(target)
    return path.suffix.lower() in SUFFIXES and not os.path.isdir(path)


def _manifest(target: VideoLike) -> Manifest | None:
    from .storage.manifest import read_manifest

    return read_manifest(Path(target)) if is_table(target) else None  # type: ignore[arg-type]


def _check_profiles(names: Sequence[str | None]) -> None:
    from .diagnosis.profiles import load_profile

    for name in dict.fromkeys(n for n in names if n is not None):
        load_profile(name)


def _signal_plan(
    evaluators: Sequence[Asked],
    cache: Cache,
    signals: str | None,
    embedder: str | None,
    text_picture: str | None,
) -> SignalPlan:
    """What may be measured, and with which models; what was named and is missing is told before any work."""
    from .execution.equipment import equip
    from .execution.score_plan import SignalPlan
    from .execution.text_picture import SPEC, chosen
    from .signals.registry import HEAVY, ORDER

    allowed = chosen_signals(signals)
    needed = {name for one in evaluators for name in one.card.needs}
    model = None
    if text_picture is not None or (SPEC.name in needed and set(allowed) & set(HEAVY)):
        model = chosen(text_picture, cache)
    return SignalPlan(frozenset(allowed), equip(ORDER, cache.root, embedder), model)


def _plan_of(
    manifest: Manifest, evaluators: Sequence[Asked], profile: str | None, progress: Progress | None
) -> Plan:
    from .execution.score_plan import plan_cases, plan_pairs

    if manifest.pairs:
        return plan_pairs(manifest.pairs, evaluators, manifest.path.parent, profile, progress)
    cases = [c if c.profile or profile is None else replace(c, profile=profile) for c in manifest.cases]
    return plan_cases(cases, evaluators, progress)


def _plan_of_film(
    film: Video,
    evaluators: Sequence[Asked],
    brief: str | os.PathLike[str] | Brief | None,
    profile: str | None,
) -> Plan:
    from .briefs.read import read_brief
    from .core.brief import Brief
    from .core.case import Case
    from .execution.score_plan import Item, Plan

    named = None if isinstance(brief, Brief) or brief is None else Path(brief)
    plan = brief if isinstance(brief, Brief) or brief is None else read_brief(Path(brief))
    case = Case(film.name, film.path, named, profile=profile)
    return Plan((Item(case.id, case, film, plan),), tuple(evaluators))


def _write_json(path: Path, document: ScoreDocument) -> None:
    from .storage.cache import replacing

    with replacing(path, "the scores") as file:
        file.write(document.model_dump_json(by_alias=True, indent=1).encode("utf-8"))
