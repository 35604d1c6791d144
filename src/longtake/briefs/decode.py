"""From bytes to text: byte-order marks, encodings, line ends; what is not text is refused."""

from __future__ import annotations

import codecs
import re
import stat
from pathlib import Path

from ..core.video import display_path
from ..errors import InputError
from .reading import Reading

MAX_BYTES = 20 * 1024 * 1024
"""Largest brief read. The longest real one seen (a three-hour film's captions) is below 1 MB."""

_MARKS = (  # UTF-32 first: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def file_bytes(path: Path) -> bytes:
    """The bytes of a brief's file of at most :data:`MAX_BYTES`.

    Raises:
        InputError: missing, unreadable, not a regular file, or too large.
    """
    return read_small_bytes(path, "brief")


def read_small_bytes(path: Path, what: str, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file; ``what`` names it in messages ("brief", "list of shots").

    Pipes and devices are refused before they are opened: reading one may never end.

    Raises:
        InputError: missing, unreadable, not a regular file, or above ``limit`` bytes.
    """
    shown = f"the {what} {display_path(path)}"
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InputError(f"{shown} is a folder", hint=f"give the file of the {what}")
        if not stat.S_ISREG(mode):
            raise InputError(
                f"{shown} is a pipe or a device, not a file", hint="save its content to a file and give that"
            )
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        hint = "check the path" if isinstance(error, FileNotFoundError) else "check that you may read it"
        raise InputError(f"{shown} cannot be read: {error.strerror or error}", hint=hint) from None
    except ValueError:
        raise InputError(
            f"{shown} cannot be read: this is no name of a file", hint="check the path"
        ) from None
    if len(data) > limit:
        size = f"{limit // 2**20} MB" if limit >= 2**20 else f"{limit} bytes"
        raise InputError(
            f"{shown} is larger than {size}", hint=f"check that this is the {what}: it is too long"
        )
    return data


def read_small_text(path: Path, what: str, limit: int = MAX_BYTES) -> str:
    """As :func:`read_small_bytes`, as text in UTF-8 without a byte-order mark.

    Raises:
        InputError: also where it is not UTF-8.
    """
    try:
        return read_small_bytes(path, what, limit).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"the {what} {display_path(path)} is not text in UTF-8 (byte {error.start})",
            hint="save it as text in UTF-8",
        ) from None


def text_of(data: bytes, reading: Reading) -> str:
    r"""Text with ``\n`` line ends. Marks, old encodings and line ends are repaired with a note.

    Raises:
        InputError: the bytes are not text.
    """
    text = _decoded(data, reading)
    if text.endswith("\x00") and "\x00" not in (shorter := text.rstrip("\x00")):
        reading.note("", f"{len(text) - len(shorter)} null characters at the end were left out")
        text = shorter
    if "\x00" in text:
        raise reading.error("", "not a text file", hint=_NOT_TEXT)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        reading.note("", "Windows or old Macintosh line ends were read as plain ones")
    return text.lstrip("\ufeff")


_NOT_TEXT = "a brief is plain text, JSON, YAML, SRT, VTT, CSV, OTIO, EDL or FCPXML"


def _decoded(data: bytes, reading: Reading) -> str:
    for mark, encoding, name in _MARKS:
        if data.startswith(mark):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError as error:
                message = f"begins as {name} but is damaged at byte {error.start}"
                raise reading.error("", message, hint="save it as text in UTF-8") from None
            reading.note("", f"a byte-order mark ({name}) was left out")
            return text
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        where = error.start
    text = data.decode("cp1252", errors="replace")
    encoding = "Windows-1252"
    if "\ufffd" in text:
        text, encoding = data.decode("latin-1"), "Latin-1"
    if _CONTROL.search(text):
        raise reading.error("", "not a text file", hint=_NOT_TEXT)
    reading.note("", f"not UTF-8 (byte {where}); read as {encoding}, so check accents", "warning")
    return text
