"""How the page writes to the ledger: never on the strength of what it read earlier, nor into a file that is gone.

Another server, or another program, may write to the same ledger. So what a person said before is read in the very
transaction that adds to it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from surefoot.errors import Incomplete
from surefoot.io.new_labels import TICK, time_after
from surefoot.ledger import Ledger
from surefoot.ledger.schema import LABELS, add, in_order, record
from surefoot.records import Label
from surefoot.web.forms import BadForm

_AT_ONCE = 8  # writers that wait for the ledger side by side; the ledger itself lets one in at a time
_SECONDS_FOR_A_TURN = 20.0  # less than a locked ledger is waited for: nobody waits for that twice
_SECONDS_IN_LINE = 1.0  # one after the other is fastest, but not behind one who waits for a locked ledger


class Keeper:
    """Any number of threads. Nobody waits for somebody else's wait: a locked ledger costs each the same time."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._turns, self._next = threading.BoundedSemaphore(_AT_ONCE), threading.Lock()
        self._clock, self._latest = threading.Lock(), datetime.min.replace(tzinfo=UTC)
        self._opened = _files(ledger.database.file)

    def read(self, versions: Collection[str]) -> list[Label]:
        self.check()
        return self.ledger.labels(versions=versions)

    def write(
        self, person: str, version: str, rows_of: Callable[[list[Label]], Sequence[Label]]
    ) -> tuple[list[Label], list[Label]]:
        """Add what `rows_of` makes of all that a person has said of an answer; return both. It is on disk then."""
        if not self._turns.acquire(timeout=_SECONDS_FOR_A_TURN):
            message = f"the ledger {self.ledger.name} has been busy for over {_SECONDS_FOR_A_TURN:.0f} seconds"
            raise Incomplete(message, "others wait for it too; try again")
        is_next = self._next.acquire(timeout=_SECONDS_IN_LINE)
        try:
            self.check()
            with self.ledger.database.writing() as connection:
                of_person = in_order(LABELS).where(LABELS.c.version == version, LABELS.c.annotator == person)
                said = [record(Label, row) for row in connection.execute(of_person).mappings()]
                rows = dated(rows_of(said), said, self._now())
                add(connection, rows)
            self.check()
        finally:
            if is_next:
                self._next.release()
            self._turns.release()
        return said, rows

    def check(self) -> None:
        """A file that was deleted can still be written to by those who have it open, and all of it is lost."""
        if any(_identity(path) != known for path, known in self._opened.items()):
            message = f"the ledger {self.ledger.name} was deleted or replaced while the page was open"
            raise Incomplete(message, "what was saved is where it went: put it back, or start `surefoot label` again")

    def _now(self) -> datetime:
        """Later each time, whatever the clock does."""
        with self._clock:
            self._latest = max(datetime.now(UTC), self._latest + TICK)
            return self._latest


def _files(file: Path | None) -> dict[Path, tuple[int, int]]:
    """What lies at the ledger's place: the file itself, and the log beside it that holds what was written last."""
    places = (file.absolute(), Path(f"{file.absolute()}-wal")) if file else ()
    return {path: found for path in places if (found := _identity(path))}


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino


def dated(rows: Sequence[Label], said: Sequence[Label], now: datetime) -> list[Label]:
    """The rows at a time at which they count; the ledger may hold times that no clock of ours has shown yet."""
    axes = {row.axis for row in rows}
    newest = max((row.at for row in said if row.axis in axes), default="")
    if (at := time_after(newest, now)) is None:
        message = f"an earlier label of yours on this answer has the time {newest[:40]!r}, and no other can be later"
        raise BadForm(message, "it came with a file; label this answer under another name")
    return [msgspec.structs.replace(row, at=at) for row in rows]
