"""Which answers are graded, how common each bucket is in all traffic, and all that a monitor has to remember: one
database file, in which everything that belongs together is saved in one step.

The choice depends on the answer's name alone: the same answer, late or twice, is chosen again or not again,
whatever came before it. Answers that refuse, or that somebody flagged, are chosen more often than others; each answer
carries the probability with which it was chosen, so that rates can be reckoned for all traffic.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import blake2b
from math import fsum
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from msgspec import Struct

from surefoot.core.draws import covering, drawn_shares
from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.files import PRIVATE
from surefoot.core.intervals import wilson
from surefoot.core.table import BUCKETS
from surefoot.core.types import Item, Outcome, Retrieved
from surefoot.io.traces import Span
from surefoot.monitor.drift import Alert, Chart, charts
from surefoot.monitor.follow import Position

Stratum = Literal["ordinary", "refused", "flagged"]
STRATA: tuple[Stratum, ...] = ("ordinary", "refused", "flagged")
RATE = 0.01
_OFTENER: dict[Stratum, int] = {"ordinary": 1, "refused": 2, "flagged": 10}  # than an ordinary answer
_NUMBERS = 2**64
UNGRADED = "ungraded"
COUNTED: tuple[str, ...] = (*BUCKETS, UNGRADED)


class Chosen(Struct, frozen=True):
    """An answer that is to be graded, and the probability with which it was chosen.

    `even` are those that would be chosen if all were chosen at the rate of ordinary ones: an even sample of everything.
    """

    name: str
    stratum: Stratum
    probability: float
    even: bool


class Design(Struct, frozen=True):
    """How answers are chosen. `rate` is that of ordinary ones."""

    rate: float = RATE

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise UsageError(f"the sampling rate is {self.rate:g}", "choose a share above 0, at most 1, such as 0.01")

    def probability(self, stratum: Stratum) -> float:
        return min(1.0, self.rate * _OFTENER[stratum])

    def choose(self, name: str, stratum: Stratum) -> Chosen | None:
        probability, number = self.probability(stratum), int.from_bytes(digest_of(name), "big")
        if number >= probability * _NUMBERS:
            return None
        return Chosen(name, stratum, probability, number < self.rate * _NUMBERS)

    def may_choose(self, name: str) -> bool:
        """Whether an answer can be chosen at all, whatever it turns out to be."""
        return self.choose(name, "flagged") is not None


def digest_of(name: str) -> bytes:
    """Eight bytes that stand for a name: evenly spread, and the same wherever they are computed."""
    return blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()


def stratum_of(outcome: Outcome, flagged: bool = False) -> Stratum:
    """Failures count as flagged: whoever asked got no answer."""
    return "flagged" if flagged or not outcome.usable else "refused" if outcome.refused else "ordinary"


class Rate(Struct, frozen=True):
    """The share of a bucket in all traffic with its 95 % interval, or None and why there is none. `n` is how many
    answers, drawn evenly from all traffic, would tell as much as those that were graded."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: float = 0.0
    reason: str | None = None


class Tally(Struct):
    """Answers by stratum: how many there were of those that could be chosen, and the buckets of the graded ones."""

    seen: dict[str, int] = {}
    graded: dict[Stratum, dict[str, int]] = {}

    def see(self, stratum: Stratum) -> None:
        self.seen[stratum] = self.seen.get(stratum, 0) + 1

    def grade(self, stratum: Stratum, bucket: str | None) -> None:
        counted = self.graded.setdefault(stratum, {})
        counted[bucket or UNGRADED] = counted.get(bucket or UNGRADED, 0) + 1

    def since(self, before: Tally) -> Tally:
        """Without what was counted before."""
        graded = {one: Counter(counted) - Counter(before.graded.get(one, {})) for one, counted in self.graded.items()}
        seen = dict(Counter(self.seen) - Counter(before.seen))
        return Tally(seen, {one: dict(counted) for one, counted in graded.items() if counted})

    @property
    def sampled(self) -> int:
        return sum(sum(counted.values()) for counted in self.graded.values())

    @property
    def buckets(self) -> dict[str, int]:
        """Of the sample as it is, not of all traffic."""
        return {bucket: sum(counted.get(bucket, 0) for counted in self.graded.values()) for bucket in COUNTED}

    def rates(self) -> dict[str, Rate]:
        return {bucket: self._rate(bucket) for bucket in COUNTED}

    def _rate(self, bucket: str) -> Rate:
        """Each stratum counts by its share of the traffic, whatever share of it was graded.

        Where a stratum was seen and none of it graded, the others speak for it, and the interval allows for anything
        there.
        """
        known = {one: sum(self.graded[one].values()) for one in STRATA if one in self.graded}
        if not known:
            return Rate(None, reason="no answer was sampled")
        every = dict(self.seen)
        every.update({one: max(every.get(one, 0), known[one]) for one in known})  # some were seen before
        seen, everything = {one: every[one] for one in known}, sum(every.values())
        total = sum(seen.values())
        events = {one: self.graded[one].get(bucket, 0) for one in known}
        value = min(1.0, fsum(seen[one] / total * events[one] / known[one] for one in known))
        n_even = total**2 / sum(seen[one] ** 2 / known[one] for one in known)
        if events == known or not any(events.values()):
            return Rate(float(events == known), *wilson((events == known) * n_even, n_even), n_even)
        groups = [one for one in STRATA if one in every]
        n, m, k = (np.array([float(of.get(one, 0)) for one in groups]) for of in (every, known, events))
        weights, ways = drawn_shares(n, m, k, 0.5 * n / everything)
        low, high = covering([(weights * shares).sum(axis=1) for shares in ways])
        return Rate(value, max(0.0, min(low, value)), min(1.0, max(high, value)), n_even)


