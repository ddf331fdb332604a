"""A log in parts for the machines of a cluster: large enough to be worth sending, and found again after a restart.

Small files, and those that can only be read from their start, are cut where they are read. Of a large file of JSON
lines the driver finds the line ends, so that every row keeps its number; of a large Parquet file it reads the footer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from socket import gethostname

from msgspec import Struct

from surefoot.core.errors import Incomplete
from surefoot.io import sources as places
from surefoot.io.sources import Block, Document, File, Lines, Packed, ParquetGroup, Values, cut, files_in

PART_BYTES = 32 << 20  # at most, if a file need not be larger
_LEAST_BYTES = 1 << 20
_SHARE = 16  # a part is this share of what lies before it


class Part(Struct, frozen=True):
    """Blocks, or files that are yet to be cut into blocks, and the state of the files behind them."""

    pieces: tuple[Block | File, ...]
    states: tuple[str, ...]


def parts_from(paths: Iterable[str | Path], values: Iterable[Values] = ()) -> Iterator[Part]:
    """Everything in `values` and then in files, folders, addresses and `-` (stdin), in order.

    Parts grow from one to the next: there are some for every worker in a short log, and not too many in a long one.
    They depend on the log alone, so they are the same on whatever cluster a restart finds.
    """
    pieces: list[Block | File] = []
    states: dict[str, None] = {}
    size = before = 0
    for found in chain(values, files_in(paths)):
        for piece, state, weight in _pieces(found, _most_after(before)):
            pieces.append(piece)
            states[state] = None
            size += weight
            if size >= _most_after(before):
                yield Part(tuple(pieces), tuple(states))
                pieces, states, size, before = [], {}, 0, before + size
    if pieces:
        yield Part(tuple(pieces), tuple(states))


def _most_after(before: int) -> int:
    return min(PART_BYTES, max(_LEAST_BYTES, before // _SHARE))


def blocks_in(part: Part) -> Iterator[Block]:
    """The blocks of a part, where they are read. What the driver saw and this machine does not is no bad file."""
    for piece in part.pieces:
        path = piece.path if isinstance(piece, (File, Lines, ParquetGroup)) else ""
        if path and not places.is_address(path) and not Path(path).exists():
            hint = "put the log where every machine sees it under the same path, or pass an address such as s3://..."
            raise Incomplete(f"{path} is not there on {gethostname()}", hint)
        yield from cut(piece)


def _pieces(found: File | Values, most: int) -> Iterator[tuple[Block | File, str, int]]:
    if not isinstance(found, File) or not _can_be_sent(found.path):
        yield from ((block, "", _weight(block)) for block in cut(found))
        return
    size, state = places.state_of(found.path)
    blocks = cut(found) if size > most else iter(())
    head = list(islice(blocks, 2))  # the first may be a note on the file
    if any(isinstance(block, (Lines, ParquetGroup)) and block.path for block in head):
        yield from ((block, state, _weight(block)) for block in chain(head, blocks))
    else:
        yield found, state, size


def _can_be_sent(path: str) -> bool:
    """False also for what is not there, which is named when it is cut."""
    return path != "-" and places.is_there(path) and places.can_be_cut(path)


def _weight(block: Block | File) -> int:
    if isinstance(block, (Lines, ParquetGroup)) and block.size:
        return block.size
    return len(block.content) if isinstance(block, (Lines, Document, Packed)) else 1
