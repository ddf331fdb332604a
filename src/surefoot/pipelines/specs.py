"""What `--pipeline` may name.

package.module:function     a Python function
cmd:COMMAND ... | ./script  a long-lived command speaking JSON lines
http://... | https://...    a JSON endpoint
traces:FILE                 logged answers, replayed
chat:MODEL@ENDPOINT         a chat model behind an OpenAI-compatible server, over our retriever
chat:anthropic:MODEL        the same with one of Anthropic's; so are chat:llm:MODEL (OpenAI's own), chat:ollama:MODEL
reference[-eager|-timid]    quotes the corpus, with the model in the box
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import UsageError, check_number
from surefoot.core.types import Passage, Pipeline
from surefoot.models.budget import Budget
from surefoot.models.endpoint import open_model
from surefoot.models.seam import Settings
from surefoot.pipelines.process import CommandPipeline, HostedPipeline
from surefoot.pipelines.traces import ReplayPipeline
from surefoot.pipelines.web import ChatPipeline, HttpPipeline
from surefoot.text.endpoints import KINDS, chat_model, masked

_HINT = (
    "one of package.module:function, cmd:COMMAND, ./script, http://..., traces:FILE, chat:MODEL@ENDPOINT, "
    "chat:anthropic:MODEL, reference, reference-eager, reference-timid"
)
_REFERENCE = ("reference", "reference-eager", "reference-timid")
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
    if spec in _REFERENCE:
        from surefoot.pipelines.reference import MANNERS, ReferencePipeline  # noqa: PLC0415 - loads the local model

        return ReferencePipeline(_needed(corpus, spec), MANNERS[spec])
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
    return spec in _REFERENCE or spec.partition(":")[0] == "chat"


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