class Queued(Struct, frozen=True, omit_defaults=True):
    """An answer to be graded, without personal data."""

    chosen: Chosen
    item: Item


class Kept(Struct):
    """The one row of a state. All else that the file holds waits to be worked on, or is known by name."""

    design: Design
    charts: dict[str, Chart]
    tally: Tally = msgspec.field(default_factory=Tally)
    counts: dict[str, int] = {}
    positions: dict[str, Position] = {}  # how far logs were read
    unsent: list[str] = []  # alerts
    bad: str = ""  # rows of the file of bad answers that may not be in it yet ...
    bad_from: int = 0  # ... and where they begin there
    told: tuple[Tally, dict[str, int]] = (Tally(), {})  # what the last result told of


_MOST_SPANS = 2_000  # of one trace: an agent that goes round in circles must not fill the disk
_NAMES_KEPT = 200_000  # by which an answer that comes again late is not counted twice
_COMMIT_SECONDS = 0.5  # at most, until what was read of a log is saved: it can be read again
_OURS = 0x5F007  # the id by which SQLite tells our files from others
_TABLES = (
    "CREATE TABLE names (place INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE)",
    "CREATE TABLE spans (trace TEXT, id TEXT, start TEXT, at REAL, row BLOB, PRIMARY KEY (trace, id, start))",
    "CREATE TABLE queue (place INTEGER PRIMARY KEY, row BLOB NOT NULL)",
    "CREATE TABLE state (row BLOB NOT NULL)",
    f"PRAGMA application_id = {_OURS}",
)
_KEPT = msgspec.json.Decoder(Kept)
_QUEUED = msgspec.json.Decoder(Queued, dec_hook=Retrieved.read)
_SPANS = msgspec.json.Decoder(Span, dec_hook=Retrieved.read)


