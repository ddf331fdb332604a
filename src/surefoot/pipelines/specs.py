"""What `--pipeline` may name.

package.module:function     a Python function
cmd:COMMAND ... | ./script  a long-lived command speaking JSON lines
http://... | https://...    a JSON endpoint
traces:FILE                 logged answers, replayed
chat:MODEL@ENDPOINT         a chat model behind an OpenAI-compatible server, over our retriever
chat:anthropic:MODEL        the same with one of Anthropic's; so are chat:llm:MODEL (OpenAI's own), chat:ollama:MODEL
reference                   quotes the corpus, with the model in the box
"""

from __future__ import annotations

import hashlib
import http.client
import re
import shlex
import ssl
from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import Incomplete, TransientError, UsageError, check_number
from surefoot.core.types import Ask, Passage, Pipeline, Retrieved, Trace
from surefoot.io.traces import TraceReader
from surefoot.models.budget import Budget
from surefoot.models.endpoint import open_model
from surefoot.models.failures import retry_after
from surefoot.models.seam import Model, Prompt, Settings
from surefoot.models.spec import KINDS, chat_model, masked
from surefoot.pipelines.process import CommandPipeline, HostedPipeline
from surefoot.pipelines.retriever import Retriever
from surefoot.pipelines.traces import ReplayPipeline, trace_of_reply

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
    """The JSON that a server answers with."""
    data = send(url, body, timeout)
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Incomplete(f"the server did not answer with JSON: {_start(data)!r}") from error


def send(url: str, body: object, timeout: float) -> bytes:
    """Whatever a server answers with. TransientError where asking again may help."""
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
    return data


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


_HINT = (
    "one of package.module:function, cmd:COMMAND, ./script, http://..., traces:FILE, chat:MODEL@ENDPOINT, "
    "chat:anthropic:MODEL, reference"
)
_NO_PATIENCE = 1e-6
PROMPTS = ("answer_with_licence", "answer_without_licence")
_PLACES = ("{passages}", "{question}")  # in a prompt


class Asking(Struct, frozen=True, kw_only=True):
    """How a pipeline is asked. The last five are for pipelines of some kinds only."""

    concurrency: int = 8
    timeout: float = 60.0
    retries: int = 2
    mapping: Mapping[str, str] = {}
    request_template: str | Path | None = None
    prompt: str = PROMPTS[0]  # a bundled prompt, or a file
    settings: Settings = Settings()  # how a chat model is asked, but for its times, which follow from the timeout
    budget: Budget | None = None  # that a chat model shares with others

    def __post_init__(self) -> None:
        check_number("concurrency", self.concurrency, 1, 1_000)
        check_number("timeout", self.timeout, 0.1, 604_800)
        check_number("retries", self.retries, 0, 100)


def load(spec: str, *, corpus: Sequence[Passage] | None = None, asking: Asking | None = None) -> Pipeline:
    """The pipeline that `spec` names, ready to be asked."""
    given = asking or Asking()
    template = _template(given.request_template)
    kind, _, rest = spec.partition(":")
    if spec == "reference":
        from surefoot.pipelines.reference import ReferencePipeline  # noqa: PLC0415 - loads the local model

        return ReferencePipeline(_needed(corpus, spec))
    if kind in ("http", "https"):
        return HttpPipeline(spec, template, given.mapping, given.timeout)
    if kind == "traces":
        return ReplayPipeline(rest, given.mapping)
    if kind == "cmd" and rest.strip():
        return CommandPipeline(rest.strip(), given.mapping, given.timeout)
    if kind == "chat":
        return _chat(rest, corpus, given)
    if spec.startswith(("./", "../", "/", "~/")):
        # A name with a space in it is a file all the same; with arguments it is for the shell to take apart.
        command = shlex.quote(spec) if Path(spec).is_file() else spec
        return CommandPipeline(command, given.mapping, given.timeout)
    if rest and kind.replace(".", "").replace("_", "").isalnum():
        return HostedPipeline(spec, given.mapping, given.timeout)
    raise UsageError(f"--pipeline {spec!r} is no pipeline", _HINT)


def needs_corpus(spec: str) -> bool:
    """Whether a pipeline searches the corpus itself."""
    return spec == "reference" or spec.partition(":")[0] == "chat"


def _chat(rest: str, corpus: Sequence[Passage] | None, asking: Asking) -> Pipeline:
    if "@http" not in rest.lower() and not rest.startswith(KINDS):
        hint = "write it like chat:some-model@http://localhost:8000/v1 or chat:anthropic:some-model"
        raise UsageError(f"--pipeline 'chat:{masked(rest)}' does not name a model and an endpoint", hint)
    named, prompt, passages = chat_model(rest), prompt_of(asking.prompt), _needed(corpus, "chat")
    # Whoever asks a pipeline has the patience, and gives up after the timeout.
    times = {"stall": asking.timeout, "total": asking.timeout, "retries": 0, "patience": _NO_PATIENCE}
    model = open_model(named.name, replace(asking.settings, **times), asking.budget)
    return ChatPipeline(model, named.model, prompt, passages)


def _template(given: str | Path | None) -> str | None:
    if given is None:
        return None
    if not Path(given).is_file():
        raise UsageError(f"the request template {given} is not a file", "pass a file of JSON with {question} in it")
    return Path(given).read_text("utf-8")


def prompt_of(name: str) -> str:
    """A bundled prompt, or that of a file, if questions and passages have a place in it."""
    if name in PROMPTS:
        return (files("surefoot") / "prompts" / f"{name}.md").read_text("utf-8")
    if not Path(name).is_file():
        raise UsageError(f"the prompt {name} is not a file", f"the bundled ones are {' and '.join(PROMPTS)}")
    content = Path(name).read_text("utf-8", "replace")
    if missing := [place for place in _PLACES if place not in content]:
        raise UsageError(f"the prompt {name} does not contain {missing[0]}", f"it must hold {' and '.join(_PLACES)}")
    return content


def _needed(corpus: Sequence[Passage] | None, spec: str) -> Sequence[Passage]:
    if not corpus:
        raise UsageError(f"the pipeline {spec} needs a corpus to search", "pass it with --corpus")
    return corpus
