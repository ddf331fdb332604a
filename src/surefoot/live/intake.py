"""What comes in: counted once, chosen or not, stripped of personal data, and on disk before anybody is told so.

Two spools hold all that must outlive a crash. The journal says what came in: the ids of traces, the spans that still
wait for others, and how far the log was read. The queue holds the answers that are to be graded.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import Incomplete
from surefoot.core.types import Problem, Retrieved, Trace
from surefoot.corpus.corpus import PassageTexts
from surefoot.io.items import why_too_long
from surefoot.io.rows import is_flagged
from surefoot.io.traces import Span, TraceReader, traces_of
from surefoot.live.joining import Joiner
from surefoot.live.receiver import Export
from surefoot.live.spool import Spool
from surefoot.monitor.answers import name_of
from surefoot.monitor.follow import Piece, Position
from surefoot.monitor.sampling import Chosen, Stratum, stratum_of
from surefoot.monitor.state import State
from surefoot.safety.redaction import Redactor, redact_name, redacted, texts_of

_TEXTS = ("question_id", "question", "answer", "retrieved", "error")  # of a span
_MOST_WAITING = 10_000  # answers in the queue: what is chosen beyond that is dropped and counted


class Places(Struct, frozen=True):
    """Up to where all is counted (the journal, the log) and graded (the queue)."""

    journal: int = 0
    queue: int = 0
    position: Position | None = None


class Entry(Struct, frozen=True, omit_defaults=True):
    """One row of the journal: what came in with one batch, or the traces that wait for no more spans."""

    ids: list[str] = []  # of answers that were not seen before
    spans: list[Span] = []  # of traces that may be chosen
    settled: list[str] = []
    strata: list[Stratum] = []  # of answers that could be chosen, chosen or not
    sampled: int = 0
    dropped: int = 0
    at: Position | None = None


class Queued(Struct, frozen=True, omit_defaults=True):
    """One row of the queue: an answer to be graded, without personal data."""

    chosen: Chosen
    trace: Trace


class _Answer(Struct, frozen=True):
    """`of` is the trace by which it is chosen, `name` that of the answer: a trace may answer several questions."""

    of: str
    name: str
    stratum: Stratum
    trace: Trace


class Intake:
    """Takes what any thread brings. `since` is up to where `state` and `counts` know of everything."""

    def __init__(
        self, folder: Path, state: State, counts: Counter[str], since: Places, *, settle_seconds: float,
        mapping: Mapping[str, str] | None = None, texts: PassageTexts | None = None,
    ) -> None:  # fmt: skip
        self.folder, self._state, self._counts = folder, state, counts
        self._journal, self.queue = Spool(folder, "journal"), Spool(folder, "queue")
        self._joiner = Joiner(settle_seconds)
        self._reader, self._texts, self._redactors = TraceReader(mapping), texts, dict[str, Redactor]()
        self.guard = threading.RLock()  # of all that is counted
        self.news = threading.Event()  # for whoever grades
        self.position = since.position
        self.trouble = ""  # with the disk
        self.waiting = sum(1 for _ in self.queue.rows(since.queue))  # answers
        for row, place in self._journal.rows(0):
            self._count(_ENTRIES.decode(row), place, is_new=place > since.journal)

    @property
    def waiting_traces(self) -> int:
        return len(self._joiner)

    @property
    def late_spans(self) -> int:
        return self._joiner.late

    def is_wanted(self, trace_id: str) -> bool:
        """Whether a trace can be chosen at all, whatever its answer turns out to be."""
        return self._state.design.choose(trace_id, "flagged") is not None

    def take_export(self, export: Export) -> None:
        """What an exporter sent, durable when this returns; Incomplete where it cannot be kept."""
        with self.guard:
            self._write(Entry(self._unseen(export.ids), [self._redacted(span) for span in export.spans]), [])
            self._counts["unreadable"] += export.unreadable

    def take_piece(self, piece: Piece) -> None:
        """What was read of a log: answers, spans, or both."""
        names, spans, answers, unusable = list[str](), list[Span](), list[_Answer](), Counter[str]()
        for row in piece.rows(""):
            for part, found in self._reader.read_row(row):
                if isinstance(found, Problem):
                    unusable["unreadable"] += found.kind != "note"
                    continue
                if isinstance(found, Trace) and (why := _fault_of(found)):
                    unusable[why] += 1
                    continue
                called = found.trace_id if isinstance(found, Span) else name_of(part, found, f":{row.line}")
                name = redact_name(called)
                names += [name] if isinstance(found, Trace) or found.question else []
                if not self.is_wanted(name):
                    continue
                if isinstance(found, Span):
                    spans.append(replace(found, trace_id=name))
                else:
                    is_bad = isinstance(part, dict) and is_flagged(part)
                    answers.append(_Answer(name, name, stratum_of(found, is_bad), found))
        with self.guard:
            new = {one.name: one for one in answers if one.name not in self._state.names}
            entry = Entry(self._unseen(names), [self._redacted(span) for span in spans], at=piece.position)
            self._write(entry, list(new.values()))
            self._counts.update(unusable)

    def settle(self, now: float) -> None:
        """Traces that wait no longer become answers."""
        with self.guard:
            done, answers = self._joiner.quiet(now), list[_Answer]()
            for spans in done:
                for key, trace in traces_of(spans).items():
                    if why := _fault_of(trace):
                        self._counts[why] += 1
                    else:
                        stratum = stratum_of(trace, any(span.flagged for span in spans))
                        answers.append(_Answer(key[0], ": ".join(filter(None, key)), stratum, trace))
            if done:
                self._write(Entry(settled=[spans[0].trace_id for spans in done]), answers)

    def end(self) -> int:
        """Where the journal ends now. Call it, and save what is counted, under the guard."""
        return self._journal.end

    def forget(self, graded: int) -> None:
        """What was saved elsewhere by now is erased: the journal up to the first span that waits, the queue up to
        `graded`."""
        first = self._joiner.first
        self._journal.drop(self._journal.end if first is None else first - 1)
        self.queue.drop(graded)

    def close(self) -> None:
        self._journal.close()
        self.queue.close()

    def _write(self, entry: Entry, answers: list[_Answer]) -> None:
        """The queue first: should the journal fail, the same comes again, and is graded once."""
        chosen = [(self._state.design.choose(one.of, one.stratum), one) for one in answers]
        rows = [Queued(replace(how, name=one.name), self._clean(one)) for how, one in chosen if how]
        taken = rows[: max(0, _MOST_WAITING - self.waiting)]
        strata, dropped = [one.stratum for one in answers], len(rows) - len(taken)
        entry = replace(entry, strata=strata, sampled=len(rows), dropped=dropped)
        try:
            if taken:
                self.queue.append(msgspec.json.encode(row) for row in taken)
            place = self._journal.append([msgspec.json.encode(entry)])
        except sqlite3.Error as error:
            self.trouble = f"nothing can be written to {self.folder}: {error}"
            raise Incomplete(self.trouble, "make room; what was not taken may be sent again") from error
        self.trouble = ""
        self._count(entry, place, is_new=True)
        self.waiting += len(taken)
        if taken:
            self.news.set()

    def _count(self, entry: Entry, place: int, *, is_new: bool) -> None:
        now = time.monotonic()
        for span in entry.spans:
            self._joiner.add(span, now, place)
        self._joiner.settle(entry.settled)
        for name in entry.settled:
            self._redactors.pop(name, None)
        if is_new:
            self.position = entry.at or self.position
            self._counts.update(seen=len(entry.ids), sampled=entry.sampled, dropped=entry.dropped)
            for name in entry.ids:
                self._state.names.add(name)
            for stratum in entry.strata:
                self._state.tally.see(stratum)

    def _unseen(self, names: Iterable[str]) -> list[str]:
        return [name for name in dict.fromkeys(names) if name not in self._state.names]

    def _clean(self, answer: _Answer) -> Trace:
        """Spans are clean already, but for what only a later one tells to be personal data."""
        trace = self._filled(answer.trace)
        return redacted(trace, self._redactors.get(answer.of) or Redactor(texts_of(trace)))

    def _redacted(self, span: Span) -> Span:
        """With the same placeholders in all spans of a trace, and with the texts of passages, which are found by id."""
        said = Trace(
            span.question_id, span.question, span.answer, span.retrieved, None, span.error, subject=span.subject
        )
        trace, redactor = self._filled(said), self._redactors.setdefault(span.trace_id, Redactor())
        redactor.learn(texts_of(trace))
        clean = redacted(trace, redactor)
        return replace(span, subject=clean.subject or "", **{name: getattr(clean, name) for name in _TEXTS})

    def _filled(self, trace: Trace) -> Trace:
        return self._texts.filled(trace) if self._texts else trace


def _fault_of(trace: Trace) -> str:
    """Under what a trace is counted that cannot be graded."""
    return "no_question" if trace.question is None else "unreadable" if why_too_long(trace) else ""


def queued_in(row: bytes) -> Queued:
    return _QUEUED.decode(row)


_ENTRIES = msgspec.json.Decoder(Entry, dec_hook=Retrieved.read)
_QUEUED = msgspec.json.Decoder(Queued, dec_hook=Retrieved.read)
