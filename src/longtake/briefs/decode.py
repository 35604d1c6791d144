"""From bytes to text: byte-order marks, encodings, line ends; what is not text is refused."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

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


def file_bytes(path: Path, reading: Reading) -> bytes:
    """The bytes of a file of at most :data:`MAX_BYTES`.

    Raises:
        InputError: missing, unreadable or too large.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file", hint="give the path of a brief") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    if len(data) > MAX_BYTES:
        raise reading.error("", f"larger than {MAX_BYTES // 2**20} MB; a brief is text of a few pages")
    return data


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
                raise reading.error("", f"begins as {name} but is damaged at byte {error.start}") from None
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
