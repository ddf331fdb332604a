"""What a project keeps is erased by age, or by the person it is about: in the ledger, in runs, and in caches."""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from surefoot.errors import ExitCode, SurefootError, UsageError
from surefoot.io.writer import LOCK, printable
from surefoot.ledger import Ledger
from surefoot.ledger.places import entry_of, find, folder_of
from surefoot.ledger.purges import Doomed, count, erase
from surefoot.models.cache import default_path, forget
from surefoot.models.readings import Readings
from surefoot.records import Purge
from surefoot.regrade import Key
from surefoot.services.result import Fields
from surefoot.services.runs import is_run
from surefoot.store import DECISION, MANIFEST, QUESTIONS, REPLIES, TRACES, VERDICTS, RunStore

_FILES = (REPLIES, VERDICTS, TRACES, QUESTIONS, DECISION, MANIFEST, LOCK)
_ELSEWHERE = (
    "not touched: logs and questions outside of runs, reports, audit bundles, exports, backups, and caches named with "
    "--cache; importing an older export brings rows back"
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

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if self.unread else ExitCode.OK


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
    names them as its subject.
    """
    if (older_than is None) == (not subject):
        raise UsageError("one thing to purge by must be given", "pass --older-than DAYS or --subject ID")
    now, place = datetime.now(UTC), find(None, None if ledger is None else str(ledger))
    before = (now - timedelta(days=older_than)).isoformat(timespec="microseconds") if older_than else ""
    opened, unread = Ledger.open(place) if yes else Ledger.existing(place), list[str]()
    with opened or contextlib.nullcontext():
        parts = list(_parts(_folders(place, opened, unread), before, subject or ""))
        doomed = _doomed(parts, before, subject or "")
        if opened is None or not yes:
            rows = (count(opened, doomed) if opened else {}) | _rows(parts)
            return Purged(False, opened.name if opened else place, rows, _shown(parts), _notes(yes), tuple(unread))
        rows, left = _rows(parts), [line for part in parts for line in _erase(part, opened, now)]
        forget(default_path(), doomed.digests, (now - timedelta(days=older_than)).timestamp() if older_than else 0.0)
        Readings().forget()
        named = hashlib.sha256(subject.encode()).hexdigest() if subject else ""
        at = now.isoformat(timespec="microseconds")
        record = Purge(
            id=secrets.token_hex(16), at=at, by=getpass.getuser(), before=before, subject_sha256=named, rows=rows
        )
        done = erase(opened, doomed, record)
    return Purged(True, opened.name, done.rows, _shown(parts), (*left, *_notes(yes)), tuple(unread))


def _parts(folders: list[Path], before: str, subject: str) -> Iterator[_Part]:
    for folder in folders:
        store = RunStore.open(folder)
        whole = bool(before) and "" < store.manifest.created < before
        versions = store.versions()
        keys = store.belonging_to(subject) if subject else {*versions} if whole else set()
        if keys or whole:
            said = frozenset(versions[key] for key in keys if key in versions)
            yield _Part(folder, frozenset(keys), whole, said, store.replies.digests)


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


def _doomed(parts: list[_Part], before: str, subject: str) -> Doomed:
    if before:
        return Doomed(before=before, digests=frozenset().union(*(part.digests for part in parts)))
    return Doomed(
        subject=subject,
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


def _notes(erased: bool) -> tuple[str, ...]:
    return (_ELSEWHERE,) if erased else (_ELSEWHERE, "nothing was erased: the same command with --yes erases it")
