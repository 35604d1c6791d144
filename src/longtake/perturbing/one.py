"""One film through one operator."""

from __future__ import annotations

from pathlib import Path

from ..core.progress import Progress
from ..core.video import Video
from ..errors import InputError
from ..meta.perturbations import ChangeRecord, get, perturb, strength_of
from ..meta.perturbations.whole import check_names
from ..storage.cache import Cache, check_writable
from .given import Given, film_facts
from .sheets import check_suffix, write_sheet


def perturb_film(
    film: Video,
    operator: str,
    strength: float | str,
    seed: int,
    out: Path,
    control: Path,
    given: Given,
    *,
    sheet: Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ChangeRecord:
    """Write a damaged copy of ``film`` to ``out``, its control, and a sheet of frames if one is asked for.

    Raises:
        InputError: the film does not allow it, or ``out`` is the film itself.
        MissingError: a model that the operator needs is not there.
        OutputError: a file cannot be written.
        UsageError: an unknown operator or strength, or a suffix that cannot be written.
    """
    check_names(out, control)
    chosen = get(operator)
    strength_of(chosen, strength)
    if sheet is not None:
        check_suffix(sheet)
    sources = {part.path.resolve() for part in film.parts}
    if {out.resolve(), control.resolve()} & sources or out.resolve() == control.resolve():
        raise InputError(
            "a copy cannot take the place of its film or of its control.", hint="name another --out"
        )
    for path in (out, control):
        check_writable(path.parent, "the folder of the copy")
    facts = film_facts(film, chosen, given, Cache(), workers=workers, progress=progress)
    record = perturb(film, operator, strength, seed, out, control=control, film=facts)
    if sheet is not None:
        write_sheet(film, record, sheet)
    return record
