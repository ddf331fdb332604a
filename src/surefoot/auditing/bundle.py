"""The bundle itself: a zip file whose bytes depend on its contents alone.

Every member's hash stands in SHA256SUMS, and the hash of the whole is what a reviewer is told by another way.
"""

from __future__ import annotations

import hashlib
import lzma
import re
import shutil
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot import __version__
from surefoot.appending import replace_file, replacing
from surefoot.auditing.checking import gaps_in, remarks_on
from surefoot.auditing.layout import INDEX, README, RUN, SUMS, Index
from surefoot.auditing.readme import readme
from surefoot.errors import Incomplete
from surefoot.store import RunStore

LARGEST = 8 << 30  # all members together: who verifies a bundle unpacks it
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file knows
# How Python's reader fails on what is no zip file, or a damaged one.
UNZIPPABLE = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, lzma.LZMAError, struct.error, RuntimeError, EOFError, OSError,
    ValueError, OverflowError,
)  # fmt: skip


class Written(Struct, frozen=True):
    """A bundle that was made. `remarks` say what does not fit together in the run itself."""

    file: str
    sha256: str
    members: dict[str, str]
    lacks: tuple[str, ...]
    remarks: tuple[str, ...]


def write_bundle(folder: Path, parts: Mapping[str, str], out: Path) -> Written:
    """Seal a folder that `gathering` filled, with an index of what is in it and what is not."""
    manifest = RunStore.open(folder / RUN).manifest
    index = Index(
        made_by=f"surefoot {__version__}", parts=parts,
        lacks=tuple(gaps_in(folder, parts)), remarks=tuple(remarks_on(folder, parts)),
    )  # fmt: skip
    (folder / INDEX).write_bytes(msgspec.json.format(msgspec.json.encode(index), indent=1) + b"\n")
    members = {name: hash_of(folder / name) for name in _names(folder)}
    (folder / README).write_text(readme(folder, manifest, index, members), encoding="utf-8", newline="\n")
    members = dict(sorted({**members, README: hash_of(folder / README)}.items()))
    lines = [f"{sha256}  {name}\n" for name, sha256 in members.items()]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")
    if (size := sum((folder / name).stat().st_size for name in members)) > LARGEST:
        raise Incomplete(f"{size:,} bytes cannot be bundled, only {LARGEST:,}", "bundle a smaller run")
    with replacing(out) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name in (*members, SUMS):
            _put(bundle, name, folder / name)
    sha256 = hash_of(out)
    replace_file(beside(out), f"{sha256}  {out.name}\n".encode())
    return Written(str(out), sha256, members, index.lacks, index.remarks)


def _names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _put(bundle: zipfile.ZipFile, name: str, path: Path) -> None:
    info = zipfile.ZipInfo(name, _LONG_AGO)
    info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
    with path.open("rb") as source, bundle.open(info, "w", force_zip64=path.stat().st_size >= 1 << 31) as member:
        shutil.copyfileobj(source, member, 1 << 20)


def is_bundle(path: Path) -> bool:
    """Whether a file looks like an earlier bundle, which may be replaced."""
    try:
        with zipfile.ZipFile(path) as found:
            return {SUMS, INDEX} <= set(found.namelist())
    except UNZIPPABLE:
        return False


def is_hash(path: Path) -> bool:
    """Whether a file looks like what `write_bundle` puts beside a bundle."""
    with path.open("rb") as file:
        return re.fullmatch(rb"[0-9a-f]{64}  ", file.read(66)) is not None


def beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
