"""Replies of models beside the run they graded: what was paid for does not depend on a cache elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot.appending import UNREADABLE, printable
from surefoot.types import Problem


class _Row(Struct, frozen=True):
    digest: str  # of what was asked of whom
    reply: msgspec.Raw


_ROWS = msgspec.json.Decoder(_Row)


class KeptReplies:
    """A file of rows, one for each reply. What of it cannot be read is asked again."""

    def __init__(self, path: Path, append: Callable[[bytes], None], problems: list[Problem]) -> None:
        self.name = printable(path)
        self._path, self._append, self._problems = path, append, problems

    def read(self, digest: str) -> bytes | None:
        if digest not in self._places:
            return None
        with self._path.open("rb") as file:
            file.seek(self._places[digest])
            return bytes(_ROWS.decode(file.readline()).reply)

    def write(self, digest: str, _model: str, reply: bytes) -> None:
        """A reply that cannot be kept is still a reply."""
        if digest in self._places:
            return
        try:
            place = self._path.stat().st_size if self._path.exists() else 0
            self._append(msgspec.json.encode(_Row(digest, msgspec.Raw(reply))) + b"\n")
            self._places[digest] = place
        except OSError as error:
            problem = Problem("unwritable", f"replies could not be kept: {error.strerror}", self.name)
            self._problems += [] if problem in self._problems else [problem]

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where the row of each digest begins."""
        found: dict[str, int] = {}
        place = 0
        if self._path.exists():
            with self._path.open("rb") as file:
                for line in file:
                    with contextlib.suppress(*UNREADABLE):
                        found[_ROWS.decode(line).digest] = place
                    place += len(line)
        return found
