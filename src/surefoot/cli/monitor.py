"""surefoot monitor"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from surefoot.cli.output import (
    PERSON,
    Output,
    check_outputs,
    common,
    print_json,
    quiet_if_nobody_reads,
    say,
    set_option,
)
from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.types import plain
from surefoot.jobs.grade import DEFAULT
from surefoot.jobs.monitor import Monitored, monitor_log
from surefoot.monitor.drift import usual
from surefoot.monitor.sampling import RATE

_FILE = click.Path(dir_okay=False, path_type=Path)
_PORT = click.IntRange(0, 65_535)


@click.command(epilog="Example: surefoot monitor --once log.jsonl --state monitor.json --bad bad.jsonl --json")
@click.option(
    "--once", "traces", multiple=True, metavar="LOG",
    help="Grade a sample of this log and exit: file, folder, or - for stdin. Repeatable.",
)  # fmt: skip
@click.option("--follow", metavar="LOG", help="Watch a log that is being written, until Ctrl-C.")
@click.option("--otlp", type=_PORT, metavar="PORT", help="Take OpenTelemetry traces over HTTP; 0: any free port.")
@click.option(
    "--metrics", type=_PORT, metavar="PORT", help="Serve /metrics, /livez and /readyz; may be the port of --otlp."
)
@click.option("--webhook", metavar="URL", help="POST alarms and their ends there, as JSON with a `text`.")
@click.option(
    "--state", type=click.Path(path_type=Path), metavar="PATH",
    help="File (with --once) or folder to continue from.  [default: none with --once, else surefoot-monitor]",
)  # fmt: skip
@click.option("--bad", type=_FILE, metavar="FILE", help="Add wrong and unsupported answers to this log, redacted.")
@click.option(
    "--sample", type=float, default=RATE, show_default=True, metavar="SHARE",
    help="Share of ordinary answers to grade; refusals twice as often, flagged ones ten times.",
)  # fmt: skip
@click.option(
    "--baseline", metavar="RUN",
    help="A graded run as the usual rate.  [default: learned from the first 1,000 sampled answers]",
)  # fmt: skip
@click.option("--corpus", metavar="PATH", help="Texts of passages named by id alone.")
@click.option("--grader", default=DEFAULT, show_default=True, metavar="GRADER", help="As for `surefoot grade`.")
@set_option
@common()
def monitor(
    output: Output, traces: tuple[str, ...], follow: str | None, otlp: int | None, metrics: int | None,
    state: Path | None, bad: Path | None, **options: Any,  # noqa: ANN401 - as click hands them over
) -> int:  # fmt: skip
    """Watch answers in production: grade a sample, and raise an alarm when they get worse.

    Personal data is removed before anything is graded or written. Exits 1 on an alarm.
    """
    live = {"follow": follow, "otlp": otlp, "metrics": metrics}
    if not traces and follow is None and otlp is None:
        raise UsageError("nothing to monitor was given", "pass --once LOG, --follow LOG or --otlp PORT")
    if traces and (given := [name for name, value in live.items() if value is not None]):
        raise UsageError(f"--{given[0]} does not go with --once", "leave out one of them")
    check_outputs([path for path in (state, bad) if path is not None], ("state", "bad"))
    if traces:
        found = monitor_log(traces, state=state, bad=bad, person=PERSON, **options)
    else:
        found = _watch(output.as_json, state=state, bad=bad, **live, **options)
    for note in found.notes:
        say(f"note: {plain(note, 500)}")
    return output.finish(found, lambda: _show(found))


def _watch(as_json: bool, **options: Any) -> Monitored:  # noqa: ANN401
    try:
        from surefoot.live.server import Watching, monitor_live  # noqa: PLC0415 - of an extra
    except ImportError as error:
        hint = "install surefoot with its extra `monitor`: pip install '/path/to/surefoot[monitor]'"
        raise Incomplete("watching production needs more packages", hint) from error

    def show(watching: Watching) -> None:
        with quiet_if_nobody_reads():
            if as_json:
                print_json(watching)
            for name, url in (("traces", watching.otlp), ("metrics", watching.metrics)):
                if url and not as_json:
                    click.echo(f"{name}: {url}{'v1/traces' if name == 'traces' else 'metrics'}")
        if not as_json:
            PERSON.tell(f"note: what is known is kept in {watching.state}; Ctrl-C ends it")

    return monitor_live(show, person=PERSON, **options)


def _show(found: Monitored) -> None:
    click.echo(f"{found.seen:,} answers seen, {found.sampled:,} graded, {found.unreadable:,} rows unreadable")
    for bucket, rate in found.intervals.items():
        if rate.value is None or rate.low is None or rate.high is None:
            click.echo(f"{bucket:12} -      {rate.reason}")
            continue
        known = found.references.get(bucket)
        beside = "" if known is None else f", {usual(known)}"
        share, low, high = map(_percent, (rate.value, rate.low, rate.high))
        click.echo(f"{bucket:12} {share:>6} of all answers ({low} to {high}){beside}")
    for alert in found.alerts:
        click.echo(f"ALERT        {alert.words}")


def _percent(share: float) -> str:
    """With the digits that tell a rare one from none."""
    return f"{share:.1%}" if share == 0 or share >= 0.0005 else f"{100 * share:.1g}%"
