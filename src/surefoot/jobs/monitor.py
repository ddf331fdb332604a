"""Production is watched: a sample of what was answered is graded, and an alarm says when it became worse."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.files import LOCK, PRIVATE
from surefoot.core.result import READER, Person, Result, tell_problems
from surefoot.core.types import Item, Problem, counted
from surefoot.corpus.corpus import PassageTexts
from surefoot.graders.grader import Graded, Reader
from surefoot.io.items import Ungradable, logged_items
from surefoot.io.rows import Row
from surefoot.io.sources import check_logs
from surefoot.io.traces import Span
from surefoot.jobs.grade import DEFAULT
from surefoot.jobs.graders import open_grader
from surefoot.jobs.runs import Name, opened
from surefoot.jobs.settings import Given, settings_from
from surefoot.monitor.answers import is_known, name_of, new_rows
from surefoot.monitor.drift import LEARNED_FROM, SHARES, Alert, cautious, usual
from surefoot.monitor.follow import LOST
from surefoot.monitor.rates import UNGRADED, Rate, Tally
from surefoot.monitor.sampling import RATE, Chosen, Design, stratum_of
from surefoot.monitor.state import State, owned
from surefoot.monitor.webhook import Webhook, check_url
from surefoot.safety.redaction import redact_item, redact_name
from surefoot.text.normal import id_of_text

BAD = ("wrong", "unsupported")
_BATCH = 25  # answers graded at once
_SAVE_SECONDS = 5.0


class Monitored(Result, frozen=True):
    """What was found in the new part of a log. `buckets` counts the sample, in which some kinds of answers are
    overrepresented; `intervals` speak of all traffic."""

    seen: int
    sampled: int
    buckets: dict[str, int]
    intervals: dict[str, Rate]
    alerts: list[Alert]
    references: dict[str, float | None]  # what is usual, by bucket; None while it is still being learned
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
    traces: str | Path | Sequence[str | Path],
    *,
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
) -> Monitored:
    """Grade a sample of the answers in a log, and tell whether they became worse.

    With the file `state`, only what is new since the last time counts, and alarms go on from there: `alerts` are those
    that are not over. `bad` is a file to which the wrong and unsupported answers are added, without personal data.
    `baseline` is a graded run that says how common each bucket is usually; else the first thousand sampled answers do.
    Alarms, and their ends, are sent to the address `webhook`.
    """
    how = settings_from(settings)
    design, paths = Design(sample), [traces] if isinstance(traces, (str, Path)) else traces
    kept, file = Path(bad) if bad is not None else None, Path(state) if state is not None else None
    if webhook is not None:
        check_url(webhook)
    with contextlib.ExitStack() as stack:
        if file is not None:
            stack.enter_context(owned(file, file.with_name(f".{file.name}{LOCK}")))
        known = State.load(file, design) if file is not None else None
        before = known or State(design, reference_of(baseline, db) if baseline is not None else None)
        check_logs(path for path in paths if not is_known(path, before.positions))
        chosen = open_grader(grader, how, person=person)
        sender = Webhook(webhook, str(file or paths[0]), person.tell) if webhook else None
        if sender:
            stack.callback(sender.close)
        watch = _Watching(before, chosen, PassageTexts.of(corpus, person.tell), kept, file, sender, person)
        watch.take((row for path in paths for row in new_rows(path, before.positions)), how.map)
    return watch.result()


def reference_of(name: Name, db: str | Path | None = None) -> dict[str, float]:
    """How common each bucket is in graded runs; rather more than was counted, as few answers may mislead."""
    with opened([name], db) as (_, runs):
        rows = [(run, verdict) for run in runs for verdict in run.verdicts() if verdict.axis == "factuality"]
        verdicts = [verdict.value for run, verdict in rows if verdict.grader == run.manifest.grader]
    if not any(verdicts):
        raise UsageError(f"{name} has no verdicts to take as a reference", f"grade it first: surefoot grade {name}")
    found = [str(value or UNGRADED) for value in verdicts]
    return {bucket: cautious(found.count(bucket), len(found)) for bucket in SHARES}


class _Watching:
    """One pass over the new part of a log."""

    def __init__(
        self, state: State, grader: Reader, texts: PassageTexts | None, bad: Path | None, file: Path | None,
        webhook: Webhook | None, person: Person,
    ) -> None:  # fmt: skip
        self._state, self._grader, self._texts, self._person = state, grader, texts, person
        self._bad, self._file, self._saved, self._webhook = bad, file, monotonic(), webhook
        self._tally, self._over, self._unsaved = Tally(), list[Alert](), list[tuple[Chosen, Graded]]()
        self._spans: list[Span] = []  # that wait for the end of the log
        self._problems, self._notes = list[Problem](), list[Problem]()
        self._waiting: list[tuple[Chosen, Item]] = []
        self._again = 0
        self._progress = person.watch(None, "graded")

    def take(self, rows: Iterable[Row], mapping: Mapping[str, str] | None) -> None:
        found = logged_items(
            rows, self._notes.append, mapping, lambda _, trace: id_of_text(trace.question or ""), self._spans
        )
        for logged, item in found:
            if isinstance(item, Ungradable):
                self._problems.append(item.problem)
                continue
            name = logged.name or name_of(logged.row, item.trace, f"{logged.source}:{logged.line}")
            self._see(name, item, logged.flagged)
            if len(self._waiting) >= _BATCH:
                self._grade()
                if not self._spans and monotonic() - self._saved > _SAVE_SECONDS:
                    self._save()
        self._grade()
        self._save()

    def _save(self) -> None:
        """Whenever all that was read is counted and graded, so that a call that is ended early is not in vain.

        The bad answers are written right before: a call that is killed in between, and no other, writes them again.
        """
        keep_bad(self._bad, self._unsaved)
        self._unsaved.clear()
        if self._file is not None:
            self._state.save(self._file)
        self._saved = monotonic()

    def _see(self, name: str, item: Item, flagged: bool) -> None:
        stratum = stratum_of(item.trace, flagged)
        if not self._state.see(name, stratum):
            self._again += 1
            return
        self._tally.see(stratum)
        if chosen := self._state.design.choose(name, stratum):
            self._waiting.append((chosen, redact_item(self._texts.filled_item(item) if self._texts else item)))

    def _grade(self) -> None:
        """Without personal data, which is gone by now."""
        graded = self._grader.read([item for _, item in self._waiting])
        for (chosen, _), one in zip(self._waiting, graded, strict=True):
            self._tally.grade(chosen.stratum, one.bucket)
            self._unsaved.append((chosen, one))
            for alert in self._state.grade(chosen, one.bucket, now()):
                self._announce(alert)
        self._waiting.clear()
        self._progress.reach(self._tally.sampled)

    def _announce(self, alert: Alert) -> None:
        if alert.is_over:
            self._over.append(alert)
        else:
            self._person.tell(alert.line)
        if self._webhook:
            self._webhook.send(alert.line)

    def result(self) -> Monitored:
        tell_problems([*self._notes, *self._problems], self._person.tell)
        rates, alerts = {name: chart.rate for name, chart in self._state.charts.items()}, self._state.alarms.values()
        return Monitored(
            seen=sum(self._tally.seen.values()), sampled=self._tally.sampled, buckets=self._tally.buckets,
            intervals=self._tally.rates(), alerts=list(alerts), references=rates, unreadable=len(self._problems),
            lost=any(problem.kind == LOST for problem in self._problems), notes=tuple(self._remarks()),
        )  # fmt: skip

    def _remarks(self) -> Iterator[str]:
        if self._again:
            yield f"{counted(self._again, 'answer')} came again and counted once"
        yield from (f"an alarm is over: {alert.words}" for alert in self._over)
        for name, chart in self._state.charts.items():
            if chart.rate is not None and chart.steps is None:
                yield f"{name} is not watched: {usual(chart.rate)}, which leaves no room for a rise"
        if self._webhook and self._webhook.waiting:
            yield f"{counted(len(self._webhook.waiting), 'alert')} did not reach the webhook"
        learning = [chart for chart in self._state.charts.values() if chart.rate is None]
        if learning:
            yield (
                f"no alarm yet: what is usual is learned from the first {LEARNED_FROM:,} evenly sampled answers, and "
                f"there were {learning[0].answers:,}; --baseline RUN tells it at once"
            )


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def keep_bad(file: Path | None, graded: Iterable[tuple[Chosen, Graded]]) -> None:
    """Add the bad ones to a log of their own, which only its owner can read."""
    rows = [msgspec.json.encode(bad_row(chosen, one)) + b"\n" for chosen, one in graded if one.bucket in BAD]
    if file is not None and rows:
        with open(file, "ab", opener=lambda name, flags: os.open(name, flags, PRIVATE)) as log:
            log.writelines(rows)


def bad_row(chosen: Chosen, graded: Graded) -> dict[str, Any]:
    """A row of the log of bad answers, which any command that takes a log can read."""
    item, trace = graded.item, graded.item.trace
    return {
        "trace_id": redact_name(chosen.name),
        "id": item.question.id,
        "question": item.question.text,
        "answer": trace.answer,
        "retrieved": None if trace.retrieved is None else msgspec.to_builtins(tuple(trace.retrieved)),
        "citations": trace.citations,
        "subject": trace.subject or None,
        "flagged": chosen.stratum == "flagged",
        "graded_at": now(),
        "bucket": graded.bucket,
        "reason": graded.reason,
        "probability": chosen.probability,
    }
