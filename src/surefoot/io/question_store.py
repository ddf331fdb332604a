"""Questions kept outside memory: of a million, some bytes each are left in it."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from tempfile import TemporaryFile
from typing import Any, overload
from weakref import finalize

import numpy as np
from msgspec import msgpack

from surefoot.types import Question

_KEPT_IN_MEMORY = 8 << 20  # bytes: most sets never touch the disk
_AT_ONCE = 1_000  # questions that are read together
_encode = msgpack.Encoder(enc_hook=str).encode  # metadata may hold anything
_decode = msgpack.Decoder(Question).decode


class Questions(Sequence[Question]):
    """Can be read by any number of processes once it is complete."""

    def __init__(self, questions: Iterable[Question] = ()) -> None:
        self._ends = array("q", [0])  # of each question, behind a 0
        self._late = bytearray()  # those that are not in the file yet
        self._file: Any = None
        for question in questions:
            self.append(question)

    def append(self, question: Question) -> None:
        data = _encode(question)
        self._ends.append(self._ends[-1] + len(data))
        self._late += data
        if len(self._late) > _KEPT_IN_MEMORY:
            if self._file is None:
                self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - it lives as long as the questions
                finalize(self, self._file.close)
            self._file.write(self._late)
            self._late.clear()

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[Question]:
        for first in range(0, len(self), _AT_ONCE):
            ends = self._ends[first : first + _AT_ONCE + 1]
            data = self._read(ends[0], ends[-1])
            for start, end in pairwise(ends):
                yield _decode(data[start - ends[0] : end - ends[0]])

    @overload
    def __getitem__(self, place: int) -> Question: ...
    @overload
    def __getitem__(self, place: slice) -> list[Question]: ...
    def __getitem__(self, place: int | slice) -> Question | list[Question]:
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        place = range(len(self))[place]
        return _decode(self._read(self._ends[place], self._ends[place + 1]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(Question.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return Questions, (list(self),)

    def without(self, places: Iterable[int]) -> Questions:
        left_out = frozenset(places)
        return Questions(one for place, one in enumerate(self) if place not in left_out) if left_out else self

    def _read(self, start: int, end: int) -> bytes:
        written = self._ends[-1] - len(self._late)
        early = os.pread(self._file.fileno(), min(end, written) - start, start) if start < written else b""
        return early + self._late[max(0, start - written) : max(0, end - written)]


class Places:
    """Where texts stand among many, by their hashes: two numbers for each. Other texts may have the same hash."""

    def __init__(self, texts: Iterable[str]) -> None:
        hashes = np.fromiter(map(hash, texts), np.int64)
        self._places = np.argsort(hashes, kind="stable").astype(np.int32)
        self._hashes = hashes[self._places]

    def of(self, text: str) -> list[int]:
        first, last = np.searchsorted(self._hashes, [hash(text), hash(text) + 1])
        found: list[int] = self._places[first:last].tolist()
        return found

    def shared(self) -> Iterator[list[int]]:
        """The places of each hash that several texts have, in their order."""
        same = np.flatnonzero(self._hashes[1:] == self._hashes[:-1])
        for run in np.split(same, np.flatnonzero(np.diff(same) > 1) + 1) if len(same) else ():
            yield self._places[run[0] : run[-1] + 2].tolist()
