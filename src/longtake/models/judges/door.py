"""The door through which every text of a judge's server comes in: the answer, an error, a name, a header.

A server is not trusted with what it writes. It may repeat the key, in whichever way JSON or a URL can write
it; it may send half of a sign, which no file can hold; it may steer a terminal.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from ...core.judge import whole

LEAST_SECRET = 8
"""A key shorter than this is a placeholder (``none``, ``EMPTY``): no secret, and part of common words."""
MOST_SAID = 300
"""Signs of a server's words that a message repeats: some servers repeat the question."""
MOST_DEPTH = 64
"""Levels of JSON that are read: replies have about six, answers four."""
MOST_ESCAPES = 8
"""Backslashes that may stand before a sign of the key: three levels of JSON within JSON write seven."""
JOINERS = "\u200c\u200d"
"""Unseen signs that words of some languages, and pictograms, are written with."""
UNSEEN = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
"""Unicode's categories of signs that steer a terminal or cannot be seen."""


class Unreadable(ValueError):
    """A body is no JSON that is read; the message says what it is, as the end of a sentence."""


class Door:
    """Lets texts of one server in, without the key that it was asked with."""

    def __init__(self, key: str) -> None:
        self._secret = _however_written(key) if len(key) >= LEAST_SECRET else None

    def text(self, said: str) -> str:
        """The text without the key and without halves of signs; its lines and controls stay."""
        found: str = whole(said)
        return found if self._secret is None else self._secret.sub("[key]", found)

    def line(self, said: str, most: int = MOST_SAID) -> str:
        """The text as a message may repeat it: see :func:`one_line`."""
        return one_line(self.text(said), most)

    def json(self, text: str) -> Any:
        """The JSON value of a body, each text in it let in as :meth:`text` does.

        Raises:
            Unreadable: it is no JSON, is nested too deeply, or has a number that is too long to be read.
        """
        try:
            return self._within(json.loads(text), 0)
        except RecursionError:
            raise Unreadable("is nested too deeply") from None
        except json.JSONDecodeError:
            raise Unreadable("is no JSON") from None
        except Unreadable:
            raise
        except ValueError:  # Python reads integers of some thousand digits and no longer ones
            raise Unreadable("has a number of thousands of digits in it") from None

    def _within(self, value: Any, depth: int) -> Any:
        if depth > MOST_DEPTH:
            raise Unreadable("is nested too deeply")
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._within(one, depth + 1) for one in value]
        if isinstance(value, dict):
            return {self.text(name): self._within(one, depth + 1) for name, one in value.items()}
        return value


def one_line(text: str, most: int = MOST_SAID) -> str:
    """``text`` on one line, of at most so many signs; a mark stands for each that steers or is unseen."""
    seen = " ".join(text[: 8 * most].split())
    if not seen.isprintable():
        seen = "".join("\ufffd" if _steers(sign) else sign for sign in seen)
    return seen if len(seen) <= most else f"{seen[: most - 3]}..."


def _steers(sign: str) -> bool:
    return unicodedata.category(sign) in UNSEEN and sign not in JOINERS


def _however_written(key: str) -> re.Pattern[str]:
    """Finds a key as it is, as JSON may write its signs at any level, and as a URL may."""
    escapes = rf"\\{{0,{MOST_ESCAPES}}}"
    signs = [
        rf"(?:{escapes}{re.escape(sign)}|\\{{1,{MOST_ESCAPES}}}u00(?i:{ord(sign):02x})|%(?i:{ord(sign):02x}))"
        for sign in key
    ]
    return re.compile("".join(signs))
