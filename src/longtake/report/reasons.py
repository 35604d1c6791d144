"""Why something is not scored, as a person would say it. Shared by the HTML report and the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable

from longtake.core.documents import CheckpointResult, DiagnosisDocument, Score
from longtake.core.shares import floored

from .words import dimension, listed, percent, plain, words

REASONS = {
    "no_judge": "needs a judge, and none was asked",
    "no_brief": "needs a brief, and none was given",
    "no_rule": "no offline rule answers this, and no judge was asked",
    "scene_unknown": "it is not known which joins lie within one scene",
    "no_audio": "the film has no sound track",
    "low_coverage": "too little of what counts could be measured",
    "not_asked": "not asked for in this run",
    "gate_unknown": "cannot tell whether it applies",
}
ATTRIBUTES = {
    "has_characters": ("there are characters", "there are no characters"),
    "has_dialogue": ("there is dialogue", "there is no dialogue"),
    "has_narration": ("there is narration", "there is no narration"),
    "has_held_objects": ("anybody holds an object", "nobody holds an object"),
    "has_animals": ("there are animals", "there are no animals"),
    "has_scene_changes": ("the scene changes", "the scene never changes"),
    "has_background_music": ("there is music", "there is no music"),
    "has_sound_track": ("there is a sound track", "there is no sound track"),
    "has_text_overlay": ("there is text in the picture", "there is no text in the picture"),
    "has_visible_speaker": ("a speaker is seen", "no speaker is seen"),
    "is_single_shot": ("it is a single shot", "it is more than a single shot"),
}
"""What a content attribute asks, and how its absence is said."""
METRICS = {
    "user_requirement_consistency": "whether the wishes of the brief are met",
    "script_video_fidelity": "how closely the film keeps to its script",
    "user_demand_fulfillment": "how far the film is what the brief asks for",
    "transition_quality": "how shots give way to each other",
    "text_audio_consistency": "whether lines are spoken as they are written",
}
"""What report-level metrics look at, after "also counts"."""
DIFFERS = re.compile(r"^(\w+) says (\w+), the judge says (\w+)$")
"""A source of an attribute and the judge, and what each says."""
COVERED = re.compile(r"covered weight (\d?\.?\d+) is below (\d?\.?\d+)")
SHUT = re.compile(r"^([a-z]+(?:_[a-z]+)+) is false(?: \((.+)\))?$", re.DOTALL)
NEXT_ATTRIBUTE = re.compile(r"; (?=[a-z]+(?:_[a-z]+)+ )")
SIDE = re.compile(r"^[ab]: ")
"""The film of a pair that a reason is about."""
SAID_ABOVE = ("There is no overall score", "Overall the film scores", "More could be scored with")
"""Beginnings of summary sentences whose content stands beside the summary in a report anyway."""


def reason(text: str | None) -> str:
    """A reason as a sentence without its capital and full stop; one that is not known stays as it is."""
    if not text:
        return ""
    clean = plain(text).replace(": skipped, ", ": ")
    if side := SIDE.match(clean):
        return side[0] + reason(clean[side.end() :])
    code, _, rest = clean.partition(": ")
    if code == "gate_unknown" and rest:
        return _unknown(rest)
    if shut := SHUT.match(clean):
        said = ATTRIBUTES.get(shut[1], ("", f"not so: {words(shut[1]).lower()}"))[1]
        return said if not shut[2] or said.endswith(shut[2]) else f"{said} ({shut[2]})"
    if code in REASONS:
        return REASONS[code] + (f": {rest}" if rest else "")
    return _covered(clean)


def _unknown(rest: str) -> str:
    """``has_dialogue needs x; has_narration needs x`` as one clause for each distinct need."""
    asked: dict[str, list[str]] = {}
    for part in NEXT_ATTRIBUTE.split(rest):
        name, _, why = part.partition(" ")
        asked.setdefault(differing(why), []).append(whether(name))
    clauses = []
    for why, things in asked.items():
        first, *others = things
        either = " or ".join([first, *(x.removeprefix("there is ") for x in others)])
        clauses.append(f"whether {either}" + (f" ({why})" if why else ""))
    return "cannot tell " + " and ".join(clauses)


def whether(attribute: str) -> str:
    """What an attribute asks, after "whether"."""
    return ATTRIBUTES.get(attribute, (f"this holds: {words(attribute).lower()}", ""))[0]


def differing(why: str) -> str:
    """``shots says no, the judge says yes`` for those who do not know what ``shots`` is."""
    return DIFFERS.sub(r"what was measured (\1) says \2, the judge says \3", why)


def _covered(text: str) -> str:
    def said(match: re.Match[str]) -> str:
        covered, least = float(match[1]), float(match[2])
        if percent(covered) == percent(least):
            return f"less than {percent(least)} of what counts could be measured, which an overall needs"
        return f"only {percent(covered)} of what counts could be measured; an overall needs {percent(least)}"

    return COVERED.sub(said, text)


def readable(text: str, ids: Iterable[str]) -> str:
    """A sentence with every id in it as a name, and shares of weight in words."""
    known = sorted((i for i in ids if "_" in i), key=len, reverse=True)
    if known:
        pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, known))})(?!\w)")
        text = pattern.sub(lambda m: words(m[1]).lower(), text)
    return _covered(text)


def summary_of(document: DiagnosisDocument) -> list[str]:
    """Sentences of the summary for people, without those that a report says in another place."""
    ids = [c.id for c in document.checkpoints] + [m.id for m in document.report_metrics]
    ids += [c.id for c in document.constraints] + [s.id for s in document.submetrics]
    return [readable(plain(s), ids) for s in document.summary if not s.startswith(SAID_ABOVE)]


def further_needs(checkpoint: CheckpointResult) -> list[str]:
    """What a checkpoint needs beyond what its reason already says."""
    if (checkpoint.reason or "").startswith("needs "):
        return []
    said = reason(checkpoint.reason)
    return [need for need in checkpoint.needs if need not in said]


def rests_on(document: DiagnosisDocument, name: str, score: Score) -> str:
    """What the score of a dimension, or the overall one, rests on, or why there is none."""
    beside = [
        METRICS.get(m.id, words(m.id).lower())
        for m in document.report_metrics
        if m.dimension == name and m.value is not None and m.confidence is not None
    ]
    if score.status != "scored":
        why = reason(score.reason) or "not scored"
        return (
            why if not score.n_scored or COVERED.search(score.reason or "") else f"{why}; {coverage(score)}"
        )
    if score is document.overall:
        return overall_coverage(document)
    if not beside:
        return coverage(score)
    if score.n_scored:
        return f"{coverage(score)}; also counts {' and '.join(beside)}"
    return f"counts only {' and '.join(beside)}; none of {score.n_active} checkpoints scored"


def metric_name(name: str) -> str:
    """A report-level metric by its name and by what it looks at."""
    return f"{words(name)} ({METRICS[name]})" if name in METRICS else words(name)


def coverage(score: Score) -> str:
    """What the mean of a dimension rests on, in one short phrase."""
    return _covers(score) + (", partial: less than half, so no grade" if score.partial else "")


def overall_coverage(document: DiagnosisDocument) -> str:
    """The same of the overall, with the dimensions that have no grade of their own."""
    partial = [dimension(d) for d, s in document.dimensions.items() if s.partial]
    ending = f"; less than half of {listed(partial)} was scored" if partial else ""
    return _covers(document.overall) + ending


def _covers(score: Score) -> str:
    covered = percent(floored(score.covered_weight))
    return f"{score.n_scored} of {score.n_active} scored, {covered} of the weight"
