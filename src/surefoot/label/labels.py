"""The labels on a run: in memory, so that a page never waits for the project, and in the project when they are saved.

Another server or program may write to the same project. So the earlier labels of a person are read in the very
transaction that adds to them.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from surefoot.core.errors import Incomplete
from surefoot.core.records import BY_CHOICE, CANNOT_TELL, Drawn, Label, PassedOver, is_ai, why_passed_over
from surefoot.io.labels import time_after
from surefoot.store import Project
from surefoot.web.pages import BadForm

SENDING = re.compile(r"[0-9a-f]{32}")  # what a page calls what it sends
UNDO = "~undo"
_SENT = re.compile(rf"({SENDING.pattern}(?:{UNDO})?):.*", re.DOTALL)
_READ_AGAIN_AFTER = 10.0  # seconds: others may write too
_SECONDS_IN_LINE = 1.0  # one after the other is fastest, but not behind one who waits for a lock


class History:
    """Labels in the order in which they were given. `needed` is the axis that makes an answer count as labelled."""

    def __init__(self, needed: str, rows: Iterable[Label] = ()) -> None:
        self._needed = needed
        self._sent: defaultdict[str, dict[str, list[Label]]] = defaultdict(dict)  # by person: what they sent, in order
        self._rows: defaultdict[tuple[str, str], dict[str, list[Label]]] = defaultdict(dict)  # by person and version
        self._newest: dict[tuple[str, str], Label] = {}  # by person and version, on the needed axis; the latest last
        self._ids: set[str] = set()
        self.add(rows)

    def __contains__(self, row: Label) -> bool:
        return row.id in self._ids

    def add(self, rows: Iterable[Label]) -> None:
        """Add the rows that are new."""
        for row in rows:
            if row.id in self._ids:
                continue
            self._ids.add(row.id)
            key = row.annotator, row.version
            self._rows[key].setdefault(row.axis, []).append(row)
            if row.axis == self._needed:
                self._newest.pop(key, None)
                self._newest[key] = row
            if sent := _SENT.fullmatch(row.id):
                self._sent[row.annotator].setdefault(sent[1], []).append(row)

    def last(self, person: str, version: str) -> dict[str, Label]:
        """The newest rows of a person on an answer, by axis: labels, and rows that say why there is none."""
        return {axis: rows[-1] for axis, rows in self._rows.get((person, version), {}).items()}

    def by_version(self) -> dict[str, dict[str, dict[str, Label]]]:
        """The newest rows on each answer, by annotator and axis."""
        found: defaultdict[str, dict[str, dict[str, Label]]] = defaultdict(dict)
        for person, version in self._rows:
            found[version][person] = self.last(person, version)
        return found

    def drawn(self, person: str, version: str, now: Drawn) -> Drawn:
        """How an answer was drawn when a person first saw it, unless they picked it by hand since: that stays."""
        by_axis = self._rows.get((person, version), {})
        ways = [row.drawn for rows in by_axis.values() for row in rows] or [now]
        return next((way for way in ways if way in BY_CHOICE), ways[0])

    def _labels(self) -> Iterator[Label]:
        return (row for row in self._newest.values() if row.value is not None)

    def mine(self, person: str) -> list[str]:
        """The versions a person has labelled, the latest last."""
        return [row.version for row in self._labels() if row.annotator == person]

    def passed_over(self, person: str, why: PassedOver) -> list[str]:
        """The versions that a person has seen and not labelled for this reason, the latest last."""
        rows = (row for row in self._newest.values() if row.annotator == person)
        return [row.version for row in rows if why_passed_over(row) == why]

    def said(self, person: str) -> list[str]:
        """The versions that a person has labelled or cannot tell, the latest last."""
        rows = (row for row in self._newest.values() if row.annotator == person)
        return [row.version for row in rows if row.value is not None or why_passed_over(row) == CANNOT_TELL]

    def by_others(self, person: str) -> set[str]:
        return {row.version for row in self._labels() if row.annotator != person and _is_done(row, person)}

    def done_for(self, person: str) -> set[str]:
        """The versions that a person need not label any more: an AI's label does not spare people theirs."""
        return {row.version for row in self._labels() if _is_done(row, person)}

    @property
    def labelled(self) -> set[str]:
        """The versions that anybody has labelled, an AI included."""
        return {row.version for row in self._labels()}

    @property
    def sampled(self) -> set[str]:
        """The labelled versions that somebody had drawn by chance. The others speak for themselves alone."""
        return {row.version for row in self._labels() if row.drawn not in BY_CHOICE}

    def has(self, person: str, sending: str) -> bool:
        return sending in self._sent.get(person, {})

    def last_sent(self, person: str) -> str:
        """What an undo would take back; "" where there is nothing left."""
        sent = self._sent.get(person, {})
        return next((name for name in reversed(sent) if not name.endswith(UNDO) and name + UNDO not in sent), "")

    def undoing(self, person: str, sending: str) -> list[Label]:
        """Rows that take a sending back: each has the value and note of before."""
        found = []
        for row in self._sent.get(person, {}).get(sending, []):
            rows = self._rows[person, row.version][row.axis]
            place = rows.index(row)
            value, note = (rows[place - 1].value, rows[place - 1].note) if place else (None, "")
            found.append(replace(row, id=f"{sending}{UNDO}:{row.axis}", value=value, note=note))
        return found


