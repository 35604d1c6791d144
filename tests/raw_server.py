"""A server made of bytes, for what no server that speaks HTTP would do.

    with RawServer(lambda connection: connection.sendall(b"...")) as server:
        server.url

``reply`` is called with the connection once a request has come whole; the connection is closed after it.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

Reply = Callable[[socket.socket], None]


class RawServer:
    """The server, running while the ``with`` block does; ``asked`` counts requests."""

    def __init__(self, reply: Reply | bytes) -> None:
        self._reply: Reply = reply if callable(reply) else lambda connection: connection.sendall(reply)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.asked = 0
        self.closed = threading.Event()

    @property
    def url(self) -> str:
        """Base URL, ending in /v1."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def __enter__(self) -> RawServer:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.closed.set()
        self._socket.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection = self._socket.accept()[0]
                threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            head, _, body = self._until(connection, b"\r\n\r\n").partition(b"\r\n\r\n")
            lines = (line.lower().partition(b":") for line in head.split(b"\r\n"))
            length = next((int(text) for name, _, text in lines if name == b"content-length"), 0)
            while len(body) < length:
                body += connection.recv(65536)
            self.asked += 1
            self._reply(connection)

    @staticmethod
    def _until(connection: socket.socket, end: bytes) -> bytes:
        found = b""
        while end not in found:
            found += connection.recv(65536)
        return found


def http(body: bytes | str, status: str = "200 OK", **headers: str) -> bytes:
    """A reply of HTTP; ``retry_after="2"`` becomes a header."""
    sent = body.encode() if isinstance(body, str) else body
    named = {name.replace("_", "-").title(): text for name, text in headers.items()}
    every = {"Content-Type": "application/json", "Content-Length": len(sent), "Connection": "close", **named}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {text}" for name, text in every.items()), "", ""]
    return "\r\n".join(lines).encode("latin-1") + sent


def chat(content: str, **changed: object) -> str:
    """The body of a chat's reply."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"model": "gpt-x", "choices": [choice], **changed})