class State:
    """What any thread changes inside `step`, and no other process meanwhile. Without a path it is gone at the end.

    A state goes on only with the design it began with; `reference` is asked for what is usual where it is new.
    """

    kept: Kept

    def __init__(
        self, path: Path | None, design: Design, reference: Callable[[], dict[str, float] | None] = lambda: None
    ) -> None:
        self.path, self.guard, self._saved = path, threading.RLock(), 0.0
        self.undone, self.trouble = 0, ""  # how often a step failed, and why nothing can be written, if so
        try:
            if path:
                os.close(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE))
            self._db = sqlite3.connect(path or ":memory:", timeout=0, check_same_thread=False)
            self._open(design, reference)
            self._load()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise Incomplete(f"{path} cannot be used: {error}", "choose another place with --state") from error
            hint = "end it, or choose another --state"
            raise Incomplete(f"another monitor works with {path}", hint) from error
        except (sqlite3.DatabaseError, msgspec.MsgspecError) as error:
            hint = "choose another --state; one of another version of Surefoot cannot be resumed"
            raise Incomplete(f"{path} is not the state of a monitor: {error}", hint) from error
        except OSError as error:
            raise Incomplete(f"{path} cannot be written: {error.strerror}", "choose another --state") from error
        if self.kept.design != design:
            self.close()
            was = f"--sample {self.kept.design.rate:g}"
            raise UsageError(f"{path} was begun with {was}", "go on with the same, or choose another --state")

    def _open(self, design: Design, reference: Callable[[], dict[str, float] | None]) -> None:
        is_new = not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not is_new and self._db.execute("PRAGMA application_id").fetchone() != (_OURS,):
            raise sqlite3.DatabaseError("it is a database of something else")
        for setting in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "secure_delete = ON"):
            self._db.execute(f"PRAGMA {setting}").fetchall()
        self._db.execute("BEGIN IMMEDIATE")
        if is_new:
            for table in _TABLES:
                self._db.execute(table)
            row = msgspec.json.encode(Kept(design, charts(reference())))
            self._db.execute("INSERT INTO state VALUES (?)", (row,))
        self._db.commit()

    def _load(self) -> None:
        self.kept = _KEPT.decode(self._db.execute("SELECT row FROM state").fetchone()[0])
        self.counts = Counter(self.kept.counts)
        self.waiting: int = self._db.execute("SELECT count(*) FROM queue").fetchone()[0]  # answers

    @contextlib.contextmanager
    def step(self, *, at_once: bool = True) -> Iterator[Kept]:
        """All that is done inside is saved in one step, now or soon; if it fails, all since the last saving is undone,
        and whoever read a log reads on from the positions in `kept`."""
        with self.guard:
            try:
                yield self.kept
                if at_once or time.monotonic() - self._saved > _COMMIT_SECONDS:
                    self.kept.counts = dict(self.counts)
                    self._db.execute("UPDATE state SET row = ?", (msgspec.json.encode(self.kept),))
                    known = "(SELECT max(place) FROM names)"
                    self._db.execute(f"DELETE FROM names WHERE place <= {known} - ?", (_NAMES_KEPT,))
                    self._db.commit()
                    self._saved, self.trouble = time.monotonic(), ""
            except BaseException as error:
                self.undone += 1
                self._db.rollback()
                self._load()
                if isinstance(error, sqlite3.Error):
                    self.trouble = f"nothing can be written to {self.path}: {error}"
                    raise Incomplete(self.trouble, "make room; what was taken is not lost") from error
                raise

    def add(self, name: str) -> bool:
        """True for a name that is new."""
        return self._db.execute("INSERT OR IGNORE INTO names (name) VALUES (?)", (digest_of(name),)).rowcount == 1

    def hold(self, span: Span, now: float) -> bool:
        """Keep a span until its trace is complete; False for one that comes too late, or after too many."""
        known = self._db.execute("SELECT 1 FROM names WHERE name = ?", (_settled(span.trace_id),)).fetchone()
        (held,) = self._db.execute("SELECT count(*) FROM spans WHERE trace = ?", (span.trace_id,)).fetchone()
        if known or held >= _MOST_SPANS:
            return False
        row = (span.trace_id, span.span_id, span.start, now, msgspec.json.encode(span))
        self._db.execute("INSERT OR REPLACE INTO spans VALUES (?, ?, ?, ?, ?)", row)
        return True

    def complete(self, now: float, seconds: float) -> list[str]:
        """The traces for which no span has come for so many seconds; a clock may be set back."""
        quiet = "SELECT trace FROM spans GROUP BY trace HAVING abs(? - max(at)) >= ? ORDER BY max(at)"
        with self.guard:
            return [trace for (trace,) in self._db.execute(quiet, (now, seconds))]

    def release(self, trace: str) -> list[Span]:
        """The spans of a trace, which waits for no more."""
        rows = self._db.execute("SELECT row FROM spans WHERE trace = ? ORDER BY rowid", (trace,)).fetchall()
        self._db.execute("DELETE FROM spans WHERE trace = ?", (trace,))
        self._db.execute("INSERT OR IGNORE INTO names (name) VALUES (?)", (_settled(trace),))
        return [_SPANS.decode(row) for (row,) in rows]

    def queue(self, one: Queued) -> None:
        self._db.execute("INSERT INTO queue (row) VALUES (?)", (msgspec.json.encode(one),))
        self.waiting += 1

    def save(self) -> None:
        """What was done since the last step that was saved at once."""
        if self._db.in_transaction:
            with self.step():
                pass

    def next(self, count: int) -> list[Queued]:
        """The first answers of the queue, which nothing undoes."""
        with self.guard:
            self.save()
            rows = self._db.execute("SELECT row FROM queue ORDER BY place LIMIT ?", (count,)).fetchall()
        return [_QUEUED.decode(row) for (row,) in rows]

    def take(self, count: int) -> None:
        """Remove the first answers of the queue."""
        self._db.execute("DELETE FROM queue WHERE place IN (SELECT place FROM queue ORDER BY place LIMIT ?)", (count,))
        self.waiting -= count

    def grade(self, chosen: Chosen, bucket: str | None, now: str = "") -> list[Alert]:
        """The bucket of a chosen answer, None where it could not be graded; the alarms that it raises or ends now."""
        self.kept.tally.grade(chosen.stratum, bucket)
        if not chosen.even:
            return []
        found, at = bucket or UNGRADED, self.kept.tally.sampled
        alerts = [chart.count(name == found, at, now) for name, chart in self.kept.charts.items()]
        return [alert for alert in alerts if alert is not None]

    def answers(self) -> dict[str, float]:
        """How many answers of all traffic each bucket stands for: one that was chosen with probability p, for 1/p."""
        graded = self.kept.tally.graded.items()
        weights = {stratum: 1 / self.kept.design.probability(stratum) for stratum in STRATA}
        return {
            bucket: sum(weights[stratum] * counted.get(bucket, 0) for stratum, counted in graded) for bucket in COUNTED
        }

    def erase(self) -> None:
        """Leave no byte of the texts that were worked off."""
        with self.guard:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        self._db.close()


def _settled(trace: str) -> bytes:
    """The name by which a span is known to come too late."""
    return digest_of(f"{trace} is complete")
