"""In what two diagnoses are alike: how each result was found, and which evidence is the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..core.documents import CheckpointResult, DiagnosisDocument, ReportMetric
from ..core.measurement import Evidence
from .rules import REPORT_RULES, RULES

Result = CheckpointResult | ReportMetric
CLOCK_S = 0.5
"""Two versions that differ in length by no more than this are on one clock: nothing was cut in or out that
would move what follows by more than the width of most evidence."""
NEAR_S = 1.0
"""On one clock, evidence in the same words within this of each other is the same."""
REPLAY = "replay:"
"""How the name of a judge begins that says again what another one said."""
ASKED = ("question", "levels", "scale", "authority")
"""What of a checkpoint in the rubric makes its value what it is; its weight does not."""


def differences(new: DiagnosisDocument, old: DiagnosisDocument) -> list[str]:
    """Names of what the two runs do not have in common, beside the film."""
    found = {
        "rubric": new.rubric.get("hash") != old.rubric.get("hash"),
        "profile": _plain(new.profile) != _plain(old.profile),
        "brief": _brief(new) != _brief(old),
        "part": (new.video.start, new.video.end) != (old.video.start, old.video.end),
        "judge": _judge(new) != _judge(old),
        "models": _models(new) != _models(old),
        "draws": _draws(new) != _draws(old),
        "versions": new.longtake != old.longtake,
    }
    signals = [f"signal {name}" for name in _other_signals(new, old)]
    return [name for name, differs in found.items() if differs] + signals


class Alike:
    """Tells, of one result in two diagnoses, why its two values cannot be compared.

    ``one_clock`` tells whether times of the one mean the same in the other.
    """

    def __init__(self, new: DiagnosisDocument, old: DiagnosisDocument) -> None:
        self.one_clock = abs(new.video.duration - old.video.duration) <= CLOCK_S and (
            new.video.start == old.video.start
        )
        self._asked = tuple({i["id"]: i for i in _items(document)} for document in (new, old))
        self._brief = _brief(new) == _brief(old)
        self._signals = set(_other_signals(new, old))
        self._judges = _judge(old), _judge(new)

    def why_not(self, was: Result, now: Result) -> str | None:
        """``None`` where the two values may be compared."""
        if was.method != now.method:
            return f"answered by {_by(was.method)} before and by {_by(now.method)} now"
        asked, before = (items.get(now.id, {}) for items in self._asked)
        if other := next((k for k in ASKED if asked.get(k) != before.get(k)), None):
            return f"the rubric asks it otherwise: {other}"
        if not self._brief and _needs_brief(now, asked):
            return "the two versions have not the same brief"
        return self._other_judge(was, now) if now.method == "judge" else self._other_signal(now.id)

    def _other_judge(self, was: Result, now: Result) -> str | None:
        before, after = (_answered_by(r) for r in (was, now))
        if before != after:
            return (
                f"another model: {', '.join(before) or 'unknown'} before, {', '.join(after) or 'unknown'} now"
            )
        old, new = self._judges
        return None if old == new else f"another judge: {old or 'none'} before, {new or 'none'} now"

    def _other_signal(self, name: str) -> str | None:
        rule = {**RULES, **REPORT_RULES}.get(name)
        changed = [s for s in rule.needs if s in self._signals] if rule else []
        return f"another version or model of the signal {changed[0]}" if changed else None


def came_and_gone(
    old: Sequence[Evidence], new: Sequence[Evidence], one_clock: bool
) -> tuple[list[Evidence], list[Evidence]]:
    """Evidence that only the old version has, and that only the new one has; each matches once.

    The same is what tells of the same thing (``about``), or is said in the same words but for numbers, on
    one clock also at about the same time. On one clock, spans that share at least half of the shorter are
    the same in whatever words.
    """
    left = list(new)
    gone = []
    for span in old:
        same = next((other for other in left if _same(span, other, one_clock)), None)
        if same is None:
            gone.append(span)
        else:
            left.remove(same)
    return gone, left


def _same(a: Evidence, b: Evidence, one_clock: bool) -> bool:
    if a.about or b.about:
        return a.about == b.about
    shared = min(a.end, b.end) - max(a.start, b.start)
    if _said(a) == _said(b):
        return not one_clock or shared >= -NEAR_S
    return one_clock and shared > 0 and shared >= 0.5 * min(a.end - a.start, b.end - b.start)


def _said(span: Evidence) -> str:
    return re.sub(r"[\d\W_]+", " ", span.what.casefold()).strip()


def _by(method: str | None) -> str:
    return f"a {method}" if method else "nobody"


def _answered_by(result: Result) -> list[str]:
    draws = result.judgement.draws if result.judgement else []
    return sorted({d.model for d in draws if d.model and d.value is not None})


def _items(document: DiagnosisDocument) -> list[dict[str, Any]]:
    listed = [*document.rubric.get("checkpoints", ()), *document.rubric.get("report_metrics", ())]
    return [item for item in listed if isinstance(item, dict)]


def _needs_brief(result: Result, asked: dict[str, Any]) -> bool:
    """Whether an answer may hang on the brief: a judge is shown it, and a rule says what it needs."""
    return result.method == "judge" or any("brief" in str(need) for need in asked.get("needs", ()))


def _plain(profile: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in profile.items() if k not in ("source", "origin", "title")}


def _brief(document: DiagnosisDocument) -> Any:
    brief = document.brief
    if brief is None or brief.hash:
        return brief.hash if brief else None
    shots = [(s.index, s.start, s.end, s.text) for s in brief.shots]
    return brief.title, brief.instruction, brief.duration, shots


def _judge(document: DiagnosisDocument) -> str | None:
    """Whose answers these are: a replay is named after the judge that was recorded."""
    return document.judge.name.removeprefix(REPLAY) if document.judge else None


def _models(document: DiagnosisDocument) -> list[str]:
    return sorted(document.judge.models) if document.judge else []


def _draws(document: DiagnosisDocument) -> tuple[int, float] | None:
    return (document.judge.draws, document.judge.temperature) if document.judge else None


def _other_signals(new: DiagnosisDocument, old: DiagnosisDocument) -> list[str]:
    """Signals of both whose version or model is not the same."""
    after, before = ({t.tool: (t.version, t.model) for t in d.trace if "." not in t.tool} for d in (new, old))
    return sorted(name for name in after if name in before and after[name] != before[name])
