"""What a scoring run asks of whom: the films with their briefs, each once, and the signals they take."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ..briefs.case import brief_of
from ..core.brief import SUITE, Brief
from ..core.case import Case, Pair
from ..core.evaluator import Card, Evaluator, Order, PairEvaluator, RestsOn, Setting
from ..core.judge import PROMPT_VERSION
from ..core.model import tool_version
from ..core.progress import Progress
from ..core.video import Video, display_path
from ..errors import InputError, LongtakeError
from ..evaluators.code import code_of
from ..evaluators.registry import EVALUATORS
from ..media.open import open_video
from ..models.named import Named
from ..signals.registry import ORDER, REFINED_BY, module_of, with_needs
from .equipment import Equipment
from .text_picture import SPEC as TEXT_PICTURE
from .tools import Models


@dataclass(frozen=True)
class Asked:
    """An evaluator that is asked in this run."""

    name: str
    evaluator: Evaluator | PairEvaluator
    identity: str
    """Name, version and hash of the code: what its answers are kept under."""

    @property
    def card(self) -> Card:
        return self.evaluator.card

    @property
    def measures(self) -> bool:
        """Whether it judges one film at a time."""
        return hasattr(self.evaluator, "measure")

    @property
    def prefers(self) -> bool:
        """Whether it judges two films beside each other."""
        return hasattr(self.evaluator, "prefer")

    @property
    def names(self) -> tuple[str, ...]:
        """What its quantities are called in tables: the first as itself, the others ``NAME.QUANTITY``."""
        further = (f"{self.name}.{q.name}" for q in self.card.quantities[1:])
        return (self.name, *further)

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders in which the films of a pair are shown to it."""
        return ("ab", "ba") if getattr(self.evaluator, "ordered", True) else ("ab",)


def asked(names: Sequence[str]) -> list[Asked]:
    """The evaluators of these names.

    Raises:
        UsageError: there is none of a name.
        MissingError: one needs a package that is not installed.
        LongtakeError: one cannot be loaded, or needs a signal that there is not.
    """
    found = []
    for name in names:
        one = EVALUATORS.load(name)
        unknown = [n for n in one.card.needs if n not in (*ORDER, TEXT_PICTURE.name)]
        if unknown:
            where = EVALUATORS.entry(name).where
            raise LongtakeError(f"{name} of {where} needs {', '.join(unknown)}, which no signal is called")
        identity = f"{name}/{one.card.version}/{code_of(name)}/{tool_version()}"
        found.append(Asked(name, one, identity))
    return found


@dataclass(frozen=True)
class Item:
    """One film with one brief. ``film`` is ``None`` where it or the brief cannot be read: see ``reason``."""

    name: str
    case: Case
    film: Video | None = None
    brief: Brief | None = None
    reason: str | None = None

    @cached_property
    def identity(self) -> str:
        """What the answers to it are kept under: contents, never names."""
        assert self.film is not None
        brief = self.brief.model_dump_json().encode() if self.brief is not None else b""
        profile = self.case.profile or ""
        if profile and os.path.isfile(profile):
            profile = hashlib.sha256(Path(profile).read_bytes()).hexdigest()
        return f"{self.film.hash}/{self.film.bounds}/{hashlib.sha256(brief).hexdigest()}/{profile}"

    @property
    def bytes(self) -> int:
        """Size of the film's files."""
        return sum(os.path.getsize(part.path) for part in self.film.parts) if self.film is not None else 0


@dataclass(frozen=True)
class ItemPair:
    """A pair with its two items."""

    pair: Pair
    a: Item
    b: Item


@dataclass(frozen=True)
class Plan:
    """What is asked: items in order, the pairs among them, evaluators in order."""

    items: tuple[Item, ...]
    evaluators: tuple[Asked, ...]
    pairs: tuple[ItemPair, ...] = ()


def plan_cases(cases: Sequence[Case], evaluators: Sequence[Asked], progress: Progress | None = None) -> Plan:
    """A plan for the cases of a manifest. A film or a brief that cannot be read is an item without a film."""
    opened = _Opened(len({case.video for case in cases}), progress)
    return Plan(tuple(opened.item(case.id, case) for case in cases), tuple(evaluators))


def plan_pairs(
    pairs: Sequence[Pair],
    evaluators: Sequence[Asked],
    folder: Path,
    profile: str | None = None,
    progress: Progress | None = None,
) -> Plan:
    """A plan for pairs. Each film with each brief is one item, however many pairs it is in.

    Its case is the path of the film from ``folder``, and of the brief where several briefs go with the film.
    """
    sides: dict[tuple[Path, Path | None], None] = {}
    for pair in pairs:
        sides[pair.a, pair.brief] = None
        sides[pair.b, pair.brief_b or pair.brief] = None
    briefs: dict[Path, int] = {}
    for video, _ in sides:
        briefs[video] = briefs.get(video, 0) + 1
    opened = _Opened(len(briefs), progress)
    items = {}
    for video, brief in sides:
        name = _from(folder, video)
        if briefs[video] > 1:
            name += f" with {_from(folder, brief) if brief is not None else 'no brief'}"
        items[video, brief] = opened.item(name, Case(name, video, brief, profile=profile))
    return Plan(
        tuple(items.values()),
        tuple(evaluators),
        tuple(ItemPair(p, items[p.a, p.brief], items[p.b, p.brief_b or p.brief]) for p in pairs),
    )


