"""A judge's server on this machine: speaks OpenAI's chat protocol over real HTTP, answers by script.

    from judge_server import Fault, JudgeServer

    with JudgeServer() as server:                       # dialect "openai": see judge_dialects.py
        judge = OpenAIJudge(server.url, server.model, "a-key")
        judge.ask(question)
        server.requests[0].text, server.requests[0].images, server.requests[0].schema

Left alone it gives every question a valid answer to the schema that was sent (the one in the last text of the
question, else that in ``response_format``), chosen by the question's words, and by its seed where the
temperature is above 0: the same question gives the same answer in every process. What may be said otherwise:

- ``answers={"checkpoint.cut_rhythm": {"score": 2}, "checkpoint.*": ..., "*": ...}``: by question id (the
  literal of the schema's field ``id``) or a pattern of it, first match counts. A dict is laid over the valid
  answer, a text is the reply as it is, a function gets the :class:`Asked` and gives either. A key of several
  answers is a list: one for each time the question comes, the last one for ever.
- ``faults={3: Fault(...), "checkpoint.*": [Fault(...), None]}``: by number of the chat request (from 0), or
  by question id or pattern; a list is for the first, second, ... time, and ends.
- ``delay=0.2``: seconds before each reply; ``at_once=4``: beyond so many at a time it says 429.
- ``key="..."``: other keys get 401; ``pictures=False``, ``structured=False``, ``context=4096`` (tokens; a
  token is 4 signs, a picture 256): it refuses, in its dialect's words; ``usage=False``: counts no tokens;
  ``refuses=("temperature",)``: parameters that it answers with an error; ``reports="..."``: names that model.

``server.requests`` are all chat requests in order of arrival (``Asked``), ``server.most_at_once`` how many
were open together. The key is nowhere kept. A hanging request ends with the server.
"""

from __future__ import annotations

import base64
import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from judge_answers import answer_to
from judge_dialects import DIALECTS, Dialect, Refusal, parameter

PICTURE_TOKENS, SIGNS_PER_TOKEN = 256, 4


@dataclass(frozen=True)
class Fault:
    """What goes wrong instead of, or in, a reply.

    With a ``status`` other than 200 or a ``body``, that is all that comes (a dict is sent as JSON, a text as
    HTML). ``half`` sends half of the body as if it were all, ``cut`` breaks off in the middle; ``hang`` waits
    so many seconds first; ``drop`` closes without a word. The rest changes a good reply: its model, its
    finish reason, its refusal, its text.
    """

    status: int = 200
    body: dict[str, Any] | str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    half: bool = False
    cut: bool = False
    hang: float = 0.0
    drop: bool = False
    model: str | None = None
    finish: str | None = None
    refusal: str | None = None
    content: str | None = None


def failed(status: int, message: str = "", code: str | None = None, **headers: str) -> Fault:
    """An error in OpenAI's form; ``retry_after="2"`` becomes a header."""
    said = message or {429: "Rate limit reached", 503: "The engine is overloaded"}.get(status, "Server error")
    named = {key.replace("_", "-").title(): value for key, value in headers.items()}
    return Fault(status, {"error": {"message": said, "type": "error", "param": None, "code": code}}, named)


def too_many(after: str = "1") -> Fault:
    """429 with Retry-After: seconds, or a date of HTTP."""
    return failed(429, retry_after=after)


HTML = Fault(200, "<!DOCTYPE html><html><body>Welcome to the gateway</body></html>")
HALF = Fault(half=True)
CUT = Fault(cut=True)
HANG = Fault(hang=30.0)
DROP = Fault(drop=True)
REFUSED = Fault(refusal="I can't help with that.", content="")
FILTERED = Fault(finish="content_filter", content="")
LENGTH = Fault(finish="length", content='{"id": "x", "sc')


@dataclass(frozen=True)
class Asked:
    """One chat request: its body, its headers without the key, and what is in it.

    ``schema`` is the one asked for, ``by_format`` whether it came in ``response_format``; ``nth`` counts the
    requests about the same question that came before.
    """

    number: int
    body: dict[str, Any]
    headers: dict[str, str]
    with_key: bool
    schema: dict[str, Any] | None
    by_format: bool
    texts: tuple[str, ...]
    images: tuple[bytes, ...]
    nth: int = 0

    @property
    def text(self) -> str:
        """All texts of the request, system first, a line between them."""
        return "\n".join(self.texts)

    @property
    def id(self) -> str:
        """The question's id: the literal of the answer's field ``id``; empty where there is none."""
        return _id_of(self.schema)


Answer = dict[str, Any] | str
Script = Answer | Callable[[Asked], Answer] | list[Any]


