"""What a brief asks of the picture, as material for a judge."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.brief import Brief, PlannedShot
from ...core.judge import Material

STORY, SHOTS, CHARACTERS, SAME, CAMERA = (
    "brief: story",
    "brief: planned shots",
    "brief: characters",
    "brief: what has to stay the same",
    "brief: camera",
)


def materials_of(brief: Brief) -> tuple[Material, ...]:
    """All that a brief asks of the picture, whole: nothing is cut. Empty where it asks for nothing."""
    parts = {
        STORY: [brief.title or "", brief.instruction or "", *(f"{a.name}: {a.text}" for a in brief.acts)],
        SHOTS: list(_shots(brief)),
        CHARACTERS: [f"{c.name}: {c.description}" for c in brief.characters],
        SAME: brief.consistency,
        CAMERA: brief.camera,
    }
    texts = {
        label: "\n".join(" ".join(line.split()) for line in lines if line.strip())
        for label, lines in parts.items()
    }
    return tuple(Material(label, text) for label, text in texts.items() if text)


def _shots(brief: Brief) -> Iterator[str]:
    for shot in brief.shots:
        if said := _shot(shot):
            yield said


def _shot(shot: PlannedShot) -> str:
    beside = (
        ("scene", shot.scene),
        ("with", ", ".join(shot.characters)),
        ("camera", shot.camera),
        ("light", shot.lighting),
    )
    wishes = "; ".join(f"{name}: {text}" for name, text in beside if text)
    if not shot.text.strip() and not wishes:
        return ""
    known = shot.start is not None and shot.end is not None
    when = f" (planned for {shot.start:.2f}-{shot.end:.2f} s)" if known else ""
    return f"shot {shot.index + 1}{when}: {shot.text}{f' ({wishes})' if wishes else ''}"
