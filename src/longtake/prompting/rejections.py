"""The nine criteria by which a personalised prompt is rejected (DirectorBench, arXiv 2605.30090), as rules.

The paper gives five of them without a way to check; the others and all checks are ours. Each gives the reason
for the prompt at hand. What a rule cannot see is said with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from ..core.brief import Brief
from ..core.prompts import Rejection
from ..diagnosis.profiles import Profile, profiles
from .facts import Facts
from .language import Language, language, written_in
from .naming import named
from .numbers import numbers
from .words import (
    Words,
    any_of,
    content,
    has,
    not_for,
    resemblance,
    sentences,
    tokens,
    unquoted,
)

CRITERIA = {
    1: "no_task",
    2: "dimension_missing",
    3: "essay",
    4: "too_long",
    5: "wrong_expertise",
    6: "facts_changed",
    7: "machinery",
    8: "constraint_missing",
    9: "copy_or_language",
}
"""The criteria by number."""
LEAD = 14
"""What to do is said within so many words from the beginning. Ours."""
INTENT_WORDS = 2
"""So many words of the brief's intent stand in the first sentence. Ours."""
BULLETS = 3
"""So many lines of a list are a wall of them. Ours."""
CHAIN = 2
"""So many of the words that number the steps of an essay make one. Ours."""
COPY = 0.9
"""Two prompts that are more alike are nearly the same (directorbench.md, section 4, 9)."""
SHOWN = 3
"""So many examples are named in a reason."""

_HEADING = re.compile(
    r"^\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$|__[^_]+__\s*$|[^\n.!?。]{1,40}[:：]\s*$)", re.MULTILINE
)
_BULLET = re.compile(r"^\s*(?:[-*•‣–]|\d{1,2}[.)、])\s+\S", re.MULTILINE)
_SNAKE = re.compile(r"(?<!\w)[a-z]+(?:_[a-z]+)+(?!\w)")
_NAME = re.compile(r"(?<=[^\W\d_] )[A-ZÀ-Þ][^\W\d_]+|(?<=, )[A-ZÀ-Þ][^\W\d_]+")


def rejections(
    prompt: str, brief: Brief, facts: Facts, profile: Profile, others: Mapping[str, str] | None = None
) -> list[Rejection]:
    """Everything that the rules hold against a prompt, in the order of the criteria; nothing means it passes.

    ``others`` are prompts for the same brief by the name of their profile.
    """
    reasons = {
        1: no_task(prompt, facts),
        2: dimension_missing(prompt, facts),
        3: essay(prompt, facts.language),
        4: too_long(prompt, facts.language),
        5: wrong_expertise(prompt, profile, facts.language),
        6: facts_changed(prompt, brief, facts, profile),
        7: machinery(prompt, brief, facts.language),
        8: constraint_missing(prompt, profile, facts.language),
        9: copy_or_language(prompt, facts.language, others or {}),
    }
    return [Rejection(number=n, id=CRITERIA[n], reason=reason) for n, reason in reasons.items() if reason]


def no_task(prompt: str, facts: Facts) -> str | None:
    """1: the first sentence does not say what to make, or of what."""
    spoken = facts.language
    first = next(iter(sentences(prompt)), "")
    if not first:
        return "there is no sentence in it"
    opening = " ".join(first.split()[:LEAD]) if spoken.verb_first else first
    if any_of(opening, spoken.verbs, spoken) is None:
        return "the first sentence does not say what is to be made"
    wanted = content(facts.intent, spoken)
    words = Words(first, spoken)
    found = sum(bool(words.places([w])) for w in wanted)
    if found < min(INTENT_WORDS, len(wanted)):
        return "the first sentence does not say what the film is about"
    return None


def dimension_missing(prompt: str, facts: Facts) -> str | None:
    """2: a dimension that the brief speaks of has nothing of it in the prompt."""
    found = facts.found(prompt)
    asked = {f.dimension: False for f in facts.items}
    for fact in facts.items:
        asked[fact.dimension] = asked[fact.dimension] or found[fact.id]
    missing = [d for d, said in asked.items() if not said]
    return f"nothing the brief says of {', '.join(missing)} is in it" if missing else None


def essay(prompt: str, spoken: Language) -> str | None:
    """3: headings, a wall of bullets, or steps counted as in an essay."""
    if heading := _HEADING.search(prompt):
        return f"it has a heading: {heading[0].strip()[:40]!r}"
    if len(_BULLET.findall(prompt)) >= BULLETS:
        return "it is a list of bullets"
    used = [word for word in spoken.chain if has(prompt, word, spoken)]
    if len(used) >= CHAIN:
        return f"it counts its steps as an essay does: {', '.join(used[:SHOWN])}"
    return None


def too_long(prompt: str, spoken: Language) -> str | None:
    """4: more characters than the limit."""
    if len(prompt) <= spoken.limit:
        return None
    return f"it has {len(prompt)} characters; {spoken.limit} are the limit in {spoken.name}"


def wrong_expertise(prompt: str, profile: Profile, spoken: Language) -> str | None:
    """5: words that somebody of the profile's expertise would not use. What is said in the film is not looked
    at, nor are trade words that are everyday words as well."""
    if profile.expertise is None:
        return None
    text = unquoted(prompt)
    used = [word for word in not_for(profile.expertise, spoken) if has(text, word, spoken)]
    return f"no words of a {profile.expertise}: {', '.join(used[:SHOWN])}" if used else None


