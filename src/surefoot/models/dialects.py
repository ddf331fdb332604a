"""The ways in which servers are spoken to: what a request holds, and where in a response or stream the reply is.

OpenAI's strict mode, Azure and Gemini each reject some of the keywords of a JSON schema that limit a value, and
llama.cpp ignores some. What is sent has none of them: a short range of integers is a list, and other limits are words.
Servers of one's own are also told how long a text or a list may be, or a small model never stops. Replies are checked
against the schema as it was, so nothing depends on what a server makes of it.

Ollama's OpenAI-style address reads 2,048 or 4,096 tokens of a prompt unless the server was configured otherwise, drops
the rest, and does not say so. In its own dialect each call asks for a context that holds the prompt and the reply, and
for an error in place of a shortened prompt; servers too old to know that are told by the tokens they say they read.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.models.budget import tokens_of
from surefoot.models.failures import CallFailed, failure_of
from surefoot.models.seam import Prompt, Schema, Settings
from surefoot.models.spec import Vendor

_LIMITS = {
    "minLength": "at least {} characters", "maxLength": "at most {} characters", "minimum": "at least {}",
    "maximum": "at most {}", "minItems": "at least {} items", "maxItems": "at most {} items",
}  # fmt: skip
_LENGTHS = frozenset({"minLength", "maxLength", "minItems", "maxItems"})
_LISTED = 20  # integers


def portable(schema: Any, *, lengths: bool) -> Any:  # noqa: ANN401 - any JSON
    """`lengths`: whether the server is told how long texts and lists may be as keywords, too."""
    if not isinstance(schema, dict):
        return schema
    left_out = _LIMITS.keys() - (_LENGTHS if lengths else frozenset())
    found = {key: _inside(key, value, lengths) for key, value in schema.items() if key not in left_out}
    limits = {key: value for key, value in schema.items() if key in _LIMITS}
    low, high = limits.get("minimum"), limits.get("maximum")
    if schema.get("type") == "integer" and isinstance(low, int) and isinstance(high, int) and high - low < _LISTED:
        return found if "enum" in found else found | {"enum": list(range(low, high + 1))}
    words = [found["description"]] if isinstance(found.get("description"), str) else []
    words += [words_of.format(limits[key]) for key, words_of in _LIMITS.items() if key in limits]
    return found | {"description": "; ".join(words)} if limits else found


def _inside(key: str, value: Any, lengths: bool) -> Any:  # noqa: ANN401
    """The schemas inside a schema, and not what only looks like one."""
    if key in ("properties", "$defs", "definitions") and isinstance(value, dict):
        return {name: portable(one, lengths=lengths) for name, one in value.items()}
    if key in ("anyOf", "oneOf", "allOf") and isinstance(value, list):
        return [portable(one, lengths=lengths) for one in value]
    return portable(value, lengths=lengths) if key in ("items", "additionalProperties") else value


def is_strict(schema: Any) -> bool:  # noqa: ANN401
    """OpenAI's strict mode wants every property required and no others allowed, all the way down."""
    if isinstance(schema, list):
        return all(map(is_strict, schema))
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object":
        named = set(schema.get("properties", {}))
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != named:
            return False
    return all(map(is_strict, schema.values()))


_STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")
BROKEN = "the connection broke off before the reply was whole"
_DONE = b"[DONE]"


def events_of(data: bytes, needed: str) -> tuple[list[dict[str, Any]], bool]:
    """The pieces of a reply, and whether it came in pieces: else it is one, which has what is `needed`."""
    if not data.lstrip()[:6].startswith(_STARTS):
        return [decoded(data, needed)], False
    lines = [line.removeprefix(b"data:").strip() for line in data.splitlines() if line.startswith(b"data:")]
    found = []
    for line in lines:
        if line and line != _DONE:
            try:
                event = msgspec.json.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise CallFailed("passing", BROKEN, maybe_paid=True) from error
            if _dict(event).get("error"):
                raise _failed(event["error"], line)
            found.append(_dict(event))
    return found, True


