"""Pipelines behind a URL: any JSON endpoint, and OpenAI-compatible chat over our own retriever."""

from __future__ import annotations

import hashlib
import http.client
import re
import ssl
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from time import time
from urllib.parse import urlsplit

import msgspec

from surefoot.errors import Incomplete, TransientError, UsageError
from surefoot.importers.fields import TraceReader
from surefoot.models.keys import key_of
from surefoot.pipelines.replies import trace_of_reply
from surefoot.pipelines.retriever import Retriever
from surefoot.types import Ask, Passage, Retrieved, Trace

DEFAULT_TEMPLATE = '{"question": "{question}"}'
_LARGEST_REPLY = 32 << 20
_MOST_TOKENS = 10_000_000  # of one answer; a server that counts more does not count
_MAY_PASS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_K = 6


class HttpPipeline:
    """POSTs the template with the question in it, and reads the reply like a row of a trace file."""

    def __init__(self, url: str, template: str | None, mapping: Mapping[str, str], timeout: float) -> None:
        _refuse_malformed(url)
        self.name = url
        self._url, self._timeout = url, timeout
        try:
            self._template = msgspec.json.decode(template or DEFAULT_TEMPLATE)
        except msgspec.DecodeError as error:
            raise UsageError(f"the request template is not JSON: {error}", "see --request-template") from error
        # A template that passes it on is how a user says that the server knows of null retrieval.
        self.forces_null = "{retrieval}" in (template or "")
        self._reader = TraceReader(mapping)

    def answer(self, ask: Ask) -> Trace:
        values = {"{question}": ask.text, "{id}": ask.id, "{retrieval}": ask.retrieval}
        reply = post(self._url, _filled(self._template, values), {}, self._timeout)
        return trace_of_reply(reply, ask, self._reader)


class ChatPipeline:
    """A chat model that is shown what our retriever finds. Its key is found as for any model: see models/keys.py."""

    forces_null = True

    def __init__(self, model: str, endpoint: str, prompt: str, passages: Sequence[Passage], timeout: float) -> None:
        _refuse_malformed(endpoint)
        self.name = f"chat:{model}"
        self._model, self._timeout, self._prompt = model, timeout, prompt
        self._url = f"{endpoint.rstrip('/')}/chat/completions"
        self._key = key_of(endpoint)
        self.versions = {"prompt": f"sha256:{hashlib.sha256(prompt.encode()).hexdigest()}"}
        self._retriever = Retriever(passages)
        self._temperature: dict[str, object] = {"temperature": 0}
        for place in ("{passages}", "{question}"):
            if place not in prompt:
                raise UsageError(f"the prompt does not contain {place}", "it must hold {passages} and {question}")

    def answer(self, ask: Ask) -> Trace:
        hits = [] if ask.retrieval == "null" else self._retriever.search(ask.text, _K)
        passages = [passage for passage, _ in hits]
        shown = "\n\n".join(f"[{p.id}] ({p.doc})\n{p.text}" for p in passages) or "(the search found no passages)"
        content = str(_filled(self._prompt, {"{passages}": shown, "{question}": ask.text}))
        reply = self._post({"model": self._model, "messages": [{"role": "user", "content": content}]})
        answer, tokens = _completion(reply)
        return Trace(ask.id, answer=answer, retrieved=Retrieved(passages), tokens=tokens)

    def _post(self, body: dict[str, object]) -> object:
        headers = {"Authorization": f"Bearer {self._key.reveal()}"} if self._key else {}
        temperature = self._temperature
        try:
            return post(self._url, {**body, **temperature}, headers, self._timeout)
        except Incomplete as error:
            if not temperature or "temperature" not in error.message:
                raise
            self._temperature = {}  # some models take no temperature: ask without from now on
            return post(self._url, body, headers, self._timeout)


def post(url: str, body: object, headers: Mapping[str, str], timeout: float) -> object:
    """The JSON that a server answers with. TransientError where asking again may help."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = _connection(parts.scheme, parts.hostname or "", parts.port, timeout)
    try:
        sent = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        connection.request("POST", path, msgspec.json.encode(body), sent)
        response = connection.getresponse()
        data = response.read(_LARGEST_REPLY + 1)
        if "Authorization" in headers:  # a server that echoes the key must not bring it into a report
            data = data.replace(headers["Authorization"].removeprefix("Bearer ").encode(), b"***")
    except TimeoutError:
        raise
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise TransientError(f"the server {parts.netloc} could not be reached: {reason}") from error
    finally:
        connection.close()
    _refuse_failure(response, data)
    if len(data) > _LARGEST_REPLY:
        raise Incomplete(f"the server sent more than {_LARGEST_REPLY >> 20} MiB")
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Incomplete(f"the server did not answer with JSON: {_start(data)!r}") from error


def _refuse_malformed(url: str) -> None:
    try:
        parts = urlsplit(url)
        well_formed = bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half of an address in brackets
        well_formed = False
    if not well_formed or any(character.isspace() or not character.isprintable() for character in url):
        raise UsageError(f"the URL {url!r} names no server", "write it like http://localhost:8000/ask")


def _connection(scheme: str, host: str, port: int | None, timeout: float) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(host, port, timeout=timeout, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, port, timeout=timeout)


def _refuse_failure(response: http.client.HTTPResponse, data: bytes) -> None:
    if 200 <= response.status < 300:
        return
    message = f"HTTP {response.status} {response.reason}: {_start(data)}".removesuffix(": ")
    if response.status in _MAY_PASS:
        raise TransientError(message, _retry_after(response.getheader("Retry-After")))
    raise Incomplete(message)


def _retry_after(value: str | None) -> float | None:
    """Seconds, or a date."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except ValueError:
        return None


def _start(data: bytes) -> str:
    return " ".join(data[:600].decode("utf-8", "replace").split())[:200]


def _filled(template: object, values: Mapping[str, str]) -> object:
    """The template with its places filled, each once: what is filled in is not looked at again."""
    if isinstance(template, str):
        pattern = "|".join(re.escape(place) for place in values)
        return re.sub(pattern, lambda match: values[match.group()], template)
    if isinstance(template, list):
        return [_filled(item, values) for item in template]
    if isinstance(template, dict):
        return {key: _filled(item, values) for key, item in template.items()}
    return template


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Usage(msgspec.Struct):
    total_tokens: int | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


def _completion(reply: object) -> tuple[str, int | None]:
    try:
        completion = msgspec.convert(reply, _Completion)
    except msgspec.ValidationError as error:
        raise Incomplete(f"the server did not answer with a chat completion: {error}") from error
    message = completion.choices[0].message if completion.choices else _Message()
    text = message.content if message.content is not None else message.refusal
    if text is None:
        raise Incomplete("the chat completion holds no text")
    tokens = completion.usage.total_tokens if completion.usage else None
    return text, tokens if tokens is not None and 0 <= tokens <= _MOST_TOKENS else None
