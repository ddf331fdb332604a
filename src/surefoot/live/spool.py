"""Rows on disk that wait to be worked on: what was appended is there after a crash, and goes when it is done with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from surefoot.core.files import cut_torn_line, write_whole

_SEGMENT_BYTES = 1 << 20


class Place(Struct, frozen=True, order=True):
    """A place between two rows."""

    segment: int = 1
    offset: int = 0


class Spool:
    """Files in a folder, each continued by the next: `NAME-1.jsonl`, `NAME-2.jsonl`, ... One process writes them."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        segments = self._segments()
        for segment in segments:
            cut_torn_line(self._path(segment))
        self._file, self.end = self._opened(segments[-1] if segments else 1)

    def append(self, rows: bytes) -> Place:
        """Whole lines, all or none of them; durable when it returns. The place behind them."""
        if self.end.offset >= _SEGMENT_BYTES:
            self._go_on()
        write_whole(self._file, rows)
        os.fsync(self._file)
        self.end = Place(self.end.segment, self.end.offset + len(rows))
        return self.end

    def rows(self, since: Place) -> Iterator[tuple[bytes, Place]]:
        """Each row with the place behind it, up to what is there now."""
        for segment in [one for one in self._segments() if one >= since.segment]:
            offset = since.offset if segment == since.segment else 0
            with self._path(segment).open("rb") as file:
                file.seek(offset)
                for line in file:
                    place = Place(segment, offset := offset + len(line))
                    if place > self.end:  # not yet whole, or not yet durable
                        return
                    yield line, place

    def drop(self, before: Place) -> None:
        """The files that hold nothing behind this place: at the end, all of them."""
        if before.offset and before == self.end:
            before = self._go_on()
        for segment in self._segments():
            if segment < before.segment:
                self._path(segment).unlink()

    def close(self) -> None:
        os.close(self._file)

    def _go_on(self) -> Place:
        """In a file of its own, with which the one before can be dropped."""
        full = self._file
        self._file, self.end = self._opened(self.end.segment + 1)
        os.close(full)
        return self.end

    def _opened(self, segment: int) -> tuple[int, Place]:
        file = os.open(self._path(segment), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return file, Place(segment, os.fstat(file).st_size)

    def _segments(self) -> list[int]:
        found = (path.stem.rpartition("-")[2] for path in self._folder.glob(f"{self._name}-*.jsonl"))
        return sorted(int(number) for number in found if number.isdecimal())

    def _path(self, segment: int) -> Path:
        return self._folder / f"{self._name}-{segment}.jsonl"
