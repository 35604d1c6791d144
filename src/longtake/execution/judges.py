"""Judges by the name that the user types, and what stands around one in a run."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from ..core.judge import AskError, Judge, Question, Verdict
from ..core.progress import Progress
from ..core.registry import Registry
from ..errors import BackendError, InputError, MissingError, UsageError
from ..models.judges.recording import RECORDING
from ..models.judges.replay import ReplayJudge
from ..storage.cache import Cache
from .asking import Asking
from .budget import Budget, Prices, Spending
from .judge_settings import BASE_URL, HOSTED, KEY, MODEL, JudgeSettings, judge_settings
from .limiter import Limiter
from .replies import Recording

KINDS = {
    "openai": "openai or openai:MODEL",
    "transformers": "transformers:FOLDER",
    "replay": "replay:FILE|DIR",
}
"""Our kinds of judges, and how each is written."""
JUDGES: Registry[Judge] = Registry("judge", "longtake.judges", {})
"""Judges of installed packages."""
MOST_OFFERED = 8
"""Models of a server that a message lists."""


class Unreachable:
    """Stands for a judge whose server did not even tell its model: every question fails with the reason."""

    def __init__(self, error: AskError, sends_to: str | None) -> None:
        self.name, self.identity, self.sends_to = "openai", f"unreachable {sends_to}", sends_to
        self._error = error

    def ask(self, question: Question) -> Verdict:
        """Raises the error that there was."""
        raise AskError(self._error.message, hint=self._error.hint, sent=0)


def open_judge(name: str, settings: JudgeSettings | None = None) -> Judge:
    """The judge that a name means: ``openai``, ``openai:MODEL``, ``transformers:FOLDER``,
    ``replay:FILE|DIR``, or the name of one that an installed package brings. No question is sent; a server
    may be asked which model it has.

    Raises:
        UsageError: there is none of that name, or it has to say more.
        MissingError: its key, package, folder or recording is not there.
        InputError: its recording, its weights or the config file cannot be read.
    """
    kind, colon, rest = name.partition(":")
    if kind == "openai":
        rest = rest.strip()
    if kind == "openai" and (rest or not colon):
        return _openai(rest, settings or judge_settings())
    if kind == "transformers" and rest:
        return _transformers(Path(rest).expanduser())
    if kind == "replay" and rest:
        return ReplayJudge(rest)
    if kind in KINDS:
        raise UsageError(f"{name!r} does not name any judge", hint=f"write {KINDS[kind]}")
    if name in JUDGES.entries():
        return JUDGES.load(name)
    known = {**KINDS, **{entry: entry for entry in JUDGES.entries()}}
    near = difflib.get_close_matches(kind, known, n=1)
    hint = f"did you mean {known[near[0]]}?" if near else f"there are: {', '.join(known.values())}"
    raise UsageError(f"there is no judge called {name!r}", hint=hint)


def _openai(model: str, settings: JudgeSettings) -> Judge:
    if find_spec("openai") is None:
        raise MissingError("the package openai is not installed", hint="pip install openai")
    from ..models.judges.address import address
    from ..models.judges.openai_judge import TIMEOUT_S, OpenAIJudge

    url, model = settings.base_url or HOSTED, (model or settings.model or "").strip()
    if not model.isprintable():
        hint = f"look at openai:MODEL, {MODEL} and the config file"
        raise UsageError("the name of the judge's model has signs that no name has", hint=hint)
    where = address(url)
    if settings.key is None and not where.near:
        hint = f"set {KEY}, or {BASE_URL} if a server of your own is meant"
        raise MissingError(f"there is no key for the judge at {where.host}", hint=hint)
    timeout = settings.timeout or TIMEOUT_S
    if not model:
        asked = OpenAIJudge(url, "", settings.key, timeout=timeout)
        try:
            offered = asked.offers()
        except AskError as error:
            return Unreachable(error, where.host)
        if len(offered) != 1:
            shown = ", ".join(offered[:MOST_OFFERED]) + (", ..." if len(offered) > MOST_OFFERED else "")
            hint = f"write openai:MODEL or set {MODEL}" + (f"; it has {shown}" if offered else "")
            said = f"has {len(offered)} models" if offered else "does not tell which models it has"
            raise UsageError(f"no model is named, and the server at {where.host} {said}", hint=hint)
        model = offered[0]
    return OpenAIJudge(url, model, settings.key, timeout=timeout)


def _transformers(path: Path) -> Judge:
    if absent := [module for module in ("torch", "transformers") if find_spec(module) is None]:
        hint = "pip install 'longtake[torch]'"
        raise MissingError(f"transformers needs {', '.join(absent)}, which is not installed", hint=hint)
    if not path.exists():
        raise MissingError(f"{path} is not there", hint="write transformers:FOLDER of a saved model")
    from ..models.judges.transformers_judge import TransformersJudge

    try:
        return TransformersJudge(path)
    except BackendError as error:
        raise InputError(error.message, hint=error.hint) from error


def asker_for(
    judge: str | Judge,
    *,
    out: Path | None = None,
    budget: Budget | Spending | str | None = None,
    prices: Prices | str | None = None,
    concurrency: int | None = None,
    cache: Cache | None = None,
    tell: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> Asking:
    """A judge made ready to be asked many questions; use it as a context manager.

    ``judge`` is a name as :func:`open_judge` takes it, or a judge. ``out`` is the folder for the recording,
    first written when the ``with`` block begins. ``budget``, ``prices`` and ``concurrency`` (calls at once,
    at most) come from the config file where they are not given; one ``Spending`` is a budget that several
    runs share. Replies are kept in ``cache``, the user's own without one; of a replay nothing is kept.
    ``tell`` shows what leaves the machine, before it does.

    Raises:
        UsageError, MissingError, InputError: as :func:`open_judge`; a budget or prices that are none.
    """
    settings = judge_settings()
    opened = open_judge(judge, settings) if isinstance(judge, str) else judge
    if isinstance(opened, ReplayJudge):
        same = out is not None and (out / RECORDING).resolve() == opened.path.resolve()
        recording = Recording(out / RECORDING, opened) if out is not None and not same else None
        return Asking(opened, recording=recording, limiter=Limiter(), progress=progress)
    spending = spending_for(budget, prices, settings)
    alone = 1 if opened.sends_to is None else None  # one model on this machine's processors
    return Asking(
        opened,
        cache=cache or Cache(),
        recording=Recording(out / RECORDING, opened) if out is not None else None,
        spending=spending,
        limiter=Limiter(concurrency or settings.concurrency or alone),
        tell=tell,
        progress=progress,
    )


def spending_for(
    budget: Budget | Spending | str | None,
    prices: Prices | str | None,
    settings: JudgeSettings | None = None,
) -> Spending:
    """A budget to be kept, from what the user gave or else the config file says; one that is kept stays.

    Raises:
        UsageError: a budget or prices that are none, or money without prices.
    """
    if isinstance(budget, Spending):
        return budget
    known = settings or judge_settings()
    budget = Budget.read(budget) if isinstance(budget, str) else budget or known.budget
    prices = Prices.read(prices) if isinstance(prices, str) else prices or known.prices
    return Spending(budget, prices)
