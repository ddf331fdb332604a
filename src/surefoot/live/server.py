"""Starting and ending a monitor of production."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from surefoot.core.errors import UsageError
from surefoot.core.files import LOCK
from surefoot.core.result import READER, Person
from surefoot.corpus.corpus import PassageTexts
from surefoot.graders.grader import Reader
from surefoot.graders.model_grader import ModelGrader
from surefoot.jobs.grade import DEFAULT
from surefoot.jobs.graders import open_grader
from surefoot.jobs.monitor import Monitored, reference_of
from surefoot.jobs.settings import Given, settings_from
from surefoot.live.app import app_for
from surefoot.live.intake import Intake
from surefoot.live.monitor import STATE, Monitor
from surefoot.live.record import Record
from surefoot.live.sentinels import Sentinels, check_pipeline
from surefoot.monitor.sampling import RATE, Design
from surefoot.monitor.state import State, owned
from surefoot.monitor.webhook import check_url
from surefoot.web.serve import address, bound, serve, tell_if_open

FOLDER = "surefoot-monitor"
_OTHER_PORT = "choose another one for --otlp or --metrics"
SETTLE_SECONDS = 10.0


class Watching(Struct, frozen=True):
    """A monitor at work, and where it can be reached."""

    follow: str | None
    otlp: str | None
    metrics: str | None
    state: str


def monitor_live(
    announce: Callable[[Watching], None],
    *,
    follow: str | Path | None = None,
    otlp: int | None = None,
    metrics: int | None = None,
    state: str | Path | None = None,
    sample: float = RATE,
    bad: str | Path | None = None,
    baseline: str | Path | None = None,
    db: str | Path | None = None,
    grader: str | Reader = DEFAULT,
    corpus: str | Path | None = None,
    settings: Given = None,
    webhook: str | None = None,
    person: Person = READER,
) -> Monitored:
    """Watch production until Ctrl-C or a polite kill, and tell what was found since the first start.

    Answers come from the log `follow`, from exporters of OpenTelemetry that send to the port `otlp`, or both. What is
    known is kept in the folder `state`, from which the next start goes on.
    """
    if follow is None and otlp is None:
        raise UsageError("there is nothing to watch", "pass --once LOG, --follow LOG or --otlp PORT")
    if webhook is not None:
        check_url(webhook)
    folder, how = Path(state or FOLDER), settings_from(settings)
    sentinels = Sentinels(how.pipeline, how.questions, corpus) if how.pipeline else None
    if sentinels is not None:
        check_pipeline(sentinels)
    reader = open_grader(grader, how, person=person)
    if isinstance(reader, ModelGrader):
        raise UsageError("live monitoring does not use paid models", "choose --grader local, local@FILE or rules")
    texts = PassageTexts.of(corpus, person.tell)
    with owned(folder, folder / LOCK), contextlib.ExitStack() as stack:
        record = _record(folder, Design(sample), baseline, db)
        ports = dict.fromkeys(port for port in (otlp, metrics) if port is not None)
        sockets = {port: stack.enter_context(bound(how.host, port, _OTHER_PORT)) for port in ports}
        urls = {port: address(how.host, one) for port, one in sockets.items()}
        intake = Intake(
            folder, record.state, record.counts, record.places, settle_seconds=how.settle, mapping=how.map, texts=texts
        )
        monitor = Monitor(
            intake, record, reader,
            log=Path(follow) if follow is not None else None, bad=Path(bad) if bad is not None else None,
            sentinels=sentinels, webhook=webhook, subject=how.map.get("subject", ""), person=person,
        )  # fmt: skip
        stack.callback(monitor.close)
        if sockets:
            tell_if_open(how.host, person.tell)
        to_traces, to_metrics = (None if port is None else urls[port] for port in (otlp, metrics))
        watching = Watching(str(follow) if follow else None, to_traces, to_metrics, str(folder))
        monitor.start()
        _wait(monitor, otlp is not None, list(sockets.values()), lambda: announce(watching))
    return monitor.result()


def _wait(monitor: Monitor, takes_traces: bool, sockets: list[socket.socket], announce: Callable[[], None]) -> None:
    """Until somebody ends it."""
    if sockets:
        serve(app_for(monitor, takes_traces=takes_traces), *sockets, announce=announce)
        return
    with contextlib.suppress(KeyboardInterrupt):
        announce()
        threading.Event().wait()


def _record(folder: Path, design: Design, baseline: str | Path | None, db: str | Path | None) -> Record:
    """Of the last time, which goes on only with the design it began with."""
    record = Record.load(folder / STATE)
    if record is None:
        return Record(State(design, reference_of(baseline, db) if baseline is not None else None))
    if (was := record.state.design) != design:
        hint = "go on with the same, or choose another --state"
        raise UsageError(f"{folder} was begun with --sample {was.rate:g} --seed {was.seed}", hint)
    return record
