"""What a copy sounds like: stretches of the film's sound, and of others, joined sample by sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ...core.video import Video
from ...media.soundtrack import SoundTrack, Stretch, spliced
from .base import Damage, FilmFacts, Samples
from .timeline import sound_edits, starts


def touches_sound(damage: Damage) -> bool:
    """Whether the sound has to be encoded anew: it is changed, or put together in another way."""
    return bool(
        damage.sound or damage.removed or damage.order or any(insert.sound for insert in damage.inserts)
    )


def sound_of(
    video: Video, film: FilmFacts, damage: Damage | None, edges: Sequence[Fraction]
) -> Iterator[Samples] | None:
    """The sound of a copy in blocks (channels, n) from its beginning, or ``None`` where the film has none.

    Without ``damage`` it is the film's own. It ends with the film's sound where the film's end is shown last,
    else with the picture. Raises ``ValueError`` for a damage that changes sound and reorders it.
    """
    if film.sample_rate is None:
        return None
    rate, channels = film.sample_rate, film.channels
    if damage is None:
        return spliced([Stretch(SoundTrack(video, rate, channels), 0, None)])
    if damage.sound and damage.order:
        raise ValueError("a damage cannot both change and reorder the sound")
    own = SoundTrack(video, rate, channels, damage.sound)
    others = [SoundTrack(insert.video, rate, channels) for insert in damage.inserts]
    pieces = sound_edits(damage, edges)
    places = [round(at * rate) for at in starts(pieces, edges)]
    stretches = []
    for piece, begin, end in zip(pieces, places, places[1:], strict=False):
        start = edges[piece.first]
        if piece.mark is None:
            stretches.append(Stretch(own, round(start * rate), end - begin))
        else:
            insert = damage.inserts[piece.mark - 1]
            moved = Fraction(insert.at) + start - Fraction(insert.start)
            stretches.append(Stretch(others[piece.mark - 1], max(round(moved * rate), 0), end - begin))
    if pieces and pieces[-1].mark is None and pieces[-1].last == len(edges) - 1:
        stretches[-1] = stretches[-1]._replace(length=None)
    return spliced(stretches)
