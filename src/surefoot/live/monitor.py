"""A monitor at work: one thread takes in, one grades, one finds out whether all is ready; the server asks them."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from surefoot.core.errors import Incomplete, words_of
from surefoot.core.result import Person
from surefoot.core.types import counted
from surefoot.graders.grader import Reader
from surefoot.jobs.monitor import Monitored, keep_bad, now
from surefoot.live.grading import Grading, Reading
from surefoot.live.intake import Intake, Places
from surefoot.live.metrics import exposition
from surefoot.live.receiver import Export, read_export
from surefoot.live.record import Record
from surefoot.live.sentinels import Readiness, Sentinels
from surefoot.monitor.follow import Piece, Tail
from surefoot.monitor.webhook import Webhook

STATE = "state.json"
_LOOK_SECONDS, _SETTLE_SECONDS, _SAVE_SECONDS, _LAST_SECONDS = 0.2, 1.0, 5.0, 5.0


class Monitor:
    """Its threads work from `start` to `close`; everything else is asked of it by the server, from any thread."""

    def __init__(
        self, intake: Intake, record: Record, grader: Reader, *, log: Path | None, bad: Path | None,
        sentinels: Sentinels | None, webhook: str | None, subject: str, person: Person,
    ) -> None:  # fmt: skip
        record.begin()
        self._intake, self._record, self._bad, self._tell = intake, record, bad, person.tell
        self._tail, self._subject = Tail(log, intake.position) if log else None, subject
        self._grading = Grading(grader, intake, record.places.queue, person.tell)
        self._fed, self._ending = threading.Event(), threading.Event()
        self._readiness = Readiness(grader, sentinels, self._ending)
        self._webhook = Webhook(webhook, str(intake.folder), person.tell, record.unsent) if webhook else None
        self._piece: Piece | None = None
        self._saved, self._refused, self._told, self._faults = 0.0, 0, set[str](), list[str]()
        self._threads = [
            threading.Thread(target=self._guarded, args=(work,), name=f"surefoot-{name}", daemon=True)
            for name, work in (("feed", self._feed), ("grade", self._grade), ("ready", self._readiness.find_out))
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """What is there is taken in, what is being read is read to its end, and all is saved."""
        self._fed.set()
        self._threads[0].join()
        self._ending.set()
        self._intake.news.set()
        self._threads[1].join()
        if self._webhook:
            self._webhook.close()
        self._save()
        self._intake.close()
        if self._tail:
            self._tail.close()

    def take_export(self, body: bytes, kind: str, packing: str) -> Export:
        export = read_export(body, kind, packing, self._intake.is_wanted, self._subject)
        self._intake.take_export(export)
        return export

    def count_refusal(self) -> None:
        self._refused += 1

    def metrics(self) -> bytes:
        with self._intake.guard:
            counts = {
                "late_spans": self._intake.late_spans, "refused_bodies": self._refused,
                "grader_failures": self._grading.failures, "grader_seconds": self._grading.seconds,
                "webhook_failures": self._webhook.failures if self._webhook else 0,
            }  # fmt: skip
            gauges = {
                "ready": not self.why_not_ready(), "writable": not self._intake.trouble,
                "waiting_answers": self._intake.waiting, "waiting_traces": self._intake.waiting_traces,
            }  # fmt: skip
            found = self._record.snapshot(counts, gauges)
        return exposition(found)

    def why_not_alive(self) -> list[str]:
        return self._faults

    def why_not_ready(self) -> list[str]:
        return [why for why in (*self._faults, self._intake.trouble, self._readiness.why_not) if why]

    def result(self) -> Monitored:
        """All since the first start, and the alarms that are not over."""
        counts, state = self._record.counts, self._record.state
        tally = state.tally
        notes = (f"{counted(self._intake.waiting, 'answer')} wait to be graded",) if self._intake.waiting else ()
        return Monitored(
            seen=counts["seen"], sampled=tally.sampled, buckets=tally.buckets, intervals=tally.rates(),
            alerts=list(state.alarms.values()),
            references={bucket: chart.rate for bucket, chart in state.charts.items()},
            unreadable=counts["unreadable"], notes=notes,
        )  # fmt: skip

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - a thread that ends is known by /livez, so that somebody restarts us
            self._faults.append(words_of(error))
            self._tell(f"error: {words_of(error)}")

    def _feed(self) -> None:
        """Until it is told to end and has read all there is, or as much as it can soon; the rest comes next time."""
        settled = latest = time.monotonic()
        while True:
            if not (is_ending := self._fed.is_set()):  # looked at first: what came before it is read
                latest = time.monotonic() + _LAST_SECONDS
            try:
                is_news = self._read_log()
                if (moment := time.monotonic()) - settled >= _SETTLE_SECONDS:
                    settled = moment
                    self._intake.settle(moment)
                    self._save(_SAVE_SECONDS)
            except Incomplete as error:  # nothing can be written: /readyz says so, and it is tried again
                is_news = False
                if error.message not in self._told:
                    self._told.add(error.message)
                    self._tell(f"error: {error}")
            if is_ending and (not is_news or time.monotonic() > latest):
                return
            if not is_news:
                self._fed.wait(_LOOK_SECONDS)

    def _read_log(self) -> bool:
        """A piece that could not be taken is taken later."""
        if self._tail and self._piece is None:
            self._piece = self._tail.read()
        if self._piece is None:
            return False
        self._intake.take_piece(self._piece)
        for problem in self._piece.problems:
            self._tell(f"note: {problem}")
        self._piece = None
        return True

    def _grade(self) -> None:
        self._grading.work(self._count, self._ending)

    def _count(self, readings: Sequence[Reading], place: int) -> None:
        while not self._keep_bad(readings):
            if self._ending.wait(_SETTLE_SECONDS):
                return  # they are graded again after the next start
        with self._intake.guard:
            alerts = self._record.count(readings, now())
            self._record.places = replace(self._record.places, queue=place)
            self._intake.waiting -= len(readings)
        for alert in alerts:
            self._tell(alert.line)
            if self._webhook:
                self._webhook.send(alert.line)
        if alerts:
            self._save()

    def _keep_bad(self, readings: Sequence[Reading]) -> bool:
        try:
            keep_bad(self._bad, [(one.queued.chosen, one.graded) for one in readings if one.graded])
        except OSError as error:
            self._intake.trouble = f"nothing can be written to {self._bad}: {error.strerror}"
            return False
        return True

    def _save(self, after_seconds: float = 0.0) -> None:
        """At once, or if the last time is so long ago."""
        if time.monotonic() - self._saved < after_seconds:
            return
        record, intake = self._record, self._intake
        with intake.guard:
            record.places = Places(intake.end(), record.places.queue, intake.position)
            record.unsent = list(self._webhook.waiting) if self._webhook else record.unsent
            try:
                record.save(intake.folder / STATE)
                intake.forget(record.places.queue)
            except (OSError, sqlite3.Error) as error:
                intake.trouble = f"nothing can be written to {intake.folder}: {getattr(error, 'strerror', error)}"
                raise Incomplete(intake.trouble, "make room; nothing that was taken is lost") from error
        self._saved = time.monotonic()
