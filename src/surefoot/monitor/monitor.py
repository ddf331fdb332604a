"""Production is watched: answers come in, each is counted once, a sample is graded, and an alarm says when they became
worse. One loop does it, which ends at the end of the logs or goes on until somebody ends it."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from socket import gethostname
from typing import Any

import msgspec
from msgspec.structs import replace

from surefoot.core.errors import ExitCode, Incomplete, SurefootError, TransientError, UsageError, words_of
from surefoot.core.files import PRIVATE
from surefoot.core.result import NOBODY, READER, Person, Result, tell_problems
from surefoot.core.types import Item, Passage, Problem, Question, Retrieved, Trace, counted
from surefoot.corpus.corpus import PassageTexts
from surefoot.graders.grader import Graded, Reader
from surefoot.graders.llm import ModelGrader
from surefoot.io.items import Ungradable, logged_items, why_too_long
from surefoot.io.rows import Row, check_logs
from surefoot.io.traces import Span, traces_of
from surefoot.jobs.doctor import doctor
from surefoot.jobs.grade import DEFAULT, open_grader
from surefoot.jobs.run import closing, load_corpus, load_pipeline
from surefoot.jobs.runs import Name, opened
from surefoot.jobs.settings import NAME, Given, Settings, settings_from
from surefoot.monitor.drift import LEARNED_FROM, SHARES, Alert, cautious, usual
from surefoot.monitor.follow import LOST, Followed, Piece, is_known, name_of, whole_logs
from surefoot.monitor.otlp import Export, read_export
from surefoot.monitor.state import RATE, UNGRADED, Design, Queued, Rate, State, stratum_of
from surefoot.pipelines.specs import Asking, send
from surefoot.scoring.outcomes import Expected, read
from surefoot.text.normal import id_of_text
from surefoot.text.redaction import Redactor, redact_item, redact_name, redacted, texts_of
from surefoot.text.refusals import detect

FILE = "surefoot-monitor.db"
BAD = ("wrong", "unsupported")
SECONDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)  # bounds of how long answers took
FREE = ("read", "refused", "cites_unretrieved")  # counts that need no grader
_AXES = ("citation_exists", "citation_supports")
_LONGEST_READ = 4_000  # characters of an answer in which a refusal is looked for
_MOST_WAITING = 10_000  # answers in the queue: what is chosen beyond that is dropped and counted
_BATCH, _BATCH_SECONDS = 25, 1.0  # answers graded at once, fewer where it takes longer: whoever ends it should not wait
_LOOK_SECONDS, _READ_SECONDS, _ERASE_SECONDS = 0.2, 5.0, 5.0
_READY_SECONDS = 60.0  # until all is tried again
_PROBLEMS_KEPT = 100
_TIMEOUT, _FIRST_PAUSE, _LONGEST_PAUSE = 10.0, 1.0, 300.0  # seconds, of the webhook
_SOURCE = Retrieved([Passage("lease#4", "The monthly rent is 900 euros, and it is due on the third working day.")])
_TEXTS = ("question_id", "question", "answer", "retrieved", "error")  # of a span


Watching = dict[str, str | None]  # a monitor at work: `follow`, `state`, and the addresses `otlp` and `metrics`


class Monitored(Result, frozen=True):
    """What was found: by a call that ends, since the last one; else since the first start. `buckets` counts the sample,
    in which some kinds of answers are overrepresented; `intervals` speak of all traffic. `free` is what needs no
    grader: how many answers were read, how many of them refuse, and how many cite what was not retrieved."""

    seen: int
    sampled: int
    buckets: dict[str, int]
    intervals: dict[str, Rate]
    alerts: list[Alert]
    references: dict[str, float | None]  # what is usual, by bucket; None while it is still being learned
    free: dict[str, int]
    unreadable: int = 0
    lost: bool = False  # rows, in a log that was gone before it had been read to its end
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        if self.alerts:
            return ExitCode.BLOCKED
        is_vain = self.sampled and self.buckets[UNGRADED] == self.sampled
        is_incomplete = self.lost or is_vain or (self.unreadable and not self.seen)
        return ExitCode.INCOMPLETE if is_incomplete else ExitCode.OK

    def table(self) -> Sequence[Mapping[str, Any]]:
        """A bucket a row."""
        return [
            {"bucket": name, "sampled": self.buckets[name], **msgspec.to_builtins(rate)}
            for name, rate in self.intervals.items()
        ]


def monitor_log(
    traces: str | Path | Sequence[str | Path] = (),
    *,
    follow: str | Path | None = None,
    otlp: int | None = None,
    metrics: int | None = None,
    sample: float = RATE,
    state: str | Path | None = None,
    bad: str | Path | None = None,
    baseline: str | Path | None = None,
    db: str | Path | None = None,
    grader: str | Reader = DEFAULT,
    corpus: str | Path | None = None,
    settings: Given = None,
    webhook: str | None = None,
    person: Person = READER,
    announce: Callable[[Watching], None] = lambda _: None,
) -> Monitored:
    """Grade a sample of the answers in production, and tell whether they became worse.

    Answers come from the logs `traces`, which are read to their end; or, until Ctrl-C or a polite kill, from the log or
    folder `follow`, from exporters of OpenTelemetry that send to the port `otlp`, or both. With the file `state`, only
    what is new since the last time counts, and alarms go on from there: `alerts` are those that are not over. `bad` is
    a file to which the wrong and unsupported answers are added, without personal data. `baseline` is a graded run that
    says how common each bucket is usually; else the first thousand sampled answers do. Alarms, and their ends, are sent
    to the address `webhook`.
    """
    paths = [traces] if isinstance(traces, (str, Path)) else [*traces]
    live = {"follow": follow, "otlp": otlp, "metrics": metrics}
    if not paths and follow is None and otlp is None:
        raise UsageError("nothing to monitor was given", "pass --once LOG, --follow LOG or --otlp PORT")
    if paths and (given := [name for name, value in live.items() if value is not None]):
        raise UsageError(f"--{given[0]} does not go with --once", "leave out one of them")
    if webhook is not None and not webhook.startswith(("http://", "https://")):
        raise UsageError(f"--webhook {webhook[:80]!r} is no address", "write https://HOST/PATH")
    how = settings_from(settings)
    if how.pipeline and not paths:  # one that is not there at the start is a slip of whoever named it
        documents = load_corpus(corpus, how.questions, NOBODY.tell)
        with closing(load_pipeline(how.pipeline, documents, Asking(), NOBODY.tell)):
            pass
    reader = open_grader(grader, how, person=person)
    if isinstance(reader, ModelGrader) and not paths:
        raise UsageError("live monitoring does not use paid models", "choose --grader local, local@FILE or rules")
    file = Path(state) if state is not None else None if paths else Path(FILE)
    if file and file.resolve() in {Path(path).resolve() for path in (*paths, follow or "-", bad or "-")}:
        raise UsageError(f"{file} is also something else that is read or written", "choose another --state")
    with contextlib.ExitStack() as stack:
        known = State(file, Design(sample), lambda: None if baseline is None else reference_of(baseline, db))
        stack.callback(known.close)
        check_logs(path for path in paths if not is_known(path, known.kept.positions))
        sender = Webhook(webhook, str(file or paths[0]), person.tell, known) if webhook else None
        monitor = Monitor(
            known, reader, logs=paths, follow=Path(follow) if follow else None, how=how, webhook=sender, person=person,
            bad=Path(bad) if bad is not None else None, corpus=corpus,
        )  # fmt: skip
        watching: Watching = {"follow": str(follow) if follow else None, "state": str(file)}
        if paths:
            monitor.work()
        elif otlp is None and metrics is None:
            with monitor.at_work(), contextlib.suppress(KeyboardInterrupt):
                announce(watching)
                threading.Event().wait()
        else:
            try:
                from surefoot.monitor.server import serve_monitor  # noqa: PLC0415 - of an extra
            except ImportError as error:
                hint = "install surefoot with its extra `monitor`: pip install '/path/to/surefoot[monitor]'"
                raise Incomplete("--otlp and --metrics need more packages", hint) from error
            serve_monitor(monitor, how.host, otlp, metrics, lambda urls: announce(watching | urls))
        return monitor.result()


def reference_of(name: Name, db: str | Path | None = None) -> dict[str, float]:
    """How common each bucket is in graded runs; rather more than was counted, as few answers may mislead."""
    with opened([name], db) as (_, runs):
        rows = [(run, verdict) for run in runs for verdict in run.verdicts() if verdict.axis == "factuality"]
        verdicts = [verdict.value for run, verdict in rows if verdict.grader == run.manifest.grader]
    if not any(verdicts):
        raise UsageError(f"{name} has no verdicts to take as a reference", f"grade it first: surefoot grade {name}")
    found = [str(value or UNGRADED) for value in verdicts]
    return {bucket: cautious(found.count(bucket), len(found)) for bucket in SHARES}


class Monitor:
    """`work` is the loop; a server brings what exporters send, and asks how things are, from other threads."""

    def __init__(
        self, state: State, grader: Reader, *, logs: Sequence[str | Path] = (), follow: Path | None = None,
        bad: Path | None = None, how: Settings | None = None, corpus: str | Path | None = None,
        webhook: Webhook | None = None, person: Person = READER,
    ) -> None:  # fmt: skip
        self.state, self._grader, self._bad, self.webhook, self.person = state, grader, bad, webhook, person
        self._how, self._corpus = how or settings_from(), corpus
        self._texts = PassageTexts.of(corpus, person.tell) if corpus is not None else None
        self._logs, self._followed = logs, Followed(follow) if follow else None
        self._pieces: Iterator[Piece] | None = None  # of the logs, as far as they are not read
        self._ending, self._redactors = threading.Event(), dict[str, Redactor]()
        self._again, self._over, self._problems, self._lost = 0, list[Alert](), dict[str, Problem](), False
        self._watch = person.watch(None, "graded") if logs else None
        self._batch, self._graded, self._undone, self._erased = 2, 0, 0, time.monotonic()
        self._told, self.faults = "", list[str]()  # the last error, and why threads ended
        self.why_not_tried = "the grader and the sentinels are being tried"

    # What comes in

    def take_export(self, body: bytes, kind: str, packing: str) -> Export:
        """What an exporter sent, durable when this returns; Incomplete where it cannot be kept."""
        design, subject = self.state.kept.design, self._how.map.get("subject", "")
        export = read_export(body, kind, packing, design.may_choose, subject)
        with self.state.step():
            self.state.counts["seen"] += sum(map(self.state.add, export.ids))
            self.state.counts["unreadable"] += export.unreadable
            for span in export.spans:
                self._hold(span)
        return export

    def count_refusal(self) -> None:
        with self.state.step(at_once=False):
            self.state.counts["refused_bodies"] += 1

    def take_piece(self, piece: Piece) -> None:
        """What was read of a log: answers, spans, or both."""
        (found, log, position), spans, waiting, state = piece, list[Span](), list[Span](), self.state

        def rows() -> Iterator[Row]:
            yield from found
            waiting.extend(spans)  # for the rest of their traces, which may come with another piece
            spans.clear()

        with state.step(at_once=False) as kept:
            for logged, item in logged_items(
                rows(), self._note, self._how.map, lambda _, one: id_of_text(one.question or ""), spans
            ):
                if isinstance(item, Ungradable):
                    state.counts["unreadable"] += 1
                    self._note(item.problem)
                    continue
                name = name_of(logged.row, item.trace, f"{logged.source}:{logged.line}")
                if state.add(name):
                    state.counts["seen"] += 1
                    self._see(name, name, item, logged.flagged)
                else:
                    self._again += 1
            for span in waiting:
                name = redact_name(span.trace_id)
                state.counts["seen"] += bool(span.question) and state.add(name)
                if kept.design.may_choose(name):
                    self._hold(replace(span, trace_id=name))
            if log:
                kept.positions[log] = position

    def settle(self, seconds: float) -> None:
        """Traces to which no span has come for so long become answers."""
        for name in self.state.complete(time.time(), seconds):
            with self.state.step(at_once=False):
                spans, redactor = self.state.release(name), self._redactors.pop(name, None)
                for key, trace in traces_of(spans).items():
                    if trace.question is None or why_too_long(trace):
                        self.state.counts["unreadable" if trace.question else "no_question"] += 1
                        continue
                    clean = redacted(trace, redactor) if redactor else trace  # of what only a later span told
                    asked = clean.question or ""
                    question = Question(clean.question_id or id_of_text(asked), asked, "answer")
                    item = Item(question, replace(clean, question_id=question.id, question=None))
                    self._see(name, ": ".join(filter(None, key)), item, any(span.flagged for span in spans))

    def _see(self, of: str, name: str, item: Item, flagged: bool) -> None:
        """Look at an answer, and queue it if it is chosen, by `of`: a trace may hold several answers."""
        counts, kept = self.state.counts, self.state.kept
        outcome = read(Expected(), item.trace, lambda text: detect(text[:_LONGEST_READ])).outcome
        counts["read"] += 1
        counts["refused"] += outcome.refused
        counts["cites_unretrieved"] += outcome.cited_retrieved is not None and outcome.cited_retrieved < outcome.cited
        stratum = stratum_of(outcome, flagged)
        if not kept.design.may_choose(of):
            return
        kept.tally.see(stratum)
        if chosen := kept.design.choose(of, stratum):
            counts["sampled"] += 1
            if self.state.waiting >= _MOST_WAITING and not self._logs:
                counts["dropped"] += 1
                return
            clean = redact_item(self._texts.filled_item(item) if self._texts else item)
            self.state.queue(Queued(replace(chosen, name=redact_name(name)), clean))

    def _hold(self, span: Span) -> None:
        """Without personal data: with the same placeholders in all spans of a trace, and with the texts of passages,
        which are found by id."""
        said = Trace(
            span.question_id, span.question, span.answer, span.retrieved, None, span.error, subject=span.subject
        )
        trace = self._texts.filled(said) if self._texts else said
        redactor = self._redactors.setdefault(span.trace_id, Redactor())
        redactor.learn(texts_of(trace))
        clean = redacted(trace, redactor)
        texts = {name: getattr(clean, name) for name in _TEXTS}
        if not self.state.hold(replace(span, subject=clean.subject or "", **texts), time.time()):
            self.state.counts["late_spans"] += 1
            del self._redactors[span.trace_id]

    def _note(self, problem: Problem) -> None:
        """Told at the end of logs, or at once where there is none."""
        self._lost |= problem.kind == LOST
        problem = replace(problem, message=problem.message.replace("--map ", f"[map] in {NAME}: "))
        if str(problem) not in self._problems and len(self._problems) < _PROBLEMS_KEPT:
            self._problems[str(problem)] = problem
            if not self._logs:
                self.person.tell(f"note: {problem}")

    # The loop

    def work(self) -> None:
        """Read, put together, grade: to the end of the logs, or until it is told to end."""
        while True:
            is_ending = self._ending.is_set()  # looked at first: what came before it is read
            try:
                is_news = self._read_logs()
                if not self._logs or not is_news:
                    self.settle(0.0 if self._logs else self._how.settle)
                is_news |= not is_ending and self._grade()
                if is_ending or not is_news or time.monotonic() - self._erased > _ERASE_SECONDS:
                    self._save()
            except Incomplete as error:  # nothing can be written: /readyz says so, and it is tried again
                if self._logs:
                    raise
                if error.message != self._told:
                    self.person.tell(f"error: {error}")
                is_news, self._told, self.state.trouble = False, error.message, error.message
            if is_ending or (self._logs and not is_news):
                return
            if not is_news:
                self._ending.wait(_LOOK_SECONDS)

    def _read_logs(self) -> bool:
        """Whether there is more to do. Whole logs are read no faster than they are graded; one that is followed is read
        for a while, as it may be gone soon, and waits where it is while very many answers wait."""
        if self.state.waiting >= (_BATCH if self._logs else _MOST_WAITING // 2):
            return True
        if self._undone != self.state.undone:  # read on from where all is saved
            self._pieces, self._undone = None, self.state.undone
            if self._followed:
                self._followed.close()
        if self._pieces is None:
            positions = self.state.kept.positions
            self._pieces = self._followed.pieces(positions) if self._followed else whole_logs(self._logs, positions)
        until, is_news = time.monotonic() + (0.0 if self._logs else _READ_SECONDS), False
        for piece in self._pieces:
            self.take_piece(piece)
            is_news = True
            if time.monotonic() >= until:
                return True
        if self._followed:
            self._pieces = None
        return is_news

    def _save(self) -> None:
        """What was read lately; and now and then, no byte is left of the texts that were worked off."""
        self.state.save()
        if time.monotonic() - self._erased > _ERASE_SECONDS:
            with self.state.step():  # to find out whether there is room again
                pass
            self.state.erase()
            self._erased = time.monotonic()

    def _grade(self) -> bool:
        """The next answers of the queue; what they come to, and the bad ones among them, is saved in one step."""
        self._write_bad()
        if not self.state.waiting:
            return False
        rows, start = self.state.next(self._batch), time.monotonic()
        graded = self._read([one.item for one in rows])
        self._batch = min(_BATCH, 2 * self._batch) if time.monotonic() - start < _BATCH_SECONDS else 2
        alerts, bad, now = list[Alert](), list[str](), datetime.now(UTC).isoformat(timespec="seconds")
        with self.state.step() as kept:
            for one, found in zip(rows, graded, strict=True):
                alerts += self._count(one, found, now)
                if found and found.bucket in BAD:
                    bad.append(msgspec.json.encode(_bad_row(one, found, now)).decode() + "\n")
            if self._bad:
                kept.bad, kept.bad_from = "".join(bad), self._bad.stat().st_size if self._bad.exists() else 0
            self.state.counts["grader_ms"] += round(1_000 * (time.monotonic() - start))
            self.state.take(len(rows))
            if self.webhook:
                kept.unsent += [f"{self.webhook.name}: {alert.line}" for alert in alerts]
        self._write_bad()
        for alert in alerts:
            self._over += [alert] * alert.is_over
            if not (alert.is_over and self._logs):
                self.person.tell(alert.line)
        if self.webhook:
            self.webhook.news.set()
        self._graded += len(rows)
        if self._watch:
            self._watch.reach(self._graded)
        return True

    def _read(self, items: Sequence[Item]) -> Sequence[Graded | None]:
        """Where the grader fails, each answer is tried alone, so that it is one that is not graded and not all."""
        try:
            return self._grader.read(items)
        except SurefootError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever an answer does to a model must not end the monitor
            with self.state.step(at_once=False):
                self.state.counts["grader_failures"] += 1
            if len(items) > 1:
                return [self._read([one])[0] for one in items]
            self.person.tell(f"warning: the grader failed: {words_of(error)}")
            return [None]

    def _count(self, one: Queued, found: Graded | None, now: str) -> list[Alert]:
        counts, taken, bucket = self.state.counts, one.item.trace.seconds, found.bucket if found else None
        counts["graded" if bucket else "ungraded"] += 1
        for verdict in found.verdicts if found else ():
            if verdict.axis in _AXES:
                counts[f"citations/{verdict.axis}/{verdict.value}"] += 1
        if taken is not None:
            counts[f"seconds/{bisect_left(SECONDS, taken)}"] += 1
            counts["seconds_ms"] += round(1_000 * taken)
        return self.state.grade(one.chosen, bucket, now)

    def _write_bad(self) -> None:
        """Put the rows that the state has into the file, where they may be in part since a kill.

        Where others wrote to the file meanwhile, or it was begun anew, they are added at its end.
        """
        kept = self.state.kept
        if not kept.bad or self._bad is None:
            return
        rows = kept.bad.encode()
        try:
            with open(self._bad, "ab+", opener=lambda name, flags: os.open(name, flags, PRIVATE)) as file:
                file.seek(kept.bad_from)
                there = file.read(len(rows))
                if there != rows:
                    if there and rows.startswith(there):
                        file.truncate(kept.bad_from)
                    file.write(rows)
                    file.flush()
                    os.fsync(file.fileno())
        except OSError as error:
            why = f"nothing can be written to {self._bad}: {error.strerror}"
            raise Incomplete(why, "make room, or name another file with --bad; no answer is lost") from error
        kept.bad = ""  # saved with the next step: until then, writing it again changes nothing

    # How things are

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """The loop and the checks of readiness, each in a thread of its own."""
        threads = [
            threading.Thread(target=self._guarded, args=(work,), name=f"surefoot-{name}", daemon=True)
            for name, work in (("work", self.work), ("ready", self.find_out))
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._ending.set()
            threads[0].join()

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - a thread that ends is known by /livez, so that somebody restarts us
            self.faults.append(words_of(error))
            self.person.tell(f"error: {words_of(error)}")

    def find_out(self) -> None:
        """Try again and again whether the grader tells a good answer from a bad one, and the pipeline passes."""
        while True:
            try:
                self.why_not_tried = self._fault_of_grader() or self._fault_of_pipeline()
            except Exception as error:  # noqa: BLE001 - a pipeline of the user's own, or weights that cannot be read
                self.why_not_tried = words_of(error)
            if self._ending.wait(_READY_SECONDS):
                return

    def _fault_of_grader(self) -> str:
        question = Question("sentinel", "How much is the monthly rent?", "answer")
        said = [f"The monthly rent amounts to {amount} euros [lease#4]." for amount in (900, 700)]
        found = self._grader.read([Item(question, Trace("sentinel", answer=one, retrieved=_SOURCE)) for one in said])
        good, bad = (one.bucket or UNGRADED for one in found)
        return "" if good == "correct" and bad in BAD else f"the grader calls a right answer {good}, a wrong one {bad}"

    def _fault_of_pipeline(self) -> str:
        name, questions = self._how.pipeline, self._how.questions
        if not name:
            return ""
        found = doctor(name, questions=questions, corpus=self._corpus, grader=self._grader, person=NOBODY)
        faults = [f"{one.question_id}: {one.reason}" for one in found.findings if not one.ok]
        return f"{name} does not pass its sentinels: {'; '.join(faults)}" if faults else ""

    def why_not_ready(self) -> list[str]:
        return [why for why in (*self.faults, self.state.trouble, self.why_not_tried) if why]

    def result(self) -> Monitored:
        """What was found, which the next call that ends does not tell again."""
        if self.webhook:
            self.webhook.close()
        if self._logs:
            tell_problems([*self._problems.values()], self.person.tell)
        with self.state.step() as kept:
            tally, counts = kept.tally, Counter(self.state.counts)
            if self._logs:
                tally, counts = tally.since(kept.told[0]), counts - Counter(kept.told[1])
            kept.told = (msgspec.convert(msgspec.to_builtins(kept.tally), type(tally)), dict(self.state.counts))
        if self._followed:
            self._followed.close()
        self.state.erase()
        return Monitored(
            seen=counts["seen"], sampled=tally.sampled, buckets=tally.buckets, intervals=tally.rates(),
            alerts=[chart.alarm for chart in kept.charts.values() if chart.alarm],
            references={name: chart.rate for name, chart in kept.charts.items()},
            free={name: counts[name] for name in FREE}, unreadable=counts["unreadable"],
            lost=self._lost, notes=tuple(self._remarks()),
        )  # fmt: skip

    def _remarks(self) -> Iterator[str]:
        charts = self.state.kept.charts
        if self.state.waiting:
            yield f"{counted(self.state.waiting, 'answer')} wait to be graded"
        if unsent := self.state.kept.unsent:
            yield f"{counted(len(unsent), 'alert')} did not reach the webhook"
        if not self._logs:
            return
        if self._again:
            yield f"{counted(self._again, 'answer')} came again and counted once"
        yield from (f"an alarm is over: {alert.words}" for alert in self._over)
        for name, chart in charts.items():
            if chart.rate is not None and chart.steps is None:
                yield f"{name} is not watched: {usual(chart.rate)}, which leaves no room for a rise"
        if learning := [chart for chart in charts.values() if chart.rate is None]:
            yield (
                f"no alarm yet: what is usual is learned from the first {LEARNED_FROM:,} evenly sampled answers, and "
                f"there were {learning[0].answers:,}; --baseline RUN tells it at once"
            )


def _bad_row(one: Queued, graded: Graded, now: str) -> dict[str, Any]:
    """A row of the log of bad answers, which any command that takes a log can read."""
    item, trace = graded.item, graded.item.trace
    return {
        "trace_id": one.chosen.name,
        "id": item.question.id,
        "question": item.question.text,
        "answer": trace.answer,
        "retrieved": None if trace.retrieved is None else msgspec.to_builtins(tuple(trace.retrieved)),
        "citations": trace.citations,
        "subject": trace.subject or None,
        "flagged": one.chosen.stratum == "flagged",
        "graded_at": now,
        "bucket": graded.bucket,
        "reason": graded.reason,
        "probability": one.chosen.probability,
    }


class Webhook:
    """One thread that sends alerts, again and again until the address takes them, and never in anybody's way.

    `name` is that of the monitor, as several may speak in one chat. Alerts wait in the state, so that none is lost.
    """

    def __init__(self, url: str, name: str, tell: Callable[[str], None], state: State) -> None:
        self._url, self.name, self._tell, self._state = url, f"Surefoot on {gethostname()}, {name}", tell, state
        self.failures, self.news, self._ending = 0, threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="surefoot-webhook", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """What waits gets one more try."""
        self._ending.set()
        self.news.set()
        self._thread.join(_TIMEOUT + 1)

    def _work(self) -> None:
        pause = _FIRST_PAUSE
        while (unsent := self._state.kept.unsent) or not self._ending.is_set():
            if not unsent:
                self.news.wait()
                self.news.clear()
            elif self._is_taken(unsent[0]):
                unsent.pop(0)
                pause = _FIRST_PAUSE
            elif self._ending.is_set():
                return
            else:
                self._ending.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)

    def _is_taken(self, text: str) -> bool:
        """Or refused for good. Chats show `text`."""
        try:
            send(self._url, {"text": text}, _TIMEOUT)
        except (Incomplete, TransientError, TimeoutError) as error:
            is_final = isinstance(error, Incomplete)
            self.failures += 1
            if self.failures == 1 or is_final:
                why = f"warning: an alert could not be sent: {words_of(error)}"
                self._tell(why + ("" if is_final else "; it is tried again"))
            return is_final
        return True
