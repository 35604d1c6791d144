"""A diagnosis that was made before: from its output folder, or from its JSON."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from ..core.documents import DiagnosisDocument
from ..errors import InputError
from .results import DATABASE, Results

JSON_FILE = "diagnosis.json"
MOST_BYTES = 1 << 28
"""A diagnosis of a film of hours has some tens of megabytes; more than this is no diagnosis."""
SCHEMA = "longtake.diagnosis/"
HINT = "give the folder that longtake diagnose wrote, its diagnosis.json, or a film"


def is_diagnosis(path: Path) -> bool:
    """Whether a path is an output folder or a JSON file, and not a film to be diagnosed first."""
    if path.is_dir():
        return (path / DATABASE).is_file() or (path / JSON_FILE).is_file()
    return path.suffix.lower() == ".json"


def earlier_diagnosis(path: Path) -> DiagnosisDocument:
    """The diagnosis in an output folder, or in a file that ``--json`` or ``diagnosis.json`` gave.

    Raises:
        InputError: there is none, or it cannot be read.
    """
    if path.is_dir():
        if (path / DATABASE).is_file() or not (path / JSON_FILE).is_file():
            return Results(path).diagnosis()
        path = path / JSON_FILE
    try:
        size = path.stat().st_size
        text = path.read_bytes() if size <= MOST_BYTES else b""
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", hint=HINT) from error
    if size > MOST_BYTES:
        raise InputError(f"{path} is too large for a diagnosis: {size:,} bytes", hint=HINT)
    return _parsed(path, text)


def _parsed(path: Path, text: bytes) -> DiagnosisDocument:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON: {error}", hint=HINT) from error
    schema = data.get("schema") if isinstance(data, dict) else None
    if not isinstance(schema, str) or not schema.startswith(SCHEMA):
        what = f"it holds {schema}" if isinstance(schema, str) else "it names no schema of longtake"
        raise InputError(f"{path} is no diagnosis: {what[:80]}", hint=HINT)
    try:
        return DiagnosisDocument.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(
            f"the diagnosis {path} is wrong at {where}: {first['msg']}",
            hint="diagnose that film again with this version",
        ) from error
