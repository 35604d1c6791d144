"""The plan of repair: for each weak result the shots concerned and a directive that can be acted on.

All of it follows from the finished diagnosis by templates (``data/repairs.yaml``): a sentence is said only
where everything it needs is known. Nothing is asked of a model, and nothing is added to what was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any, Literal

import yaml
from pydantic import Field

from ..core.advice import Action, Repair
from ..core.documents import CheckpointResult, DiagnosisDocument, RepairDocument, ReportMetric
from ..core.measurement import Evidence
from ..core.model import Record
from .directive import Words
from .places import Join, Places
from .rubric import load_rubric
from .synthesis import WEAK_BELOW

REPAIR_FILE = "repair.json"
UNKNOWN = "unknown"
"""Name of the template for checkpoints of a user's rubric."""
METRIC_WEIGHT = 1.0
"""A report-level metric weighs in its dimension as a whole sub-metric does, whose checkpoints sum to 1."""
Result = CheckpointResult | ReportMetric


class Way(Record):
    """One sentence and the action it stands for."""

    action: Action
    say: str
    when: str | None = None

    def fits(self, words: Mapping[str, str]) -> bool:
        """Whether all its places are known, and what was found is what it is for."""
        if self.when and not re.search(self.when, words.get("seen", ""), re.IGNORECASE):
            return False
        return all(words.get(name) for name in places_in(self.say))


class Template(Record):
    """What to do about one checkpoint."""

    each: Literal["film", "span", "join"] = "film"
    ways: list[Way] = Field(min_length=1)

    def way(self, words: Mapping[str, str]) -> Way:
        """The first way that fits; the last fits always."""
        return next((way for way in self.ways if way.fits(words)), self.ways[-1])


def places_in(text: str) -> list[str]:
    """Names of the places in a sentence."""
    return [name for _, name, _, _ in Formatter().parse(text) if name]


@cache
def templates() -> tuple[dict[str, Template], list[str]]:
    """Templates by checkpoint, and the sentences that are added to each directive."""
    data: dict[str, Any] = yaml.safe_load((files(__package__) / "data" / "repairs.yaml").read_text("utf-8"))
    added: list[str] = data.pop("and")
    return {name: Template.model_validate(fields) for name, fields in data.items()}, added


def repair_plan(document: DiagnosisDocument) -> list[Repair]:
    """What to do, in the order of the bottlenecks, then for weak report-level metrics, weakest first.

    A checkpoint with several pieces of evidence may give several repairs, in time order. A checkpoint that
    the templates do not know, or that a user's rubric asks otherwise, is given to a person to look at.
    """
    by_id = {p.id: p for p in document.checkpoints}
    places, known = Places(document), _same_questions(document)
    weak: list[Result] = [by_id[name] for name in document.bottlenecks]
    metrics = [m for m in document.report_metrics if m.value is not None and m.value < WEAK_BELOW]
    weak += sorted(metrics, key=lambda m: (-_priority(m), m.id))
    return [
        repair
        for result in weak
        for repair in _repairs(result, places, result.id if result.id in known else UNKNOWN)
    ]


def repair_json(document: DiagnosisDocument) -> str:
    """``repair.json`` as text, ``longtake.repair/1``."""
    return RepairDocument.of(document).model_dump_json(by_alias=True, indent=2) + "\n"


def _same_questions(document: DiagnosisDocument) -> set[str]:
    """Ids whose question is the one that the templates were written for."""
    own = load_rubric()
    asked = {p.id: p.question for p in document.checkpoints}
    asked |= {m["id"]: m.get("question") for m in document.rubric.get("report_metrics", ())}
    ours = {c.id: c.question for c in own.checkpoints} | {m.id: m.question for m in own.report_metrics}
    metrics = {m.id for m in document.report_metrics}
    return {name for name, text in ours.items() if asked.get(name, text if name in metrics else None) == text}