def decoded(data: bytes, needed: str = "") -> dict[str, Any]:
    """A JSON object that has what is `needed`; else why there is none, which is often an error in place of a reply."""
    found: dict[str, Any] = {}
    with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = _dict(msgspec.json.decode(data))
    if found.get("error"):
        failure = _failed(found["error"], data)
        if not failure.message.startswith("HTTP "):
            failure.message = f"the server did not answer with a reply: {failure.message}"
        raise failure
    if not found or (needed and not isinstance(found.get(needed), list)):
        start = " ".join(data[:400].decode("utf-8", "replace").split())[:80]
        if start.startswith("<"):
            message = f"the address is not an API: it answers with a web page: {start!r}"
            raise CallFailed("page", message, maybe_paid=True)
        raise CallFailed("passing", f"the server did not answer with a reply: {start!r}", maybe_paid=True)
    return found


def _failed(error: object, data: bytes) -> CallFailed:
    """An error in the middle of a reply: its status is said in the body, if at all."""
    code = _dict(error).get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    failure = failure_of(status, {}, data)
    failure.message = failure.message if status == code else failure.message.removeprefix("HTTP 500: ")
    failure.maybe_paid = True
    return failure


def _text(value: object) -> str:
    """A text, or the texts of its parts."""
    return value if isinstance(value, str) else "".join(_text(part.get("text")) for part in _dicts(value))


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


How = Literal["json_schema", "json_object", "text"]
_LIMIT_NAMES = ("max_tokens", "max_completion_tokens")
_TOO_LONG = re.compile(
    r"context (?:length|window|size)|too long|request too large|tokens must be reduced|maximum.{0,20} length"
    r"|content.?(?:policy|filter)"
)
_TOO_MANY = re.compile(
    r"too (?:large|many|high|big)|exceed|at most|maximum|less than|lower than|greater than|larger than"
    r"|limit (?:of|is)|range|> ?[0-9]|<= ?[0-9]|fewer"
)
_ABOUT_TOKENS = re.compile(r"max(?:imum)?[ _]?(?:completion|output|new)?[ _]?tokens|completion tokens")
_ABOUT_CONTEXT = re.compile("context (?:length|window|size)")
_STATUS = re.compile(r"^http [0-9]{3}\b")
_WHOLE_NUMBER = re.compile(
    r"(?<![\w.-])[0-9]{1,3}(?:,[0-9]{3}){1,3}(?![\w-]|[.,][0-9])|(?<![\w.-])[0-9]{2,9}(?![\w-]|[.,][0-9])"
)
_BELOW = re.compile(r"(?:less|lower|smaller) than (?=\W*[0-9])|exclusive")
_FEWEST_TOKENS = 16  # a smaller number is no limit of a reply
_ROOMS = (1.0, 0.25, 0.0)  # shares of the room to think, for servers that have no room for all of it
_IN_WORDS = "Reply with one JSON value that fits this JSON schema, and with nothing after it:\n"
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_MOST_TOKENS = 10_000_000  # in one call; no server takes nearly as many
_MOST_USD = 10_000.0  # for one call
_THINKING = re.compile(
    r"\s*<(think|thinking|thought|reasoning)>(?:(?!</\1>).)*+(?:</\1>\s*|$)|(?:(?!</?think>).)*+(?<=\n)</think>\s*",
    re.DOTALL,
)
# Why a model stopped. What is none of these, an error of the server or something unknown, is no end of a reply.
_ENDED = frozenset(
    {"", "stop", "end_turn", "stop_sequence", "eos", "eos_token", "end", "complete", "completed", "done", "tool_calls",
     "tool_use", "function_call"}
)  # fmt: skip
_CUT = frozenset({"length", "max_length", "model_length", "max_tokens", "max_output_tokens", "token_limit",
                  "model_context_window_exceeded"})  # fmt: skip
_REFUSED = frozenset({"content_filter", "content_filtered", "refusal", "safety", "prohibited_content", "recitation"})
_OLLAMA = "fp_ollama"  # at its OpenAI-style address, the context can neither be seen nor set