def _from(folder: Path, path: Path) -> str:
    if str(path).startswith(SUITE):
        return str(path)
    try:
        return display_path(Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix())
    except ValueError:  # another drive
        return display_path(path.absolute().as_posix())


class _Opened:
    """Opens and hashes each film once, reads each brief once."""

    def __init__(self, films: int, progress: Progress | None) -> None:
        self._films: dict[Path, Video | str] = {}
        self._briefs: dict[tuple[Path | None, str | None], Brief | str | None] = {}
        self._progress = progress
        if progress is not None:
            progress.begin("reading films", float(films))

    def item(self, name: str, case: Case) -> Item:
        film, brief = self._film(case.video), self._brief(case)
        if isinstance(film, str) or isinstance(brief, str):
            return Item(name, case, reason=film if isinstance(film, str) else str(brief))
        return Item(name, case, film, brief)

    def _film(self, path: Path) -> Video | str:
        if path not in self._films:
            try:
                self._films[path] = open_video(path)
            except LongtakeError as error:
                self._films[path] = error.message
            if self._progress is not None:
                self._progress.at(float(len(self._films)))
        return self._films[path]

    def _brief(self, case: Case) -> Brief | str | None:
        key = (case.brief, case.prompt)
        if key not in self._briefs:
            try:
                self._briefs[key] = brief_of(case)
            except InputError as error:
                self._briefs[key] = error.message
        return self._briefs[key]


@dataclass(frozen=True)
class SignalPlan:
    """Which signals may be measured (``allowed``), and the models they and ``text_picture`` have.

    ``judge`` stands for the judge of the run and for how it is asked, ``None`` where there is none.
    ``models`` are those that evaluators run themselves, ``settings`` what the user set of their parameters,
    by evaluator and parameter.
    """

    allowed: frozenset[str]
    equipment: Equipment
    text_picture: Named | str | None = None
    judge: str | None = None
    models: Models = field(default_factory=Models)
    settings: Mapping[str, Mapping[str, Setting]] = field(default_factory=dict)
    _states: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict, compare=False)

    def names(self, cards: Iterable[Card]) -> list[str]:
        """Signals of the film to measure for these cards, with all that they rest on.

        They do not depend on who else is asked: what refines a signal is measured wherever it is allowed.
        """
        wanted = {name for card in cards for name in card.needs}
        if self._compares(wanted):
            wanted.add("frames")
        closed = with_needs(["container", *sorted(wanted & self.allowed)])
        finer = {n for name in closed for n in REFINED_BY.get(name, ()) if n in self.allowed}
        return with_needs([*closed, *sorted(finer)])

    def _compares(self, wanted: set[str]) -> bool:
        return TEXT_PICTURE.name in wanted and self.text_picture is not None

    def compares(self, cards: Iterable[Card]) -> bool:
        """Whether one of these cards asks for the texts of the brief beside the frames."""
        return self._compares({name for card in cards for name in card.needs})

    def state(self, card: Card) -> tuple[str, ...]:
        """What stands for the signals that a card's answers rest on: names with version and model."""
        if card.needs not in self._states:
            told = []
            for name in self.names([card]) if card.needs else ():
                digest = self.equipment.digests.get(name)
                missing = " absent" if name in self.equipment.absent else ""
                told.append(f"{name} {module_of(name).SPEC.version}{f' {digest}' if digest else missing}")
            told += [f"{n} left out" for n in card.needs if n in ORDER and n not in self.allowed]
            if TEXT_PICTURE.name in card.needs:
                model = self.text_picture
                said = model.label if isinstance(model, Named) else "absent" if model else "left out"
                told.append(f"{TEXT_PICTURE.name} {TEXT_PICTURE.version} {said}")
            self._states[card.needs] = tuple(told)
        return self._states[card.needs]

    def checked(self, names: Sequence[str]) -> SignalPlan:
        """The same without models whose weights are damaged."""
        return replace(self, equipment=self.equipment.checked(names), _states={})

    def settings_of(self, card: Card) -> dict[str, Setting]:
        """A value for each parameter of an evaluator."""
        given = self.settings.get(card.name, {})
        return {name: given.get(name, parameter.default) for name, parameter in card.parameters.items()}

    def key(self, one: Asked, items: Sequence[Item], order: str = "", aspect: str = "") -> str:
        """What the answer of an evaluator to these items is kept under; ``aspect`` where it is told one."""
        judged = one.card.asks and self.judge is not None
        asked = [f"judge {self.judge}", f"prompts {PROMPT_VERSION}"] if judged else []
        asked += map(self.models.state, one.card.models)
        settings = self.settings_of(one.card)
        asked += [f"{name}={value!r}" for name, value in settings.items()]
        if isinstance(one.evaluator, RestsOn):
            asked.append(one.evaluator.rests_on(settings))
        asked += [aspect] if one.card.told_aspect else []
        whole = [one.identity, *self.state(one.card), *asked, *(item.identity for item in items), order]
        return hashlib.sha256("\n".join(whole).encode()).hexdigest()
