"""Our own schema, ``longtake.brief/1``, as written by a program or by hand."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from ..core.brief import Brief, PlannedShot
from .build import Draft, build
from .fields import Fields, as_fields
from .reading import Reading, join

SCHEMA = "longtake.brief/1"
_TIMES = ("start", "end", "duration")


def is_own(value: Any) -> bool:
    """Whether an object names our schema, of whatever version."""
    return isinstance(value, dict) and str(value.get("schema", "")).startswith("longtake.brief/")


def read_own(fields: Fields) -> Brief:
    """The Brief it holds, checked like any other; notes and ``source`` are kept.

    Raises:
        InputError: another version, a wrong type, or a contradiction.
    """
    reading = fields.reading
    if fields.value["schema"] != SCHEMA:
        place = join(fields.path, "schema")
        raise reading.error(
            place, f"{str(fields.value['schema'])[:60]!r} is not read by this version, {SCHEMA} is"
        )
    value = _known(dict(fields.value), set(Brief.model_fields) | {"schema"}, fields.path, reading)
    value.pop("schema_", None)
    if value.get("duration") is not None:
        value["duration"] = Fields(value, fields.path, reading).seconds("duration")
    shots = value.get("shots")
    listed = isinstance(shots, list)
    if listed:
        value["shots"] = [_shot(item, i, fields.path, reading) for i, item in enumerate(shots or [])]
    try:
        brief = Brief.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        raise reading.error(_place(first["loc"], fields.path), first["msg"]) from None
    return _checked(brief, fields.path, reading)


def _known(value: dict[str, Any], names: set[str], path: str, reading: Reading) -> dict[str, Any]:
    unknown = {key: value.pop(key) for key in list(value) if key not in names}
    if unknown:
        extra = value.get("extra")
        value["extra"] = {**unknown, **(extra if isinstance(extra, dict) else {})}
        for key in unknown:
            reading.note(join(path, key), "not understood; kept in extra")
    return value


def _shot(item: Any, index: int, path: str, reading: Reading) -> Any:
    place = join(path, f"shots[{index}]")
    if isinstance(item, str):
        return {"index": index, "text": item}
    fields = as_fields(item, place, reading)
    shot = _known(dict(item), set(PlannedShot.model_fields), place, reading)
    for name in _TIMES:
        if name in shot:
            shot[name] = fields.seconds(name)
    if shot.get("index", index) != index:
        reading.note(
            join(place, "index"), f"is {shot['index']}; shots are numbered from 0 in order", "warning"
        )
    shot["index"] = index
    if isinstance(shot.get("id"), int) and not isinstance(shot["id"], bool):
        shot["id"] = str(shot["id"])
    return shot


def _place(loc: tuple[int | str, ...], path: str) -> str:
    for part in loc:
        path = f"{path}[{part}]" if isinstance(part, int) else join(path, part)
    return path


def _checked(brief: Brief, path: str, reading: Reading) -> Brief:
    drafts = []
    for shot in brief.shots:
        values = shot.model_dump(exclude={"index"})
        drafts.append(Draft(join(path, f"shots[{shot.index}]"), **values))
    kept = list(brief.notes)
    others = {
        name: getattr(brief, name)
        for name in Brief.model_fields
        if name not in ("schema_", "shots", "notes", "source", "longtake")
    }
    built = build(reading, brief.source, drafts, **others)
    fresh = [note for note in built.notes if note not in kept]
    return built.model_copy(update={"notes": [*kept, *fresh]})
