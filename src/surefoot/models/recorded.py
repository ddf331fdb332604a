"""Replies on record: a model for tests and demonstrations that says again what another one said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot.errors import Incomplete
from surefoot.models.budget import Estimate
from surefoot.models.cache import digest_of, repeated
from surefoot.models.seam import Model, Prompt, Reply


class Record(Struct, frozen=True):
    """A line of the file. The digest is of the prompt alone, so that any model may have said it."""

    digest: str
    reply: Reply


def prompt_digest(prompt: Prompt) -> str:
    return digest_of("", prompt, None)


class RecordedModel:
    """A prompt that is not on record gets an error, never a made-up reply."""

    def __init__(self, path: Path) -> None:
        self.name = f"recorded:{path.name}"
        try:
            lines = path.read_bytes().splitlines()
            records = [msgspec.json.decode(line, type=Record) for line in lines if line.strip()]
        except OSError as error:
            raise Incomplete(f"{path}: recorded replies cannot be read: {error.strerror}", "check the path") from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Incomplete(f"{path}: these are no recorded replies: {error}", "record them again") from error
        self._replies = {record.digest: record.reply for record in records}

    def complete(self, prompt: Prompt) -> Reply:
        digest = prompt_digest(prompt)
        found = self._replies.get(digest)
        return Reply(error=f"no reply is on record for the prompt {digest[:12]}") if found is None else repeated(found)

    def complete_all(self, prompts: Iterable[Prompt]) -> Iterator[tuple[int, Reply]]:
        for place, prompt in enumerate(prompts):
            yield place, self.complete(prompt)

    def estimate(self, prompts: Iterable[Prompt]) -> Estimate:
        return Estimate(self.name, 0, sum(1 for _ in prompts), 0, 0, 0.0)


class Recorder:
    """Passes every prompt on, and writes down what came back."""

    def __init__(self, model: Model, path: Path) -> None:
        self._model, self._path = model, path

    @property
    def name(self) -> str:
        return self._model.name

    def complete(self, prompt: Prompt) -> Reply:
        return next(reply for _, reply in self.complete_all([prompt]))

    def complete_all(self, prompts: Iterable[Prompt]) -> Iterator[tuple[int, Reply]]:
        asked: dict[int, Prompt] = {}

        def remembered() -> Iterator[Prompt]:
            for place, prompt in enumerate(prompts):
                asked[place] = prompt
                yield prompt

        for place, reply in self._model.complete_all(remembered()):
            self._write(asked.pop(place), reply)
            yield place, reply

    def _write(self, prompt: Prompt, reply: Reply) -> None:
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(Record(prompt_digest(prompt), reply)) + b"\n")
