"""The diagnosis as a graph of four phases. The only file that knows LangGraph.

    preprocess -> script, visual, audio, stability (in parallel) -> cross_modal -> synthesis

Nodes call the plain functions of :class:`.work.Work`; the state holds small JSON only. With a state file a
run that was killed goes on behind the last node that ended; the file may be deleted at any time: all that
took long is in the cache as well.
"""

from __future__ import annotations

import operator
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated, Any, TypedDict, cast

from ..core.brief import Brief
from ..core.documents import DiagnosisDocument, VideoEntry
from ..core.judgement import Asked
from ..core.signal import Signals
from .assess import Assessment
from .diagnose import wanted_ids
from .profiles import Profile, load_profile
from .rubric import load_rubric
from .work import CROSS_MODAL, SPECIALISTS, Work

OFF = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
"""Variables that make LangGraph send every run to a service; any of them is enough, so all are turned off."""
ATTEMPTS = 2
"""Times a run is made with a state file: with what it holds, and with an empty one."""
THREAD = {"configurable": {"thread_id": "diagnosis"}}


class State(TypedDict, total=False):
    """What goes from node to node, as JSON values."""

    attributes: list[dict[str, Any]]
    asked: dict[str, Any]
    found: Annotated[dict[str, Any], operator.or_]
    document: dict[str, Any]


def diagnose(
    film: VideoEntry,
    signals: Signals,
    brief: Brief | None = None,
    profile: Profile | None = None,
    *,
    only: Sequence[str] | None = None,
    run_record: dict[str, Any] | None = None,
) -> DiagnosisDocument:
    """Diagnose one measured film by its rules alone, with the rubric that ships with longtake.

    ``only`` names dimensions, sub-metrics, checkpoints or report-level metrics; the others stay unscored.
    ``run_record`` says how this was made. Raises ``UsageError`` for an unknown name in ``only``.
    """
    rubric, eyes = load_rubric(), profile or load_profile()
    return run(Work(film, signals, brief, eyes, rubric, wanted_ids(rubric, only), run=run_record or {}))


def run(work: Work, state_file: Path | None = None) -> DiagnosisDocument:
    """Run all phases. ``state_file`` belongs to this work alone and is removed at the end.

    Raises what a phase raises; what ended before is kept in the state file.
    """
    os.environ.update(dict.fromkeys(OFF, "false"))
    for _ in range(ATTEMPTS if state_file is not None else 0):
        with suppress(sqlite3.Error):  # a state that cannot be read or written is done without
            return _kept(work, cast("Path", state_file))
        remove(cast("Path", state_file))
    return _result(_graph(work).compile().invoke({}, THREAD))


def _kept(work: Work, state_file: Path) -> DiagnosisDocument:
    """Run with a state file, on from what it holds; it is removed at the end. Raises ``sqlite3.Error``."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    with suppress(OSError):
        state_file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(state_file, check_same_thread=False)) as connection:
        graph = _graph(work).compile(checkpointer=SqliteSaver(connection))
        before = graph.get_state(THREAD)
        usable = bool(before.next) and not _unfinished(before.values)
        if before.values and not usable:
            graph.checkpointer.delete_thread("diagnosis")
        document = _result(graph.invoke(None if usable else {}, THREAD, durability="sync"))
    remove(state_file)
    return document


def remove(state_file: Path) -> None:
    """Remove a state file with what SQLite keeps beside it."""
    for end in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):
            state_file.with_name(f"{state_file.name}{end}").unlink(missing_ok=True)


def _graph(work: Work) -> Any:
    from langgraph.graph import END, START, StateGraph

    graph: Any = StateGraph(State)
    graph.add_node("preprocess", _preprocess(work))
    for dimension in SPECIALISTS:
        graph.add_node(dimension, _specialist(work, dimension))
        graph.add_edge("preprocess", dimension)
    for dimension in CROSS_MODAL:
        graph.add_node(dimension, _cross_modal(work, dimension))
        graph.add_edge(list(SPECIALISTS), dimension)
    graph.add_node("synthesis", _synthesis(work))
    graph.add_edge(START, "preprocess")
    graph.add_edge(list(CROSS_MODAL), "synthesis")
    graph.add_edge("synthesis", END)
    return graph


def _preprocess(work: Work) -> Callable[[State], dict[str, Any]]:
    def node(state: State) -> dict[str, Any]:
        attributes = [a.model_dump(mode="json") for a in work.preprocess()]
        return {"attributes": attributes, "asked": work.asked.model_dump(mode="json")}

    return node


def _specialist(work: Work, dimension: str) -> Callable[[State], dict[str, Any]]:
    def node(state: State) -> dict[str, Any]:
        work.recall(state["attributes"], state["asked"])
        return {"found": {dimension: work.specialist(dimension).model_dump(mode="json")}}

    return node


def _cross_modal(work: Work, dimension: str) -> Callable[[State], dict[str, Any]]:
    def node(state: State) -> dict[str, Any]:
        work.recall(state["attributes"], state["asked"])
        made = work.cross_modal(dimension, _found(state))
        return {"found": {dimension: made.model_dump(mode="json")}}

    return node


def _synthesis(work: Work) -> Callable[[State], dict[str, Any]]:
    def node(state: State) -> dict[str, Any]:
        work.recall(state["attributes"], state["asked"])
        return {"document": work.synthesis(_found(state)).to_json()}

    return node


def _found(state: State) -> dict[str, Assessment]:
    return {name: Assessment.model_validate(made) for name, made in state["found"].items()}


def _result(state: Any) -> DiagnosisDocument:
    return DiagnosisDocument.model_validate(cast("State", state)["document"])


def _unfinished(values: State) -> bool:
    """Whether anything in the state got no reply although another try may get one."""
    asked = [Asked.model_validate(values.get("asked", {}))]
    asked += [made.asked for made in _found({"found": values.get("found", {})}).values()]
    return any(one.open for one in asked)
