"""surefoot compare"""

from __future__ import annotations

from typing import Any

import click

from surefoot.cli.decision_options import decide, decision_options, finish_decision
from surefoot.cli.options import json_option
from surefoot.cli.reports import report_option


@click.command(epilog="Example: surefoot compare runs/base runs/cand --report report.html")
@decision_options
@click.option("--by", multiple=True, metavar="FIELD", help="Show changes by this field of the questions. Repeatable.")
@report_option
@json_option()
def compare(**options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Compare two runs bucket by bucket, and decide whether the candidate may ship.

    BASE and CAND are run folders or files of verdicts. The exit code is the decision.
    """
    return finish_decision(decide(options, options["by"]), options)
