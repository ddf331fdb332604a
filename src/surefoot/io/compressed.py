"""A zstd file as a stream, which says so when the file breaks off. The library's own reader takes that for the end."""

from __future__ import annotations

import io
from typing import IO

import zstandard

# Little at a time: 1 KiB may hold 32 MiB, and all of it comes out at once.
_AT_ONCE = 1 << 10


def open_zst(file: IO[bytes]) -> io.BufferedReader:
    return io.BufferedReader(_Frames(file), 1 << 17)


class _Frames(io.RawIOBase):
    """All frames of a file, one after the other. EOFError where the last one is not whole."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._is_begun = False
        self._packed = b""  # read, and not unpacked yet
        self._waiting = memoryview(b"")  # unpacked, and not given away yet

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int:
        target = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        while not self._waiting:
            if not self._unpack():
                return 0
        size = min(len(target), len(self._waiting))
        target[:size], self._waiting = self._waiting[:size], self._waiting[size:]
        return size

    def _unpack(self) -> bool:
        self._packed = self._packed or self._file.read(_AT_ONCE)
        if not self._packed:
            if self._is_begun:
                raise EOFError("the file breaks off before its end")
            return False
        packed, self._packed = self._packed, b""
        self._waiting = memoryview(self._frame.decompress(packed))
        self._is_begun = not self._frame.eof
        if self._frame.eof:
            self._packed = self._frame.unused_data
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        return True
