"""surefoot monitor"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from surefoot.cli.output import PERSON, Output, check_outputs, common, refuse_idle, set_option
from surefoot.core.types import plain
from surefoot.jobs.grade import DEFAULT
from surefoot.monitor.drift import usual
from surefoot.monitor.monitor import FILE, Monitored, Watching, monitor_log
from surefoot.monitor.state import RATE

_FILE = click.Path(dir_okay=False, path_type=Path)
_PORT = click.IntRange(0, 65_535)


@click.command(epilog="Example: surefoot monitor --once log.jsonl --state monitor.db --bad bad.jsonl --json")
@click.option("--once", "traces", multiple=True, metavar="LOG",
              help="Grade a sample of this log and exit: file, folder, or - for stdin. Repeatable.")  # fmt: skip
@click.option("--follow", metavar="LOG", help="Watch a log, or a folder of logs, being written, until Ctrl-C.")
@click.option("--otlp", type=_PORT, metavar="PORT", help="Take OpenTelemetry traces over HTTP; 0: any free port.")
@click.option(
    "--metrics", type=_PORT, metavar="PORT", help="Serve /metrics, /livez and /readyz; may be the port of --otlp."
)
@click.option("--webhook", metavar="URL", help="POST alarms and their ends there, as JSON with a `text`.")
@click.option("--state", type=_FILE, metavar="FILE",
              help=f"File to continue from.  [default: none with --once, else {FILE}]")  # fmt: skip
@click.option("--bad", type=_FILE, metavar="FILE", help="Add wrong and unsupported answers to this log, redacted.")
@click.option("--sample", type=float, default=RATE, show_default=True, metavar="SHARE",
              help="Share of ordinary answers to grade; refusals twice as often, flagged ones ten times.")  # fmt: skip
@click.option(
    "--baseline", metavar="RUN",
    help="A graded run as the usual rate.  [default: learned from the first 1,000 sampled answers]",
)  # fmt: skip
@click.option("--corpus", metavar="PATH", help="Texts of passages named by id alone.")
@click.option("--grader", default=DEFAULT, show_default=True, metavar="GRADER", help="As for `surefoot grade`.")
@set_option
@common()
def monitor(
    output: Output, traces: tuple[str, ...], state: Path | None, bad: Path | None,
    **options: Any,  # noqa: ANN401 - as click hands them over
) -> int:  # fmt: skip
    """Watch answers in production: grade a sample, and raise an alarm when they get worse.

    Personal data is removed before anything is graded or written. Exits 1 on an alarm.
    """
    check_outputs([path for path in (state, bad) if path and (path == bad or not path.exists())], ("state", "bad"))

    refuse_idle(not options["baseline"], "without --baseline", "db")

    def announce(watching: Watching) -> None:
        addresses = {"otlp": "v1/traces", "metrics": "metrics"}
        output.print(watching, [f"{path.removeprefix('v1/')}: {watching[name]}{path}"
                                for name, path in addresses.items() if name in watching])  # fmt: skip
        if not output.as_json:
            PERSON.tell(f"note: what is known is kept in {watching['state']}; Ctrl-C ends it")

    found = monitor_log(traces, state=state, bad=bad, announce=announce, person=PERSON, **options)
    for note in found.notes:
        PERSON.tell(f"note: {plain(note, 500)}")
    return output.finish(found, _lines(found))


def _lines(found: Monitored) -> Iterator[str]:
    yield f"{found.seen:,} answers seen, {found.sampled:,} graded, {found.unreadable:,} rows or files unreadable"
    for bucket, rate in found.intervals.items():
        if rate.value is None or rate.low is None or rate.high is None:
            yield f"{bucket:12} -      {rate.reason}"
            continue
        known = found.references.get(bucket)
        beside = "" if known is None else f", {usual(known)}"
        share, low, high = map(_percent, (rate.value, rate.low, rate.high))
        yield f"{bucket:12} {share:>6} of all answers ({low} to {high}){beside}"
    read, refused, cites = found.free.values()
    if read:
        shares = f"{_percent(refused / read)} refuse, {_percent(cites / read)} cite what was not retrieved"
        yield f"of {read:,} answers looked at without a grader, {shares}"
    for alert in found.alerts:
        yield f"ALERT        {alert.words}"


def _percent(share: float) -> str:
    """With the digits that tell a rare one from none."""
    return f"{share:.1%}" if share == 0 or share >= 0.0005 else f"{100 * share:.1g}%"
