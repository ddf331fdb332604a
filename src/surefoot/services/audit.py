"""The audit bundle: a zip file whose bytes depend on its contents alone.

The hash of every member is in SHA256SUMS. The hash of the whole is what a reviewer gets by another way.
"""

from __future__ import annotations

import contextlib
import hashlib
import lzma
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from surefoot import __version__
from surefoot.errors import ExitCode, UsageError
from surefoot.io.writer import UNREADABLE, replace_file, replacing
from surefoot.ledger import Ledger
from surefoot.ledger.places import find
from surefoot.services.audit_contents import Contents, collect
from surefoot.services.audit_readme import INDEX, README, SUMS, readme
from surefoot.services.result import Fields
from surefoot.services.targets import check_target, files_of, naming
from surefoot.store import RunStore

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file knows
_REPORTS = ("report.html", "report.md")  # attached where the folder of the run has them
_SUM = re.compile(r"([0-9a-f]{64})  (.+)", re.DOTALL)
_GIVEN = re.compile(r"([0-9a-f]{64})(\s.*)?", re.IGNORECASE | re.DOTALL)
# How Python's reader fails on a damaged zip file.
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, RuntimeError, EOFError, OSError, ValueError)


@dataclass(frozen=True)
class Bundle(Fields):
    """A bundle that was made. `remarks` say what does not fit together in the run itself."""

    file: str
    sha256: str
    members: dict[str, str]
    lacks: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if self.remarks else ExitCode.OK


class Fault(Struct, frozen=True):
    member: str
    words: str


