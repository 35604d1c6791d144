"""Makes the cases of a check on the road of ``longtake score``, and watches what is done with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..api import chosen_signals
from ..core.brief import Brief
from ..core.case import Case
from ..core.evaluator import Card, MeasuredCase, Setting
from ..core.judge import Questioning
from ..core.signal import Signal, Signals
from ..execution.equipment import equip
from ..execution.score_bench import Bench
from ..execution.score_plan import Item, SignalPlan
from ..execution.stills import Stills
from ..execution.text_picture import SPEC as TEXT_PICTURE
from ..execution.text_picture import chosen
from ..execution.tools import Models
from ..media.open import open_video
from ..models.roles import ROLES
from ..signals.registry import ORDER
from ..storage.cache import Cache
from .watching import (
    NOT_HERE,
    Answers,
    ScriptedAsker,
    Seen,
    WatchedSettings,
    WatchedSignals,
    WatchedTools,
    WithoutModels,
)

DARK = "two black seconds without sound"
"""Situation of a film of which all is black."""
ELSEWHERE = "another-name"
"""Case and file of the second time, to see that nothing hangs on names."""


@dataclass(frozen=True)
class Situation:
    """What an evaluator is given. ``bare`` is a case without signals, models, brief and judge; ``lacking``
    one whose signals all failed and whose roles are not filled. ``judge`` is whether there is one,
    and whether it ``answers`` what it is asked (else no reply comes) or only talks (``talks``)."""

    name: str
    film: Path
    brief: Brief | None
    bare: bool = False
    lacking: bool = False
    judge: bool = True
    answers: bool = True
    talks: bool = False


class Cases:
    """Makes cases for one card. ``models`` names models by role, ``signals`` what may be measured as for
    ``longtake score``, ``answers`` is what the judge replies to a question."""

    def __init__(
        self, card: Card, models: Mapping[str, str], signals: str | None, answers: Answers, cache: Cache
    ) -> None:
        self.card, self.answers, self._cache = card, answers, cache
        known = tuple(name for name in card.models if name in ROLES)
        text_picture = chosen(None, cache) if TEXT_PICTURE.name in card.needs else None
        plan = SignalPlan(
            frozenset(chosen_signals(signals)),
            equip(ORDER, cache.root),
            text_picture,
            models=Models(cache.root, {role: name for role, name in models.items() if role in known}),
        )
        needs = [name for name in card.needs if name in (*ORDER, TEXT_PICTURE.name)]
        asked = card.model_copy(update={"needs": tuple(needs), "models": card.models or ("nothing",)})
        self._asked = asked
        self._bench = Bench(
            plan, cache, workers=1, names=plan.names([asked]), compares=plan.compares([asked])
        )

    def defaults(self) -> dict[str, Setting]:
        """The value of each parameter where a user says nothing."""
        return {name: parameter.default for name, parameter in self.card.parameters.items()}

    def make(
        self, given: Situation, *, renamed: bool = False, settings: Mapping[str, Setting] | None = None
    ) -> tuple[MeasuredCase, Seen]:
        """A fresh case, and what will be seen of it. Tools and a judge that the card does not name are there
        too, so that it shows if they are used.

        Raises:
            LongtakeError: the film cannot be measured.
        """
        name = f"{given.name} {ELSEWHERE}" if renamed else given.name
        item = Item(name, Case(name, given.film), open_video(given.film), given.brief)
        found = self._bench.case(item, self._asked)
        seen = Seen(self.card)
        tools, signals = found.tools, dict(found.signals.by_name)
        assert tools is not None
        if given.bare:
            signals = {}
        elif given.lacking:
            signals = {n: Signal(n, s.version, "failed", NOT_HERE) for n, s in signals.items()}
        film = found.film
        if renamed:
            path = Path(ELSEWHERE).with_suffix(given.film.suffix)
            found = replace(found, case=Case(name, path))
            film = film.model_copy(update={"path": str(path)})
        without = WithoutModels(tools) if given.lacking or given.bare else tools
        shown = self._judge(given, item, seen) if given.judge and not given.bare else None
        return replace(
            found,
            film=film,
            signals=Signals(WatchedSignals(signals, seen), found.signals.trace),
            questioning=shown,
            tools=WatchedTools(without, seen),
            settings=WatchedSettings({**self.defaults(), **(settings or {})}, seen),
        ), seen

    def _judge(self, given: Situation, item: Item, seen: Seen) -> Questioning:
        assert item.film is not None
        answers = (lambda question: "I cannot say.") if given.talks else self.answers
        asker = ScriptedAsker(answers if given.answers else None, seen)
        return Questioning(asker, Stills(item.film, self._cache))
