"""surefoot monitor --follow, --otlp: the options of a monitor that goes on until it is ended."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import Real, together
from surefoot.cli.output import PERSON, print_json, quiet_if_nobody_reads
from surefoot.core.errors import Incomplete, UsageError
from surefoot.services.monitor import Monitored

_PORT = click.IntRange(0, 65_535)
_A_DAY = 24 * 3600
live_options = together(
    click.option("--follow", metavar="LOG", help="Watch a log that is being written, until Ctrl-C."),
    click.option("--otlp", type=_PORT, metavar="PORT", help="Take OpenTelemetry traces over HTTP; 0: any free port."),
    click.option("--metrics", type=_PORT, metavar="PORT",
                 help="Serve /metrics, /livez and /readyz; may be the port of --otlp."),
    click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen."),
    click.option("--settle", type=Real(0, _A_DAY), default=10.0, show_default=True, metavar="SECONDS",
                 help="A trace is complete after this long without a span."),
    click.option("--webhook", metavar="URL", help="POST alarms and their ends there, as JSON with a `text`."),
    click.option("--pipeline", "-p", metavar="P",
                 help="Not ready until this pipeline passes `surefoot doctor`."),
    click.option("--questions", "-q", metavar="FILE",
                 help="Question set with the sentinels for --pipeline.  [default: the demo set]"),
)  # fmt: skip
LIVE = ("follow", "otlp", "metrics", "host", "settle", "webhook", "pipeline", "questions")
_ANYHOW = ("host", "settle", "webhook")  # what --once goes with, or does not look at


def check_once(options: Mapping[str, object]) -> None:
    """Of options that mean nothing to a command that ends at once."""
    if given := [name for name in LIVE if name not in _ANYHOW and options[name] is not None]:
        raise UsageError(f"--{given[0]} does not go with --once", "leave out one of them")


def watch_live(as_json: bool, live: Mapping[str, Any], *, state: Path | None, **options: Any) -> Monitored:  # noqa: ANN401
    try:
        from surefoot.live.sentinels import Sentinels  # noqa: PLC0415 - of an extra
        from surefoot.live.server import FOLDER, Watching, monitor_live  # noqa: PLC0415
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

    given = dict(live)
    pipeline, questions = given.pop("pipeline"), given.pop("questions")
    sentinels = Sentinels(pipeline, questions, options["corpus"]) if pipeline else None
    return monitor_live(show, state=state or FOLDER, sentinels=sentinels, person=PERSON, **given, **options)
