"""Shot lists made coarser on request: short shots joined, or only the surest boundaries kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..core.documents import Shot, ShotsDocument, Transition


def join_short_shots(
    document: ShotsDocument, shortest: float, changes: Mapping[int, float] | None = None
) -> ShotsDocument:
    """Join every shot shorter than ``shortest`` seconds to its more alike neighbour, shortest first.

    ``changes`` gives for the first frame of a boundary how much the picture changes there (histogram shift,
    0..1); the smaller one is removed. Without it, or where it is unknown, the less sure boundary goes.
    Joins of clips count like any boundary. The removed ones are listed in ``dropped``.
    """
    kept = list(document.transitions)
    dropped = list(document.dropped)
    while kept:
        shots = _shots(document, kept)
        i = min(range(len(shots)), key=lambda n: (shots[n].end - shots[n].start, n))
        if shots[i].end - shots[i].start >= shortest:
            break
        sides = [kept[n] for n in (i - 1, i) if 0 <= n < len(kept)]
        goes = min(sides, key=lambda t: ((changes or {}).get(t.frame, t.confidence), t.frame))
        kept.remove(goes)
        dropped.append(goes)
    return _with(document, kept, dropped)


def expect_shots(document: ShotsDocument, count: int) -> ShotsDocument:
    """Keep the ``count - 1`` surest boundaries; the others are listed, and what is lacking is counted.

    Nothing is invented: with too few boundaries found, ``missing`` says how many there are not.
    """
    surest = sorted(document.transitions, key=lambda t: (-t.confidence, t.frame))
    kept = sorted(surest[: count - 1], key=lambda t: t.frame)
    gone = sorted(surest[count - 1 :], key=lambda t: t.frame)
    missing = max(0, count - 1 - len(document.transitions))
    return _with(document, kept, [*document.dropped, *gone]).model_copy(update={"missing": missing})


def _with(
    document: ShotsDocument, kept: Sequence[Transition], dropped: Sequence[Transition]
) -> ShotsDocument:
    update = {
        "shots": _shots(document, kept),
        "transitions": list(kept),
        "dropped": sorted(dropped, key=lambda t: t.frame),
    }
    return document.model_copy(update=update)


def _shots(document: ShotsDocument, kept: Sequence[Transition]) -> list[Shot]:
    """The document's shots joined wherever the boundary between them is not kept."""
    firsts = {t.frame for t in kept}
    groups: list[list[Shot]] = []
    for shot in document.shots:
        if not groups or shot.first_frame in firsts:
            groups.append([shot])
        else:
            groups[-1].append(shot)
    return [
        Shot(
            index=i,
            start=group[0].start,
            end=group[-1].end,
            first_frame=group[0].first_frame,
            last_frame=group[-1].last_frame,
        )
        for i, group in enumerate(groups)
    ]
