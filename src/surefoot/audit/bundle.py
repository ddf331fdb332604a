"""The bundle itself: a zip file whose bytes depend on its contents alone.

Every member's hash stands in SHA256SUMS. The hash of the whole is what a reviewer is told by another way.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot import __version__
from surefoot.audit.contents import Contents
from surefoot.audit.readme import INDEX, README, SUMS, readme
from surefoot.errors import UsageError
from surefoot.io.writer import UNREADABLE, replace_file, replacing

_BLOCK = 1 << 20
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file knows
_HINT = "pass a bundle that `surefoot audit` made"
_SUM = re.compile(r"([0-9a-f]{64})  (.+)", re.DOTALL)
_GIVEN = re.compile(r"([0-9a-f]{64})(\s.*)?", re.IGNORECASE | re.DOTALL)
# How Python's reader fails on a file that is no zip file, or a damaged one.
_UNZIPPABLE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, RuntimeError, EOFError, OSError, ValueError,
    OverflowError,
)  # fmt: skip


class Index(Struct, frozen=True, kw_only=True):
    """A bundle for machines: what it holds, what it lacks, and what is odd about it."""

    surefoot_audit: int = 2
    made_by: str
    parts: Mapping[str, str]  # folder -> the run in it, as the decision calls it
    lacks: tuple[str, ...]
    remarks: tuple[str, ...]


class Written(Struct, frozen=True):
    """A bundle that was made. `remarks` say what does not fit together in the run itself."""

    file: str
    sha256: str
    members: dict[str, str]
    lacks: tuple[str, ...]
    remarks: tuple[str, ...]


class Fault(Struct, frozen=True):
    """What is wrong with a member."""

    member: str
    words: str


class Verified(Struct, frozen=True):
    """What became of a bundle. A sound one has no faults.

    `held_against` names where the hash of the whole came from; "" means that only the inside was checked, and whoever
    changed it may have written new hashes.
    """

    file: str
    sha256: str
    sound: bool
    faults: tuple[Fault, ...]
    lacks: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    held_against: str = ""


def write_bundle(contents: Contents, out: Path) -> Written:
    """Seal the contents, with an index of what is in the bundle and what is not."""
    members = contents.members()
    lacks, remarks = tuple(contents.gaps(members)), tuple(contents.remarks())
    parts = {part: name for part, (name, _) in contents.runs.items()}
    index = Index(made_by=f"surefoot {__version__}", parts=parts, lacks=lacks, remarks=remarks)
    members[INDEX] = msgspec.json.format(msgspec.json.encode(index), indent=1) + b"\n"
    with replacing(out) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
        sums = {name: _put(bundle, name, source) for name, source in members.items()}
        sums[README] = _put(bundle, README, readme(contents, sums, lacks, remarks).encode())
        sums = dict(sorted(sums.items()))
        _put(bundle, SUMS, "".join(f"{sha256}  {name}\n" for name, sha256 in sums.items()).encode())
    sha256 = hash_of(out)
    replace_file(beside(out), f"{sha256}  {out.name}\n".encode())
    return Written(str(out), sha256, sums, lacks, remarks)


def _put(bundle: zipfile.ZipFile, name: str, source: Path | bytes) -> str:
    """Add a member; its hash."""
    info = zipfile.ZipInfo(name, _LONG_AGO)
    info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
    digest = hashlib.sha256()
    with (
        io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as data,
        bundle.open(info, "w", force_zip64=True) as member,
    ):
        while block := data.read(_BLOCK):
            digest.update(block)
            member.write(block)
    return digest.hexdigest()


def verify_bundle(path: Path, expected: str | None = None) -> Verified:
    """Hold the whole against its hash, and every member against its own.

    `expected` is the hash of the whole as it was told by another way, or the line of the .sha256 file.
    """
    wanted = None if expected is None else _hash_in(expected)
    if not path.is_file():
        raise UsageError(f"there is no file {path}", _HINT)
    sha256, list_beside = hash_of(path), beside(path)
    faults = []
    if wanted not in (None, sha256):
        faults.append(Fault(path.name, "its hash is not the one that was expected"))
    if list_beside.is_file() and not list_beside.read_bytes().startswith(sha256.encode()):
        faults.append(Fault(path.name, f"its hash is not the one in {list_beside.name}"))
    against = "--expect" if wanted else list_beside.name if list_beside.is_file() else ""
    try:
        with zipfile.ZipFile(path) as bundle:
            faults += _faults(bundle, _sums(bundle))
            if faults:
                return Verified(str(path), sha256, False, tuple(faults), held_against=against)
            index = msgspec.json.decode(bundle.read(INDEX), type=Index)
    except (KeyError, *_UNZIPPABLE, *UNREADABLE) as error:
        raise UsageError(f"{path} is no bundle: {error}", _HINT) from error
    return Verified(str(path), sha256, True, (), index.lacks, index.remarks, against)


def _hash_in(expected: str) -> str:
    if (match := _GIVEN.fullmatch(expected.strip())) is None:
        message = f"--expect takes a SHA-256 hash of 64 hexadecimal digits, not {expected[:80]!r}"
        raise UsageError(message, "`surefoot audit` prints it, and writes it to the .sha256 file beside the bundle")
    return match[1].lower()


def _sums(bundle: zipfile.ZipFile) -> dict[str, str]:
    with bundle.open(SUMS) as file:
        lines = file.read(_BLOCK).decode().removesuffix("\n").split("\n")
    sums = {match[2]: match[1] for match in map(_SUM.fullmatch, lines) if match}
    if len(sums) != len(lines):
        raise ValueError(f"its {SUMS} has lines that are no hashes, or names twice")
    return sums


def _faults(bundle: zipfile.ZipFile, sums: Mapping[str, str]) -> Iterator[Fault]:
    """Every byte of every member is covered by the list of hashes, and there is no other member."""
    listed = Counter(bundle.namelist())
    for name in sorted(sums.keys() | listed.keys() - {SUMS}):
        if not listed[name]:
            yield Fault(name, "is missing")
        elif listed[name] > 1:
            yield Fault(name, "is there more than once")
        elif name not in sums:
            yield Fault(name, f"is extra: {SUMS} does not have it")
        elif (found := _sha256_in(bundle, name)) != sums[name]:
            yield Fault(name, f"was changed: {found}" if " " in found else "was changed")


def _sha256_in(bundle: zipfile.ZipFile, name: str) -> str:
    """The hash of a member, or why there is none."""
    digest = hashlib.sha256()
    try:
        with bundle.open(name) as member:
            while block := member.read(_BLOCK):
                digest.update(block)
    except _UNZIPPABLE as error:
        return f"it cannot be read: {error}"
    return digest.hexdigest()


def is_bundle(path: Path) -> bool:
    """Whether a file looks like an earlier bundle, which may be replaced."""
    try:
        with zipfile.ZipFile(path) as found:
            return {SUMS, INDEX} <= set(found.namelist())
    except _UNZIPPABLE:
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
