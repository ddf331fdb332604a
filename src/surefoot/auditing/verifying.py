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
from surefoot.auditing.bundle import beside, hash_of
from surefoot.auditing.checking import gaps_in, remarks_on
from surefoot.auditing.layout import INDEX, RUN, SUMS, Index, is_attached, is_ours
from surefoot.auditing.zipped import UNZIPPABLE, has_other_bytes, packed_otherwise, too_large
from surefoot.errors import SurefootError, UsageError
from surefoot.ledger.places import run_id
from surefoot.store import RunStore

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
        faults += _faults(bundle, _sums(bundle, path), path)
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
        if info.file_size > _LARGEST_SUMS:
            raise UsageError(f"{path} is no bundle: its {SUMS} is too large", _HINT)
        if any(packed_otherwise([info])):
            raise UsageError(f"{path} is no bundle: its {SUMS} is packed in another way", _HINT)
        found = [_SUM.fullmatch(line) for line in bundle.read(info).decode().removesuffix("\n").split("\n")]
    except (KeyError, *UNZIPPABLE) as error:
        raise UsageError(f"{path} is no bundle: it has no {SUMS} that can be read", _HINT) from error
    sums = {match[2]: match[1] for match in found if match}
    if len(sums) != len(found):
        raise UsageError(f"{path} is no bundle: its {SUMS} has lines that are no hashes, or names twice", _HINT)
    return sums


def _faults(bundle: zipfile.ZipFile, sums: Mapping[str, str], path: Path) -> Iterator[Fault]:
    members = bundle.infolist()
    refused = {name: f"is not read: {words}" for name, words in too_large(members)}
    refused |= dict.fromkeys(packed_otherwise(members), "is not read: it is packed in a way that bundles are not")
    yield from (Fault(name, words) for name, words in refused.items())
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
        elif name in sums and not refused and (found := _sha256_in(bundle, name)) != sums[name]:
            yield Fault(name, f"was changed: {found}" if " " in found else "was changed")
    if has_other_bytes(bundle, path):
        yield Fault(path.name, "has bytes that belong to none of its files")


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
            (folder / name).parent.mkdir(exist_ok=True)
        if is_ours(name):
            with bundle.open(name) as member, (folder / name).open("wb") as file:
                shutil.copyfileobj(member, file, 1 << 20)
    try:
        index = msgspec.json.decode((folder / INDEX).read_bytes(), type=Index)
    except (OSError, *UNREADABLE) as error:
        raise UsageError(f"{path} is no bundle: its {INDEX} cannot be read", _HINT) from error
    lacks, remarks = gaps_in(folder), remarks_on(folder)
    faults = [Fault(INDEX, gap) for gap in lacks if gap not in index.lacks]
    faults += [Fault(INDEX, f"it says {lack!r}, and that is not so") for lack in index.lacks if lack not in lacks]
    faults += [Fault(*_where(remark)) for remark in remarks if remark not in index.remarks]
    faults += [Fault(INDEX, f"it says {old!r}, and that is not so") for old in index.remarks if old not in remarks]
    return index, [*faults, *_strange_run(folder, index)]


def _strange_run(folder: Path, index: Index) -> Iterator[Fault]:
    try:
        manifest = RunStore.open(folder / RUN).manifest
    except SurefootError:
        return  # the remarks say that the run cannot be read
    if (index.run, index.name) != (run_id(manifest), manifest.name):
        yield Fault(INDEX, "it is about another run")


def _where(remark: str) -> tuple[str, str]:
    member, _, words = remark.partition(": ")
    return member, words
