"""The two ways in which servers are spoken to: what a request holds, and where in a response the reply is."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, Protocol, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.models.failures import CallFailed
from surefoot.models.seam import Prompt, Schema

How = Literal["json_schema", "json_object", "text"]
LimitName = Literal["max_tokens", "max_completion_tokens"]
_OTHER: dict[LimitName, LimitName] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
_TOO_LONG = re.compile(r"context (?:length|window|size)|too long|maximum.{0,20} length|content.?(?:policy|filter)")
_IN_WORDS = "Reply with one JSON value that fits this JSON schema, and with nothing after it:\n"
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_MOST_TOKENS = 10_000_000  # in one call; no server takes nearly as many
Found = TypeVar("Found", bound=Struct)


class Manner(Struct, frozen=True):
    """What a server and its model take, found out by asking."""

    how: How = "json_schema"
    temperature: bool = True
    limit: LimitName = "max_tokens"
    switched: bool = False  # the limit goes by its other name already

    @property
    def concessions(self) -> int:
        return ("json_schema", "json_object", "text").index(self.how) + (not self.temperature) + self.switched


class Answer(Struct, frozen=True):
    """What a model said. Tokens are None where the server does not count them."""

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cut: bool = False  # at the limit of its length
    refusal: str = ""  # of the vendor's own safety rules, not of a grader


class Dialect(Protocol):
    path: str
    hows: tuple[How, ...]

    def body(self, model: str, prompt: Prompt, manner: Manner, temperature: float | None) -> dict[str, Any]: ...

    def answer(self, data: bytes) -> Answer: ...


def adapted(manner: Manner, message: str, dialect: Dialect, with_schema: bool) -> Manner | None:
    """How to ask again what a server has rejected; None where another manner would not help."""
    said = message.lower()
    if manner.temperature and "temperature" in said:
        return replace(manner, temperature=False)
    if not manner.switched and len(dialect.hows) > 2 and re.search("max_(?:completion_)?tokens", said):
        return replace(manner, limit=_OTHER[manner.limit], switched=True)
    later = dialect.hows[dialect.hows.index(manner.how) + 1 :]
    # Many servers do not say what they reject, so a schema is given up on any complaint but one about the prompt.
    if not with_schema or not later or _TOO_LONG.search(said):
        return None
    return replace(manner, how=later[0])


class _Part(Struct):
    text: str = ""


class _Message(Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: str | None = None


class _ChatUsage(Struct):
    prompt_tokens: Any = None
    completion_tokens: Any = None


class _Chat(Struct):
    choices: list[_Choice]
    usage: _ChatUsage | None = None


class OpenAiDialect:
    path = "/chat/completions"
    hows: tuple[How, ...] = ("json_schema", "json_object", "text")

    def body(self, model: str, prompt: Prompt, manner: Manner, temperature: float | None) -> dict[str, Any]:
        system = [{"role": "system", "content": sendable(prompt.system)}] if prompt.system else []
        user = {"role": "user", "content": _with_schema(prompt, manner)}
        body: dict[str, Any] = {"model": model, "messages": [*system, user], manner.limit: prompt.longest}
        if manner.temperature and temperature is not None:
            body["temperature"] = temperature
        if prompt.schema is not None and manner.how == "json_object":
            body["response_format"] = {"type": "json_object"}
        elif prompt.schema is not None and manner.how == "json_schema":
            name = re.sub(r"\W+", "_", str(prompt.schema.get("title", "")))[:64] or "reply"
            shape = {"name": name, "schema": prompt.schema, "strict": _takes_strict(msgspec.json.encode(prompt.schema))}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        return body

    def answer(self, data: bytes) -> Answer:
        chat = _decoded(data, _Chat)
        if not chat.choices:
            raise CallFailed("passing", "the server answered without a reply", maybe_paid=True)
        message, stop = chat.choices[0].message, chat.choices[0].finish_reason
        content = message.content or ""
        text = content if isinstance(content, str) else "".join(part.text for part in content)
        refusal = message.refusal or ("its content filter" if stop == "content_filter" else "")
        usage = chat.usage or _ChatUsage()
        tokens_in, tokens_out = _count(usage.prompt_tokens), _count(usage.completion_tokens)
        return Answer(text, tokens_in, tokens_out, stop == "length", refusal)


class _Block(Struct):
    type: str = ""
    text: str = ""


class _MessagesUsage(Struct):
    input_tokens: Any = None
    output_tokens: Any = None
    cache_creation_input_tokens: Any = None
    cache_read_input_tokens: Any = None


class _Messages(Struct):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _MessagesUsage | None = None


class AnthropicDialect:
    path = "/v1/messages"
    hows: tuple[How, ...] = ("json_schema", "text")

    def __init__(self, accepted_schema: Callable[[Schema], Schema]) -> None:
        self._accepted_schema = accepted_schema

    def body(self, model: str, prompt: Prompt, manner: Manner, temperature: float | None) -> dict[str, Any]:
        messages = [{"role": "user", "content": _with_schema(prompt, manner)}]
        body: dict[str, Any] = {"model": model, "max_tokens": prompt.longest, "messages": messages}
        if prompt.system:
            body["system"] = sendable(prompt.system)
        if manner.temperature and temperature is not None:
            body["temperature"] = min(temperature, 1.0)
        if prompt.schema is not None and manner.how == "json_schema":
            body["output_config"] = {"format": {"type": "json_schema", "schema": self._schema(prompt.schema)}}
        return body

    def _schema(self, schema: Schema) -> Schema:
        try:
            return self._accepted_schema(schema)
        except (ValueError, KeyError, TypeError) as error:
            raise CallFailed("rejected", "the SDK cannot put the schema into terms that the server knows") from error

    def answer(self, data: bytes) -> Answer:
        found = _decoded(data, _Messages)
        text = "".join(block.text for block in found.content if block.type == "text")
        usage, stop = found.usage or _MessagesUsage(), found.stop_reason
        cached = (_count(usage.cache_creation_input_tokens or 0), _count(usage.cache_read_input_tokens or 0))
        counts = [count for count in (_count(usage.input_tokens), *cached) if count is not None]
        tokens_in = sum(counts) if len(counts) == 3 else None
        refusal = "its safety rules" if stop == "refusal" else ""
        return Answer(text, tokens_in, _count(usage.output_tokens), stop == "max_tokens", refusal)


def _count(value: object) -> int | None:
    """Tokens as a server counts them; what is no count (less than none would pay us back) is not known."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS else None


def sendable(text: str) -> str:
    """Half characters are no text."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _with_schema(prompt: Prompt, manner: Manner) -> str:
    text = sendable(prompt.text)
    if prompt.schema is None or manner.how == "json_schema":
        return text
    return f"{text}\n\n{_IN_WORDS}{msgspec.json.encode(prompt.schema).decode()}"


@lru_cache(maxsize=64)
def _takes_strict(schema: bytes) -> bool:
    """Of thousands of prompts with one schema it is found out once."""
    return _can_be_strict(msgspec.json.decode(schema))


def _can_be_strict(schema: Any) -> bool:  # noqa: ANN401 - any JSON
    """OpenAI's strict mode wants every property required and no others allowed, all the way down."""
    if isinstance(schema, list):
        return all(map(_can_be_strict, schema))
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object":
        named = set(schema.get("properties", {}))
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != named:
            return False
    return all(map(_can_be_strict, schema.values()))


def _decoded(data: bytes, kind: type[Found]) -> Found:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        start = " ".join(data[:400].decode("utf-8", "replace").split())[:80]
        raise CallFailed("passing", f"the server did not answer with a reply: {start!r}", maybe_paid=True) from error
