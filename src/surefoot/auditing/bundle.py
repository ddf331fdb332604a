"""The bundle itself: a zip file whose bytes depend on its contents alone.

Every member's hash stands in SHA256SUMS, and the hash of the whole is what a reviewer is told by another way.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import zipfile
from pathlib import Path

import msgspec
from msgspec import Struct

from surefoot import __version__
from surefoot.appending import replace_file, replacing
from surefoot.auditing.checking import gaps_in, remarks_on
from surefoot.auditing.layout import INDEX, README, RUN, SUMS, Index
from surefoot.auditing.readme import readme
from surefoot.auditing.zipped import LARGEST, UNZIPPABLE, too_large
from surefoot.errors import Incomplete
from surefoot.ledger.places import run_id
from surefoot.store import RunStore

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file knows


class Written(Struct, frozen=True):
    """A bundle that was made. `remarks` say what does not fit together in the run itself."""

    file: str
    sha256: str
    members: dict[str, str]
    lacks: tuple[str, ...]
    remarks: tuple[str, ...]


def write_bundle(folder: Path, out: Path) -> Written:
    """Seal a folder that `gathering` filled, with an index of what is in it and what is not."""
    manifest = RunStore.open(folder / RUN).manifest
    lacks, remarks = tuple(gaps_in(folder)), tuple(remarks_on(folder))
    index = Index(
        made_by=f"surefoot {__version__}", run=run_id(manifest), name=manifest.name, lacks=lacks, remarks=remarks
    )
    (folder / INDEX).write_bytes(msgspec.json.format(msgspec.json.encode(index), indent=1) + b"\n")
    members = {name: hash_of(folder / name) for name in _names(folder)}
    (folder / README).write_text(readme(folder, manifest, index, members), encoding="utf-8", newline="\n")
    members = dict(sorted({**members, README: hash_of(folder / README)}.items()))
    lines = [f"{sha256}  {name}\n" for name, sha256 in members.items()]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")
    with replacing(out) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name in (*members, SUMS):
                _put(bundle, name, folder / name)
        for name, words in too_large(bundle.infolist()):
            raise Incomplete(f"{name} cannot be bundled: {words}", "bundle a smaller run, or leave the file out")
    sha256 = hash_of(out)
    replace_file(beside(out), f"{sha256}  {out.name}\n".encode())
    return Written(str(out), sha256, members, lacks, remarks)


def _names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _put(bundle: zipfile.ZipFile, name: str, path: Path) -> None:
    if (size := path.stat().st_size) > LARGEST:
        raise Incomplete(f"{name} cannot be bundled: it has {size:,} bytes, of {LARGEST:,} at most", "split the run")
    info = zipfile.ZipInfo(name, _LONG_AGO)
    info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
    with path.open("rb") as source, bundle.open(info, "w") as member:
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
