"""What a diagnosis is made of, as measurements, and with what it was made: for analyses over many of them."""

from __future__ import annotations

from ..core.documents import CheckpointResult, DiagnosisDocument, ReportMetric, SubmetricResult
from ..core.measurement import Measurement
from ..signals.registry import ORDER

SIGNALS = (*ORDER, "brisque", "text_picture")
"""Tools of the trace that measure; the others decode, judge or put together."""
OF_THE_FILM = ("no sound track", "no pictures", "no kept frames")
"""Reasons for which a signal says nothing of a film although it is there."""
BY_PROFILE = "profile."
"""How facts begin that give the overall score under a profile, the penalty of its constraints in it."""


def details_of(document: DiagnosisDocument) -> list[Measurement]:
    """Every sub-metric, checkpoint and report-level metric with its status and reason, in the rubric's order.

    The facts of each say what ``kind`` it is (``submetric``, ``checkpoint``, ``report_metric``), its
    ``dimension``, and the ``method`` (``rule`` or ``judge``) where there is one.
    """
    return [
        *(_detail("submetric", result) for result in document.submetrics),
        *(_detail("checkpoint", result) for result in document.checkpoints),
        *(_detail("report_metric", result) for result in document.report_metrics),
    ]


def _detail(kind: str, result: SubmetricResult | CheckpointResult | ReportMetric) -> Measurement:
    method = None if isinstance(result, SubmetricResult) else result.method
    facts: dict[str, float | int | str | bool | None] = {"kind": kind, "dimension": result.dimension}
    return Measurement(
        name=result.id,
        status=result.status,
        value=result.value,
        reason=result.reason if result.status == "scored" or result.reason else "nothing of it was scored",
        confidence=result.confidence,
        facts={**facts, "method": method} if method else facts,
    )


def made_with(document: DiagnosisDocument) -> dict[str, float | int | str | bool | None]:
    """Facts that decide whether two diagnoses can be compared, and the overall score under each profile.

    ``rubric`` is its hash, ``judge`` the judge with its draws and temperature, ``models`` those that answered
    as the server names them (empty where none did), ``signals`` the tools that were asked for, with version
    and model: ``audio idle; brisque absent; faces 3 abc``.
    """
    return {
        "rubric": str(document.rubric.get("hash", "")),
        "judge": _judge(document),
        "models": ", ".join(sorted(_models(document))),
        "signals": "; ".join(f"{name} {state}" for name, state in signals_of(document).items()),
        **{f"{BY_PROFILE}{name}": value for name, value in document.by_profile.items()},
    }


def _judge(document: DiagnosisDocument) -> str | None:
    judge = document.judge
    if judge is None:
        return None
    return f"{judge.name}, {judge.draws} draws at temperature {judge.temperature:g}"


def _models(document: DiagnosisDocument) -> set[str]:
    """Models whose answers are in the results; those of this run's calls would lack what was kept."""
    results: list[CheckpointResult | ReportMetric] = [*document.checkpoints, *document.report_metrics]
    draws = [draw for r in results if r.judgement is not None for draw in r.judgement.draws]
    return {draw.model for draw in draws if draw.model}


def signals_of(document: DiagnosisDocument) -> dict[str, str]:
    """The state of each tool that was asked for: version and model, ``absent``, or ``idle`` where this film
    gave it nothing to measure."""
    found = {}
    for entry in document.trace:
        if entry.tool in SIGNALS:
            idle = entry.status == "skipped" and any(why in (entry.reason or "") for why in OF_THE_FILM)
            own = f"{entry.version or ''} {entry.model or ''}".strip()
            found[entry.tool] = "idle" if idle else "absent" if entry.status == "skipped" else own
    return found
