"""A judge behind any server that speaks OpenAI's chat protocol: hosted, vLLM, SGLang, Ollama, llama.cpp.

Servers differ. What one does not take (a response schema, a name of the token limit, a temperature, a seed)
is found out by asking, left out from then on, and told in ``dialect``; the question's words never change.
Retries after a failure are not made here.
"""

from __future__ import annotations

import json
import logging
import socket
import ssl
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

import openai

from ...core.judge import MOST_NAME, AskError, Question, Usage, Verdict
from ...errors import UsageError
from .address import HINT, Address, address
from .bounded import CALL_TIMEOUTS, BoundedClient, Endless
from .complaints import MOST_READ, Complaint, complaint, error_in, wait_asked_for
from .door import Door, Unreadable
from .names import same_model
from .parse import verdict
from .sending import THOUGHT_TOKENS, Dialect, messages, refused, request

TIMEOUT_S, CONNECT_S = 120.0, 10.0
"""How long a server may be silent, and how long a connection may take, seconds. How long a call may take in
all follows from the first: :data:`.bounded.CALL_TIMEOUTS`."""
TALKATIVE = ("httpx2", "httpcore2")
"""Loggers that write addresses and headers as they come: a server may have put the key there."""
MOST_OFFERED = 5
"""Models that a message lists."""
MOST_PLAIN = 200
"""Signs of a body that is no JSON that a message repeats."""
UNCONNECTED = ("ConnectError", "ConnectTimeout", "ProxyError", "PoolTimeout")
"""Errors of the SDK's HTTP client, whichever it is, before a request is sent."""
UNMAPPED = (ValueError, LookupError, ArithmeticError, RecursionError, OSError)
"""What the SDK and its HTTP client let pass as it is when a header, a host or a proxy is odd."""
WEB_PAGE = "a web page"
OVERLOADED = (429, 503, 529)
PASSING = (408, 409, 425, 500, 502, 504, 520, 521, 522, 523, 524)
"""HTTP statuses after which the same question may be answered; 520 to 524 are those of proxies."""


