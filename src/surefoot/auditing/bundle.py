"""The bundle itself: a zip file whose bytes depend on its contents alone, and the check of one that came from afar.

Every member's hash stands in SHA256SUMS, and the hash of the whole is what a reviewer is told by another way.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot import __version__
from surefoot.appending import UNREADABLE, replace_file, replacing
from surefoot.auditing.checking import gaps_in, remarks_on
from surefoot.auditing.layout import INDEX, README, REPORTS, RUN, SUMS, Index, is_ours
from surefoot.auditing.readme import readme
from surefoot.errors import Incomplete, UsageError
from surefoot.ledger.places import run_id
from surefoot.store import RunStore

LARGEST = 2 << 30  # of a member: what is larger is neither put in nor read
_LARGEST_SUMS = 1 << 20
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file knows
_HINT = "pass a bundle that `surefoot audit` made"
_SUM = re.compile(r"([0-9a-f]{64})  (.+)")


class Written(Struct, frozen=True):
    """A bundle that was made. `remarks` say what does not fit together in the run itself."""

    file: str
    sha256: str
    members: dict[str, str]
    lacks: tuple[str, ...]
    remarks: tuple[str, ...]


class Fault(Struct, frozen=True):
    """What is wrong with a member, or with how it fits the others."""

    member: str
    words: str


class Verified(Struct, frozen=True):
    """What became of a bundle. A sound one has no faults."""

    file: str
    sha256: str
    sound: bool
    faults: tuple[Fault, ...]
    lacks: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def write_bundle(folder: Path, out: Path) -> Written:
    """Seal a folder that `gathering` filled, with an index of what is in it and what is not."""
    manifest = RunStore.open(folder / RUN).manifest
    lacks, remarks = tuple(gaps_in(folder)), tuple(remarks_on(folder))
    index = Index(
        made_by=f"surefoot {__version__}", run=run_id(manifest), name=manifest.name, lacks=lacks, remarks=remarks
    )
    (folder / INDEX).write_bytes(msgspec.json.format(msgspec.json.encode(index), indent=1) + b"\n")
    members = {name: _sha256(folder / name) for name in _names(folder)}
    (folder / README).write_text(readme(folder, manifest, index, members), encoding="utf-8", newline="\n")
    members = dict(sorted({**members, README: _sha256(folder / README)}.items()))
    lines = [f"{sha256}  {name}\n" for name, sha256 in members.items()]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")
    with replacing(out) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name in (*members, SUMS):
            _put(bundle, name, folder / name)
    sha256 = _sha256(out)
    replace_file(_beside(out), f"{sha256}  {out.name}\n".encode())
    return Written(str(out), sha256, members, lacks, remarks)


def _names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _put(bundle: zipfile.ZipFile, name: str, path: Path) -> None:
    if path.stat().st_size > LARGEST:
        raise Incomplete(f"{name} is larger than a member of a bundle may be ({LARGEST >> 30} GiB)", "split the run")
    info = zipfile.ZipInfo(name, _LONG_AGO)
    info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
    with path.open("rb") as source, bundle.open(info, "w") as member:
        shutil.copyfileobj(source, member, 1 << 20)


def verify_bundle(path: Path, expected: str | None = None) -> Verified:
    """Hold every member against its hash, then the parts against each other. Nothing is unpacked that is not ours.

    `expected` is the hash of the whole, as it was told by another way.
    """
    if not path.is_file():
        raise UsageError(f"there is no file {path}", _HINT)
    sha256 = _sha256(path)
    faults = list(_faults_of_the_whole(path, sha256, expected))
    try:
        with zipfile.ZipFile(path) as bundle, tempfile.TemporaryDirectory(prefix="surefoot-audit-") as temporary:
            sums = _sums(bundle, path)
            if faults := [*faults, *_faults(bundle, sums)]:
                return Verified(str(path), sha256, False, tuple(faults))
            return _fitting(bundle, Path(temporary), path, sha256)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, RuntimeError) as error:
        raise UsageError(f"{path} is no bundle: {error}", _HINT) from error


def _faults_of_the_whole(path: Path, sha256: str, expected: str | None) -> Iterator[Fault]:
    beside = _beside(path)
    if expected is not None and expected.strip().lower() != sha256:
        yield Fault(path.name, "its hash is not the one that was expected")
    if beside.is_file() and not beside.read_bytes().startswith(sha256.encode()):
        yield Fault(path.name, f"its hash is not the one in {beside.name}")


def _sums(bundle: zipfile.ZipFile, path: Path) -> dict[str, str]:
    try:
        info = bundle.getinfo(SUMS)
        if info.file_size > _LARGEST_SUMS:
            raise UsageError(f"{path} is no bundle: its {SUMS} is too large", _HINT)
        found = [_SUM.fullmatch(line) for line in bundle.read(info).decode().splitlines()]
    except (KeyError, UnicodeDecodeError, zlib.error) as error:
        raise UsageError(f"{path} is no bundle: it has no {SUMS} that can be read", _HINT) from error
    sums = {match[2]: match[1] for match in found if match}
    if len(sums) != len(found):
        raise UsageError(f"{path} is no bundle: its {SUMS} has lines that are no hashes, or names twice", _HINT)
    return sums


def _faults(bundle: zipfile.ZipFile, sums: Mapping[str, str]) -> Iterator[Fault]:
    listed = Counter(bundle.namelist())
    for name in sorted(sums.keys() | listed.keys()):
        if listed[name] > 1:
            yield Fault(name, "is there more than once")
        elif not listed[name]:
            yield Fault(name, "is missing")
        elif name not in sums and name != SUMS:
            yield Fault(name, f"is extra: {SUMS} does not have it")
        elif name != SUMS and (found := _sha256_in(bundle, bundle.getinfo(name))) != sums[name]:
            yield Fault(name, f"was changed: {found}" if " " in found else "was changed")


def _sha256_in(bundle: zipfile.ZipFile, info: zipfile.ZipInfo) -> str:
    """The hash of a member, or why there is none."""
    if info.file_size > LARGEST:
        return f"it says that it has {info.file_size:,} bytes, more than any member may"
    digest = hashlib.sha256()
    try:
        with bundle.open(info) as member:
            while block := member.read(1 << 20):
                digest.update(block)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        return f"it cannot be read: {error}"
    return digest.hexdigest()


def _fitting(bundle: zipfile.ZipFile, folder: Path, path: Path, sha256: str) -> Verified:
    """Whether the parts fit. What was missing or did not fit when the bundle was made stands in its index."""
    for name in bundle.namelist():
        target = folder / name if is_ours(name) else folder / REPORTS / "not-unpacked"
        target.parent.mkdir(exist_ok=True)
        if is_ours(name):
            with bundle.open(name) as member, target.open("wb") as file:
                shutil.copyfileobj(member, file, 1 << 20)
    try:
        index = msgspec.json.decode((folder / INDEX).read_bytes(), type=Index)
    except (OSError, *UNREADABLE) as error:
        raise UsageError(f"{path} is no bundle: its {INDEX} cannot be read", _HINT) from error
    faults = [Fault(INDEX, gap) for gap in gaps_in(folder) if gap not in index.lacks]
    faults += [Fault(*_where(remark)) for remark in remarks_on(folder) if remark not in index.remarks]
    return Verified(str(path), sha256, not faults, tuple(faults), index.lacks, index.remarks)


def _where(remark: str) -> tuple[str, str]:
    member, _, words = remark.partition(": ")
    return member, words


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