def facts_changed(prompt: str, brief: Brief, facts: Facts, profile: Profile) -> str | None:
    """6: a fact of the brief is not there or is another one, or there are numbers or names that it has not.

    Names that were added are seen where a capital letter marks a name, inside sentences; numbers in words
    where words have spaces between them.
    """
    by_id = {f.id: f for f in facts.items}
    missing = [by_id[name] for name, found in facts.found(prompt).items() if not found]
    told = [named(f) for f in missing]
    reasons = [f"not there or changed: {_some(told)}"] if told else []
    spoken = facts.language
    allowed = _numbers_of(brief, facts, profile)
    added = [n for n in numbers(prompt, spoken) if n.value not in allowed and (n.digits or spoken.spaced)]
    if added:
        reasons.append(f"numbers that the brief has not: {_some([prompt[n.start : n.end] for n in added])}")
    if spoken.capitals and (names := list(dict.fromkeys(_new_names(prompt, brief, spoken)))):
        reasons.append(f"names that the brief has not: {_some(names)}")
    return "; ".join(reasons) or None


def _numbers_of(brief: Brief, facts: Facts, profile: Profile) -> set[float]:
    """Numbers that a prompt may have: the brief's, those that follow from it, and a demand's own."""
    demands = facts.language.constraints
    own = " ".join(f"{demands[c].warm} {demands[c].exact}" for c in profile.constraints)
    found = {n.value for n in numbers(f"{_words_of(brief)} {own}", facts.language)}
    count = len(brief.shots)
    times = [t for s in brief.shots for t in (s.start, s.end, s.duration) if t is not None]
    found |= {float(n) for n in range(1, count + 1)}
    found |= {*map(float, times), *(s.seconds for s in facts.shots if s.seconds is not None)}
    if length := brief.planned_duration:
        found |= {length, round(length / 60, 3)}
    return found


def _new_names(prompt: str, brief: Brief, spoken: Language) -> Iterator[str]:
    known = {t.word for t in tokens(_words_of(brief), spoken)} | _own_words(spoken.code)
    known |= {part for word in known for part in re.split(r"['’-]", word)}
    for match in _NAME.finditer(unquoted(prompt)):
        if match[0].casefold() not in known:
            yield match[0]


@lru_cache
def _own_words(code: str) -> frozenset[str]:
    """The words of a language's own frames."""
    spoken = language(code)
    texts = [
        *spoken.base.values(),
        *spoken.languages.values(),
        *spoken.focus.values(),
        *spoken.taste.values(),
    ]
    texts += [t for frames in spoken.styles.values() for t in frames.values()]
    texts += [t for demand in spoken.constraints.values() for t in (demand.warm, demand.exact)]
    texts += [t for demand in spoken.against.values() for t in (demand.warm, demand.exact)]
    return frozenset(t.word for t in tokens(" ".join(texts), spoken))


def _words_of(brief: Brief) -> str:
    """All text of a brief, and its numbers."""
    return " ".join(_strings(brief.model_dump(mode="json", exclude={"notes", "schema_", "longtake"})))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield f"{value:g}"


def machinery(prompt: str, brief: Brief, spoken: Language) -> str | None:
    """7: words of the machinery behind it, which the brief does not have itself."""
    source = _words_of(brief)
    used = [word for word in spoken.machinery if has(prompt, word, spoken) and not has(source, word, spoken)]
    used += [m[0] for m in _SNAKE.finditer(prompt) if m[0] not in source]
    used += [name for name in _hyphened() if name in prompt.casefold() and name not in source.casefold()]
    return f"it shows the machinery: {_some(list(dict.fromkeys(used)))}" if used else None


@lru_cache
def _hyphened() -> tuple[str, ...]:
    """Names of profiles that are no ordinary words."""
    return tuple(name for name in profiles() if "-" in name)


def constraint_missing(prompt: str, profile: Profile, spoken: Language) -> str | None:
    """8: a hard constraint of the profile is not said, or not firmly."""
    reasons = []
    for name in profile.constraints:
        demand = spoken.constraints[name]
        about = [s for s in sentences(prompt) if any_of(s, demand.about, spoken)]
        firm = [s for s in about if any_of(s, demand.firm, spoken)]
        if any(any_of(s, spoken.softeners, spoken) is None for s in firm):
            continue
        shown = name.replace("_", " ")
        if not about:
            reasons.append(f"{shown} is not asked for")
        elif soft := next(filter(None, (any_of(s, spoken.softeners, spoken) for s in about)), None):
            reasons.append(f"{shown} is softened ({soft})")
        else:
            reasons.append(f"{shown} is not demanded, only spoken of")
    return "; ".join(reasons) or None


def copy_or_language(prompt: str, spoken: Language, others: Mapping[str, str]) -> str | None:
    """9: nearly another profile's prompt, or in another language than the brief. What is said in the film is
    not looked at for the language."""
    told = written_in(unquoted(prompt))
    if told is not None and told != spoken.code:
        return f"it is written in {told}, the brief in {spoken.code}"
    for name, other in others.items():
        if (likeness := resemblance(prompt, other, spoken)) > COPY:
            return (
                f"it is nearly the prompt for {name}: they share {likeness:.0%} of their runs of three words"
            )
    return None


def _some(items: list[str]) -> str:
    more = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
    return ", ".join(items[:SHOWN]) + more
