"""What the zip file of a bundle is like, and what it is not: no bomb, and nothing that hides between its members."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

LARGEST = (2 << 30) - 1  # of a member
_LARGEST_WHOLE = 8 << 30
_SMALL = 64 << 20  # up to here nobody minds how well it was packed
_TIMES = 200  # answers that repeat their passages are packed into a fiftieth
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_END, _END_SIZE = b"PK\5\6", 22
_LOCAL = struct.Struct("<26xHH")  # the header before a member: at its end, how long the name and the extra field are

# How Python's reader fails on what is no zip file, or a damaged one.
UNZIPPABLE = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, RuntimeError, EOFError, OSError, ValueError,
    OverflowError,
)  # fmt: skip


def too_large(members: Iterable[zipfile.ZipInfo]) -> Iterator[tuple[str, str]]:
    """Members that nobody should unpack, with the reason. The same when a bundle is made and when it is verified."""
    whole = 0
    for member in members:
        size, packed = member.file_size, max(member.compress_size, 1)
        whole += size
        if size > LARGEST:
            yield member.filename, f"it has {size:,} bytes, more than any member may ({LARGEST:,})"
        elif size > _SMALL and size > _TIMES * packed:
            yield member.filename, f"it is packed to less than a {_TIMES}th of its {size:,} bytes, as no run is"
        elif whole > _LARGEST_WHOLE:
            yield member.filename, f"with it the bundle has over {_LARGEST_WHOLE:,} bytes, more than any may"
            return


def packed_otherwise(members: Iterable[zipfile.ZipInfo]) -> Iterator[str]:
    return (member.filename for member in members if member.compress_type not in _METHODS)


def has_other_bytes(bundle: zipfile.ZipFile, path: Path) -> bool:
    """Whether there is anything before, between or after the members: a reader of zip files does not look there."""
    expected = 0
    with path.open("rb") as file:
        for member in sorted(bundle.infolist(), key=lambda member: member.header_offset):
            if member.header_offset != expected:
                return True
            file.seek(expected)
            header = file.read(_LOCAL.size)
            if len(header) < _LOCAL.size:
                return True
            name, extra = _LOCAL.unpack(header)
            expected += _LOCAL.size + name + extra + member.compress_size
        file.seek(-_END_SIZE, 2)
        end = file.read()
    return expected != bundle.start_dir or not end.startswith(_END) or bool(bundle.comment)
