"""What `--pipeline` may name, and a matrix: pipelines x models x prompts over one question set, each a cell.

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
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import count, islice, product
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from surefoot.core.errors import Incomplete, TransientError, UsageError, unknown
from surefoot.core.files import fault_in
from surefoot.core.types import Ask, Passage, Pipeline, Retrieved, Trace
from surefoot.io.traces import TraceReader
from surefoot.models.budget import Budget
from surefoot.models.endpoint import open_model
from surefoot.models.failures import retry_after
from surefoot.models.seam import Model, Prompt, Settings
from surefoot.models.spec import KINDS, chat_model, masked, names_server, parsed
from surefoot.pipelines.asker import MOST_ANSWERS, refuse_too_many
from surefoot.pipelines.process import CommandPipeline, HostedPipeline
from surefoot.pipelines.retriever import ReferencePipeline, Retriever
from surefoot.pipelines.traces import ReplayPipeline, trace_of_reply

DEFAULT_TEMPLATE = '{"question": "{question}"}'
_LARGEST_REPLY = 32 << 20
_MAY_PASS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_K = 6
_LONGEST_ANSWER = 512  # tokens, besides those for thinking, and before more are given because it was cut off


class HttpPipeline:
    """POSTs the template with the question in it, and reads the reply like a row of a trace file."""

    def __init__(self, url: str, template: str | Path | None, mapping: Mapping[str, str], timeout: float) -> None:
        if not names_server(url):
            raise UsageError(f"the URL {url!r} names no server", "write it like http://localhost:8000/ask")
        self.name, self._timeout, self._reader = url, timeout, TraceReader(mapping, is_log=False)
        try:
            text = DEFAULT_TEMPLATE if template is None else Path(template).read_text("utf-8")
            msgspec.json.decode(text)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            hint = 'pass a file of JSON with {question} in it, like {"query": "{question}"}'
            raise UsageError(f"the request template {template} cannot be read: {fault_in(error)}", hint) from error
        # A template that passes it on is how a user says that the server knows of null retrieval.
        self._template, self.forces_null = text, "{retrieval}" in text

    def answer(self, ask: Ask) -> Trace:
        values = {"{question}": ask.text, "{id}": ask.id, "{retrieval}": ask.retrieval}
        escaped = {place: msgspec.json.encode(value)[1:-1].decode() for place, value in values.items()}
        data = send(self.name, msgspec.Raw(_filled(self._template, escaped)), self._timeout)
        try:
            return trace_of_reply(msgspec.json.decode(data), ask, self._reader)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Incomplete(f"the server did not answer with JSON: {_start(data)!r}") from error


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
        content = _filled(self._prompt, {"{passages}": shown, "{question}": ask.text})
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


def send(url: str, body: object, timeout: float) -> bytes:
    """Whatever a server answers with. TransientError where asking again may help."""
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=timeout)
    try:
        sent = {"Content-Type": "application/json", "Accept": "application/json"}
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
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
    if not 200 <= response.status < 300:
        message = f"HTTP {response.status} {response.reason}: {_start(data)}".removesuffix(": ")
        may_pass = response.status in _MAY_PASS
        raise TransientError(message, retry_after(response.headers)) if may_pass else Incomplete(message)
    if len(data) > _LARGEST_REPLY:
        raise Incomplete(f"the server sent more than {_LARGEST_REPLY >> 20} MiB")
    return data


def _start(data: bytes) -> str:
    return " ".join(data[:600].decode("utf-8", "replace").split())[:200]


def _filled(template: str, values: Mapping[str, str]) -> str:
    """The template with its places filled, each once: what is filled in is not looked at again."""
    return re.sub("|".join(map(re.escape, values)), lambda match: values[match.group()], template)


_HINT = (
    "one of package.module:function, cmd:COMMAND, ./script, http://..., traces:FILE, chat:MODEL@ENDPOINT, "
    "chat:anthropic:MODEL, reference"
)
_NO_PATIENCE = 1e-6
PROMPTS = ("with_licence", "without_licence")
_PLACES = ("{passages}", "{question}")  # in a prompt


class Asking(Struct, frozen=True, kw_only=True):
    """How a pipeline is asked. The last six are for pipelines of some kinds only."""

    concurrency: int = 8
    timeout: float = 60.0
    retries: int = 2
    mapping: Mapping[str, str] = {}
    request_template: str | Path | None = None
    prompt: str = PROMPTS[0]  # a bundled prompt, or a file
    settings: Settings = Settings()  # how a chat model is asked, but for its times, which follow from the timeout
    budget: Budget | None = None  # that a chat model shares with others
    max_cost: float | None = None  # in US dollars, where it shares none


def load(spec: str, *, corpus: Sequence[Passage] | None = None, asking: Asking | None = None) -> Pipeline:
    """The pipeline that `spec` names, ready to be asked."""
    given = asking or Asking()
    kind, _, rest = spec.partition(":")
    if kind == "chat" and "@http" not in rest.lower() and not rest.startswith(KINDS):
        hint = "write it like chat:some-model@http://localhost:8000/v1 or chat:anthropic:some-model"
        raise UsageError(f"--pipeline 'chat:{masked(rest)}' does not name a model and an endpoint", hint)
    if given.prompt != PROMPTS[0] and kind != "chat":
        raise UsageError(f"--prompt does nothing for the pipeline {spec}", "leave it out")
    if given.request_template and kind not in ("http", "https"):
        raise UsageError(f"--request-template does nothing for the pipeline {spec}", "leave it out")
    if needs_corpus(spec) and not corpus:
        raise UsageError(f"the pipeline {kind} needs a corpus to search", "pass it with --corpus")
    if spec == "reference":
        return ReferencePipeline(corpus or ())
    if kind in ("http", "https"):
        return HttpPipeline(spec, given.request_template, given.mapping, given.timeout)
    if kind == "traces":
        return ReplayPipeline(rest, given.mapping)
    if kind == "cmd" and rest.strip():
        return CommandPipeline(rest.strip(), given.mapping, given.timeout)
    if kind == "chat":
        # Whoever asks a pipeline has the patience, and gives up after the timeout.
        times = {"stall": given.timeout, "total": given.timeout, "retries": 0, "patience": _NO_PATIENCE}
        named, prompt = chat_model(rest), prompt_of(given.prompt)
        model = open_model(named.name, replace(given.settings, **times), given.budget or Budget(given.max_cost))
        return ChatPipeline(model, named.model, prompt, corpus or ())
    if spec.startswith(("./", "../", "/", "~/")):
        # A name with a space in it is a file all the same; with arguments it is for the shell to take apart.
        command = shlex.quote(spec) if Path(spec).is_file() else spec
        return CommandPipeline(command, given.mapping, given.timeout)
    if rest and kind.replace(".", "").replace("_", "").isalnum():
        return HostedPipeline(spec, given.mapping, given.timeout)
    raise unknown(f"--pipeline {spec!r} is no pipeline", spec, ["reference"], _HINT)


def needs_corpus(spec: str) -> bool:
    """Whether a pipeline searches the corpus itself."""
    return spec == "reference" or spec.partition(":")[0] == "chat"


def prompt_of(name: str) -> str:
    """A bundled prompt, or that of a file, if questions and passages have a place in it."""
    if name in PROMPTS:
        return (files("surefoot") / "prompts" / f"{name}.md").read_text("utf-8")
    if not Path(name).is_file():
        raise unknown(f"the prompt {name} is not a file", name, PROMPTS)
    content = Path(name).read_text("utf-8", "replace")
    if missing := [place for place in _PLACES if place not in content]:
        raise UsageError(f"the prompt {name} does not contain {missing[0]}", f"it must hold {' and '.join(_PLACES)}")
    return content


_CHAT = "chat"
_EXAMPLES = {
    "pipeline": '[[pipeline]] name = "rag", spec = "chat"',
    "model": '[[model]] name = "small", spec = "llm:MODEL@http://localhost:8000/v1"',
    "prompt": '[[prompt]] name = "licence", bundled = "with_licence" (or "without_licence", or file = "FILE")',
}
Name = Annotated[str, Meta(min_length=1, max_length=60)]


class _Value(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    spec: str

    @property
    def takes(self) -> tuple[str, ...]:
        """The axes that a pipeline is crossed with. One that names its own model is still shown every prompt."""
        kind, _, rest = self.spec.partition(":")
        return () if kind != _CHAT else ("prompt",) if rest else ("model", "prompt")


class _Prompt(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    bundled: Literal["with_licence", "without_licence"] | None = None
    file: str | None = None

    def __post_init__(self) -> None:
        if (self.bundled is None) == (self.file is None):
            raise ValueError("it must have either `bundled` or `file`")


class Plan(Struct, frozen=True, forbid_unknown_fields=True):
    """What the file holds."""

    pipeline: tuple[_Value, ...] = ()
    model: tuple[_Value, ...] = ()
    prompt: tuple[_Prompt, ...] = ()
    name: Name | None = None
    questions: str | None = None
    corpus: str | None = None
    repeats: Annotated[int, Meta(ge=1)] = 1
    grader: str = "local"

    @property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """In the order listed: the first is the reference."""
        return {axis: tuple(value.name for value in getattr(self, axis)) for axis in _EXAMPLES if getattr(self, axis)}


class Cell(Struct, frozen=True):
    """One run: `values` has the axes that it lies on, `spec` and `prompt` are what `surefoot run` is given."""

    values: dict[str, str]
    spec: str
    prompt: str | None = None

    @property
    def name(self) -> str:
        return " / ".join(self.values.values())

    @property
    def folder(self) -> str:
        return "--".join(slug(value) for value in self.values.values())

    @property
    def model(self) -> str:
        """What a chat pipeline asks; nothing for others."""
        return self.spec.removeprefix(f"{_CHAT}:") if self.spec.startswith(f"{_CHAT}:") else ""


def slug(name: str) -> str:
    """A name without signs that a shell or an address would read."""
    kept = "".join(c if c.isalnum() or c in "-_." else "-" for c in name.casefold())
    return kept.strip("-.") or "x"


def read_plan(file: Path) -> tuple[Plan, list[Cell]]:
    """What a matrix file holds, and its cells. Paths in it are beside it."""
    try:
        plan = msgspec.toml.decode(file.read_bytes(), type=Plan)
        cells = list(islice(_cells(plan, file.parent), MOST_ANSWERS + 1))
    except OSError as error:
        hint = "pass a TOML file, as in docs/council.md"
        raise UsageError(f"the matrix {file} cannot be read: {error.strerror}", hint) from error
    except msgspec.ValidationError as error:
        example = next((one for axis, one in _EXAMPLES.items() if f"$.{axis}" in str(error)), "")
        keys = f"the keys are {', '.join(Plan.__struct_fields__)}"
        raise UsageError(f"{file}: {fault_in(error, Plan)}", f"write {example}" if example else keys) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{file}: {fault_in(error)}", f"write tables as {_EXAMPLES['model']}") from error
    except UsageError as error:
        raise UsageError(f"{file}: {error.message}", error.hint) from None
    double = [name for name, count in Counter(cell.folder for cell in cells).items() if count > 1]
    if double:
        hint = "names must differ in more than case and signs"
        raise UsageError(f"{file}: two cells would have the name {double[0]}", hint)
    refuse_too_many(str(file), len(cells), plan.repeats)
    questions, corpus = (path and str(file.parent / path) for path in (plan.questions, plan.corpus))
    return replace(plan, name=plan.name or file.stem, questions=questions, corpus=corpus), cells


def _cells(plan: Plan, folder: Path) -> Iterator[Cell]:
    """What does not fit together, an address with a key in it and a bad prompt are refused before anything is asked."""
    if not plan.pipeline:
        raise UsageError("there is no [[pipeline]]", f"write {_EXAMPLES['pipeline']}")
    takes = {axis for pipeline in plan.pipeline for axis in pipeline.takes}
    for axis in ("model", "prompt"):
        if axis in plan.axes and axis not in takes:
            hint = 'add a pipeline with spec = "chat", or leave these out'
            raise UsageError(f"there are [[{axis}]] tables, but no pipeline takes a {axis}", hint)
    if "model" in takes and not plan.model:
        raise UsageError("a pipeline takes a model, but there is no [[model]]", f"write {_EXAMPLES['model']}")
    if plan.corpus and not plan.questions:
        raise UsageError("there is `corpus` without `questions`", "the demo questions are about the demo corpus")
    specs = {one.name: f"{_CHAT}:{parsed(one.spec).name.removeprefix('llm:')}" for one in plan.model}
    prompts = {one.name: str(folder / one.file) if one.file else one.bundled or "" for one in plan.prompt}
    for prompt in prompts.values():
        prompt_of(prompt)
    for pipeline in plan.pipeline:
        if pipeline.takes == ("prompt",):
            chat_model(pipeline.spec.removeprefix(f"{_CHAT}:"))
        taken = [axis for axis in pipeline.takes if axis in plan.axes]
        for names in product(*(plan.axes[axis] for axis in taken)):
            values = {"pipeline": pipeline.name, **dict(zip(taken, names, strict=True))}
            yield Cell(values, specs.get(values.get("model", ""), pipeline.spec), prompts.get(values.get("prompt", "")))
