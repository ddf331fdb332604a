"""surefoot compare"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import msgspec

from surefoot.cli.decision_options import decide, decision_options
from surefoot.cli.options import json_option
from surefoot.cli.output import console, quiet_if_nobody_reads
from surefoot.cli.reports import check_reports, report_option, write_reports
from surefoot.report import terminal
from surefoot.services.compare import Compared


@click.command(epilog="Example: surefoot compare runs/base runs/cand --report report.html")
@decision_options
@click.option("--by", multiple=True, metavar="FIELD", help="Show changes by this field of the questions. Repeatable.")
@report_option
@json_option()
def compare(**options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Compare two runs bucket by bucket, and decide whether the candidate may ship.

    BASE and CAND are files of verdicts (JSON lines) or folders of runs. The exit code is the decision.
    """
    check_reports(options["reports"], options["as_json"])
    compared = decide(options, options["by"])
    with quiet_if_nobody_reads():
        show_comparison(compared, options["reports"], options["as_json"])
    return int(compared.exit_code)


def show_comparison(compared: Compared, reports: Sequence[str], as_json: bool = False) -> None:
    printed = write_reports(reports, compared.report)
    if as_json:
        click.echo(msgspec.json.encode(compared.to_json()))
    elif not printed:
        terminal.show(compared.report(), console())
