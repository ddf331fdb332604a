"""Ollama's own way of being spoken to: the only one in which the length of its context can be set.

Its OpenAI-style address reads 2,048 or 4,096 tokens of a prompt unless the server was configured otherwise, drops the
rest, and does not say so. Here each call asks for a context that holds the prompt and the reply, and for an error in
place of a shortened prompt; servers too old to know that are told by the tokens that they say they have read.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from surefoot.models.budget import tokens_of
from surefoot.models.dialects import Answer, How, Manner, count_of, decoded, messages_of, stopped, without_thinking
from surefoot.models.failures import CallFailed
from surefoot.models.schemas import portable
from surefoot.models.seam import Prompt, Settings
from surefoot.models.streams import BROKEN, failure_in

_SHORTEST = 8_192  # tokens of context; a model is loaded anew for another number, so there are few of them
_MORE = 1.5  # tokens for each that was estimated: some models read every digit as one
_THINK: dict[str, bool | str] = {"none": False, "minimal": "low", "xhigh": "high", "max": "high"}


class _Said(Struct, frozen=True):
    content: str = ""


class _Piece(Struct):
    message: _Said = _Said()
    done: bool = False
    done_reason: str | None = None
    prompt_eval_count: Any = None
    eval_count: Any = None


class OllamaDialect:
    path, models = "/api/chat", "/api/tags"
    hows: tuple[How, ...] = ("json_schema", "json_object", "text")

    def __init__(self) -> None:
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
        lines = [line for line in data.splitlines() if line.strip()]
        pieces = [decoded(line, _Piece) for line in lines]
        if not pieces or not pieces[-1].done:
            raise (lines and failure_in(lines[-1])) or CallFailed("passing", BROKEN, maybe_paid=True)
        last, text = pieces[-1], "".join(one.message.content for one in pieces)
        tokens_in, tokens_out = count_of(last.prompt_eval_count), count_of(last.eval_count)
        cut, _ = stopped(last.done_reason)
        is_full = tokens_in is not None and tokens_in >= self._context - 1
        return Answer(without_thinking(text), tokens_in, tokens_out, cut, shortens=is_full)
