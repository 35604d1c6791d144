"""The HTTP client of a judge: a call ends, however a server spins it out."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, wait
from typing import Any

import openai

CALL_TIMEOUTS = 2.0
"""A call may take so many timeouts in all. A timeout is how long a server may be silent: before its reply,
which is most of a call, and between two pieces of it. Twice leaves room for pictures that are sent slowly."""
MOST_BODY = 8 * 2**20
"""Bytes that the body of a reply may have, unpacked: a thousand times what an answer and its thought take."""
ENCODINGS = (b"content-encoding", b"content-length", b"content-type", b"transfer-encoding")
"""Headers about how a body was sent. It is unpacked here, and JSON is UTF-8 whatever they say."""


class Endless(openai.OpenAIError):
    """A reply had no end in time, or is too long; the message is the end of a sentence."""


class BoundedClient(openai.DefaultHttpxClient):
    """Reads replies of at most :data:`MOST_BODY` within ``most_s`` seconds from when a call begins.

    Each call runs in a thread of its own, since a timeout of sockets starts anew with every byte. A thread
    whose server spins out the headers is left behind; it ends with its connection.
    """

    def __init__(self, most_s: float, **given: Any) -> None:
        super().__init__(**given)
        self._most_s = most_s

    def send(self, request: Any, **given: Any) -> Any:
        """A response, read as a whole.

        Raises:
            Endless: it is not there in time, or too long; other errors are the library's.
        """
        found: Future[Any] = Future()
        deadline = time.monotonic() + self._most_s

        def fetch() -> None:
            try:
                found.set_result(self._read(super(BoundedClient, self).send, request, given, deadline))
            except BaseException as error:  # noqa: BLE001 - raised again where the call was made
                found.set_exception(error)

        threading.Thread(target=fetch, name="longtake call", daemon=True).start()
        if not wait([found], self._most_s).done:
            raise self._late()
        return found.result()

    def _read(self, send: Any, request: Any, given: dict[str, Any], deadline: float) -> Any:
        response = send(request, **{**given, "stream": True})
        try:
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                if len(body) > MOST_BODY:
                    raise Endless(f"sent a reply of more than {MOST_BODY // 2**20} MB")
                if time.monotonic() > deadline:
                    raise self._late()
        finally:
            response.close()
        headers = [one for one in response.headers.raw if one[0].lower() not in ENCODINGS]
        return type(response)(response.status_code, headers=headers, content=bytes(body), request=request)

    def _late(self) -> Endless:
        return Endless(f"was not done with its reply after {self._most_s:g} s")
