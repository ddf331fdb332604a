"""surefoot monitor"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from surefoot.cli.monitor_live import LIVE, check_once, live_options, watch_live
from surefoot.cli.options import SEED, Real, asking_options, citations_option, db_option, json_option, map_option
from surefoot.cli.output import PERSON, check_outputs, finish, say
from surefoot.core.errors import UsageError
from surefoot.core.words import plain
from surefoot.monitor.drift import usual
from surefoot.monitor.sampling import RATE
from surefoot.services.grade import DEFAULT
from surefoot.services.graders import Terms
from surefoot.services.monitor import Monitored, monitor_log

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(epilog="Example: surefoot monitor --once log.jsonl --state monitor.json --bad bad.jsonl --json")
@click.option(
    "--once", "log", multiple=True, metavar="LOG",
    help="Grade a sample of this log and exit: file, folder, or - for stdin. Repeatable.",
)  # fmt: skip
@live_options
@click.option(
    "--state", type=click.Path(path_type=Path), metavar="PATH",
    help="File (with --once) or folder to continue from.  [default: none with --once, else surefoot-monitor]",
)  # fmt: skip
@click.option("--bad", type=_FILE, metavar="FILE", help="Add wrong and unsupported answers to this log, redacted.")
@click.option(
    "--sample", type=Real(0, 1, min_open=True), default=RATE, show_default=True, metavar="SHARE",
    help="Share of ordinary answers to grade; refusals twice as often, flagged ones ten times.",
)  # fmt: skip
@click.option("--seed", type=SEED, default=0, show_default=True, metavar="N", help="Draws other answers.")
@click.option(
    "--baseline", metavar="RUN",
    help="A graded run as the usual rate.  [default: learned from the first 1,000 sampled answers]",
)  # fmt: skip
@db_option
@map_option
@click.option("--corpus", metavar="PATH", help="Texts of passages named by id alone.")
@click.option("--grader", default=DEFAULT, show_default=True, metavar="GRADER", help="As for `surefoot grade`.")
@citations_option
@asking_options
@json_option()
def monitor(
    log: tuple[str, ...], state: Path | None, bad: Path | None, as_json: bool,
    **more: Any,  # noqa: ANN401 - as click hands them over
) -> int:  # fmt: skip
    """Watch answers in production: grade a sample, and raise an alarm when they get worse.

    Personal data is removed before anything is graded or written. Exits 1 on an alarm.
    """
    live = {name: more.pop(name) for name in LIVE}
    if not log and live["follow"] is None and live["otlp"] is None:
        raise UsageError("nothing to monitor was given", "pass --once LOG, --follow LOG or --otlp PORT")
    check_outputs([path for path in (state, bad) if path is not None], ("state", "bad"))
    terms = Terms(**{name: more.pop(name) for name in Terms.__struct_fields__ if name in more})
    if log:
        check_once(live)
        found = monitor_log(log, state=state, bad=bad, terms=terms, webhook=live["webhook"], person=PERSON, **more)
    else:
        found = watch_live(as_json, live, state=state, bad=bad, terms=terms, **more)
    for note in found.notes:
        say(f"note: {plain(note, 500)}")
    return finish(found, as_json, lambda: _show(found))


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