def _repairs(result: Result, places: Places, name: str) -> Iterator[Repair]:
    template = templates()[0][name]
    spans = sorted(evidence_of(result), key=lambda e: (e.start, e.end))
    if template.each == "film" or not spans:
        yield _repair(result, template, places, spans, None)
    elif template.each == "span":
        for alike in _in_one_sentence(result, template, places, spans):
            yield _repair(result, template, places, alike, None)
    else:
        yield from _by_join(result, template, places, spans)


def _in_one_sentence(
    result: Result, template: Template, places: Places, spans: Sequence[Evidence]
) -> list[list[Evidence]]:
    """Evidence, one list for each thing to do: what comes to the same sentence is done once."""
    found: dict[str, list[Evidence]] = {}
    for span in spans:
        said = Words(result, places, [span], None).said()
        found.setdefault(template.way(said).say.format_map(said), []).append(span)
    return list(found.values())


def _by_join(
    result: Result, template: Template, places: Places, spans: Sequence[Evidence]
) -> Iterator[Repair]:
    """One repair for each join that evidence lies on; evidence on none, or on all of them, together."""
    joins: dict[Join, list[Evidence]] = {}
    rest: list[Evidence] = []
    for span in spans:
        found = places.joins_of(span)
        for join in found:
            joins.setdefault(join, []).append(span)
        rest += [] if found else [span]
    for join, here in joins.items():
        yield _repair(result, template, places, here, join)
    if rest:
        yield _repair(result, template, places, rest, None)


def _repair(
    result: Result, template: Template, places: Places, spans: Sequence[Evidence], join: Join | None
) -> Repair:
    words = Words(result, places, spans, join)
    if template.each == "film" and join is None and len(found := _single_join(places, spans)) == 1:
        words = Words(result, places, spans, found[0])
    said = words.said()
    lead = Words(result, places, spans[:1], None).said() if template.each == "span" else said
    way = template.way(lead)
    used = set(places_in(way.say))
    added = [s for s in templates()[1] if (names := set(places_in(s))) and not names & used]
    directive = [s.format_map(said) for s in added if all(said.get(name) for name in places_in(s))]
    on_join = words.join if used & {"before", "after"} else None
    start, end = _stretch(places, spans)
    return Repair(
        checkpoint=result.id,
        action=way.action,
        directive=" ".join([way.say.format_map(lead), *directive]),
        shots=[on_join.before, on_join.after] if on_join else [s.index for s in words.shots],
        planned=[p.index for p in (places.missing if "missing" in used else words.planned)],
        join=(on_join.before, on_join.after) if on_join else None,
        start=start,
        end=end,
        value=result.value,
        priority=round(_priority(result), 6),
        evidence=list(spans),
    )


def _stretch(places: Places, spans: Sequence[Evidence]) -> tuple[float | None, float | None]:
    """From where to where evidence reaches: its places, else the film where it is about all of it.

    What lies after the film has no place in it. A moment lasts as long as the frame that is seen then.
    """
    here = [e for e in spans if places.is_local(e)] or [e for e in spans if places.is_whole(e)]
    start, end = min((e.start for e in here), default=None), max((e.end for e in here), default=None)
    if start is not None and end is not None and end <= start:
        fps = places.document.video.fps
        end = round(start + 1 / fps, 3) if fps else None
    return start, end


def _single_join(places: Places, spans: Sequence[Evidence]) -> list[Join]:
    """The joins of a single piece of evidence: only one names what is to be bridged."""
    return places.joins_of(spans[0]) if len(spans) == 1 else []


def evidence_of(result: Result) -> list[Evidence]:
    """Where the answer points to: its evidence, or what its judge named where that is the answer."""
    judged = result.judgement.evidence if result.judgement and result.method == "judge" else []
    return result.evidence or judged


def _priority(result: Result) -> float:
    weight = result.weight if isinstance(result, CheckpointResult) else METRIC_WEIGHT
    return (1 - (result.value or 0.0)) * weight * (result.confidence or 0.0)
