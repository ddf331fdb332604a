"""The check of a bundle that came from afar. Nothing in it is believed, and nothing is unpacked that is not ours."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot.appending import UNREADABLE
from surefoot.auditing.bundle import LARGEST, UNZIPPABLE, beside, hash_of
from surefoot.auditing.checking import gaps_in, remarks_on
from surefoot.auditing.layout import FORMAT, INDEX, SUMS, Index, is_attached, is_ours, part_of
from surefoot.errors import UsageError

_LARGEST_SUMS = 1 << 20
_HINT = "pass a bundle that `surefoot audit` made"
_SUM = re.compile(r"([0-9a-f]{64})  (.+)", re.DOTALL)
_GIVEN = re.compile(r"([0-9a-f]{64})(\s.*)?", re.IGNORECASE | re.DOTALL)


class Fault(Struct, frozen=True):
    """What is wrong with a member, or with how it fits the others."""

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


def verify_bundle(path: Path, expected: str | None = None) -> Verified:
    """Hold the whole against its hash and every member against its own, then the parts against each other.

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
    with _opened(path) as bundle, tempfile.TemporaryDirectory(prefix="surefoot-audit-") as temporary:
        faults += _faults(bundle, _sums(bundle, path))
        if faults:
            return Verified(str(path), sha256, False, tuple(faults), held_against=against)
        index, faults = _fitting(bundle, Path(temporary), path)
    return Verified(str(path), sha256, not faults, tuple(faults), index.lacks, index.remarks, against)


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except UNZIPPABLE as error:
        raise UsageError(f"{path} is no bundle: {error}", _HINT) from error


def _hash_in(expected: str) -> str:
    if (match := _GIVEN.fullmatch(expected.strip())) is None:
        message = f"--expect takes a SHA-256 hash of 64 hexadecimal digits, not {expected[:80]!r}"
        raise UsageError(message, "`surefoot audit` prints it, and writes it to the .sha256 file beside the bundle")
    return match[1].lower()


def _sums(bundle: zipfile.ZipFile, path: Path) -> dict[str, str]:
    try:
        info = bundle.getinfo(SUMS)
        lines = bundle.read(info).decode().removesuffix("\n").split("\n") if info.file_size <= _LARGEST_SUMS else [""]
    except (KeyError, *UNZIPPABLE) as error:
        raise UsageError(f"{path} is no bundle: it has no {SUMS} that can be read", _HINT) from error
    sums = {match[2]: match[1] for match in map(_SUM.fullmatch, lines) if match}
    if len(sums) != len(lines):
        raise UsageError(f"{path} is no bundle: its {SUMS} has lines that are no hashes, or names twice", _HINT)
    return sums


def _faults(bundle: zipfile.ZipFile, sums: Mapping[str, str]) -> Iterator[Fault]:
    """Every byte of every member is covered by the list of hashes, and there is no other member."""
    if (size := sum(member.file_size for member in bundle.infolist())) > LARGEST:
        yield Fault(SUMS, f"nothing is read: the members have {size:,} bytes, and bundles at most {LARGEST:,}")
        return
    listed = Counter(bundle.namelist())
    for name in sorted(sums.keys() | listed.keys()):
        if listed[name] > 1:
            yield Fault(name, "is there more than once")
        elif not listed[name]:
            yield Fault(name, "is missing")
        elif name not in sums and name != SUMS:
            yield Fault(name, f"is extra: {SUMS} does not have it")
        elif not (is_ours(name) or is_attached(name) or name == SUMS):
            yield Fault(name, "is extra: no bundle has such a file")
        elif name in sums and (found := _sha256_in(bundle, name)) != sums[name]:
            yield Fault(name, f"was changed: {found}" if " " in found else "was changed")


def _sha256_in(bundle: zipfile.ZipFile, name: str) -> str:
    """The hash of a member, or why there is none."""
    digest = hashlib.sha256()
    try:
        with bundle.open(name) as member:
            while block := member.read(1 << 20):
                digest.update(block)
    except UNZIPPABLE as error:
        return f"it cannot be read: {error}"
    return digest.hexdigest()


def _fitting(bundle: zipfile.ZipFile, folder: Path, path: Path) -> tuple[Index, list[Fault]]:
    """Whether the parts fit. What was missing or did not fit when the bundle was made stands in its index."""
    for name in bundle.namelist():
        if is_ours(name) or is_attached(name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if is_ours(name):
            with bundle.open(name) as member, (folder / name).open("wb") as file:
                shutil.copyfileobj(member, file, 1 << 20)
    index = _index(folder, path)
    if parts := {part_of(name) for name in bundle.namelist()} - {""} ^ index.parts.keys():
        return index, [Fault(INDEX, f"it does not fit the runs in the bundle: {', '.join(sorted(parts))}")]
    faults: list[Fault] = []
    for now, then in ((gaps_in(folder, index.parts), index.lacks), (remarks_on(folder, index.parts), index.remarks)):
        faults += [Fault(*_where(words)) for words in now if words not in then]
        faults += [Fault(INDEX, f"it says {words!r}, and that is not so") for words in then if words not in now]
    return index, faults


def _index(folder: Path, path: Path) -> Index:
    try:
        found = msgspec.json.decode((folder / INDEX).read_bytes(), type=dict[str, object])
        if found.get("surefoot_audit") == FORMAT:
            return msgspec.convert(found, Index)
    except (OSError, *UNREADABLE) as error:
        raise UsageError(f"{path} is no bundle: its {INDEX} cannot be read", _HINT) from error
    raise UsageError(f"{path} was made by {found.get('made_by')}, in another way", "verify it with that version")


def _where(words: str) -> tuple[str, str]:
    """What a remark is about; what is missing is missing in the index."""
    member, colon, rest = words.partition(": ")
    return (INDEX, words) if words.startswith("no ") or not colon else (member, rest)
