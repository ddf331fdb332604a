"""What a project keeps is erased by age, or by the person it is about: in the ledger, in runs, and in caches."""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from surefoot.errors import ExitCode, SurefootError, UsageError
from surefoot.io.writer import LOCK, printable
from surefoot.ledger import Ledger
from surefoot.ledger.places import entry_of, find, folder_of, is_ledger
from surefoot.ledger.purges import Doomed, count, erase
from surefoot.models.cache import default_path, forget
from surefoot.models.readings import Readings
from surefoot.records import Purge
from surefoot.regrade import Key
from surefoot.report.words import counted
from surefoot.services.result import Fields
from surefoot.services.runs import is_run
from surefoot.store import DECISION, MANIFEST, QUESTIONS, REPLIES, TRACES, VERDICTS, RunStore
from surefoot.text.normal import hashed_subject

_FILES = (REPLIES, VERDICTS, TRACES, QUESTIONS, DECISION, MANIFEST, LOCK)
_ELSEWHERE = (
    "not touched: logs and questions outside of runs, what a monitor writes (--bad, --state), reports, audit bundles, "
    "exports, backups, and caches named with --cache; importing an older export brings rows back"
)


@dataclass(frozen=True)
class Purged(Fields):
    """What was erased, or without `yes` what would be."""

    erased: bool
    ledger: str
    rows: dict[str, int]
    runs: tuple[str, ...]
    notes: tuple[str, ...]
    unread: tuple[str, ...] = ()  # runs that cannot be read, so that nobody knows whose answers they hold
    not_found: bool = False  # the person, anywhere

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if self.unread or self.not_found else ExitCode.OK


@dataclass(frozen=True)
class _Part:
    """A run that something is erased from; all of it where it is too old."""

    folder: Path
    keys: frozenset[Key]
    whole: bool
    versions: frozenset[str]  # of the answers
    digests: frozenset[str]  # of replies of models


def purge(
    *, older_than: int | None = None, subject: str | None = None, ledger: str | Path | None = None, yes: bool = False
) -> Purged:
    """Erase labels, answers and replies that are older than some days, or that are about one person.

    Without `yes`, nothing is erased. A run that is too old goes as a whole; of a person, only the answers whose trace
    names them as its subject, or has the hash that a monitor writes instead. Where nothing is found, nothing is
    recorded either.
    """
    if (older_than is None) == (not subject):
        raise UsageError("one thing to purge by must be given", "pass --older-than DAYS or --subject ID")
    now, place = datetime.now(UTC), find(None, ledger)
    before = (now - timedelta(days=older_than)).isoformat(timespec="microseconds") if older_than else ""
    opened, unread = Ledger.existing(place), list[str]()
    if opened is None and not is_ledger(place):  # a slip: else the runs beside it would go
        raise UsageError(f"there is no ledger {place}", "check --ledger; without it, that of this folder is taken")
    if opened is None and yes:
        opened = Ledger.open(place)
    with opened or contextlib.nullcontext():
        stores = [RunStore.open(folder) for folder in _folders(place, opened, unread)]
        people = frozenset((subject, hashed_subject(subject))) if subject else frozenset[str]()
        parts = list(_parts(stores, before, people))
        doomed = _doomed(parts, before, people)
        rows = (count(opened, doomed) if opened else {}) | _rows(parts)
        looked = (_looked_through(stores, subject),) if subject else ()
        is_lost = bool(subject) and not any(rows.values())
        if opened is None or not yes or is_lost:
            notes, name = (*looked, *_notes(False, rows)), opened.name if opened else place
            return Purged(False, name, rows, _shown(parts), notes, tuple(unread), is_lost)
        rows, left = _rows(parts), [line for part in parts for line in _erase(part, opened, now)]
        forget(default_path(), doomed.digests, (now - timedelta(days=older_than)).timestamp() if older_than else 0.0)
        Readings().forget()
        named = hashlib.sha256(subject.encode()).hexdigest() if subject else ""
        at = now.isoformat(timespec="microseconds")
        record = Purge(
            id=secrets.token_hex(16), at=at, by=getpass.getuser(), before=before, subject_sha256=named, rows=rows
        )
        done = erase(opened, doomed, record)
    return Purged(True, opened.name, done.rows, _shown(parts), (*looked, *left, *_notes(True, rows)), tuple(unread))


def _parts(stores: list[RunStore], before: str, people: frozenset[str]) -> Iterator[_Part]:
    for store in stores:
        whole = bool(before) and "" < store.manifest.created < before
        versions = store.versions()
        keys = {key for key, one in store.people().items() if one in people} if people else {*versions} if whole else {}
        if keys or whole:
            said = frozenset(versions[key] for key in keys if key in versions)
            yield _Part(store.path, frozenset(keys), whole, said, store.replies.digests)


def _folders(place: str, ledger: Ledger | None, unread: list[str]) -> list[Path]:
    """All runs that the ledger knows the place of, and all that lie in its folder, copies too."""
    known = [folder_of(entry, ledger) for entry in ledger.runs()] if ledger else []
    home = Path() if "://" in place else Path(place).resolve().parent
    found = {*filter(None, known), *(path.parent for path in home.rglob(MANIFEST))}
    return sorted({folder.resolve() for folder in found if _is_ours(folder, unread)})


def _is_ours(folder: Path, unread: list[str]) -> bool:
    try:
        # Others have files of this name too.
        return (folder / QUESTIONS).is_file() and is_run(folder) and bool(RunStore.open(folder))
    except (OSError, SurefootError) as error:
        unread.append(str(error))
        return False


def _looked_through(stores: list[RunStore], subject: str) -> str:
    """So that nobody takes silence for an erasure: an answer that names nobody may be theirs."""
    named = [one for store in stores for one in store.people().values()]
    return (
        f"looked for {subject} in {counted(len(named), 'answer')} of {counted(len(stores), 'run')}; "
        f"{counted(named.count(''), 'answer')} of these name no person"
    )


def _doomed(parts: list[_Part], before: str, people: frozenset[str]) -> Doomed:
    if before:
        return Doomed(before=before, digests=frozenset().union(*(part.digests for part in parts)))
    return Doomed(
        subjects=people,
        versions=frozenset().union(*(part.versions for part in parts)),
        digests=frozenset().union(*(part.digests for part in parts)),
    )


def _erase(part: _Part, ledger: Ledger, now: datetime) -> Iterator[str]:
    """From a run; says which files in its folder stay."""
    with RunStore.open(part.folder, writing=True) as store:
        if not part.whole:
            store.purge(part.keys, now.date().isoformat())
            ledger.add_run(entry_of(store))
            return
    for name in _FILES:
        (part.folder / name).unlink(missing_ok=True)
    if left := sorted(one.name for one in part.folder.iterdir()):
        yield f"note: files that are not of the run stay in {printable(part.folder)}: {', '.join(left[:5])}"
    else:
        part.folder.rmdir()


def _rows(parts: list[_Part]) -> dict[str, int]:
    return {"answers": sum(len(part.keys) for part in parts), "runs": sum(part.whole for part in parts)}


def _shown(parts: list[_Part]) -> tuple[str, ...]:
    return tuple(f"{printable(part.folder)}: {'all of it' if part.whole else len(part.keys)}" for part in parts)


def _notes(yes: bool, rows: Mapping[str, int]) -> tuple[str, ...]:
    if yes:
        return (_ELSEWHERE,)
    hint = ": the same command with --yes erases it" if any(rows.values()) else ""
    return (_ELSEWHERE, f"nothing was erased{hint}")
