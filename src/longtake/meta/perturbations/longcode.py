"""Long-CODE's corruptions that need no model: blocks shuffled, blocks replaced by look-alikes of other films.

arXiv 2604.17428, section on corruption tests. A block is whatever the film was cut into: fixed blocks as in
the paper's experiments, or shots as in its definitions.
"""

from __future__ import annotations

import numpy as np

from ...errors import InputError
from .base import Clip, Damage, FilmFacts, Insert, Perturbation, PoolSegment
from .clips import ROUNDED, clips_of, displaced, drawn, recorded, reordered, whole

SLACK_S = 0.05
"""A segment of the pool may be this much shorter than the block that it replaces: one frame or two."""


def shuffle(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Permute a share of the blocks so that none of them stays in place; sound moves along."""
    blocks = clips_of(film)
    order = drawn(len(blocks), rng)
    chosen = sorted(order[: int(strength * len(blocks) + 1e-9)])
    if len(chosen) < 2:
        raise InputError(
            f"{strength:.0%} of {len(blocks)} blocks are {len(chosen)}; a shuffle needs two or more.",
            hint=f"Take a film of {int(np.ceil(2 / strength - 1e-9))} blocks or more, or shorter blocks.",
        )
    moves = dict(zip(chosen, displaced(chosen, rng), strict=True))
    spans = [
        (blocks[shown].start, blocks[shown].end, f"block {shown} is shown in place of block {place}")
        for place, shown in moves.items()
    ]
    facts = recorded(chosen, len(blocks), len(blocks)) | {
        "in_their_place": ",".join(map(str, moves.values()))
    }
    return Damage(sorted(spans), order=reordered(film, moves), facts=facts)


def replace(film: FilmFacts, strength: float, rng: np.random.Generator) -> Damage:
    """Put the most similar segments of a pool of other films, with sound, in place of ``strength`` blocks.

    Likeness is the cosine of embeddings. A segment is taken once, never from the film itself, and only where
    it is as long as the block.
    """
    count = whole(strength)
    blocks, pool = clips_of(film), _pool(film)
    if film.vectors is None or any(s.vector is None for s in pool):
        raise InputError("replace goes by likeness, and was given no embeddings of blocks and pool.")
    if not pool:
        raise InputError(
            "the pool has no segment of another film: one with the film's own content is never taken.",
            hint="Name other films, as long as a block or longer.",
        )
    longest = max(s.end - s.start for s in pool)
    fit = [i for i in drawn(len(blocks), rng) if _length(blocks[i]) <= longest + SLACK_S]
    if len(fit) < count:
        raise InputError(
            f"{count} blocks are to be replaced; the film has {len(blocks)}, {len(fit)} of them short enough "
            "for the pool.",
            hint="Take a longer film, shorter blocks, or a pool of longer segments.",
        )
    taken: set[int] = set()
    found: list[tuple[int, PoolSegment, float]] = []
    for i in fit[:count]:
        best = max(
            (n for n, s in enumerate(pool) if n not in taken and _length(s) >= _length(blocks[i]) - SLACK_S),
            key=lambda n: (_cosine(film, i, pool[n]), -n),
            default=None,
        )
        if best is None:
            raise InputError(
                f"the pool is too small: {count} segments of other films are needed, each as long as its "
                f"block, and {len(found)} of {len(pool)} could be used.",
                hint="Give more or longer films: --pool FOLDER.",
            )
        taken.add(best)
        found.append((i, pool[best], _cosine(film, i, pool[best])))
    found.sort(key=lambda f: f[0])
    likeness = [c for _, _, c in found]
    return Damage(
        [
            (blocks[i].start, blocks[i].end, f"block {i} is of another film (cosine {c:.3f})")
            for i, _, c in found
        ],
        inserts=tuple(
            Insert(blocks[i].start, blocks[i].end, s.video, s.start + ROUNDED) for i, s, _ in found
        ),
        facts=recorded([i for i, _, _ in found], len(fit), len(blocks))
        | {
            "sources": ",".join(f"{s.video.hash[:12]}@{s.start:g}" for _, s, _ in found),
            "pool_segments": len(pool),
            "mean_cosine": round(float(np.mean(likeness)), 6),
            "lowest_cosine": min(likeness),
        },
    )


def _pool(film: FilmFacts) -> list[PoolSegment]:
    """Segments of other films, in an order that does not depend on how they were given."""
    return sorted(
        (s for s in film.pool if s.video.hash != film.hash), key=lambda s: (s.video.hash, s.start, s.end)
    )


def _length(span: Clip | PoolSegment) -> float:
    return span.end - span.start


def _cosine(film: FilmFacts, block: int, segment: PoolSegment) -> float:
    """Likeness of a block and a segment, in steps of a millionth so that every machine ranks alike."""
    assert film.vectors is not None
    assert segment.vector is not None
    a, b = film.vectors[block].astype(float), segment.vector.astype(float)
    return round(float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b) or 1.0)), 6)


OPERATORS = (
    Perturbation(
        "shuffle",
        shuffle.__doc__ or "",
        "share of the blocks",
        0.2,
        0.4,
        0.8,
        0.01,
        1,
        ("temporal_flow", "scene_order", "temporal_logic", "event_chain_logic"),
        shuffle,
        ("clips",),
        (
            "aesthetics",
            "technical_quality",
            "color",
            "appearance_style",
            "comprehensiveness",
            "object_removal",
            "resolution_sharpness",
            "exposure_stability",
            "lip_sync_quality",
        ),
        "long-code",
        extent=True,
    ),
    Perturbation(
        "replace",
        replace.__doc__ or "",
        "blocks",
        2,
        4,
        8,
        1,
        16,
        (
            "comprehensiveness",
            "scene_presence",
            "hallucinated_content",
            "setting_accuracy",
            "event_chain_logic",
            "char_face_consistency",
            "background_consistency",
        ),
        replace,
        ("clips", "pool"),
        ("aesthetics", "exposure_stability", "motion_continuity", "lip_sync_quality"),
        "long-code",
        extent=True,
    ),
)
