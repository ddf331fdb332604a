"""Packages that come with extras of ours, and what is read with them alone."""

from __future__ import annotations

import io
from collections.abc import Iterator
from importlib import import_module  # noqa: TID251 - of extras
from types import ModuleType
from typing import IO

from surefoot.errors import Incomplete

_PACKED_BYTES = 1 << 10  # read at once of a .zst file: 1 KiB may hold 32 MiB


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


def library(name: str, extra: str, what: str = "this file") -> ModuleType:
    """A package that comes with an extra of ours, and what needs it."""
    try:
        return import_module(name)
    except ImportError as error:
        hint = f"install surefoot with its extra `{extra}`: pip install '/path/to/surefoot[{extra}]'"
        raise Incomplete(f"{what} needs the package {name.partition('.')[0]}", hint) from error
