"""A model whose replies are kept beside what they are about as well, and are there before any cache is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import msgspec
from msgspec.structs import replace

from surefoot.models.budget import Estimate
from surefoot.models.cache import repeated
from surefoot.models.seam import Model, Prompt, Reply


class Remembering(Model, Protocol):
    """A model that knows its replies again."""

    def digest(self, prompt: Prompt) -> str: ...

    def known(self, prompt: Prompt) -> Reply | None: ...

    def estimate(self, prompts: Iterable[Prompt]) -> Estimate: ...


class Replies(Protocol):
    def read(self, digest: str) -> bytes | None: ...

    def write(self, digest: str, reply: bytes) -> None: ...


class Kept:
    def __init__(self, model: Remembering, replies: Replies) -> None:
        self._model, self._replies = model, replies

    @property
    def name(self) -> str:
        return self._model.name

    def digest(self, prompt: Prompt) -> str:
        return self._model.digest(prompt)

    def known(self, prompt: Prompt) -> Reply | None:
        return self._kept(prompt) or self._model.known(prompt)

    def complete(self, prompt: Prompt) -> Reply:
        return next(reply for _, reply in self.complete_all([prompt]))

    def complete_all(self, prompts: Iterable[Prompt]) -> Iterator[tuple[int, Reply]]:
        waiting: list[tuple[int, Prompt]] = []
        for place, prompt in enumerate(prompts):
            if (reply := self._kept(prompt)) is not None:
                yield place, reply
            else:
                waiting.append((place, prompt))
        for number, reply in self._model.complete_all(prompt for _, prompt in waiting):
            place, prompt = waiting[number]
            if not reply.error:
                self._replies.write(self.digest(prompt), msgspec.json.encode(reply))
            yield place, reply

    def estimate(self, prompts: Iterable[Prompt]) -> Estimate:
        asked = list(prompts)
        rest = [prompt for prompt in asked if self._kept(prompt) is None]
        found = self._model.estimate(rest)
        return replace(found, known=found.known + len(asked) - len(rest))

    def _kept(self, prompt: Prompt) -> Reply | None:
        try:
            kept = self._replies.read(self.digest(prompt))
            return None if kept is None else repeated(msgspec.json.decode(kept, type=Reply))
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None  # it is asked again