class Manner(Struct, frozen=True):
    """What a server and its model take, found out by asking."""

    how: How = "json_schema"
    temperature: bool = True
    switched: bool = False  # the limit of a reply goes by the name that is not the usual one there
    room: int = 0  # the place of the share of the room to think
    most: int | None = None  # tokens of a reply that the server has named as its limit
    stream: bool = True

    @property
    def concessions(self) -> int:
        hows = ("json_schema", "json_object", "text").index(self.how)
        limited = self.most is not None
        return hows + (not self.temperature) + self.switched + self.room + limited + (not self.stream)

    def room_to_think(self, tokens: int) -> int:
        return int(tokens * _ROOMS[self.room])


class Answer(Struct, frozen=True):
    """What a model said. Tokens are None where the server does not count them."""

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cut: bool = False  # at the limit of its length
    refusal: str = ""  # of the vendor's own safety rules, not of a grader
    shortens: bool = False  # the server: it drops what is too long for it, and does not say so
    cost_usd: float | None = None  # where the server itself says so


def adapted(manner: Manner, message: str, dialect: Dialect, with_schema: bool, asked: int = 0) -> Manner | None:
    """How to ask again what a server has rejected; None where another manner would not help.

    `asked`: for how many tokens it was asked."""
    said = message.lower()
    if manner.temperature and "temperature" in said:
        return replace(manner, temperature=False)
    if most := named_limit(said, asked):
        return replace(manner, most=most)
    about_tokens = re.search("max_(?:completion_)?tokens", said)
    if manner.room < len(_ROOMS) - 1 and ((about_tokens and _TOO_MANY.search(said)) or _TOO_LONG.search(said)):
        return replace(manner, room=manner.room + 1)
    if not manner.switched and len(dialect.hows) > 2 and about_tokens:
        return replace(manner, switched=True)
    if manner.stream and "stream" in said:
        return replace(manner, stream=False)
    later = dialect.hows[dialect.hows.index(manner.how) + 1 :]
    # Many servers do not say what they reject, so a schema is given up on any complaint but one about the prompt.
    if not with_schema or not later or _TOO_LONG.search(said):
        return None
    return replace(manner, how=later[0])


def named_limit(said: str, asked: int) -> int | None:
    """The most tokens of a reply, where a server says how many it takes: the largest number below what was asked for.

    The size of its context is none: the prompt takes a part of that."""
    if not _ABOUT_TOKENS.search(said) or not _TOO_MANY.search(said) or _ABOUT_CONTEXT.search(said):
        return None
    numbers = (int(found[0].replace(",", "")) for found in _WHOLE_NUMBER.finditer(_STATUS.sub("", said)))
    below = max((number for number in numbers if _FEWEST_TOKENS <= number < asked), default=None)
    return below - 1 if below and _BELOW.search(said) else below


