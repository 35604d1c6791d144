"""Facts of a brief in words, as they are named to people and to a judge."""

from __future__ import annotations

from .facts import Fact

WORDS = 8
"""So many words of a wording are quoted. Ours."""
SIGNS = 60
"""And at most so many characters, for writing without spaces. Ours."""

_NAMES = {
    "length": "the length ({text})",
    "shots": "the number of shots ({text})",
    "durations": "the seconds of the shots in order ({text})",
    "order": "the shots in the order of the brief",
    "no_dialogue": "that there is no dialogue",
    "no_narration": "that there is no narration",
    "lips": "that lips and voice move together",
    "music": "the music ({text})",
    "tone": "the tone ({text})",
    "more": "sentence {n} of the instruction ({text})",
    "act": "act {n} ({text})",
    "action": "what happens in shot {n} ({text})",
    "said": "line {k} of shot {n} ({text})",
    "line": "spoken line {n} ({text})",
    "name": "the name {text}",
    "looks": "how character {n} looks ({text})",
    "place": "the place of shot {n} ({text})",
    "camera": "the camera of shot {n} ({text})",
    "light": "the light of shot {n} ({text})",
    "moves": "camera wish {n} ({text})",
    "keep": "what stays the same, {n} ({text})",
    "effect": "sound {n} ({text})",
    "spoken": "the spoken language {text}",
}
GROUPS = {
    "more": "further sentences of the instruction",
    "act": "acts",
    "action": "shots",
    "said": "spoken lines",
    "looks": "looks",
    "place": "places",
    "camera": "camera of shots",
    "light": "light of shots",
    "moves": "camera wishes",
    "keep": "things that stay the same",
    "effect": "sounds",
    "durations": "seconds of the shots",
}
"""What facts of a kind are together, by the beginning of their ids."""


def named(fact: Fact, *, whole: bool = False) -> str:
    """A fact in words, with the beginning of its wording, or the ``whole`` of its core."""
    name, *numbers = fact.id.split(".")
    n, k = [*numbers, "", ""][:2]
    text = fact.core or fact.text if whole else beginning(fact.text)
    return _NAMES[name].format(n=n, k=k, text=text)


def beginning(text: str) -> str:
    """The first words of a text, with an ellipsis where there are more."""
    words = text.split()
    shown = " ".join(words[:WORDS])[:SIGNS]
    return shown if shown == " ".join(words) else f"{shown.rstrip(' ,;:.')} …"


def counted(ids: list[str]) -> str:
    """Facts by their kinds, with how many of each: ``light of shots (6), acts (3)``."""
    kinds = [GROUPS.get(name.split(".")[0], name) for name in ids]
    return ", ".join(f"{kind} ({kinds.count(kind)})" for kind in dict.fromkeys(kinds))