class OpenAIJudge:
    """One model on one server. Safe from several threads.

    ``base_url`` usually ends in ``/v1``; ``api_key`` may be ``None`` for a server on this machine or a
    private network. ``timeout`` is how many seconds the server may be silent; a call is given up after twice
    as many, whatever comes.
    """

    def __init__(
        self, base_url: str, model: str, api_key: str | None = None, *, timeout: float = TIMEOUT_S
    ) -> None:
        """Nothing is sent.

        Raises:
            UsageError: a base URL that is none, a key that cannot be one, or a proxy that cannot be used.
        """
        self._at: Address = address(base_url)
        self.model, self._key = model, (api_key or "").strip()
        if any(not "!" <= sign <= "~" for sign in self._key):
            raise UsageError("the judge's key has signs that no key has", hint="was it copied as a whole?")
        for name in TALKATIVE:
            logging.getLogger(name).setLevel(logging.WARNING)
        self.name = f"openai:{model}"
        self.identity = f"openai {self._at.host}{self._at.path} {model}"
        self.sends_to: str | None = self._at.host
        self._dialect, self._lock, self._replied = Dialect(), threading.Lock(), False
        self._door = Door(self._key)
        try:
            http = BoundedClient(
                CALL_TIMEOUTS * timeout,
                timeout=openai.Timeout(timeout, connect=min(timeout, CONNECT_S)),
                trust_env=not self._at.loopback,  # no proxy stands between this machine and itself
                follow_redirects=False,  # pictures go to the host that was named and to no other
            )
        except Exception as error:  # noqa: BLE001 - the library reads the environment
            said = self._door.line(str(error))
            hint = "look at HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE"
            raise UsageError(f"the environment's settings of the network: {said}", hint=hint) from None
        try:
            self._client = openai.OpenAI(
                base_url=self._at.url,
                # Never empty: the SDK would take one from the environment, which may be for another host.
                api_key=self._key or "none",
                max_retries=0,
                http_client=http,
            )
        except Exception as error:  # noqa: BLE001 - whatever the library finds wrong with the address
            said = self._door.line(str(error))
            raise UsageError(f"the base URL of the judge's server: {said}", hint=HINT) from None
        self._headers: Any = {} if self._key else {"Authorization": openai.Omit()}
        self._timeout = timeout
        self._end = weakref.finalize(self, self._client.close)

    def close(self) -> None:
        """Close the connections; it happens by itself when the judge is no longer used."""
        self._end()

    def __repr__(self) -> str:
        return f"OpenAIJudge({self._at.written!r}, {self.model!r})"

    @property
    def dialect(self) -> Dialect:
        """What the server was found to take."""
        with self._lock:
            return self._dialect

    @property
    def thought_tokens(self) -> int:
        """Tokens that a reply may take beside the answer; at worst, while no reply has told."""
        return 0 if self._replied and self.dialect.length == "max_tokens" else THOUGHT_TOKENS

    def offers(self) -> list[str]:
        """Ids of the models that the server lists; empty where it has no list.

        Raises:
            AskError: it cannot be reached, or wants another key.
        """
        listing = self._client.models.with_raw_response
        status, _, text = self._exchanged(lambda: listing.list(extra_headers=self._headers))
        if status in (401, 403):
            hint = "check the key in the environment"
            raise AskError(f"the judge at {self._at.host} does not accept the key", hint=hint)
        try:
            body = self._door.json(text)
        except Unreadable:
            return []
        listed = body.get("data") if isinstance(body, dict) and status == 200 else None
        ids = [one.get("id") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        return [self._door.line(one, MOST_NAME) for one in ids if isinstance(one, str) and one.strip()]

    def ask(self, question: Question) -> Verdict:
        """Ask once; what the server does not take is left out and the question asked again.

        Raises:
            AskError: no reply came.
        """
        if not self._key and not self._at.near:
            hint = "set OPENAI_API_KEY, or OPENAI_BASE_URL if another server is meant"
            raise AskError(f"no key for the judge at {self._at.host}", hint=hint, sent=0)
        started, words = time.monotonic(), messages(question)
        before = 0
        try:
            while True:
                dialect = self.dialect
                said = self._send(request(self.model, question, words, dialect))
                if not isinstance(said, Complaint):
                    found = self._heard(said, question, time.monotonic() - started)
                elif (name := refused(said, dialect)) is None:
                    found = self._complained(said, question, time.monotonic() - started)
                else:
                    before += 1
                    with self._lock:
                        self._dialect = self._dialect.without(name)
                    continue
                return found.model_copy(update={"attempts": before + 1})
        except AskError as error:
            error.sent += before
            raise

    def _send(self, sent: dict[str, Any]) -> dict[str, Any] | Complaint:
        """The body of a reply, or what the server complains of where it could be asked otherwise."""
        chat = self._client.chat.completions.with_raw_response
        # As an extra body, since the SDK walks through all of a question's parts otherwise (4 ms).
        status, headers, text = self._exchanged(
            lambda: chat.create(model="", messages=[], extra_body=sent, extra_headers=self._headers)
        )
        if 300 <= status < 400:
            self._moved(self._door.line(headers.get("location", "")))
        body, wrong = None, "is no JSON object"
        try:
            body = self._door.json(text)
        except Unreadable as error:
            wrong = str(error)
        if status != 200:
            given = complaint(status, body if isinstance(body, dict) else self._plain(text))
        elif not isinstance(body, dict):
            self._unread(text, wrong)
        elif (found := error_in(body)) is not None:
            given = found
        else:
            return body
        if given.status in OVERLOADED or given.status in PASSING:
            self._later(given, wait_asked_for(headers))
        return given

    def _exchanged(self, call: Callable[[], Any]) -> tuple[int, Mapping[str, str], str]:
        """Status, headers and body of what a call of the SDK brings, whatever the status."""
        with self._reached():
            try:
                reply = call().http_response
            except openai.APIStatusError as error:
                reply = error.response
        return reply.status_code, reply.headers, reply.content.decode("utf-8-sig", "replace")

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Turns a failure to reach the server into an ``AskError``. The SDK's own holds the key: dropped."""
        at = self._at.host
        try:
            yield
        except openai.APITimeoutError as error:
            message = f"the judge at {at} did not answer within {self._timeout:g} s"
            raise AskError(message, again=True, sent=_sent(_causes(error))) from None
        except openai.APIConnectionError as error:
            causes = list(_causes(error))
            sent = _sent(causes)
            if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
                raise AskError(f"the certificate of {at} is not trusted", sent=sent) from None
            if any(isinstance(cause, socket.gaierror) for cause in causes):
                message, hint = f"the judge's host {self._at.name} is not found", "check the base URL"
                raise AskError(message, hint=hint, again=True, sent=sent) from None
            if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
                message, hint = f"nothing listens at {at}", "is the judge's server running?"
                raise AskError(message, hint=hint, again=True, sent=sent) from None
            said = self._door.line(str(causes[-1])) or type(causes[-1]).__name__
            message = f"the connection to the judge at {at} broke: {said}"
            raise AskError(message, again=True, sent=sent) from None
        except Endless as error:
            raise AskError(f"the judge at {at} {error}", again=True) from None
        except openai.OpenAIError as error:
            raise AskError(f"the judge at {at} cannot be asked: {self._door.line(str(error))}") from None
        except UNMAPPED as error:
            said = self._door.line(str(error)) or type(error).__name__
            raise AskError(f"the call to the judge at {at} failed: {said}", again=True) from None

    def _later(self, said: Complaint, after: float | None) -> None:
        """Raises for a complaint that may pass; returns for one that is about the question."""
        kinds = ("no_pictures", "too_many_pictures", "too_long", "filtered")
        if any(said.says(kind) for kind in kinds) or (said.status == 500 and said.says("no_schema")):
            return  # llama.cpp and Ollama answer 500 to what they will never do
        if said.status == 429 and said.says("spent"):
            raise AskError(f"the account at {self._at.host} has no credit left: {said.told}")
        if said.status == 429:
            message = f"the judge at {self._at.host} wants fewer questions at a time: {said.told}"
            raise AskError(message, again=True, after=after, busy=True)
        message = f"the judge at {self._at.host} failed (HTTP {said.status}): {said.told}"
        raise AskError(message, again=True, after=after, busy=said.status in OVERLOADED)

    def _complained(self, said: Complaint, question: Question, seconds: float) -> Verdict:
        """A complaint about this question is its verdict; one about all of them is raised."""
        at = self._at.host

        def ended(status: Any, reason: str) -> Verdict:
            return Verdict(
                id=question.id,
                question=question.key,
                draw=question.draw,
                status=status,
                reason=reason,
                raw=said.message[:MOST_READ],
                seconds=seconds,
            )

        if said.says("too_many_pictures"):
            return ended("too_long", f"{len(question.frames)} pictures are too many at a time: {said.told}")
        if question.frames and said.says("no_pictures"):
            hint = "choose a model with vision; llama.cpp needs its --mmproj file"
            raise AskError(f"{self.model} at {at} takes no pictures: {said.told}", hint=hint)
        if said.says("too_long") or said.status == 413:
            return ended("too_long", f"the question does not fit the model: {said.told}")
        if said.says("filtered"):
            return ended("refused", f"the server refused the question: {said.told}")
        if said.status == 401:
            hint = "check the key in the environment"
            raise AskError(f"the judge at {at} does not accept the key: {said.told}", hint=hint)
        if said.status == 403:
            hint = f"may this key use {self.model}?"
            raise AskError(f"the judge at {at} forbids it: {said.told}", hint=hint)
        if said.status == 402 or said.says("spent"):
            raise AskError(f"the account at {at} has no credit left: {said.told}")
        if said.says("unknown_model"):
            raise AskError(f"the server at {at} has no model {self.model}", hint=self._offered())
        if said.status in (404, 405):
            hint = "the base URL usually ends in /v1; what comes after it is added here"
            raise AskError(f"there is no chat at {self._at.written} (HTTP {said.status})", hint=hint)
        if said.message == WEB_PAGE:
            self._web_page()
        return ended("failed", f"the server refuses the question (HTTP {said.status}): {said.told}")

    def _heard(self, body: dict[str, Any], question: Question, seconds: float) -> Verdict:
        """The verdict that a reply comes to."""
        choices = body.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise AskError(f"the reply of {self._at.host} holds no answer", again=True)
        self._replied = True
        model = body.get("model")
        reported = self._door.line(model, len(model)) if isinstance(model, str) else None
        found = verdict(
            question,
            _written(message.get("content")),
            model=reported or None,
            usage=_usage(body.get("usage")),
            finish=_written(choice.get("finish_reason")),
            refusal=_written(message.get("refusal")),
            seconds=seconds,
        )
        if not reported or same_model(self.model, reported):
            return found
        reason = f"{found.model} answered, not {self.model}; if it is meant: --judge openai:{found.model}"
        return found.model_copy(update={"status": "wrong_model", "reason": reason, "value": None})

    def _unread(self, text: str, why: str) -> NoReturn:
        """Raises for a body that came with HTTP 200 and is no JSON object; ``why`` says what it is."""
        at, plain = self._at.host, self._plain(text)
        if plain == WEB_PAGE:
            self._web_page()
        if why.startswith("is no JSON"):
            if text.lstrip().startswith("{") or not plain:
                raise AskError(f"the reply of {at} ends in the middle", again=True)
            raise AskError(f"the reply of {at} is no JSON: {plain}", hint="is this a judge's server?")
        raise AskError(f"the reply of {at} {why}", again=True)

    def _plain(self, text: str) -> str:
        """A body that is no JSON, as a message may repeat it: of a web page only that it is one."""
        return WEB_PAGE if text.lstrip().startswith("<") else self._door.line(text, MOST_PLAIN)

    def _web_page(self) -> NoReturn:
        hint = "the base URL usually ends in /v1"
        raise AskError(f"a web page answered at {self._at.written}, not a judge", hint=hint)

    def _moved(self, where: str) -> NoReturn:
        hint = "pictures are only sent to the address that was given; give the new one if it is right"
        to = f"to {shown}" if (shown := where.partition("?")[0]) else "and does not say where to"
        raise AskError(f"{self._at.written} sends questions on {to}", hint=hint)

    def _offered(self) -> str | None:
        """What the server has instead, if it tells."""
        try:
            listed = self.offers()
        except AskError:
            return None
        more = f" and {len(listed) - MOST_OFFERED} more" if len(listed) > MOST_OFFERED else ""
        return f"it has {', '.join(listed[:MOST_OFFERED])}{more}" if listed else None


def _written(said: object) -> str:
    """A part of a reply that ought to be a text; of anything else its JSON, of nothing none."""
    return said if isinstance(said, str) else "" if said is None else json.dumps(said)


def _usage(told: object) -> Usage:
    """Tokens as far as the server counts them."""
    counts = told if isinstance(told, dict) else {}
    found = {key: counts.get(name) for key, name in _COUNTS.items()}
    return Usage(**{k: v for k, v in found.items() if isinstance(v, int) and not isinstance(v, bool)})


_COUNTS = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and what lies behind it."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _sent(causes: Iterable[BaseException]) -> int:
    """Whether a request that came to nothing left this machine: 0 where there was no connection for it."""
    return 0 if any(type(cause).__name__ in UNCONNECTED for cause in causes) else 1
