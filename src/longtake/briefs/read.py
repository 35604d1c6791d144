"""Reading a brief: which of the shapes a source has is told by its content, then by its ending."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ..core.brief import SUITE, Brief
from ..core.video import display_path
from ..errors import InputError, UsageError
from . import (
    directorbench,
    generic,
    own,
    plaintext,
    subtitles,
    suites,
    tables,
    timelines,
    vimax,
    vlogger,
    vript,
)
from .decode import MAX_BYTES, file_bytes, text_of
from .fields import Fields, normal
from .reading import JSON_HINT, Reading
from .suite import suite_text
from .times import kind
from .tree import NotJson, parse_json, parse_yaml, unfenced

_JSON = (".json", ".jsonl", ".otio")
_YAML = (".yaml", ".yml")
_YAML_START = re.compile(r"(?:#.*\n|\s*\n)*(?:---[ \t]*(?:\n|$)|[\"']?[\w /-]{1,40}[\"']?:(?:[ \t]|\n|$))")
_JSON_START = re.compile(r"\{\s*(?:\"|\}|$)|\[\s*[\[{\"\]]")
_BRIEF_KEYS = {"schema", "modality_details", *generic.SHOTS, *generic.PROMPT, "data", "stories"}


def read_brief(source: Path | str, *, fps: float | None = None) -> Brief:
    """The brief in a file, in a folder of a Vlogger script, or in one entry of a suite (``FILE#KEY``).

    ``suite:ID`` is a built-in one (``longtake briefs list``).

    ``fps`` is the frame rate of an EDL, which does not state it. A text is not taken for a prompt here:
    see :func:`read_brief_text`.

    Raises:
        InputError: missing, unreadable, of no known shape, holding many briefs, or contradicting itself.
    """
    if str(source).startswith(SUITE):
        name = str(source)
        return _read(suite_text(name.removeprefix(SUITE)), ".yaml", Reading(name, fps=fps), None)
    path, key = _path_and_key(source)
    reading = Reading(display_path(path.name or path), fps=fps)
    if path.is_dir():
        if key is not None:
            raise reading.error("", "is a folder; #KEY chooses an entry of a file", hint="leave #KEY out")
        return vlogger.read_folder(path, reading)
    return _read(text_of(file_bytes(path), reading), path.suffix.lower(), reading, key)


def read_brief_text(text: str, *, fps: float | None = None) -> Brief:
    """The brief in a text: a prompt, or any of the shapes that a file may have.

    Raises:
        InputError: as :func:`read_brief`.
    """
    if len(text) > MAX_BYTES:
        raise InputError(f"the prompt is larger than {MAX_BYTES // 2**20} MB", hint="give a shorter one")
    reading = Reading("prompt", fps=fps)
    return _read(text_of(text.encode("utf-8", "replace"), reading), "", reading, None)


def read_brief_value(value: Any, *, name: str = "brief") -> Brief:
    """The brief in a value as JSON gives it: an object, a list or a text.

    Raises:
        InputError: as :func:`read_brief`.
    """
    from .tree import clean

    reading = Reading(name)
    if isinstance(value, str):
        return read_brief_text(value)
    return _from_tree(clean(value, reading), reading, None)


def _path_and_key(source: Path | str) -> tuple[Path, str | None]:
    text = str(source)
    shown = display_path(text[:200])
    if isinstance(source, str) and not text:
        raise UsageError("the path of the brief is empty", hint="give a file, or leave the brief out")
    try:
        if "\x00" not in text and not Path(text).exists():
            for i in (i for i, char in enumerate(text) if char == "#"):
                if Path(text[:i]).exists() and text[:i]:
                    return Path(text[:i]), text[i + 1 :]
            hint = "give a file; the text of a prompt is not a path" if " " in text else "check the path"
            raise InputError(f"{shown}: no such brief", hint=hint)
    except OSError as error:  # a name too long for the file system, or a folder that cannot be entered
        raise InputError(f"{shown}: cannot be read ({error.strerror})", hint="check the path") from None
    if "\x00" in text:
        raise InputError("the path of the brief contains a null character", hint="check the path")
    return Path(text), None


def _read(text: str, ending: str, reading: Reading, key: str | None) -> Brief:
    if not text.strip():
        raise reading.error("", "is empty", hint="write what the film should be")
    text = unfenced(text, reading)
    tree = _tree(text, ending, reading)
    if tree is not None:
        if timelines.looks_like_otio(tree):
            return timelines.read_otio(text, reading)
        return _from_tree(tree, reading, key)
    if key is not None:
        raise reading.error("", "holds one brief; there is nothing to choose with #KEY")
    return _from_text(text, ending, reading)


def _tree(text: str, ending: str, reading: Reading) -> Any:
    """The value of a JSON or YAML source, or ``None`` where it is neither."""
    start = text.lstrip()
    if start[0] in "{[" or ending in _JSON:
        before = len(reading.notes)
        try:
            return _structured(parse_json(text, reading), reading)
        except NotJson as error:
            del reading.notes[before:]
            if ending in _YAML:
                return _structured(parse_yaml(text, reading), reading)
            if ending in _JSON or _JSON_START.match(start):
                raise reading.error("", f"not readable JSON ({error})", hint=JSON_HINT) from None
            return None
    if ending in _YAML:
        return _structured(parse_yaml(text, reading), reading)
    if _YAML_START.match(text):
        return _maybe_yaml(text, reading)
    return None


def _structured(value: Any, reading: Reading) -> Any:
    if isinstance(value, dict | list):
        return value
    raise reading.error("", f"must hold an object or a list, not {kind(value)}")


def _maybe_yaml(text: str, reading: Reading) -> Any:
    """YAML under another ending: only where it is an object with a key that briefs have."""
    before = len(reading.notes)
    try:
        value = parse_yaml(text, reading)
    except InputError:
        value = None
    if isinstance(value, dict) and {normal(key) for key in value} & _BRIEF_KEYS and not _is_prose(value):
        return value
    del reading.notes[before:]
    return None


def _is_prose(value: dict[str, Any]) -> bool:
    """A prompt such as ``Scene: a beach`` is text, though YAML reads it as an object."""
    return all(isinstance(item, str) for item in value.values()) and not any(k == normal(k) for k in value)


def _from_text(text: str, ending: str, reading: Reading) -> Brief:
    start = text.lstrip()
    if subtitles.looks_like_subtitles(text) or ending in (".srt", ".vtt"):
        return subtitles.read_subtitles(text, reading)
    if start.startswith("<") and ("<fcpxml" in start[:4000] or ending in (".fcpxml", ".xml")):
        if "<fcpxml" not in start[:4000]:
            raise reading.error(
                "", "is XML, but not FCPXML", hint="export the timeline as FCPXML, OTIO or EDL"
            )
        return timelines.read_fcpxml(text, reading)
    if start.startswith(("<?xml", "<!DOCTYPE", "<html")):
        raise reading.error("", "is XML or HTML of a kind that is no brief", hint="save it as plain text")
    if timelines.looks_like_edl(text):
        return timelines.read_edl(text, reading)
    if ending in (".edl", ".fcpxml"):
        raise reading.error("", f"holds no event of a timeline ({ending[1:].upper()})")
    if ending in (".csv", ".tsv") or tables.delimiter_of(text):
        return tables.read_table(text, reading)
    return plaintext.read_plain(text, reading)


def _from_tree(value: Any, reading: Reading, key: str | None) -> Brief:
    path = ""
    if isinstance(value, list | dict) and not value:
        raise reading.error("", "is empty")
    entries = None if isinstance(value, dict) and _whole(value) else suites.entries_of(value)
    if entries is not None:
        value, path = suites.select(entries, key, reading)
    elif key is not None:
        raise reading.error("", "holds one brief; there is nothing to choose with #KEY")
    if isinstance(value, list):
        if vlogger.is_part(value):
            return vlogger.read_part(value, reading)
        if vlogger.is_cast(value):
            return vlogger.read_cast(value, reading)
        return generic.read_list(value, reading)
    if not isinstance(value, dict):
        raise reading.error("", f"must hold an object or a list, not {kind(value)}")
    return _object(Fields(value, path, reading))


def _whole(value: dict[str, Any]) -> bool:
    return own.is_own(value) or bool(
        {normal(key) for key in value} & {"modality_details", "scenes", *generic.SHOTS}
    )


def _object(fields: Fields) -> Brief:
    """The reader of an object, by the keys that only its shape has."""
    value = fields.value
    names = {normal(key) for key in value}
    if own.is_own(value):
        return own.read_own(fields)
    if "modality_details" in names:
        return directorbench.read_nested(fields)
    if isinstance(value.get("shot_descriptions"), list):
        return directorbench.read_flat(fields)
    if isinstance(value.get("meta"), dict) and isinstance(value.get("data", value.get("clips")), dict | list):
        return vript.read_vript(fields)
    if "story_overview" in names and isinstance(value.get("scenes"), list):
        return vimax.read_vimax(fields)
    if isinstance(value.get("stories"), list) and not names & {*generic.SHOTS, "prompt", "instruction"}:
        raise vimax.index_error(fields)
    if suites.is_suite_entry(value) and not names & set(generic.SHOTS):
        return suites.read_entry(fields)
    return generic.read_object(fields)
