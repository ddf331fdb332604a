"""A question set of JSON lines that is changed row by row, from several windows or by several people at once.

Each change is made under a lock to the file as it is then, and touches the lines it is about and no other. A change to
questions that are there replaces the file in one step; a new question is appended. A crash leaves the questions as they
were before or as they are after: a line that it left unfinished at the end is no question, and the next `add` drops it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct

from surefoot.errors import Incomplete, UsageError
from surefoot.io.kinds import BadRow
from surefoot.io.questions import question_of
from surefoot.io.writer import BYTE_ORDER_MARK, LOCK, UNREADABLE, cut_torn_line, replacing
from surefoot.types import Question

Row = dict[str, Any]
_SECONDS_TO_WAIT = 30.0
_SUFFIXES = (".jsonl", ".ndjson")


class Entry(Struct, frozen=True):
    """A question and its row as it stands in the file. Any change gives it another version."""

    row: Row
    question: Question
    version: str

    @property
    def made(self) -> Row:
        """How it came about, where it was not written by a person."""
        made = self.question.metadata.get("made")
        return made if isinstance(made, dict) else {}


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
            self._entries = [entry for line in self._lines() if (entry := _entry(line)) is not None]
            self._seen = seen
        return self._entries

    def change(self, make: Callable[[Entry], Row | None]) -> int:
        """Put the row that `make` returns in the place of each; None keeps it. How many were changed."""
        with self._locked():
            lines, changed = self._lines(), 0
            for number, line in enumerate(lines):
                entry = _entry(line)
                row = None if entry is None else make(entry)
                if row is not None:
                    lines[number] = msgspec.json.encode(row)
                    changed += 1
            if changed:
                self._write(lines)
        return changed

    def add(self, make: Callable[[list[Entry]], Row]) -> Row:
        """Append the row that `make` returns for the questions that are there already."""
        with self._locked():
            cut_torn_line(self.path)
            there = self.entries() if self.path.exists() else []
            row = make(there)
            line = msgspec.json.encode(row)
            entry = Entry(row, question_of(row), version_of(line))
            with self.path.open("ab") as file:
                file.write(line + b"\n")
                file.flush()
                os.fsync(file.fileno())
            self._entries, self._seen = [*there, entry], self._state()
        return row

    def _state(self) -> tuple[int, ...]:
        found = self.path.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _lines(self) -> list[bytes]:
        lines = self.path.read_bytes().removeprefix(BYTE_ORDER_MARK).split(b"\n")
        return lines if lines[-1].strip() else lines[:-1]

    def _write(self, lines: list[bytes]) -> None:
        target = self.path.resolve()  # a link stays one
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666
        with replacing(target, mode) as file:
            file.writelines(line + b"\n" for line in lines)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        target = self.path.resolve()
        try:
            with FileLock(target.with_name(f".{target.name}{LOCK}"), timeout=_SECONDS_TO_WAIT, mode=0o644):
                yield
        except Timeout as error:
            raise Incomplete(f"another process is changing {self.path}", "try again when it has ended") from error


def _entry(line: bytes) -> Entry | None:
    try:
        row = msgspec.json.decode(line)
        question = question_of(row)
    except (*UNREADABLE, BadRow):
        return None
    return Entry(row, question, version_of(line))


def version_of(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()[:16]
