"""How servers that speak OpenAI's chat protocol differ, as far as a judge can notice.

Most wordings were read in 2026 in the servers' sources and in their users' reports, SGLang's about a grammar
among them. Not found, and written in the server's form or from memory: SGLang's words about pictures, the
bodies of all 401s, and Ollama's refusal of a schema. No server was spoken to.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Refusal:
    """An answer that is an error: HTTP status, what the server says, its type and code, the parameter."""

    status: int
    message: str
    type: str = "invalid_request_error"
    code: str | None = None
    param: str | None = None


@dataclass(frozen=True)
class Dialect:
    """One server. ``reports`` is the model's id in replies, given the id that it was started with:
    ``dated`` (another date is appended), ``served``, ``asked`` (whatever was asked for), or ``file``.

    ``ignores`` are parameters that it takes and does nothing with, ``refuses`` those that it answers with an
    error. ``no_schema``, ``no_pictures`` and ``too_long`` are its words when it cannot: ``{n}`` tokens were
    asked for, ``{most}`` are allowed, ``{over}`` are too many.
    """

    name: Literal["openai", "vllm", "sglang", "ollama", "llama.cpp"]
    model: str
    reports: Literal["dated", "served", "asked", "file"]
    no_schema: Refusal
    no_pictures: Refusal
    too_long: Refusal
    no_model: Refusal | None
    no_page: str
    wrong_key: Refusal
    ignores: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()
    usage: bool = True

    def body(self, refusal: Refusal, **words: object) -> dict[str, Any]:
        """The error as this server writes it."""
        message = refusal.message
        for key, value in words.items():
            message = message.replace("{" + key + "}", str(value))
        if self.name == "sglang":  # flat
            flat = {"object": "error", "message": message, "type": refusal.type, "param": None}
            return {**flat, "code": refusal.status}
        said: dict[str, Any] = {"message": message, "type": refusal.type}
        if self.name == "llama.cpp":
            return {"error": {"code": refusal.status, **said}}
        code: Any = refusal.status if self.name == "vllm" else refusal.code
        return {"error": {**said, "param": refusal.param, "code": code}}

    def told(self, asked: str, served: str) -> str:
        """The id that a reply names."""
        by = {"dated": f"{served}-2026-03-05", "asked": asked, "file": f"/models/{served}.gguf"}
        return by.get(self.reports, served)


def parameter(name: str, value: object) -> Refusal:
    """OpenAI's words for a parameter that the model does not take."""
    if name == "temperature":
        said = f"Unsupported value: 'temperature' does not support {value} with this model. "
        code, said = "unsupported_value", said + "Only the default (1) value is supported."
    else:
        code, said = (
            "unsupported_parameter",
            f"Unsupported parameter: '{name}' is not supported with this model.",
        )
        said += " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
    return Refusal(400, said, code=code, param=name)


_KEY = Refusal(401, "Invalid API Key", "authentication_error")
DIALECTS: dict[str, Dialect] = {
    one.name: one
    for one in (
        Dialect(
            "openai",
            "gpt-x",
            "dated",
            Refusal(
                400,
                "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this "
                "model.",
                param="response_format",
            ),
            Refusal(
                400,
                "Invalid content type. image_url is only supported by certain models.",
                param="messages.[1].content.[1].type",
            ),
            Refusal(
                400,
                "This model's maximum context length is {most} tokens. However, your messages resulted in "
                "{n} tokens. Please reduce the length of the messages.",
                code="context_length_exceeded",
                param="messages",
            ),
            Refusal(
                404,
                "The model `{model}` does not exist or you do not have access to it.",
                code="model_not_found",
            ),
            json.dumps({"error": {"message": "Invalid URL (POST {path})", "type": "invalid_request_error"}}),
            Refusal(401, "Incorrect API key provided: {key}.", code="invalid_api_key"),
            refuses=("max_tokens",),
        ),
        Dialect(
            "vllm",
            "Qwen/Qwen3-VL-8B-Instruct",
            "served",
            Refusal(
                400,
                "The provided JSON schema contains features not supported by xgrammar.",
                "BadRequestError",
            ),
            Refusal(400, "At most 0 image(s) may be provided in one prompt.", "BadRequestError"),
            Refusal(
                400,
                "The decoder prompt (length {n}) is longer than the maximum model length of {most}. "
                "Make sure that `max_model_len` is no smaller than the number of text tokens plus "
                "multimodal tokens.",
                "BadRequestError",
            ),
            Refusal(404, "The model `{model}` does not exist.", "NotFoundError"),
            json.dumps({"detail": "Not Found"}),
            Refusal(401, "Unauthorized", "Unauthorized"),
        ),
        Dialect(
            "sglang",
            "Qwen/Qwen3-VL-8B-Instruct",
            "asked",
            Refusal(400, "Failed to compile json grammar: unsupported schema", "BadRequestError"),
            Refusal(400, "This model does not support image input.", "BadRequestError"),
            Refusal(
                400,
                "The input ({n} tokens) is longer than the model's context length ({most} tokens).",
                "BadRequestError",
            ),
            None,
            json.dumps({"detail": "Not Found"}),
            Refusal(401, "Unauthorized", "Unauthorized"),
        ),
        Dialect(
            "ollama",
            "qwen3-vl:8b",
            "asked",
            Refusal(500, "invalid JSON schema in format", "api_error"),
            Refusal(500, "this model is missing data required for image input", "api_error"),
            Refusal(400, "prompt too long; exceeded max context length by {over} tokens"),
            Refusal(404, "model '{model}' not found", "not_found_error"),
            "404 page not found",
            _KEY,
            ignores=("max_completion_tokens",),
        ),
        Dialect(
            "llama.cpp",
            "Qwen3-VL-8B-Instruct-Q4_K_M",
            "file",
            Refusal(400, "Failed to initialize samplers: failed to parse grammar"),
            Refusal(
                500,
                "image input is not supported - hint: if this is unexpected, you may need to provide the "
                "mmproj",
                "server_error",
            ),
            Refusal(
                400,
                "request ({n} tokens) exceeds the available context size ({most} tokens), try increasing it",
                "exceed_context_size_error",
            ),
            None,
            json.dumps({"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}),
            _KEY,
        ),
    )
}