class JudgeServer:
    """The server, running while the ``with`` block does. See the top of this file."""

    def __init__(
        self,
        dialect: str = "openai",
        *,
        answers: Mapping[str, Script] | None = None,
        faults: Mapping[int | str, Fault | list[Fault | None]] | None = None,
        model: str | None = None,
        reports: str | None = None,
        delay: float = 0.0,
        at_once: int | None = None,
        key: str | None = None,
        pictures: bool = True,
        structured: bool = True,
        context: int | None = None,
        usage: bool | None = None,
        refuses: tuple[str, ...] | None = None,
    ) -> None:
        self.dialect: Dialect = DIALECTS[dialect]
        self.answers, self.faults = dict(answers or {}), dict(faults or {})
        self.model, self.reports = model or self.dialect.model, reports
        self.delay, self.at_once, self.key = delay, at_once, key
        self.pictures, self.structured, self.context = pictures, structured, context
        self.usage = self.dialect.usage if usage is None else usage
        self.refuses = self.dialect.refuses if refuses is None else refuses
        self.requests: list[Asked] = []
        self.most_at_once = 0
        self._open = 0
        self._seen: dict[str, int] = {}
        self._lock, self._closed = threading.Lock(), threading.Event()
        self._http = _Http(("127.0.0.1", 0), type("Handler", (_Handler,), {"judge": self}))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """Base URL, ending in /v1."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> JudgeServer:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop: nothing listens any more, open requests end."""
        self._closed.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    # what the handler asks

    def read(self, body: dict[str, Any], headers: Mapping[str, str]) -> Asked:
        """Record a request. Raises ``KeyError`` or ``TypeError`` where it is not one of this protocol."""
        texts, images = _parts(body["messages"])
        wanted = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
        schema = wanted or _written(texts[-1])
        kept = {name.lower(): value for name, value in headers.items() if name.lower() != "authorization"}
        id = _id_of(schema)
        with self._lock:
            nth = self._seen.get(id, 0)
            self._seen[id] = nth + 1
            asked = Asked(
                len(self.requests),
                body,
                kept,
                "authorization" in {name.lower() for name in headers},
                schema,
                wanted is not None,
                texts,
                images,
                nth,
            )
            self.requests.append(asked)
        return asked

    def enter(self) -> bool:
        """One more is open; whether that is still allowed."""
        with self._lock:
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
            return self.at_once is None or self._open <= self.at_once

    def leave(self) -> None:
        """One less is open."""
        with self._lock:
            self._open -= 1

    def wait(self, seconds: float) -> None:
        """Sleep, but not longer than the server lives."""
        self._closed.wait(seconds)

    def fault(self, asked: Asked) -> Fault | None:
        """What is to go wrong with this request."""
        for key, given in self.faults.items():
            hit = key == asked.number if isinstance(key, int) else fnmatchcase(asked.id, key)
            if hit and isinstance(given, list):
                if asked.nth < len(given):
                    return given[asked.nth]
            elif hit:
                return given
        return None

    def refusal(self, asked: Asked, key: str | None) -> dict[str, Any] | None:
        """The dialect's error for what this server cannot do: status and body."""
        body, says = asked.body, self.dialect
        if self.key is not None and key != self.key:
            return self._error(says.wrong_key, key=key)
        if says.no_model is not None and body.get("model") != self.model:
            return self._error(says.no_model, model=body.get("model"))
        for name in self.refuses:
            if name in body and not (name == "temperature" and body[name] == 1):
                return self._error(parameter(name, body[name]))
        if asked.images and not self.pictures:
            return self._error(says.no_pictures)
        if asked.by_format and not self.structured:
            return self._error(says.no_schema)
        used = self.tokens(asked)
        if self.context is not None and used > self.context:
            return self._error(says.too_long, n=used, most=self.context, over=used - self.context)
        return None

    def _error(self, refusal: Refusal, **words: object) -> dict[str, Any]:
        return {"status": refusal.status, "body": self.dialect.body(refusal, **words)}

    def tokens(self, asked: Asked) -> int:
        """How long the question is, in tokens as this server counts them."""
        return len(asked.text) // SIGNS_PER_TOKEN + PICTURE_TOKENS * len(asked.images)

    def reply(self, asked: Asked, fault: Fault) -> dict[str, Any]:
        """A good reply, but for what ``fault`` changes in it."""
        content = fault.content if fault.content is not None else self._content(asked)
        named = fault.model or self.reports or self.dialect.told(asked.body["model"], self.model)
        message: dict[str, Any] = {"role": "assistant", "content": content}
        if self.dialect.name == "openai":
            message["refusal"] = fault.refusal
        elif fault.refusal is not None:
            message["content"] = fault.refusal
        choice = {"index": 0, "message": message, "finish_reason": fault.finish or "stop"}
        told: dict[str, Any] = {
            "id": f"chatcmpl-{asked.number}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": named,
            "choices": [choice],
        }
        if self.usage:
            n, m = self.tokens(asked), max(1, len(content) // SIGNS_PER_TOKEN)
            told["usage"] = {"prompt_tokens": n, "completion_tokens": m, "total_tokens": n + m}
        if self.dialect.name == "ollama":
            told["system_fingerprint"] = "fp_ollama"
        elif self.dialect.name == "llama.cpp":
            told["timings"] = {"prompt_n": 1, "predicted_n": 1}
        return told

    def _content(self, asked: Asked) -> str:
        chosen = next((v for k, v in self.answers.items() if fnmatchcase(asked.id, k)), {})
        if isinstance(chosen, list):
            chosen = chosen[min(asked.nth, len(chosen) - 1)]
        said = chosen(asked) if callable(chosen) else chosen
        if isinstance(said, str):
            return said
        seed = asked.body.get("seed", 0) if asked.body.get("temperature", 1) else 0
        schema = _written(asked.texts[-1]) or asked.schema  # the same in each dialect
        valid = answer_to(schema, f"{seed} {asked.text}") if schema else {}
        return json.dumps({**valid, **said}, ensure_ascii=False)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body go out together
    disable_nagle_algorithm = True
    judge: JudgeServer

    def log_message(self, format: str, *args: Any) -> None:
        """Tests are silent."""

    def do_GET(self) -> None:
        if self.path != "/v1/models":
            return self._no_page()
        listed = [{"id": self.judge.model, "object": "model", "created": 1, "owned_by": "us"}]
        return self._send(200, {"object": "list", "data": listed})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/v1/chat/completions":
            return self._no_page()
        allowed = self.judge.enter()
        try:
            self._chat(raw, allowed)
        finally:
            self.judge.leave()

    def _chat(self, raw: bytes, allowed: bool) -> None:
        judge = self.judge
        try:
            asked = judge.read(json.loads(raw), dict(self.headers.items()))
        except (KeyError, TypeError, ValueError) as error:
            return self._send(400, {"error": {"message": f"not of this protocol: {error!r}"}})
        if not allowed:
            over = too_many()
            return self._send(429, over.body, over)
        fault = judge.fault(asked) or Fault()
        judge.wait(judge.delay + fault.hang)
        if fault.drop:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return None
        if fault.status != 200 or fault.body is not None:
            return self._send(fault.status, fault.body or {}, fault)
        key = self.headers.get("Authorization", "").removeprefix("Bearer ") or None
        if refused := judge.refusal(asked, key):
            return self._send(refused["status"], refused["body"])
        return self._send(200, judge.reply(asked, fault), fault)

    def _no_page(self) -> None:
        page = self.judge.dialect.no_page.replace("{path}", self.path)
        self._send(404, json.loads(page) if page.startswith("{") else page, kind="text/plain")

    def _send(
        self,
        status: int,
        body: dict[str, Any] | str | None,
        fault: Fault | None = None,
        *,
        kind: str = "text/html",
    ) -> None:
        fault, as_json = fault or Fault(), isinstance(body, dict)
        sent = (json.dumps(body) if as_json else body or "").encode()
        half = sent[: len(sent) // 2]
        sent = half if fault.half else sent
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if as_json else kind)
        self.send_header("Content-Length", str(len(sent)))
        for name, value in fault.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(half if fault.cut else sent)
        self.close_connection = self.close_connection or fault.cut


def _parts(messages: list[dict[str, Any]]) -> tuple[tuple[str, ...], tuple[bytes, ...]]:
    """All texts and pictures of a conversation; pictures have to be data URLs of JPEGs."""
    texts: list[str] = []
    images: list[bytes] = []
    for message in messages:
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text":
                texts.append(part["text"])
                continue
            head, _, data = part["image_url"]["url"].partition(",")
            if head != "data:image/jpeg;base64":
                raise ValueError(f"not a data URL of a JPEG: {head[:40]}")
            images.append(base64.b64decode(data, validate=True))
    return tuple(texts), tuple(images)


def _written(text: str) -> dict[str, Any] | None:
    """The schema that the last text of a question contains, if it does: the last JSON object at a line's
    start that has properties."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            try:
                found = json.loads(line)
            except ValueError:
                continue
            if isinstance(found, dict) and "properties" in found:
                return found
    return None


def _id_of(schema: dict[str, Any] | None) -> str:
    return str((schema or {}).get("properties", {}).get("id", {}).get("const", ""))
