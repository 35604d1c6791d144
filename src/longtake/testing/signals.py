"""``check_signal``: whether a signal is what its specification says."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np

from ..core.signal import Column, Signal, SignalSpec
from ..errors import UsageError
from ..execution.equipment import equip
from ..execution.measure import measure
from ..media.open import open_video
from ..signals.registry import ORDER, module_of
from ..storage.cache import Cache
from .films import films
from .measured import HAIR_S
from .problems import Problems

TYPES = {"float": (float, int), "int": (int,), "str": (str,), "bool": (bool,)}


def check_signal(name: str) -> dict[str, str]:
    """Measure a signal on a film of four shots, on one shot, and on one black frame without sound; the status
    of each.

    Checked are: columns, facts and kinds of events as specified, with their types; columns of one length;
    events within the film; strict JSON; a reason where it is not ``ok``; nothing in a signal that is not
    usable; and the same from a second measurement that shares no cache with the first. A signal whose models
    are not in the user's cache is checked for saying so.

    Raises:
        ConformanceError: it does not keep to something; all of it is listed.
        UsageError: there is no signal of that name.
    """
    if name not in ORDER:
        raise UsageError(f"there is no signal called {name!r}", hint=f"one of: {', '.join(ORDER)}")
    problems = Problems(f"the signal {name}")
    spec: SignalSpec = module_of(name).SPEC
    problems.unless(spec.name == name, f"its specification is called {spec.name}")
    problems.unless(spec.version >= 1, f"its version is {spec.version}")
    problems.unless(bool(spec.doc.strip()), "its specification does not say what it is")
    found: dict[str, str] = {}
    models = Cache().root / "models"
    with tempfile.TemporaryDirectory() as place:
        made = films(Path(place))
        roots = [Path(place, "first"), Path(place, "second")]
        for root in roots:
            root.mkdir()
            if models.is_dir():
                (root / "models").symlink_to(models.resolve(), target_is_directory=True)
        for path in (made.shots, made.single, made.black):
            video = open_video(path)
            with problems.running(f"on {path.stem}"):
                seen = [measure(video, [name], cache=Cache(root), workers=1) for root in roots]
                first, second = (one.signals[name] for one in seen)
                found[path.stem] = first.status
                _check(first, spec, seen[0].film.duration, f"on {path.stem}", problems)
                same = _kept(first) == _kept(second)
                problems.unless(same, f"on {path.stem}: measured again it is another")
        if name in equip([name], Cache().root).absent:
            problems.unless("ok" not in found.values(), "its models are absent, and it says ok")
    problems.settle()
    return found


def _check(signal: Signal, spec: SignalSpec, duration: float, when: str, problems: Problems) -> None:
    if signal.status != "ok":
        problems.unless(bool(signal.reason), f"{when}: its status is {signal.status}, without a reason")
    if not signal.usable:
        full = bool(signal.columns or signal.facts or signal.events)
        problems.unless(not full, f"{when}: it is {signal.status}, and there is something in it")
        return
    problems.unless(signal.version == spec.version, f"{when}: its version is {signal.version}")
    columns, facts = set(signal.columns), set(signal.facts)
    problems.unless(columns == set(spec.columns), f"{when}: columns {sorted(columns ^ set(spec.columns))}")
    problems.unless(facts == set(spec.facts), f"{when}: facts {sorted(facts ^ set(spec.facts))}")
    lengths = {len(values) for values in signal.columns.values()}
    problems.unless(len(lengths) < 2, f"{when}: its columns have lengths {sorted(lengths)}")
    for event in signal.events:
        inside = -HAIR_S <= event.start <= event.end <= duration + HAIR_S
        problems.unless(inside, f"{when}: {event.kind} from {event.start:g} to {event.end:g} s is not in it")
        problems.unless(event.kind in spec.event_kinds, f"{when}: an event of the kind {event.kind}")
    for row in signal.rows():
        for column, value in row.items():
            if column in spec.columns:
                _check_type(value, spec.columns[column], f"{when}: {column}", problems)
    for fact, value in signal.facts.items():
        if fact in spec.facts:
            plain = value.item() if isinstance(value, np.generic) else value
            _check_type(plain, spec.facts[fact], f"{when}: the fact {fact}", problems)
    try:
        json.dumps([signal.rows(), dict(signal.facts)], allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        problems.add(f"{when}: it is no strict JSON: {error}")


def _check_type(value: object, column: Column, what: str, problems: Problems) -> None:
    if value is None:
        return
    fits = isinstance(value, TYPES[column.type]) and (column.type == "bool") == isinstance(value, bool)
    problems.unless(fits, f"{what} is {type(value).__name__}, not {column.type}")


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else str(value)


def _kept(signal: Signal) -> str:
    facts = {name: _plain(v) if isinstance(v, np.generic) else v for name, v in signal.facts.items()}
    return json.dumps([signal.rows(), facts, [str(e) for e in signal.events]], default=str)
