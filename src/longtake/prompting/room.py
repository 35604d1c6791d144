"""Which facts of a brief there is room for, and how fully each prompt tells them.

All profiles tell the same facts, each at least by its core. What a profile weighs most is told first in more
words, clause by clause, as far as the limit allows; and nothing is told in more words to a profile than to
one that weighs it more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..core.brief import Brief
from ..core.documents import Dimension
from ..diagnosis.profiles import WEIGHED, Profile, profiles
from .cuts import FIRST_CLAUSE, TIGHT, first_sentence
from .facts import Facts, Group, Wording, facts_of
from .introduced import links, wanting
from .language import language_of
from .register import EQUAL_SHARE
from .words import size
from .writer import compose

CORES = (12, 9, 6)
"""Words of a core, from a brief with much room to one with little."""
LEAST = (6, FIRST_CLAUSE, TIGHT)
"""The same for a brief with so little that groups are left out and first sentences of shots are cut."""
SENTENCE = 20
"""The first sentence of a shot is told whole if it has no more words. Ours."""
LEFT_OUT: tuple[Group, ...] = (
    *("more", "light", "acts", "place", "effects", "looks", "moves", "camera", "lines", "keeps"),
    *("few_effects", "few_keeps", "tone", "seconds"),
)
"""What is left out of a brief for which there is still no room, one group after the other: first what other
facts of a brief most often say as well. Ours."""
SUMS_UP: frozenset[Group] = frozenset({"more", "acts"})
BEFORE_SENTENCES = 5
"""So many of these groups are left out before the first sentences of shots are cut. Ours."""
DETAIL = 0.05
"""Share of the limit that groups which come back leave free, for what a profile weighs most. Ours."""


@dataclass(frozen=True)
class Draft:
    """A written prompt; ``told`` is what it tells of each wording of the brief, ``shortened`` are the
    dimensions told in fewer words than the brief's."""

    text: str
    facts: Facts
    told: Mapping[str, str]
    shortened: tuple[Dimension, ...]


def room_for(brief: Brief) -> Facts:
    """The facts of a brief that the prompts of all profiles that come with longtake have room for.

    Raises:
        UsageError: there are no frames for the brief's language.
    """
    spoken = language_of(brief)
    for most in CORES:
        facts = facts_of(brief, spoken, most, sentence=SENTENCE)
        if _room(facts, brief):
            return facts
    first = LEFT_OUT[:BEFORE_SENTENCES]
    tries = [(SENTENCE, CORES[-1], first, DETAIL), (SENTENCE, CORES[-1], first, 0.0)]
    for sentence, most, groups, free in (*tries, *((0, most, LEFT_OUT, 0.0) for most in LEAST)):
        facts = facts_of(brief, spoken, most, sentence=sentence)
        if (left := _groups(brief, facts, groups, free)) is not None:
            return _said_anyway(facts_of(brief, spoken, most, left, sentence), brief)
    return _said_anyway(facts_of(brief, spoken, TIGHT, frozenset(LEFT_OUT)), brief)


def _groups(brief: Brief, facts: Facts, among: Sequence[Group], free: float) -> frozenset[Group] | None:
    """Groups are left out until there is room; then, the last first, those with room come back.

    ``free`` is the share of the limit to stay free. ``None`` where there is no room without all of them.
    """

    def without(groups: Sequence[Group]) -> Facts:
        return facts_of(brief, facts.language, facts.most, frozenset(groups), facts.sentence)

    left: list[Group] = []
    if _room(facts, brief, free):
        return frozenset()
    for group in (g for g in among if without([g]).left_out):
        left.append(group)
        if _room(without(left), brief, free):
            break
    else:
        return None
    for group in reversed(left[:-1]):
        if _room(without([g for g in left if g != group]), brief, DETAIL):
            left.remove(group)
    return frozenset(left)


def _said_anyway(facts: Facts, brief: Brief) -> Facts:
    told = [name for text in _terse(facts, brief) for name in _told(facts, text)]
    return replace(facts, anyway=frozenset(told))


def _room(facts: Facts, brief: Brief, free: float = 0) -> bool:
    return all(len(text) <= (1 - free) * facts.language.limit for text in _terse(facts, brief))


def _terse(facts: Facts, brief: Brief) -> Iterator[str]:
    """The prompt of every profile with no word more than the cores."""
    cores = {w.text: w.told[0] for w in facts.wordings}
    return (compose(facts, brief, profile, cores) for profile in profiles().values())


