"""``check_evaluator``: whether an evaluator keeps to what its card and its port promise."""

from __future__ import annotations

import inspect
import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..core.evaluator import Evaluator, PairEvaluator
from ..core.judge import Question
from ..evaluators.cards import folder_of
from ..evaluators.code import VECTORS
from ..evaluators.registry import EVALUATORS
from ..storage.cache import Cache
from .answers import answer_to
from .bench import DARK, Cases, Situation
from .cards import check_card, check_imports, check_shelf
from .films import Films, brief_for, films
from .measured import check_measuring
from .preferring import check_preferring
from .problems import Problems
from .vectors import check_vectors
from .watching import Answers


@dataclass
class CheckedEvaluator:
    """What came of a check: in each situation the quantities that were scored (``preference`` for a choice),
    and how many test vectors were run. A check that scored nothing anywhere saw little."""

    name: str
    scored: dict[str, tuple[str, ...]] = field(default_factory=dict)
    vectors: int = 0


def check_evaluator(
    evaluator: str | Evaluator | PairEvaluator,
    *,
    models: Mapping[str, str] | None = None,
    signals: str | None = None,
    answers: Answers | None = None,
    outlines: bool = True,
    dark: bool = True,
    cache: str | Path | None = None,
) -> CheckedEvaluator:
    """Put an evaluator, or the registered one of this name, through every situation that a run can bring.

    Checked are: its card, and that it is read without importing the evaluator; measurements as promised, in
    range, with reasons, in JSON and back; the same answer twice and under another name; evidence within the
    film; nothing looked at that the card does not name; no value where there was nothing to measure, nor, of
    one that runs models or asks a judge, where all is black; no question beyond its outline, prompts in
    files; an answer to be asked again where a judge did not reply; every value of its parameters; the test
    vectors in its folder.

    ``models`` names models by role and ``signals`` what may be measured, as for ``longtake score``; signals
    and models whose weights are not here are absent, as they would be for a user. ``answers`` is what the
    judge replies, by default a valid reply drawn from the question. ``outlines`` is false for an evaluator
    whose bound is announced otherwise (the diagnosis), ``dark`` for one that has something to say of a black
    film. ``cache`` is where signals are kept, by default the user's cache.

    Raises:
        ConformanceError: it does not keep to something; all of it is listed.
        LongtakeError: a name, model or signal that there is not.
    """
    entry = EVALUATORS.entry(evaluator) if isinstance(evaluator, str) else None
    one = EVALUATORS.load(evaluator) if isinstance(evaluator, str) else evaluator
    card = one.card
    problems = Problems(f"the evaluator {card.name}")
    measures, prefers = hasattr(one, "measure"), hasattr(one, "prefer")
    check_card(card, problems, measures=measures, prefers=prefers)
    folder = folder_of(entry) if entry is not None else _beside(one)
    if entry is not None:
        check_shelf(entry.name, card, folder, problems)
        check_imports(entry, problems)
    problems.settle()  # with a card that is wrong nothing below would say more
    checked = CheckedEvaluator(card.name)
    with tempfile.TemporaryDirectory() as place:
        made = films(Path(place))
        cases = Cases(card, models or {}, signals, answers or drawn, Cache(Path(cache)) if cache else Cache())
        given = list(situations(made, asks=card.asks))
        asked_of = folder if card.asks else None
        if measures:
            check_measuring(one, cases, given, problems, checked.scored, asked_of, outlines)  # type: ignore[arg-type]
        if prefers:
            check_preferring(one, cases, made, problems, checked.scored, asked_of, outlines)  # type: ignore[arg-type]
    looks = card.models or card.asks
    if dark and looks and (given_on := checked.scored.get(DARK)):
        problems.add(f"with {DARK}: {', '.join(given_on)} scored, where nothing is to be seen")
    if folder is not None and (folder / VECTORS).is_file():
        module = entry.module if entry is not None else type(one).__module__
        checked.vectors = check_vectors(folder, module.rpartition(".")[0], problems)
    problems.settle()
    return checked


def situations(made: Films, *, asks: bool) -> Iterator[Situation]:
    """Everything a run can bring, the best first."""
    yield Situation("whole", made.shots, brief_for())
    yield Situation("no brief", made.shots, None)
    yield Situation("a brief without shots", made.shots, brief_for(0))
    yield Situation("one shot", made.single, brief_for(1))
    yield Situation("one black frame without sound", made.black, brief_for())
    yield Situation(DARK, made.dark, brief_for())
    yield Situation("nothing at all", made.shots, None, bare=True)
    yield Situation("no signals and no models", made.shots, brief_for(), lacking=True, judge=False)
    if asks:
        yield Situation("no judge", made.shots, brief_for(), judge=False)
        yield Situation("a judge that does not reply", made.shots, brief_for(), answers=False)
        yield Situation("a judge that only talks", made.shots, brief_for(), talks=True)


def drawn(question: Question) -> str:
    """A valid reply, drawn from the question."""
    return json.dumps(answer_to(question.schema, question.key))


def _beside(one: object) -> Path | None:
    try:
        return Path(inspect.getfile(type(one))).parent
    except (TypeError, OSError):  # defined at a prompt
        return None
