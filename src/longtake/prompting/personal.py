"""One personalised prompt without a judge: written by rule and held against the nine criteria."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.brief import Brief
from ..core.prompts import (
    LeftOutFact,
    PromptAttempt,
    PromptBrief,
    PromptDocument,
    PromptFact,
    PromptsDocument,
    PromptWriter,
)
from ..diagnosis.profiles import Profile, load_profile, profiles
from .against import notes
from .facts import Facts
from .rejections import rejections
from .room import Draft, drafts, room_for

BY_RULE = PromptWriter(name="longtake")


def write_prompt(brief: Brief, profile: Profile | str = "neutral") -> PromptDocument:
    """The prompt for a brief and a profile (its name, a file, or a ``Profile``).

    The nine criteria are applied to it, the ninth against the prompts for all profiles of longtake that are
    not the same in all that shapes a prompt.

    Raises:
        UsageError: an unknown profile, or no prompts can be written in the brief's language.
        InputError: the profile's file cannot be read.
    """
    return write_prompts(brief, [load_profile(profile) if isinstance(profile, str) else profile])[0]


def write_prompts(brief: Brief, wanted: Sequence[Profile]) -> list[PromptDocument]:
    """The prompts for several profiles, as :func:`write_prompt` gives each.

    Raises:
        UsageError: no prompts can be written in the brief's language.
    """
    facts = room_for(brief)
    every = drafts(brief, wanted, facts)
    known = [*profiles().values(), *(p for p in wanted if p.id not in profiles())]
    written = []
    for profile in wanted:
        own = every[profile.id]
        others = {p.id: every[p.id].text for p in known if shape(p) != shape(profile)}
        attempt = PromptAttempt(
            prompt=own.text, rejections=rejections(own.text, brief, facts, profile, others)
        )
        written.append(document(brief, profile, facts, BY_RULE, [attempt], own))
    return written


def shape(profile: Profile) -> tuple[object, ...]:
    """All of a profile that shapes its prompt: two of one shape have the same one, rightly."""
    tastes = sorted((name, str(value)) for name, value in profile.taste.items())
    weights = sorted(profile.weights.items())
    return (weights, profile.constraints, tastes, profile.expertise, profile.style)


def document(
    brief: Brief,
    profile: Profile,
    facts: Facts,
    writer: PromptWriter,
    attempts: list[PromptAttempt],
    own: Draft | None = None,
) -> PromptDocument:
    """The document of all attempts: the last one's prompt, if nothing is held against it."""
    last = attempts[-1]
    good = last.prompt is not None and not last.rejections
    found = facts.found(last.prompt or "")
    return PromptDocument(
        brief=PromptBrief(id=brief.id, title=brief.title, source=brief.source),
        profile=profile.describe(),
        language=facts.language.code,
        writer=writer,
        status="ok" if good else "failed",
        prompt=last.prompt if good else None,
        characters=len(last.prompt) if last.prompt is not None else None,
        limit=facts.language.limit,
        facts=[
            PromptFact(id=f.id, dimension=f.dimension, text=f.text, found=found[f.id]) for f in facts.items
        ],
        left_out=[LeftOutFact(id=f.id, dimension=f.dimension, text=f.text) for f in facts.left_out],
        shortened=list(own.shortened) if own else [],
        notes=notes(profile, facts.against),
        attempts=attempts,
    )


def together(written: Sequence[PromptDocument]) -> PromptsDocument:
    """The document of several prompts for one brief."""
    said = [{f.id for f in one.facts if f.found} for one in written if one.status == "ok"]
    same = all(one == said[0] for one in said) if len(said) > 1 else None
    return PromptsDocument(prompts=list(written), same_facts=same)
