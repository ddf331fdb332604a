"""Pipelines behind a URL: any JSON endpoint, and a chat model over our own retriever."""

from __future__ import annotations

import hashlib
import http.client
import re
import ssl
from collections.abc import Mapping, Sequence
from itertools import count
from urllib.parse import urlsplit

import msgspec

from surefoot.core.errors import Incomplete, TransientError, UsageError
from surefoot.core.types import Ask, Passage, Retrieved, Trace
from surefoot.io.traces import TraceReader
from surefoot.models.failures import retry_after
from surefoot.models.seam import Model, Prompt
from surefoot.pipelines.retriever import Retriever
from surefoot.pipelines.traces import trace_of_reply

DEFAULT_TEMPLATE = '{"question": "{question}"}'
_LARGEST_REPLY = 32 << 20
_MAY_PASS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_K = 6
_LONGEST_ANSWER = 512  # tokens, besides those for thinking, and before more are given because it was cut off


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
        reply = post(self._url, _filled(self._template, values), self._timeout)
        return trace_of_reply(reply, ask, self._reader)


class ChatPipeline:
    """A chat model that is shown what our retriever finds. Asking again is left to whoever asks the pipeline."""

    forces_null = True

    def __init__(self, model: Model, name: str, prompt: str, passages: Sequence[Passage]) -> None:
        self.name = f"chat:{name}"
        self._model, self._prompt = model, prompt
        self.versions = {"prompt": f"sha256:{hashlib.sha256(prompt.encode()).hexdigest()}"}
        self.causes: dict[str, str] = {}  # of failures, with what to do about them
        self._retriever = Retriever(passages)
        self._asked = count(1)  # who asks twice wants two answers

    def answer(self, ask: Ask) -> Trace:
        hits = [] if ask.retrieval == "null" else self._retriever.search(ask.text, _K)
        passages = [passage for passage, _ in hits]
        shown = "\n\n".join(f"[{p.id}] ({p.doc})\n{p.text}" for p in passages) or "(the search found no passages)"
        content = str(_filled(self._prompt, {"{passages}": shown, "{question}": ask.text}))
        reply = self._model.complete(Prompt(content, longest=_LONGEST_ANSWER, attempt=next(self._asked)))
        if reply.error:
            self.causes.setdefault(reply.error, reply.hint)
        if reply.error and reply.may_pass:
            raise TransientError(reply.error, reply.retry_after)
        tokens = (reply.tokens_in + reply.tokens_out) or None
        cost = reply.cost_usd if reply.asked or not reply.error else None
        if reply.error:  # what it has cost until then is paid for all the same
            return Trace(ask.id, error=reply.error, tokens=tokens, cost_usd=cost)
        return Trace(ask.id, answer=reply.text, retrieved=Retrieved(passages), tokens=tokens, cost_usd=cost)


def post(url: str, body: object, timeout: float) -> object:
    """The JSON that a server answers with. TransientError where asking again may help."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = _connection(parts.scheme, parts.hostname or "", parts.port, timeout)
    try:
        sent = {"Content-Type": "application/json", "Accept": "application/json"}
        connection.request("POST", path, msgspec.json.encode(body), sent)
        response = connection.getresponse()
        data = response.read(_LARGEST_REPLY + 1)
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
        raise TransientError(message, retry_after(response.headers))
    raise Incomplete(message)


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