def _is_done(row: Label, person: str) -> bool:
    return is_ai(person) or not is_ai(row.annotator)


class Labels:
    """The history of a run's answers, and the project it is kept in. Any number of threads, under `lock`."""

    def __init__(self, project: Project, versions: Collection[str], needed: str) -> None:
        self.project, self.needed = project, needed
        self.lock = threading.RLock()  # for `history`; it is never held while the project is read or written
        self._versions = versions
        self._kept: list[Label] = []  # rows of ours: a reading that began before one was written does not have it
        self._reading, self._writing = threading.Lock(), threading.Lock()
        self._files = _files_of(project.database.file)
        self.refresh()

    def refresh(self) -> None:
        """Take note of what others have written."""
        with self._reading:
            start = len(self._kept)
            self.check()
            found = self.project.labels(keys=self._versions)
            with self.lock:
                self.history = History(self.needed, [*found, *self._kept[start:]])
                self._read_at = time.monotonic()

    def refresh_if_old(self) -> None:
        """What cannot be read now is read later; whoever saves then learns what is wrong."""
        if time.monotonic() - self._read_at > _READ_AGAIN_AFTER:
            with contextlib.suppress(Incomplete):
                self.refresh()

    def write(self, person: str, version: str, rows_of: Callable[[History], Sequence[Label]]) -> None:
        """Add the rows that `rows_of` makes of a person's earlier labels on an answer. They are on disk then."""
        is_next = self._writing.acquire(timeout=_SECONDS_IN_LINE)
        try:
            self.check()
            earlier, rows = list[Label](), list[Label]()

            def new_beside(known: list[Label]) -> list[Label]:
                earlier.extend(label for label in known if label.annotator == person)
                rows.extend(dated(rows_of(History(self.needed, earlier)), earlier, datetime.now(UTC)))
                return rows

            self.project.add_new_labels([version], new_beside)
            self.check()
        finally:
            if is_next:
                self._writing.release()
        with self.lock:
            self._kept += rows
            self.history.add(rows)
            is_stale = any(row not in self.history for row in earlier)
        if is_stale:  # another server has written
            with contextlib.suppress(Incomplete):
                self.refresh()

    def check(self) -> None:
        """A file that was deleted can still be written to by those who have it open, and all of it is lost."""
        if any(_identity(path) != known for path, known in self._files.items()):
            message = f"the database {self.project.name} was deleted or replaced while the page was open"
            raise Incomplete(message, "what was saved is where it went: put it back, or start `surefoot label` again")


def _files_of(file: Path | None) -> dict[Path, tuple[int, int]]:
    """The file of a project, and the log beside it that holds what was written last."""
    paths = (file.absolute(), Path(f"{file.absolute()}-wal")) if file else ()
    return {path: found for path in paths if (found := _identity(path))}


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino


def dated(rows: Sequence[Label], earlier: Sequence[Label], now: datetime) -> list[Label]:
    """The rows at a time at which they count; the project may hold times that no clock of ours has shown yet."""
    axes = {row.axis for row in rows}
    newest = max((row.at for row in earlier if row.axis in axes), default="")
    if (at := time_after(newest, now)) is None:
        message = f"an earlier label of yours on this answer has the time {newest[:40]!r}, and no other can be later"
        raise BadForm(message, "it came with a file; label this answer under another name")
    return [replace(row, at=at) for row in rows]