class OpenAiDialect:
    path, models = "/chat/completions", "/models"  # behind the address: of calls, and of the names of all models
    hows: tuple[How, ...] = ("json_schema", "json_object", "text")

    def __init__(self, vendor: Vendor | None = None, *, lengths: bool = True) -> None:
        """`lengths`: see `portable`."""
        self._vendor, self._lengths = vendor or Vendor(""), lengths

    def body(self, model: str, prompt: Prompt, manner: Manner, settings: Settings) -> dict[str, Any]:
        usual = self._vendor.limit
        limit = next(name for name in _LIMIT_NAMES if name != usual) if manner.switched else usual
        body = {"model": model, "messages": messages_of(prompt, manner), limit: prompt.longest, **self._vendor.always}
        if manner.temperature and settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.effort:
            body["reasoning_effort"] = settings.effort
        if manner.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if prompt.schema is not None and manner.how == "json_object":
            body["response_format"] = {"type": "json_object"}
        elif prompt.schema is not None and manner.how == "json_schema":
            name = re.sub(r"\W+", "_", str(prompt.schema.get("title", "")))[:64] or "reply"
            schema = portable(prompt.schema, lengths=self._lengths)
            shape = {"name": name, "schema": schema, "strict": is_strict(prompt.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        return body

    def headers(self, key: str) -> dict[str, str]:
        return {"authorization": f"Bearer {key}"} if key else {}

    def answer(self, data: bytes) -> Answer:
        said, stop, usage, shortens, is_there = {"content": "", "refusal": ""}, None, dict[str, Any](), False, False
        events, in_pieces = events_of(data, "choices")
        for event in events:
            usage, shortens = _dict(event.get("usage")) or usage, shortens or event.get("system_fingerprint") == _OLLAMA
            choices = _dicts(event.get("choices"))
            for choice in choices if in_pieces else choices[:1]:
                if not in_pieces or choice.get("index") in (None, 0):
                    is_there, stop = True, choice.get("finish_reason") or stop
                    for kind in said:
                        said[kind] += _text(_dict(choice.get("delta") or choice.get("message")).get(kind))
        if in_pieces and stop is None and not data.rstrip().endswith(_DONE):
            raise CallFailed("passing", BROKEN, maybe_paid=True)
        if not is_there:
            raise CallFailed("passing", "the server answered without a reply", maybe_paid=True)
        tokens_in, tokens_out = count_of(usage.get("prompt_tokens")), count_of(usage.get("completion_tokens"))
        if usage.get("prompt_tokens") is None and usage.get("completion_tokens") is None:
            # Where only the sum is known, as if all were of the dearer kind.
            tokens_out = count_of(usage.get("total_tokens"))
            tokens_in = None if tokens_out is None else 0
        cut, filtered = stopped(stop)
        refusal = said["refusal"] or ("its content filter" if filtered else "")
        text, cost = without_thinking(said["content"] or said["refusal"]), usage.get("cost")  # as OpenRouter tells
        is_cost = isinstance(cost, (int, float)) and not isinstance(cost, bool) and 0 <= cost <= _MOST_USD
        return Answer(text, tokens_in, tokens_out, cut, refusal, shortens, cost if is_cost else None)


class AnthropicDialect:
    """No temperature is sent: from API version 2026-10-21 on, it is an error."""

    path, models = "/v1/messages", "/v1/models"
    hows: tuple[How, ...] = ("json_schema", "text")

    def __init__(self, accepted_schema: Callable[[Schema], Schema]) -> None:
        self._accepted_schema = accepted_schema

    def body(self, model: str, prompt: Prompt, manner: Manner, settings: Settings) -> dict[str, Any]:
        messages = [{"role": "user", "content": _with_schema(prompt, manner)}]
        body: dict[str, Any] = {"model": model, "max_tokens": prompt.longest, "messages": messages}
        if prompt.system:
            body["system"] = sendable(prompt.system)
        if manner.stream:
            body["stream"] = True
        config: dict[str, Any] = {"effort": settings.effort} if settings.effort else {}
        if prompt.schema is not None and manner.how == "json_schema":
            config["format"] = {"type": "json_schema", "schema": self._schema(prompt.schema)}
        return body | ({"output_config": config} if config else {})

    def _schema(self, schema: Schema) -> Schema:
        try:
            return self._accepted_schema(schema)
        except Exception as error:  # of many kinds, AssertionError among them
            raise CallFailed("rejected", "the SDK cannot put the schema into terms that the server knows") from error

    def headers(self, key: str) -> dict[str, str]:
        return {"anthropic-version": "2023-06-01"} | ({"x-api-key": key} if key else {})

    def answer(self, data: bytes) -> Answer:
        text, stop, usage = "", None, dict[str, Any]()
        events, in_pieces = events_of(data, "content")
        for event in events:
            # The whole message, or what begins it, adds to it, and ends it.
            delta = _dict(event.get("delta") or event.get("content_block"))
            whole = [one for one in _dicts(event.get("content")) if one.get("type") == "text"]
            text += "".join(_text(one.get("text")) for one in (*whole, delta))
            stop = delta.get("stop_reason") or event.get("stop_reason") or stop
            usage |= _dict(_dict(event.get("message")).get("usage")) | _dict(event.get("usage"))
        if in_pieces and stop is None:
            raise CallFailed("passing", BROKEN, maybe_paid=True)
        sizes = {kind: usage.get(f"{kind}input_tokens") for kind in ("", "cache_creation_", "cache_read_")}
        read = [count_of(0 if kind and size is None else size) for kind, size in sizes.items()]
        tokens_in = None if None in read else sum(filter(None, read))
        cut, refused = stopped(stop)
        refusal = "its safety rules" if refused else ""
        return Answer(without_thinking(text), tokens_in, count_of(usage.get("output_tokens")), cut, refusal)


def stopped(reason: object) -> tuple[bool, bool]:
    """Whether the reply was cut off at its length, and whether the vendor's rules stopped it."""
    said = str(reason or "").casefold()
    if said in _ENDED | _CUT | _REFUSED:
        return said in _CUT, said in _REFUSED
    message = f"the server stopped before the reply was whole ({' '.join(said.split())[:40]!r})"
    raise CallFailed("passing", message, maybe_paid=True)


def count_of(value: object) -> int | None:
    """Tokens as a server counts them; what is no count (less than none would pay us back) is not known."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS else None


def without_thinking(text: str) -> str:
    """What a model says, without what it thought aloud before: <think>...</think>, whose opening some servers drop."""
    match = _THINKING.match(text)
    return text[match.end() :] if match else text


def sendable(text: str) -> str:
    """Half characters are no text."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def messages_of(prompt: Prompt, manner: Manner) -> list[dict[str, str]]:
    system = [{"role": "system", "content": sendable(prompt.system)}] if prompt.system else []
    return [*system, {"role": "user", "content": _with_schema(prompt, manner)}]


def _with_schema(prompt: Prompt, manner: Manner) -> str:
    text = sendable(prompt.text)
    if prompt.schema is None or manner.how == "json_schema":
        return text
    return f"{text}\n\n{_IN_WORDS}{msgspec.json.encode(prompt.schema).decode()}"


_SHORTEST = 8_192  # tokens of context; a model is loaded anew for another number, so there are few of them
_MORE = 1.5  # tokens for each that was estimated: some models read every digit as one
_THINK: dict[str, bool | str] = {"none": False, "minimal": "low", "xhigh": "high", "max": "high"}


class OllamaDialect(OpenAiDialect):
    path, models = "/api/chat", "/api/tags"

    def __init__(self) -> None:
        super().__init__()
        self._context = _SHORTEST  # grows only: prompts of different lengths do not load the model in turns

    def body(self, model: str, prompt: Prompt, manner: Manner, settings: Settings) -> dict[str, Any]:
        while self._context < _MORE * tokens_of(prompt) + prompt.longest:
            self._context *= 2
        options: dict[str, Any] = {"num_ctx": self._context, "num_predict": prompt.longest}
        if manner.temperature and settings.temperature is not None:
            options["temperature"] = settings.temperature
        body = {"model": model, "messages": messages_of(prompt, manner), "options": options, "stream": manner.stream,
                "truncate": False}  # fmt: skip
        if prompt.schema is not None and manner.how != "text":
            body["format"] = portable(prompt.schema, lengths=True) if manner.how == "json_schema" else "json"
        return body | ({"think": _THINK.get(settings.effort, settings.effort)} if settings.effort else {})

    def answer(self, data: bytes) -> Answer:
        pieces = [decoded(line) for line in data.splitlines() if line.strip()]
        if not pieces or not pieces[-1].get("done"):
            raise CallFailed("passing", BROKEN, maybe_paid=True)
        last, text = pieces[-1], "".join(_text(_dict(one.get("message")).get("content")) for one in pieces)
        tokens_in, tokens_out = count_of(last.get("prompt_eval_count")), count_of(last.get("eval_count"))
        cut, _ = stopped(last.get("done_reason"))
        is_full = tokens_in is not None and tokens_in >= self._context - 1
        return Answer(without_thinking(text), tokens_in, tokens_out, cut, shortens=is_full)


Dialect = OpenAiDialect | AnthropicDialect  # Ollama's is a form of the first
