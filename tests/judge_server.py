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
  by question id or pattern; a list is for the first, second, ... time, and ends. See judge_faults.py.
  Requests that the server refuses for their form (a parameter, the schema, the key) count for neither.
- ``delay=0.2``: seconds before each reply; ``at_once=4``: beyond so many at a time it says 429.
- ``key="..."``: other keys get 401; ``pictures=False``, ``structured=False``, ``context=4096`` (tokens; a
  token is 4 signs, a picture 256): it refuses, in its dialect's words; ``usage=False``: counts no tokens;
  ``refuses=("temperature",)``: parameters that it answers with an error; ``reports="..."``: names that model.

``server.requests`` are all chat requests in order of arrival (``Asked``), ``server.most_at_once`` how many
were open together. The key is nowhere kept. A hanging request ends with the server.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from judge_asked import Asked, id_of, parts, written
from judge_dialects import DIALECTS, Dialect, Refusal, parameter
from judge_faults import CUT, DROP, FILTERED, HALF, HANG, HTML, LENGTH, REFUSED, Fault, failed, too_many
from longtake.testing.answers import answer_to

__all__ = [
    "CUT",
    "DROP",
    "FILTERED",
    "HALF",
    "HANG",
    "HTML",
    "LENGTH",
    "REFUSED",
    "Asked",
    "Fault",
    "JudgeServer",
    "failed",
    "too_many",
]

PICTURE_TOKENS, SIGNS_PER_TOKEN = 256, 4


Answer = dict[str, Any] | str
Script = Answer | Callable[[Asked], Answer] | list[Any]
Reading = tuple[Asked, dict[str, Any] | None]


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
        self._open = self._turn = 0
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

    def read(self, body: dict[str, Any], headers: Mapping[str, str], key: str | None) -> Reading:
        """Record a request, and say how it is refused, if it is: status and body.

        Raises ``KeyError``, ``TypeError`` or ``ValueError`` where it is not one of this protocol.
        """
        texts, images = parts(body["messages"])
        wanted = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
        schema = wanted or written(texts[-1])
        kept = {name.lower(): value for name, value in headers.items() if name.lower() != "authorization"}
        about = id_of(schema)
        with self._lock:
            nth, turn = self._seen.get(about, 0), self._turn
            sent = (body, kept, key is not None, schema, wanted is not None, texts, images)
            asked = Asked(turn, *sent, nth)
            refused = self.refusal(asked, key)
            if refused is None:
                self._seen[about], self._turn = nth + 1, turn + 1
            self.requests.append(asked)
        return asked, refused

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
            hit = key == asked.turn if isinstance(key, int) else fnmatchcase(asked.id, key)
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
            "id": f"chatcmpl-{asked.turn}",
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
        schema = written(asked.texts[-1]) or asked.schema  # the same in each dialect
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
        key = self.headers.get("Authorization", "").removeprefix("Bearer ") or None
        try:
            asked, refused = judge.read(json.loads(raw), dict(self.headers.items()), key)
        except (KeyError, TypeError, ValueError) as error:
            return self._send(400, {"error": {"message": f"not of this protocol: {error!r}"}})
        if not allowed:
            over = too_many()
            return self._send(429, over.body, over)
        if refused:
            return self._send(refused["status"], refused["body"])
        fault = judge.fault(asked) or Fault()
        judge.wait(judge.delay + fault.hang)
        if fault.drop:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return None
        if fault.status != 200 or fault.body is not None:
            return self._send(fault.status, fault.body or {}, fault)
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
        if fault.stall:
            self.wfile.write(half)
            self.wfile.flush()
            self.judge.wait(fault.stall)
            fault = replace(fault, cut=True)
        else:
            self.wfile.write(half if fault.cut else sent)
        self.close_connection = self.close_connection or fault.cut