@dataclass(frozen=True)
class Verified(Fields):
    """What a check of a bundle found. A sound one has no faults.

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

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.OK if self.sound else ExitCode.BLOCKED


def audit(
    run: str | Path,
    *,
    out: str | Path | None = None,
    base: str | Path | None = None,
    attach: Sequence[str | Path] = (),
    ledger: str | Path | None = None,
) -> Bundle:
    """Put everything about a run and the decision on it into one file, RUN.audit.zip unless `out` says another.

    `base` is the run it was compared with, where the ledger does not know. `attach` adds files, such as a report.
    """
    store = RunStore.open(run)
    folder = store.path if store.path.name not in ("", "..") else store.path.resolve()
    place = Path(out) if out else folder.with_name(f"{folder.name}.audit.zip")
    attached = [Path(path) for path in attach]
    if missing := [path for path in attached if not path.is_file()]:
        raise UsageError(f"there is no file {missing[0]}", "pass files that exist with --attach")
    own = (folder / name for name in _REPORTS if name not in {path.name for path in attached})
    where = find(store.path, ledger)
    check_target(place, (".zip",), files_of(where), _is_bundle)
    check_target(_beside(place), (".zip.sha256",), files_of(where), _is_hash)
    if (opened := Ledger.existing(where)) is None and ledger:
        raise UsageError(f"there is no ledger {ledger}", "leave --ledger out to bundle the run alone")
    with opened or contextlib.nullcontext():
        against = None if base is None else Path(base)
        contents = collect(store, against, opened, [*attached, *(path for path in own if path.is_file())])
    with naming(place):
        return _write(contents, place)


def _write(contents: Contents, out: Path) -> Bundle:
    members = contents.members()
    lacks, remarks = tuple(contents.gaps(members)), tuple(contents.remarks())
    index = {
        "surefoot_audit": 2, "made_by": f"surefoot {__version__}",
        "parts": {folder: part.name for folder, part in contents.runs.items()}, "lacks": lacks, "remarks": remarks,
    }  # fmt: skip
    members[INDEX] = msgspec.json.format(msgspec.json.encode(index), indent=1) + b"\n"
    with replacing(out) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
        sums = {name: _put(bundle, name, source) for name, source in members.items()}
        sums[README] = _put(bundle, README, readme(contents, lacks, remarks).encode())
        sums = dict(sorted(sums.items()))
        _put(bundle, SUMS, "".join(f"{sha256}  {name}\n" for name, sha256 in sums.items()).encode())
    sha256 = _sha256(out)
    replace_file(_beside(out), f"{sha256}  {out.name}\n".encode())
    return Bundle(str(out), sha256, sums, lacks, remarks)


def _put(bundle: zipfile.ZipFile, name: str, source: Path | bytes) -> str:
    """Add a member; its hash."""
    info = zipfile.ZipInfo(name, _LONG_AGO)
    info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
    data = source if isinstance(source, bytes) else source.read_bytes()
    bundle.writestr(info, data)
    return hashlib.sha256(data).hexdigest()


def verify_audit(file: str | Path, *, expect: str | None = None) -> Verified:
    """Hold a bundle against its hash, and every member against its own.

    `expect` is the hash of the whole as you were given it by another way, or the line of the .sha256 file.
    """
    path, wanted = Path(file), None if expect is None else _hash_in(expect)
    hint = "pass a bundle that `surefoot audit` made"
    if not path.is_file():
        raise UsageError(f"there is no file {path}", hint)
    sha256, beside = _sha256(path), _beside(path)
    faults = []
    if wanted not in (None, sha256):
        faults.append(Fault(path.name, "its hash is not the one that was expected"))
    if beside.is_file() and not beside.read_bytes().startswith(sha256.encode()):
        faults.append(Fault(path.name, f"its hash is not the one in {beside.name}"))
    against = "--expect" if wanted else beside.name if beside.is_file() else ""
    try:
        with zipfile.ZipFile(path) as bundle:
            faults += _faults(bundle)
            index = {} if faults else msgspec.json.decode(_read(bundle, INDEX), type=dict[str, Any])
    except (*_DAMAGED, *UNREADABLE) as error:
        raise UsageError(f"{path} is not an audit bundle: {error}", hint) from error
    lacks, remarks = (tuple(index.get(key, ())) for key in ("lacks", "remarks"))
    return Verified(str(path), sha256, not faults, tuple(faults), lacks, remarks, against)


def _hash_in(expected: str) -> str:
    if (match := _GIVEN.fullmatch(expected.strip())) is None:
        message = f"--expect takes a SHA-256 hash of 64 hexadecimal digits, not {expected[:80]!r}"
        raise UsageError(message, "`surefoot audit` prints it, and writes it to the .sha256 file beside the bundle")
    return match[1].lower()


def _read(bundle: zipfile.ZipFile, name: str) -> bytes:
    if name not in bundle.namelist():
        raise ValueError(f"it has no file {name}")
    return bundle.read(name)


def _faults(bundle: zipfile.ZipFile) -> Iterator[Fault]:
    """Every byte of every member is covered by the list of hashes, and there is no other member."""
    lines = _read(bundle, SUMS).decode().removesuffix("\n").split("\n")
    sums = {match[2]: match[1] for match in map(_SUM.fullmatch, lines) if match}
    if len(sums) != len(lines):
        raise ValueError(f"its {SUMS} has lines that are no hashes, or names twice")
    there = Counter(bundle.namelist())
    for name in sorted(sums.keys() | there.keys() - {SUMS}):
        if not there[name]:
            yield Fault(name, "is missing")
        elif there[name] > 1:
            yield Fault(name, "is there more than once")
        elif name not in sums:
            yield Fault(name, f"is extra: {SUMS} does not have it")
        elif _sha256_in(bundle, name) != sums[name]:
            yield Fault(name, "was changed")


def _sha256_in(bundle: zipfile.ZipFile, name: str) -> str:
    """ "" for a member that cannot be read: nothing has that hash."""
    with contextlib.suppress(*_DAMAGED), bundle.open(name) as member:
        return hashlib.file_digest(member, "sha256").hexdigest()  # type: ignore[arg-type]
    return ""


def _is_bundle(path: Path) -> bool:
    """An earlier bundle may be replaced."""
    try:
        with zipfile.ZipFile(path) as found:
            return {SUMS, INDEX} <= set(found.namelist())
    except _DAMAGED:
        return False


def _is_hash(path: Path) -> bool:
    return _GIVEN.fullmatch(path.read_text(errors="replace")) is not None


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
