"""Compressed files as streams."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from typing import IO

from surefoot.io.extras import library

_PACKED_BYTES = 1 << 10  # read at once of a .zst file: 1 KiB may hold 32 MiB
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def unpacked(file: io.BufferedReader) -> UpToBreak | None:
    """None for a file that is not compressed, or otherwise than we know."""
    magic = file.peek(4)
    if magic.startswith(_GZIP):
        return UpToBreak(gzip.GzipFile(fileobj=file))
    return UpToBreak(open_zst(file)) if magic.startswith(_ZSTD) else None


class UpToBreak(io.RawIOBase):
    """What a stream gives before it breaks off; if it does, `fault` says why."""

    def __init__(self, stream: gzip.GzipFile | io.BufferedReader) -> None:
        self._stream = stream
        self.fault: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int:
        target = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        try:
            data = self._stream.read1(len(target))  # unlike `read` it loses nothing that precedes a fault
        except (OSError, EOFError, zlib.error) as error:
            self.fault, data = error, b""
        target[: len(data)] = data
        return len(data)


def open_zst(file: IO[bytes]) -> io.BufferedReader:
    """A zstd file as a stream. EOFError where it breaks off, which the library's own reader takes for the end."""
    return io.BufferedReader(_Unpacked(_unpacked(file)), 1 << 17)


def _unpacked(file: IO[bytes]) -> Iterator[bytes]:
    """All frames of a file, one after the other."""
    zstd = library("zstandard", "zstd")
    frame, is_begun = zstd.ZstdDecompressor().decompressobj(), False
    while packed := file.read(_PACKED_BYTES):
        while packed:
            try:
                yield frame.decompress(packed)
            except zstd.ZstdError as error:
                raise EOFError(str(error)) from error
            is_begun, packed = not frame.eof, frame.unused_data
            if frame.eof:
                frame = zstd.ZstdDecompressor().decompressobj()
    if is_begun:
        raise EOFError("the file breaks off before its end")


class _Unpacked(io.RawIOBase):
    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._waiting = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int:
        target = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        while not self._waiting and (chunk := next(self._chunks, None)) is not None:
            self._waiting = memoryview(chunk)
        size = min(len(target), len(self._waiting))
        target[:size], self._waiting = self._waiting[:size], self._waiting[size:]
        return size