def _told(facts: Facts, text: str) -> list[str]:
    """The facts that are left out and are told all the same, by the words of others; but for those that sum
    up what the shots tell, as it is told in more words."""
    others = tuple(f for f in facts.left_out if f.group not in SUMS_UP)
    return [name for name, found in replace(facts, items=others).found(text).items() if found]


class _Page:
    """One profile's prompt as it grows; ``level`` is which of its lengths each wording has."""

    def __init__(self, brief: Brief, profile: Profile, facts: Facts) -> None:
        self.brief, self.profile, self.facts = brief, profile, facts
        self.level = dict.fromkeys((w.text for w in facts.wordings), 0)
        self.full = set[str]()
        self.text = compose(facts, brief, profile, self.told)

    @property
    def told(self) -> dict[str, str]:
        return {w.text: w.told[self.level[w.text]] for w in self.facts.wordings}

    def lengthen(self, wording: Wording, level: int) -> None:
        """Tell a wording at a length, if there is room; if not, it stays as it is from now on."""
        before = self.level[wording.text]
        if level <= before or wording.text in self.full:
            return
        self.level[wording.text] = level
        text = compose(self.facts, self.brief, self.profile, self.told)
        fits = len(text) <= self.facts.language.limit
        if fits and self.facts.anyway.issuperset(_told(self.facts, text)):
            self.text = text
        else:
            self.level[wording.text] = before
            self.full.add(wording.text)

    def draft(self) -> Draft:
        cut = {w.dimension for w in self.facts.wordings if self.level[w.text] + 1 < len(w.told)}
        return Draft(self.text, self.facts, self.told, tuple(d for d in WEIGHED if d in cut))


def drafts(brief: Brief, wanted: Sequence[Profile], facts: Facts) -> dict[str, Draft]:
    """The prompts for a brief, whose facts :func:`room_for` gives, by the names of the profiles wanted and of
    those that come with longtake.

    One is over the limit only where not even the cores fit.
    """
    known = {p.id: p for p in [*profiles().values(), *wanted]}
    pages = [_Page(brief, profile, facts) for profile in known.values()]
    _introduce(pages, facts)
    carried = links(facts)
    tiers = {(w, p.profile.id) for p in pages for w in p.profile.weights.values() if w >= EQUAL_SHARE}
    by_id = {p.profile.id: p for p in pages}
    for weight, name in sorted(tiers, key=lambda tier: -tier[0]):
        _fill(by_id[name], weight, pages, facts, carried)
    return {page.profile.id: page.draft() for page in pages}


def _introduce(pages: Sequence[_Page], facts: Facts) -> None:
    """What is spoken of as known is told where the brief tells it first, and shots to the end of their first
    sentence, if there is room."""
    actions = {f.text for f in facts.of("action")}
    for page in sorted(pages, key=lambda p: -p.profile.weights["script"]):
        for wording, level in wanting(facts, page.told):
            page.lengthen(wording, min(level, _most(page, wording, pages)))
        for wording in (w for w in facts.wordings if w.text in actions):
            page.lengthen(wording, min(_sentence(wording, facts), _most(page, wording, pages)))


def _sentence(action: Wording, facts: Facts) -> int:
    """The least length at which a shot's first sentence is whole; 0 for one of more words than
    :data:`SENTENCE`."""
    first = first_sentence(action.text).rstrip(".。।")
    if size(first, facts.language) > SENTENCE:
        return 0
    return next((n for n, told in enumerate(action.told) if len(told) >= len(first)), 0)


def _fill(
    page: _Page, weight: float, pages: Sequence[_Page], facts: Facts, carried: Mapping[tuple[str, int], float]
) -> None:
    """More words for the dimensions of one weight: each wording a clause more, again and again, first the
    clauses with most that is ``carried`` on."""
    told = [w for w in facts.wordings if page.profile.weights.get(w.dimension) == weight]
    for level in range(1, max((len(w.told) for w in told), default=0)):
        longer = [w for w in told if level < len(w.told)]
        for wording in sorted(longer, key=lambda w: -carried[w.text, level]):
            page.lengthen(wording, min(level, _most(page, wording, pages)))


def _most(page: _Page, wording: Wording, pages: Sequence[_Page]) -> int:
    """How long a wording may be: as long as in the prompts of all profiles that weigh it more."""
    own = page.profile.weights[wording.dimension]
    heavier = (p.level[wording.text] for p in pages if p.profile.weights[wording.dimension] > own)
    return min(heavier, default=len(wording.told) - 1)
