"""A log in parts for the machines of a cluster: large enough to be worth sending, and found again after a restart.

Small files, and those that can only be read from their start, are cut where they are read. Of a large file of JSON
lines the driver finds the line ends, so that every row keeps its number; of a large Parquet file it reads the footer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from socket import gethostname

from msgspec import Struct

from surefoot.errors import Incomplete
from surefoot.io import places
from surefoot.io.sources import Block, Document, File, Lines, Packed, ParquetGroup, Values, cut, files_in

PART_BYTES = 32 << 20
_PACKED = (b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"\x1f\x8b\x08")


class Part(Struct, frozen=True):
    """Blocks, or files that are yet to be cut into blocks, and the state of the files behind them."""

    pieces: tuple[Block | File, ...]
    states: tuple[str, ...]


def parts_from(paths: Iterable[str | Path], values: Iterable[Values] = ()) -> Iterator[Part]:
    """Everything in `values` and then in files, folders, addresses and `-` (stdin), in order."""
    pieces: list[Block | File] = []
    states: dict[str, None] = {}
    size = 0
    for piece, state, weight in _pieces(chain(values, files_in(paths))):
        pieces.append(piece)
        states[state] = None
        size += weight
        if size >= PART_BYTES:
            yield Part(tuple(pieces), tuple(states))
            pieces, states, size = [], {}, 0
    if pieces:
        yield Part(tuple(pieces), tuple(states))


def blocks_in(part: Part) -> Iterator[Block]:
    """The blocks of a part, where they are read. What the driver saw and this machine does not is no bad file."""
    for piece in part.pieces:
        path = piece.path if isinstance(piece, (File, Lines, ParquetGroup)) else ""
        if path and not places.is_address(path) and not Path(path).exists():
            hint = "put the log where every machine sees it under the same path, or pass an address such as s3://..."
            raise Incomplete(f"{path} is not there on {gethostname()}", hint)
        yield from cut(piece)


def _pieces(found: Iterable[File | Values]) -> Iterator[tuple[Block | File, str, int]]:
    for one in found:
        if not isinstance(one, File) or not _can_be_sent(one.path):
            yield from ((block, "", _weight(block)) for block in cut(one))
            continue
        size, state = places.state_of(one.path)
        if size <= PART_BYTES or _starts_packed(one.path):
            yield one, state, size
        else:
            yield from ((block, state, _weight(block)) for block in cut(one))


def _can_be_sent(path: str) -> bool:
    """False also for what is not there, which is named when it is cut."""
    return path != "-" and places.is_there(path) and places.can_be_cut(path)


def _starts_packed(path: str) -> bool:
    with places.opened(path) as file:
        return file.peek(4).startswith(_PACKED)


def _weight(block: Block) -> int:
    if isinstance(block, (Lines, ParquetGroup)) and block.size:
        return block.size
    return len(block.content) if isinstance(block, (Lines, Document, Packed)) else 1
