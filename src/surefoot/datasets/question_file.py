"""A question set of JSON lines that is changed row by row, from several windows or by several people at once.

Each change is made under a lock to the file as it is then, touches the lines it is about and no other, and replaces the
file in one step: a crash leaves the questions as they were before or as they are after.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.files import BYTE_ORDER_MARK, LOCK, UNREADABLE, holding, replacing
from surefoot.core.types import Question
from surefoot.io.questions import question_of, row_of
from surefoot.io.rows import BadRow

_SECONDS_TO_WAIT = 30.0
_SUFFIXES = (".jsonl", ".ndjson")


class Entry(Struct, frozen=True):
    """A question as it stands in the file. Any change gives it another version."""

    question: Question
    version: str


class QuestionFile:
    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.suffix.lower() not in _SUFFIXES:
            hint = f"`surefoot questions clone {path} {self.path.with_suffix('.jsonl')}` makes such a file of it"
            raise UsageError(f"{path} is not a file of JSON lines, so single questions cannot be changed in it", hint)
        self._seen: tuple[int, ...] = ()
        self._entries: list[Entry] = []

    def entries(self) -> list[Entry]:
        """All questions as they stand in the file now, in its order; what is no question is left as it is."""
        seen = self._state()
        if seen != self._seen:
            self._entries = [entry for line in self._lines() if (entry := _entry(line)) is not None] if seen else []
            self._seen = seen
        return self._entries

    def questions(self) -> list[Question]:
        return [entry.question for entry in self.entries()]

    def change(self, make: Callable[[Entry], Question | None]) -> list[Entry]:
        """Put the question that `make` returns in the place of each, None keeps it; those that were changed."""
        with self._locked():
            lines, changed = self._lines(), []
            for number, line in enumerate(lines):
                entry = _entry(line)
                question = None if entry is None else make(entry)
                if question is not None:
                    lines[number] = _encoded(question)
                    changed.append(Entry(question, _version(lines[number])))
            if changed:
                self._write(lines)
        return changed

    def add(self, question: Question, check: Callable[[Sequence[Question]], None] = lambda _: None) -> Question:
        """Add a question, under another id where its own is taken, if `check` finds nothing in those there."""
        with self._locked():
            there = self.entries()
            check([entry.question for entry in there])
            ids = {entry.question.id for entry in there}
            others = (f"{question.id}-{number}" for number in itertools.count(2))
            added = replace(question, id=next(one for one in itertools.chain([question.id], others) if one not in ids))
            self._write([*self._lines(), _encoded(added)])
        return added

    def _state(self) -> tuple[int, ...]:
        if not self.path.exists():
            return ()
        found = self.path.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _lines(self) -> list[bytes]:
        lines = self.path.read_bytes().removeprefix(BYTE_ORDER_MARK).split(b"\n") if self.path.exists() else [b""]
        return lines if lines[-1].strip() else lines[:-1]

    def _write(self, lines: list[bytes]) -> None:
        target = self.path.resolve()  # a link stays one
        with replacing(target, target.stat().st_mode & 0o777 if target.exists() else 0o666) as file:
            file.writelines(line + b"\n" for line in lines)

    def _locked(self) -> contextlib.AbstractContextManager[None]:
        target = self.path.resolve()
        taken = Incomplete(f"another process is changing {self.path}", "try again when it has ended")
        return holding(target.with_name(f".{target.name}{LOCK}"), taken, _SECONDS_TO_WAIT)


def _entry(line: bytes) -> Entry | None:
    try:
        return Entry(question_of(msgspec.json.decode(line)), _version(line))
    except (*UNREADABLE, BadRow):
        return None


def _encoded(question: Question) -> bytes:
    return msgspec.json.encode(row_of(question))


def _version(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()[:16]
